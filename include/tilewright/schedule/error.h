#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/trace.h"
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
  std::string
      counter_example;  ///< a concrete iteration that would go wrong; empty: not looked for yet
  std::string hint;     ///< the nearest legal step; may be empty
  ir::PrimFunc func;    ///< the program as it was (and still is)
  std::vector<int64_t> inputs;  ///< ids of the loops and blocks the primitive was called with
  Attributes attrs;             ///< its other arguments, decisions replaced by their values
  ir::PrimFunc
      after;  ///< the program it would have made, where the fault shows only there; else null
};

/// A concrete pair of iterations, or an element, that would go wrong: "k = 0 and k = 1 both update C[0, 0]".
/// Found by listing the statement instances of a small instance of the program (symbolic sizes small, long loops
/// at their ends), so only when somebody asks. Empty where the refusal is not about iterations or none is found.
std::string counter_example(const ScheduleError& error);

/// The whole text for a person: reason, the loop nest with the place underlined, the counter-example, the
/// legal values and the hint.
std::string render(const ScheduleError& error);

/// The exception form thrown by the facade; `what()` is `render(error)`, its `error()` has the counter-example.
class ScheduleException : public Error {
 public:
  explicit ScheduleException(const ScheduleError& error);
  const ScheduleError& error() const noexcept { return error_; }

 private:
  struct Complete {
    ScheduleError error;
  };
  explicit ScheduleException(Complete complete);
  ScheduleError error_;
};

}  // namespace tilewright::schedule
