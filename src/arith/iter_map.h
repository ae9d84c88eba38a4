#pragma once

#include <optional>
#include <vector>

#include "arith/impl.h"

namespace tilewright::arith {

/// A mixed-radix digit of the domain of a map: (source // lower) % extent.
struct Digit {
  size_t source = 0;
  Linear lower, extent;
  std::vector<size_t> members;  ///< a digit made of others by a guard; then `source` means nothing
};

/// What digits are taken from: a variable, or a linear form of variables that is itself a number in
/// mixed radix.
struct DigitSource {
  Linear form, extent;
  std::vector<size_t> inputs;  ///< digits a compound form is made of; empty for a variable
  bool whole = true;           ///< the form takes every value of [0, extent) exactly once
};

/// scale * digit, as part of a value.
struct Piece {
  Linear scale;
  size_t digit = 0;
};

/// sum(pieces) + fixed, where `fixed` does not depend on the variables of the map.
struct PieceSum {
  std::vector<Piece> pieces;
  Linear fixed;
};

/// Decides facts about quasi-affine maps by reading each value as digits of the variables.
class IterMap {
 public:
  IterMap(const Analyzer& analyzer, const std::vector<std::pair<ir::Var, ir::Expr>>& var_extents);

  MapFacts analyze(const std::vector<ir::Expr>& values, const std::vector<ir::Expr>& extents,
                   const ir::Expr& guard);

 private:
  struct Guard {
    PieceSum sum;  ///< sum < bound, where bound includes all fixed parts
    Linear bound;
  };

  bool depends(AtomId atom);
  bool equal(const Linear& a, const Linear& b);
  bool at_least(const Linear& a, const Linear& b);
  std::optional<PieceSum> read(const Linear& form);
  std::optional<size_t> read_digit(AtomId atom);
  std::optional<size_t> source_of(const Linear& form);
  size_t digit_of(size_t source, const Linear& lower, const Linear& extent);
  /// Orders `pieces` by scale as a number whose digits do not overlap; nullopt when they may. `compact`:
  /// without gaps from scale 1 on. `count`: product of the extents.
  struct Radix {
    bool compact = true;
    Linear count;
  };
  std::optional<Radix> radix(std::vector<Piece> pieces);
  /// Does every value of every used variable follow from the digits? `covered`: and is each combination
  /// of digits taken. nullopt: undecided, or a digit is missing.
  struct Sources {
    bool determined = true, covered = true, missing = false;
  };
  Sources check_sources();
  void check_source(size_t source, Sources& result);
  bool read_guard(const ir::Expr& condition);
  bool apply_guard(const Guard& guard);
  bool is_value_bound(const Guard& guard, size_t value) const;

  Analyzer analyzer_;
  Analyzer::Impl& impl_;
  std::vector<AtomId> vars_;
  std::unordered_map<AtomId, bool> dependence_;
  std::vector<DigitSource> sources_;
  std::vector<Digit> digits_;
  std::vector<PieceSum> values_;
  std::vector<Linear> extents_;
  std::vector<Guard> guards_;
  std::vector<bool> bounded_;  ///< per value: the guard says value < extent
};

}  // namespace tilewright::arith
