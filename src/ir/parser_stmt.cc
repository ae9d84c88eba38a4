#include "ir/parser.h"
#include "ir/printer.h"
#include "tilewright/ir/ops.h"

namespace tilewright::ir {

Stmt Parser::block() {
  expect_punct("{");
  Nesting nesting(*this);
  std::vector<Stmt> stmts;
  while (!is_punct("}")) stmts.push_back(stmt());
  expect_punct("}");
  if (stmts.size() == 1) return stmts[0];
  return Stmt(new SeqNode(std::move(stmts)));
}

Stmt Parser::stmt() {
  const Token& token = peek();
  if (token.kind == Token::Kind::kName && is_reserved_word(token.text)) {
    return stmt_of(token.text);
  }
  if (token.kind == Token::Kind::kName || token.kind == Token::Kind::kQuotedName) return store();
  unexpected("a statement");
}

Stmt Parser::stmt_of(const std::string& word) {
  if (word == "update") return update();
  if (word == "for") return loop();
  if (word == "if") return conditional();
  if (word == "let") return let_stmt();
  if (word == "alloc") return alloc();
  if (word == "assert") return assertion();
  if (word == "block") return block_realize();
  if (take_word("eval")) return Stmt(new EvaluateNode(expr()));
  if (take_word("barrier")) {
    return Stmt(new BarrierNode(expect_choice<Scope>(parse_scope, "a scope")));
  }
  if (take_word("seq")) {
    expect_punct("{");
    Nesting nesting(*this);
    std::vector<Stmt> stmts;
    while (!is_punct("}")) stmts.push_back(stmt());
    expect_punct("}");
    return Stmt(new SeqNode(std::move(stmts)));
  }
  unexpected("a statement");
}

Stmt Parser::with_var(const Var& var, const std::function<Stmt()>& inner) {
  const size_t mark = enter();
  bind({var.name(), var, {}});
  Stmt result = inner();
  leave(mark);
  return result;
}

Stmt Parser::store() {
  Buffer target = expect_buffer();
  expect_punct("[");
  std::vector<Expr> indices = exprs("]");
  expect_punct("]");
  expect_punct("=");
  Expr value = expr();
  Expr predicate = take_word("where") ? expr() : Expr();
  return Stmt(new StoreNode(target, std::move(indices), std::move(value), std::move(predicate)));
}

Stmt Parser::update() {
  expect_word("update");
  std::vector<Buffer> buffers;
  list("[", [&] { buffers.push_back(expect_buffer()); });
  expect_punct("[");
  std::vector<Expr> indices = exprs("]");
  expect_punct("]");
  expect_word("by");
  Reducer how = reducer();
  expect_word("with");
  std::vector<Expr> values;
  list("}", [&] { values.push_back(expr()); });
  return Stmt(new UpdateNode(how, std::move(buffers), std::move(indices), std::move(values)));
}

Stmt Parser::loop() {
  expect_word("for");
  const std::string name = expect_name();
  expect_punct(":");
  Var var(name, expect_dtype());
  const int64_t id = expect_id();
  expect_word("in");
  const Token& from = peek();
  if (expect_int() != 0) error_at(from, "a loop begins at 0");
  expect_punct("..");
  Expr extent = expr();
  const ForKind kind = expect_choice<ForKind>(parse_for_kind, "a loop kind");
  ThreadAxis axis = ThreadAxis::kNone;
  if (take_word("thread")) {
    parenthesized([&] { axis = expect_choice<ThreadAxis>(parse_thread_axis, "a thread axis"); });
  }
  Attrs annotations;
  if (is_punct("@")) annotations = attrs();
  Stmt body = with_var(var, [&] { return block(); });
  return Stmt(new ForNode(id, var, std::move(extent), kind, axis, std::move(annotations), body));
}

Stmt Parser::conditional() {
  expect_word("if");
  Expr condition = expr();
  Stmt then_body = block();
  Stmt else_body;
  if (take_word("else")) else_body = block();
  return Stmt(new IfNode(std::move(condition), std::move(then_body), std::move(else_body)));
}

Stmt Parser::let_stmt() {
  expect_word("let");
  const std::string name = expect_name();
  expect_punct(":");
  Var var(name, expect_dtype());
  expect_punct("=");
  Expr value = expr();
  Stmt body = with_var(var, [&] { return block(); });
  return Stmt(new LetStmtNode(var, std::move(value), std::move(body)));
}

Stmt Parser::alloc() {
  expect_word("alloc");
  Buffer storage = buffer();
  const size_t mark = enter();
  bind({storage->name, {}, storage});
  Stmt body = block();
  leave(mark);
  return Stmt(new AllocNode(storage, std::move(body)));
}

Stmt Parser::assertion() {
  expect_word("assert");
  Expr condition = expr();
  expect_word("status");
  int64_t status = 0;
  parenthesized([&] { status = expect_int(); });
  std::string message = expect_string();
  std::vector<Expr> values;
  parenthesized([&] { values = exprs(")"); });
  return Stmt(new AssertNode(std::move(condition), status, std::move(message), std::move(values)));
}

// ---- Blocks -------------------------------------------------------------------------------------

std::vector<Conjunct> Parser::guard() {
  std::vector<Conjunct> result;
  parenthesized([&] {
    list(")", [&] {
      Conjunct conjunct;
      conjunct.cond = expr();
      expect_punct(":");
      conjunct.tail = expect_choice<Tail>(parse_tail, "a tail policy");
      if (is_punct("#")) conjunct.loop = expect_id();
      result.push_back(std::move(conjunct));
    });
  });
  return result;
}

std::vector<Region> Parser::regions() {
  std::vector<Region> result;
  do {
    Region region;
    region.buffer = expect_buffer();
    expect_punct("[");
    list("]", [&] { region.ranges.push_back(range()); });
    expect_punct("]");
    result.push_back(std::move(region));
  } while (take_punct(","));
  return result;
}

Stmt Parser::block_realize() {
  expect_word("block");
  std::string name = expect_string();
  const int64_t id = expect_id();
  const BlockKind kind = expect_choice<BlockKind>(parse_block_kind, "a block kind");
  std::vector<IterVar> iters;
  std::vector<Expr> values;
  parenthesized([&] {
    list(")", [&] {
      IterVar iter;
      iter.kind = expect_choice<IterKind>(parse_iter_kind, "an iteration kind");
      const std::string var = expect_name();
      expect_punct(":");
      iter.var = Var(var, expect_dtype());
      expect_word("in");
      iter.dom = range();
      expect_punct("=");
      values.push_back(expr());
      iters.push_back(std::move(iter));
    });
  });
  std::vector<Conjunct> conjuncts;
  if (take_word("guard")) conjuncts = guard();
  const size_t mark = enter();
  for (const IterVar& iter : iters) bind({iter.var.name(), iter.var, {}});
  Expr where = take_word("where") ? expr() : Expr();
  std::vector<Region> reads, writes;
  if (take_word("reads")) reads = regions();
  if (take_word("writes")) writes = regions();
  Reducer how;
  if (take_word("reducer")) how = reducer();
  Attrs annotations;
  if (take_word("annotations")) annotations = attrs();
  std::string origin;
  if (take_word("origin")) origin = expect_string();
  Stmt init;
  if (take_word("init")) init = block();
  expect_word("body");
  Stmt body = block();
  leave(mark);
  Block node(new BlockNode(id, std::move(name), kind, std::move(iters), std::move(where),
                           std::move(reads), std::move(writes), std::move(how), std::move(init),
                           std::move(body), std::move(annotations), std::move(origin)));
  return Stmt(new BlockRealizeNode(std::move(values), std::move(conjuncts), std::move(node)));
}

// ---- Attributes ---------------------------------------------------------------------------------

Attrs Parser::attrs() {
  expect_punct("@");
  expect_punct("{");
  Attrs result;
  list("}", [&] {
    const Token& token = peek();
    std::string key = expect_string();
    expect_punct(":");
    AttrValue value = attr_value();
    if (!result.emplace(key, std::move(value)).second) {
      error_at(token, fmt::format("key \"{}\" is given twice", key));
    }
  });
  expect_punct("}");
  return result;
}

AttrValue Parser::attr_value() {
  if (peek().kind == Token::Kind::kString) return expect_string();
  if (take_punct("[")) {
    std::vector<int64_t> items;
    list("]", [&] { items.push_back(expect_int()); });
    expect_punct("]");
    return items;
  }
  const Token& number = peek(is_punct("-") ? 1 : 0);
  const bool whole = number.kind == Token::Kind::kNumber &&
                     number.text.find_first_not_of("0123456789") == std::string::npos;
  if (whole) return expect_int();
  return expect_float();
}

}  // namespace tilewright::ir
