#include "tilewright/schedule/schedule.h"

#include <fmt/ranges.h>

#include <atomic>

#include "schedule/decision_refs.h"
#include "schedule/invocation.h"
#include "schedule/primitive_table.h"
#include "tilewright/arith/region_check.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/schedule/replay.h"
#include "tilewright/support/suggest.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

uint64_t next_owner() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

Schedule::Schedule(PrimFunc func, uint64_t seed)
    : func_(std::move(func)), original_(func_), owner_(next_owner()), rng_(seed) {
  if (func_->level != Level::kScheduled) {
    fail("schedule.level", "function '{}' is at level {}; a schedule starts from level {}",
         func_->name, spelling(func_->level), spelling(Level::kScheduled));
  }
  if (const std::vector<std::string> faults = arith::region_faults(func_); !faults.empty()) {
    fail("schedule.regions", "function '{}': {}", func_->name, fmt::join(faults, "; "));
  }
  next_id_ = next_free_id(func_);
  try {
    Invocation("schedule", func_, next_id_).require_loops_independent();
  } catch (const Refusal& refusal) {
    fail("schedule.race", "function '{}': {}", func_->name, refusal.error.reason);
  }
}

std::string Schedule::name_of(const std::variant<Loop, BlockRef>& handle) const {
  const auto& names = handle.index() == 0 ? loop_names_ : block_names_;
  return std::visit(
      [&](const auto& h) {
        const auto it = h.owner == 0 || h.owner == owner_ ? names.find(h.id) : names.end();
        return it == names.end() ? std::string() : it->second;
      },
      handle);
}

Value Schedule::record_int(const Int& value) const {
  return value.decision.empty() ? Value(value.value) : Value("$" + value.decision);
}

Expected<std::vector<Schedule::Result>, ScheduleError> Schedule::apply(const Call& call) {
  const Primitive* row = find_primitive(call.op);
  if (!row) {
    std::vector<std::string> names;
    for (const Primitive& p : primitive_table()) names.emplace_back(p.name);
    fail("schedule.unknown_primitive", "there is no primitive '{}'; did you mean '{}'?", call.op,
         nearest_name(names, call.op));
  }
  Invocation invocation(row->name, func_, next_id_);
  Instruction instruction{call.op, row->version, {}, call.attrs, {}};
  for (const auto& input : call.inputs) {
    invocation.inputs.push_back(std::visit([](const auto& h) { return h.id; }, input));
    instruction.inputs.push_back(name_of(input));
  }
  for (const auto& [key, value] : call.attrs) {
    invocation.attrs[key] = resolve(value, trace_.decisions);
  }
  invocation.draft = draft_;
  invocation.rng = &rng_;
  invocation.instructions = &instructions_;
  invocation.presets = &presets_;
  invocation.made = &trace_.decisions;
  Outputs outputs;
  try {
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const bool is_loop = call.inputs[i].index() == 0;
      const uint64_t owner = std::visit([](const auto& h) { return h.owner; }, call.inputs[i]);
      const bool other = owner != 0 && owner != owner_;
      if (!other) {
        if (is_loop) {
          invocation.loop(i);
        } else {
          invocation.block(i);
        }
        if (!instruction.inputs[i].empty()) continue;
      }
      invocation.refuse(
          "foreign_handle", other ? -1 : invocation.inputs[i],
          fmt::format("the {} handle did not come from this schedule", is_loop ? "loop" : "block"),
          "get it with get_block and get_loops of this schedule");
    }
    outputs = row->run(invocation);
  } catch (const Refusal& refusal) {
    return Unexpected{refusal.error};
  }
  for (Result& result : outputs) {
    if (Loop* loop = std::get_if<Loop>(&result)) {
      loop->owner = owner_;
      std::string name = fmt::format("l{}", next_loop_name_++);
      loop_names_[loop->id] = name;
      instruction.outputs.push_back(name);
    } else if (BlockRef* block = std::get_if<BlockRef>(&result)) {
      block->owner = owner_;
      std::string name = fmt::format("b{}", next_block_name_++);
      block_names_[block->id] = name;
      instruction.outputs.push_back(name);
    }
  }
  func_ = invocation.func;
  next_id_ = invocation.next_id;
  trace_.hash.clear();
  trace_.instructions.push_back(std::move(instruction));
  for (Decision& decision : invocation.decisions) trace_.decisions.push_back(std::move(decision));
  return outputs;
}

