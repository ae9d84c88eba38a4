#include "tilewright/runtime/function.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "expect_error.h"
#include "tilewright/runtime/module.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/runtime/time_evaluator.h"

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::testing;

namespace {

// What the last call of `record` was given.
struct Seen {
  tw_call call{};
  std::vector<tw_arg> args;
};
thread_local Seen seen;

int32_t record(const tw_call* call) {
  seen.call = *call;
  seen.args.assign(call->args, call->args + call->num_args);
  return TW_OK;
}

ParamInfo tensor(std::string name, ParamRole role, std::vector<std::string> shape) {
  ParamInfo param{.name = std::move(name), .role = role};
  for (const std::string& extent : shape) param.shape.push_back(SizeExpr::parse(extent));
  return param;
}

ParamInfo scalar(std::string name, ParamRole role, DType dtype) {
  return {.name = std::move(name), .role = role, .is_tensor = false, .dtype = dtype};
}

Function recorder(std::vector<ParamInfo> params, tw_workspace_fn workspace = nullptr) {
  FunctionInfo info;
  info.name = "f";
  info.params = std::move(params);
  return Function(record, info, nullptr, workspace);
}

NDArray floats(std::vector<int64_t> shape) { return NDArray::zeros(std::move(shape), kFloat32); }

}  // namespace

TEST_CASE("the call struct of a call") {
  const Function f =
      recorder({tensor("A", ParamRole::kInput, {"n"}), scalar("s", ParamRole::kInput, kInt32),
                scalar("t", ParamRole::kInput, kFloat64)});
  const NDArray a = floats({3}).as_read_only();
  f.call(std::vector<Arg>{a, int64_t{-4}, 0.5}, {.num_threads = 3});
  CHECK(seen.call.struct_size == sizeof(tw_call));
  CHECK(seen.call.abi_version == TW_ABI_VERSION);
  CHECK(seen.call.num_threads == 3);
  CHECK(seen.call.parallel_for == default_parallel_for());
  CHECK(seen.call.workspace == nullptr);
  CHECK(seen.call.error_text_size >= 256);
  REQUIRE(seen.args.size() == 3);
  CHECK(seen.args[0].kind == TW_ARG_TENSOR);
  CHECK(seen.args[0].flags == TW_ARG_READ_ONLY);
  CHECK(seen.args[0].value.tensor == a.dl_tensor());
  CHECK(seen.args[1].value.int_value == -4);
  CHECK(seen.args[2].value.float_value == 0.5);
  f.call(std::vector<Arg>{a});
  CHECK(seen.call.num_threads == default_num_threads());
  CHECK(code_of([] { Function().call({}); }) == "call.undefined");
}

TEST_CASE("outputs follow from sizes") {
  const Function f =
      recorder({scalar("k", ParamRole::kShape, kInt64), tensor("A", ParamRole::kInput, {"m", "8"}),
                scalar("m", ParamRole::kShape, kInt64),
                tensor("C", ParamRole::kOutput, {"m + 1", "min(m, k)"}),
                tensor("D", ParamRole::kOutput, {})});
  const auto outputs = f({int64_t{2}, floats({5, 8})});
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].shape() == std::vector<int64_t>{6, 2});
  CHECK(outputs[1].rank() == 0);
  REQUIRE(seen.args.size() == 5);
  CHECK(seen.args[2].value.int_value == 5);
  CHECK(code_of([&] { f({int64_t{-3}, floats({5, 8})}); }) == "ndarray.shape");

  const Function unknown =
      recorder({tensor("A", ParamRole::kInput, {"2*n"}), tensor("C", ParamRole::kOutput, {"n"})});
  CHECK(error_of([&] { unknown({floats({6})}); }) ==
        "call.output_shape: f: the extent n of output C does not follow from the inputs; pass the "
        "output with out=");
  unknown.invoke_into(std::vector<Arg>{floats({6})}, std::vector<NDArray>{floats({3})});
}

TEST_CASE("inout parameters are inputs, aliased outputs are the input itself") {
  ParamInfo out = tensor("B", ParamRole::kOutput, {"n"});
  out.alias_of = "A";
  const Function f =
      recorder({tensor("A", ParamRole::kInput, {"n"}), tensor("S", ParamRole::kInout, {"n"}), out});
  const NDArray a = floats({4}), s = floats({4});
  const auto outputs = f({a, s});
  REQUIRE(outputs.size() == 1);
  CHECK(outputs[0].data() == a.data());
}

