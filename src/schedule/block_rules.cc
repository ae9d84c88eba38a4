#include "schedule/block_rules.h"

#include <algorithm>
#include <set>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/lower/tail_check.h"

namespace tilewright::schedule {

using namespace ir;

std::vector<const BlockRealizeNode*> readers_of(const Tree& tree, const Buffer& buffer) {
  std::vector<const BlockRealizeNode*> result;
  for (const BlockRealizeNode* realize : tree.blocks_under(-1)) {
    // A reduction reads its own accumulator; that makes it no consumer.
    if (block_reads(realize->block, buffer) && !block_writes(realize->block, buffer)) {
      result.push_back(realize);
    }
  }
  return result;
}

std::vector<const BlockRealizeNode*> writers_of(const Tree& tree, const Buffer& buffer) {
  std::vector<const BlockRealizeNode*> result;
  for (const BlockRealizeNode* realize : tree.blocks_under(-1)) {
    if (block_writes(realize->block, buffer)) result.push_back(realize);
  }
  return result;
}

bool readers_guarded_by(const Tree& tree, const Buffer& buffer, const Expr& condition) {
  const auto readers = readers_of(tree, buffer);
  return std::all_of(readers.begin(), readers.end(), [&](const BlockRealizeNode* reader) {
    return lower::is_guarded_by(*reader, condition);
  });
}

arith::Analyzer facts_in_domain(const arith::Analyzer& facts, const BlockRealizeNode& realize) {
  arith::Analyzer inside(facts);
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    const Range& dom = realize.block->iter_vars[i].dom;
    inside.assume(realize.iter_values[i] >= dom.min);
    inside.assume(realize.iter_values[i] < dom.min + dom.extent);
  }
  return inside;
}

std::vector<Buffer> written_buffers(const Block& block) {
  std::vector<Buffer> buffers;
  for (const Region& region : block->writes) buffers.push_back(region.buffer);
  return buffers;
}

const StoreNode* sole_store(const Block& block) { return block->body.as<StoreNode>(); }

void require_compute_block(const Invocation& in, const BlockRealizeNode& realize) {
  if (realize.block->block_kind == BlockKind::kCompute) return;
  in.refuse("opaque_block", realize.block->id,
            fmt::format("{} is opaque: its body is not known to the schedule", quoted(realize)),
            "schedule the loops around it; only blocks made by te.compute can be taken apart");
}

bool has_ordered_axis(const Block& block) {
  return std::any_of(block->iter_vars.begin(), block->iter_vars.end(), [](const IterVar& iter) {
    return iter.kind == IterKind::kOrdered || iter.kind == IterKind::kOpaque;
  });
}

bool orders_itself(const Block& block) {
  if (block->block_kind != BlockKind::kCompute || has_ordered_axis(block)) return true;
  bool reads_back = false;
  walk_exprs(block->body, [&](const Expr& e) {
    const auto* load = e.as<LoadNode>();
    reads_back |= load && block_writes(block, load->buffer);
  });
  return reads_back;
}

void require_inputs_kept(const Invocation& in, const BlockRealizeNode& realize,
                         const BlockRealizeNode& reader) {
  const int64_t id = realize.block->id;
  const std::vector<const ForNode*> around = in.tree.loops_around(reader.block->id);
  for (const Region& read : realize.block->reads) {
    if (block_writes(realize.block, read.buffer)) continue;  // its own accumulator
    for (const BlockRealizeNode* writer : writers_of(in.tree, read.buffer)) {
      const int64_t other = writer->block->id;
      const bool between = in.tree.index(other) > in.tree.index(id) &&
                           in.tree.index(other) <= in.tree.index(reader.block->id);
      // A writer behind the reader comes before it in the next iteration of a loop that has both, and not the block.
      bool in_loop = false, in_scan = false;
      for (const ForNode* loop : around) {
        if (!in.tree.encloses(loop->id, other)) continue;
        in_loop |= !in.tree.encloses(loop->id, id);
        in_scan |= in.tree.encloses(loop->id, id) && loop->for_kind == ForKind::kOrdered;
      }
      if (in_scan || (!between && !in_loop)) continue;
      in.refuse("overwritten_input", other,
                fmt::format("{} writes to '{}', which {} reads, before it would run",
                            quoted(*writer), read.buffer->name, quoted(realize)),
                fmt::format("cache_read('{}') gives {} a copy of its own", read.buffer->name,
                            quoted(realize)));
    }
  }
}

