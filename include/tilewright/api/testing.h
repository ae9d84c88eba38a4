#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/api/build.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/runtime/ndarray.h"

/// \file
/// Checking that compiled code computes what the program means: against the interpreter, in memory that
/// shows what was read or written wrongly.

namespace tilewright::testing {

/// A tensor inside a larger block whose surplus elements, before and behind, are canaries: NaN in floats, -77
/// in other dtypes. A write beside the tensor shows in them, a read beside it in the result. The NaNs are
/// signalling ones that carry `tag`, so that arithmetic on a canary or a copy of another array's canary is
/// seen when it is written over one.
class GuardedArray {
 public:
  /// A compact array, all its elements poison: NaN in floats, bytes 0x7F in other dtypes.
  GuardedArray(std::vector<int64_t> shape, DType dtype, int canary_elements = 16, int tag = 0);

  const runtime::NDArray& array() const { return array_; }
  void poison() const;
  bool canaries_intact() const;

 private:
  int64_t canary_bytes_;
  int tag_;
  std::shared_ptr<std::vector<uint8_t>> memory_;
  runtime::NDArray array_;
};

struct CheckOptions {
  /// Values of symbolic sizes that do not follow from `inputs`.
  std::map<std::string, int64_t> sizes = {};
  /// Values of scalar arguments by name.
  std::map<std::string, runtime::Arg> scalars = {};
  /// Contents of inputs by name; the others get random integers from `low` to `high` (0 to `high` where
  /// there is no sign), which floats hold exactly, so that sums and products of a few are exact.
  std::map<std::string, runtime::NDArray> inputs = {};
  uint64_t seed = 1;
  int64_t low = -4, high = 4;
  /// The right outputs by name. For those not given, what the interpreter computes from the program as it
  /// was before the first primitive; for those given, the interpreter is checked too.
  std::map<std::string, runtime::NDArray> expected = {};
  /// An element may differ by atol + rtol * |expected|. Other dtypes than floats must be equal.
  double rtol = 0, atol = 0;
  /// Numbers of threads to call with.
  std::vector<int> threads = {1, 3};
  int canary_elements = 16;
  /// Runs the interpreter on the scheduled program and on its lowered form as well, where it also reports
  /// reads of elements that were never written.
  bool interpret_steps = true;
  /// `interpret` reports reads of elements that were never written, and races between iterations of parallel and
  /// vectorized loops (Error interp.uninitialized, interp.race).
  bool check_init = false, check_races = false;
  /// What the interpreter runs in the place of C functions, by symbol; code is given their addresses by
  /// `build.externs`.
  std::map<std::string, ir::ExternReference> externs = {};
  BuildOptions build = {};
};

/// Compiles what the schedule made and compares it with the program as it was before the first primitive, run by
/// the interpreter. NaN equals NaN, -0 equals +0.
///
/// Throws Error testing.mismatch naming the path (interpreter or compiled, threads), the output and the
/// first element that differs, testing.canary naming the argument that was written beside, testing.input
/// when an input was changed, testing.options for sizes or inputs that do not fit, and what building throws.
void assert_allclose(const schedule::Schedule& sch, const CheckOptions& options = {});
/// The same for any two functions with the same parameters.
void assert_allclose(const Program& program, const Program& reference,
                     const CheckOptions& options = {});
/// The same for code that is compiled already, such as one kernel called with many sizes.
void assert_allclose(const CompiledKernel& kernel, const Program& reference,
                     const CheckOptions& options = {});

/// The outputs of the interpreter, by name; `inputs`, sizes and scalars as in the options.
std::map<std::string, runtime::NDArray> interpret(const Program& program,
                                                  const CheckOptions& options = {});

/// The first element in which the arrays differ, such as "element (3, 4) is 1, expected 2"; "" when there
/// is none.
std::string difference(const runtime::NDArray& actual, const runtime::NDArray& expected,
                       double rtol = 0, double atol = 0);

}  // namespace tilewright::testing
