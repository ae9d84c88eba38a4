#include <algorithm>

#include "lower/cut_tails.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/lower/tail_check.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

namespace {

bool has_tail(const PrimFunc& func, std::initializer_list<Tail> tails) {
  bool found = false;
  walk_stmts(func->body, [&](const Stmt& s) {
    const auto* realize = s.as<BlockRealizeNode>();
    if (!realize) return;
    for (const Conjunct& c : realize->guard) {
      found |= std::find(tails.begin(), tails.end(), c.tail) != tails.end();
    }
  });
  return found;
}

}  // namespace

bool has_proved_tails(const PrimFunc& func) {
  return has_tail(func, {Tail::kPad, Tail::kBalanced, Tail::kShiftInwards});
}

void require_tails(const PrimFunc& func) {
  const PrimFunc placed = with_placed_inits(func);
  TailState state{placed->allocs, next_free_id(placed)};
  Stmt body = pad_tails(placed, placed->body, state);
  if (has_tail(func, {Tail::kBalanced, Tail::kShiftInwards})) CutTails(placed, state).mutate(body);
}

bool identity_is_neutral(const ReducerNode& reducer) {
  if (reducer.associative && reducer.commutative) return true;
  const arith::Analyzer analyzer;
  VarMap map;
  for (size_t i = 0; i < reducer.arity(); ++i) map[reducer.rhs[i]] = reducer.identity[i];
  for (size_t j = 0; j < reducer.arity(); ++j) {
    if (!analyzer.simplify(substitute(reducer.results[j], map)).same_as(reducer.lhs[j])) {
      return false;
    }
  }
  return true;
}

}  // namespace tilewright::lower
