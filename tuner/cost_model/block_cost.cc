#include "tuner/cost_model/block_cost.h"

#include <algorithm>
#include <cmath>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::tuner {
namespace {

using namespace ir;  // NOLINT

// Of a core as they are today: two multiply-adds, two loads and one store a cycle, four cycles from a multiply-add
// to the next that needs it, nine through memory.
constexpr double kFmasPerCycle = 2, kLoadsPerCycle = 2, kStoresPerCycle = 1, kFmaLatency = 4,
                 kMemoryLatency = 9, kLoopCycles = 1, kGuardCycles = 1, kFunctionOps = 12,
                 kDivisionOps = 8;
// The part of a cache that a working set can count on.
constexpr double kUsableCache = 0.8;

bool in_registers(const Buffer& buffer) { return buffer->scope == Scope::kRegister; }

// Loads and arithmetic of the body's statements.
class CountBody final : public Visitor {
 public:
  using Visitor::visit;
  struct Access {
    Buffer buffer;
    std::vector<Expr> indices;
    bool writes;
  };
  std::vector<Access> accesses;
  double ops = 0;
  bool updates = false;

 protected:
  using Visitor::visit_node;
  void visit_node(const LoadNode& node) override {
    accesses.push_back({node.buffer, node.indices, false});  // index arithmetic is not counted
  }
  void visit_node(const StoreNode& node) override {
    visit(node.value);
    accesses.push_back({node.buffer, node.indices, true});
  }
  void visit_node(const UpdateNode& node) override {
    updates = true;
    for (const Expr& value : node.values) visit(value);
    // The last product of a sum goes into the multiply-add.
    ops += static_cast<double>(node.buffers.size()) * (ops > 0 && node.buffers.size() == 1 ? 0 : 1);
    for (const Buffer& buffer : node.buffers) accesses.push_back({buffer, node.indices, true});
  }
  void visit_node(const BinaryNode& node) override {
    visit_children(node);
    if (!is_comparison(node.op) || !node.a.dtype().is_int()) {
      const bool division = node.op == BinaryOp::kDiv || node.op == BinaryOp::kFloorDiv ||
                            node.op == BinaryOp::kFloorMod;
      ops += division ? kDivisionOps : 1;
    }
  }
  void visit_node(const SelectNode& node) override {
    visit_children(node);
    ops += 1;
  }
  void visit_node(const CallNode& node) override {
    visit_children(node);
    ops += kFunctionOps;
  }
};

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
    count_body();
    find_body_loops();
    make_accesses();
    count_instructions();
    count_cycles();
    count_traffic();
    spread();
    return cost_;
  }

 private:
  void count_body() {
    if (realize_.block->body.defined()) body_.visit(realize_.block->body);
    if (realize_.block->where.defined()) cost_.guards += 1;
  }

  // The innermost loops that are unrolled or vectorized form the body.
  void find_body_loops() {
    body_depth_ = loops_.size();
    while (body_depth_ > 0) {
      const ForKind kind = loops_[body_depth_ - 1].loop->for_kind;
      if (kind != ForKind::kUnrolled && kind != ForKind::kVectorized) break;
      --body_depth_;
    }
    int bits = 32;
    for (const auto& access : body_.accesses) {
      if (access.writes) bits = std::max(8, static_cast<int>(access.buffer->dtype.bits));
    }
    const double machine_lanes = target_.vector_lanes(bits);
    vector_parts_ = 1;
    for (size_t i = 0; i < loops_.size(); ++i) {
      const double extent = std::max(1.0, loops_[i].extent);
      const ForKind kind = loops_[i].loop->for_kind;
      if (kind == ForKind::kVectorized) {
        vector_loop_ = i;
        vector_parts_ = std::ceil(extent / machine_lanes);
        cost_.lanes = extent / vector_parts_;
      }
      if (i < body_depth_) {
        cost_.iterations *= extent;
      } else if (kind == ForKind::kUnrolled) {
        cost_.unrolled *= extent;
      }
    }
    if (body_depth_ > 0) cost_.inner_extent = loops_[body_depth_ - 1].extent;
    double points = 1, all = 1;
    for (const IterVar& iter : realize_.block->iter_vars) {
      points *= std::max(1.0, extent_of(facts_, iter.dom.extent));
    }
    for (const LoopShape& loop : loops_) all *= std::max(1.0, loop.extent);
    cost_.waste = std::max(1.0, all / points);
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

  // Registers or memory instructions of one body that the access stands for.
  double vectors_of(const AccessShape& access) {
    double count = 1;
    for (size_t i = body_depth_; i < loops_.size(); ++i) {
      if (loops_[i].loop->for_kind == ForKind::kUnrolled && access.moves_with(i)) {
        count *= loops_[i].extent;
      }
    }
    if (!vector_loop_ || !access.moves_with(*vector_loop_)) return count;
    const bool adjacent = access.stride(*vector_loop_) == 1 || in_registers(access.buffer());
    if (adjacent) return count * vector_parts_;
    cost_.gathers += count;
    return count * loops_[*vector_loop_].extent;
  }

  void count_instructions() {
    cost_.vector_ops = std::max(1.0, body_.ops) * cost_.unrolled * vector_parts_;
    std::vector<double> held;
    for (const AccessShape& access : accesses_) {
      const double vectors = vectors_of(access);
      const bool stays = body_depth_ > 0 && !access.moves_with(body_depth_ - 1);
      if (in_registers(access.buffer())) {
        if (access.writes()) cost_.accumulators += vectors;
        continue;
      }
      if (access.writes()) {
        cost_.stores += vectors;
        if (body_.updates) {
          cost_.loads += vectors;
          if (stays) cost_.chain = kMemoryLatency;
        }
      } else {
        cost_.loads += vectors;
        held.push_back(vectors);
      }
    }
    if (cost_.accumulators > 0 && body_.updates) {
      cost_.chain = kFmaLatency * cost_.vector_ops / cost_.accumulators;
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
    double body = std::max({cost_.vector_ops / kFmasPerCycle, cost_.loads / kLoadsPerCycle,
                            cost_.stores / kStoresPerCycle, cost_.chain});
    const double spilled = std::max(0.0, cost_.registers - target_.vector_registers);
    body += spilled * 1.5 + kLoopCycles + cost_.guards * kGuardCycles;
    cost_.cycles = body * cost_.iterations;
    if (cost_.guards > 0) cost_.cycles /= cost_.waste;
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
    const double compute = cost_.cycles / cycles_per_sec / cost_.parallel;
    const double near = cost_.l1_bytes / speeds_.l2_bytes_per_sec / cost_.parallel;
    const double far = cost_.l2_bytes / speeds_.l3_bytes_per_sec / cost_.parallel;
    const double memory =
        cost_.l3_bytes /
        std::min(speeds_.dram_bytes_per_sec, speeds_.dram_core_bytes_per_sec * cost_.parallel);
    // Prefetching hides the smaller part of what overlaps, never all of it.
    constexpr double kHidden = 0.3;
    const double most = std::max({compute, near, far, memory});
    cost_.secs = most + kHidden * (compute + near + far + memory - most) +
                 cost_.launches * speeds_.launch_secs;
  }

  const BlockRealizeNode& realize_;
  const std::vector<LoopShape>& loops_;
  const arith::Analyzer& facts_;
  const Target& target_;
  const MachineSpeeds& speeds_;
  const int threads_;
  CountBody body_;
  size_t body_depth_ = 0;
  std::optional<size_t> vector_loop_;
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
