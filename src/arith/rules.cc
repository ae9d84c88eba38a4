#include "arith/rules.h"

#include <optional>

#include "arith/impl.h"
#include "tilewright/support/fault.h"

namespace tilewright::arith {

using namespace ir;

namespace {

using D = RuleDomain;

// A rule of `kInt` or `kNumber` must hold for wrapping integers of every width, a rule of `kFloat` or
// `kNumber` bit for bit with NaN, infinities and both zeros.
constexpr Rule kRules[] = {
    // Bools.
    {"not-not", D::kBool, "!!p", "p"},
    {"and-true", D::kBool, "p && true", "p"},
    {"true-and", D::kBool, "true && p", "p"},
    {"and-false", D::kBool, "p && false", "false"},
    {"false-and", D::kBool, "false && p", "false"},
    {"or-false", D::kBool, "p || false", "p"},
    {"false-or", D::kBool, "false || p", "p"},
    {"or-true", D::kBool, "p || true", "true"},
    {"true-or", D::kBool, "true || p", "true"},
    {"and-same", D::kBool, "p && p", "p"},
    {"or-same", D::kBool, "p || p", "p"},
    {"and-not", D::kBool, "p && !p", "false"},
    {"not-and", D::kBool, "!p && p", "false"},
    {"or-not", D::kBool, "p || !p", "true"},
    {"not-or", D::kBool, "!p || p", "true"},
    {"and-absorb", D::kBool, "p && (p || q)", "p"},
    {"and-absorb-right", D::kBool, "p && (q || p)", "p"},
    {"and-absorb-left", D::kBool, "(p || q) && p", "p"},
    {"or-absorb", D::kBool, "p || (p && q)", "p"},
    {"or-absorb-right", D::kBool, "p || (q && p)", "p"},
    {"or-absorb-left", D::kBool, "(p && q) || p", "p"},
    {"or-factor", D::kBool, "(p && q) || (p && r)", "p && (q || r)"},
    {"and-factor", D::kBool, "(p || q) && (p || r)", "p || (q && r)"},
    {"eq-true", D::kBool, "p == true", "p"},
    {"eq-false", D::kBool, "p == false", "!p"},
    {"ne-true", D::kBool, "p != true", "!p"},
    {"ne-false", D::kBool, "p != false", "p"},
    {"select-bool", D::kBool, "select(p, true, false)", "p"},
    {"select-not-bool", D::kBool, "select(p, false, true)", "!p"},
    {"select-and", D::kBool, "select(p, q, false)", "p && q"},
    {"select-or", D::kBool, "select(p, true, q)", "p || q"},
    {"select-p-same", D::kBool, "select(p, q, q)", "q"},

    {"likely-true", D::kBool, "likely(true)", "true"},
    {"likely-false", D::kBool, "likely(false)", "false"},
    {"likely-likely", D::kBool, "likely(likely(p))", "likely(p)"},

    // Choices.
    {"select-true", D::kNumber, "select(true, x, y)", "x"},
    {"select-false", D::kNumber, "select(false, x, y)", "y"},
    {"select-same", D::kNumber, "select(p, x, x)", "x"},
    {"select-not", D::kNumber, "select(!p, x, y)", "select(p, y, x)"},
    {"select-inner-true", D::kNumber, "select(p, select(p, x, y), z)", "select(p, x, z)"},
    {"select-inner-false", D::kNumber, "select(p, x, select(p, y, z))", "select(p, x, z)"},
    {"select-join-and", D::kNumber, "select(p, select(q, x, y), y)", "select(p && q, x, y)"},
    {"select-join-or", D::kNumber, "select(p, x, select(q, x, y))", "select(p || q, x, y)"},
    {"if-true", D::kNumber, "if_then_else(true, x, y)", "x"},
    {"if-false", D::kNumber, "if_then_else(false, x, y)", "y"},
    {"if-same", D::kNumber, "if_then_else(p, x, x)", "x"},
    {"if-not", D::kNumber, "if_then_else(!p, x, y)", "if_then_else(p, y, x)"},
    {"if-inner-true", D::kNumber, "if_then_else(p, if_then_else(p, x, y), z)",
     "if_then_else(p, x, z)"},
    {"if-inner-false", D::kNumber, "if_then_else(p, x, if_then_else(p, y, z))",
     "if_then_else(p, x, z)"},

    // Integers that may wrap.
    {"add-zero", D::kInt, "x + 0", "x"},
    {"zero-add", D::kInt, "0 + x", "x"},
    {"sub-zero", D::kInt, "x - 0", "x"},
    {"sub-same", D::kInt, "x - x", "0"},
    {"zero-sub", D::kInt, "0 - x", "-x"},
    {"neg-neg", D::kInt, "--x", "x"},
    {"not-not-bits", D::kInt, "~~x", "x"},
    {"add-neg", D::kInt, "x + -y", "x - y"},
    {"sub-neg", D::kInt, "x - -y", "x + y"},
    {"add-constants", D::kInt, "(x + c0) + c1", "x + (c0 + c1)"},
    {"sub-constants", D::kInt, "(x - c0) - c1", "x - (c0 + c1)"},
    {"add-sub", D::kInt, "(x + y) - y", "x"},
    {"add-sub-left", D::kInt, "(x + y) - x", "y"},
    {"sub-add", D::kInt, "(x - y) + y", "x"},
    {"mul-one", D::kInt, "x * 1", "x"},
    {"one-mul", D::kInt, "1 * x", "x"},
    {"mul-zero", D::kInt, "x * 0", "0"},
    {"mul-constants", D::kInt, "(x * c0) * c1", "x * (c0 * c1)"},
    {"mul-minus-one", D::kInt, "x * -1", "-x"},
    {"floor-div-one", D::kInt, "x // 1", "x"},
    {"floor-mod-one", D::kInt, "x % 1", "0"},
    {"trunc-div-one", D::kInt, "trunc_div(x, 1)", "x"},
    {"trunc-mod-one", D::kInt, "trunc_mod(x, 1)", "0"},
    {"mod-mod", D::kInt, "x % c0 % c0", "x % c0"},
    {"and-same-bits", D::kInt, "x & x", "x"},
    {"or-same-bits", D::kInt, "x | x", "x"},
    {"xor-same-bits", D::kInt, "x ^ x", "0"},
    {"and-zero-bits", D::kInt, "x & 0", "0"},
    {"or-zero-bits", D::kInt, "x | 0", "x"},
    {"xor-zero-bits", D::kInt, "x ^ 0", "x"},
    {"shl-zero", D::kInt, "x << 0", "x"},
    {"shr-zero", D::kInt, "x >> 0", "x"},
    {"eq-same", D::kInt, "x == x", "true"},
    {"ne-same", D::kInt, "x != x", "false"},
    {"le-same", D::kInt, "x <= x", "true"},
    {"ge-same", D::kInt, "x >= x", "true"},
    {"eq-shifted", D::kInt, "x + c0 == c1", "x == c1 - c0"},
    {"ne-shifted", D::kInt, "x + c0 != c1", "x != c1 - c0"},
    {"trunc-div-uint", D::kUInt, "trunc_div(x, y)", "x // y"},
    {"trunc-mod-uint", D::kUInt, "trunc_mod(x, y)", "x % y"},
    {"lt-zero-uint", D::kUInt, "x < 0", "false"},
    {"ge-zero-uint", D::kUInt, "x >= 0", "true"},
    {"div-div", D::kInt, "x // c0 // c1", "x // (c0 * c1)",
     "c0 > 0 && c1 > 0 && c0 * c1 > 0 && c0 * c1 // c1 == c0"},
    {"mod-multiple", D::kInt, "x % c0 % c1", "x % c1", "c0 > 0 && c1 > 0 && c0 % c1 == 0"},
    {"trunc-div-nonneg", D::kIndex, "trunc_div(x, y)", "x // y", "x >= 0 && y > 0"},
    {"trunc-mod-nonneg", D::kIndex, "trunc_mod(x, y)", "x % y", "x >= 0 && y > 0"},
    {"select-min-lt", D::kInt, "select(x < y, x, y)", "min(x, y)"},
    {"select-min-le", D::kInt, "select(x <= y, x, y)", "min(x, y)"},
    {"select-min-gt", D::kInt, "select(x > y, y, x)", "min(x, y)"},
    {"select-min-ge", D::kInt, "select(x >= y, y, x)", "min(x, y)"},
    {"select-max-lt", D::kInt, "select(x < y, y, x)", "max(x, y)"},
    {"select-max-le", D::kInt, "select(x <= y, y, x)", "max(x, y)"},
    {"select-max-gt", D::kInt, "select(x > y, x, y)", "max(x, y)"},
    {"select-max-ge", D::kInt, "select(x >= y, x, y)", "max(x, y)"},
    {"clamp-crossed-high", D::kInt, "min(max(x, c0), c1)", "c1", "c0 >= c1"},
    {"clamp-crossed-low", D::kInt, "max(min(x, c0), c1)", "c1", "c0 <= c1"},
    {"min-max-absorb", D::kInt, "min(max(x, y), y)", "y"},
    {"max-min-absorb", D::kInt, "max(min(x, y), y)", "y"},
    {"clamp-min", D::kInt, "min(min(x, c0), c1)", "min(x, min(c0, c1))"},
    {"clamp-max", D::kInt, "max(max(x, c0), c1)", "max(x, max(c0, c1))"},

    // Integers and floats.
    {"lt-same", D::kNumber, "x < x", "false"},
    {"gt-same", D::kNumber, "x > x", "false"},
    {"min-same", D::kNumber, "min(x, x)", "x"},
    {"max-same", D::kNumber, "max(x, x)", "x"},
    {"min-min", D::kNumber, "min(min(x, y), y)", "min(x, y)"},
    {"max-max", D::kNumber, "max(max(x, y), y)", "max(x, y)"},

    // Floats.
    {"fmin-same", D::kFloat, "fmin(x, x)", "x"},
    {"fmax-same", D::kFloat, "fmax(x, x)", "x"},
    {"float-sub-zero", D::kFloat, "x - 0", "x"},
    {"float-mul-one", D::kFloat, "x * 1", "x"},
    {"float-one-mul", D::kFloat, "1 * x", "x"},
    {"float-div-one", D::kFloat, "x / 1", "x"},
    {"float-neg-neg", D::kFloat, "--x", "x"},
    {"float-add-neg", D::kFloat, "x + -y", "x - y"},
    {"float-sub-neg", D::kFloat, "x - -y", "x + y"},
    {"float-mul-neg-neg", D::kFloat, "-x * -y", "x * y"},
    {"max-minus-inf", D::kFloat, "max(x, -inf)", "x"},
    {"minus-inf-max", D::kFloat, "max(-inf, x)", "x"},
    {"min-inf", D::kFloat, "min(x, inf)", "x"},
    {"inf-min", D::kFloat, "min(inf, x)", "x"},
    {"abs-abs", D::kFloat, "abs(abs(x))", "abs(x)"},
    {"abs-neg", D::kFloat, "abs(-x)", "abs(x)"},
    {"floor-floor", D::kFloat, "floor(floor(x))", "floor(x)"},
    {"ceil-ceil", D::kFloat, "ceil(ceil(x))", "ceil(x)"},
    {"round-round", D::kFloat, "round(round(x))", "round(x)"},
    {"trunc-trunc", D::kFloat, "trunc(trunc(x))", "trunc(x)"},
};

struct Compiled {
  const Rule* rule;
  Pattern pattern, replacement;
  std::optional<Pattern> condition;
};

// Rules by what their root is, so that few are tried.
struct CompiledTable {
  std::vector<Compiled> binary[32], unary[4], select, lazy, call;

