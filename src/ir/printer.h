#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilewright/ir/text.h"

/// \file
/// The two printers share names and expressions. The text form's grammar is in parser.h.

namespace tilewright::ir {

/// Whether the text form gives `word` a meaning of its own, so that it needs quotes as a name.
bool is_reserved_word(std::string_view word);
/// Binding strength of infix operations, 1 (loosest) to 9; 0 for operations written as calls.
int precedence(BinaryOp op);
inline constexpr int kUnaryPrecedence = 10;

/// "..." with escapes.
std::string quoted_text(std::string_view text);
/// A plain identifier as it is, anything else in back quotes with escapes.
std::string escaped_name(std::string_view name);
/// The built-in reducer that `reducer` is structurally equal to, as the text form spells it
/// ("argmax(int64, float32)"); "" when it is a user's.
std::string builtin_spelling(const Reducer& reducer);
/// The built-in reducer of that name and dtypes; null when there is none.
Reducer builtin_reducer(std::string_view name, const std::vector<DType>& dtypes);

/// Gives each variable and buffer one name, different from all others.
class NameTable {
 public:
  explicit NameTable(bool escape) : escape_(escape) {}
  const std::string& of(const Node* node, std::string_view wanted);

 private:
  bool escape_;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_set<std::string> used_;
};

/// Prints expressions and what both forms share; appends to `out`.
class BasePrinter {
 public:
  BasePrinter(bool pretty, PrintOptions options)
      : pretty_(pretty), options_(options), names_(!pretty) {}
  void expr(const Expr& e, int min_precedence = 0);
  std::string take() { return std::move(out); }

  std::string out;

 protected:
  void node(const IntImmNode& n);
  void node(const FloatImmNode& n);
  void node(const BinaryNode& n, int min_precedence);
  void node(const LoadNode& n);
  void node(const CallNode& n);
  void node(const LetNode& n);
  void node(const ReduceNode& n);
  void exprs(const std::vector<Expr>& list);
  void call(std::string_view name, std::initializer_list<Expr> args);
  void access(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& predicate);
  void range(const Range& r);
  void regions(const std::vector<Region>& list);
  void reducer(const Reducer& r);
  void attrs(const Attrs& list);
  void attr_value(const AttrValue& value);
  const std::string& name(const Expr& var);
  const std::string& name(const Buffer& buffer);
  /// "x: int64"
  void typed(const Var& var);
  void newline();
  template <typename List, typename F>
  void joined(const List& list, F each) {
    bool first = true;
    for (const auto& item : list) {
      if (!first) out += ", ";
      first = false;
      each(item);
    }
  }

  bool pretty_;
  PrintOptions options_;
  NameTable names_;
  int indent_ = 0;
  std::vector<Reducer> user_reducers_;  // in order of first use; printed as @0, @1, ...
};

}  // namespace tilewright::ir
