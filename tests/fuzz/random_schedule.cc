#include "fuzz/random_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/block_rules.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using schedule::Value;
using Call = Schedule::Call;

constexpr int64_t kMostCopies = 16;  // of an unrolled body
constexpr int64_t kMostLanes = 32;   // of a vectorized loop
constexpr size_t kMostBlocks = 9;    // no new ones beyond
constexpr size_t kDeepestNest = 12;  // no splits beyond

class RandomPrimitives {
 public:
  RandomPrimitives(Schedule& sch, Rng& rng) : sch_(sch), rng_(rng) {}

  bool step() {
    blocks_ = sch_.block_names();
    block_ = sch_.get_block(pick(blocks_));
    loops_ = sch_.get_loops(block_);
    Call call = choose();
    if (call.op.empty()) return false;
    return sch_.apply(call).has_value();
  }

 private:
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[rng_.below(items.size())];
  }
  bool chance(int percent) { return rng_.below(100) < static_cast<uint64_t>(percent); }

  // The loops of another block: what producers and consumers are moved to.
  std::vector<Loop> foreign_loops() { return sch_.get_loops(sch_.get_block(pick(blocks_))); }

  Call choose() {
    using Make = Call (RandomPrimitives::*)();
    static const std::vector<std::pair<int, Make>> table = {
        {7, &RandomPrimitives::split},        {5, &RandomPrimitives::reorder},
        {2, &RandomPrimitives::fuse},         {4, &RandomPrimitives::change_kind},
        {5, &RandomPrimitives::compute_at},   {5, &RandomPrimitives::reverse_compute_at},
        {2, &RandomPrimitives::inline_block}, {3, &RandomPrimitives::cache},
        {2, &RandomPrimitives::storage},      {2, &RandomPrimitives::pack},
        {2, &RandomPrimitives::decompose},    {2, &RandomPrimitives::rfactor},
        {1, &RandomPrimitives::unit_loop},
    };
    int total = 0;
    for (const auto& [weight, make] : table) total += weight;
    int draw = static_cast<int>(rng_.below(static_cast<uint64_t>(total)));
    for (const auto& [weight, make] : table) {
      if ((draw -= weight) < 0) return (this->*make)();
    }
    return {};
  }

  Call split() {
    if (loops_.empty() || loops_.size() > kDeepestNest) return {};
    static const std::vector<int64_t> factors = {1, 2, 3, 4, 5, 6, 7, 8, 11, 16};
    static const std::vector<std::string> tails = {"guard",    "guard", "guard",         "peel",
                                                   "balanced", "pad",   "shift_inwards", "auto"};
    Value::List list = {nullptr, pick(factors)};
    if (chance(20)) list = {pick(factors), nullptr};
    if (chance(20)) list = {nullptr, pick(factors), pick(factors)};
    return {"split", {pick(loops_)}, {{"factors", list}, {"tail", pick(tails)}}};
  }

  Call reorder() {
    if (loops_.size() < 2) return {};
    // A run of loops in a random order.
    size_t begin = rng_.below(loops_.size() - 1);
    size_t count = 2 + rng_.below(loops_.size() - begin - 1);
    Call call{"reorder", {}, {}};
    std::vector<Loop> order(loops_.begin() + static_cast<int64_t>(begin),
                            loops_.begin() + static_cast<int64_t>(begin + count));
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
    call.inputs.assign(order.begin(), order.end());
    return call;
  }

  Call fuse() {
    if (loops_.size() < 2) return {};
    size_t begin = rng_.below(loops_.size() - 1);
    Call call{"fuse", {loops_[begin], loops_[begin + 1]}, {}};
    if (begin + 2 < loops_.size() && chance(20)) call.inputs.emplace_back(loops_[begin + 2]);
    return call;
  }

  Call change_kind() {
    if (loops_.empty()) return {};
    const Loop loop = pick(loops_);
    const int64_t extent = sch_.loop_extent_or(loop, INT64_MAX);
    if (chance(35)) return {"parallel", {loop}, {{"schedule", "static"}, {"chunk", 0}}};
    if (chance(50)) return extent > kMostLanes ? Call{} : Call{"vectorize", {loop}, {}};
    return extent > kMostCopies ? Call{} : Call{"unroll", {loop}, {}};
  }

  Call compute_at() {
    const std::vector<Loop> places = foreign_loops();
    if (places.empty()) return {};
    return {"compute_at", {block_, pick(places)}, {{"tail", chance(90) ? "guard" : "pad"}}};
  }

  Call reverse_compute_at() {
    const std::vector<Loop> places = foreign_loops();
    if (places.empty()) return {};
    return {"reverse_compute_at", {block_, pick(places)}, {}};
  }

  Call inline_block() {
    return {chance(50) ? "compute_inline" : "reverse_compute_inline", {block_}, {}};
  }

  std::string scope() { return chance(60) ? "global" : chance(80) ? "local" : "register"; }

  Call cache() {
    if (blocks_.size() >= kMostBlocks) return {};
    if (chance(50)) return {"cache_write", {block_}, {{"scope", scope()}, {"write_index", 0}}};
    const ir::Buffer buffer = some_input();
    if (!buffer) return {};
    return {"cache_read", {block_}, {{"buffer", buffer->name}, {"scope", scope()}}};
  }

  Call storage() {
    const schedule::Tree tree(sch_.func());
    const ir::Buffer buffer = pick(schedule::written_buffers(tree.block(block_.id)->block));
    if (chance(40)) return {"set_scope", {block_}, {{"scope", scope()}, {"write_index", 0}}};
    return {"transform_layout", {block_}, {{"map", map_of(buffer)}, {"write_index", 0}}};
  }

  Call pack() {
    const ir::Buffer buffer = some_input();
    if (!buffer || blocks_.size() >= kMostBlocks) return {};
    Value::List pads;
    if (chance(60) && buffer->rank() > 0) {
      static const std::vector<int64_t> multiples = {2, 3, 4, 8};
      pads.push_back(
          Value::List{static_cast<int64_t>(rng_.below(buffer->rank())), pick(multiples)});
    }
    return {"pack",
            {block_},
            {{"buffer", buffer->name}, {"map", map_of(buffer)}, {"pad", pads}, {"scope", scope()}}};
  }

  Call decompose() {
    if (loops_.empty()) return {};
    return {"decompose_reduction", {block_, pick(loops_)}, {}};
  }

  Call rfactor() {
    if (loops_.empty() || blocks_.size() >= kMostBlocks) return {};
    return {"rfactor", {pick(loops_)}, {{"factor_axis", int64_t{0} - (chance(30) ? 1 : 0)}}};
  }

  Call unit_loop() {
    if (loops_.size() > kDeepestNest) return {};
    if (loops_.empty() || chance(50)) return {"add_unit_loop", {block_}, {}};
    return {"add_unit_loop", {pick(loops_)}, {}};
  }

  ir::Buffer some_input() {
    const schedule::Tree tree(sch_.func());
    std::vector<ir::Buffer> inputs;
    for (const ir::Region& region : tree.block(block_.id)->block->reads) {
      inputs.push_back(region.buffer);
    }
    return inputs.empty() ? ir::Buffer() : pick(inputs);
  }

  // A permutation of the dimensions, or one of them cut into blocks.
  std::string map_of(const ir::Buffer& buffer) {
    std::vector<std::string> names, physical;
    for (int d = 0; d < buffer->rank(); ++d) names.push_back(fmt::format("d{}", d));
    physical = names;
    for (size_t i = physical.size(); i > 1; --i)
      std::swap(physical[i - 1], physical[rng_.below(i)]);
    if (!physical.empty() && chance(60)) {
      std::string& cut = physical[rng_.below(physical.size())];
      const std::string name = cut;
      const int64_t tile = rng_.between(2, 6);
      cut = fmt::format("{} // {}", name, tile);
      physical.push_back(fmt::format("{} % {}", name, tile));
    }
    return fmt::format("({}) -> ({})", fmt::join(names, ", "), fmt::join(physical, ", "));
  }

  Schedule& sch_;
  Rng& rng_;
  std::vector<std::string> blocks_;
  BlockRef block_;
  std::vector<Loop> loops_;
};

}  // namespace

int apply_random_primitives(Schedule& sch, Rng& rng, int attempts) {
  RandomPrimitives random(sch, rng);
  int accepted = 0;
  for (int i = 0; i < attempts; ++i) accepted += random.step();
  return accepted;
}

}  // namespace tilewright::testing
