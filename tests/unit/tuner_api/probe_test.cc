#include "tilewright/tuner/api/probe.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tilewright/te/te.h"
#include "tilewright/tuner/cost_model/roofline.h"
#include "tuner/api/probe_kernels.h"

namespace tilewright::tuner {
namespace {

using runtime::NDArray;

// The user's cache folder, for the length of a test.
class CacheFolder {
 public:
  CacheFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-cache-XXXXXX").string();
    path_ = mkdtemp(name.data());
    point_to(path_);
  }
  ~CacheFolder() {
    point_to(before_);
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  static void point_to(const std::string& path) {
    if (path.empty()) {
      unsetenv("XDG_CACHE_HOME");
    } else {
      setenv("XDG_CACHE_HOME", path.c_str(), 1);
    }
  }
  std::string before_ = std::getenv("XDG_CACHE_HOME") ? std::getenv("XDG_CACHE_HOME") : "";
  std::string path_;
};

NDArray counted(std::vector<int64_t> shape) {
  const NDArray array = NDArray::empty(std::move(shape), kFloat32);
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    array.data_as<float>()[i] = static_cast<float>(i % 7) - 3;
  }
  return array;
}

TEST_CASE("the kernels of the probe do the work that is counted") {
  using K = ProbeKernels;
  const Target target = Target::host();
  const int64_t lanes = target.vector_lanes(32), columns = K::kColumnVectors * lanes;
  const ProbeKernels kernels = make_probe_kernels(target);

  const NDArray a = counted({K::kDepth, K::kRows}),
                b = counted({K::kDepth, K::kColumnVectors, lanes});
  const NDArray c = kernels.multiply_adds(a, b)[0];
  for (int64_t r : {int64_t{0}, K::kRepeats - 1}) {
    for (int64_t i = 0; i < K::kRows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < K::kDepth; ++k) {
          sum += a.data_as<float>()[k * K::kRows + i] * b.data_as<float>()[k * columns + j];
        }
        REQUIRE(c.data_as<float>()[(r * K::kRows + i) * columns + j] == sum);
      }
    }
  }

  const int64_t width = K::kSweepVectors * lanes, n = 5;
  const NDArray x = counted({3, n, K::kSweepVectors, lanes});
  for (const CompiledKernel* kernel : {&kernels.sweep, &kernels.parallel_sweep}) {
    const NDArray y = (*kernel)(x)[0];
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t j = 0; j < width; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < n; ++k) sum += x.data_as<float>()[(s * n + k) * width + j];
        REQUIRE(y.data_as<float>()[s * width + j] == sum);
      }
    }
  }
  CHECK(kernels.parallel_loop(counted({4}))[0].data_as<float>()[1] == -4);
}

TEST_CASE("speeds are measured once and kept for this machine") {
  const CacheFolder cache;
  const HostSpeeds first = host_speeds();
  CHECK(first.measured);
  CHECK(first.not_stored.empty());
  CHECK(first.path.starts_with(cache.path() + "/tilewright/"));

  // As if the machine had been idle, whatever it was.
  HostSpeeds kept = first;
  kept.busy = false;
  std::ofstream(first.path) << speeds_text(kept);
  const HostSpeeds second = host_speeds();
  CHECK_FALSE(second.measured);
  CHECK(second.speeds == first.speeds);
  CHECK(second.path == first.path);

  std::ofstream(first.path) << "{\"fma_per_sec\":1";
  CHECK(host_speeds().measured);
  CHECK(host_speeds(true).measured);
}

TEST_CASE("speeds from a busy time are measured again, and the better ones are kept") {
  const CacheFolder cache;
  HostSpeeds kept = host_speeds();
  kept.busy = true;
  // Beyond what any machine does, so that noise plays no part.
  kept.speeds.fma_per_sec = 1e18;
  kept.speeds.launch_secs = 1e-15;
  kept.speeds.l2_bytes_per_sec = 1;
  std::ofstream(kept.path) << speeds_text(kept);
  const HostSpeeds again = host_speeds();
  CHECK(again.measured);
  CHECK(again.speeds.fma_per_sec == Approx(1e18));
  CHECK(again.speeds.launch_secs == Approx(1e-15).margin(0));
  CHECK(again.speeds.l2_bytes_per_sec > 1e3);
}

TEST_CASE("a folder that cannot be written is said, and the speeds are measured all the same") {
  const CacheFolder cache;
  std::ofstream(cache.path() + "/tilewright") << "a file where the folder should be";
  const HostSpeeds host = host_speeds();
  CHECK(host.measured);
  CHECK_THAT(host.not_stored, Catch::Contains(host.path));
}

TEST_CASE("the text of a cache file is used only for what it was written for") {
  HostSpeeds host;
  host.speeds.launch_secs = 7e-6;
  host.busy = true;
  const std::string text = speeds_text(host);
  REQUIRE(parse_speeds(text));
  CHECK(parse_speeds(text)->speeds == host.speeds);
  CHECK(parse_speeds(text)->busy);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const size_t at = other.find(from);
    REQUIRE(at != std::string::npos);
    return other.replace(at, from.size(), to);
  };
  CHECK_FALSE(parse_speeds(with("\"m-", "\"m-0")));
  CHECK_FALSE(parse_speeds(with("\"features\":[", "\"features\":[\"other\",")));
  CHECK_FALSE(parse_speeds(with(TW_VERSION, "0.0.1")));
  CHECK_FALSE(parse_speeds(with("\"launch_secs\":7e-06", "\"launch_secs\":-1")));
  CHECK_FALSE(parse_speeds(with("\"launch_secs\":7e-06", "\"launch_secs\":\"fast\"")));
  CHECK_FALSE(parse_speeds(with("launch_secs", "launch")));
  for (const char* broken : {"", "{}", "[1]", "no json", "{\"fma_per_sec\":1"}) {
    CHECK_FALSE(parse_speeds(broken));
  }
}

ir::PrimFunc copy_of(int64_t n) {
  const te::Tensor a = te::placeholder({n}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {n}, [&](te::Var i) { return a(i) + a(i); }, "B");
  return te::create_prim_func({a, b}, "copy");
}

TEST_CASE("the roofline is the slower of arithmetic and traffic") {
  Target target = Target::parse("cpu -vector-bits=256 -cores=2 -l2=512k -l3=32m");
  const MachineSpeeds speeds{1e9, 100e9, 50e9, 12e9, 10e9, 1e-6};
  CHECK(peak_gflops(speeds, target) == Approx(16));
  const ir::PrimFunc small = copy_of(1 << 10), middle = copy_of(1 << 20), large = copy_of(1 << 24);
  CHECK(*roofline_secs(small, 16e9, target, speeds, 1) == Approx(1));
  CHECK(*roofline_secs(small, 16e9, target, speeds, 2) == Approx(0.5));
  CHECK(*roofline_secs(small, 16e9, target, speeds, 8) == Approx(0.5));
  CHECK(*roofline_secs(small, 1, target, speeds, 1) == Approx(8.0 * (1 << 10) / 100e9));
  CHECK(*roofline_secs(middle, 1, target, speeds, 1) == Approx(8.0 * (1 << 20) / 50e9));
  CHECK(*roofline_secs(large, 1, target, speeds, 1) == Approx(8.0 * (1 << 24) / 10e9));
  CHECK(*roofline_secs(large, 1, target, speeds, 2) == Approx(8.0 * (1 << 24) / 12e9));
  CHECK_FALSE(roofline_secs(small, 0, target, speeds, 1));
}

}  // namespace
}  // namespace tilewright::tuner
