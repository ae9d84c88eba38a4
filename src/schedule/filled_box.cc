#include "schedule/filled_box.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {

using namespace ir;

Stmt lone_nest(const std::vector<const ForNode*>& loops, size_t depth,
               const BlockRealizeNode& realize) {
  Stmt stmt(&realize);
  for (size_t i = loops.size(); i-- > depth;) stmt = ir::with_body(loops[i], stmt);
  return stmt;
}

namespace {

// One dimension of what a nest writes: a sum of loop variables without gaps on top of a base, which may move with one
// more loop as long as neighbouring positions touch (a sliding window).
class FilledDimension {
 public:
  FilledDimension(const arith::Analyzer& facts, const std::vector<const ForNode*>& loops,
                  std::vector<const Node*>& seen)
      : facts_(facts), loops_(loops), seen_(seen) {}

  bool fills(const Expr& value) {
    std::vector<std::pair<int64_t, Expr>> steps;
    Expr base = make_int(kInt64, 0);
    for (const auto& [term, factor] : facts_.linear_form(value).terms) {
      const ForNode* loop = loop_in(term);
      if (loop && term.get() == loop->var.get() && factor > 0 && !is_mover(value, loop)) {
        if (!first_use(loop)) return false;
        steps.emplace_back(factor, loop->extent);
      } else {
        base = base + term * make_int(kInt64, factor);
      }
    }
    std::sort(steps.begin(), steps.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Expr last = make_int(kInt64, 0);  // values from 0 to this one without a gap
    for (const auto& [factor, extent] : steps) {
      const Expr step = make_int(kInt64, factor);
      if (!facts_.can_prove(step <= last + 1)) return false;
      last = last + step * (extent - 1);
    }
    return touches(base, last);
  }

 private:
  const ForNode* loop_in(const Expr& expr) const {
    const auto found = std::find_if(loops_.begin(), loops_.end(),
                                    [&](const ForNode* loop) { return uses_var(expr, loop->var); });
    return found == loops_.end() ? nullptr : *found;
  }
  // Occurs the loop inside of a term as well? Then it moves the base.
  bool is_mover(const Expr& value, const ForNode* loop) const {
    for (const auto& [term, factor] : facts_.linear_form(value).terms) {
      if (term.get() != loop->var.get() && uses_var(term, loop->var)) return true;
    }
    return std::any_of(loops_.begin(), loops_.end(), [&](const ForNode* other) {
      return uses_var(value, other->var) && uses_var(other->extent, loop->var);
    });
  }
  bool first_use(const ForNode* loop) {
    if (std::find(seen_.begin(), seen_.end(), loop->var.get()) != seen_.end()) return false;
    seen_.push_back(loop->var.get());
    return true;
  }
  bool touches(const Expr& base, const Expr& last) {
    const ForNode* mover = nullptr;
    for (const ForNode* loop : loops_) {
      if (!uses_var(base, loop->var) && !uses_var(last, loop->var)) continue;
      if (mover || !first_use(loop)) return false;
      mover = loop;
    }
    if (!mover) return true;
    arith::Analyzer facts(facts_);
    const Expr next = mover->var + make_int(mover->var.dtype(), 1);
    facts.assume(next < mover->extent);
    const Expr next_base = substitute(base, {{mover->var, next}});
    const Expr next_last = substitute(last, {{mover->var, next}});
    return facts.can_prove(next_base <= base + last + 1) &&
           facts.can_prove(base <= next_base + next_last + 1);
  }

  const arith::Analyzer& facts_;
  const std::vector<const ForNode*>& loops_;
  std::vector<const Node*>& seen_;  // a loop in two dimensions writes a diagonal
};

bool sums_fill_box(const arith::Analyzer& facts, const std::vector<const ForNode*>& loops,
                   const std::vector<Expr>& values) {
  std::vector<const Node*> seen;
  return std::all_of(values.begin(), values.end(), [&](const Expr& value) {
    return FilledDimension(facts, loops, seen).fills(value);
  });
}

// Guards that only keep the block in its domain cut nothing out of a box.
bool guards_are_domain(const arith::Analyzer& outer, const BlockRealizeNode& realize,
                       const std::vector<const ForNode*>& loops) {
  const arith::Analyzer domain = facts_in_domain(outer, realize);
  return std::all_of(realize.guard.begin(), realize.guard.end(), [&](const Conjunct& c) {
    const bool inside = std::any_of(loops.begin(), loops.end(), [&](const ForNode* loop) {
      return uses_var(c.cond, loop->var);
    });
    if (!inside || domain.can_prove(c.cond)) return true;
    // A condition on the outer one of two loops of an axis: where the axis is in its domain, so is its least value.
    arith::Analyzer facts(domain);
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      arith::LinearForm least = facts.linear_form(realize.iter_values[i]);
      const size_t terms = least.terms.size();
      std::erase_if(least.terms, [&](const auto& term) {
        return term.second > 0 && std::any_of(loops.begin(), loops.end(), [&](const auto* loop) {
                 return loop->var.same_as(term.first) && !uses_var(c.cond, loop->var);
               });
      });
      if (least.terms.size() == terms) continue;
      const Range& dom = realize.block->iter_vars[i].dom;
      facts.assume(arith::from_linear_form(least) < dom.min + dom.extent);
    }
    return facts.can_prove(c.cond);
  });
}

// What the guards leave is the block's domain, which need not reach as far as the values of the loops do: a block made
// of a nest has no more of it than the nest had iterations.
bool domain_covers(const arith::Analyzer& outside, const BlockRealizeNode& realize,
                   const Region& made) {
  if (realize.guard.empty()) return true;
  arith::Analyzer facts(outside);
  std::vector<Var> vars;
  for (const IterVar& iter : realize.block->iter_vars) {
    facts.bind(iter.var, iter.dom);
    vars.push_back(iter.var);
  }
  for (const Region& region : realize.block->writes) {
    if (!region.buffer.same_as(made.buffer)) continue;
    for (size_t d = 0; d < region.ranges.size(); ++d) {
      const Range &range = region.ranges[d], &all = made.ranges[d];
      const arith::SymbolicInterval first = facts.bounds_over(range.min, vars),
                                    last = facts.bounds_over(range.min + range.extent - 1, vars);
      const Expr end = min(all.min + all.extent, made.buffer->shape[d]);
      if (!first.min.defined() || !last.max.defined() ||
          !outside.can_prove(first.min <= max(all.min, make_int(kInt64, 0))) ||
          !outside.can_prove(last.max + 1 >= end)) {
        return false;
      }
    }
  }
  return true;
}

// Whether the writer, in its loops from `depth` on, fills `made` without holes.
bool fills(const Invocation& in, const BlockRealizeNode& writer,
           const std::vector<const ForNode*>& all_loops, size_t depth, const Region& made) {
  const arith::Analyzer facts = in.facts(all_loops);
  const auto outer_end = all_loops.begin() + static_cast<int64_t>(depth);
  const arith::Analyzer outside = in.facts({all_loops.begin(), outer_end});
  const auto own = arith::accessed_region(outside, lone_nest(all_loops, depth, writer), made.buffer,
                                          false, true);
  for (size_t d = 0; d < made.ranges.size(); ++d) {
    const Range& all = made.ranges[d];  // beyond the buffer there is nothing to fill
    const Expr begin = max(all.min, make_int(kInt64, 0)),
               end = min(all.min + all.extent, made.buffer->shape[d]);
    if (!own || !outside.can_prove(own->ranges[d].min <= begin) ||
        !outside.can_prove(own->ranges[d].min + own->ranges[d].extent >= end)) {
      return false;
    }
  }
  const std::vector<const ForNode*> loops(outer_end, all_loops.end());
  VarMap map;
  for (size_t i = 0; i < writer.iter_values.size(); ++i) {
    map[writer.block->iter_vars[i].var] = writer.iter_values[i];
  }
  std::vector<Expr> values, sizes;
  for (const Region& region : writer.block->writes) {
    if (!region.buffer.same_as(made.buffer)) continue;
    for (size_t d = 0; d < region.ranges.size(); ++d) {
      const Range& range = made.ranges[d];
      values.push_back(facts.simplify(substitute(region.ranges[d].min, map) - range.min));
      sizes.push_back(outside.simplify(min(range.extent, made.buffer->shape[d] - range.min)));
    }
  }
  // A loop that only repeats the nest must run; one that counts elements leaves none where it does not.
  for (const ForNode* loop : loops) {
    const bool counts = std::any_of(values.begin(), values.end(),
                                    [&](const Expr& value) { return uses_var(value, loop->var); });
    const bool reduces = feeds(loop->var, writer).reduce;  // its init runs all the same
    if (counts || reduces) continue;
    if (!outside.can_prove(loop->extent >= make_int(loop->extent.dtype(), 1))) return false;
  }
  // A masked block leaves elements out; a masked reduction has its init everywhere.
  if (writer.block->where.defined() && !writer.block->reducer) return false;
  if (guards_are_domain(facts, writer, loops) && domain_covers(outside, writer, made) &&
      sums_fill_box(facts, loops, values)) {
    return true;
  }
  std::vector<std::pair<Var, Expr>> extents;
  for (const ForNode* loop : loops) {
    const bool used = std::any_of(values.begin(), values.end(),
                                  [&](const Expr& value) { return uses_var(value, loop->var); });
    if (used) extents.emplace_back(loop->var, loop->extent);
  }
  Expr guard = make_bool(true);
  for (const Conjunct& conjunct : writer.guard) {
    guard = is_const_int(guard, 1) ? conjunct.cond : guard && conjunct.cond;
  }
  return arith::analyze_map(facts, extents, values, sizes, guard).covers.value_or(false);
}

}  // namespace

