#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/te/variable.h"

/// \file
/// Reductions. Each gives an expression that must stand at the top of what compute's function returns.
/// `axes` are folded from the outermost (first) to the innermost; terms where `where` is false are left
/// out (a null `where`: none). Over no terms at all the result is the reducer's identity.
///
/// Throws Error "te.no_axes", "te.duplicate_axis", "te.where_dtype" or "ir.dtype".

namespace tilewright::te {

/// Sum in the dtype of `source`, or in `acc_dtype`, to which each term is converted first. A 16-bit
/// float source without `acc_dtype` is rounded after every addition.
Expr sum(Expr source, const Axes& axes, Expr where = {}, std::optional<DType> acc_dtype = {});
Expr prod(Expr source, const Axes& axes, Expr where = {}, std::optional<DType> acc_dtype = {});
/// Identity -inf resp. the smallest integer; a NaN among the terms gives NaN.
Expr max(Expr source, const Axes& axes, Expr where = {});
/// Identity +inf resp. the largest integer; a NaN among the terms gives NaN.
Expr min(Expr source, const Axes& axes, Expr where = {});
/// Of bools.
Expr any(Expr source, const Axes& axes, Expr where = {});
Expr all(Expr source, const Axes& axes, Expr where = {});

/// {index, value} of the largest term, `index` being an integer expression over the axes (mostly the
/// axis itself). Ties give the lowest index; the first NaN wins. The axes must not be empty: a constant
/// empty one is an error at compute, a symbolic one makes "extent >= 1" an assumption of the function.
std::vector<Expr> argmax(Expr index, Expr value, const Axes& axes, Expr where = {});
std::vector<Expr> argmin(Expr index, Expr value, const Axes& axes, Expr where = {});

// One axis without braces. (To take the elementwise maximum with the value of an axis, write
// ir::max(x, k).)
Expr sum(Expr source, const ReduceAxis& axis, Expr where = {}, std::optional<DType> acc_dtype = {});
Expr prod(Expr source, const ReduceAxis& axis, Expr where = {},
          std::optional<DType> acc_dtype = {});
Expr max(Expr source, const ReduceAxis& axis, Expr where = {});
Expr min(Expr source, const ReduceAxis& axis, Expr where = {});
Expr any(Expr source, const ReduceAxis& axis, Expr where = {});
Expr all(Expr source, const ReduceAxis& axis, Expr where = {});
std::vector<Expr> argmax(Expr index, Expr value, const ReduceAxis& axis, Expr where = {});
std::vector<Expr> argmin(Expr index, Expr value, const ReduceAxis& axis, Expr where = {});
/// The index is the axis.
std::vector<Expr> argmax(Expr value, const ReduceAxis& axis, Expr where = {});
std::vector<Expr> argmin(Expr value, const ReduceAxis& axis, Expr where = {});

/// What a user's reducer may be relied on for. Only a reducer that is both can be reordered, factored
/// or spread over threads.
struct Algebra {
  bool associative = false;
  bool commutative = false;
};

/// A reducer of single values: `combine(accumulator, term)`, starting at `identity`, whose dtype is the
/// accumulator's. Throws Error "te.bad_reducer".
ir::Reducer reducer(std::string name, const std::function<Expr(Expr, Expr)>& combine, Expr identity,
                    Algebra algebra = {});
/// A reducer of k-tuples, k = the number of identities.
using TupleCombine = std::function<std::vector<Expr>(const std::vector<Var>& accumulator,
                                                     const std::vector<Var>& term)>;
ir::Reducer reducer(std::string name, const TupleCombine& combine, std::vector<Expr> identity,
                    Algebra algebra = {});

/// Folds with any reducer; one value per element of its tuple. Declared algebra of a user's reducer is
/// attacked with random integer triples: throws Error "te.not_associative" / "te.not_commutative" with
/// the counter-example when it does not hold, and "te.reducer_dtype" when the dtypes of sources and
/// identity differ.
std::vector<Expr> reduce(const ir::Reducer& reducer, std::vector<Expr> sources, const Axes& axes,
                         Expr where = {});
Expr reduce(const ir::Reducer& reducer, Expr source, const Axes& axes, Expr where = {});

}  // namespace tilewright::te
