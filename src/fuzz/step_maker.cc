#include "fuzz/step_maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/primitive_table.h"
#include "tilewright/ir/ops.h"

namespace tilewright::fuzz {
namespace {

bool is_query(const std::string& op) { return op == "get_block" || op == "get_loops"; }

// The factors of a split, decisions replaced by nothing: an open split by decisions counts as uneven only when a
// plain factor shows it.
bool divides(int64_t extent, const Value::List& factors) {
  int64_t product = 1;
  bool open = false;
  for (const Value& factor : factors) {
    if (factor.is_null()) {
      open = true;
    } else if (const auto* number = std::get_if<int64_t>(&factor.data)) {
      product *= *number;
    }
  }
  return open ? extent >= 0 && extent % product == 0 : extent == product;
}

}  // namespace

bool StepMaker::available(std::string_view primitive) const {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> known;
    for (const auto& row : schedule::primitive_docs()) known.emplace(row.name);
    return known;
  }();
  return names.count(primitive) > 0;
}

std::optional<std::vector<Schedule::Result>> StepMaker::issue(const Call& call) {
  if (call.op.empty() || !available(call.op)) return std::nullopt;
  const int64_t extent =
      call.op == "split" ? sch_.loop_extent_or(std::get<Loop>(call.inputs[0]), -1) : 0;
  bool under_tail = false;
  if (call.op == "compute_at") {
    const schedule::Tree tree(sch_.func());
    const int64_t target = std::get<Loop>(call.inputs[1]).id;
    under_tail = uneven_.count(target) > 0;
    for (const ir::ForNode* loop : tree.loops_around(target)) {
      under_tail = under_tail || uneven_.count(loop->id) > 0;
    }
  }
  auto result = [&] {
    try {
      return sch_.apply(call);
    } catch (const Error& error) {
      report_fault(call, error.code(), error.what());
    } catch (const std::exception& error) {
      report_fault(call, "std", error.what());
    }
  }();
  if (!is_query(call.op) && tally_) {
    Tally::Counts& counts = tally_->primitives[call.op];
    ++(result ? counts.accepted : counts.refused);
  }
  if (!result) return std::nullopt;
  note_names(*result);
  if (is_query(call.op)) return std::move(result).value();
  blocks_.clear();
  loops_.clear();
  ++accepted_;
  applied_.push_back(call.op);
  moved_under_tail_ = moved_under_tail_ || under_tail;
  if (const auto tail = call.attrs.find("tail"); tail != call.attrs.end() && tally_) {
    ++tally_->tails[std::get<std::string>(tail->second.data)];
  }
  if (call.op == "split") {
    const auto& factors = std::get<Value::List>(call.attrs.at("factors").data);
    if (extent < 0 || !divides(extent, factors)) {
      for (const auto& loop : *result) uneven_.insert(std::get<Loop>(loop).id);
    }
  }
  if (call.op == "fuse") {
    for (const auto& input : call.inputs) {
      if (uneven_.count(std::get<Loop>(input).id)) {
        uneven_.insert(std::get<Loop>((*result)[0]).id);
      }
    }
  }
  return std::move(result).value();
}

void StepMaker::note_names(const std::vector<Schedule::Result>& results) {
  const std::vector<std::string>& names = sch_.trace().instructions.back().outputs;
  size_t next = 0;
  for (const Schedule::Result& result : results) {
    if (const Loop* loop = std::get_if<Loop>(&result)) loop_names_[loop->id] = names.at(next++);
    if (const auto* block = std::get_if<BlockRef>(&result)) {
      block_names_[block->id] = names.at(next++);
    }
  }
}

void StepMaker::report_fault(const Call& call, const std::string& code, const char* what) const {
  schedule::Trace trace = sch_.trace();
  schedule::Instruction step{
      call.op, schedule::find_primitive(call.op)->version, {}, call.attrs, {}};
  for (const auto& input : call.inputs) {
    const Loop* loop = std::get_if<Loop>(&input);
    const auto& names = loop ? loop_names_ : block_names_;
    const auto it = names.find(loop ? loop->id : std::get<BlockRef>(input).id);
    step.inputs.push_back(it == names.end() ? "" : it->second);
  }
  trace.instructions.push_back(std::move(step));
  throw PrimitiveFault(code, what, std::move(trace));
}

int StepMaker::step() {
  accepted_ = 0;
  if (chance(45)) {
    int total = 0;
    for (const RecipeRow& row : recipes()) total += row.weight;
    auto draw = static_cast<int>(rng_.below(static_cast<uint64_t>(total)));
    for (const RecipeRow& row : recipes()) {
      if ((draw -= row.weight) >= 0) continue;
      (this->*row.recipe)();
      break;
    }
    return accepted_;
  }
  int total = 0;
  for (const Row& row : rows()) total += available(row.primitive) ? row.weight : 0;
  auto draw = static_cast<int>(rng_.below(static_cast<uint64_t>(total)));
  for (const Row& row : rows()) {
    if (!available(row.primitive) || (draw -= row.weight) >= 0) continue;
    issue((this->*row.make)());
    break;
  }
  return accepted_;
}

int StepMaker::aim(int count) {
  constexpr int kTries = 4;
  accepted_ = 0;
  int total = 0;
  for (const Row& row : rows()) total += row.rarity;
  std::map<size_t, int> drawn;
  for (int i = 0; i < count; ++i) {
    auto left = static_cast<int>(rng_.below(static_cast<uint64_t>(total)));
    size_t number = 0;
    while ((left -= rows()[number].rarity) >= 0) ++number;
    const Row& row = rows()[number];
    if (!available(row.primitive) || ++drawn[number] > 2) continue;
    const int64_t wanted = applied_count(row.primitive) + 1;
    for (int t = 0; t < kTries && applied_count(row.primitive) < wanted; ++t) {
      if (row.reach && (t % 2 == 1 || chance(60))) {
        (this->*row.reach)();
      } else {
        issue((this->*row.make)());
      }
    }
  }
  return accepted_;
}

