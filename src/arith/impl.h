#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arith/interval_ops.h"
#include "arith/linear.h"
#include "tilewright/arith/analyzer.h"

/// \file
/// The inside of the Analyzer. Integer expressions become `Linear` forms over interned atoms; atoms are
/// variables, products of atoms, quotients, remainders, minima and maxima of linear forms, and opaque
/// expressions. Equal values that canonicalise alike have equal `Linear`s, so comparing is comparing ids.
///
/// Forms are built by `linearize`, which applies all rules on the way; `render` turns them back.

namespace tilewright::arith {

enum class AtomKind : uint8_t { kVar, kProduct, kDiv, kMod, kMin, kMax, kOpaque };

/// An interned term.
struct Atom {
  AtomKind kind = AtomKind::kOpaque;
  /// A value of program data (load, call, conversion): it may take any value of its dtype and promises
  /// nothing about wrapping in sums with others.
  bool data = false;
  std::vector<Linear> args;     ///< kDiv, kMod: dividend and divisor; kMin, kMax: the operands
  std::vector<AtomId> factors;  ///< kProduct: sorted, none a product
  ir::Expr expr;  ///< kVar, kOpaque: the expression; others: its int64 form once rendered
  uint32_t interval_version = 0;  ///< facts version for which `interval` and `congruence` hold
  bool interval_busy = false;     ///< being computed: bounds of variables may go round in a circle
  uint32_t congruence_version = 0;
  Interval interval;
  Congruence congruence;
};

/// What binding a variable says. Linear bounds may be missing (overflow set).
struct VarInfo {
  Linear low = linear_overflow(), high = linear_overflow();
  std::optional<Linear> value;  ///< the variable always has this value
  uint32_t order = 0;           ///< position among bindings
};

struct Analyzer::Impl {
  std::deque<Atom> atoms;
  std::unordered_multimap<uint64_t, AtomId> atom_index;
  std::unordered_map<AtomId, VarInfo> vars;
  std::unordered_map<AtomId, Interval> interval_facts;
  std::unordered_map<AtomId, Congruence> congruence_facts;
  std::vector<Linear> facts;         ///< each is >= 0
  std::vector<ir::Expr> bool_facts;  ///< canonical conditions known to hold that are not linear
  uint32_t version = 1;              ///< grows with every new fact
  uint32_t bind_count = 0;
  // Memos, cleared when facts change. The first Expr of a value keeps the key alive.
  std::unordered_map<const ir::ExprNode*, std::pair<ir::Expr, Linear>> linear_memo;
  std::unordered_map<const ir::ExprNode*, std::pair<ir::Expr, ir::Expr>> simplify_memo;

  void facts_changed();

  // facts.cc
  void bind(const ir::Var& var, const Linear& low, const Linear& high);
  void bind_value(const ir::Var& var, const ir::Expr& value);
  void assume(const ir::Expr& condition);
  void assume_nonneg(const Linear& form);
  void assume_zero(const Linear& form);
  void assume_nonzero(const Linear& form, const ir::Expr& condition);

  // atoms.cc
  AtomId intern(Atom atom);
  AtomId var_atom(const ir::Expr& var);
  AtomId opaque_atom(const ir::Expr& expr);
  /// Product of single atoms or products.
  AtomId product_atom(AtomId a, AtomId b);
  /// The atom without one occurrence of all of `divisor`'s factors; nullopt when it is no multiple.
  /// An empty quotient (1) is given as the number kOne.
  std::optional<AtomId> divide_atom(AtomId atom, AtomId divisor) const;
  static constexpr AtomId kOne = UINT32_MAX;
  size_t degree(AtomId atom) const;
  /// Order of printing, the same in every analyzer up to ties of equal names.
  int compare_atoms(AtomId a, AtomId b) const;
  int compare_linear(const Linear& a, const Linear& b) const;
  std::vector<std::pair<AtomId, int64_t>> display_terms(const Linear& form) const;
  /// False when data atoms take part in a way that could wrap, so that only ring identities (modulo
  /// 2^64) hold for the form.
  bool exact(const Linear& form);
  bool depends_on(AtomId atom, const std::vector<AtomId>& vars,
                  std::unordered_map<AtomId, bool>& memo) const;

  // render.cc
  /// Null when the value, or a part that must not wrap, may not fit `dtype`.
  ir::Expr render(const Linear& form, DType dtype);
  ir::Expr render_atom(AtomId atom, DType dtype);
  ir::Expr render_terms(const std::vector<std::pair<AtomId, int64_t>>& terms, int64_t constant,
                        DType dtype);
  /// The condition form >= 0, == 0 or != 0.
  ir::Expr render_nonneg(const Linear& form, DType dtype);
  ir::Expr render_equality(const Linear& form, bool equal, DType dtype);

  // intervals.cc
  Interval interval(const Linear& form);
  Interval atom_interval(AtomId atom);
  Congruence congruence(const Linear& form);
  Congruence atom_congruence(AtomId atom);
  /// `interval` improved by eliminating quotients, minima, maxima and symbolic bounds.
  Interval refined_interval(const Linear& form);
  int64_t upper_constant(const Linear& form, int& steps, int depth);

