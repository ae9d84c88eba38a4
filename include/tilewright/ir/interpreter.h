#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::ir {

/// A tensor argument of the interpreter: raw bytes, row-major, element size of the parameter's dtype.
struct InterpTensor {
  void* data = nullptr;
  std::vector<int64_t> shape;
};

/// A scalar argument (bits of the value, by the parameter's dtype: int64_t or double).
struct InterpArg {
  InterpTensor tensor;    ///< for buffer parameters
  int64_t int_value = 0;  ///< for integer/bool scalars
  double float_value = 0;
};

struct InterpOptions {
  bool poison = true;       ///< fresh intermediate buffers hold 0x7F bytes / NaN
  bool check_init = false;  ///< report reads of never-written elements of intermediates
  bool check_races =
      false;  ///< report conflicting accesses of different iterations of a parallel loop
  int64_t max_steps = int64_t{1} << 40;
};

/// Runs `func` at any level on `args` (one per parameter except kShape parameters, which are bound from
/// the shapes). The oracle of the project: every access is bounds-checked. Throws Error
/// "interp.out_of_bounds" / "interp.uninitialized" / "interp.race" / "interp.argument" naming buffer,
/// index and shape.
void interpret(const PrimFunc& func, const std::vector<InterpArg>& args,
               const InterpOptions& options = {});

/// Evaluates a closed expression over given values of variables (integers), for proofs by enumeration.
int64_t evaluate_int(const Expr& expr, const std::vector<std::pair<Var, int64_t>>& values);

}  // namespace tilewright::ir
