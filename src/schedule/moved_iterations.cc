#include "schedule/moved_iterations.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

bool guarded_over(const BlockRealizeNode& writer, const Var& var) {
  return std::any_of(writer.guard.begin(), writer.guard.end(),
                     [&](const Conjunct& conjunct) { return uses_var(conjunct.cond, var); });
}

// Does what one iteration makes depend on a loop of the condition?
bool moves_with(const MovedBlock& m, const Produced& made, const Expr& cond) {
  for (const ForNode* outer : m.outer) {
    if (!uses_var(cond, outer->var)) continue;
    for (const Range& range : made.ranges) {
      if (uses_var(range.min, outer->var)) return true;
    }
  }
  return false;
}

// A condition of `b` on the loops around that may be false where `a` makes an element for the consumer; conditions
// on other loops than those of `a` leave it an iteration.
const Conjunct* not_implied(const MovedBlock& m, const Produced& a, const Produced& b) {
  arith::Analyzer facts = facts_in_domain(facts_in_domain(m.facts, *a.writer), m.placed);
  for (const Conjunct& conjunct : a.writer->guard) facts.assume(conjunct.cond);
  for (const Conjunct& conjunct : b.writer->guard) {
    if (over_own_loops(m.in, m.outer, *b.writer, conjunct.cond)) continue;
    const bool same =
        std::any_of(a.writer->guard.begin(), a.writer->guard.end(),
                    [&](const Conjunct& own) { return structural_equal(own.cond, conjunct.cond); });
    if (same || facts.can_prove(conjunct.cond)) continue;
    const bool met = std::any_of(m.outer.begin(), m.outer.end(), [&](const ForNode* outer) {
      return uses_var(conjunct.cond, outer->var) && guarded_over(*a.writer, outer->var);
    });
    if (met || moves_with(m, a, conjunct.cond)) return &conjunct;
  }
  return nullptr;
}

// Another block inside the loop that touches what the consumer makes.
const BlockRealizeNode* partner_under(const MovedBlock& m, const ForNode& loop) {
  for (const BlockRealizeNode* other : m.in.tree.blocks_under(loop.id)) {
    if (other == &m.old) continue;
    for (const Buffer& buffer : written_buffers(m.old.block)) {
      if (block_reads(other->block, buffer) || block_writes(other->block, buffer)) return other;
    }
  }
  return nullptr;
}

}  // namespace

bool over_own_loops(const Invocation& in, const std::vector<const ForNode*>& outer,
                    const BlockRealizeNode& writer, const Expr& cond) {
  const std::vector<const ForNode*> path = in.tree.loops_around(writer.block->id);
  return std::any_of(path.begin() + static_cast<int64_t>(outer.size()), path.end(),
                     [&](const ForNode* inner) { return uses_var(cond, inner->var); });
}

void require_common_iterations(const MovedBlock& m) {
  for (const Produced& a : m.produced) {
    for (const Produced& b : m.produced) {
      if (&a == &b) continue;
      const Conjunct* missed = not_implied(m, a, b);
      if (!missed || (!moves_with(m, a, missed->cond) && !not_implied(m, b, a))) continue;
      m.in.refuse("guard", b.writer->block->id,
                  fmt::format("the condition {} of {} does not hold in each iteration of {} in "
                              "which {} runs",
                              to_pretty(missed->cond), quoted(*b.writer), quoted(*m.outer.back()),
                              quoted(*a.writer)),
                  "do this before the step that made the condition, such as software_pipeline");
    }
  }
}

void require_same_iterations(const MovedBlock& m) {
  std::vector<const ForNode*> old = m.in.tree.loops_around(m.old.block->id);
  size_t shared = 0;
  while (shared < old.size() && shared < m.outer.size() && old[shared] == m.outer[shared]) ++shared;
  const BlockRealizeNode* partner = nullptr;
  while (shared > 0 && !(partner = partner_under(m, *old[shared - 1]))) --shared;
  if (!partner) return;
  arith::Analyzer before = m.in.facts(old), after(m.facts);
  std::vector<Var> own, ahead;
  for (size_t i = shared; i < old.size(); ++i) own.push_back(old[i]->var);
  for (size_t i = shared; i < m.outer.size(); ++i) ahead.push_back(m.outer[i]->var);
  for (const NestLoop& loop : m.own) {
    after.bind_extent(loop.var, loop.extent);
    ahead.push_back(loop.var);
  }
  for (size_t i = 0; i < m.placed.iter_values.size(); ++i) {
    const arith::SymbolicInterval was = before.bounds_over(m.old.iter_values[i], own),
                                  is = after.bounds_over(m.placed.iter_values[i], ahead);
    const Range& dom = m.old.block->iter_vars[i].dom;
    const Expr last = dom.min + dom.extent - 1;
    const bool known =
        was.min.defined() && was.max.defined() && is.min.defined() && is.max.defined();
    if (known && m.facts.can_prove_equal(was.min, is.min) &&
        m.facts.can_prove_equal(min(was.max, last), min(is.max, last))) {
      continue;
    }
    m.in.refuse("order", partner->block->id,
                fmt::format("{} works with what {} makes in the same iteration of {}, and there "
                            "it would make axis '{}' in other iterations",
                            quoted(*partner), quoted(m.old), quoted(*old[shared - 1]),
                            m.old.block->iter_vars[i].var.name()),
                "do this before the step that set them apart, such as software_pipeline");
  }
}

}  // namespace tilewright::schedule
