#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::record {

/// What was tuned: a named operator with all its parameters, or any expression by its hash.
struct TaskKey {
  std::string op;  ///< empty: known by its expression alone
  int64_t op_version = 0;
  std::map<std::string, std::string> args;  ///< canonical spelling; "?" for a symbolic size
  std::vector<std::string> dtypes;          ///< of inputs, then outputs
  std::vector<std::string> layouts;         ///< of the tensors that have one
  std::vector<std::string> assumptions;     ///< "n % 8 == 0"
  std::string expr_hash;                    ///< "tw1:..." of the canonical te text

  /// What records are looked up by: "matmul/1/k=512,m=512,n=512/float32,float32,float32//" for an operator,
  /// else "expr/tw1:9f2c51aa...".
  std::string key() const;

  bool operator==(const TaskKey&) const = default;
};

/// How the kernel is called. A record counts only for the same.
struct ExecMode {
  int threads = 1;
  std::string cache = "warm";          ///< "warm" or "cold"
  std::vector<std::string> prepacked;  ///< inputs packed outside of the call

  bool operator==(const ExecMode&) const = default;
};

}  // namespace tilewright::record
