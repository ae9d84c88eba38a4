#pragma once

#include <memory>
#include <string>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/trace.h"
#include "tilewright/target/target.h"
#include "tuner/measure/protocol.h"

namespace tilewright::tuner {

/// Compiles candidates of one task to shared libraries: what the builder executable does.
class Builder {
 public:
  Builder(ir::PrimFunc func, Target target) : func_(std::move(func)), target_(std::move(target)) {}

  /// Replays, lowers, compiles and links. Every failure is an outcome: "invalid" when the trace does not
  /// replay, else "build_error".
  BuildOutcome build(const schedule::Trace& trace, const std::string& output) const;

 private:
  ir::PrimFunc func_;
  Target target_;
};

/// The builder executable: serves requests on `fd`.
void serve_builder(int fd);

}  // namespace tilewright::tuner
