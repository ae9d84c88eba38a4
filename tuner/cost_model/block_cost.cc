#include "tuner/cost_model/block_cost.h"

#include <algorithm>
#include <cmath>

#include <functional>
#include <optional>

namespace tilewright::tuner {
namespace {

using namespace ir;  // NOLINT

// Of a core as they are today: two multiply-adds, two loads and one store a cycle, six instructions of any kind, one
// that moves data between lanes; four cycles from a multiply-add to the next that needs it, nine through memory.
constexpr double kFmasPerCycle = 2, kLoadsPerCycle = 2, kStoresPerCycle = 1, kIssuedPerCycle = 6,
                 kShufflesPerCycle = 1, kFmaLatency = 4, kMemoryLatency = 9;
// Counter, comparison and branch of a loop; and what entering one costs in cycles.
constexpr double kLoopInstructions = 2, kLoopEntryCycles = 4;
// The part of a cache that a working set can count on.
constexpr double kUsableCache = 0.8;

bool in_registers(const Buffer& buffer) { return buffer->scope == Scope::kRegister; }

// Resources that work side by side: the busiest decides, and the nearer others come to it the more they disturb.
double together(std::initializer_list<double> cycles) {
  constexpr double kSharpness = 4;
  double sum = 0;
  for (double c : cycles) sum += std::pow(c, kSharpness);
  return std::pow(sum, 1 / kSharpness);
}

class Counting {
 public:
  Counting(const BlockRealizeNode& realize, const std::vector<LoopShape>& loops,
           const arith::Analyzer& facts, const Target& target, const MachineSpeeds& speeds,
           int threads)
      : realize_(realize),
        loops_(loops),
        facts_(facts),
        target_(target),
        speeds_(speeds),
        threads_(threads) {}

  BlockCost run() {
    find_body_loops();
    count_body();
    make_accesses();
    count_instructions();
    count_cycles();
    count_traffic();
    spread();
    return cost_;
  }

 private:
  // The innermost loops that are unrolled or vectorized form the body.
  void find_body_loops() {
    body_depth_ = loops_.size();
    while (body_depth_ > 0) {
      const ForKind kind = loops_[body_depth_ - 1].loop->for_kind;
      if (kind != ForKind::kUnrolled && kind != ForKind::kVectorized) break;
      --body_depth_;
    }
    for (size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].loop->for_kind == ForKind::kVectorized) vector_loop_ = i;
    }
    clip_loops(realize_, facts_, body_depth_, loops_);
    for (size_t i = 0; i < body_depth_; ++i) {
      if (loops_[i].extent > 1) inner_loop_ = i;
    }
    if (inner_loop_) cost_.inner_extent = loops_[*inner_loop_].extent;
    double points = 1, all = 1;
    for (const IterVar& iter : realize_.block->iter_vars) {
      points *= std::max(1.0, extent_of(facts_, iter.dom.extent));
    }
    for (const LoopShape& loop : loops_) all *= std::max(1.0, loop.extent);
    cost_.waste = std::max(1.0, all / points);
  }

  void count_body() {
    body_.count(realize_, loops_);
    int bits = 32;
    for (const auto& access : body_.accesses) {
      if (access.writes) bits = std::max(8, static_cast<int>(access.buffer->dtype.bits));
    }
    const double machine_lanes = target_.vector_lanes(bits);
    if (vector_loop_) {
      const double extent = std::max(1.0, loops_[*vector_loop_].extent);
      vector_parts_ = std::ceil(extent / machine_lanes);
      cost_.lanes = extent / vector_parts_;
    }
    for (size_t i = 0; i < loops_.size(); ++i) {
      const double extent = std::max(1.0, loops_[i].extent);
      if (i < body_depth_) {
        cost_.iterations *= extent;
      } else if (loops_[i].loop->for_kind == ForKind::kUnrolled) {
        cost_.unrolled *= extent;
      }
    }
    if (realize_.block->where.defined()) cost_.guards += 1;
  }

  void make_accesses() {
    VarMap map;
    for (size_t i = 0; i < realize_.iter_values.size(); ++i) {
      map[realize_.block->iter_vars[i].var] = realize_.iter_values[i];
    }
    for (const auto& access : body_.accesses) {
      std::vector<Expr> indices;
      for (const Expr& index : access.indices) indices.push_back(substitute(index, map));
      AccessShape shape(facts_, loops_, access.buffer, indices, access.writes);
      const bool known = std::any_of(accesses_.begin(), accesses_.end(), [&](const auto& other) {
        return other.same_elements(shape) && other.writes() == shape.writes();
      });
      if (!known) accesses_.push_back(std::move(shape));
    }
  }