bool fill_together(const Invocation& in, const Tree& tree,
                   const std::vector<const BlockRealizeNode*>& writers, size_t depth,
                   const Region& made, const std::vector<Expr>& known) {
  const auto loops_of = [&](const BlockRealizeNode* w) { return tree.loops_around(w->block->id); };
  // Those that fill the box by themselves, for whatever sizes they run: together for all?
  arith::Analyzer missed = in.facts();
  for (const Expr& condition : known) missed.assume(condition);
  for (const BlockRealizeNode* writer : writers) {
    if (!fills(in, *writer, loops_of(writer), depth, made)) continue;
    Expr runs = make_bool(true);
    for (const Expr& condition : tree.conditions_around(writer->block->id)) {
      if (!missed.can_prove(condition))
        runs = is_const_int(runs, 1) ? condition : runs && condition;
    }
    if (is_const_int(runs, 1)) return true;
    missed.assume(missed.simplify(!runs));
  }
  if (writers.size() < 2) return false;
  const std::vector<const ForNode*> first = loops_of(writers[0]);
  const arith::Analyzer facts =
      in.facts({first.begin(), first.begin() + static_cast<int64_t>(depth)});
  std::vector<Region> parts;
  for (const BlockRealizeNode* writer : writers) {
    const std::vector<const ForNode*> loops = loops_of(writer);
    const auto own =
        arith::accessed_region(facts, lone_nest(loops, depth, *writer), made.buffer, false, true);
    const std::vector<Expr>& conditions = tree.conditions_around(writer->block->id);
    const bool runs = std::all_of(conditions.begin(), conditions.end(), [&](const Expr& condition) {
      return missed.can_prove(condition);
    });
    if (!own || !runs || !fills(in, *writer, loops, depth, *own)) {
      return false;
    }
    parts.push_back(*own);
  }
  const auto end = [](const Range& range) { return range.min + range.extent; };
  const auto in_line = [&](size_t d) {
    bool line = facts.can_prove(parts.front().ranges[d].min <= made.ranges[d].min) &&
                facts.can_prove(end(parts.back().ranges[d]) >= end(made.ranges[d]));
    for (size_t p = 0; line && p < parts.size(); ++p) {
      for (size_t other = 0; line && other < made.ranges.size(); ++other) {
        const Range &part = parts[p].ranges[other], &whole = made.ranges[other];
        line = other == d ||
               (facts.can_prove(part.min <= whole.min) && facts.can_prove(end(part) >= end(whole)));
      }
      line = line &&
             (p == 0 || facts.can_prove(parts[p].ranges[d].min <= end(parts[p - 1].ranges[d])));
    }
    return line;
  };
  for (size_t d = 0; d < made.ranges.size(); ++d) {
    if (in_line(d)) return true;
  }
  return false;
}

