#include <cmath>
#include <optional>

#include "te/checks.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/rng.h"

namespace tilewright::te::detail {
namespace {

constexpr int kTriples = 128;

using Tuple = std::vector<Expr>;

// Rebuilds what it changes through the folding constructors, so closed expressions become constants.
class Fold : public ir::Mutator {
 public:
  explicit Fold(ir::VarMap map) : map_(std::move(map)) {}

 protected:
  using Mutator::mutate_node;
  Expr mutate_node(const ir::VarNode&, const Expr& self) override {
    const auto found = map_.find(self);
    return found == map_.end() ? self : found->second;
  }
  Expr mutate_node(const ir::BinaryNode& node, const Expr&) override {
    return ir::binary(node.op, mutate(node.a), mutate(node.b));
  }
  Expr mutate_node(const ir::UnaryNode& node, const Expr&) override {
    return ir::unary(node.op, mutate(node.a));
  }
  Expr mutate_node(const ir::CastNode& node, const Expr&) override {
    return ir::cast(node.dtype, mutate(node.value));
  }
  Expr mutate_node(const ir::SelectNode& node, const Expr&) override {
    return ir::select(mutate(node.condition), mutate(node.true_value), mutate(node.false_value));
  }
  Expr mutate_node(const ir::IfThenElseNode& node, const Expr&) override {
    return ir::if_then_else(mutate(node.condition), mutate(node.true_value),
                            mutate(node.false_value));
  }
  Expr mutate_node(const ir::CallNode& node, const Expr& self) override {
    std::vector<Expr> args;
    for (const Expr& arg : node.args) args.push_back(mutate(arg));
    return node.intrinsic == ir::Intrinsic::kBitcast ? mutate_children(node, self)
                                                     : ir::call(node.intrinsic, std::move(args));
  }
  Expr mutate_node(const ir::LetNode& node, const Expr&) override {
    map_[node.var] = mutate(node.value);
    return mutate(node.body);
  }

 private:
  ir::VarMap map_;
};

// Null when the result is no constant (an unfoldable function, a division by zero).
std::optional<Tuple> combine(const ir::Reducer& reducer, const Tuple& a, const Tuple& b) {
  ir::VarMap map;
  for (size_t v = 0; v < reducer->arity(); ++v) {
    map[reducer->lhs[v]] = a[v];
    map[reducer->rhs[v]] = b[v];
  }
  Tuple result;
  try {
    for (const Expr& e : reducer->results) {
      result.push_back(Fold(map).mutate(e));
      if (!ir::is_literal(result.back())) return std::nullopt;
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return result;
}

Expr random_value(Rng& rng, DType dtype, bool small) {
  if (dtype.is_bool()) return ir::make_int(dtype, static_cast<int64_t>(rng.below(2)));
  const int64_t low = dtype.is_uint() ? 0 : -8;
  if (small) return ir::make_const(dtype, static_cast<double>(rng.between(low, 8)));
  if (dtype.is_float()) return ir::make_float(dtype, static_cast<double>(rng.between(-100, 100)));
  return ir::make_int(dtype, static_cast<int64_t>(rng.next()));
}

double as_double(const Expr& e) {
  if (const auto* imm = e.as<ir::FloatImmNode>()) return imm->value;
  return static_cast<double>(e.as<ir::IntImmNode>()->value);
}

// Integers exactly; floats up to rounding. Non-finite values prove nothing.
bool agree(const Tuple& a, const Tuple& b, double scale) {
  for (size_t v = 0; v < a.size(); ++v) {
    if (const auto* x = a[v].as<ir::IntImmNode>()) {
      if (x->value != b[v].as<ir::IntImmNode>()->value) return false;
      continue;
    }
    const double x = as_double(a[v]), y = as_double(b[v]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const double tolerance = a[v].dtype().bits <= 16 ? 0.05 : 1e-4;
    if (std::abs(x - y) > tolerance * std::max({scale, std::abs(x), std::abs(y)})) return false;
  }
  return true;
}

std::string text(const Tuple& t) {
  if (t.size() == 1) return shown(t[0]);
  std::string result = "(";
  for (size_t v = 0; v < t.size(); ++v) result += (v ? ", " : "") + shown(t[v]);
  return result + ")";
}

void grow(double& scale, const std::optional<Tuple>& t) {
  if (!t) return;
  for (const Expr& e : *t) {
    const double value = std::abs(as_double(e));
    if (e.dtype().is_float() && std::isfinite(value)) scale = std::max(scale, value);
  }
}

void attack_associativity(const ir::Reducer& r, const Tuple& a, const Tuple& b, const Tuple& c) {
  const auto ab = combine(r, a, b), bc = combine(r, b, c);
  if (!ab || !bc) return;
  const auto left = combine(r, *ab, c), right = combine(r, a, *bc);
  if (!left || !right) return;
  double scale = 0;
  for (const auto& t :
       {std::optional<Tuple>(a), std::optional<Tuple>(b), std::optional<Tuple>(c), ab, bc}) {
    grow(scale, t);
  }
  if (agree(*left, *right, scale)) return;
  fail(
      "te.not_associative",
      "reducer '{}' is declared associative, but with a = {}, b = {}, c = {}: (a . b) . c = {} and "
      "a . (b . c) = {}. Leave the declaration out: the reduction then keeps its order",
      r->name, text(a), text(b), text(c), text(*left), text(*right));
}

void attack_commutativity(const ir::Reducer& r, const Tuple& a, const Tuple& b) {
  const auto ab = combine(r, a, b), ba = combine(r, b, a);
  if (!ab || !ba || agree(*ab, *ba, 0)) return;
  fail("te.not_commutative",
       "reducer '{}' is declared commutative, but with a = {}, b = {}: a . b = {} and b . a = {}. "
       "Leave the declaration out: the reduction then keeps its order",
       r->name, text(a), text(b), text(*ab), text(*ba));
}

// Partial results all start from the identity, so folding it in more than once must change nothing.
void attack_identity(const ir::Reducer& r) {
  const auto twice = combine(r, r->identity, r->identity);
  if (!twice || agree(*twice, r->identity, 0)) return;
  fail("te.not_associative",
       "reducer '{}' is declared associative, but its identity e = {} is none: e . e = {}. Partial "
       "results each start from it; give the value that changes nothing",
       r->name, text(r->identity), text(*twice));
}

}  // namespace

void attack_reducer(const ir::Reducer& reducer) {
  if (!reducer->associative && !reducer->commutative) return;
  Rng rng(0x7e57);
  for (int i = 0; i < kTriples; ++i) {
    std::vector<Tuple> triple(3);
    for (Tuple& t : triple) {
      for (const Expr& e : reducer->identity) {
        t.push_back(random_value(rng, e.dtype(), i % 4 != 3));
      }
    }
    if (reducer->commutative) attack_commutativity(reducer, triple[0], triple[1]);
    if (reducer->associative) attack_associativity(reducer, triple[0], triple[1], triple[2]);
  }
  if (reducer->associative) attack_identity(reducer);
}

}  // namespace tilewright::te::detail
