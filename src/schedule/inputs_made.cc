#include "schedule/inputs_made.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// The block alone in its loops from `depth` on.
Stmt lone_nest(const std::vector<const ForNode*>& loops, size_t depth,
               const BlockRealizeNode& realize) {
  Stmt stmt(&realize);
  for (size_t i = loops.size(); i-- > depth;) stmt = ir::with_body(loops[i], stmt);
  return stmt;
}

// What is read as far as the block's domain goes: guards keep it there.
std::optional<Region> domain_region(const arith::Analyzer& facts, const Block& block,
                                    const Buffer& buffer) {
  Stmt stmt;
  std::vector<Expr> values;
  std::vector<std::pair<Var, Expr>> loops;
  for (const IterVar& iter : block->iter_vars) {
    Var var(iter.var.name(), iter.var.dtype());
    values.push_back(iter.dom.min + var);
    loops.emplace_back(var, iter.dom.extent);
  }
  stmt = Stmt(new BlockRealizeNode(values, {}, block));
  for (size_t i = loops.size(); i-- > 0;) {
    stmt = make_for(-2 - static_cast<int64_t>(i), loops[i].first, loops[i].second, stmt);
  }
  return arith::accessed_region(facts, stmt, buffer, true, false);
}

// A condition on the loops that both are in may keep the writer from running where the reader does.
void require_runs(const Invocation& in, const BlockRealizeNode& writer,
                  const std::vector<const ForNode*>& writer_loops, const BlockRealizeNode& reader,
                  const std::vector<const ForNode*>& loops, size_t common) {
  for (const Conjunct& conjunct : writer.guard) {
    bool shared = false;
    VarSet shared_vars;
    for (size_t i = 0; i < common; ++i) {
      shared |= uses_var(conjunct.cond, loops[i]->var);
      shared_vars.insert(loops[i]->var);
    }
    const bool own =
        std::any_of(writer_loops.begin(), writer_loops.end(), [&](const ForNode* loop) {
          return shared_vars.count(loop->var) == 0 && uses_var(conjunct.cond, loop->var);
        });
    const bool alike = std::any_of(
        reader.guard.begin(), reader.guard.end(),
        [&](const Conjunct& other) { return structural_equal(other.cond, conjunct.cond); });
    // With loops of its own it says where the writer's domain ends.
    if (!shared || own || alike) continue;
    in.refuse("inputs_not_made", reader.block->id,
              fmt::format("{} runs only where {}, which is not said of {}", quoted(writer),
                          to_pretty(conjunct.cond), quoted(reader)),
              fmt::format("move {} after {}", quoted(writer), quoted(reader)));
  }
}

bool inside(const arith::Analyzer& facts, const Range& part, const Range& domain,
            const Range& whole, const Expr& extent) {
  const Expr zero = make_int(kInt64, 0);
  const Expr part_end = part.min + part.extent, domain_end = domain.min + domain.extent;
  const Expr whole_end = whole.min + whole.extent;
  const auto begins = [&](const Expr& low) { return facts.can_prove(low >= whole.min); };
  const auto ends = [&](const Expr& high) { return facts.can_prove(high <= whole_end); };
  const bool low = begins(part.min) || begins(domain.min) || begins(max(part.min, domain.min)) ||
                   facts.can_prove(whole.min <= zero);
  const bool high = ends(part_end) || ends(domain_end) || ends(min(part_end, domain_end)) ||
                    facts.can_prove(whole_end >= extent);
  return low && high;
}

}  // namespace

void require_inputs_made(const Invocation& in, const PrimFunc& next, int64_t block_id) {
  const Tree tree(next);
  const BlockRealizeNode* reader = tree.block(block_id);
  if (!reader) return;
  const std::vector<const ForNode*> loops = tree.loops_around(block_id);
  for (const Region& region : reader->block->reads) {
    const Buffer& buffer = region.buffer;
    if (is_param(next, buffer) || block_writes(reader->block, buffer)) continue;
    const std::vector<const BlockRealizeNode*> writers = writers_of(tree, buffer);
    if (writers.empty()) continue;
    size_t common = loops.size();
    for (const BlockRealizeNode* writer : writers) {
      const std::vector<const ForNode*> around = tree.loops_around(writer->block->id);
      size_t n = 0;
      while (n < common && n < around.size() && around[n] == loops[n]) ++n;
      common = n;
    }
    arith::Analyzer facts = in.facts({loops.begin(), loops.begin() + static_cast<int64_t>(common)});
    for (const BlockRealizeNode* writer : writers) {
      require_runs(in, *writer, tree.loops_around(writer->block->id), *reader, loops, common);
    }
    const Stmt& place = common == 0 ? next->body : loops[common - 1]->body;
    const auto made = arith::accessed_region(facts, place, buffer, false, true);
    const auto read =
        arith::accessed_region(facts, lone_nest(loops, common, *reader), buffer, true, false);
    const auto domain = domain_region(facts, reader->block, buffer);
    if (!made || !read || !domain) continue;
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      if (inside(facts, read->ranges[d], domain->ranges[d], made->ranges[d], buffer->shape[d])) {
        continue;
      }
      in.refuse("inputs_not_made", block_id,
                fmt::format("{} would read more of '{}' than {} makes by then", quoted(*reader),
                            buffer->name, quoted(*writers.front())),
                fmt::format("move {} after {}, or choose a loop further out",
                            quoted(*writers.front()), quoted(*reader)));
    }
  }
}

