#include "tilewright/schedule/error.h"

namespace tilewright::schedule {

std::string counter_example(const ScheduleError& error) { return error.counter_example; }

}  // namespace tilewright::schedule
