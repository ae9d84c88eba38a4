#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/stmt.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::arith {

/// Constant interval with optional infinite ends; both ends included. Empty when min > max.
struct Interval {
  static constexpr int64_t kNegInf = INT64_MIN, kPosInf = INT64_MAX;
  int64_t min = kNegInf, max = kPosInf;
  bool bounded() const { return min != kNegInf && max != kPosInf; }
  bool operator==(const Interval&) const = default;
};

/// x = residue (mod modulus); modulus 0: x == residue; modulus 1: nothing known. 0 <= residue < modulus.
struct Congruence {
  int64_t modulus = 1, residue = 0;
};

/// Symbolic bounds of an expression, both included; null where unknown.
struct SymbolicInterval {
  ir::Expr min, max;
};

/// A linear form sum(coefficient * term) + constant over terms that are variables or opaque quasi-affine
/// sub-expressions (floor_div, floor_mod, ...).
struct LinearForm {
  std::vector<std::pair<ir::Expr, int64_t>> terms;
  int64_t constant = 0;
};

/// Facts about integer variables and what follows from them. Index arithmetic is treated as exact
/// (int64, no wrap), so the Analyzer is for indices, extents and guards, never for data arithmetic:
/// it simplifies only int64/int32 index expressions and bools, and leaves other expressions' arithmetic as
/// they are (their integer sub-expressions used as indices are simplified). int32 sums count as exact only
/// where no value can leave int32; values of loads and conversions are never assumed not to wrap.
///
/// Queries fill memos, so one Analyzer must not be used by two threads at once.
class Analyzer {
 public:
  struct Impl;  ///< private to src/arith

  Analyzer();
  ~Analyzer();
  Analyzer(Analyzer&&) noexcept;
  Analyzer& operator=(Analyzer&&) noexcept;
  /// Copies all facts.
  Analyzer(const Analyzer&);
  Analyzer& operator=(const Analyzer&);

  /// var in [0, extent) or [range.min, range.min + range.extent).
  void bind(const ir::Var& var, const ir::Range& range);
  void bind_extent(const ir::Var& var, const ir::Expr& extent);
  /// var == value wherever it is used.
  void bind_value(const ir::Var& var, const ir::Expr& value);
  /// A bool expression known to hold (n >= 1, n % 8 == 0, a guard, ...). Conjunctions are split.
  void assume(const ir::Expr& condition);

  /// Canonical simplification: linear forms collected, quasi-affine div/mod rules, min/max/select,
  /// comparisons proved. Idempotent. Works on any expression and below it.
  ir::Expr simplify(const ir::Expr& expr) const;
  /// True only with a proof.
  bool can_prove(const ir::Expr& condition) const;
  bool can_prove_equal(const ir::Expr& a, const ir::Expr& b) const;
  bool can_prove_lt(const ir::Expr& a, const ir::Expr& b) const { return can_prove(a < b); }

  Interval const_interval(const ir::Expr& expr) const;
  Congruence congruence(const ir::Expr& expr) const;
  /// Bounds of `expr` while each variable of `vars` runs over its bound range and all others stay fixed
  /// symbols; conservative (encloses).
  SymbolicInterval bounds_over(const ir::Expr& expr, const std::vector<ir::Var>& vars) const;

  /// Terms and constant of an integer expression (after simplification).
  LinearForm linear_form(const ir::Expr& expr) const;

  Impl& impl() const { return *impl_; }  ///< for src/arith

 private:
  std::unique_ptr<Impl> impl_;
};

ir::Expr from_linear_form(const LinearForm& form, DType dtype = kInt64);

/// Binds what is known from a function: shape variables >= 0, then its assumptions.
void bind_function_facts(Analyzer& analyzer, const ir::PrimFunc& func);

/// Is the map `vars` (with their bound extents) -> `values` injective / does it cover the box of `extents`
/// exactly once (a bijection onto it)? Decided on quasi-affine maps made of splits and fuses; nullopt when
/// undecided.
struct MapFacts {
  std::optional<bool> injective;
  std::optional<bool> covers;
};
MapFacts analyze_map(const Analyzer& analyzer,
                     const std::vector<std::pair<ir::Var, ir::Expr>>& var_extents,
                     const std::vector<ir::Expr>& values, const std::vector<ir::Expr>& extents,
                     const ir::Expr& guard);

/// Bounding box of all accesses of `buffer` below `stmt` while the variables bound inside `stmt` run and
/// all others stay fixed (block iter vars are replaced by their iter values). Each range simplified; extents
/// independent of inner variables. `reads`/`writes` choose the accesses. nullopt when there is none; a
/// dimension that can't be bounded gets [0, shape). Conditions and guards are not looked at, so the box may
/// reach beyond the shape where accesses outside it never happen.
std::optional<ir::Region> accessed_region(const Analyzer& outer, const ir::Stmt& stmt,
                                          const ir::Buffer& buffer, bool reads, bool writes);

/// Derives a compute block's reads and writes (boxes over its iter vars) from its body and init. Boxes of
/// accesses under a condition are moved inside [0, shape), keeping a constant length.
ir::Block with_derived_regions(const ir::Block& block);

}  // namespace tilewright::arith
