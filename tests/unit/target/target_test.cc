#include "tilewright/target/target.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "target/features.h"
#include "target/host.h"
#include "tilewright/support/cpu_features.h"
#include "tilewright/support/error.h"

using tilewright::Error;
using tilewright::Target;
using tilewright::TargetKind;

namespace {

std::string code_of(const std::string& text) {
  try {
    Target::parse(text);
  } catch (const Error& error) {
    return error.code();
  }
  return "no error";
}

std::string message_of(const std::string& text) {
  try {
    Target::parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a bare cpu target is this machine") {
  const Target target = Target::parse("cpu");
  CHECK(target == Target::host());
  CHECK(target.kind == TargetKind::kCpu);
  CHECK(target.cores >= 1);
  CHECK(target.vector_bits >= 128);
}

TEST_CASE("every target prints as text that parses to itself") {
  const std::string text =
      GENERATE(as<std::string>{}, "cpu",
               "cpu -arch=x86_64 -features=+avx2,+fma -vector-bits=256 -cores=2 -l1=32k -l2=512k",
               "cpu -arch=x86_64 -features=", "cpu -arch=aarch64 -features=+neon",
               "cuda -arch=sm_90a", "cuda", "opencl",
               "cpu -arch=x86_64 -triple=x86_64-linux-gnu -features=avx512f -vector-bits=256");
  const Target target = Target::parse(text);
  INFO(target.to_string());
  CHECK(Target::parse(target.to_string()) == target);
}

TEST_CASE("options of a cpu target") {
  const Target target = Target::parse(
      "cpu -arch=x86_64  -features=+avx2,+fma -cores=6 -l1=48k -l2=2m -l3=1073741824");
  CHECK(target.cores == 6);
  CHECK(target.l1d_bytes == 48 * 1024);
  CHECK(target.l2_bytes == 2 << 20);
  CHECK(target.l3_bytes == 1 << 30);
  CHECK(target.vector_bits == 256);
  CHECK(target.vector_registers == 16);
  CHECK(target.vector_lanes(32) == 8);
  CHECK(target.vector_lanes(512) == 1);
  CHECK(target.has_feature("avx"));
  CHECK(target.has_feature("sse4.2"));
  CHECK_FALSE(target.has_feature("avx512f"));

  const Target wide = Target::parse("cpu -arch=x86_64 -features=avx512vl");
  CHECK(wide.vector_bits == 512);
  CHECK(wide.vector_registers == 32);
  CHECK(wide.has_feature("f16c"));

  const Target baseline = Target::parse("cpu -arch=x86_64 -features=");
  CHECK(baseline.features.empty());
  CHECK(baseline.vector_bits == 128);

  const Target other = Target::parse("cpu -arch=aarch64");
  CHECK(other.features.empty());
  CHECK(other.l1d_bytes == 0);
  CHECK(other.vector_registers == 32);
}

TEST_CASE("removing a feature removes what needs it") {
  const Target target = Target::parse("cpu -arch=x86_64 -features=+avx512vl,+avx512bw,-avx512f");
  CHECK(target.has_feature("avx2"));
  CHECK_FALSE(target.has_feature("avx512f"));
  CHECK_FALSE(target.has_feature("avx512bw"));
  if (tilewright::target::host_arch() == "x86_64") {
    CHECK(Target::parse("cpu -features=host").features == Target::host().features);
    CHECK_FALSE(Target::parse("cpu -features=host,-avx").has_feature("avx2"));
  }
}

TEST_CASE("bad targets name the nearest legal word") {
  CHECK(code_of("") == "target.unknown_kind");
  CHECK(message_of("cpuu") == "unknown target 'cpuu'; did you mean 'cpu'?");
  CHECK(message_of("vulkan") == "unknown target 'vulkan'; known: cpu, cuda, opencl");
  CHECK(message_of("cpu -vector_bits=256") ==
        "unknown option '-vector_bits=256' of target cpu; did you mean 'vector-bits'?");
  CHECK(code_of("cpu cores=2") == "target.unknown_option");
  CHECK(message_of("cpu -arch=x86_64 -features=+avx22") ==
        "unknown x86_64 feature 'avx22'; did you mean 'avx2'?");
  CHECK(message_of("cpu -arch=x86-64") == "unknown CPU arch 'x86-64'; did you mean 'x86_64'?");
  for (const char* text : {"cpu -cores=0", "cpu -cores=two", "cpu -cores=", "cpu -cores",
                           "cpu -l1=3g", "cpu -l1=99999999999999999999", "cpu -vector-bits=100",
                           "cuda -arch=90", "cpu -cores=-1", "cpu -arch=aarch64 -features=host"}) {
    INFO(text);
    CHECK(code_of(text) == "target.bad_value");
  }
  CHECK(code_of("cpu -cores=2 -cores=3") == "target.duplicate_option");
  CHECK(code_of("opencl -arch=x") == "target.unknown_option");
}

TEST_CASE("a record is usable when its required features are present") {
  const Target here = Target::parse("cpu -arch=x86_64 -features=avx2,fma -cores=2");
  CHECK(here.can_use(here));
  CHECK(here.can_use(Target::parse("cpu -arch=x86_64 -features=avx2")));
  SECTION("hints take no part") {
    CHECK(here.can_use(
        Target::parse("cpu -arch=x86_64 -features=avx2 -cores=64 -l1=1m -l3=0 -vector-bits=512")));
  }
  SECTION("a missing feature is named") {
    const auto why = here.why_unusable(Target::parse("cpu -arch=x86_64 -features=avx512vl"));
    REQUIRE(why);
    CHECK(*why == "it needs avx512f, avx512vl, f16c, which this target lacks");
  }
  SECTION("another arch or kind") {
    CHECK_FALSE(here.can_use(Target::parse("cpu -arch=aarch64")));
    CHECK_FALSE(here.can_use(Target::parse("cuda -arch=sm_80")));
    CHECK_FALSE(Target::parse("cuda -arch=sm_90").can_use(Target::parse("cuda -arch=sm_80")));
  }
}

TEST_CASE("feature detection agrees with the kernel's list") {
  if (tilewright::target::host_arch() != "x86_64") return;
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line, flags;
  while (std::getline(cpuinfo, line) && flags.empty()) {
    if (line.starts_with("flags")) flags = line + " ";
  }
  if (flags.empty()) return;
  const Target host = Target::host();
  for (const char* name :
       {"avx", "avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512vl"}) {
    INFO(name);
    CHECK(host.has_feature(name) ==
          (flags.find(std::string(" ") + name + " ") != std::string::npos));
  }
  CHECK(host.has_feature("sse2"));
}

TEST_CASE("every implied feature is a known one") {
  using namespace tilewright::target;
  const auto known = known_features("x86_64");
  for (const std::string& name : known) {
    for (const std::string& implied : close_features({name})) {
      INFO(name << " -> " << implied);
      CHECK(std::find(known.begin(), known.end(), implied) != known.end());
    }
  }
  // What the hardware reports is closed already, or the implications are wrong.
  CHECK(close_features(tilewright::host_cpu_features()) == tilewright::host_cpu_features());
}

TEST_CASE("cache sizes from sysfs") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("tw_sysfs_" + std::to_string(::getpid()));
  const auto write = [&](int index, const char* level, const char* type, const char* size) {
    const fs::path folder = root / ("index" + std::to_string(index));
    fs::create_directories(folder);
    std::ofstream(folder / "level") << level << "\n";
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "size") << size << "\n";
    std::ofstream(folder / "coherency_line_size") << "64\n";
  };
  write(0, "1", "Data", "48K");
  write(1, "1", "Instruction", "64K");
  write(2, "2", "Unified", "2048K");
  write(3, "3", "Unified", "480M");
  const auto caches = tilewright::target::sysfs_caches(root.string());
  CHECK(caches.l1d_bytes == 48 * 1024);
  CHECK(caches.l2_bytes == 2048 * 1024);
  CHECK(caches.l3_bytes == int64_t{480} << 20);
  CHECK(caches.line_bytes == 64);
  fs::remove_all(root);
  CHECK(tilewright::target::sysfs_caches(root.string()).l1d_bytes == 0);

  const auto host = tilewright::target::host_caches();
  if (host.l1d_bytes) CHECK((host.l1d_bytes >= 4096 && host.l1d_bytes < (4 << 20)));
}