namespace {

// Sums of loop variables, each in one dimension only, whose steps leave no gaps.
bool sums_fill_box(const arith::Analyzer& facts, const std::vector<const ForNode*>& loops,
                   const std::vector<Expr>& values) {
  std::vector<const Node*> seen;
  for (const Expr& value : values) {
    std::vector<std::pair<int64_t, Expr>> steps;
    for (const auto& [term, factor] : facts.linear_form(value).terms) {
      const auto loop = std::find_if(loops.begin(), loops.end(), [&, t = term](const ForNode* l) {
        return uses_var(t, l->var);
      });
      if (loop == loops.end()) continue;  // the same in every iteration
      if (term.get() != (*loop)->var.get() || factor <= 0) return false;
      if (std::find(seen.begin(), seen.end(), term.get()) != seen.end()) return false;
      seen.push_back(term.get());
      steps.emplace_back(factor, (*loop)->extent);
    }
    std::sort(steps.begin(), steps.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Expr reach = make_int(kInt64, 1);  // values from 0 on without a gap
    for (const auto& [factor, extent] : steps) {
      const Expr step = make_int(kInt64, factor);
      if (!facts.can_prove(step <= reach)) return false;
      reach = reach + step * (extent - 1);
    }
  }
  return true;
}

// Guards that only keep the block in its domain cut nothing out of a box.
bool guards_are_domain(const arith::Analyzer& outer, const BlockRealizeNode& realize) {
  arith::Analyzer facts(outer);
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    const Range& dom = realize.block->iter_vars[i].dom;
    facts.assume(realize.iter_values[i] >= dom.min);
    facts.assume(realize.iter_values[i] < dom.min + dom.extent);
  }
  return std::all_of(realize.guard.begin(), realize.guard.end(),
                     [&](const Conjunct& c) { return facts.can_prove(c.cond); });
}

}  // namespace

bool writes_fill_box(const Invocation& in, const Stmt& scope, const Buffer& buffer) {
  const arith::Analyzer outside = in.facts();
  const auto made = arith::accessed_region(outside, scope, buffer, false, true);
  for (const BlockRealizeNode* writer : writers_of(in.tree, buffer)) {
    if (!made || !contains_block(scope, writer->block->id)) continue;
    const std::vector<const ForNode*> loops = in.tree.loops_around(writer->block->id);
    const arith::Analyzer facts = in.facts(loops);
    VarMap map;
    for (size_t i = 0; i < writer->iter_values.size(); ++i) {
      map[writer->block->iter_vars[i].var] = writer->iter_values[i];
    }
    std::vector<Expr> values, sizes;
    for (const Region& region : writer->block->writes) {
      if (!region.buffer.same_as(buffer)) continue;
      for (size_t d = 0; d < region.ranges.size(); ++d) {
        const Range& range = made->ranges[d];
        values.push_back(facts.simplify(substitute(region.ranges[d].min, map) - range.min));
        sizes.push_back(outside.simplify(min(range.extent, buffer->shape[d] - range.min)));
      }
    }
    if (!writer->block->where.defined() || writer->block->reducer) {
      if (guards_are_domain(facts, *writer) && sums_fill_box(facts, loops, values)) return true;
    }
    std::vector<std::pair<Var, Expr>> extents;
    for (const ForNode* loop : loops) {
      const bool used = std::any_of(values.begin(), values.end(),
                                    [&](const Expr& value) { return uses_var(value, loop->var); });
      if (used) extents.emplace_back(loop->var, loop->extent);
    }
    Expr guard = make_bool(true);
    for (const Conjunct& conjunct : writer->guard) {
      guard = is_const_int(guard, 1) ? conjunct.cond : guard && conjunct.cond;
    }
    if (arith::analyze_map(facts, extents, values, sizes, guard).covers.value_or(false))
      return true;
  }
  return false;
}

}  // namespace tilewright::schedule
