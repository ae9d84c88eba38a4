#include "schedule/loop_rules.h"

#include <algorithm>

#include "schedule/dependence.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

void require_serial(const Invocation& in, const ForNode& loop) {
  if (loop.for_kind == ForKind::kSerial || loop.for_kind == ForKind::kOrdered) return;
  in.refuse("loop_kind", loop.id,
            fmt::format("{} is already {}", quoted(loop), spelling(loop.for_kind)),
            fmt::format("do this before making the loop {}", spelling(loop.for_kind)));
}

bool repeats(const Invocation& in, const ForNode& loop, const BlockRealizeNode& realize) {
  if (feeds(loop.var, realize).any() || is_const_int(loop.extent, 1)) return false;
  arith::Analyzer facts = in.facts(in.tree.loops_around(realize.block->id));
  for (const Conjunct& conjunct : realize.guard) facts.assume(conjunct.cond);
  return !facts.can_prove(loop.var < make_int(loop.var.dtype(), 1));
}

namespace {

// Overlapping parts of a result, which a block makes anew in each of them, would take their terms more than once inside
// a loop of the reduction.
void require_each_element_once(const Invocation& in, const std::vector<const ForNode*>& path,
                               const ForNode& reducing, const BlockRealizeNode& realize) {
  std::vector<std::pair<Var, Expr>> inside;
  for (auto it = std::find(path.begin(), path.end(), &reducing); it != path.end(); ++it) {
    if (feeds((*it)->var, realize).spatial) inside.emplace_back((*it)->var, (*it)->extent);
  }
  if (inside.size() < 2) return;
  std::vector<Expr> values;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    if (realize.block->iter_vars[i].kind == IterKind::kSpatial) {
      values.push_back(realize.iter_values[i]);
    }
  }
  Expr guard = make_bool(true);
  for (const Conjunct& c : realize.guard) guard = guard && c.cond;
  const arith::Analyzer facts = in.facts(in.tree.loops_around(realize.block->id));
  if (arith::analyze_map(facts, inside, values, {}, guard).injective.value_or(false)) return;
  in.refuse("repeated_terms", reducing.id,
            fmt::format("the loops inside {} reach some elements of {} more than once, which would "
                        "add their terms several times",
                        quoted(reducing), quoted(realize)),
            "keep the loops of the reduction inside");
}

}  // namespace

void require_unrepeated_terms(const Invocation& in, const std::vector<const ForNode*>& path,
                              const BlockRealizeNode& realize) {
  const auto reduces = [](const IterVar& iter) { return iter.kind == IterKind::kReduce; };
  const auto& iters = realize.block->iter_vars;
  if (!realize.block->reducer && std::none_of(iters.begin(), iters.end(), reduces)) return;
  const ForNode* reducing = nullptr;
  for (const ForNode* loop : path) {
    if (feeds(loop->var, realize).reduce) {
      reducing = loop;
    } else if (reducing && repeats(in, *loop, realize)) {
      in.refuse(
          "repeated_terms", loop->id,
          fmt::format("{} feeds no axis of {}; inside {} it would add each term several times",
                      quoted(*loop), quoted(realize), quoted(*reducing)),
          "keep it outside the loops of the reduction");
    }
  }
  if (reducing) require_each_element_once(in, path, *reducing, realize);
}

int64_t require_constant_extent(const Invocation& in, const ForNode& loop) {
  const int64_t* extent = as_const_int(loop.extent);
  if (!extent) {
    in.refuse("symbolic_extent", loop.id,
              fmt::format("{} has the symbolic extent {}", quoted(loop), to_pretty(loop.extent)),
              "split it by a constant factor first and use the inner loop");
  }
  return *extent;
}

void require_small_extent(const Invocation& in, const ForNode& loop, int64_t limit) {
  const int64_t extent = require_constant_extent(in, loop);
  if (extent <= limit) return;
  in.refuse("extent_too_large", loop.id,
            fmt::format("{} has {} iterations, the limit is {}", quoted(loop), extent, limit),
            "split it by a smaller factor first and use the inner loop");
}

namespace {

// The loops from `loop` inwards to the block, `loop` included.
std::vector<const ForNode*> loops_from(const Invocation& in, const ForNode& loop,
                                       const BlockRealizeNode& realize) {
  std::vector<const ForNode*> path = in.tree.loops_around(realize.block->id);
  auto begin = std::find(path.begin(), path.end(), &loop);
  return {begin, path.end()};
}

}  // namespace

bool writes_are_disjoint(const Invocation& in, const ForNode& loop,
                         const BlockRealizeNode& realize) {
  const std::vector<const ForNode*> around = in.tree.loops_around(realize.block->id);
  arith::Analyzer facts = in.facts(around);
  std::vector<Expr> values;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    if (realize.block->iter_vars[i].kind == IterKind::kSpatial) {
      values.push_back(realize.iter_values[i]);
    }
  }
  const auto is_used = [&](const ForNode* node) {
    return std::any_of(values.begin(), values.end(),
                       [&](const Expr& value) { return uses_var(value, node->var); });
  };
  if (!is_used(&loop)) return is_const_int(loop.extent, 1);
  Expr guard = make_bool(true);
  for (const Conjunct& conjunct : realize.guard) guard = guard && conjunct.cond;
  const auto injective_over = [&](const std::vector<const ForNode*>& loops) {
    std::vector<std::pair<Var, Expr>> domain;
    for (const ForNode* node : loops) {
      if (is_used(node)) domain.emplace_back(node->var, node->extent);
    }
    return arith::analyze_map(facts, domain, values, {}, guard).injective.value_or(false);
  };
  // The digits of a fused loop that was split again show only over all of its parts.
  return injective_over(loops_from(in, loop, realize)) || injective_over(around);
}

void require_independent_iterations(const Invocation& in, const ForNode& loop) {
  if (has_fault(Fault::dependent_iterations_accepted)) return;
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    Feeds fed = feeds(loop.var, *realize);
    if (fed.reduce) {
      in.refuse(
          "reduce_loop", loop.id,
          fmt::format("{} feeds a reduction axis of {}; iterations would update one accumulator "
                      "at once",
                      quoted(loop), quoted(*realize)),
          fmt::format("rfactor({}) makes partial results whose loop may run at once",
                      loop.var.name()));
    }
    if (fed.ordered || fed.opaque) {
      in.refuse("ordered_loop", loop.id,
                fmt::format("{} feeds an ordered axis of {}", quoted(loop), quoted(*realize)),
                "only loops over independent points may run at once");
    }
    for (const Region& written : realize->block->writes) {
      const AllocAt& at = written.buffer->alloc_at;
      bool inside = at.kind == AllocAt::Kind::kLoop && !is_param(in.func, written.buffer) &&
                    (at.loop == loop.id || in.tree.encloses(loop.id, at.loop));
      if (inside || writes_are_disjoint(in, loop, *realize)) continue;
      in.refuse(
          "overlapping_writes", loop.id,
          fmt::format("iterations of {} may write the same elements of '{}' through {}",
                      quoted(loop), written.buffer->name, quoted(*realize)),
          "compute the block at this loop, so that each iteration has its own buffer, or choose "
          "a loop whose iterations write apart");
    }
  }
  if (std::optional<Carried> carried = carried_dependence(in, loop)) {
    in.refuse("dependence", loop.id,
              fmt::format("iterations of {} depend on each other through {}", quoted(loop),
                          describe(*carried)),
              "choose a loop each of whose iterations reads only what it makes itself");
  }
}

}  // namespace tilewright::schedule
