#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/support/error.h"
#include "tilewright/support/expected.h"

namespace tilewright::schedule {

/// Why a primitive refused. A value: nothing is rendered until somebody asks (`render`), so a search can
/// meet thousands of them.
struct ScheduleError {
  std::string code;       ///< stable, "schedule.<primitive>.<reason>"
  std::string primitive;  ///< "split"
  std::string reason;     ///< one sentence naming loop, block or tensor and the value at fault
  int64_t at = -1;        ///< id of the loop or block to underline; -1: none
  std::vector<std::string> legal;  ///< the legal values, when they can be listed
  std::string counter_example;     ///< a concrete iteration that would go wrong; may be empty
  std::string hint;                ///< the nearest legal step; may be empty
  ir::PrimFunc func;               ///< the program as it was (and still is)
};

/// The whole text for a person: reason, the loop nest with the place underlined, the counter-example, the
/// legal values and the hint.
std::string render(const ScheduleError& error);

/// The exception form thrown by the facade; `what()` is `render(error)`.
class ScheduleException : public Error {
 public:
  explicit ScheduleException(const ScheduleError& error);
  const ScheduleError& error() const noexcept { return error_; }

 private:
  ScheduleError error_;
};

}  // namespace tilewright::schedule
