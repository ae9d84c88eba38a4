#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/lexer.h"
#include "tilewright/ir/stmt.h"

/// \file
/// Recursive descent over the text form. Nodes are built as written: nothing is folded.
///
///   module  = "module" "entry" "(" STR ")" "prepack" "(" STR ")" "target" "(" STR ")"
///             "{" {"constant" STR STR-of-hex-bytes} {func} "}"
///   func    = "func" STR level [attrs] "{" {udef} {"param" (buffer | NAME ":" dtype) role {flag}}
///             {"assume" expr} {"alloc" buffer} "body" block "}"
///   flag    = "alias" "(" INT ")" | "layout_free" | "strides_any"
///   udef    = "reducer" "@" INT STR "lhs" "(" vars ")" "rhs" "(" vars ")" "results" "(" exprs ")"
///             "identity" "(" exprs ")" ["associative"] ["commutative"]
///   buffer  = NAME ":" dtype "[" exprs "]" scope [layout] ["pad" "(" INT ":" INT ["=" expr], ... ")"]
///             ["align" "(" INT ")"] ["at" ("param" | "root" | id)]
///   layout  = "layout" "(" ["map" "(" vars "->" exprs ")"] ["strides" "(" exprs ")"]
///             ["offset" "(" expr ")"] ["fold" "(" ints ")"] ["versions" "(" INT ")"]
///             ["swizzle" "(" INT ")"] ")"
///   attrs   = "@" "{" STR ":" (INT | FLOAT | STR | "[" ints "]"), ... "}"
///   id      = "#" INT                       (schedule handle of a loop or block)
///
///   block   = "{" {stmt} "}"                (one statement stands for itself, else a sequence)
///   stmt    = NAME "[" exprs "]" "=" expr ["where" expr]
///           | "update" NAME, ... "[" exprs "]" "by" reducer "with" expr, ...
///           | "for" NAME ":" dtype id "in" "0" ".." expr kind ["thread" "(" axis ")"] [attrs] block
///           | "seq" "{" {stmt} "}" | "if" expr block ["else" block]
///           | "let" NAME ":" dtype "=" expr block | "alloc" buffer block | "eval" expr
///           | "assert" expr "status" "(" INT ")" STR "(" exprs ")" | "barrier" scope
///           | "block" STR id kind "(" {iterkind NAME ":" dtype "in" range "=" expr, ...} ")"
///             ["guard" "(" expr ":" tail [id], ... ")"] ["where" expr] ["reads" regions]
///             ["writes" regions] ["reducer" reducer] ["annotations" attrs] ["origin" STR]
///             ["init" block] "body" block
///   range   = expr ["+:" expr]              (min, extent; extent 1 when left out)
///   regions = NAME "[" range, ... "]", ...
///   reducer = "@" INT | ("sum"|"prod"|"max"|"min"|"argmax"|"argmin"|"any"|"all") "(" dtypes ")"
///
///   expr    = infix operations, loosest first: || ; && ; == != < <= > >= ; | ; ^ ; & ; << >> ;
///             + - ; * / // % ; prefix - ! ~
///   primary = INT (int64) | "-" INT | "true" | "false" | STR | dtype "(" number ")" | NAME
///           | NAME "[" exprs ["where" expr] "]" | "(" expr ")" | "cast" "(" dtype "," expr ")"
///           | "bitcast" "(" dtype "," expr ")" | "let" "(" NAME ":" dtype "=" expr "," expr ")"
///           | "reduce" "(" reducer "," "[" {NAME ":" dtype "in" range} "]" "," "[" exprs "]"
///             ["where" expr] "," INT ")" | FUNCTION "(" exprs ")"
///   FUNCTION: select if_then_else ramp broadcast extract min max fmin fmax trunc_div trunc_mod and
///   every intrinsic. A NAME that is a word of this grammar stands in back quotes. `;` is a comment.

namespace tilewright::ir {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

  PrimFunc func();
  IRModule module();
  /// Fails unless the text is used up.
  void finish();

 private:
  // Tokens.
  const Token& peek(size_t ahead = 0) const;
  bool is_punct(std::string_view text, size_t ahead = 0) const;
  bool is_word(std::string_view word, size_t ahead = 0) const;
  bool take_punct(std::string_view text);
  bool take_word(std::string_view word);
  void expect_punct(std::string_view text);
  void expect_word(std::string_view word);
  std::string expect_name();
  std::string expect_string();
  DType expect_dtype();
  int64_t expect_int();
  int64_t expect_id();
  [[noreturn]] void error(const std::string& message) const;
  [[noreturn]] void error_at(const Token& token, const std::string& message) const;
  [[noreturn]] void unexpected(const std::string& wanted) const;
  template <typename E>
  E expect_choice(std::optional<E> (*parse)(std::string_view), const char* what);
  /// item {"," item}, or nothing when the next token is `close`.
  void list(std::string_view close, const std::function<void()>& item);
  void parenthesized(const std::function<void()>& item);

  // Names in scope. A binding hides an older one until `leave` gives it back.
  struct Binding {
    std::string name;
    Expr var;
    Buffer buffer;
  };
  Var bind_var(const std::string& name, DType dtype);
  void bind(Binding binding) { scope_.push_back(std::move(binding)); }
  size_t enter() const { return scope_.size(); }
  void leave(size_t mark) { scope_.resize(mark); }
  const Binding* find(const std::string& name) const;
  Buffer expect_buffer();

  // Expressions (parser_expr.cc).
  Expr expr() { return infix(1); }
  Expr infix(int min_precedence);
  Expr make_binary(const Token& at, BinaryOp op, Expr a, Expr b);
  Expr prefix();
  Expr primary();
  Expr named(const Token& word);
  Expr load(Buffer buffer);
  Expr literal(DType dtype);
  Expr call_expr(const Token& word);
  Expr let_expr();
  Expr reduce_expr();
  int expect_lanes();
  std::vector<Expr> exprs(std::string_view close);
  std::vector<Expr> arguments(const Token& word, size_t count);
  Range range();
  Reducer reducer();
  double expect_float();

  // Statements (parser_stmt.cc).
  Stmt block();
  Stmt stmt();
  Stmt stmt_of(const std::string& word);
  Stmt store();
  Stmt update();
  Stmt loop();
  Stmt conditional();
  Stmt let_stmt();
  Stmt alloc();
  Stmt assertion();
  Stmt block_realize();
  Stmt with_var(const Var& var, const std::function<Stmt()>& inner);
  std::vector<Conjunct> guard();
  std::vector<Region> regions();
  Attrs attrs();
  AttrValue attr_value();

  // Functions (parser_func.cc).
  Buffer buffer();
  Layout layout();
  std::vector<Pad> pads();
  AllocAt alloc_at();
  Param param();
  std::vector<Var> vars(std::string_view close);
  void user_reducer();
  void declare_scalar_params();

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<Binding> scope_;
  std::map<int64_t, Reducer> user_reducers_;

  /// Counts nesting, so that hostile text gives an error and not a stack overflow.
  struct Nesting {
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.depth_; }
    Parser& parser_;
  };
};

template <typename E>
E Parser::expect_choice(std::optional<E> (*parse)(std::string_view), const char* what) {
  if (peek().kind == Token::Kind::kName) {
    if (std::optional<E> value = parse(peek().text)) {
      ++at_;
      return *value;
    }
  }
  unexpected(what);
}

}  // namespace tilewright::ir
