#include <algorithm>

#include "fuzz/step_maker.h"

/// \file
/// Sequences that make the situation which a primitive needs and a random schedule seldom has.

namespace tilewright::fuzz {

// A producer of which the iterations of a loop read overlapping parts, moved there, and its buffer rolled.
void StepMaker::slide_window() {
  const std::vector<BlockRef> producers =
      blocks_where([&](BlockRef block) { return !sch_.get_consumers(block).empty(); });
  if (producers.empty()) return;
  const size_t first = rng_.below(producers.size());
  for (size_t p = 0; p < producers.size(); ++p) {
    const BlockRef producer = producers[(first + p) % producers.size()];
    const BlockRef consumer = handle(pick(sch_.get_consumers(producer)));
    for (const Loop loop : loops_of(consumer)) {
      const std::vector<Call> calls = {{"compute_at", {producer, loop}, {{"tail", "guard"}}},
                                       {"rolling_buffer", {producer}, {{"write_index", 0}}}};
      if (!would_pass(calls)) continue;
      for (const Call& call : calls) issue(call);
      return;
    }
  }
}

// An element-wise block computed where its producer stores: one that is there, or the copy of a cache.
void StepMaker::fuse_epilogue() {
  std::vector<std::string> names = sch_.block_names();
  std::rotate(names.begin(), names.begin() + static_cast<int64_t>(rng_.below(names.size())),
              names.end());
  for (const std::string& name : names) {
    const Call call{"reverse_compute_inline", {handle(name)}, {}};
    if (!would_pass({call})) continue;
    issue(call);
    return;
  }
  if (num_blocks() > 8) return;
  const BlockRef block = some_block();
  const auto copy =
      issue({"cache_write", {block}, {{"scope", "global"}, {"write_index", write_index(block)}}});
  if (!copy) return;
  issue({"reverse_compute_inline", {handle(std::get<BlockRef>((*copy)[0]))}, {}});
}

// The innermost loops cut to a tile by factors that divide, the rest of a reduction taken out, and an instruction
// that does what the tile does.
void StepMaker::instruct_a_tile() {
  const BlockRef block = some_block();
  const std::vector<Loop> loops = loops_of(block);
  if (loops.empty() || too_deep(block) || num_blocks() > 9) return;
  const size_t wanted = std::min<size_t>(loops.size(), chance(50) ? 1 : chance(60) ? 2 : 3);
  std::vector<Loop> outer, inner;
  for (size_t i = loops.size() - wanted; i < loops.size(); ++i) {
    const int64_t extent = sch_.loop_extent_or(loops[i], -1);
    if (extent < 1) return;
    std::vector<int64_t> factors;
    for (int64_t by = 2; by <= std::min<int64_t>(8, extent - 1); ++by) {
      if (extent % by == 0) factors.push_back(by);
    }
    if (factors.empty() || (extent <= 8 && chance(50))) {
      inner.push_back(loops[i]);
      continue;
    }
    const auto parts =
        split_loop(loops[i], {nullptr, pick(factors)}, chance(70) ? "guard" : tail());
    if (!parts) return;
    outer.push_back((*parts)[0]);
    inner.push_back((*parts)[1]);
  }
  if (!outer.empty() && inner.size() > 1) {
    Call order{"reorder", {}, {}};
    order.inputs.assign(outer.begin(), outer.end());
    order.inputs.insert(order.inputs.end(), inner.begin(), inner.end());
    if (!issue(order)) return;
  }
  // A reduction that goes on around the tile needs its init before.
  for (const Loop loop : loops_of(handle(block))) {
    if (std::find(inner.begin(), inner.end(), loop) != inner.end()) {
      if (chance(40) && reduces(handle(block), loop)) {
        issue({"decompose_reduction", {handle(block), loop}, {}});
      }
      break;
    }
    if (!reduces(handle(block), loop)) continue;
    issue({"decompose_reduction", {handle(block), loop}, {}});
    break;
  }
  const std::string name = instruction_for(inner[0]);
  if (!name.empty()) issue({"tensorize", {inner[0]}, {{"instruction", name}}});
}

// A producer inside a loop of its consumer, its buffer further out.
void StepMaker::store_further_out() {
  const std::vector<BlockRef> producers =
      blocks_where([&](BlockRef block) { return !sch_.get_consumers(block).empty(); });
  if (producers.empty()) return;
  const BlockRef producer = pick(producers);
  const std::vector<Loop> places = loops_of(handle(pick(sch_.get_consumers(producer))));
  if (places.empty()) return;
  const size_t at = rng_.below(places.size());
  if (!issue({"compute_at", {handle(producer), places[at]}, {{"tail", "guard"}}})) return;
  issue({"store_at", {handle(producer), places[rng_.below(at + 1)]}, {{"write_index", 0}}});
}

// Rows of the buffer between a block and its copy, a multiple of elements apart.
void StepMaker::align_a_cache() {
  if (num_blocks() > 8) return;
  const BlockRef block = some_block();
  const int64_t index = write_index(block);
  if (!issue({"cache_write", {block}, {{"scope", scope()}, {"write_index", index}}})) return;
  issue({"storage_align",
         {handle(block)},
         {{"axis", 0}, {"factor", rng_.between(2, 8)}, {"offset", 0}, {"write_index", index}}});
}

// A copy of an operand inside a loop, then two of it in turn, or copying and computing in two stages.
void StepMaker::count_copies() {
  if (num_blocks() > 8) return;
  const Call copy = cache_read();
  const auto made = issue(copy);
  if (!made) return;
  const BlockRef reader = handle(std::get<BlockRef>(copy.inputs[0]));
  const std::vector<Loop> places = loops_of(reader);
  if (places.empty()) return;
  const Loop place = pick(places);
  const BlockRef copier = handle(std::get<BlockRef>((*made)[0]));
  if (!issue({"compute_at", {copier, place}, {{"tail", "guard"}}})) return;
  if (chance(50)) {
    issue({"double_buffer", {handle(copier)}, {{"write_index", 0}}});
  } else {
    issue({"software_pipeline", {place}, {{"stages", Value::List{0, 1}}}});
  }
}

// A producer inside a loop of its consumer, and a copy of what it makes.
void StepMaker::copy_what_moved() {
  const std::vector<BlockRef> producers =
      blocks_where([&](BlockRef block) { return !sch_.get_consumers(block).empty(); });
  if (producers.empty() || num_blocks() > 8) return;
  const BlockRef producer = pick(producers);
  const BlockRef consumer = handle(pick(sch_.get_consumers(producer)));
  const std::vector<Loop> places = loops_of(consumer);
  if (places.empty()) return;
  issue({"compute_at", {producer, pick(places)}, {{"tail", "guard"}}});
  const std::string buffer = pick(outputs_of(handle(producer)))->name;
  issue({"cache_read", {handle(consumer)}, {{"buffer", buffer}, {"scope", scope()}}});
}

// Two loops of a reduction in the other order.
void StepMaker::reorder_reduction() {
  const std::vector<BlockRef> blocks = blocks_where([&](BlockRef block) { return reduces(block); });
  if (blocks.empty()) return;
  const BlockRef block = pick(blocks);
  std::vector<Loop> loops = loops_of_kind(block, true);
  if (loops.empty() || too_deep(block)) return;
  if (loops.size() == 1) {
    const auto parts = split_loop(loops[0], {nullptr, factor()}, tail());
    if (!parts) return;
    loops = *parts;
  }
  const size_t first = rng_.below(loops.size() - 1);
  issue({"reorder", {loops[first + 1], loops[first]}, {}});
}

void StepMaker::fuse_a_split() {
  const auto place = some_place();
  if (!place || too_deep(place->first)) return;
  const auto parts = split_loop(place->second, {nullptr, factor()}, tail());
  if (parts) issue({"fuse", {(*parts)[0], (*parts)[1]}, {}});
}

}  // namespace tilewright::fuzz
