#include <fmt/format.h>

#include "fuzz/step_maker.h"

namespace tilewright::fuzz {
namespace {

constexpr int64_t kMostCopies = 16;  // of an unrolled body
constexpr int64_t kMostLanes = 32;   // of a vectorized loop

}  // namespace

Call StepMaker::split() {
  const auto place = some_place();
  if (!place || too_deep(place->first)) return {};
  Value::List factors = {nullptr, factor()};
  if (chance(8)) factors = {nullptr, 1};
  if (chance(20)) factors = {factor(), nullptr};
  if (chance(15)) factors = {nullptr, factor(), rng_.between(1, 4)};
  return {"split", {place->second}, {{"factors", factors}, {"tail", tail()}}};
}

Call StepMaker::fuse() {
  const std::vector<Loop> loops = loops_of(some_block());
  if (loops.size() < 2) return {};
  const size_t begin = rng_.below(loops.size() - 1);
  Call call{"fuse", {loops[begin], loops[begin + 1]}, {}};
  if (begin + 2 < loops.size() && chance(20)) call.inputs.emplace_back(loops[begin + 2]);
  return call;
}

Call StepMaker::reorder() {
  const std::vector<Loop> loops = loops_of(some_block());
  if (loops.size() < 2) return {};
  const size_t begin = rng_.below(loops.size() - 1);
  const size_t count = 2 + rng_.below(loops.size() - begin - 1);
  std::vector<Loop> order(loops.begin() + static_cast<int64_t>(begin),
                          loops.begin() + static_cast<int64_t>(begin + count));
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
  Call call{"reorder", {}, {}};
  call.inputs.assign(order.begin(), order.end());
  return call;
}

Call StepMaker::unroll() {
  const auto loop = some_loop();
  if (!loop || sch_.loop_extent_or(*loop, INT64_MAX) > kMostCopies) return {};
  return {"unroll", {*loop}, {}};
}

Call StepMaker::vectorize() {
  const auto loop = some_loop();
  if (!loop || sch_.loop_extent_or(*loop, INT64_MAX) > kMostLanes) return {};
  return {"vectorize", {*loop}, {}};
}

Call StepMaker::parallel() {
  const auto loop = some_loop();
  if (!loop) return {};
  return {"parallel",
          {*loop},
          {{"schedule", chance(60) ? "static" : "dynamic"}, {"chunk", chance(70) ? 0 : factor()}}};
}

Call StepMaker::add_unit_loop() {
  const auto place = some_place();
  if (!place || chance(50)) return {"add_unit_loop", {some_block()}, {}};
  if (too_deep(place->first)) return {};
  return {"add_unit_loop", {place->second}, {}};
}

Call StepMaker::loop_partition() {
  const auto loop = some_loop();
  if (!loop || num_blocks() > 9) return {};
  Value::List extents;
  const int64_t parts = rng_.between(2, 3), open = rng_.between(0, parts - 1);
  for (int64_t part = 0; part < parts; ++part) {
    extents.push_back(part == open && chance(90) ? Value() : Value(rng_.between(1, 6)));
  }
  return {"loop_partition", {*loop}, {{"extents", extents}}};
}

Call StepMaker::merge() {
  const BlockRef a = some_block(), b = some_block();
  const std::vector<Loop> left = loops_of(a), right = loops_of(b);
  if (left.empty() || right.empty() || a == b) return {};
  // The first loops in which the two nests differ are the siblings.
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] == right[i]) continue;
    Call call{"merge", {left[i], right[i]}, {}};
    if (chance(50)) std::swap(call.inputs[0], call.inputs[1]);
    return call;
  }
  return {};
}

Call StepMaker::specialize() {
  std::vector<std::string> sizes;
  for (const ir::Param& param : sch_.func()->params) {
    if (param.role == ir::ParamRole::kShape && param.var.defined()) {
      sizes.push_back(param.var.name());
    }
  }
  if (sizes.empty() || num_blocks() > 9) return {};
  const std::string& size = pick(sizes);
  std::string condition = fmt::format("{} >= {}", size, rng_.between(1, 8));
  if (chance(35)) condition = fmt::format("{} % {} == 0", size, rng_.between(2, 4));
  if (chance(15)) condition = fmt::format("{} == {}", size, rng_.between(0, 8));
  if (chance(10)) condition = fmt::format("{} < {}", size, rng_.between(1, 8));
  return {"specialize", {some_block()}, {{"condition", condition}}};
}

Call StepMaker::software_pipeline() {
  const auto loop = some_loop();
  if (!loop) return {};
  const schedule::Tree tree(sch_.func());
  const ir::ForNode* node = tree.loop(loop->id);
  const auto* body = node ? node->body.as<ir::SeqNode>() : nullptr;
  const size_t children = body ? body->stmts.size() : 1;
  Value::List stages;
  int64_t stage = 0;
  for (size_t i = 0; i < children; ++i) {
    stages.push_back(stage);
    if (chance(60)) ++stage;
  }
  return {"software_pipeline", {*loop}, {{"stages", stages}}};
}

Call StepMaker::annotate() {
  const schedule::Tree tree(sch_.func());
  for (const std::string& name : sch_.block_names()) {
    for (const Loop loop : loops_of(handle(name))) {
      if (tree.loop(loop.id)->for_kind != ir::ForKind::kParallel) continue;
      return {"annotate", {loop}, {{"key", "parallel_chunk"}, {"value", rng_.between(1, 5)}}};
    }
  }
  const auto loop = some_loop();
  if (!loop || chance(80)) return {};
  return {"annotate", {*loop}, {{"key", "parallel_chunk"}, {"value", 2}}};
}

Call StepMaker::sample_perfect_tile() {
  const auto loop = some_loop();
  if (!loop) return {};
  return {"sample_perfect_tile",
          {*loop},
          {{"n", rng_.between(2, 3)},
           {"max_innermost", rng_.between(1, 8)},
           {"name", decision_name()}}};
}

Call StepMaker::sample_tile() {
  const auto loop = some_loop();
  if (!loop) return {};
  return {"sample_tile",
          {*loop},
          {{"n", rng_.between(2, 3)},
           {"candidates", Value::List{factor(), factor(), factor()}},
           {"name", decision_name()}}};
}

Call StepMaker::sample_categorical() {
  return {"sample_categorical",
          {},
          {{"candidates", Value::List{factor(), factor()}},
           {"weights", chance(50) ? Value::List{} : Value::List{1.0, 3.0}},
           {"name", decision_name()}}};
}

}  // namespace tilewright::fuzz
