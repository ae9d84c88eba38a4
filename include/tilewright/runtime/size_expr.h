#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// Values of the symbolic sizes of one call.
using SizeMap = std::map<std::string, int64_t, std::less<>>;

/// An extent of a parameter as a manifest writes it: an expression in size names.
///
///     sum     := product (("+" | "-") product)*
///     product := unary (("*" | "//" | "%") unary)*
///     unary   := "-" unary | number | name | function "(" sum "," sum ")" | "(" sum ")"
///
/// Functions are min, max, floor_div and floor_mod; `//` and `%` round towards minus infinity.
class SizeExpr {
 public:
  SizeExpr() : SizeExpr(0) {}
  explicit SizeExpr(int64_t constant);
  /// Throws Error size.syntax naming the text and the place.
  static SizeExpr parse(std::string_view text);

  /// The text it was parsed from.
  const std::string& text() const { return text_; }
  std::optional<int64_t> constant() const;
  /// The name when the whole expression is one size name, else "".
  std::string name() const;

  /// Nullopt when a name has no value in `sizes`. Throws Error size.arithmetic for a division by zero
  /// or a result outside int64.
  std::optional<int64_t> evaluate(const SizeMap& sizes) const;

 private:
  friend class SizeExprParser;
  enum class Op : uint8_t { kConstant, kName, kAdd, kSub, kMul, kFloorDiv, kFloorMod, kMin, kMax };
  struct Step {
    Op op;
    int64_t value = 0;
    std::string name;
  };
  std::vector<Step> steps_;  // postfix
  std::string text_;
};

}  // namespace tilewright::runtime
