#pragma once

#include "tilewright/te/variable.h"

namespace tilewright::te {

/// What the caller of a function guarantees about sizes: n >= 1, n % 8 == 0, m <= n. Give it to
/// create_prim_func among the arguments or as an assumption. Proofs rely on it, a call that breaks it ends
/// with an error (call.assumption), and it is a part of what the tuner keeps results by.
///
///     te::create_prim_func({a, b, te::assume(te::floor_mod(n, 8) == 0)});
///
/// Throws Error "te.bad_assumption" unless `condition` is a bool over sizes alone that can hold.
Expr assume(Expr condition);

/// `value`, of which the caller guarantees begin <= value < end; for data used as an index:
///
///     te::compute({n}, [&](Var i) { return table(te::assume(index(i), 0, rows)); });
///
/// A range that does not fit the dimension is an error of the compute. The interpreter and code built with
/// `checked` test the value (interp.assumption, call.check); other code relies on it, and a value outside
/// of the range is then undefined behaviour. The result is an int64. Throws Error "ir.dtype" unless all
/// three are integers, "te.bad_assumption" when the range is empty.
Expr assume(Expr value, Expr begin, Expr end);

}  // namespace tilewright::te
