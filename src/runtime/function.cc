#include "tilewright/runtime/function.h"

#include <cstring>

#include "runtime/bind_args.h"
#include "runtime/workspace_pool.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/support/error.h"

namespace tilewright::runtime {

struct Function::Impl {
  std::shared_ptr<void> keep_alive;  // first: released last
  tw_entry_fn entry;
  tw_workspace_fn workspace;
  FunctionInfo info;
  std::string missing_feature;
  std::shared_ptr<WorkspacePool> pool = std::make_shared<WorkspacePool>();
};

namespace {

constexpr std::string_view kStatusCodes[] = {
    "call.ok",         "call.abi",       "call.arg_count",     "call.kind",        "call.null",
    "call.device",     "call.dtype",     "call.rank",          "call.shape",       "call.stride",
    "call.alignment",  "call.read_only", "call.range",         "call.assumption",  "call.alias",
    "call.no_threads", "call.workspace", "call.out_of_memory", "call.cpu_feature", "call.check",
    "call.internal"};

std::string first_missing(const std::vector<std::string>& features) {
  for (const std::string& feature : features) {
    if (tw_missing_cpu_feature(feature.c_str()) >= 0) return feature;
  }
  return "";
}

tw_arg raw_arg(const Arg& arg) {
  tw_arg raw{};
  if (const NDArray* array = std::get_if<NDArray>(&arg)) {
    raw.kind = TW_ARG_TENSOR;
    if (array->defined()) {
      raw.value.tensor = array->dl_tensor();
      if (array->read_only()) raw.flags |= TW_ARG_READ_ONLY;
    }
  } else if (const int64_t* integer = std::get_if<int64_t>(&arg)) {
    raw.kind = TW_ARG_INT;
    raw.value.int_value = *integer;
  } else {
    raw.kind = TW_ARG_FLOAT;
    raw.value.float_value = std::get<double>(arg);
  }
  return raw;
}

tw_call make_call(std::span<const tw_arg> args, const CallOptions& options, char* error_text,
                  int64_t error_text_size) {
  tw_call call{};
  call.struct_size = sizeof(tw_call);
  call.abi_version = TW_ABI_VERSION;
  call.num_args = static_cast<int32_t>(args.size());
  call.num_threads = options.num_threads > 0 ? options.num_threads : default_num_threads();
  call.args = args.data();
  call.stream = options.stream;
  call.parallel_for = options.parallel_for ? options.parallel_for : default_parallel_for();
  call.parallel_user = options.parallel_user;
  call.print = options.print;
  call.print_user = options.print_user;
  call.error_text = error_text;
  call.error_text_size = error_text_size;
  return call;
}

[[noreturn]] void throw_status(const FunctionInfo& info, int32_t status, const char* text) {
  if (*text) throw Error(call_error_code(status), text);
  fail(call_error_code(status),
       "{}: the call failed with status {} and gave no reason; build the function anew with this "
       "version",
       info.name, status);
}

}  // namespace

std::string call_error_code(int32_t status) {
  if (status >= 0 && static_cast<size_t>(status) < std::size(kStatusCodes)) {
    return std::string(kStatusCodes[status]);
  }
  return "call.unknown_status";
}

Function::Function(tw_entry_fn entry, FunctionInfo info, std::shared_ptr<void> keep_alive,
                   tw_workspace_fn workspace, const std::vector<std::string>& features) {
  auto impl = std::make_shared<Impl>();
  impl->keep_alive = std::move(keep_alive);
  impl->entry = entry;
  impl->workspace = workspace;
  impl->info = std::move(info);
  impl->missing_feature = first_missing(features);
  impl_ = std::move(impl);
}

const FunctionInfo& Function::info() const {
  if (!impl_) fail("call.undefined", "the function is undefined");
  return impl_->info;
}

tw_entry_fn Function::entry() const {
  if (!impl_) fail("call.undefined", "the function is undefined");
  return impl_->entry;
}

void Function::call(std::span<const Arg> args, const CallOptions& options) const {
  PreparedCall(*this, args, options).run();
}

std::vector<NDArray> Function::invoke(std::span<const Arg> inputs,
                                      const CallOptions& options) const {
  auto [args, outputs] = complete_args(info(), inputs, nullptr);
  call(args, options);
  return std::move(outputs);
}

void Function::invoke_into(std::span<const Arg> inputs, std::span<const NDArray> outputs,
                           const CallOptions& options) const {
  call(complete_args(info(), inputs, &outputs).first, options);
}

int64_t Function::workspace_bytes(std::span<const Arg> args, const CallOptions& options) const {
  const FunctionInfo& contract = info();
  if (!impl_->workspace) return 0;
  std::vector<tw_arg> raw;
  for (const Arg& arg : args) raw.push_back(raw_arg(arg));
  char text[1024] = "";
  const tw_call call = make_call(raw, options, text, sizeof(text));
  const int64_t size_bytes = impl_->workspace(&call);
  if (size_bytes < 0) throw_status(contract, static_cast<int32_t>(-size_bytes), text);
  return size_bytes;
}

PreparedCall::PreparedCall(Function function, std::span<const Arg> args, const CallOptions& options)
    : function_(std::move(function)), args_(args.begin(), args.end()) {
  const FunctionInfo& info = function_.info();
  if (!function_.impl_->missing_feature.empty()) {
    fail("call.cpu_feature", "{}: needs CPU feature {}, which this CPU lacks", info.name,
         function_.impl_->missing_feature);
  }
  raw_args_.reserve(args_.size());
  for (const Arg& arg : args_) raw_args_.push_back(raw_arg(arg));
  call_ = make_call(raw_args_, options, error_text_, sizeof(error_text_));
  if (!function_.impl_->workspace) return;
  // A negative size is an argument error, which the entry reports with its text.
  const int64_t size_bytes = function_.impl_->workspace(&call_);
  if (size_bytes <= 0) return;
  workspace_ = function_.impl_->pool->acquire(size_bytes);
  call_.workspace = workspace_.get();
  call_.workspace_size = size_bytes;
}

PreparedCall::~PreparedCall() = default;

int32_t PreparedCall::run_status() noexcept {
  error_text_[0] = '\0';
  return function_.impl_->entry(&call_);
}

void PreparedCall::run() {
  const int32_t status = run_status();
  if (status != TW_OK) throw_status(function_.info(), status, error_text_);
}

}  // namespace tilewright::runtime
