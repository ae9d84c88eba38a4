#include "lower/padded_writers.h"

#include <algorithm>

#include "lower/tails.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

namespace {

bool has_padded_tail(const BlockRealizeNode& realize) {
  return std::any_of(realize.guard.begin(), realize.guard.end(),
                     [](const Conjunct& conjunct) { return conjunct.tail == Tail::kPad; });
}

bool is_size(const PrimFunc& func, const Expr& var) {
  return std::any_of(func->params.begin(), func->params.end(),
                     [&](const Param& param) { return param.var.same_as(var); });
}

// Free of loop variables?
bool is_fixed(const PrimFunc& func, const Expr& expr) {
  bool fixed = true;
  walk_exprs(expr, [&](const Expr& e) {
    const auto* var = e.as<VarNode>();
    fixed &= !var || is_size(func, e);
  });
  return fixed;
}

// Is each axis a sum of loop variables, so that whole tiles make a box?
bool runs_over_boxes(const PrimFunc& func, const arith::Analyzer& sizes,
                     const BlockRealizeNode& realize) {
  return std::all_of(
      realize.iter_values.begin(), realize.iter_values.end(), [&](const Expr& value) {
        const arith::LinearForm form = sizes.linear_form(value);
        return std::all_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
          return term.first.template as<VarNode>() || is_fixed(func, term.first);
        });
      });
}

}  // namespace

bool writes(const BlockNode& block, const Buffer& buffer) {
  return std::any_of(block.writes.begin(), block.writes.end(),
                     [&](const Region& region) { return region.buffer.same_as(buffer); });
}

bool is_one_point(const BlockNode& block) {
  bool simple = block.block_kind == BlockKind::kCompute;
  walk_stmts(block.body, [&](const Stmt& stmt) {
    simple &= !stmt.as<ForNode>() && !stmt.as<BlockRealizeNode>();
  });
  return simple;
}

PaddedWriters::PaddedWriters(const PrimFunc& func, Stmt body)
    : func_(func), body_(std::move(body)) {
  arith::bind_function_facts(sizes_, func);
}

bool PaddedWriters::is_sole(const Buffer& buffer) const {
  const std::vector<const BlockRealizeNode*> all = realizes_below(body_);
  return std::count_if(all.begin(), all.end(), [&](const BlockRealizeNode* realize) {
           return writes(*realize->block, buffer);
         }) == 1;
}

bool PaddedWriters::run_with(const ForNode& loop, const Buffer& buffer) {
  for (const BlockRealizeNode* writer : realizes_below(loop.body)) {
    if (!writes(*writer->block, buffer)) continue;
    for (const Conjunct& conjunct : writer->guard) {
      if (!uses_var(conjunct.cond, loop.var)) continue;
      // One that is relaxed along another loop keeps its bound on this one.
      const bool relaxed = conjunct.tail == Tail::kPad && conjunct.loop == loop.id;
      if (!relaxed || !is_one_point(*writer->block)) return false;
    }
  }
  return true;
}

std::optional<Region> PaddedWriters::made(const Buffer& buffer,
                                          const std::vector<const ForNode*>& loops,
                                          const arith::Analyzer& facts) const {
  for (const BlockRealizeNode* writer : realizes_below(body_)) {
    const BlockNode& block = *writer->block;
    if (!writes(block, buffer)) continue;
    if (block.where.defined() && !block.reducer) return {};
    if (has_padded_tail(*writer) && !runs_over_boxes(func_, sizes_, *writer)) return {};
  }
  for (size_t i = loops.size(); i-- > 0;) {
    const std::vector<const BlockRealizeNode*> below = realizes_below(loops[i]->body);
    const bool made_here = std::any_of(below.begin(), below.end(),
                                       [&](const auto* r) { return writes(*r->block, buffer); });
    if (made_here) {
      return arith::accessed_region(facts, loops[i]->body, buffer, false, true);
    }
  }
  return arith::accessed_region(sizes_, body_, buffer, false, true);
}

std::optional<std::vector<Range>> PaddedWriters::guarded_axes(
    const BlockRealizeNode& realize) const {
  std::vector<Range> axes;
  for (const IterVar& iter : realize.block->iter_vars) axes.push_back(iter.dom);
  for (const Conjunct& conjunct : realize.guard) {
    if (conjunct.tail == Tail::kPad) continue;
    const auto* less = conjunct.cond.as<BinaryNode>();
    if (!less || less->op != BinaryOp::kLt || !is_fixed(func_, less->b)) return {};
    bool found = false;
    for (size_t i = 0; i < axes.size() && !found; ++i) {
      found = sizes_.can_prove_equal(less->a, realize.iter_values[i]);
      if (found) axes[i].extent = min(axes[i].extent, less->b - axes[i].min);
    }
    if (!found) return {};
  }
  return axes;
}

Expr PaddedWriters::guarded_end(const Buffer& buffer, size_t d) const {
  Expr result;
  for (const BlockRealizeNode* writer : realizes_below(body_)) {
    if (!writes(*writer->block, buffer)) continue;
    const bool guarded =
        std::any_of(writer->guard.begin(), writer->guard.end(),
                    [](const Conjunct& conjunct) { return conjunct.tail != Tail::kPad; });
    if (!guarded) continue;
    const std::optional<std::vector<Range>> axes = guarded_axes(*writer);
    arith::Analyzer facts(sizes_);
    std::vector<Var> vars;
    for (size_t i = 0; axes && i < axes->size(); ++i) {
      vars.push_back(writer->block->iter_vars[i].var);
      facts.bind(vars.back(), (*axes)[i]);
    }
    for (const Region& region : writer->block->writes) {
      if (!region.buffer.same_as(buffer)) continue;
      const Range& range = region.ranges[d];
      Expr end = make_int(kInt64, 0);
      if (axes) {
        const Expr last = facts.bounds_over(range.min + range.extent - 1, vars).max;
        if (last.defined()) end = last + 1;
      }
      result = result.defined() ? min(result, end) : end;
    }
  }
  return result;
}

}  // namespace tilewright::lower