  // How often one body computes something that changes with the loops of `moves`: once for each of its copies, and less
  // than once where it is the same for some of the innermost iterations and has been computed before them.
  double times_in_body(const std::function<bool(size_t)>& moves) const {
    double times = 1;
    for (size_t i = body_depth_; i < loops_.size(); ++i) {
      if (!moves(i)) continue;
      times *= i == vector_loop_ ? vector_parts_ : std::max(1.0, loops_[i].extent);
    }
    for (size_t i = body_depth_; i-- > 0 && !moves(i);) times /= std::max(1.0, loops_[i].extent);
    return times;
  }

  // Registers that the access stands for in one body.
  double registers_of(const AccessShape& access) const {
    double count = 1;
    for (size_t i = body_depth_; i < loops_.size(); ++i) {
      if (!access.moves_with(i)) continue;
      count *= i == vector_loop_ ? vector_parts_ : std::max(1.0, loops_[i].extent);
    }
    return count;
  }

  // Memory instructions of one body that the access stands for.
  double instructions_of(const AccessShape& access, bool hoisted) {
    double count = hoisted ? times_in_body([&](size_t i) { return access.moves_with(i); })
                           : registers_of(access);
    if (!vector_loop_ || !access.moves_with(*vector_loop_)) return count;
    if (access.stride(*vector_loop_) != 1) {
      // Lane by lane, each put into its place.
      count *= cost_.lanes;
      cost_.gathers += count;
      return count;
    }
    // A vector that does not begin at a multiple of its length may lie in two lines.
    bool aligned = true;
    for (size_t i = 0; i < loops_.size(); ++i) {
      if (i != *vector_loop_) aligned &= std::fmod(access.stride(i), cost_.lanes) == 0;
    }
    const double bytes = cost_.lanes * static_cast<double>(access.buffer()->dtype.bytes());
    return aligned ? count : count * (1 + std::min(1.0, bytes / target_.cache_line_bytes));
  }

  void count_instructions() {
    for (const auto& op : body_.ops) {
      cost_.vector_ops += op.count * times_in_body([&](size_t i) { return op.loops[i]; });
    }
    cost_.vector_ops = std::max(1e-3, cost_.vector_ops);
    const bool keeps_memory =
        std::none_of(accesses_.begin(), accesses_.end(), [](const AccessShape& access) {
          return access.writes() && !in_registers(access.buffer());
        });
    std::vector<double> held;
    for (const AccessShape& access : accesses_) {
      if (in_registers(access.buffer())) {
        if (access.writes()) cost_.accumulators += registers_of(access);
        continue;
      }
      const double instructions = instructions_of(access, keeps_memory);
      const bool stays = inner_loop_ && !access.moves_with(*inner_loop_);
      if (access.writes()) {
        cost_.stores += instructions;
        if (body_.updates) {
          cost_.loads += instructions;
          if (stays) cost_.chain = kMemoryLatency;
        }
      } else {
        cost_.loads += instructions;
        held.push_back(registers_of(access));
      }
    }
    if (cost_.accumulators > 0 && body_.updates) {
      cost_.chain = kFmaLatency * cost_.unrolled * vector_parts_ / cost_.accumulators;
    }
    // One side of a tile is held while the other passes.
    cost_.registers = cost_.accumulators;
    if (!held.empty()) {
      cost_.registers += 1 + (held.size() > 1 ? *std::min_element(held.begin(), held.end()) : 0);
    }
    cost_.guards += static_cast<double>(
        std::count_if(realize_.guard.begin(), realize_.guard.end(),
                      [](const Conjunct& c) { return c.tail == Tail::kGuard; }));
  }