int StepMaker::uneven_move() {
  accepted_ = 0;
  move_producer_under_tail();
  return accepted_;
}

bool StepMaker::would_pass(const std::vector<Call>& calls) const {
  Schedule copy = sch_;
  try {
    for (const Call& call : calls) {
      if (!copy.apply(call)) return false;
    }
  } catch (const std::exception&) {
    return true;  // a fault: the real calls report it
  }
  return true;
}

void StepMaker::finish() {
  if (!tally_) return;
  ++tally_->programs;
  tally_->moved_under_tail += moved_under_tail_;
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::string> before;
  for (const std::string& op : applied_) {
    for (const std::string& first : before) pairs.emplace(first, op);
    before.insert(op);
  }
  // A primitive applied twice is a pair with itself.
  std::set<std::string> once;
  for (const std::string& op : applied_) {
    if (!once.insert(op).second) pairs.emplace(op, op);
  }
  for (const auto& pair : pairs) ++tally_->pairs[pair];
}

std::string StepMaker::some_block_name() { return pick(sch_.block_names()); }

BlockRef StepMaker::handle(const std::string& block) {
  const auto it = blocks_.find(block);
  if (it != blocks_.end()) return it->second;
  const BlockRef found = sch_.get_block(block);
  note_names({found});
  return blocks_[block] = found;
}

std::vector<Loop> StepMaker::loops_of(BlockRef block) {
  const auto it = loops_.find(block.id);
  if (it != loops_.end()) return it->second;
  const std::vector<Loop> loops = sch_.get_loops(block);
  note_names({loops.begin(), loops.end()});
  return loops_[block.id] = loops;
}

std::optional<std::pair<BlockRef, Loop>> StepMaker::some_place() {
  const BlockRef block = some_block();
  const std::vector<Loop> loops = loops_of(block);
  if (loops.empty()) return std::nullopt;
  return std::pair(block, pick(loops));
}

std::optional<Loop> StepMaker::some_loop() {
  const auto place = some_place();
  if (!place) return std::nullopt;
  return place->second;
}

bool StepMaker::reduces(BlockRef block, Loop loop) const {
  const schedule::Tree tree(sch_.func());
  const ir::ForNode* node = tree.loop(loop.id);
  const ir::BlockRealizeNode* realize = tree.block(block.id);
  if (!node || !realize) return false;
  const schedule::Feeds feeds = schedule::feeds(node->var, *realize);
  return feeds.reduce || feeds.ordered;
}

bool StepMaker::reduces(BlockRef block) const {
  const schedule::Tree tree(sch_.func());
  const ir::BlockRealizeNode* realize = tree.block(block.id);
  if (!realize) return false;
  for (const ir::IterVar& iter : realize->block->iter_vars) {
    if (iter.kind == ir::IterKind::kReduce) return true;
  }
  return false;
}

std::vector<Loop> StepMaker::loops_of_kind(BlockRef block, bool reduce) {
  std::vector<Loop> result;
  for (const Loop loop : loops_of(block)) {
    if (reduces(block, loop) == reduce) result.push_back(loop);
  }
  return result;
}

std::vector<ir::Buffer> StepMaker::inputs_of(BlockRef block) const {
  const schedule::Tree tree(sch_.func());
  std::vector<ir::Buffer> buffers;
  for (const ir::Region& region : tree.block(block.id)->block->reads) {
    buffers.push_back(region.buffer);
  }
  return buffers;
}

std::vector<ir::Buffer> StepMaker::outputs_of(BlockRef block) const {
  const schedule::Tree tree(sch_.func());
  std::vector<ir::Buffer> buffers;
  for (const ir::Region& region : tree.block(block.id)->block->writes) {
    buffers.push_back(region.buffer);
  }
  return buffers;
}

int64_t StepMaker::write_index(BlockRef block) {
  const size_t count = outputs_of(block).size();
  return count < 2 ? 0 : static_cast<int64_t>(rng_.below(count));
}

// A permutation of the dimensions, or one of them cut into blocks.
std::string StepMaker::map_of(const ir::Buffer& buffer) {
  std::vector<std::string> names, physical;
  for (int d = 0; d < buffer->rank(); ++d) names.push_back(fmt::format("d{}", d));
  physical = names;
  for (size_t i = physical.size(); i > 1; --i) std::swap(physical[i - 1], physical[rng_.below(i)]);
  if (!physical.empty() && chance(60)) {
    std::string& cut = physical[rng_.below(physical.size())];
    const std::string name = cut;
    const int64_t tile = rng_.between(2, 6);
    cut = fmt::format("{} // {}", name, tile);
    physical.push_back(fmt::format("{} % {}", name, tile));
  }
  return fmt::format("({}) -> ({})", fmt::join(names, ", "), fmt::join(physical, ", "));
}

std::string StepMaker::tail() {
  static const std::vector<std::string> tails = {"guard",         "guard",         "peel",
                                                 "peel",          "balanced",      "pad",
                                                 "shift_inwards", "shift_inwards", "auto"};
  return pick(tails);
}

std::optional<std::vector<Loop>> StepMaker::split_loop(Loop loop, Value::List factors,
                                                       std::string tail) {
  const auto result =
      issue({"split", {loop}, {{"factors", std::move(factors)}, {"tail", std::move(tail)}}});
  if (!result) return std::nullopt;
  std::vector<Loop> loops;
  for (const auto& item : *result) loops.push_back(std::get<Loop>(item));
  return loops;
}

}  // namespace tilewright::fuzz
