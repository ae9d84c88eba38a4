// What candidates can do wrong, through a whole device: a builder that hands out kernels written in C with one fault
// each, and the real runner.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "support/testing.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/measure/device.h"
#include "unit/tuner_runner/kernels.h"

namespace tilewright::tuner {
namespace {

using record::Status;
using testing::Kernels;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsLimited = false;
#else
constexpr bool kMemoryIsLimited = true;
#endif

// Answers as tilewright-builder does; the n-th library is the n-th planted one.
constexpr const char* kBuilder = R"sh(#!/bin/sh
n=$(cat "FOLDER/built")
while read -r line; do
  case "$line" in
    *'"cmd":"task"'*) echo '{"ok":true,"llvm":"none"}' >&0 ;;
    *'"cmd":"build"'*)
      output=$(printf '%s' "$line" | sed 's/.*"output":"\([^"]*\)".*/\1/')
      cp "FOLDER/planted$n.so" "$output"
      n=$((n + 1))
      echo $n > "FOLDER/built"
      echo '{"status":"ok","reason":"","hash":"","compile_secs":0.01}' >&0 ;;
  esac
done
)sh";

/// The programs of a device whose builder gives these kernels one after the other, the first as the reference.
class PlantedPrograms {
 public:
  explicit PlantedPrograms(const std::vector<std::string>& faults) {
    for (size_t i = 0; i < faults.size(); ++i) {
      std::filesystem::copy_file(kernels_.library(faults[i]),
                                 kernels_.file("planted" + std::to_string(i) + ".so"));
    }
    std::ofstream(kernels_.file("built")) << "0\n";
    std::string script = kBuilder;
    for (size_t at; (at = script.find("FOLDER")) != std::string::npos;) {
      script.replace(at, 6, kernels_.file("."));
    }
    std::ofstream(kernels_.file("tilewright-builder")) << script;
    std::filesystem::permissions(kernels_.file("tilewright-builder"),
                                 std::filesystem::perms::owner_all);
    const std::string runner = TW_BIN_DIR "/tilewright-runner";
    if (access(runner.c_str(), X_OK) != 0) TW_SKIP("tilewright-runner is not built");
    std::filesystem::create_symlink(runner, kernels_.file("tilewright-runner"));
  }
  std::string folder() const { return kernels_.file("."); }

 private:
  Kernels kernels_;
};

// What kernel.c computes.
ir::PrimFunc twice() {
  te::Tensor a = te::placeholder({1000}, kFloat32, "A");
  te::Tensor b = te::compute(
      {1000}, [&](te::Var i) { return a(i) + a(i); }, "B");
  return te::create_prim_func({a, b}, "twice");
}

struct Planted {
  const char* fault;
  Status status;
  const char* reason;
};

const std::vector<Planted> kPlanted{
    {"last", Status::kWrongResult, "1 of 1000 elements of B are wrong; the first at (999,)"},
    {"nothing", Status::kWrongResult, "1000 of 1000 elements of B are wrong"},
    {"past", Status::kWrongResult, "memory outside of B was written"},
    {"half", Status::kWrongResult, "500 of 1000 elements of B are wrong; the first at (500,)"},
    {"none", Status::kOk, ""},
    {"before", Status::kWrongResult, "memory outside of B was written"},
    {"adds", Status::kWrongResult, "1000 of 1000 elements of B are wrong"},
    {"later", Status::kWrongResult, "1 of 1000 elements of B are wrong"},
    {"error", Status::kRunError, "refused"},
    {"input", Status::kCrash, "killed by signal 11"},
    {"crash", Status::kCrash, "killed by signal 11"},
    {"hang", Status::kRunTimeout, "did not end in time"},
    {"grow", Status::kOutOfMemory, ""},
    {"none", Status::kOk, ""},
};

}  // namespace

TEST_CASE("whatever a candidate does wrong is named and costs itself alone") {
  std::vector<Planted> planted = kPlanted;
  if (!kMemoryIsLimited) {
    std::erase_if(planted, [](const Planted& p) { return p.status == Status::kOutOfMemory; });
  }
  std::vector<std::string> faults{"none"};
  for (const Planted& p : planted) faults.emplace_back(p.fault);
  const PlantedPrograms programs(faults);
  WorkerOptions options;
  options.program_folder = programs.folder();
  options.run_timeout_secs = 1;
  options.memory_bytes = int64_t{256} << 20;
  const auto device = make_worker_device(options);
  MeasureTask task;
  task.func = twice();
  task.target = Target::host();
  const Stop never = [] { return false; };
  CHECK(device->prepare(task, never).check.elements == 1000);

  const schedule::Trace trace = schedule::Schedule(task.func).sealed_trace();
  for (size_t i = 0; i < planted.size(); ++i) {
    CAPTURE(planted[i].fault);
    device->submit({static_cast<int64_t>(i), trace});
    const std::optional<MeasureResult> result = device->next(never);
    REQUIRE(result);
    const record::Measurement& m = result->measurement;
    CHECK(result->id == static_cast<int64_t>(i));
    CHECK(record::to_string(m.status) == std::string(record::to_string(planted[i].status)));
    CHECK_THAT(m.reason, Catch::Contains(planted[i].reason));
    CHECK(m.median_secs.has_value() == (m.status == Status::kOk));
    CHECK(m.samples_secs.empty() == (m.status != Status::kOk));
  }
}

}  // namespace tilewright::tuner
