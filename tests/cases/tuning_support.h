#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "case_support.h"
#include "tilewright/record/log.h"
#include "tilewright/tuner/api/tune_te.h"

/// \file
/// What the cases about tuning share: a folder for logs, a small matrix product, measurements by a function.

namespace tilewright::testing {

/// A folder that is empty at the start and gone at the end.
class LogFolder {
 public:
  LogFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-cases-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~LogFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;
  std::string log() const { return path_ + "/a.jsonl"; }
  std::string text() const {
    std::stringstream text;
    text << std::ifstream(log()).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

/// A float32 matrix product of n x n, which `name` tells from others.
inline std::vector<te::Arg> matmul_args(int64_t n, const std::string& name = "C") {
  te::Tensor a = te::placeholder({n, n}, kFloat32, "A"), b = te::placeholder({n, n}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(n, "k");
  te::Tensor c = te::compute(
      {n, n}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, name);
  return {a, b, c};
}

inline record::Measurement took(double secs) {
  record::Measurement m;
  m.status = record::Status::kOk;
  m.samples_secs = {secs};
  m.min_secs = m.median_secs = secs;
  return m;
}

inline record::Measurement failed(record::Status status, const std::string& reason) {
  record::Measurement m;
  m.status = status;
  m.reason = reason;
  return m;
}

/// The decision of that name.
inline int64_t decided(const schedule::Trace& trace, const std::string& name) {
  for (const schedule::Decision& decision : trace.decisions) {
    if (decision.name == name) return std::get<int64_t>(decision.value.data);
  }
  throw std::runtime_error("no decision " + name);
}

/// Where the worker programs are; leaves the test out when they are not built.
inline tuner::WorkerOptions workers() {
  for (const char* name : {"tilewright-builder", "tilewright-runner"}) {
    if (access((std::string(TW_BIN_DIR "/") + name).c_str(), X_OK) != 0) {
      skip(std::string(name) + " is not built");
    }
  }
  tuner::WorkerOptions options;
  options.program_folder = TW_BIN_DIR;
  return options;
}

}  // namespace tilewright::testing
