#include <algorithm>
#include <tuple>

#include "fuzz/judges.h"
#include "schedule/block_rules.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

/// \file
/// Judges of the primitives that put loops together, cut them, or let their statements fall behind.

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Enumeration;
using schedule::StatementInstance;
using schedule::Tree;
using schedule::Value;

namespace {

using Loops = std::vector<const ForNode*>;

// The loops as one of the given id, made without asking: a program for each of the places to which they could be
// brought. Nothing when they do not stand beside each other.
std::vector<PrimFunc> merged(const PrimFunc& func, Loops loops, int64_t id) {
  const Tree tree(func);
  std::sort(loops.begin(), loops.end(), [&](const ForNode* a, const ForNode* b) {
    return tree.index(a->id) < tree.index(b->id);
  });
  const SeqNode* home = nullptr;
  std::vector<size_t> places;
  walk_stmts(func->body, [&](const Stmt& stmt) {
    const auto* seq = stmt.as<SeqNode>();
    if (!seq || home) return;
    places.clear();
    for (size_t i = 0; i < seq->stmts.size(); ++i) {
      if (std::find(loops.begin(), loops.end(), seq->stmts[i].get()) != loops.end()) {
        places.push_back(i);
      }
    }
    if (places.size() == loops.size()) home = seq;
  });
  if (!home) return {};
  const ForNode& model = *loops[0];
  const Var var(model.var.name(), model.var.dtype());
  const auto taken = [&](int64_t loop) {
    return std::any_of(loops.begin(), loops.end(), [&](const ForNode* l) { return l->id == loop; });
  };
  std::vector<Stmt> bodies;
  for (const ForNode* loop : loops) {
    Stmt body = schedule::map_blocks(loop->body, [&](const BlockRealizeNode& realize, const Stmt&) {
      std::vector<Conjunct> guard;
      for (const Conjunct& c : realize.guard) {
        guard.push_back(taken(c.loop) ? Conjunct{c.cond, id, Tail::kGuard} : c);
      }
      return schedule::with_guard(realize, std::move(guard));
    });
    bodies.push_back(substitute(body, {{loop->var, var}}));
  }
  const Stmt one(
      new ForNode(id, var, model.extent, model.for_kind, model.thread, {}, seq(std::move(bodies))));
  BufferMap moved;
  std::vector<Buffer> allocs;
  for (const Buffer& buffer : func->allocs) {
    const bool inside =
        buffer->alloc_at.kind == AllocAt::Kind::kLoop && taken(buffer->alloc_at.loop);
    allocs.push_back(inside ? schedule::with_alloc_at(buffer, {AllocAt::Kind::kLoop, id}) : buffer);
    if (inside) moved[buffer] = allocs.back();
  }
  std::vector<PrimFunc> programs;
  for (const size_t place : places) {
    std::vector<Stmt> children;
    for (size_t i = 0; i < home->stmts.size(); ++i) {
      if (i == place) {
        children.push_back(one);
      } else if (std::find(places.begin(), places.end(), i) == places.end()) {
        children.push_back(home->stmts[i]);
      }
    }
    const Stmt body = schedule::replace_stmt(func->body, home, seq(std::move(children)));
    programs.push_back(schedule::fix_allocs(
        with_allocs(ir::with_body(func, replace_buffers(body, moved)), allocs)));
  }
  return programs;
}

// Do all have the same number of iterations at each of the sizes? One over outer loops: as an expression.
bool equally_long(const Case& c, const Loops& loops) {
  return std::all_of(loops.begin(), loops.end(), [&](const ForNode* loop) {
    if (loop->for_kind != loops[0]->for_kind) return false;
    if (structural_equal(loop->extent, loops[0]->extent)) return true;
    return std::all_of(
        c.reference.sizes().begin(), c.reference.sizes().end(), [&](const Sizes& sizes) {
          const schedule::SizeValues values = c.size_values(sizes);
          return evaluate_int(loop->extent, values) == evaluate_int(loops[0]->extent, values);
        });
  });
}

// The level on which the block and the loop stand in different nests: the loops to put together there.
Loops differing(const PrimFunc& func, int64_t block, int64_t loop, bool& last) {
  const Tree tree(func);
  const Loops own = tree.loops_around(block);
  Loops other = tree.loops_around(loop);
  other.push_back(tree.loop(loop));
  size_t level = 0;
  while (level < own.size() && level < other.size() && own[level] == other[level]) ++level;
  last = level + 1 == other.size();
  if (level >= own.size() || level >= other.size()) return {};
  return {other[level], own[level]};
}

}  // namespace

