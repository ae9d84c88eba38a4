#include <fmt/format.h>

#include "fuzz/step_maker.h"
#include "fuzz/tile_instruction.h"

namespace tilewright::fuzz {
namespace {

constexpr size_t kMostBlocks = 9;  // no new ones beyond

}  // namespace

Call StepMaker::compute_at() {
  const BlockRef block = some_block();
  std::vector<BlockRef> consumers = sch_.get_consumers(block);
  const bool other = consumers.empty() || chance(10);
  const std::vector<Loop> places = loops_of(other ? some_block() : handle(pick(consumers)));
  if (places.empty()) return {};
  return {"compute_at", {block, pick(places)}, {{"tail", chance(85) ? "guard" : "pad"}}};
}

Call StepMaker::reverse_compute_at() {
  const BlockRef block = some_block();
  std::vector<BlockRef> producers = sch_.get_producers(block);
  const bool other = producers.empty() || chance(10);
  const std::vector<Loop> places = loops_of(other ? some_block() : handle(pick(producers)));
  if (places.empty()) return {};
  return {"reverse_compute_at", {block, pick(places)}, {}};
}

Call StepMaker::compute_inline() {
  const BlockRef block = some_block();
  // Outputs cannot be inlined: mostly leave them out.
  if (sch_.get_consumers(block).empty() && chance(90)) return {};
  return {"compute_inline", {block}, {}};
}

Call StepMaker::reverse_compute_inline() {
  const BlockRef block = some_block();
  if (sch_.get_producers(block).empty() && chance(90)) return {};
  return {"reverse_compute_inline", {block}, {}};
}

Call StepMaker::compute_with() {
  const BlockRef a = some_block(), b = some_block();
  const std::vector<Loop> places = loops_of(b);
  if (places.empty() || (a == b && chance(95))) return {};
  return {"compute_with", {a, pick(places)}, {}};
}

Call StepMaker::decompose_reduction() {
  const BlockRef block = some_block();
  const std::vector<Loop> loops = loops_of(block);
  if (loops.empty() || num_blocks() >= kMostBlocks) return {};
  if (!reduces(block) && chance(90)) return {};
  return {"decompose_reduction", {block, pick(loops)}, {}};
}

Call StepMaker::rfactor() {
  const BlockRef block = some_block();
  if (num_blocks() >= kMostBlocks) return {};
  const std::vector<Loop> loops = chance(90) ? loops_of_kind(block, true) : loops_of(block);
  if (loops.empty()) return {};
  return {"rfactor", {pick(loops)}, {{"factor_axis", int64_t{0} - (chance(30) ? 1 : 0)}}};
}

Call StepMaker::blockize() {
  const auto loop = some_loop();
  return loop ? Call{"blockize", {*loop}, {}} : Call{};
}

Call StepMaker::tensorize() {
  const auto loop = some_loop();
  if (!loop) return {};
  const std::string name = instruction_for(*loop);
  if (!name.empty()) return {"tensorize", {*loop}, {{"instruction", name}}};
  // An instruction of another tile, which mostly does not fit.
  const schedule::TensorInstructions& known = sch_.instructions();
  if (known.empty() || chance(70)) return {};
  return {"tensorize", {*loop}, {{"instruction", known.begin()->first}}};
}

std::string StepMaker::instruction_for(Loop loop) {
  const std::string name = fmt::format("tile{}", sch_.instructions().size());
  const auto instruction = tile_instruction(sch_.func(), loop.id, name, rng_);
  if (!instruction) return "";
  sch_.declare_instruction(*instruction);
  return name;
}

Call StepMaker::sample_compute_location() {
  const BlockRef block = some_block();
  if (sch_.get_consumers(block).empty() && chance(90)) return {};
  return {"sample_compute_location", {block}, {{"name", decision_name()}}};
}

}  // namespace tilewright::fuzz