  // linearize.cc
  /// `expr` must be a scalar of an index dtype.
  Linear linearize(const ir::Expr& expr);
  Linear linearize_uncached(const ir::Expr& expr);
  Linear linearize_binary(const ir::BinaryNode& node, const ir::Expr& self);
  Linear linearize_bits(ir::BinaryOp op, const Linear& a, const Linear& b, int bits);
  Linear linearize_cast(const ir::CastNode& node, const ir::Expr& self);
  Linear linearize_opaque(const ir::Expr& expr);
  Linear var_form(const ir::Expr& var);
  Linear multiply(const Linear& a, const Linear& b);

  // divmod.cc
  /// Floor quotient and remainder. Pre: both exact. Overflow set when nothing can be said.
  Linear divide(const Linear& a, const Linear& b);
  Linear modulo(const Linear& a, const Linear& b);
  Linear divide_constant(const Linear& a, int64_t c);
  Linear modulo_constant(const Linear& a, int64_t c);
  Linear divide_symbolic(const Linear& a, const Linear& b);
  Linear modulo_symbolic(const Linear& a, const Linear& b);
  /// a = b * quotient + rest; `complete` when 0 <= rest < b is proved.
  struct SymbolicSplit {
    Linear quotient, rest;
    bool complete = false;
  };
  SymbolicSplit split_symbolic(const Linear& a, const Linear& b);
  struct Partition {
    Linear multiple, rest;  ///< sum is the form; `multiple` % unit == 0, 0 <= rest < unit
  };
  std::optional<Partition> partition(const Linear& form, int64_t c);
  bool positive_divisor(const Linear& divisor, const Linear& dividend);

  // merge.cc
  /// Puts quotients and remainders of one dividend together where they make up a simpler form.
  Linear merge(Linear form);
  bool merge_once(Linear& form);
  bool merge_into_choice(Linear& form, AtomId atom, int64_t sign);

  // minmax.cc
  Linear min_max(bool is_max, std::vector<Linear> args);

  // prove.cc
  bool prove_nonneg(const Linear& form, int steps = kQuickSteps);
  bool prove_zero(const Linear& form, int steps = kQuickSteps);
  bool prove_nonzero(const Linear& form, int steps = kQuickSteps);
  bool search_nonneg(Linear form, int& steps, int depth);
  int eliminate(const Linear& form, AtomId atom, int64_t k, int& steps, int depth);
  /// Linear forms that are >= 0 and hold `atom` with a coefficient of the given sign.
  void inequalities(AtomId atom, int sign, std::vector<Linear>& out);
  /// For an atom that equals one of several forms: those forms.
  bool cases(AtomId atom, std::vector<Linear>& out);
  static constexpr int kQuickSteps = 32, kThoroughSteps = 400;
  int inner_proofs = 0;  // how many proofs that `inequalities` needs are under way

  // conditions.cc
  ir::Expr simplify_condition(const ir::Expr& expr);
  ir::Expr simplify_comparison(const ir::BinaryNode& node, const ir::Expr& self);
  ir::Expr simplify_junction(const ir::BinaryNode& node, const ir::Expr& self);
  ir::Expr negate(const ir::Expr& condition);
  /// The form N with condition <=> N >= 0, for an order comparison of index expressions.
  std::optional<Linear> nonneg_form(const ir::Expr& condition);
  bool prove(const ir::Expr& condition);

  // simplify.cc
  ir::Expr simplify(const ir::Expr& expr);
  ir::Expr simplify_uncached(const ir::Expr& expr);
  /// Simplifies the children and applies the rule table at the root.
  ir::Expr rewrite(const ir::Expr& expr);

  // vectors.cc
  /// base + lane * stride.
  struct Lanes {
    Linear base, stride;
  };
  std::optional<Lanes> lanes_of(const ir::Expr& expr);
  std::optional<Lanes> divide_lanes(const Lanes& a, const Linear& divisor, bool modulo, int lanes);
  ir::Expr simplify_vector(const ir::Expr& expr);

  // bounds.cc
  struct Eliminate {
    std::vector<AtomId> vars;
    std::unordered_map<AtomId, bool> dependence;
  };
  Linear upper_over(Linear form, Eliminate& over);
  Linear lower_over(const Linear& form, Eliminate& over);
  Linear atom_bound(AtomId atom, bool upper, Eliminate& over);
  Linear product_bound(AtomId atom, bool upper, Eliminate& over);
};

/// Scalars of int64 or int32.
inline bool is_index_dtype(DType dtype) {
  return dtype.is_int() && dtype.lanes == 1 && dtype.bits >= 32;
}

/// Applies the rule table at the root of `expr`; null when no rule matches. `prove` answers side
/// conditions. See rules.h.
ir::Expr apply_rules(const ir::Expr& expr, const std::function<bool(const ir::Expr&)>& prove);

}  // namespace tilewright::arith