  void count_cycles() {
    // A register too many is stored and loaded again.
    const double spilled = std::max(0.0, cost_.registers - target_.vector_registers);
    const double issued = cost_.vector_ops + cost_.loads + cost_.stores + cost_.gathers +
                          2 * spilled + kLoopInstructions;
    cost_.fma_cycles = cost_.vector_ops / kFmasPerCycle;
    cost_.load_cycles = (cost_.loads + spilled) / kLoadsPerCycle;
    cost_.store_cycles = (cost_.stores + spilled) / kStoresPerCycle;
    cost_.issue_cycles = issued / kIssuedPerCycle;
    cost_.shuffle_cycles = cost_.gathers / kShufflesPerCycle;
    cost_.body_cycles = together({cost_.fma_cycles, cost_.load_cycles, cost_.store_cycles,
                                  cost_.shuffle_cycles, cost_.issue_cycles, cost_.chain});
    cost_.cycles = cost_.body_cycles * cost_.iterations;
    double entries = 1;
    for (size_t i = 0; inner_loop_ && i < *inner_loop_; ++i) {
      if (loops_[i].extent <= 1) continue;
      entries *= loops_[i].extent;
      cost_.entry_cycles += entries * kLoopEntryCycles;
    }
    cost_.cycles += cost_.entry_cycles;
  }

  double delivered(double cache_bytes) const {
    const double line = target_.cache_line_bytes;
    size_t depth = 0;
    for (; depth < loops_.size(); ++depth) {
      double lines = 0;
      for (const AccessShape& access : accesses_) {
        if (!in_registers(access.buffer())) lines += access.lines(depth, line);
      }
      if (lines * line <= cache_bytes * kUsableCache) break;
    }
    double bytes = 0;
    for (const AccessShape& access : accesses_) {
      if (in_registers(access.buffer())) continue;
      // What one iteration of a loop leaves behind is still there for the next.
      size_t reused = depth;
      while (reused > 0 && !access.moves_with(reused - 1)) --reused;
      if (reused > 0)
        --reused;  // and where neighbouring iterations overlap, only the new part is fetched
      double trips = 1;
      for (size_t i = 0; i < reused; ++i) trips *= std::max(1.0, loops_[i].extent);
      bytes += access.lines(depth, line) * line * trips * (access.writes() ? 2 : 1);
    }
    return bytes;
  }

  void count_traffic() {
    const auto level = [&](int64_t bytes, double unknown) {
      return delivered(bytes > 0 ? static_cast<double>(bytes) : unknown);
    };
    cost_.l1_bytes = level(target_.l1d_bytes, 32e3);
    cost_.l2_bytes = level(target_.l2_bytes, 512e3);
    cost_.l3_bytes = level(target_.l3_bytes, 8e6);
  }

  void spread() {
    double outer = 1;
    for (size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].loop->for_kind == ForKind::kParallel && threads_ > 1) {
        const double extent = std::max(1.0, loops_[i].extent);
        cost_.parallel = extent / std::ceil(extent / threads_);
        cost_.launches = outer;
        break;
      }
      outer *= std::max(1.0, loops_[i].extent);
    }
    const double cycles_per_sec = speeds_.fma_per_sec / kFmasPerCycle;
    cost_.compute_secs = cost_.cycles / cycles_per_sec / cost_.parallel;
    cost_.l1_secs = cost_.l1_bytes / speeds_.l2_bytes_per_sec / cost_.parallel;
    cost_.l2_secs = cost_.l2_bytes / speeds_.l3_bytes_per_sec / cost_.parallel;
    cost_.l3_secs = cost_.l3_bytes / std::min(speeds_.dram_bytes_per_sec,
                                              speeds_.dram_core_bytes_per_sec * cost_.parallel);
    // Prefetching hides the smaller part of what overlaps, never all of it.
    constexpr double kHidden = 0.3;
    const double most = std::max({cost_.compute_secs, cost_.l1_secs, cost_.l2_secs, cost_.l3_secs});
    const double sum = cost_.compute_secs + cost_.l1_secs + cost_.l2_secs + cost_.l3_secs;
    cost_.secs = most + kHidden * (sum - most) + cost_.launches * speeds_.launch_secs;
  }

  const BlockRealizeNode& realize_;
  std::vector<LoopShape> loops_;  // as far as they run
  const arith::Analyzer& facts_;
  const Target& target_;
  const MachineSpeeds& speeds_;
  const int threads_;
  BodyCounts body_;
  size_t body_depth_ = 0;
  std::optional<size_t> vector_loop_, inner_loop_;  // the latter directly around the body
  double vector_parts_ = 1;
  std::vector<AccessShape> accesses_;
  BlockCost cost_;
};

}  // namespace

BlockCost cost_of(const BlockRealizeNode& realize, const std::vector<LoopShape>& loops,
                  const arith::Analyzer& facts, const Target& target, const MachineSpeeds& speeds,
                  int threads) {
  return Counting(realize, loops, facts, target, speeds, threads).run();
}

}  // namespace tilewright::tuner
