#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tilewright/runtime/abi.h"
#include "tilewright/runtime/function_info.h"
#include "tilewright/runtime/ndarray.h"

namespace tilewright::runtime {

/// One argument of a call: an array, an integer (also bool) or a floating-point scalar.
using Arg = std::variant<NDArray, int64_t, double>;

struct CallOptions {
  /// 0: all cores this process may use.
  int num_threads = 0;
  /// Null: `default_parallel_for()`.
  tw_parallel_for_fn parallel_for = nullptr;
  void* parallel_user = nullptr;
  void* stream = nullptr;
  tw_print_fn print = nullptr;
  void* print_user = nullptr;
};

/// A compiled function, from a library or from the JIT. A cheap handle; it keeps its code alive, and
/// calls from several threads may run at once.
///
/// Arguments are checked by the code of the function itself (see abi.h for what it checks). A failed
/// check throws Error with the code of its status, such as call.shape (`call_error_code`), and the
/// text that names function, argument, expected and actual value; nothing has been written then.
class Function {
 public:
  Function() = default;
  /// `keep_alive` owns the code. `features` are the CPU features it needs (checked at every call;
  /// pass none for code made for this machine).
  Function(tw_entry_fn entry, FunctionInfo info, std::shared_ptr<void> keep_alive,
           tw_workspace_fn workspace = nullptr, const std::vector<std::string>& features = {});

  bool defined() const { return impl_ != nullptr; }
  const FunctionInfo& info() const;
  const std::string& name() const { return info().name; }
  /// The address of the compiled entry, valid as long as a handle lives.
  tw_entry_fn entry() const;

  /// Calls with one argument per parameter, in order (sizes passed as parameters included).
  void call(std::span<const Arg> args, const CallOptions& options = {}) const;

  /// Calls with the inputs in order (constants and inout parameters among them) and returns the
  /// outputs, newly allocated on the CPU. A size parameter whose value follows from the shape of an
  /// input is filled in and not passed. An output with `alias_of` is the aliased input itself.
  /// Throws Error call.output_shape when the shape of an output does not follow from the inputs.
  std::vector<NDArray> invoke(std::span<const Arg> inputs, const CallOptions& options = {}) const;
  /// The same, writing into given arrays.
  void invoke_into(std::span<const Arg> inputs, std::span<const NDArray> outputs,
                   const CallOptions& options = {}) const;

  std::vector<NDArray> operator()(std::initializer_list<Arg> inputs,
                                  const CallOptions& options = {}) const {
    return invoke({inputs.begin(), inputs.size()}, options);
  }

  /// Bytes of workspace a call with these arguments uses; 0 when it uses none.
  int64_t workspace_bytes(std::span<const Arg> args, const CallOptions& options = {}) const;

 private:
  friend class PreparedCall;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// A call whose arguments are marshalled and whose workspace is allocated once, to be run many times:
/// what timing measures.
class PreparedCall {
 public:
  /// `args` as for `Function::call`. Argument errors appear at the first `run`.
  PreparedCall(Function function, std::span<const Arg> args, const CallOptions& options = {});
  ~PreparedCall();
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;

  /// Throws as `Function::call` does.
  void run();
  /// Runs and returns the status without throwing; the text of a failure is in `error_text()`.
  int32_t run_status() noexcept;
  const char* error_text() const { return error_text_; }

 private:
  static constexpr int kErrorTextBytes = 1024;
  Function function_;
  std::vector<Arg> args_;
  std::vector<tw_arg> raw_args_;
  tw_call call_{};
  std::shared_ptr<void> workspace_;
  char error_text_[kErrorTextBytes] = "";
};

/// The Error code of a status: "call.arg_count", "call.dtype", "call.shape", ...
std::string call_error_code(int32_t status);

}  // namespace tilewright::runtime
