#pragma once

#include <string>
#include <vector>

#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::ops {

/// A schedule with choices: applies primitives to the default loops of an operator and leaves numbers to
/// the sampling primitives. `threads` is the number of threads the kernel will be called with.
using Template = void (*)(schedule::Schedule& sch, const Target& target, int threads);

struct NamedTemplate {
  std::string name;  ///< becomes the sketch of the trace
  Template apply = nullptr;
};

/// The templates of an operator; none for an operator without one and for an unknown name.
std::vector<NamedTemplate> templates_for(const std::string& op_name);

}  // namespace tilewright::ops
