#include "random_index.h"

#include <algorithm>

namespace tilewright::testing {

using namespace ir;

namespace {

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t apply(BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSub: return a - b;
    case BinaryOp::kMul: return a * b;
    case BinaryOp::kFloorDiv: return floor_quotient(a, b);
    case BinaryOp::kFloorMod: return b == 0 ? 0 : a - b * floor_quotient(a, b);
    case BinaryOp::kTruncDiv: return b == 0 ? 0 : a / b;
    case BinaryOp::kTruncMod: return b == 0 ? 0 : a % b;
    case BinaryOp::kMin: return std::min(a, b);
    case BinaryOp::kMax: return std::max(a, b);
    case BinaryOp::kAnd: return a && b;
    case BinaryOp::kOr: return a || b;
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kGt: return a > b;
    case BinaryOp::kGe: return a >= b;
    default: throw InternalError("random_index: operation without evaluation");
  }
}

}  // namespace

int64_t evaluate(const Expr& expr, const Values& values) {
  if (auto* imm = expr.as<IntImmNode>()) return imm->value;
  if (expr.as<VarNode>()) return values.at(expr.get());
  if (auto* node = expr.as<CastNode>()) return evaluate(node->value, values);
  if (auto* node = expr.as<UnaryNode>()) {
    int64_t a = evaluate(node->a, values);
    return node->op == UnaryOp::kNeg ? -a : !a;
  }
  if (auto* node = expr.as<BinaryNode>()) {
    return apply(node->op, evaluate(node->a, values), evaluate(node->b, values));
  }
  if (auto* node = expr.as<SelectNode>()) {
    return evaluate(evaluate(node->condition, values) ? node->true_value : node->false_value,
                    values);
  }
  if (auto* node = expr.as<IfThenElseNode>()) {
    return evaluate(evaluate(node->condition, values) ? node->true_value : node->false_value,
                    values);
  }
  throw InternalError("random_index: expression without evaluation");
}

int64_t RandomIndex::constant() {
  constexpr int64_t kUsual[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 64};
  int64_t value = kUsual[rng_.below(std::size(kUsual))];
  return rng_.below(4) == 0 ? -value : value;
}

int64_t RandomIndex::divisor() {
  constexpr int64_t kUsual[] = {2, 3, 4, 5, 6, 7, 8, 16, 32, 64};
  int64_t value = kUsual[rng_.below(std::size(kUsual))];
  return rng_.below(10) == 0 ? -value : value;
}

Expr RandomIndex::leaf() {
  if (rng_.below(4) == 0) return make_int(kInt64, constant());
  return vars_[rng_.below(vars_.size())].var;
}

Expr RandomIndex::index(int depth) {
  if (depth <= 0 || rng_.below(8) == 0) return leaf();
  auto sub = [&] { return index(depth - 1); };
  switch (rng_.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: return sub() + sub();
    case 4:
    case 5: return sub() - sub();
    case 6:
    case 7: return sub() * make_int(kInt64, constant());
    case 8:
    case 9: return floor_div(sub(), make_int(kInt64, divisor()));
    case 10:
    case 11: return floor_mod(sub(), make_int(kInt64, divisor()));
    case 12: return rng_.below(2) ? min(sub(), sub()) : max(sub(), sub());
    case 13: return select(condition(depth - 1), sub(), sub());
    case 14:
      return rng_.below(2) ? trunc_div(sub(), make_int(kInt64, divisor()))
                           : trunc_mod(sub(), make_int(kInt64, divisor()));
    default:
      switch (rng_.below(3)) {
        case 0: return leaf() * leaf();
        case 1: return floor_div(sub(), vars_[rng_.below(vars_.size())].var);
        default: return floor_mod(sub(), vars_[rng_.below(vars_.size())].var);
      }
  }
}

Expr RandomIndex::condition(int depth) {
  auto sub = [&] { return index(depth - 1); };
  switch (rng_.below(depth > 1 ? 10 : 6)) {
    case 0: return sub() < sub();
    case 1: return sub() <= sub();
    case 2: return sub() > sub();
    case 3: return sub() >= sub();
    case 4: return sub() == sub();
    case 5: return sub() != sub();
    case 6: return !condition(depth - 1);
    case 7: return condition(depth - 1) || condition(depth - 1);
    default: return condition(depth - 1) && condition(depth - 1);
  }
}

Values RandomIndex::values() {
  Values result;
  for (const RandomVar& v : vars_) result[v.var.get()] = rng_.between(v.low, v.low + v.extent - 1);
  return result;
}

std::vector<RandomVar> random_vars(Rng& rng) {
  constexpr int64_t kExtents[] = {1, 2, 3, 4, 5, 8, 16, 32, 64, 100, 1000};
  std::vector<RandomVar> vars;
  for (uint64_t i = 0, n = 1 + rng.below(5); i < n; ++i) {
    int64_t low = rng.below(3) == 0 ? rng.between(-20, 20) : 0;
    vars.push_back({Var("v" + std::to_string(i)), low, kExtents[rng.below(std::size(kExtents))]});
  }
  return vars;
}

}  // namespace tilewright::testing
