#include <algorithm>

#include "lower/cut_tails.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/tail_check.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

Stmt CutTails::shift_inwards(const ForNode& loop,
                             const std::vector<const BlockRealizeNode*>& blocks) {
  for (const BlockRealizeNode* block : blocks) {
    if (has_fault(Fault::shift_inwards_on_reductions)) break;
    if (block->block->reducer && uses_loop(*block, loop) && !is_private(*block, loop)) {
      fail("lower.shift_inwards",
           "the last tile of loop {} can't be moved inwards: block '{}' is a reduction and would "
           "add some points twice; use tail guard, peel or pad",
           describe_loop(loop), block->block->name);
    }
  }
  for (const BlockRealizeNode* block : blocks) {
    for (const Conjunct& c : block->guard) {
      if (c.tail != Tail::kShiftInwards || !leads(loop, c)) continue;
      // The tile moves for all blocks in the loop: all must end where this one does.
      const bool all_end = std::all_of(blocks.begin(), blocks.end(), [&](const auto* other) {
        return !uses_loop(*other, loop) || is_private(*other, loop) ||
               is_guarded_by(*other, c.cond);
      });
      if (!all_end || (is_private(*block, loop) && blocks.size() > 1)) continue;
      auto slack = slack_of(analyzer_, c.cond);
      auto step = slack ? coefficient_of(*slack, loop.var) : std::nullopt;
      if (!step || *step >= 0) continue;
      // A producer in the tile may be indexed from the tile's start alone, which then is no multiple any more.
      if (!keeps_tiles(analyzer_, loop, *slack)) continue;
      const int64_t factor = -*step;
      // slack = limit - factor * o - inner: the tile may start anywhere up to least - 1.
      arith::LinearForm rest = *slack;
      std::erase_if(rest.terms, [&](const auto& t) { return t.first.get() == loop.var.get(); });
      const auto [least, most] = inner_bounds(arith::from_linear_form(rest), loop.body);
      if (!least.defined() || uses_var(least, loop.var) || !analyzer_.can_prove(least >= 1)) {
        fail("lower.shift_inwards",
             "the last tile of loop {} can't be moved inwards: it is not proved that one whole "
             "tile of {} fits; add an assumption on the size or use tail guard",
             describe_loop(loop), factor);
      }
      // A tile that was cut again may be shorter than its loops tell: the last one must reach the end.
      if (!most.defined() || !analyzer_.can_prove(most - least < make_int(kInt64, factor))) {
        return with_body(&loop, demoted(loop.body, loop));
      }
      Expr start = min(loop.var * make_int(kInt64, factor), analyzer_.simplify(least - 1));
      Stmt body = change_guards(loop.body, [&](const BlockRealizeNode&, const Conjunct& other) {
        return structural_equal(other.cond, c.cond) ? std::nullopt : std::optional(other);
      });
      Stmt cut = with_body(&loop, body);
      return with_body(
          &loop, move_tile(analyzer_, *cut.as<ForNode>(), factor, start, "lower.shift_inwards"));
    }
  }
  return with_body(&loop, demoted(loop.body, loop));
}

}  // namespace tilewright::lower
