#include "tilewright/schedule/replay.h"

namespace tilewright::schedule {

std::optional<ScheduleError> try_steps(Schedule& sch, const Trace& trace) {
  std::map<std::string, std::variant<Loop, BlockRef>> handles;
  const Trace current = trace.migrated();
  for (const Instruction& instruction : current.instructions) {
    Schedule::Call call{instruction.op, {}, instruction.attrs};
    for (const std::string& name : instruction.inputs) {
      auto it = handles.find(name);
      if (it == handles.end()) {
        fail("trace.handle", "the trace uses handle '{}' in '{}' before any instruction makes it",
             name, instruction.op);
      }
      call.inputs.push_back(it->second);
    }
    auto result = sch.apply(call);
    if (!result) return result.error();
    size_t next = 0;
    for (const Schedule::Result& output : *result) {
      if (output.index() == 2) continue;
      if (next >= instruction.outputs.size()) {
        if (instruction.op == "sample_compute_location") break;
        fail("trace.outputs", "'{}' gave more results than the trace names", instruction.op);
      }
      const std::string& name = instruction.outputs[next++];
      if (output.index() == 0) {
        handles[name] = std::get<Loop>(output);
      } else {
        handles[name] = std::get<BlockRef>(output);
      }
    }
    // Another place sampled may give no loop; what names it then is an unknown handle.
    if (next != instruction.outputs.size() && instruction.op != "sample_compute_location") {
      fail("trace.outputs", "'{}' gave {} results, the trace names {}", instruction.op, next,
           instruction.outputs.size());
    }
  }
  return std::nullopt;
}

void replay_steps(Schedule& sch, const Trace& trace) {
  if (const std::optional<ScheduleError> error = try_steps(sch, trace)) {
    throw ScheduleException(*error);
  }
}

}  // namespace tilewright::schedule
