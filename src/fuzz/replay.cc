#include <algorithm>
#include <optional>

#include "fuzz/shrink.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {

using schedule::Instruction;
using schedule::Schedule;
using schedule::Trace;

schedule::TensorInstructions used_instructions(const Trace& trace,
                                               const schedule::TensorInstructions& declared) {
  schedule::TensorInstructions used;
  for (const Instruction& step : trace.instructions) {
    const auto attr = step.attrs.find("instruction");
    if (attr == step.attrs.end()) continue;
    const auto it = declared.find(std::get<std::string>(attr->second.data));
    if (it != declared.end()) used.insert(*it);
  }
  return used;
}

namespace {

using Handle = std::variant<schedule::Loop, schedule::BlockRef>;

class FittingReplay {
 public:
  FittingReplay(const ir::PrimFunc& func, const Trace& trace,
                const schedule::TensorInstructions& instructions, bool stand_ins)
      : result_{Schedule(func), {}, {}, {}}, trace_(trace), stand_ins_(stand_ins) {
    sch().set_sketch(trace.sketch);
    sch().preset_decisions(trace.decisions);
    for (const auto& [name, instruction] : used_instructions(trace, instructions)) {
      sch().declare_instruction(instruction);
    }
  }

  Replayed run() {
    for (const Instruction& step : trace_.instructions) {
      if (!apply(step) && stand_ins_) stand_in_for(step);
    }
    return std::move(result_);
  }

 private:
  Schedule& sch() { return result_.sch; }

  bool apply(const Instruction& step) {
    Schedule::Call call{step.op, {}, step.attrs};
    if (step.op == "get_block" && stand_ins_) call.attrs["name"] = nearest_block(step);
    Instruction renamed = step;
    renamed.inputs.clear();
    for (const std::string& name : step.inputs) {
      const auto it = handles_.find(name);
      if (it == handles_.end()) return false;
      call.inputs.push_back(it->second);
      renamed.inputs.push_back(names_[name]);
    }
    try {
      const auto output = sch().apply(call);
      if (!output) return false;
      const std::vector<std::string>& made = sch().trace().instructions.back().outputs;
      size_t next = 0;
      for (const Schedule::Result& item : *output) {
        if (item.index() == 2 || next >= step.outputs.size()) continue;
        const std::string& name = step.outputs[next];
        names_[name] = made.at(next++);
        if (item.index() == 0) {
          handles_[name] = std::get<schedule::Loop>(item);
        } else {
          handles_[name] = std::get<schedule::BlockRef>(item);
        }
      }
      // The innermost loop for those that a block has not any more.
      for (; stand_ins_ && next > 0 && next < step.outputs.size(); ++next) {
        copy_handle(step.outputs[next], step.outputs[next - 1]);
      }
      return true;
    } catch (const Error& error) {
      // A decision or block that is gone, or the fault that is looked for.
      if (error.code().starts_with("trace.") || !result_.thrown.empty()) return false;
      result_.thrown = "error " + error.code();
      result_.message = error.what();
      result_.thrown_trace = sch().trace();
      result_.thrown_trace.instructions.push_back(renamed);
      return false;
    }
  }

  void copy_handle(const std::string& name, const std::string& from) {
    const auto it = handles_.find(from);
    if (it == handles_.end()) return;
    handles_[name] = it->second;
    names_[name] = names_[from];
  }

  void stand_in_for(const Instruction& step) {
    if (step.inputs.empty()) return;
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      copy_handle(step.outputs[i], step.inputs[std::min(i, step.inputs.size() - 1)]);
    }
  }

  // Primitives name what they make after what they made it of: S0, S0_rf, S0_rf_init.
  std::string nearest_block(const Instruction& step) {
    const std::string wanted = std::get<std::string>(step.attrs.at("name").data);
    std::string nearest;
    for (const std::string& name : sch().block_names()) {
      if (wanted.starts_with(name) && name.size() > nearest.size()) nearest = name;
    }
    return nearest.empty() ? wanted : nearest;
  }

  Replayed result_;
  const Trace& trace_;
  const bool stand_ins_;
  std::map<std::string, Handle> handles_;
  std::map<std::string, std::string> names_;  // of the new trace
};

}  // namespace

Replayed replay_what_fits(const ir::PrimFunc& func, const Trace& trace,
                          const schedule::TensorInstructions& instructions, bool stand_ins) {
  return FittingReplay(func, trace, instructions, stand_ins).run();
}

}  // namespace tilewright::fuzz