TEST_CASE("workspace blocks are aligned and reused") {
  const Function f = recorder({scalar("bytes", ParamRole::kInput, kInt64)},
                              [](const tw_call* call) { return call->args[0].value.int_value; });
  f.call(std::vector<Arg>{int64_t{1000}});
  void* first = seen.call.workspace;
  REQUIRE(first != nullptr);
  CHECK(reinterpret_cast<uintptr_t>(first) % TW_WORKSPACE_ALIGNMENT == 0);
  CHECK(seen.call.workspace_size == 1000);
  f.call(std::vector<Arg>{int64_t{10}});
  CHECK(seen.call.workspace == first);
  f.call(std::vector<Arg>{int64_t{0}});
  CHECK(seen.call.workspace == nullptr);
  f.call(std::vector<Arg>{int64_t{-TW_ERR_SHAPE}});  // the entry reports, not the query
  CHECK(seen.call.workspace == nullptr);
  CHECK(code_of([&] { f.workspace_bytes(std::vector<Arg>{int64_t{-TW_ERR_SHAPE}}); }) ==
        "call.shape");
  f.call(std::vector<Arg>{int64_t{1} << 20});
  CHECK(seen.call.workspace != nullptr);
  CHECK(code_of([&] { f.call(std::vector<Arg>{int64_t{1} << 62}); }) == "device.out_of_memory");

  const std::vector<Arg> args = {int64_t{64}};
  PreparedCall one(f, args), two(f, args);
  one.run();
  void* workspace = seen.call.workspace;
  two.run();
  CHECK(seen.call.workspace != workspace);
}

TEST_CASE("calls from several threads at once") {
  FunctionInfo info;
  info.name = "f";
  info.params = {scalar("x", ParamRole::kInput, kInt64)};
  const tw_entry_fn entry = [](const tw_call* call) -> int32_t {
    auto* words = static_cast<std::atomic<int64_t>*>(call->workspace);
    const int64_t mine = call->args[0].value.int_value;
    for (int i = 0; i < 8; ++i) words[i] = mine;
    for (int i = 0; i < 8; ++i) {
      if (words[i] != mine) return TW_ERR_INTERNAL;
    }
    return TW_OK;
  };
  const Function f(entry, info, nullptr, [](const tw_call*) { return int64_t{64}; });
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        if (code_of([&] { f.call(std::vector<Arg>{t}); }) != "no error") ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("a module of functions made in this process") {
  const Function f = recorder({scalar("s", ParamRole::kInput, kInt32)});
  LibraryInfo info;
  info.functions = {f.info()};
  const Module module = Module::from_functions(info, {f});
  CHECK(module.function_names() == std::vector<std::string>{"f"});
  module.get("f").call(std::vector<Arg>{int64_t{5}});
  CHECK(seen.args[0].value.int_value == 5);
  CHECK(code_of([&] { Module::from_functions(info, {}); }) == "internal");
}

TEST_CASE("every status has a code") {
  CHECK(call_error_code(TW_ERR_ARG_COUNT) == "call.arg_count");
  CHECK(call_error_code(TW_ERR_READ_ONLY) == "call.read_only");
  CHECK(call_error_code(TW_ERR_NO_THREADS) == "call.no_threads");
  CHECK(call_error_code(TW_ERR_CHECK) == "call.check");
  CHECK(call_error_code(TW_ERR_INTERNAL) == "call.internal");
  CHECK(call_error_code(77) == "call.unknown_status");
  CHECK(call_error_code(-1) == "call.unknown_status");
}

namespace {

int calls = 0;

Function sleeper(int micros) {
  static int pause = 0;
  pause = micros;
  FunctionInfo info;
  info.name = "sleeper";
  return Function(
      [](const tw_call*) -> int32_t {
        ++calls;
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
        return TW_OK;
      },
      info, nullptr);
}

}  // namespace

TEST_CASE("time evaluation counts calls and takes at least their time") {
  const Function f = sleeper(2000);
  calls = 0;
  const TimeResult result = time_evaluator(f, {}, {.number = 3, .repeat = 4, .warmup = 2});
  CHECK(calls == 2 + 3 * 4);
  REQUIRE(result.samples_secs.size() == 4);
  CHECK(result.min_secs() >= 0.002);
  CHECK(result.min_secs() <= result.median_secs());
  CHECK(result.mean_secs() < 0.2);

  calls = 0;
  const TimeResult cold = time_evaluator(
      f, {}, {.repeat = 2, .warmup = 0, .flush_cache = true, .flush_bytes = 1 << 20});
  CHECK(calls == 2);
  CHECK(cold.samples_secs.size() == 2);
  CHECK(cold.min_secs() < 0.1);
}

TEST_CASE("the number of calls grows to the least time of a sample") {
  const Function f = sleeper(100);
  const TimeResult result = time_evaluator(f, {}, {.repeat = 2, .min_repeat_ms = 20});
  CHECK(result.number > 5);
  CHECK(result.number * result.median_secs() > 0.01);
}

TEST_CASE("medians and bad options") {
  TimeResult odd{{3, 1, 2}, 1}, even{{4, 1, 2, 3}, 1};
  CHECK(odd.median_secs() == 2);
  CHECK(even.median_secs() == 2.5);
  const Function f = sleeper(0);
  for (const TimeOptions& bad :
       {TimeOptions{.number = 0}, TimeOptions{.repeat = 0}, TimeOptions{.warmup = -1},
        TimeOptions{.min_repeat_ms = -1}, TimeOptions{.number = 2, .flush_cache = true},
        TimeOptions{.flush_cache = true, .flush_bytes = 0}}) {
    CHECK(code_of([&] { time_evaluator(f, {}, bad); }) == "time.bad_option");
  }
  FunctionInfo info;
  info.name = "bad";
  const Function failing([](const tw_call*) -> int32_t { return TW_ERR_DTYPE; }, info, nullptr);
  CHECK(code_of([&] { time_evaluator(failing, {}); }) == "call.dtype");
}
