#include <cctype>
#include <cmath>
#include <limits>

#include "arith/expr_equal.h"
#include "arith/rules.h"

namespace tilewright::arith {

using namespace ir;

namespace {

struct Operator {
  const char* text;
  BinaryOp op;
  int level;
};

// By falling length, so that the longest spelling matches first.
constexpr Operator kOperators[] = {
    {"&&", BinaryOp::kAnd, 1},     {"||", BinaryOp::kOr, 0},    {"==", BinaryOp::kEq, 5},
    {"!=", BinaryOp::kNe, 5},      {"<=", BinaryOp::kLe, 5},    {">=", BinaryOp::kGe, 5},
    {"<<", BinaryOp::kShl, 6},     {">>", BinaryOp::kShr, 6},   {"//", BinaryOp::kFloorDiv, 8},
    {"<", BinaryOp::kLt, 5},       {">", BinaryOp::kGt, 5},     {"|", BinaryOp::kBitOr, 2},
    {"^", BinaryOp::kBitXor, 3},   {"&", BinaryOp::kBitAnd, 4}, {"+", BinaryOp::kAdd, 7},
    {"-", BinaryOp::kSub, 7},      {"*", BinaryOp::kMul, 8},    {"/", BinaryOp::kDiv, 8},
    {"%", BinaryOp::kFloorMod, 8},
};
constexpr int kUnaryLevel = 9;

struct Function {
  const char* name;
  BinaryOp op;
};
constexpr Function kFunctions[] = {
    {"min", BinaryOp::kMin},
    {"max", BinaryOp::kMax},
    {"fmin", BinaryOp::kFMin},
    {"fmax", BinaryOp::kFMax},
    {"trunc_div", BinaryOp::kTruncDiv},
    {"trunc_mod", BinaryOp::kTruncMod},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Pattern parse() {
    Pattern result = expression(0);
    skip();
    require(at_ == text_.size());
    return result;
  }

 private:
  void require(bool holds) const {
    internal_check(holds, "rule pattern '{}' is wrong near column {}", text_, at_ + 1);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  const Operator* peek_operator() {
    skip();
    for (const Operator& op : kOperators) {
      if (text_.substr(at_).starts_with(op.text)) return &op;
    }
    return nullptr;
  }

  Pattern expression(int level) {
    Pattern left = prefix();
    for (const Operator* op = peek_operator(); op && op->level >= level; op = peek_operator()) {
      at_ += std::string_view(op->text).size();
      Pattern node;
      node.kind = Pattern::Kind::kBinary;
      node.binary = op->op;
      node.children = {left, expression(op->level + 1)};
      left = std::move(node);
    }
    return left;
  }

  Pattern prefix() {
    skip();
    for (auto [text, op] :
         {std::pair{"!", UnaryOp::kNot}, {"~", UnaryOp::kBitNot}, {"-", UnaryOp::kNeg}}) {
      if (!accept(text)) continue;
      Pattern node;
      node.kind = Pattern::Kind::kUnary;
      node.unary = op;
      node.children = {expression(kUnaryLevel)};
      if (op == UnaryOp::kNeg && node.children[0].kind == Pattern::Kind::kNumber) {
        node.children[0].number = -node.children[0].number;
        return Pattern(node.children[0]);
      }
      return node;
    }
    if (accept("(")) {
      Pattern inner = expression(0);
      require(accept(")"));
      return inner;
    }
    return word();
  }

  Pattern word() {
    size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    std::string_view name = text_.substr(start, at_ - start);
    require(!name.empty());
    Pattern node;
    if (std::isdigit(static_cast<unsigned char>(name[0]))) {
      node.kind = Pattern::Kind::kNumber;
      for (char c : name) node.number = node.number * 10 + (c - '0');
    } else if (name == "true" || name == "false") {
      node.kind = Pattern::Kind::kBoolean;
      node.number = name == "true";
    } else if (name == "inf") {
      node.kind = Pattern::Kind::kInfinity;
    } else if (name.size() == 2 && name[0] == 'c') {
      node.kind = Pattern::Kind::kConstant;
      node.slot = 6 + (name[1] - '0');
    } else if (name.size() == 1) {
      constexpr std::string_view kNames = "xyzpqr";
      require(kNames.find(name[0]) != std::string_view::npos);
      node.slot = static_cast<int>(kNames.find(name[0]));
    } else {
      return function(name);
    }
    return node;
  }

  Pattern function(std::string_view name) {
    Pattern node;
    require(accept("("));
    do {
      node.children.push_back(expression(0));
    } while (accept(","));
    require(accept(")"));
    for (const Function& f : kFunctions) {
      if (name != f.name) continue;
      node.kind = Pattern::Kind::kBinary;
      node.binary = f.op;
      require(node.children.size() == 2);
      return node;
    }
    if (name == "select" || name == "if_then_else") {
      node.kind = name == "select" ? Pattern::Kind::kSelect : Pattern::Kind::kIfThenElse;
      require(node.children.size() == 3);
      return node;
    }
    const IntrinsicInfo* known = find_intrinsic(name);
    require(known != nullptr);
    node.kind = Pattern::Kind::kCall;
    node.intrinsic = known->id;
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
};

const Expr& without_broadcast(const Expr& expr) {
  const auto* broadcast = expr.as<BroadcastNode>();
  return broadcast ? broadcast->value : expr;
}

bool is_number(const Expr& expr, int64_t value) {
  const Expr& scalar = without_broadcast(expr);
  if (const auto* imm = scalar.as<IntImmNode>()) return imm->value == value;
  const auto* imm = scalar.as<FloatImmNode>();
  // -0.0 equals 0.0 but is another number.
  return imm && imm->value == static_cast<double>(value) &&
         !(value == 0 && std::signbit(imm->value));
}

}  // namespace

Pattern parse_pattern(std::string_view text) { return Parser(text).parse(); }

bool in_domain(RuleDomain domain, DType dtype) {
  switch (domain) {
    case RuleDomain::kBool: return dtype.is_bool();
    case RuleDomain::kInt: return dtype.is_integer();
    case RuleDomain::kUInt: return dtype.is_uint();
    case RuleDomain::kFloat: return dtype.is_float();
    case RuleDomain::kNumber: return dtype.is_integer() || dtype.is_float();
    case RuleDomain::kIndex: return dtype.is_int() && dtype.bits >= 32 && dtype.is_scalar();
  }
  return false;
}

bool match(const Pattern& pattern, const Expr& expr, RuleDomain domain, Bindings& bindings) {
  constexpr int kFirstBool = 3, kFirstConstant = 6;
  auto all = [&](std::initializer_list<const Expr*> parts) {
    size_t i = 0;
    for (const Expr* part : parts) {
      if (!match(pattern.children[i++], *part, domain, bindings)) return false;
    }
    return true;
  };
  switch (pattern.kind) {
    case Pattern::Kind::kConstant:
    case Pattern::Kind::kSlot: {
      if (pattern.slot >= kFirstConstant && !is_literal(without_broadcast(expr))) return false;
      bool boolean = pattern.slot >= kFirstBool && pattern.slot < kFirstConstant;
      if (!in_domain(boolean ? RuleDomain::kBool : domain, expr.dtype())) return false;
      Expr& bound = bindings[static_cast<size_t>(pattern.slot)];
      if (bound.defined()) return same_expr(bound, expr);
      bound = expr;
      return true;
    }
    case Pattern::Kind::kNumber:
      return in_domain(domain, expr.dtype()) && is_number(expr, pattern.number);
    case Pattern::Kind::kBoolean: return expr.dtype().is_bool() && is_number(expr, pattern.number);
    case Pattern::Kind::kInfinity: {
      const auto* imm = without_broadcast(expr).as<FloatImmNode>();
      return imm && imm->value == std::numeric_limits<double>::infinity();
    }
    case Pattern::Kind::kBinary: {
      const auto* node = expr.as<BinaryNode>();
      return node && node->op == pattern.binary && all({&node->a, &node->b});
    }
    case Pattern::Kind::kUnary: {
      const auto* node = expr.as<UnaryNode>();
      if (node) return node->op == pattern.unary && all({&node->a});
      // -inf is one literal.
      const auto* imm = without_broadcast(expr).as<FloatImmNode>();
      return imm && pattern.unary == UnaryOp::kNeg &&
             pattern.children[0].kind == Pattern::Kind::kInfinity &&
             imm->value == -std::numeric_limits<double>::infinity();
    }
    case Pattern::Kind::kSelect: {
      const auto* node = expr.as<SelectNode>();
      return node && all({&node->condition, &node->true_value, &node->false_value});
    }
    case Pattern::Kind::kIfThenElse: {
      const auto* node = expr.as<IfThenElseNode>();
      return node && all({&node->condition, &node->true_value, &node->false_value});
    }
    case Pattern::Kind::kCall: {
      const auto* node = expr.as<CallNode>();
      if (!node || node->intrinsic != pattern.intrinsic ||
          node->args.size() != pattern.children.size()) {
        return false;
      }
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (!match(pattern.children[i], node->args[i], domain, bindings)) return false;
      }
      return true;
    }
  }
  return false;
}

Expr instantiate(const Pattern& pattern, const Bindings& bindings, DType type) {
  auto child = [&](size_t i) { return instantiate(pattern.children[i], bindings, type); };
  switch (pattern.kind) {
    case Pattern::Kind::kConstant:
    case Pattern::Kind::kSlot: return bindings[static_cast<size_t>(pattern.slot)];
    case Pattern::Kind::kNumber: return make_const(type, static_cast<double>(pattern.number));
    case Pattern::Kind::kBoolean: return make_int(kBool.with_lanes(type.lanes), pattern.number);
    case Pattern::Kind::kInfinity: return make_float(type, std::numeric_limits<double>::infinity());
    case Pattern::Kind::kBinary: return binary(pattern.binary, child(0), child(1));
    case Pattern::Kind::kUnary: return unary(pattern.unary, child(0));
    case Pattern::Kind::kSelect: return select(child(0), child(1), child(2));
    case Pattern::Kind::kIfThenElse: return if_then_else(child(0), child(1), child(2));
    case Pattern::Kind::kCall: {
      std::vector<Expr> args;
      for (size_t i = 0; i < pattern.children.size(); ++i) args.push_back(child(i));
      return call(pattern.intrinsic, std::move(args));
    }
  }
  return {};
}

}  // namespace tilewright::arith
