#include <algorithm>

#include "fuzz/step_maker.h"
#include "tilewright/ir/ops.h"

/// \file
/// Sequences of primitives that belong together. Each stops where a step is refused.

namespace tilewright::fuzz {

// A consumer tiled by factors that mostly do not divide, and one of its producers inside a tile loop.
void StepMaker::move_producer_under_tail() {
  std::vector<BlockRef> consumers =
      blocks_where([&](BlockRef block) { return !sch_.get_producers(block).empty(); });
  if (consumers.empty()) {
    // A program of one block: a copy of what it reads is a producer.
    const Call copy = cache_read();
    if (issue(copy)) consumers = {handle(std::get<BlockRef>(copy.inputs[0]))};
  }
  if (consumers.empty()) return;
  const BlockRef consumer = pick(consumers);
  if (too_deep(consumer)) return;
  std::vector<Loop> spatial = loops_of_kind(consumer, false);
  if (spatial.empty()) return;
  const size_t splits = spatial.size() > 1 && chance(50) ? 2 : 1;
  std::vector<Loop> outer, inner;
  for (size_t i = 0; i < splits; ++i) {
    const Loop loop = splits == 2 ? spatial[spatial.size() - 2 + i] : pick(spatial);
    int64_t by = factor();
    const int64_t extent = sch_.loop_extent_or(loop, -1);
    if (extent > 2 && extent % by == 0 && chance(80)) by = std::max<int64_t>(2, extent / 2 + 1);
    const auto parts = split_loop(loop, {nullptr, by}, chance(60) ? "guard" : tail());
    if (!parts) return;
    outer.push_back((*parts)[0]);
    inner.push_back((*parts)[1]);
  }
  if (splits == 2) {
    Call order{"reorder", {outer[0], outer[1], inner[0], inner[1]}, {}};
    issue(order);
  }
  const std::vector<BlockRef> producers = sch_.get_producers(consumer);
  if (producers.empty()) return;
  const BlockRef producer = handle(pick(producers));
  const std::vector<Loop>& places = chance(75) ? outer : inner;
  issue({"compute_at", {producer, pick(places)}, {{"tail", chance(85) ? "guard" : "pad"}}});
}

void StepMaker::move_consumer_under_tail() {
  const std::vector<BlockRef> producers =
      blocks_where([&](BlockRef block) { return !sch_.get_consumers(block).empty(); });
  if (producers.empty()) return;
  const BlockRef producer = pick(producers);
  const std::vector<Loop> spatial = loops_of_kind(producer, false);
  if (spatial.empty() || too_deep(producer)) return;
  const auto parts =
      split_loop(chance(60) ? spatial[0] : pick(spatial), {nullptr, factor()}, tail());
  if (!parts) return;
  const std::vector<BlockRef> consumers = sch_.get_consumers(producer);
  if (consumers.empty()) return;
  issue({"reverse_compute_at", {handle(pick(consumers)), (*parts)[chance(70) ? 0 : 1]}, {}});
}

// An operand packed with padding to a multiple, and the loop over that dimension split by it with tail pad.
void StepMaker::pack_with_pad_tail() {
  // The surplus of a reduction is where what the padding holds is seen.
  const std::vector<BlockRef> folds = blocks_where([&](BlockRef b) { return reduces(b); });
  const BlockRef block = folds.empty() || chance(35) ? some_block() : pick(folds);
  const std::vector<ir::Buffer> inputs = inputs_of(block);
  if (inputs.empty() || num_blocks() > 8 || too_deep(block)) return;
  std::vector<Loop> loops = loops_of_kind(block, true);
  if (loops.empty() || chance(30)) loops = loops_of(block);
  if (loops.empty()) return;
  const Loop cut = pick(loops);
  const int64_t extent = sch_.loop_extent_or(cut, -1);
  int64_t multiple = rng_.between(2, 6);
  if (extent > 1 && extent % multiple == 0 && chance(80)) multiple = extent + 1;
  const bool into_tail = chance(75);
  for (const ir::Buffer& buffer : inputs) {
    if (buffer->rank() == 0) continue;
    Value::List pads;
    for (int64_t d = 0; d < buffer->rank(); ++d) {
      if (chance(80)) pads.push_back(Value::List{d, multiple});
    }
    issue({"pack",
           {handle(block)},
           {{"buffer", buffer->name},
            {"map", map_of(buffer)},
            {"pad", pads},
            {"scope", chance(80) ? "global" : "local"}}});
  }
  if (!into_tail) return;
  if (chance(30)) {
    issue({"cache_write", {handle(block)}, {{"scope", "global"}, {"write_index", 0}}});
  }
  split_loop(cut, {nullptr, multiple}, "pad");
}

void StepMaker::factor_reduction() {
  const std::vector<BlockRef> blocks = blocks_where([&](BlockRef block) { return reduces(block); });
  if (blocks.empty() || num_blocks() > 8) return;
  const BlockRef block = pick(blocks);
  const std::vector<Loop> loops = loops_of_kind(block, true);
  if (loops.empty() || too_deep(block)) return;
  Loop target = pick(loops);
  if (chance(75)) {
    const auto parts = split_loop(target, {nullptr, factor()}, chance(60) ? "guard" : tail());
    if (!parts) return;
    target = (*parts)[chance(50) ? 0 : 1];
  }
  const auto partial =
      issue({"rfactor", {target}, {{"factor_axis", int64_t{0} - (chance(30) ? 1 : 0)}}});
  if (!partial || chance(40)) return;
  const std::vector<Loop> places = loops_of(handle(block));
  if (places.empty()) return;
  issue({"compute_at", {std::get<BlockRef>((*partial)[0]), pick(places)}, {{"tail", "guard"}}});
}

void StepMaker::split_by_decisions() {
  const auto place = some_place();
  if (!place || too_deep(place->first)) return;
  const std::string name = decision_name();
  Value::List factors;
  const int64_t draw = rng_.between(0, 2);
  if (draw == 0) {
    if (!issue({"sample_perfect_tile",
                {place->second},
                {{"n", 2}, {"max_innermost", rng_.between(2, 8)}, {"name", name}}})) {
      return;
    }
    factors = {"$" + name + "[0]", "$" + name + "[1]"};
  } else if (draw == 1) {
    if (!issue({"sample_tile",
                {place->second},
                {{"n", 2}, {"candidates", Value::List{factor(), factor()}}, {"name", name}}})) {
      return;
    }
    factors = {nullptr, "$" + name + "[1]"};
  } else {
    if (!issue({"sample_categorical",
                {},
                {{"candidates", Value::List{factor(), factor(), factor()}},
                 {"weights", Value::List{}},
                 {"name", name}}})) {
      return;
    }
    factors = {nullptr, "$" + name};
  }
  split_loop(place->second, factors, tail());
}

void StepMaker::init_apart() {
  const std::vector<BlockRef> blocks = blocks_where([&](BlockRef block) { return reduces(block); });
  if (blocks.empty() || num_blocks() > 8) return;
  const BlockRef block = pick(blocks);
  const std::vector<Loop> reduce = loops_of_kind(block, true),
                          spatial = loops_of_kind(block, false);
  if (reduce.empty()) return;
  if (!spatial.empty() && chance(60)) {
    issue({"reorder", {reduce[0], spatial.back()}, {}});
  }
  const std::vector<Loop> loops = loops_of(handle(block));
  const std::vector<Loop> feeding = loops_of_kind(handle(block), true);
  const Loop at = feeding.empty() || chance(40) ? pick(loops) : feeding[0];
  const auto init = issue({"decompose_reduction", {handle(block), at}, {}});
  if (!init || chance(50)) return;
  const std::vector<Loop> inner = loops_of(handle(std::get<BlockRef>((*init)[0])));
  if (!inner.empty()) issue({"vectorize", {inner.back()}, {}});
}

// A reduction into a local buffer, tiled, with the copy out inside the tile loop.
void StepMaker::accumulate_in_cache() {
  const BlockRef block = some_block();
  if (num_blocks() > 8 || too_deep(block)) return;
  const auto copy =
      issue({"cache_write",
             {block},
             {{"scope", chance(60) ? "local" : "global"}, {"write_index", write_index(block)}}});
  if (!copy) return;
  const BlockRef writer = handle(std::get<BlockRef>((*copy)[0]));
  std::vector<Loop> loops = loops_of(writer);
  if (loops.empty()) return;
  Loop at = pick(loops);
  if (chance(70)) {
    const auto parts = split_loop(at, {nullptr, factor()}, chance(60) ? "guard" : tail());
    if (!parts) return;
    at = (*parts)[0];
  }
  // One of the two blocks moves to the other.
  const BlockRef other = handle(block);
  issue({"compute_at", {other, at}, {{"tail", chance(80) ? "guard" : "pad"}}});
  issue({"reverse_compute_at", {handle(writer), at}, {}});
}

void StepMaker::parallel_and_vectors() {
  const BlockRef block = some_block();
  const std::vector<Loop> loops = loops_of(block);
  if (loops.empty()) return;
  const auto done = issue(
      {"parallel", {loops[0]}, {{"schedule", chance(60) ? "static" : "dynamic"}, {"chunk", 0}}});
  if (done && chance(60)) {
    issue({"annotate", {loops[0]}, {{"key", "parallel_chunk"}, {"value", rng_.between(1, 4)}}});
  }
  Loop last = loops.back();
  const int64_t extent = sch_.loop_extent_or(last, INT64_MAX);
  if (extent > 8 && !too_deep(block)) {
    const auto parts = split_loop(last, {nullptr, chance(60) ? 4 : 8}, tail());
    if (!parts) return;
    last = (*parts)[1];
  }
  issue({chance(75) ? "vectorize" : "unroll", {last}, {}});
}

// A producer inside a loop of its consumer, whose buffer is then kept, doubled or pipelined.
void StepMaker::buffers_of_a_loop() {
  const std::vector<BlockRef> moved =
      blocks_where([&](BlockRef block) { return !sch_.get_consumers(block).empty(); });
  if (moved.empty()) return;
  const BlockRef producer = pick(moved);
  const std::vector<BlockRef> consumers = sch_.get_consumers(producer);
  const std::vector<Loop> places = loops_of(handle(pick(consumers)));
  if (places.empty()) return;
  const Loop place = chance(60) ? places[0] : pick(places);
  if (chance(25)) issue({"store_at", {handle(producer), places[0]}, {{"write_index", 0}}});
  if (!issue({"compute_at", {handle(producer), place}, {{"tail", "guard"}}})) return;
  const int64_t draw = rng_.between(0, 3);
  if (draw == 0) issue({"rolling_buffer", {handle(producer)}, {{"write_index", 0}}});
  if (draw == 1) issue({"double_buffer", {handle(producer)}, {{"write_index", 0}}});
  if (draw >= 2) issue({"software_pipeline", {place}, {{"stages", Value::List{0, 1}}}});
}

void StepMaker::pad_and_decompose() {
  const Call pad = pad_einsum();
  if (!issue(pad)) return;
  // The padding blocks are new: try to take one of them apart.
  const std::vector<std::string> names = sch_.block_names();
  for (int i = 0; i < 3; ++i) {
    const BlockRef block = handle(pick(names));
    const std::vector<Loop> loops = loops_of(block);
    if (!loops.empty() && issue({"decompose_padding", {block, loops[0]}, {}})) return;
  }
}

// Two nests side by side: merged, or one put into the other.
void StepMaker::siblings() {
  if (chance(50)) {
    issue(merge());
    return;
  }
  const BlockRef a = some_block();
  const auto loop = some_loop();
  if (chance(30) && loop) {
    const auto parts = issue(loop_partition());
    if (parts && chance(50)) {
      Call call{"merge", {}, {}};
      for (const auto& part : *parts) call.inputs.push_back(std::get<Loop>(part));
      issue(call);
    }
    return;
  }
  for (const std::string& name : sch_.block_names()) {
    const BlockRef b = handle(name);
    if (b == a) continue;
    const std::vector<Loop> places = loops_of(b);
    if (!places.empty() && issue({"compute_with", {handle(a), places[0]}, {}})) return;
  }
}

void StepMaker::block_of_a_tile() {
  const BlockRef block = some_block();
  if (too_deep(block)) return;
  const std::vector<Loop> loops = loops_of(block);
  if (loops.empty()) return;
  const Loop loop = loops.back();
  const int64_t extent = sch_.loop_extent_or(loop, -1);
  const int64_t by = extent > 3 && extent % 2 == 0 ? extent / 2 : factor();
  const auto parts = split_loop(loop, {nullptr, by}, "guard");
  if (!parts) return;
  issue({"blockize", {(*parts)[1]}, {}});
}

}  // namespace tilewright::fuzz