bool writes_fill_box(const Invocation& in, const Stmt& scope, const Region& made) {
  std::vector<const BlockRealizeNode*> writers = writers_of(in.tree, made.buffer);
  std::erase_if(writers,
                [&](const auto* writer) { return !contains_block(scope, writer->block->id); });
  return fill_together(in, in.tree, writers, 0, made, {});
}

Stmt before(const Invocation& in, const Stmt& home) {
  std::vector<Stmt> stmts;
  for (const Stmt& child : children_of(in.func->body)) {
    if (child.get() == home.get()) break;
    stmts.push_back(child);
  }
  return Stmt(new SeqNode(std::move(stmts)));
}

bool holds_callers_data(const PrimFunc& func, const Buffer& buffer) {
  return std::any_of(func->params.begin(), func->params.end(), [&](const Param& param) {
    return param.buffer.same_as(buffer) && param.role != ParamRole::kOutput;
  });
}

std::optional<Region> require_filled_box(const Invocation& in, const BlockRealizeNode& at,
                                         const Stmt& scope, const Buffer& source) {
  std::optional<Region> written =
      arith::accessed_region(in.facts(), scope, source, /*reads=*/false, /*writes=*/true);
  if (is_param(in.func, source)) {
    if (holds_callers_data(in.func, source)) return {};
    if (scope.as<SeqNode>() || writers_of(in.tree, source).empty()) return written;
  }
  if (written && writes_fill_box(in, scope, *written)) return written;
  in.refuse("shared_loops", at.block->id,
            fmt::format("it is not proved that the blocks that make '{}' leave no holes in it, and "
                        "a copy would read those",
                        source->name),
            "do this before compute_at");
}

Expr written_part(const Invocation& in, const Region& written, const std::vector<Expr>& at) {
  const arith::Analyzer facts = in.facts();
  Expr inside;
  const auto require = [&](const Expr& cond) { inside = inside.defined() ? inside && cond : cond; };
  for (size_t d = 0; d < at.size(); ++d) {
    const Range& range = written.ranges[d];
    const Expr end = range.min + range.extent;
    if (!facts.can_prove(range.min <= make_int(kInt64, 0))) require(at[d] >= range.min);
    if (!facts.can_prove(end >= written.buffer->shape[d])) require(at[d] < end);
  }
  return inside;
}

Expr load_where(const Buffer& buffer, const std::vector<Expr>& at, const Expr& inside) {
  const Expr value = load(buffer, at);
  return inside.defined() ? if_then_else(inside, value, make_zero(buffer->dtype)) : value;
}

}  // namespace tilewright::schedule
