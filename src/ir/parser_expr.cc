#include <algorithm>
#include <charconv>
#include <limits>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/scalar.h"
#include "tilewright/ir/ops.h"

namespace tilewright::ir {
namespace {

constexpr BinaryOp kAllOps[] = {
    BinaryOp::kAdd,      BinaryOp::kSub,      BinaryOp::kMul,      BinaryOp::kDiv,
    BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kTruncDiv, BinaryOp::kTruncMod,
    BinaryOp::kMin,      BinaryOp::kMax,      BinaryOp::kFMin,     BinaryOp::kFMax,
    BinaryOp::kAnd,      BinaryOp::kOr,       BinaryOp::kBitAnd,   BinaryOp::kBitOr,
    BinaryOp::kBitXor,   BinaryOp::kShl,      BinaryOp::kShr,      BinaryOp::kEq,
    BinaryOp::kNe,       BinaryOp::kLt,       BinaryOp::kLe,       BinaryOp::kGt,
    BinaryOp::kGe};

std::optional<BinaryOp> find_op(std::string_view text, bool infix) {
  for (BinaryOp op : kAllOps) {
    if (text == spelling(op) && (precedence(op) > 0) == infix) return op;
  }
  return std::nullopt;
}

bool is_dtype(const Token& token) {
  if (token.kind != Token::Kind::kName) return false;
  try {
    parse_dtype(token.text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<Expr> Parser::exprs(std::string_view close) {
  std::vector<Expr> result;
  list(close, [&] { result.push_back(expr()); });
  return result;
}

Expr Parser::infix(int min_precedence) {
  Nesting nesting(*this);
  Expr left = prefix();
  for (;;) {
    const Token& token = peek();
    if (token.kind != Token::Kind::kPunct) return left;
    const std::optional<BinaryOp> op = find_op(token.text, true);
    if (!op || precedence(*op) < min_precedence) return left;
    ++at_;
    Expr right = infix(precedence(*op) + 1);
    left = make_binary(token, *op, std::move(left), std::move(right));
  }
}

Expr Parser::make_binary(const Token& at, BinaryOp op, Expr a, Expr b) {
  if (a.dtype() != b.dtype()) {
    error_at(at, fmt::format("'{}' has operands of dtypes {} and {}", spelling(op),
                             to_string(a.dtype()), to_string(b.dtype())));
  }
  const DType dtype = is_comparison(op) ? kBool.with_lanes(a.dtype().lanes) : a.dtype();
  return Expr(new BinaryNode(dtype, op, std::move(a), std::move(b)));
}

Expr Parser::prefix() {
  if (is_punct("-") && peek(1).kind == Token::Kind::kNumber) return literal(kInt64);
  std::optional<UnaryOp> op;
  if (is_punct("-")) op = UnaryOp::kNeg;
  if (is_punct("!")) op = UnaryOp::kNot;
  if (is_punct("~")) op = UnaryOp::kBitNot;
  if (!op) return primary();
  ++at_;
  Nesting nesting(*this);
  Expr operand = prefix();
  const DType dtype = operand.dtype();
  return Expr(new UnaryNode(dtype, *op, std::move(operand)));
}

Expr Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case Token::Kind::kNumber: return literal(kInt64);
    case Token::Kind::kString: return Expr(new StringImmNode(expect_string()));
    case Token::Kind::kName:
    case Token::Kind::kQuotedName: return named(token);
    default: break;
  }
  if (!take_punct("(")) unexpected("an expression");
  Expr inner = expr();
  expect_punct(")");
  return inner;
}

Expr Parser::named(const Token& token) {
  const bool keyword = token.kind == Token::Kind::kName && is_reserved_word(token.text);
  if (!keyword) {
    const std::string name = expect_name();
    const Binding* binding = find(name);
    if (!binding) error_at(token, fmt::format("'{}' is not defined", name));
    if (!binding->buffer) return binding->var;
    return load(binding->buffer);
  }
  if (token.text == "true" || token.text == "false") {
    ++at_;
    return make_bool(token.text == "true");
  }
  if (!is_punct("(", 1)) unexpected("an expression");
  ++at_;
  if (is_dtype(token)) {
    expect_punct("(");
    Expr value = literal(parse_dtype(token.text));
    expect_punct(")");
    return value;
  }
  if (token.text == "let") return let_expr();
  if (token.text == "reduce") return reduce_expr();
  return call_expr(token);
}

double Parser::expect_float() {
  const bool negative = take_punct("-");
  double value = 0;
  if (take_word("inf")) {
    value = std::numeric_limits<double>::infinity();
  } else if (take_word("nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (peek().kind != Token::Kind::kNumber) unexpected("a number");
    std::string_view digits = peek().text;
    const bool hex = digits.substr(0, 2) == "0x";
    if (hex) digits.remove_prefix(2);
    auto [stop, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value,
                        hex ? std::chars_format::hex : std::chars_format::general);
    if (stop != digits.data() + digits.size() || status != std::errc()) unexpected("a number");
    ++at_;
  }
  return negative ? -value : value;
}

Expr Parser::literal(DType dtype) {
  if (dtype.is_float() && dtype.is_scalar()) return make_float(dtype, expect_float());
  const bool whole = (dtype.is_integer() || dtype.is_bool()) && dtype.is_scalar();
  if (!whole) error(fmt::format("there are no literals of dtype {}", to_string(dtype)));
  const Token& token = peek();
  int64_t value = 0;
  uint64_t pattern = 0;
  const char* end = token.text.data() + token.text.size();
  const bool large = dtype == kUInt64 && token.kind == Token::Kind::kNumber &&
                     std::from_chars(token.text.data(), end, pattern).ptr == end;
  if (large) {
    ++at_;
    value = static_cast<int64_t>(pattern);
  } else {
    value = expect_int();
    if (!scalar::fits(dtype, value)) {
      error_at(token, fmt::format("{} does not fit {}", value, to_string(dtype)));
    }
  }
  return Expr(new IntImmNode(dtype, value));
}

std::vector<Expr> Parser::arguments(const Token& word, size_t count) {
  expect_punct("(");
  std::vector<Expr> args = exprs(")");
  expect_punct(")");
  if (args.size() != count) {
    error_at(word, fmt::format("{} takes {} arguments, got {}", word.text, count, args.size()));
  }
  return args;
}

int Parser::expect_lanes() {
  const Token& token = peek();
  const int64_t lanes = expect_int();
  if (lanes < 1 || lanes > 65535) error_at(token, "lanes must be 1 to 65535");
  return static_cast<int>(lanes);
}

Expr Parser::call_expr(const Token& word) {
  if (std::optional<BinaryOp> op = find_op(word.text, false)) {
    std::vector<Expr> args = arguments(word, 2);
    return make_binary(word, *op, args[0], args[1]);
  }
  if (word.text == "select" || word.text == "if_then_else") {
    std::vector<Expr> args = arguments(word, 3);
    if (args[1].dtype() != args[2].dtype() || !args[0].dtype().is_bool()) {
      error_at(word,
               fmt::format("{} of dtypes {}, {} and {}", word.text, to_string(args[0].dtype()),
                           to_string(args[1].dtype()), to_string(args[2].dtype())));
    }
    const DType dtype = args[1].dtype();
    if (word.text == "select") return Expr(new SelectNode(dtype, args[0], args[1], args[2]));
    return Expr(new IfThenElseNode(dtype, args[0], args[1], args[2]));
  }
  expect_punct("(");
  Expr result;
  if (word.text == "cast" || word.text == "bitcast") {
    const DType dtype = expect_dtype();
    expect_punct(",");
    Expr value = expr();
    result = word.text == "cast" ? Expr(new CastNode(dtype, value))
                                 : Expr(new CallNode(dtype, Intrinsic::kBitcast, {value}));
  } else if (word.text == "ramp") {
    Expr base = expr();
    expect_punct(",");
    Expr stride = expr();
    expect_punct(",");
    result = Expr(new RampNode(base, stride, expect_lanes()));
  } else if (word.text == "broadcast") {
    Expr value = expr();
    expect_punct(",");
    result = Expr(new BroadcastNode(value, expect_lanes()));
  } else if (word.text == "extract") {
    Expr vector = expr();
    expect_punct(",");
    result = Expr(new ExtractNode(vector, expect_int()));
  } else if (const IntrinsicInfo* row = find_intrinsic(word.text)) {
    std::vector<Expr> args = exprs(")");
    if (row->arity >= 0 && args.size() != static_cast<size_t>(row->arity)) {
      error_at(word,
               fmt::format("{} takes {} arguments, got {}", word.text, row->arity, args.size()));
    }
    DType dtype = args.empty() ? kInt32 : args[0].dtype();
    if (row->id == Intrinsic::kIsNan || row->id == Intrinsic::kIsInf) {
      dtype = kBool.with_lanes(dtype.lanes);
    }
    if (row->effect != Effect::kPure) dtype = kInt32;
    result = Expr(new CallNode(dtype, row->id, std::move(args)));
  } else {
    error_at(word, fmt::format("expected an expression, got '{}'", word.text));
  }
  expect_punct(")");
  return result;
}

Expr Parser::load(Buffer buffer) {
  expect_punct("[");
  std::vector<Expr> indices;
  if (!is_word("where")) indices = exprs("]");
  Expr predicate = take_word("where") ? expr() : Expr();
  expect_punct("]");
  int lanes = 1;
  for (const Expr& index : indices) lanes = std::max<int>(lanes, index.dtype().lanes);
  const DType dtype = buffer->dtype.with_lanes(lanes);
  return Expr(new LoadNode(dtype, std::move(buffer), std::move(indices), std::move(predicate)));
}

Expr Parser::let_expr() {
  expect_punct("(");
  const std::string name = expect_name();
  expect_punct(":");
  const DType dtype = expect_dtype();
  expect_punct("=");
  Expr value = expr();
  expect_punct(",");
  const size_t mark = enter();
  Var var = bind_var(name, dtype);
  Expr body = expr();
  leave(mark);
  expect_punct(")");
  return Expr(new LetNode(var, std::move(value), std::move(body)));
}

Expr Parser::reduce_expr() {
  const Token& word = peek();
  expect_punct("(");
  Reducer how = reducer();
  expect_punct(",");
  expect_punct("[");
  std::vector<Var> axes;
  std::vector<Range> domains;
  std::vector<std::pair<std::string, DType>> names;
  list("]", [&] {
    const std::string name = expect_name();
    expect_punct(":");
    names.emplace_back(name, expect_dtype());
    expect_word("in");
    domains.push_back(range());
  });
  expect_punct("]");
  const size_t mark = enter();
  for (const auto& [name, dtype] : names) axes.push_back(bind_var(name, dtype));
  expect_punct(",");
  expect_punct("[");
  std::vector<Expr> sources = exprs("]");
  expect_punct("]");
  Expr where = take_word("where") ? expr() : Expr();
  leave(mark);
  expect_punct(",");
  const int64_t index = expect_int();
  if (index < 0 || index >= static_cast<int64_t>(how->arity())) {
    error_at(word, fmt::format("reducer {} has no value {}", how->name, index));
  }
  expect_punct(")");
  return Expr(new ReduceNode(how, std::move(sources), std::move(axes), std::move(domains),
                             std::move(where), index));
}

Range Parser::range() {
  Expr min = expr();
  if (take_punct("+:")) {
    Expr extent = expr();
    return {std::move(min), std::move(extent)};
  }
  Expr one(new IntImmNode(min.dtype(), 1));
  return {std::move(min), std::move(one)};
}

Reducer Parser::reducer() {
  const Token& token = peek();
  if (take_punct("@")) {
    const int64_t index = expect_int();
    auto it = user_reducers_.find(index);
    if (it == user_reducers_.end()) {
      error_at(token, fmt::format("reducer @{} is not defined", index));
    }
    return it->second;
  }
  if (token.kind != Token::Kind::kName) unexpected("a reducer");
  ++at_;
  std::vector<DType> dtypes;
  parenthesized([&] { list(")", [&] { dtypes.push_back(expect_dtype()); }); });
  Reducer found = builtin_reducer(token.text, dtypes);
  if (!found) error_at(token, fmt::format("there is no reducer '{}' of these dtypes", token.text));
  return found;
}

}  // namespace tilewright::ir
