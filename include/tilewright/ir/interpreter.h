#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::ir {

/// A tensor argument of the interpreter: raw bytes, row-major, element size of the parameter's dtype.
struct InterpTensor {
  void* data = nullptr;
  std::vector<int64_t> shape;
};

/// An argument; which member counts is said by the parameter.
struct InterpArg {
  InterpTensor tensor;     ///< for buffer parameters
  int64_t int_value = 0;   ///< for integer and bool scalars, wrapped into the parameter's dtype
  double float_value = 0;  ///< for float scalars, rounded to the parameter's dtype
};

/// An argument of a call of an extern C function.
struct ExternArg {
  DType dtype;
  /// The elements from the one whose address is passed to the end of its buffer, as one dimension; no data
  /// for a scalar.
  InterpTensor tensor;
  int64_t int_value = 0;   ///< of an integer scalar
  double float_value = 0;  ///< of a float scalar
};
/// What the interpreter runs in the place of an extern C function: it must do the same to memory.
using ExternReference = std::function<void(const std::vector<ExternArg>& args)>;

struct InterpOptions {
  /// Fresh intermediate buffers hold NaN (floats) or 0x7F bytes (others); false: zeros.
  bool poison = true;
  /// Report reads of never-written elements of intermediates and outputs.
  bool check_init = false;
  /// Report conflicting accesses of different iterations of a parallel, vectorized or thread-bound loop
  /// to a buffer that is not allocated within the loop. Costs memory for each iteration of such loops.
  bool check_races = false;
  /// Loop iterations in all before Error "interp.steps".
  int64_t max_steps = int64_t{1} << 40;
  /// Where the print intrinsic writes; null: stderr.
  std::ostream* print_stream = nullptr;
  /// References for extern C functions by symbol.
  std::map<std::string, ExternReference> externs = {};
};

/// Runs `func` at any level on `args` (one per parameter except kShape parameters, which are bound from
/// the shapes). The oracle of the project: every operation has the exact meaning of expr.h, every
/// access is bounds-checked. Loops of all kinds, thread-bound ones too, run one iteration after the other.
///
/// Scheduled level: accesses are logical and layouts play no part; inits run just before the outermost
/// loop that feeds a reduce variable; a buffer lives where `alloc_at` says, fresh in each iteration.
/// Flat level: offsets are checked against the product of the shape; an argument of any shape fits a
/// one-dimensional parameter of as many elements.
///
/// Throws Error
///   "interp.argument"       count, rank, extents or missing data of the arguments
///   "interp.assumption"     an assumption of the function does not hold for them, or a value lies outside
///                           of the range that assume_range promises
///   "interp.extern"         a call of an extern C function for which `externs` has no reference
///   "interp.out_of_bounds"  names buffer, index, shape, block and loop iterations
///   "interp.uninitialized"  with check_init
///   "interp.race"           with check_races, names both iterations
///   "interp.extent"         an allocation of negative or overflowing extent, or too large
///   "interp.assert"         an Assert statement failed; the text is its message
///   "interp.steps"          more than max_steps loop iterations
///   "interp.unsupported"    barriers, extern blocks without a body
///   "interp.malformed"      IR that `verify` refuses
void interpret(const PrimFunc& func, const std::vector<InterpArg>& args,
               const InterpOptions& options = {});

/// Evaluates a closed integer or bool expression over given values of variables, for proofs by
/// enumeration. uint64 results come as their bit pattern.
int64_t evaluate_int(const Expr& expr, const std::vector<std::pair<Var, int64_t>>& values);

}  // namespace tilewright::ir