std::vector<Schedule::Result> Schedule::must(const Call& call) {
  auto result = apply(call);
  if (result) return std::move(result).value();
  ScheduleError error = result.error();
  // Nobody reads why a draft was refused, and looking for a counter-example takes far longer than the step.
  if (draft_) error.func = error.after = PrimFunc();
  throw ScheduleException(error);
}

Trace Schedule::sealed_trace() const {
  if (draft_) {
    fail(
        "schedule.draft",
        "the schedule of '{}' is a draft: its program was not checked as a whole; replay its trace",
        func_->name);
  }
  Trace trace = trace_;
  trace.hash = fmt::format("tw1:{:016x}", structural_hash(func_));
  return trace;
}

void Schedule::preset_decisions(std::vector<Decision> decisions) {
  presets_ = std::move(decisions);
}

Expected<Schedule, ScheduleError> Schedule::try_replay(const PrimFunc& func, const Trace& trace,
                                                       const TensorInstructions& instructions) {
  Schedule sch(func);
  for (const auto& [name, instruction] : instructions) sch.declare_instruction(instruction);
  sch.set_sketch(trace.sketch);
  sch.preset_decisions(trace.decisions);
  if (std::optional<ScheduleError> error = try_steps(sch, trace)) return Unexpected{*error};
  return sch;
}

Schedule Schedule::replay(const PrimFunc& func, const Trace& trace,
                          const TensorInstructions& instructions) {
  auto result = try_replay(func, trace, instructions);
  if (!result) throw ScheduleException(result.error());
  return std::move(result).value();
}

// ---- queries ------------------------------------------------------------------------------------

namespace {

using Touches = bool (*)(const Block&, const Buffer&);

// The other blocks that touch (read or write) one of the buffers in `regions` of the block.
std::vector<BlockRef> other_blocks(const PrimFunc& func, BlockRef block,
                                   const std::vector<Region> BlockNode::*regions, Touches touches) {
  Tree tree(func);
  const BlockRealizeNode* self = tree.block(block.id);
  std::vector<BlockRef> result;
  if (!self) return result;
  for (const BlockRealizeNode* other : tree.blocks_under(-1)) {
    if (other == self) continue;
    for (const Region& region : (*self->block).*regions) {
      if (touches(other->block, region.buffer)) {
        result.push_back({other->block->id, block.owner});
        break;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<BlockRef> Schedule::get_producers(BlockRef block) const {
  return other_blocks(func_, block, &BlockNode::reads, block_writes);
}

std::vector<BlockRef> Schedule::get_consumers(BlockRef block) const {
  return other_blocks(func_, block, &BlockNode::writes, block_reads);
}

std::vector<std::string> Schedule::block_names() const {
  std::vector<std::string> names;
  for (const BlockRealizeNode* node : Tree(func_).blocks_under(-1))
    names.push_back(node->block->name);
  return names;
}

int64_t Schedule::loop_extent_or(Loop loop, int64_t otherwise) const {
  Tree tree(func_);
  const ForNode* node = tree.loop(loop.id);
  const int64_t* extent = node ? as_const_int(node->extent) : nullptr;
  return extent ? *extent : otherwise;
}

std::string Schedule::loop_name(Loop loop) const {
  Tree tree(func_);
  const ForNode* node = tree.loop(loop.id);
  return node ? node->var.name() : std::string();
}

std::string Schedule::block_name(BlockRef block) const {
  Tree tree(func_);
  const BlockRealizeNode* node = tree.block(block.id);
  return node ? node->block->name : std::string();
}

std::string Schedule::show() const { return to_pretty(func_); }

}  // namespace tilewright::schedule
