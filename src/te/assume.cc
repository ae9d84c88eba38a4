#include "tilewright/te/assume.h"

#include "te/checks.h"
#include "tilewright/ir/ops.h"

namespace tilewright::te {

Expr assume(Expr condition) {
  detail::check_assumption(condition);
  return condition;
}

Expr assume(Expr value, Expr begin, Expr end) {
  for (const Expr& e : {value, begin, end}) {
    if (!e.defined()) fail("te.null_expr", "assume is given a null expression");
  }
  arith::Analyzer facts;
  detail::bind_sizes(facts, begin + end);
  if (facts.can_prove(end <= begin)) {
    fail("te.bad_assumption", "assume: no value lies in {} <= value < {}", detail::shown(begin),
         detail::shown(end));
  }
  return ir::call(ir::Intrinsic::kAssumeRange,
                  {std::move(value), std::move(begin), std::move(end)});
}

}  // namespace tilewright::te
