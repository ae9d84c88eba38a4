#include "tilewright/runtime/size_expr.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tilewright/support/error.h"

namespace tilewright::runtime {

// Recursive descent; appends postfix steps to the expression.
class SizeExprParser {
 public:
  explicit SizeExprParser(std::string_view text) : text_(text) {}

  SizeExpr parse() {
    result_.steps_.clear();
    result_.text_ = std::string(text_);
    sum();
    if (peek() != '\0') reject("unexpected text");
    return std::move(result_);
  }

 private:
  using Op = SizeExpr::Op;
  static constexpr int kDeepest = 200;

  [[noreturn]] void reject(const char* what) const {
    fail("size.syntax", "size expression '{}': {} at position {}", text_, what, at_);
  }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(std::string_view token) {
    peek();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) reject(token == ")" ? "expected ')'" : "expected ',' or '('");
  }

  void push(Op op) { result_.steps_.push_back({op, 0, {}}); }

  void sum() {
    product();
    while (true) {
      if (accept("+")) {
        product();
        push(Op::kAdd);
      } else if (accept("-")) {
        product();
        push(Op::kSub);
      } else {
        return;
      }
    }
  }

  void product() {
    unary();
    while (true) {
      if (accept("*")) {
        unary();
        push(Op::kMul);
      } else if (accept("//")) {
        unary();
        push(Op::kFloorDiv);
      } else if (accept("%")) {
        unary();
        push(Op::kFloorMod);
      } else {
        return;
      }
    }
  }

  void unary() {
    if (++depth_ > kDeepest) reject("nested too deeply");
    const char next = peek();
    if (accept("-")) {
      push(Op::kConstant);
      unary();
      push(Op::kSub);
    } else if (accept("(")) {
      sum();
      expect(")");
    } else if (std::isdigit(static_cast<unsigned char>(next))) {
      number();
    } else if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') {
      name_or_function();
    } else {
      reject("expected a number, a name or '('");
    }
    --depth_;
  }

  void number() {
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status != std::errc()) reject("number too large");
    at_ += static_cast<size_t>(end - begin);
    result_.steps_.push_back({Op::kConstant, value, {}});
  }

  void name_or_function() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.')) {
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (peek() != '(') {
      result_.steps_.push_back({Op::kName, 0, std::string(name)});
      return;
    }
    constexpr std::pair<std::string_view, Op> kFunctions[] = {{"min", Op::kMin},
                                                              {"max", Op::kMax},
                                                              {"floor_div", Op::kFloorDiv},
                                                              {"floor_mod", Op::kFloorMod}};
    for (const auto& [function, op] : kFunctions) {
      if (function != name) continue;
      expect("(");
      sum();
      expect(",");
      sum();
      expect(")");
      push(op);
      return;
    }
    reject("unknown function (known: min, max, floor_div, floor_mod)");
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  SizeExpr result_;
};

namespace {

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

SizeExpr::SizeExpr(int64_t constant) : text_(std::to_string(constant)) {
  steps_.push_back({Op::kConstant, constant, {}});
}

SizeExpr SizeExpr::parse(std::string_view text) { return SizeExprParser(text).parse(); }

std::optional<int64_t> SizeExpr::constant() const {
  for (const Step& step : steps_) {
    if (step.op == Op::kName) return std::nullopt;
  }
  return evaluate({});
}

std::string SizeExpr::name() const {
  return steps_.size() == 1 && steps_[0].op == Op::kName ? steps_[0].name : "";
}

std::optional<int64_t> SizeExpr::evaluate(const SizeMap& sizes) const {
  std::vector<int64_t> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::kConstant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.op == Op::kName) {
      const auto it = sizes.find(step.name);
      if (it == sizes.end()) return std::nullopt;
      stack.push_back(it->second);
      continue;
    }
    const int64_t b = stack.back();
    stack.pop_back();
    int64_t& a = stack.back();
    bool overflow = false;
    const bool divides = step.op == Op::kFloorDiv || step.op == Op::kFloorMod;
    if (divides && b == 0) fail("size.arithmetic", "size expression '{}' divides by zero", text_);
    switch (step.op) {
      case Op::kAdd: overflow = __builtin_add_overflow(a, b, &a); break;
      case Op::kSub: overflow = __builtin_sub_overflow(a, b, &a); break;
      case Op::kMul: overflow = __builtin_mul_overflow(a, b, &a); break;
      case Op::kFloorDiv:
        overflow = a == INT64_MIN && b == -1;
        if (!overflow) a = floor_div(a, b);
        break;
      case Op::kFloorMod: a = b == -1 ? 0 : a - floor_div(a, b) * b; break;
      case Op::kMin: a = std::min(a, b); break;
      case Op::kMax: a = std::max(a, b); break;
      case Op::kConstant:
      case Op::kName: break;
    }
    if (overflow) fail("size.arithmetic", "size expression '{}' leaves the range of int64", text_);
  }
  return stack.back();
}

}  // namespace tilewright::runtime