void require_no_ordered_axis(const Invocation& in, const BlockRealizeNode& realize) {
  if (!has_ordered_axis(realize.block)) return;
  in.refuse("ordered_loop", realize.block->id,
            fmt::format("{} runs step by step along an ordered axis, each step from the one before",
                        quoted(realize)),
            "schedule its other axes; what it reads and what reads it can be moved");
}

void require_no_extern_use(const Invocation& in, const BlockRealizeNode& at, const Buffer& buffer) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(-1)) {
    if (realize->block->block_kind != BlockKind::kExtern) continue;
    if (!block_reads(realize->block, buffer) && !block_writes(realize->block, buffer)) continue;
    in.refuse("opaque_block", at.block->id,
              fmt::format("'{}' is given to the C function of {}, which takes elements row by row "
                          "in memory",
                          buffer->name, quoted(*realize)),
              "cache_read or cache_write gives the others a copy that may lie as they like");
  }
}

void require_unconditional(const Invocation& in, const Stmt& nest,
                           const BlockRealizeNode& realize) {
  walk_stmts(nest, [&](const Stmt& s) {
    const auto* decides = s.as<IfNode>();
    if (!decides || !contains_block(s, realize.block->id)) return;
    in.refuse("conditional", realize.block->id,
              fmt::format("whether {} runs is decided by {} around it", quoted(realize),
                          to_pretty(decides->condition)),
              "do this before specialize, or let the block store one of two values by "
              "if_then_else");
  });
}

namespace {

// Steps whose init is a block of its own.
bool is_decomposed(const Block& block) { return block->reducer.defined() && !block->init; }

}  // namespace

void require_sole_writer(const Invocation& in, const BlockRealizeNode& realize) {
  for (const Buffer& buffer : written_buffers(realize.block)) {
    for (const BlockRealizeNode* writer : writers_of(in.tree, buffer)) {
      if (writer == &realize) continue;
      const bool decomposed = is_decomposed(realize.block) || is_decomposed(writer->block);
      in.refuse("several_writers", realize.block->id,
                fmt::format("'{}' is written by {} and {}", buffer->name, quoted(realize),
                            quoted(*writer)),
                decomposed ? "do this before decompose_reduction"
                           : "only the one writer of a buffer can be changed so; let the blocks "
                             "write buffers of their own");
    }
  }
}

void require_intermediate(const Invocation& in, const BlockRealizeNode& realize,
                          const Buffer& buffer) {
  if (!is_param(in.func, buffer)) return;
  in.refuse("parameter", realize.block->id,
            fmt::format("'{}' is a parameter of '{}' and belongs to the caller", buffer->name,
                        in.func->name),
            "cache_write or cache_read gives an intermediate buffer that may be changed");
}

Buffer require_read_buffer(const Invocation& in, const BlockRealizeNode& realize,
                           const std::string& name) {
  std::vector<std::string> names;
  for (const Region& region : realize.block->reads) {
    if (block_writes(realize.block, region.buffer)) continue;
    if (region.buffer->name == name) return region.buffer;
    names.push_back(region.buffer->name);
  }
  in.refuse("unknown_buffer", realize.block->id,
            fmt::format("{} does not read a buffer '{}'", quoted(realize), name), {}, names);
}

Buffer require_written_buffer(const Invocation& in, const BlockRealizeNode& realize) {
  std::vector<Buffer> buffers = written_buffers(realize.block);
  int64_t index = in.int_attr("write_index");
  if (index < 0 || index >= static_cast<int64_t>(buffers.size())) {
    in.refuse("write_index", realize.block->id,
              fmt::format("{} writes {} buffers; there is no number {}", quoted(realize),
                          buffers.size(), index),
              "write_index counts the buffers that the block writes, from 0");
  }
  return buffers[index];
}

namespace {

// All index lists through which the block writes.
std::vector<std::vector<Expr>> write_indices(const Block& block) {
  std::vector<std::vector<Expr>> result;
  walk_stmts(block->body, [&](const Stmt& stmt) {
    if (const auto* store = stmt.as<StoreNode>()) result.push_back(store->indices);
    if (const auto* update = stmt.as<UpdateNode>()) result.push_back(update->indices);
  });
  return result;
}

}  // namespace

