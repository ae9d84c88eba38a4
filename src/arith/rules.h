#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tilewright/ir/ops.h"

/// \file
/// The table of rewrite rules, as text, and the engine that applies it. The unit test walks the same
/// table and tries every row on random values of every dtype of its domain.

namespace tilewright::arith {

/// What the variables x, y, z of a rule range over. p, q, r are always bool; c0, c1, ... are literals
/// of the domain. `kInt` holds in wrapping arithmetic of every width; `kIndex` needs exact integers.
enum class RuleDomain : uint8_t { kBool, kInt, kUInt, kFloat, kNumber, kIndex };

/// `pattern` -> `replacement` where `condition` (empty: always) folds to true, or is proved.
///
/// Syntax: ! ~ - (unary), * / // %, + -, << >>, comparisons, & ^ |, &&, ||; min, max, fmin, fmax,
/// trunc_div, trunc_mod, select, if_then_else, abs, floor, ceil, trunc, round, broadcast, and the literals
/// 0, 1, ..., true, false, inf.
struct Rule {
  const char* name;
  RuleDomain domain;
  const char* pattern;
  const char* replacement;
  const char* condition = "";
};

std::span<const Rule> rule_table();

/// A parsed side of a rule.
struct Pattern {
  enum class Kind : uint8_t {
    kSlot,
    kConstant,
    kNumber,
    kBoolean,
    kInfinity,
    kBinary,
    kUnary,
    kSelect,
    kIfThenElse,
    kCall
  };
  Kind kind = Kind::kSlot;
  int slot = 0;        ///< kSlot: x y z p q r; kConstant: c0...
  int64_t number = 0;  ///< kNumber, kBoolean
  ir::BinaryOp binary{};
  ir::UnaryOp unary{};
  ir::Intrinsic intrinsic{};
  std::vector<Pattern> children;
};

inline constexpr int kRuleSlots = 12;
using Bindings = std::array<ir::Expr, kRuleSlots>;

/// Throws InternalError naming the text when it is not a pattern.
Pattern parse_pattern(std::string_view text);

/// Binds the slots of `pattern` so that it equals `expr`. Literals in the pattern match constants.
bool match(const Pattern& pattern, const ir::Expr& expr, RuleDomain domain, Bindings& bindings);

/// `pattern` with its slots replaced; `type` gives literals their dtype where no operand does.
ir::Expr instantiate(const Pattern& pattern, const Bindings& bindings, DType type);

/// True where the domain covers values of `dtype`.
bool in_domain(RuleDomain domain, DType dtype);

}  // namespace tilewright::arith
