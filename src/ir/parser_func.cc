#include "ir/parser.h"
#include "ir/printer.h"
#include "tilewright/ir/ops.h"

namespace tilewright::ir {

std::vector<Var> Parser::vars(std::string_view close) {
  std::vector<Var> result;
  list(close, [&] {
    const std::string name = expect_name();
    expect_punct(":");
    result.push_back(bind_var(name, expect_dtype()));
  });
  return result;
}

Layout Parser::layout() {
  std::vector<Var> logical;
  std::vector<Expr> physical, strides;
  Expr offset;
  std::vector<int64_t> fold;
  int64_t versions = 1, swizzle = 0;
  parenthesized([&] {
    const size_t mark = enter();  // the map's variables may be used in the strides as well
    if (take_word("map")) {
      parenthesized([&] {
        logical = vars("->");
        expect_punct("->");
        physical = exprs(")");
      });
    }
    if (take_word("strides")) parenthesized([&] { strides = exprs(")"); });
    leave(mark);
    if (take_word("offset")) parenthesized([&] { offset = expr(); });
    if (take_word("fold")) {
      parenthesized([&] { list(")", [&] { fold.push_back(expect_int()); }); });
    }
    if (take_word("versions")) parenthesized([&] { versions = expect_int(); });
    if (take_word("swizzle")) parenthesized([&] { swizzle = expect_int(); });
  });
  return Layout(new LayoutNode(std::move(logical), std::move(physical), std::move(strides),
                               std::move(offset), std::move(fold), versions, swizzle));
}

std::vector<Pad> Parser::pads() {
  std::vector<Pad> result;
  parenthesized([&] {
    list(")", [&] {
      Pad pad;
      pad.dim = expect_int();
      expect_punct(":");
      pad.multiple = expect_int();
      if (take_punct("=")) pad.value = expr();
      result.push_back(std::move(pad));
    });
  });
  return result;
}

AllocAt Parser::alloc_at() {
  if (take_word("param")) return {AllocAt::Kind::kParam, -1};
  if (take_word("root")) return {AllocAt::Kind::kRoot, -1};
  return {AllocAt::Kind::kLoop, expect_id()};
}

Buffer Parser::buffer() {
  std::string name = expect_name();
  expect_punct(":");
  const DType dtype = expect_dtype();
  expect_punct("[");
  std::vector<Expr> shape = exprs("]");
  expect_punct("]");
  const Scope scope = expect_choice<Scope>(parse_scope, "a scope");
  Layout where;
  if (take_word("layout")) where = layout();
  std::vector<Pad> pad;
  if (take_word("pad")) pad = pads();
  int64_t align = 0;
  if (take_word("align")) parenthesized([&] { align = expect_int(); });
  AllocAt at;
  if (take_word("at")) at = alloc_at();
  return Buffer(new BufferNode(std::move(name), dtype, std::move(shape), scope, where,
                               std::move(pad), align, at));
}

// Shapes of earlier parameters may name later scalars, so scalars are declared beforehand.
void Parser::declare_scalar_params() {
  for (size_t i = 0; !is_word("body", i) && peek(i).kind != Token::Kind::kEnd; ++i) {
    if (!is_word("param", i) || !is_punct(":", i + 2) || is_punct("[", i + 4)) continue;
    const size_t start = at_;
    at_ += i + 1;
    const Token& token = peek();
    const std::string name = expect_name();
    if (find(name)) error_at(token, fmt::format("parameter '{}' is defined twice", name));
    expect_punct(":");
    bind_var(name, expect_dtype());
    at_ = start;
  }
}

Param Parser::param() {
  Param result;
  if (is_punct("[", 3)) {
    const Token& token = peek();
    result.buffer = buffer();
    if (find(result.buffer->name)) {
      error_at(token, fmt::format("parameter '{}' is defined twice", result.buffer->name));
    }
    bind({result.buffer->name, {}, result.buffer});
  } else {
    const Binding* binding = find(expect_name());
    expect_punct(":");
    expect_dtype();
    internal_check(binding != nullptr, "scalar parameter was not declared beforehand");
    result.var = Var(static_cast<const VarNode*>(binding->var.get()));
  }
  result.role = expect_choice<ParamRole>(parse_param_role, "a parameter role");
  if (take_word("alias")) parenthesized([&] { result.alias_of = expect_int(); });
  result.layout_free = take_word("layout_free");
  result.strides_any = take_word("strides_any");
  return result;
}

void Parser::user_reducer() {
  expect_punct("@");
  const Token& token = peek();
  const int64_t index = expect_int();
  std::string name = expect_string();
  const size_t mark = enter();
  std::vector<Var> lhs, rhs;
  std::vector<Expr> results, identity;
  expect_word("lhs");
  parenthesized([&] { lhs = vars(")"); });
  expect_word("rhs");
  parenthesized([&] { rhs = vars(")"); });
  expect_word("results");
  parenthesized([&] { results = exprs(")"); });
  expect_word("identity");
  parenthesized([&] { identity = exprs(")"); });
  leave(mark);
  const bool associative = take_word("associative");
  const bool commutative = take_word("commutative");
  if (lhs.size() != rhs.size() || lhs.size() != results.size() || lhs.size() != identity.size()) {
    error_at(token, "lhs, rhs, results and identity must have one length");
  }
  user_reducers_[index] =
      Reducer(new ReducerNode(std::move(name), std::move(lhs), std::move(rhs), std::move(results),
                              std::move(identity), associative, commutative));
}

PrimFunc Parser::func() {
  expect_word("func");
  std::string name = expect_string();
  const Level level = expect_choice<Level>(parse_level, "a level");
  Attrs attributes;
  if (is_punct("@")) attributes = attrs();
  expect_punct("{");
  const size_t mark = enter();
  user_reducers_.clear();
  while (take_word("reducer")) user_reducer();
  declare_scalar_params();
  std::vector<Param> params;
  while (take_word("param")) params.push_back(param());
  std::vector<Expr> assumptions;
  while (take_word("assume")) assumptions.push_back(expr());
  std::vector<Buffer> allocs;
  while (take_word("alloc")) {
    allocs.push_back(buffer());
    bind({allocs.back()->name, {}, allocs.back()});
  }
  expect_word("body");
  Stmt body = block();
  leave(mark);
  expect_punct("}");
  return PrimFunc(new PrimFuncNode(std::move(name), std::move(params), std::move(assumptions),
                                   std::move(allocs), std::move(body), level,
                                   std::move(attributes)));
}

IRModule Parser::module() {
  IRModule result;
  expect_word("module");
  expect_word("entry");
  parenthesized([&] { result.entry = expect_string(); });
  expect_word("prepack");
  parenthesized([&] { result.prepack = expect_string(); });
  expect_word("target");
  parenthesized([&] { result.target = expect_string(); });
  expect_punct("{");
  while (take_word("constant")) {
    std::string key = expect_string();
    const Token& token = peek();
    const std::string digits = expect_string();
    if (digits.size() % 2 != 0 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      error_at(token, "expected pairs of hexadecimal digits");
    }
    std::string bytes;
    for (size_t i = 0; i < digits.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    result.constants[key] = std::move(bytes);
  }
  while (is_word("func")) result.funcs.push_back(func());
  expect_punct("}");
  return result;
}

}  // namespace tilewright::ir
