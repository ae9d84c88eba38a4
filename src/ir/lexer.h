#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::ir {

struct Token {
  enum class Kind : uint8_t {
    kName,        ///< identifier or keyword
    kQuotedName,  ///< `...`, never a keyword
    kNumber,      ///< unsigned; integer, decimal or hexadecimal float
    kString,      ///< "..."
    kPunct,
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string text;  ///< without quotes, escapes resolved
  size_t offset = 0;
};

/// Splits the text form into tokens, the last one kEnd. `;` begins a comment up to the end of the
/// line. Throws Error "ir.parse".
std::vector<Token> tokenize(std::string_view text);

/// Throws Error "ir.parse" with line and column of `offset`.
[[noreturn]] void parse_error(std::string_view text, size_t offset, const std::string& message);

}  // namespace tilewright::ir
