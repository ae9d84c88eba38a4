#include "tilewright/schedule/schedule.h"

#include <charconv>

#include "schedule/invocation.h"
#include "schedule/primitive_table.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/suggest.h"

namespace tilewright::schedule {

using namespace ir;

Schedule::Schedule(PrimFunc func, uint64_t seed)
    : func_(std::move(func)), original_(func_), rng_(seed) {
  if (func_->level != Level::kScheduled) {
    fail("schedule.level", "function '{}' is at level {}; a schedule starts from level {}",
         func_->name, spelling(func_->level), spelling(Level::kScheduled));
  }
  next_id_ = next_free_id(func_);
}

std::string Schedule::name_of(const std::variant<Loop, BlockRef>& handle) const {
  bool is_loop = handle.index() == 0;
  int64_t id = is_loop ? std::get<Loop>(handle).id : std::get<BlockRef>(handle).id;
  const auto& names = is_loop ? loop_names_ : block_names_;
  auto it = names.find(id);
  return it == names.end() ? std::string() : it->second;
}

namespace {

// Attributes with the names of decisions replaced by their values, where an integer is meant.
Value resolve(const Value& value, const std::vector<Decision>& decisions) {
  if (const auto* list = std::get_if<Value::List>(&value.data)) {
    Value::List result;
    for (const Value& item : *list) {
      result.push_back(resolve(item, decisions));
    }
    return result;
  }
  const auto* text = std::get_if<std::string>(&value.data);
  if (!text || text->empty() || text->front() != '$') return value;
  std::string_view name(*text);
  name.remove_prefix(1);
  size_t index = std::string_view::npos;
  if (size_t bracket = name.find('['); bracket != std::string_view::npos) {
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + bracket + 1, end, index);
    if (error != std::errc() || stop + 1 != end || *stop != ']') {
      fail("trace.decision", "the trace refers to decision '{}', which is not of the form $name[0]",
           *text);
    }
    name = name.substr(0, bracket);
  }
  for (const Decision& decision : decisions) {
    if (decision.name != name) continue;
    if (index == std::string_view::npos) return decision.value;
    const auto* list = std::get_if<Value::List>(&decision.value.data);
    if (list && index < list->size()) return (*list)[index];
  }
  fail("trace.decision", "the trace refers to decision '{}', which it does not contain", *text);
}

}  // namespace

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
    invocation.inputs.push_back(input.index() == 0 ? std::get<Loop>(input).id
                                                   : std::get<BlockRef>(input).id);
    instruction.inputs.push_back(name_of(input));
  }
  for (const auto& [key, value] : call.attrs) {
    invocation.attrs[key] = resolve(value, trace_.decisions);
  }
  invocation.rng = &rng_;
  invocation.presets = &presets_;
  invocation.made = &trace_.decisions;
  Outputs outputs;
  try {
    for (size_t i = 0; i < instruction.inputs.size(); ++i) {
      if (instruction.inputs[i].empty()) {
        bool is_loop = call.inputs[i].index() == 0;
        if (is_loop) {
          invocation.loop(i);
        } else {
          invocation.block(i);
        }
        invocation.refuse("foreign_handle", invocation.inputs[i],
                          fmt::format("the {} handle did not come from this schedule",
                                      is_loop ? "loop" : "block"),
                          "get it with get_block and get_loops of this schedule");
      }
    }
    outputs = row->run(invocation);
  } catch (const Refusal& refusal) {
    return Unexpected{refusal.error};
  }
  for (const Result& result : outputs) {
    if (const Loop* loop = std::get_if<Loop>(&result)) {
      std::string name = fmt::format("l{}", next_loop_name_++);
      loop_names_[loop->id] = name;
      instruction.outputs.push_back(name);
    } else if (const BlockRef* block = std::get_if<BlockRef>(&result)) {
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
  if (!result) throw ScheduleException(result.error());
  return std::move(result).value();
}

Trace Schedule::sealed_trace() const {
  Trace trace = trace_;
  trace.hash = fmt::format("tw1:{:016x}", structural_hash(func_));
  return trace;
}

void Schedule::preset_decisions(std::vector<Decision> decisions) {
  presets_ = std::move(decisions);
}

Expected<Schedule, ScheduleError> Schedule::try_replay(const PrimFunc& func, const Trace& trace) {
  Schedule sch(func);
  sch.set_sketch(trace.sketch);
  sch.preset_decisions(trace.decisions);
  std::map<std::string, std::variant<Loop, BlockRef>> handles;
  for (const Instruction& instruction : trace.instructions) {
    const Primitive* row = find_primitive(instruction.op);
    if (!row)
      fail("trace.unknown_primitive", "the trace uses primitive '{}', unknown to this version",
           instruction.op);
    if (row->version != instruction.version) {
      fail("trace.version",
           "the trace uses version {} of primitive '{}'; this build has version {}",
           instruction.version, instruction.op, row->version);
    }
    Call call{instruction.op, {}, instruction.attrs};
    for (const std::string& name : instruction.inputs) {
      auto it = handles.find(name);
      if (it == handles.end()) {
        fail("trace.handle", "the trace uses handle '{}' in '{}' before any instruction makes it",
             name, instruction.op);
      }
      call.inputs.push_back(it->second);
    }
    auto result = sch.apply(call);
    if (!result) return Unexpected{result.error()};
    size_t next = 0;
    for (const Result& output : *result) {
      if (output.index() == 2) continue;
      if (next >= instruction.outputs.size()) {
        fail("trace.outputs", "'{}' gave more results than the trace names", instruction.op);
      }
      const std::string& name = instruction.outputs[next++];
      if (output.index() == 0) {
        handles[name] = std::get<Loop>(output);
      } else {
        handles[name] = std::get<BlockRef>(output);
      }
    }
    if (next != instruction.outputs.size()) {
      fail("trace.outputs", "'{}' gave {} results, the trace names {}", instruction.op, next,
           instruction.outputs.size());
    }
  }
  return sch;
}

Schedule Schedule::replay(const PrimFunc& func, const Trace& trace) {
  auto result = try_replay(func, trace);
  if (!result) throw ScheduleException(result.error());
  return std::move(result).value();
}

// ---- queries ------------------------------------------------------------------------------------

BlockRef Schedule::get_block(std::string_view name) {
  return std::get<BlockRef>(must({"get_block", {}, {{"name", std::string(name)}}})[0]);
}

namespace {

std::vector<Loop> as_loops(const std::vector<Schedule::Result>& results) {
  std::vector<Loop> loops;
  for (const auto& result : results) loops.push_back(std::get<Loop>(result));
  return loops;
}

}  // namespace

std::vector<Loop> Schedule::get_loops(BlockRef block) {
  return as_loops(must({"get_loops", {block}, {}}));
}

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
        result.push_back({other->block->id});
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

// ---- primitives ---------------------------------------------------------------------------------

std::vector<Loop> Schedule::split(Loop loop, std::vector<Factor> factors, std::string_view tail) {
  Value::List list;
  for (const Factor& factor : factors) list.push_back(factor ? record_int(*factor) : Value());
  return as_loops(must({"split", {loop}, {{"factors", list}, {"tail", std::string(tail)}}}));
}

Loop Schedule::fuse(const std::vector<Loop>& loops) {
  return as_loops(must({"fuse", {loops.begin(), loops.end()}, {}}))[0];
}

void Schedule::reorder(const std::vector<Loop>& order) {
  must({"reorder", {order.begin(), order.end()}, {}});
}

std::vector<Loop> Schedule::tile(Loop x, Loop y, Int x_factor, Int y_factor,
                                 std::string_view tail) {
  std::vector<Loop> xs = split_factor(x, x_factor, tail);
  std::vector<Loop> ys = split_factor(y, y_factor, tail);
  std::vector<Loop> order = {xs[0], ys[0], xs[1], ys[1]};
  reorder(order);
  return order;
}

void Schedule::unroll(Loop loop) { must({"unroll", {loop}, {}}); }
void Schedule::vectorize(Loop loop) { must({"vectorize", {loop}, {}}); }

void Schedule::parallel(Loop loop, std::string_view schedule, Int chunk) {
  must({"parallel", {loop}, {{"schedule", std::string(schedule)}, {"chunk", record_int(chunk)}}});
}

Loop Schedule::add_unit_loop(BlockRef block) {
  return as_loops(must({"add_unit_loop", {block}, {}}))[0];
}
Loop Schedule::add_unit_loop(Loop loop) { return as_loops(must({"add_unit_loop", {loop}, {}}))[0]; }

void Schedule::compute_at(BlockRef block, Loop loop, std::string_view tail) {
  must({"compute_at", {block, loop}, {{"tail", std::string(tail)}}});
}
void Schedule::reverse_compute_at(BlockRef block, Loop loop) {
  must({"reverse_compute_at", {block, loop}, {}});
}
void Schedule::compute_inline(BlockRef block) { must({"compute_inline", {block}, {}}); }
void Schedule::reverse_compute_inline(BlockRef block) {
  must({"reverse_compute_inline", {block}, {}});
}

BlockRef Schedule::decompose_reduction(BlockRef block, Loop loop) {
  return std::get<BlockRef>(must({"decompose_reduction", {block, loop}, {}})[0]);
}

BlockRef Schedule::rfactor(Loop loop, int64_t factor_axis) {
  return std::get<BlockRef>(must({"rfactor", {loop}, {{"factor_axis", factor_axis}}})[0]);
}

BlockRef Schedule::cache_read(BlockRef consumer, std::string_view buffer, std::string_view scope) {
  return std::get<BlockRef>(
      must({"cache_read",
            {consumer},
            {{"buffer", std::string(buffer)}, {"scope", std::string(scope)}}})[0]);
}

BlockRef Schedule::cache_write(BlockRef block, std::string_view scope, int64_t write_index) {
  return std::get<BlockRef>(must(
      {"cache_write", {block}, {{"scope", std::string(scope)}, {"write_index", write_index}}})[0]);
}

void Schedule::set_scope(BlockRef block, std::string_view scope, int64_t write_index) {
  must({"set_scope", {block}, {{"scope", std::string(scope)}, {"write_index", write_index}}});
}

void Schedule::transform_layout(BlockRef writer, std::string_view map, int64_t write_index) {
  must({"transform_layout", {writer}, {{"map", std::string(map)}, {"write_index", write_index}}});
}

BlockRef Schedule::pack(BlockRef consumer, std::string_view buffer, std::string_view map,
                        const std::vector<std::pair<int64_t, Int>>& pad, std::string_view scope) {
  Value::List pads;
  for (const auto& [dim, multiple] : pad) pads.push_back(Value::List{dim, record_int(multiple)});
  return std::get<BlockRef>(must({"pack",
                                  {consumer},
                                  {{"buffer", std::string(buffer)},
                                   {"map", std::string(map)},
                                   {"pad", pads},
                                   {"scope", std::string(scope)}}})[0]);
}

void Schedule::annotate(Loop loop, std::string_view key, Value value) {
  must({"annotate", {loop}, {{"key", std::string(key)}, {"value", std::move(value)}}});
}
void Schedule::annotate(BlockRef block, std::string_view key, Value value) {
  must({"annotate", {block}, {{"key", std::string(key)}, {"value", std::move(value)}}});
}

namespace {

std::vector<Int> as_ints(const std::vector<Schedule::Result>& results) {
  std::vector<Int> ints;
  for (const auto& result : results) ints.push_back(std::get<Int>(result));
  return ints;
}

template <typename T>
Value::List as_list(const std::vector<T>& items) {
  return Value::List(items.begin(), items.end());
}

}  // namespace

std::vector<Int> Schedule::sample_perfect_tile(Loop loop, int n, int64_t max_innermost,
                                               std::string_view name) {
  return as_ints(must({"sample_perfect_tile",
                       {loop},
                       {{"n", n}, {"max_innermost", max_innermost}, {"name", std::string(name)}}}));
}

std::vector<Int> Schedule::sample_tile(Loop loop, int n, const std::vector<int64_t>& candidates,
                                       std::string_view name) {
  return as_ints(
      must({"sample_tile",
            {loop},
            {{"n", n}, {"candidates", as_list(candidates)}, {"name", std::string(name)}}}));
}

Int Schedule::sample_categorical(const std::vector<int64_t>& candidates,
                                 const std::vector<double>& weights, std::string_view name) {
  return as_ints(must({"sample_categorical",
                       {},
                       {{"candidates", as_list(candidates)},
                        {"weights", as_list(weights)},
                        {"name", std::string(name)}}}))[0];
}

}  // namespace tilewright::schedule
