#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/te/tensor.h"

namespace tilewright::te {

/// An argument of a function: a tensor (a placeholder is an input, any other an output), a scalar, or an
/// assumption (te::assume), which is no argument of calls.
struct Arg {
  Arg(Tensor t) : tensor(std::move(t)) {}  // NOLINT
  Arg(const Expr& s) : scalar(s) {}        // NOLINT
  Tensor tensor;
  Expr scalar;
};

/// The function that computes the outputs among `args`, at level scheduled, with one loop nest a compute
/// in the order in which the computes depend on each other (depth first from the first output, reads in
/// order of use). Loops are named after the axes and run from 0; block and loop ids count up from 0.
///
/// Parameters come in the order of `args`, followed by one `shape` parameter per size. Whatever the
/// outputs depend on and is no argument becomes an intermediate buffer at the function's root; an
/// argument may be read by another output. `assumptions` are bools over sizes (n >= 1, n % 8 == 0)
/// that the caller of the function guarantees; what the reads and reducers rely on beyond them, such as
/// m <= n where rows of m are read from a tensor of n, is added.
///
/// Throws Error "te.missing_argument", "te.duplicate_argument", "te.no_output", "te.bad_argument",
/// "te.unbound_size" (a size that is no argument's dimension), "te.bad_assumption" or "te.bad_name".
ir::PrimFunc create_prim_func(const std::vector<Arg>& args, std::string name = "main",
                              const std::vector<Expr>& assumptions = {});

/// A text of the computation alone: independent of all names, equal for equal definitions (in C++ and
/// Python), different for different ones. Placeholders count in order of first use.
std::string canonical_text(const std::vector<Tensor>& outputs,
                           const std::vector<Expr>& assumptions = {});
/// Hash of the same, "tw1:" and 16 hexadecimal digits.
std::string canonical_hash(const std::vector<Tensor>& outputs,
                           const std::vector<Expr>& assumptions = {});

/// Arithmetic operations of a function as te defines it: per block, those of one iteration (+ - * /,
/// min, max, maths functions, and the reducer's step; not index arithmetic, conditions and casts)
/// times the size of its domain; terms masked by `where` count. A matmul has 2*m*n*k. Null when a
/// domain is symbolic or a block opaque.
std::optional<double> operation_count(const ir::PrimFunc& func);

}  // namespace tilewright::te
