#include "ir/lexer.h"

#include <array>

#include "tilewright/support/error.h"

namespace tilewright::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

constexpr std::array<std::string_view, 12> kLongPunct{
    "..", "+:", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "//"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blanks();
      Token token;
      token.offset = at_;
      if (at_ < text_.size()) read(token);
      tokens.push_back(token);
      if (token.kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  void read(Token& token) {
    const char c = peek();
    if (is_letter(c)) {
      token.kind = Token::Kind::kName;
      while (is_letter(peek()) || is_digit(peek())) token.text += text_[at_++];
    } else if (is_digit(c)) {
      token.kind = Token::Kind::kNumber;
      read_number(token.text);
    } else if (c == '"' || c == '`') {
      token.kind = c == '"' ? Token::Kind::kString : Token::Kind::kQuotedName;
      read_quoted(token);
    } else {
      token.kind = Token::Kind::kPunct;
      read_punct(token.text);
    }
  }

  void read_number(std::string& out) {
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (hex) {
      out += text_.substr(at_, 2);
      at_ += 2;
    }
    auto digits = [&] {
      while (hex ? hex_value(peek()) >= 0 : is_digit(peek())) out += text_[at_++];
    };
    digits();
    // Not the dots of a range "0..n".
    if (peek() == '.' && peek(1) != '.') {
      out += text_[at_++];
      digits();
    }
    const char exponent = hex ? 'p' : 'e';
    if (peek() == exponent) {
      out += text_[at_++];
      if (peek() == '+' || peek() == '-') out += text_[at_++];
      while (is_digit(peek())) out += text_[at_++];
    }
  }

  void read_quoted(Token& token) {
    const char quote = text_[at_++];
    for (;;) {
      if (at_ >= text_.size()) parse_error(text_, token.offset, "the quotes are not closed");
      const char c = text_[at_++];
      if (c == quote) return;
      if (c != '\\') {
        token.text += c;
        continue;
      }
      const char code = peek();
      ++at_;
      if (code == 'n') {
        token.text += '\n';
      } else if (code == 'x' && hex_value(peek()) >= 0 && hex_value(peek(1)) >= 0) {
        token.text += static_cast<char>(hex_value(peek()) * 16 + hex_value(peek(1)));
        at_ += 2;
      } else if (code == quote || code == '\\') {
        token.text += code;
      } else {
        parse_error(text_, at_ - 2, "unknown escape; known are \\\\, \\n, \\xNN and the quote");
      }
    }
  }

  void read_punct(std::string& out) {
    for (std::string_view punct : kLongPunct) {
      if (text_.substr(at_, 2) == punct) {
        out = punct;
        at_ += 2;
        return;
      }
    }
    constexpr std::string_view kSingle = "(){}[],:=+-*/%<>!~&|^@#";
    if (kSingle.find(peek()) == std::string_view::npos) {
      parse_error(text_, at_, fmt::format("unexpected character '{}'", peek()));
    }
    out = std::string(1, text_[at_++]);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

void parse_error(std::string_view text, size_t offset, const std::string& message) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < offset && i < text.size(); ++i) {
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  fail("ir.parse", "line {}, column {}: {}", line, column, message);
}

}  // namespace tilewright::ir
