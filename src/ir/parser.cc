#include "ir/parser.h"

#include <charconv>

#include "ir/printer.h"
#include "ir/scalar.h"

namespace tilewright::ir {

// ---- Tokens -------------------------------------------------------------------------------------

const Token& Parser::peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::is_punct(std::string_view text, size_t ahead) const {
  return peek(ahead).kind == Token::Kind::kPunct && peek(ahead).text == text;
}

bool Parser::is_word(std::string_view word, size_t ahead) const {
  return peek(ahead).kind == Token::Kind::kName && peek(ahead).text == word;
}

bool Parser::take_punct(std::string_view text) {
  if (!is_punct(text)) return false;
  ++at_;
  return true;
}

bool Parser::take_word(std::string_view word) {
  if (!is_word(word)) return false;
  ++at_;
  return true;
}

void Parser::expect_punct(std::string_view text) {
  if (!take_punct(text)) unexpected(fmt::format("'{}'", text));
}

void Parser::expect_word(std::string_view word) {
  if (!take_word(word)) unexpected(fmt::format("'{}'", word));
}

void Parser::error(const std::string& message) const { error_at(peek(), message); }

void Parser::error_at(const Token& token, const std::string& message) const {
  parse_error(text_, token.offset, message);
}

void Parser::unexpected(const std::string& wanted) const {
  const Token& token = peek();
  if (token.kind == Token::Kind::kEnd) error(fmt::format("expected {}, got the end", wanted));
  error(fmt::format("expected {}, got '{}'", wanted, token.text));
}

std::string Parser::expect_name() {
  const Token& token = peek();
  const bool plain = token.kind == Token::Kind::kName && !is_reserved_word(token.text);
  if (!plain && token.kind != Token::Kind::kQuotedName) unexpected("a name");
  ++at_;
  return token.text;
}

std::string Parser::expect_string() {
  if (peek().kind != Token::Kind::kString) unexpected("a text in quotes");
  return tokens_[at_++].text;
}

DType Parser::expect_dtype() {
  if (peek().kind != Token::Kind::kName) unexpected("a dtype");
  try {
    const DType dtype = parse_dtype(peek().text);
    ++at_;
    return dtype;
  } catch (const Error& unknown) {
    error(unknown.what());
  }
}

int64_t Parser::expect_int() {
  const bool negative = take_punct("-");
  const Token& token = peek();
  uint64_t magnitude = 0;
  const char* end = token.text.data() + token.text.size();
  if (token.kind != Token::Kind::kNumber) unexpected("an integer");
  auto [stop, status] = std::from_chars(token.text.data(), end, magnitude);
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + negative;
  if (stop != end || status != std::errc() || magnitude > limit) {
    unexpected("an integer of 64 bits");
  }
  ++at_;
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

int64_t Parser::expect_id() {
  expect_punct("#");
  return expect_int();
}

void Parser::list(std::string_view close, const std::function<void()>& item) {
  if (is_punct(close)) return;
  do {
    item();
  } while (take_punct(","));
}

void Parser::parenthesized(const std::function<void()>& item) {
  expect_punct("(");
  item();
  expect_punct(")");
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  constexpr int kMaxDepth = 1000;
  if (++parser_.depth_ > kMaxDepth) {
    --parser_.depth_;
    parser_.error(fmt::format("nested deeper than {} levels", kMaxDepth));
  }
}

// ---- Names --------------------------------------------------------------------------------------

Var Parser::bind_var(const std::string& name, DType dtype) {
  Var var(name, dtype);
  bind({name, var, {}});
  return var;
}

const Parser::Binding* Parser::find(const std::string& name) const {
  for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
    if (it->name == name) return &*it;
  }
  return nullptr;
}

Buffer Parser::expect_buffer() {
  const Token& token = peek();
  const std::string name = expect_name();
  const Binding* binding = find(name);
  if (!binding || !binding->buffer) {
    error_at(token, fmt::format("'{}' is not a buffer in scope", name));
  }
  return binding->buffer;
}

void Parser::finish() {
  if (peek().kind != Token::Kind::kEnd) unexpected("the end");
}

PrimFunc parse_func(std::string_view text) {
  Parser parser(text);
  PrimFunc result = parser.func();
  parser.finish();
  return result;
}

IRModule parse_module(std::string_view text) {
  Parser parser(text);
  IRModule result = parser.module();
  parser.finish();
  return result;
}

}  // namespace tilewright::ir
