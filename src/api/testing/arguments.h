#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/api/testing.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing::detail {

/// One argument per parameter of a function (sizes left out), every tensor in guarded memory.
class Arguments {
 public:
  /// Throws Error testing.options.
  Arguments(const ir::PrimFunc& func, const CheckOptions& options);

  const std::vector<runtime::Arg>& args() const { return args_; }
  /// Makes written tensors what they were at the start: outputs poison, inout their first contents.
  void reset();
  /// Throws Error testing.canary or testing.input; `path` names what has been run.
  void check_memory(const std::string& path) const;
  const std::map<std::string, ir::ExternReference>& externs() const { return externs_; }
  /// Copies of the tensors that the function writes, by name.
  std::map<std::string, runtime::NDArray> outputs() const;

 private:
  struct Tensor {
    std::string name;
    ir::ParamRole role;
    GuardedArray memory;
    runtime::NDArray contents;  // undefined: an output
  };
  using Sizes = std::vector<std::pair<ir::Var, int64_t>>;

  static Sizes bind_sizes(const ir::PrimFunc& func, const CheckOptions& options);
  void add_tensor(const ir::Param& param, const Sizes& sizes, const CheckOptions& options,
                  Rng& rng);
  void add_scalar(const ir::Param& param, const CheckOptions& options);

  std::vector<Tensor> tensors_;
  std::vector<runtime::Arg> args_;
  std::map<std::string, ir::ExternReference> externs_;
};

/// Runs the interpreter. The program has the parameters that `arguments` were made for.
void run_interpreter(const ir::PrimFunc& func, const Arguments& arguments, bool check_init,
                     bool check_races = false);

/// Calls compiled code with a workspace full of 0xFF bytes (NaN as floats) and canaries behind it. Throws as
/// `runtime::Function::call`, and Error testing.canary.
void run_compiled(const runtime::Function& function, const Arguments& arguments, int num_threads);

}  // namespace tilewright::testing::detail