void require_own_elements(const Invocation& in, const BlockRealizeNode& realize) {
  for (const std::vector<Expr>& indices : write_indices(realize.block)) {
    for (const IterVar& iter : realize.block->iter_vars) {
      const bool used = std::any_of(indices.begin(), indices.end(),
                                    [&](const Expr& index) { return uses_var(index, iter.var); });
      if (used || iter.kind != IterKind::kSpatial || is_const_int(iter.dom.extent, 1)) continue;
      in.refuse("write_index", realize.block->id,
                fmt::format("{} writes at no index of its axis '{}', so several points write one "
                            "element",
                            quoted(realize), iter.var.name()),
                "give each point an element of its own");
    }
  }
}

std::vector<size_t> require_identity_writes(const Invocation& in, const BlockRealizeNode& realize,
                                            bool steps) {
  const auto& iters = realize.block->iter_vars;
  std::vector<size_t> first;
  bool is_first = true;
  for (const std::vector<Expr>& indices : write_indices(realize.block)) {
    std::vector<size_t> dims;
    std::set<size_t> used;
    for (const Expr& index : indices) {
      auto it = std::find_if(iters.begin(), iters.end(), [&](const IterVar& iter) {
        const bool fits =
            iter.kind == IterKind::kSpatial || (steps && iter.kind == IterKind::kOrdered);
        return fits && iter.var.same_as(index);
      });
      size_t position = it - iters.begin();
      if (it == iters.end() || !used.insert(position).second) {
        in.refuse(
            "write_index", realize.block->id,
            fmt::format("{} writes at index {}, which is not one spatial axis of its own",
                        quoted(realize), to_pretty(index)),
            "write the block at its own axes, or bring producer and consumer together by moving "
            "the other one");
      }
      dims.push_back(position);
    }
    if (!is_first && dims != first) {
      in.refuse("write_index", realize.block->id,
                fmt::format("the outputs of {} are written at different indices", quoted(realize)),
                "write all outputs at the same axes");
    }
    first = dims;
    is_first = false;
  }
  return first;
}

std::vector<Stmt> children_of(const Stmt& body) {
  if (const auto* seq = body.as<SeqNode>()) return seq->stmts;
  return {body};
}

bool contains_block(const Stmt& stmt, int64_t block_id) {
  bool found = false;
  walk_stmts(stmt, [&](const Stmt& s) {
    const auto* realize = s.as<BlockRealizeNode>();
    found |= realize && realize->block->id == block_id;
  });
  return found;
}

namespace {

template <typename Taken>
std::string unique_name(const std::string& base, Taken taken) {
  std::string name = base;
  for (int i = 1; taken(name); ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

}  // namespace

std::string unique_block_name(const Tree& tree, const std::string& base) {
  return unique_name(base, [&](const std::string& name) { return tree.block_named(name); });
}

std::string unique_buffer_name(const PrimFunc& func, const std::string& base) {
  return unique_name(base, [&](const std::string& name) {
    return std::any_of(func->allocs.begin(), func->allocs.end(),
                       [&](const Buffer& b) { return b->name == name; }) ||
           std::any_of(func->params.begin(), func->params.end(),
                       [&](const Param& p) { return p.buffer && p.buffer->name == name; });
  });
}

Scope require_scope(const Invocation& in, const std::string& word, int64_t at) {
  static const std::pair<const char*, Scope> scopes[] = {{"global", Scope::kGlobal},
                                                         {"local", Scope::kLocal},
                                                         {"register", Scope::kRegister},
                                                         {"shared", Scope::kShared},
                                                         {"warp", Scope::kWarp}};
  std::vector<std::string> names;
  for (const auto& [name, scope] : scopes) {
    if (word == name) return scope;
    names.emplace_back(name);
  }
  in.refuse("scope", at, fmt::format("unknown storage scope '{}'", word), {}, names);
}

AxisPlan plan_axis(const arith::Analyzer& facts, const Var& loop_var, int64_t loop_id,
                   const Range& range, const Range& dom) {
  AxisPlan plan;
  plan.value = facts.simplify(range.min + loop_var);
  arith::Analyzer inner(facts);
  inner.bind_extent(loop_var, range.extent);
  Expr above = plan.value >= dom.min;
  Expr below = plan.value < dom.min + dom.extent;
  if (!inner.can_prove(above)) plan.guard.push_back({inner.simplify(above), loop_id, Tail::kGuard});
  if (!inner.can_prove(below)) plan.guard.push_back({inner.simplify(below), loop_id, Tail::kGuard});
  return plan;
}

}  // namespace tilewright::schedule