  CompiledTable() {
    for (const Rule& rule : kRules) {
      Compiled c{&rule, parse_pattern(rule.pattern), parse_pattern(rule.replacement), {}};
      if (*rule.condition) c.condition = parse_pattern(rule.condition);
      list(c.pattern)->push_back(std::move(c));
    }
  }
  std::vector<Compiled>* list(const Pattern& root) {
    switch (root.kind) {
      case Pattern::Kind::kBinary: return &binary[static_cast<size_t>(root.binary)];
      case Pattern::Kind::kUnary: return &unary[static_cast<size_t>(root.unary)];
      case Pattern::Kind::kSelect: return &select;
      case Pattern::Kind::kIfThenElse: return &lazy;
      default: return &call;
    }
  }
  const std::vector<Compiled>* list(const Expr& root) const {
    if (auto* node = root.as<BinaryNode>()) return &binary[static_cast<size_t>(node->op)];
    if (auto* node = root.as<UnaryNode>()) return &unary[static_cast<size_t>(node->op)];
    if (root->kind == NodeKind::kSelect) return &select;
    if (root->kind == NodeKind::kIfThenElse) return &lazy;
    return root->kind == NodeKind::kCall ? &call : nullptr;
  }
};

// The dtype of the rule's x, y, z, for literals of the replacement.
DType literal_type(const Bindings& bindings, const Expr& root) {
  for (size_t slot : {0, 1, 2, 6, 7, 8}) {
    if (bindings[slot].defined()) return bindings[slot].dtype();
  }
  return root.dtype();
}

}  // namespace

std::span<const Rule> rule_table() { return kRules; }

Expr apply_rules(const Expr& expr, const std::function<bool(const Expr&)>& prove) {
  static const CompiledTable table;
  const std::vector<Compiled>* candidates = table.list(expr);
  if (!candidates) return {};
  for (const Compiled& c : *candidates) {
    Bindings bindings;
    if (!match(c.pattern, expr, c.rule->domain, bindings)) continue;
    DType type = literal_type(bindings, expr);
    if (c.condition) {
      Expr condition = instantiate(*c.condition, bindings, type);
      if (has_fault(Fault::rules_without_conditions)) condition = make_bool(true);
      if (!is_true(condition) && !prove(condition)) continue;
    }
    return instantiate(c.replacement, bindings, type);
  }
  return {};
}

}  // namespace tilewright::arith