Ruling judge_merge(const Case& c) {
  const Tree tree(c.func);
  Loops loops;
  for (const int64_t id : c.error.inputs) loops.push_back(tree.loop(id));
  if (!equally_long(c, loops)) return Ruling::kNotApplicable;
  const std::vector<PrimFunc> programs = merged(c.func, loops, loops[0]->id);
  if (programs.empty()) return Ruling::kNotApplicable;
  return legal_if(std::any_of(programs.begin(), programs.end(), [&](const PrimFunc& func) {
    return c.reference.difference(func).empty();
  }));
}

// Level by level, at each of the places.
Ruling judge_compute_with(const Case& c) {
  const int64_t block = c.id(0), loop = c.id(1);
  std::vector<PrimFunc> programs = {c.func}, done;
  while (!programs.empty()) {
    const PrimFunc func = programs.back();
    programs.pop_back();
    bool last = false;
    const Loops pair = differing(func, block, loop, last);
    if (pair.empty() || !equally_long(c, pair)) return Ruling::kNotApplicable;
    const std::vector<PrimFunc> next = merged(func, pair, pair[0]->id);
    if (next.empty()) return Ruling::kNotApplicable;
    std::vector<PrimFunc>& list = last ? done : programs;
    list.insert(list.end(), next.begin(), next.end());
  }
  return legal_if(std::any_of(done.begin(), done.end(), [&](const PrimFunc& func) {
    return c.reference.difference(func).empty();
  }));
}

// The parts of the range at each of the sizes, and at large ones: nothing may be left over, and one that is always empty
// is no part.
Ruling judge_partition(const Case& c) {
  const Expr extent = Tree(c.func).loop(c.id(0))->extent;
  const auto& parts = std::get<Value::List>(c.error.attrs.at("extents").data);
  std::vector<bool> runs(parts.size());
  std::vector<schedule::SizeValues> all;
  for (const Sizes& sizes : c.reference.sizes()) all.push_back(c.size_values(sizes));
  if (const auto large = schedule::small_sizes(c.func, {1009, 1024, 64})) all.push_back(*large);
  for (const schedule::SizeValues& sizes : all) {
    int64_t left = evaluate_int(extent, sizes), behind = 0;
    bool open = false;
    for (const Value& part : parts) {
      if (part.is_null()) open = true;
      if (open && !part.is_null()) behind += std::get<int64_t>(part.data);
    }
    for (size_t p = 0; p < parts.size(); ++p) {
      const auto* size = std::get_if<int64_t>(&parts[p].data);
      const int64_t taken = size ? std::min(*size, left) : std::max<int64_t>(left - behind, 0);
      if (taken > 0) runs[p] = true;
      left -= taken;
    }
    if (left > 0) return Ruling::kIllegal;
  }
  const bool every = std::all_of(runs.begin(), runs.end(), [](bool ran) { return ran; });
  return every ? Ruling::kLegal : Ruling::kNotApplicable;
}

// Statement s of iteration i runs at time i + stages[s]; the order must keep all dependences.
Ruling judge_pipeline(const Case& c) {
  const ForNode* loop = Tree(c.func).loop(c.id(0));
  const std::vector<Stmt> children = schedule::children_of(loop->body);
  const auto& stages = std::get<Value::List>(c.error.attrs.at("stages").data);
  std::map<int64_t, size_t> child_of;  // by block
  for (size_t s = 0; s < children.size(); ++s) {
    walk_stmts(children[s], [&](const Stmt& stmt) {
      if (const auto* realize = stmt.as<BlockRealizeNode>()) child_of[realize->block->id] = s;
    });
  }
  for (const Enumeration& e : c.instances()) {
    std::vector<std::tuple<size_t, int64_t, size_t, size_t>> order;  // entry, time, statement, was
    size_t entry = 0;
    std::optional<Iteration> around;
    for (size_t i = 0; i < e.instances.size(); ++i) {
      const StatementInstance& instance = e.instances[i];
      std::optional<Iteration> at = iteration_of(e, instance, loop->id);
      const int64_t iteration = at ? at->back() : 0;
      if (at) at->pop_back();
      if (!at || at != around) entry = i + 1;
      around = at;
      const size_t child = at ? child_of.at(instance.block) : 0;
      order.emplace_back(entry, at ? iteration + std::get<int64_t>(stages.at(child).data) : 0,
                         child, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<int64_t> position(order.size());
    for (size_t p = 0; p < order.size(); ++p) {
      position[std::get<3>(order[p])] = static_cast<int64_t>(p);
    }
    if (schedule::violated_dependence(e, position)) return Ruling::kIllegal;
  }
  return Ruling::kLegal;
}

}  // namespace tilewright::fuzz
