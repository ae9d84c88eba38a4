#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// before                                     after
///   alloc B[n, n] in loop i                    alloc B[4, n] in loop i
///   B[4*i + j, k] = ...                        B[j, k] = ...
///
/// A layout stays the same map, applied to the new logical indices: a layout only says where elements lie,
/// so any injective map of the smaller index space is as good.
class CompactBuffers final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit CompactBuffers(const PrimFunc& func) : BoundMutator(func) {}

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    ++depth_;
    Stmt result = BoundMutator::mutate_node(node, self);
    --depth_;
    return result;
  }

  Stmt mutate_node(const AllocNode& node, const Stmt& self) override {
    if (depth_ > 0) compact(node);
    auto it = compacted_.find(node.buffer);
    if (it == compacted_.end()) return mutate_children(node, self);
    return Stmt(new AllocNode(it->second.buffer, mutate(node.body)));
  }

  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    Expr result = mutate_children(node, self);
    auto it = compacted_.find(node.buffer);
    if (it == compacted_.end()) return result;
    auto* access = result.as<LoadNode>();
    return Expr(new LoadNode(access->dtype, it->second.buffer, rebased(it->second, access->indices),
                             access->predicate));
  }

  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    Stmt result = mutate_children(node, self);
    auto it = compacted_.find(node.buffer);
    if (it == compacted_.end()) return result;
    auto* access = result.as<StoreNode>();
    return Stmt(new StoreNode(it->second.buffer, rebased(it->second, access->indices),
                              access->value, access->predicate));
  }

 private:
  struct Compacted {
    Buffer buffer;
    std::vector<Expr> start;  // per dimension; null: not moved
  };

  void compact(const AllocNode& node) {
    const BufferNode& old = *node.buffer;
    auto region = arith::accessed_region(analyzer_, node.body, node.buffer, true, true);
    if (!region) return;
    std::vector<Expr> shape = old.shape;
    std::vector<Expr> start(shape.size());
    bool changed = false;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (old.layout && d < old.layout->fold_moduli.size() && old.layout->fold_moduli[d] > 0) {
        continue;  // a rolling dimension keeps its absolute positions
      }
      Expr extent = smaller_extent(shape[d], region->ranges[d].extent);
      if (!extent.defined()) continue;
      shape[d] = extent;
      if (!is_const_int(region->ranges[d].min, 0)) start[d] = region->ranges[d].min;
      changed = true;
    }
    if (!changed) return;
    compacted_[node.buffer] = {
        Buffer(new BufferNode(old.name, old.dtype, shape, old.scope, old.layout, old.pad, old.align,
                              old.alloc_at)),
        std::move(start)};
  }

  /// The extent to use instead of `whole`, or null when the region is no smaller.
  Expr smaller_extent(const Expr& whole, const Expr& region) const {
    Expr extent = analyzer_.simplify(region);
    if (!as_const_int(extent)) {
      // It differs from iteration to iteration (a cut-off tile): take the largest.
      const arith::Interval range = analyzer_.const_interval(extent);
      if (range.max != arith::Interval::kPosInf) extent = make_int(kInt64, std::max<int64_t>(range.max, 0));
    }
    if (as_const_int(extent) && !as_const_int(whole)) return extent;
    if (!analyzer_.can_prove(extent < whole)) return {};
    // A symbolic extent must not read variables of loops outside: sizes are taken where the buffer is
    // allocated, which is inside of them, so that is fine for any variable in scope here.
    return extent;
  }

  std::vector<Expr> rebased(const Compacted& target, const std::vector<Expr>& indices) const {
    std::vector<Expr> result = indices;
    for (size_t d = 0; d < result.size(); ++d) {
      if (target.start[d].defined()) result[d] = analyzer_.simplify(result[d] - target.start[d]);
    }
    return result;
  }

  std::unordered_map<Buffer, Compacted, RefHash, RefEqual> compacted_;
  int depth_ = 0;
};

}  // namespace

PrimFunc compact_buffers(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, CompactBuffers(func).mutate(func->body));
}

}  // namespace tilewright::lower
