#include <algorithm>

#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// All accesses of one buffer, and the variables bound around them.
class CollectAccesses final : public Visitor {
 public:
  using Visitor::visit;
  CollectAccesses(const Buffer& buffer, const arith::Analyzer& outer)
      : analyzer(outer), buffer_(buffer) {}
  std::vector<std::vector<Expr>> accesses;
  std::vector<Var> inner;
  arith::Analyzer analyzer;
  bool address_taken = false;  ///< by a call of an extern function, which may touch any element

 protected:
  using Visitor::visit_node;
  void visit_node(const ForNode& node) override {
    inner.push_back(node.var);
    analyzer.bind_extent(node.var, node.extent);
    visit_children(node);
  }
  void visit_node(const LetStmtNode& node) override {
    inner.push_back(node.var);
    if (is_pure_index(node.value)) analyzer.bind_value(node.var, node.value);
    visit_children(node);
  }
  void visit_node(const LoadNode& node) override {
    if (node.buffer.get() == buffer_.get()) accesses.push_back(node.indices);
    visit_children(node);
  }
  void visit_node(const CallNode& node) override {
    for (const Expr& arg : node.args) {
      const auto* place = arg.as<LoadNode>();
      address_taken |=
          node.intrinsic == Intrinsic::kCallExtern && place && place->buffer.get() == buffer_.get();
    }
    visit_children(node);
  }
  void visit_node(const StoreNode& node) override {
    if (node.buffer.get() == buffer_.get()) accesses.push_back(node.indices);
    visit_children(node);
  }

 private:
  const Buffer& buffer_;
};

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
    loops_.push_back(node.var);
    Stmt result = BoundMutator::mutate_node(node, self);
    loops_.pop_back();
    return result;
  }

  Stmt mutate_node(const AllocNode& node, const Stmt& self) override {
    if (!loops_.empty()) compact(node);
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
    CollectAccesses found(node.buffer, analyzer_);
    found.visit(node.body);
    if (found.accesses.empty() || found.address_taken) return;
    std::optional<Region> region;  // the analyzer's, asked only where the plain box is no good
    std::vector<Expr> shape = old.shape;
    std::vector<Expr> start(shape.size());
    bool changed = false;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (old.layout && d < old.layout->fold_moduli.size() && old.layout->fold_moduli[d] > 0) {
        continue;  // a rolling dimension keeps its absolute positions
      }
      Range used = plain_box(found, d);
      if (!used.min.defined()) {
        if (!region) region = arith::accessed_region(analyzer_, node.body, node.buffer, true, true);
        if (!region) return;
        used = region->ranges[d];
      }
      // A tile of registers is whole also where conditions cut it off: one row's masked lanes must not be the next
      // row's elements.
      const bool whole_tile = old.scope == Scope::kRegister && as_const_int(used.extent);
      Expr extent = whole_tile ? used.extent : smaller_extent(shape[d], used.extent);
      if (!extent.defined()) continue;
      // Loops that never run use no elements, or, by their bounds, fewer.
      const Expr none = make_int(extent.dtype(), 0);
      if (!analyzer_.can_prove(extent >= none)) extent = analyzer_.simplify(max(extent, none));
      shape[d] = extent;
      if (!is_const_int(used.min, 0)) start[d] = used.min;
      changed = true;
    }
    if (!changed) return;
    compacted_[node.buffer] = {Buffer(new BufferNode(old.name, old.dtype, shape, old.scope,
                                                     old.layout, old.pad, old.align, old.alloc_at)),
                               std::move(start)};
  }

  /// The range of dimension `d` over all accesses without regard to conditions: it starts at the plain start
  /// of the tile, where a range cut by conditions starts at a minimum of several, and indices less that
  /// would be no constants after unrolling. Null unless the extent is constant.
  Range plain_box(const CollectAccesses& found, size_t d) const {
    Expr low, high;
    for (const std::vector<Expr>& indices : found.accesses) {
      arith::SymbolicInterval b = found.analyzer.bounds_over(indices[d], found.inner);
      if (!b.min.defined() || !b.max.defined()) return {};
      low = low.defined() ? smaller_of(low, b.min, true) : b.min;
      high = high.defined() ? smaller_of(high, b.max, false) : b.max;
      if (!low.defined() || !high.defined()) return {};
    }
    Expr extent = analyzer_.simplify(high - low + 1);
    if (!as_const_int(extent)) return {};
    return {analyzer_.simplify(low), extent};
  }

  /// The smaller (or larger) of two bounds when that is known; null otherwise.
  Expr smaller_of(const Expr& a, const Expr& b, bool smaller) const {
    const int64_t* difference = nullptr;
    Expr gap = analyzer_.simplify(b - a);
    difference = as_const_int(gap);
    if (!difference) return {};
    return (*difference >= 0) == smaller ? a : b;
  }

  /// The extent to use instead of `whole`, or null when the region is no smaller.
  Expr smaller_extent(const Expr& whole, const Expr& region) const {
    Expr extent = analyzer_.simplify(region);
    if (!as_const_int(extent)) {
      // It differs from iteration to iteration (a cut-off tile): take the largest, since nothing is
      // allocated in a loop and sizes are known before the first iteration.
      const arith::Interval range = analyzer_.const_interval(extent);
      if (range.max != arith::Interval::kPosInf) {
        extent = make_int(kInt64, std::max<int64_t>(range.max, 0));
      } else {
        extent = analyzer_.bounds_over(extent, loops_).max;
        if (!extent.defined()) return {};
      }
    }
    if (as_const_int(extent) && !as_const_int(whole)) return extent;
    return analyzer_.can_prove(extent < whole) ? extent : Expr();
  }

  std::vector<Expr> rebased(const Compacted& target, const std::vector<Expr>& indices) const {
    std::vector<Expr> result = indices;
    for (size_t d = 0; d < result.size(); ++d) {
      if (target.start[d].defined()) result[d] = analyzer_.simplify(result[d] - target.start[d]);
    }
    return result;
  }

  std::unordered_map<Buffer, Compacted, RefHash, RefEqual> compacted_;
  std::vector<Var> loops_;
};

}  // namespace

PrimFunc compact_buffers(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, CompactBuffers(func).mutate(func->body));
}

}  // namespace tilewright::lower
