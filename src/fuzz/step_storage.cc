#include "fuzz/step_maker.h"

namespace tilewright::fuzz {
namespace {

constexpr size_t kMostBlocks = 9;  // no new ones beyond

}  // namespace

Call StepMaker::cache_read() {
  const BlockRef block = some_block();
  const std::vector<ir::Buffer> inputs = inputs_of(block);
  if (inputs.empty() || num_blocks() >= kMostBlocks) return {};
  return {"cache_read", {block}, {{"buffer", pick(inputs)->name}, {"scope", scope()}}};
}

Call StepMaker::cache_write() {
  if (num_blocks() >= kMostBlocks) return {};
  const BlockRef block = some_block();
  return {"cache_write", {block}, {{"scope", scope()}, {"write_index", write_index(block)}}};
}

Call StepMaker::reindex() {
  const BlockRef block = some_block();
  std::vector<ir::Buffer> buffers = inputs_of(block);
  for (const ir::Buffer& buffer : outputs_of(block)) buffers.push_back(buffer);
  if (buffers.empty() || num_blocks() >= kMostBlocks) return {};
  return {"reindex", {block}, {{"buffer", pick(buffers)->name}}};
}

Call StepMaker::set_scope() {
  const BlockRef block = some_block();
  return {"set_scope", {block}, {{"scope", scope()}, {"write_index", write_index(block)}}};
}

Call StepMaker::store_at() {
  const auto place = some_place();
  if (!place) return {};
  return {"store_at", {place->first, place->second}, {{"write_index", write_index(place->first)}}};
}

Call StepMaker::storage_align() {
  const BlockRef block = some_block();
  const int64_t index = write_index(block);
  const std::vector<ir::Buffer> outputs = outputs_of(block);
  if (outputs.empty() || outputs[static_cast<size_t>(index)]->rank() == 0) return {};
  const auto rank = static_cast<uint64_t>(outputs[static_cast<size_t>(index)]->rank());
  const int64_t multiple = rng_.between(2, 8);
  return {"storage_align",
          {block},
          {{"axis", static_cast<int64_t>(rng_.below(rank))},
           {"factor", multiple},
           {"offset", chance(50) ? 0 : rng_.between(0, multiple - 1)},
           {"write_index", index}}};
}

Call StepMaker::transform_layout() {
  const BlockRef block = some_block();
  const int64_t index = write_index(block);
  const std::vector<ir::Buffer> outputs = outputs_of(block);
  if (outputs.empty()) return {};
  return {"transform_layout",
          {block},
          {{"map", map_of(outputs[static_cast<size_t>(index)])}, {"write_index", index}}};
}

Call StepMaker::pack() {
  const BlockRef block = some_block();
  const std::vector<ir::Buffer> inputs = inputs_of(block);
  if (inputs.empty() || num_blocks() >= kMostBlocks) return {};
  const ir::Buffer buffer = pick(inputs);
  Value::List pads;
  if (chance(60) && buffer->rank() > 0) {
    pads.push_back(
        Value::List{static_cast<int64_t>(rng_.below(static_cast<uint64_t>(buffer->rank()))),
                    rng_.between(2, 8)});
  }
  return {"pack",
          {block},
          {{"buffer", buffer->name}, {"map", map_of(buffer)}, {"pad", pads}, {"scope", scope()}}};
}

Call StepMaker::pad_einsum() {
  const BlockRef block = some_block();
  if (num_blocks() + 3 >= kMostBlocks) return {};
  const schedule::Tree tree(sch_.func());
  Value::List padding;
  const size_t axes = tree.block(block.id)->block->iter_vars.size();
  for (size_t i = 0; i < axes; ++i) padding.push_back(chance(40) ? 1 : rng_.between(2, 6));
  return {"pad_einsum", {block}, {{"padding", padding}}};
}

Call StepMaker::decompose_padding() {
  const auto place = some_place();
  if (!place || num_blocks() >= kMostBlocks) return {};
  return {"decompose_padding", {place->first, place->second}, {}};
}

Call StepMaker::rolling_buffer() {
  const BlockRef block = some_block();
  return {"rolling_buffer", {block}, {{"write_index", write_index(block)}}};
}

Call StepMaker::double_buffer() {
  const BlockRef block = some_block();
  return {"double_buffer", {block}, {{"write_index", write_index(block)}}};
}

Call StepMaker::prefetch() {
  const auto place = some_place();
  if (!place) return {};
  const std::vector<ir::Buffer> inputs = inputs_of(place->first);
  if (inputs.empty()) return {};
  return {"prefetch",
          {place->first, place->second},
          {{"buffer", pick(inputs)->name}, {"distance", rng_.between(1, 4)}}};
}

}  // namespace tilewright::fuzz
