#include "arith/regions.h"

#include <algorithm>

#include "arith/expr_equal.h"

namespace tilewright::arith {

using namespace ir;

namespace {

// Replaces what assume_range promises the range of by variables over that range.
class PromisesAsVars final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  PromisesAsVars(Analyzer& analyzer, std::vector<Var>& vars) : analyzer_(analyzer), vars_(vars) {}

 protected:
  Expr mutate_node(const CallNode& node, const Expr& self) override {
    if (node.intrinsic != Intrinsic::kAssumeRange) return mutate_children(node, self);
    Var var("promised", node.dtype);
    analyzer_.bind(var, {node.args[1], node.args[2] - node.args[1]});
    vars_.push_back(var);
    return var;
  }

 private:
  Analyzer& analyzer_;
  std::vector<Var>& vars_;
};

bool has_promise(const Expr& expr) {
  bool found = false;
  walk_exprs(expr, [&](const Expr& e) {
    const auto* call = e.as<CallNode>();
    found |= call && call->intrinsic == Intrinsic::kAssumeRange;
  });
  return found;
}

// A bound that reads memory says nothing at another time.
bool reads_data(const Expr& expr) {
  bool found = false;
  walk_exprs(expr, [&](const Expr& e) {
    found |= e->kind == NodeKind::kLoad || e->kind == NodeKind::kCall;
  });
  return found;
}

Expr zero_like(const Expr& expr) { return make_int(expr.dtype(), 0); }

}  // namespace

SymbolicInterval AccessCollector::bounds(const Expr& index) const {
  if (const auto* ramp = index.as<RampNode>()) {
    Expr last = ramp->base + ramp->stride * make_int(ramp->base.dtype(), ramp->dtype.lanes - 1);
    SymbolicInterval a = bounds(ramp->base), b = bounds(analyzer_.simplify(last));
    if (!a.min.defined() || !a.max.defined() || !b.min.defined() || !b.max.defined()) return {};
    return {analyzer_.simplify(min(a.min, b.min)), analyzer_.simplify(max(a.max, b.max))};
  }
  if (const auto* broadcast = index.as<BroadcastNode>()) return bounds(broadcast->value);
  if (!index.dtype().is_scalar()) return {};
  SymbolicInterval result;
  if (has_promise(index)) {
    Analyzer promised(analyzer_);
    std::vector<Var> vars = inner_;
    Expr plain = PromisesAsVars(promised, vars).mutate(index);
    result = promised.bounds_over(plain, vars);
  } else {
    result = analyzer_.bounds_over(index, inner_);
  }
  for (Expr* end : {&result.min, &result.max}) {
    if (end->defined() && reads_data(*end)) *end = Expr();
  }
  return result;
}

void AccessCollector::record(const Buffer& buffer, const std::vector<SymbolicInterval>& dims,
                             bool read, bool write, bool conditional) {
  auto entry = std::find_if(accesses_.begin(), accesses_.end(),
                            [&](const BufferAccesses& a) { return a.buffer.same_as(buffer); });
  if (entry == accesses_.end()) entry = accesses_.insert(entry, BufferAccesses{buffer, {}, {}});
  for (AccessBox* box : {read ? &entry->reads : nullptr, write ? &entry->writes : nullptr}) {
    if (!box) continue;
    box->conditional |= conditional || conditions_ > 0;
    if (!box->any) {
      box->any = true;
      box->dims = dims;
      continue;
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      SymbolicInterval& known = box->dims[d];
      auto join = [&](Expr& end, const Expr& other, bool upper) {
        if (!end.defined() || !other.defined()) {
          end = Expr();
        } else if (!same_expr(end, other)) {
          end = analyzer_.simplify(upper ? max(end, other) : min(end, other));
        }
      };
      join(known.min, dims[d].min, false);
      join(known.max, dims[d].max, true);
    }
  }
}

void AccessCollector::record_indices(const Buffer& buffer, const std::vector<Expr>& indices,
                                     bool read, bool write, bool conditional) {
  if (only_ && buffer.get() != only_) return;
  std::vector<SymbolicInterval> dims;
  dims.reserve(indices.size());
  for (const Expr& index : indices) dims.push_back(bounds(index));
  record(buffer, dims, read, write, conditional);
}

// An interval that may leave [0, extent), moved inwards so that a constant length stays constant: elements
// that are read under a condition lie inside the buffer.
Range AccessCollector::clamp(Expr low, Expr high, const Expr& extent) const {
  const Expr zero = zero_like(low), one = make_int(low.dtype(), 1);
  bool low_fits = analyzer_.can_prove(low >= zero);
  bool high_fits = analyzer_.can_prove(high < extent);
  Expr length = analyzer_.simplify(high - low + one);
  if (low_fits && high_fits) return {low, length};
  if (is_literal(length) && analyzer_.can_prove(length <= extent)) {
    if (!high_fits) low = min(low, extent - length);
    if (!low_fits) low = max(low, zero);
    return {analyzer_.simplify(low), length};
  }
  if (is_literal(length) && analyzer_.can_prove(length >= extent)) return {zero, extent};
  if (!low_fits) low = analyzer_.simplify(max(low, zero));
  if (!high_fits) high = analyzer_.simplify(min(high, extent - one));
  return {low, analyzer_.simplify(high - low + one)};
}

std::vector<Range> AccessCollector::ranges(const Buffer& buffer, const AccessBox& box) const {
  std::vector<Range> result;
  for (size_t d = 0; d < box.dims.size(); ++d) {
    Expr extent = d < buffer->shape.size() ? buffer->shape[d] : Expr();
    const SymbolicInterval& ends = box.dims[d];
    if (!ends.min.defined() || !ends.max.defined()) {
      internal_check(extent.defined(), "access of {} with {} indices for rank {}", buffer->name,
                     box.dims.size(), buffer->rank());
      result.push_back({zero_like(extent), extent});
    } else if (box.conditional && extent.defined()) {
      result.push_back(clamp(ends.min, ends.max, extent));
    } else {
      Expr one = make_int(ends.min.dtype(), 1);
      bool point = same_expr(ends.min, ends.max);
      result.push_back({ends.min, point ? one : analyzer_.simplify(ends.max - ends.min + one)});
    }
  }
  return result;
}

void AccessCollector::visit_conditionally(const Stmt& stmt) {
  if (!stmt) return;
  ++conditions_;
  visit(stmt);
  --conditions_;
}

void AccessCollector::visit_node(const ForNode& node) {
  visit(node.extent);
  analyzer_.bind_extent(node.var, node.extent);
  inner_.push_back(node.var);
  visit(node.body);
  inner_.pop_back();
}

void AccessCollector::visit_node(const IfNode& node) {
  visit(node.condition);
  visit_conditionally(node.then_body);
  visit_conditionally(node.else_body);
}

void AccessCollector::visit_node(const LetNode& node) {
  visit(node.value);
  analyzer_.bind_value(node.var, node.value);
  visit(node.body);
}

void AccessCollector::visit_node(const LetStmtNode& node) {
  visit(node.value);
  analyzer_.bind_value(node.var, node.value);
  visit(node.body);
}

void AccessCollector::visit_node(const IfThenElseNode& node) {
  visit(node.condition);
  ++conditions_;
  visit(node.true_value);
  visit(node.false_value);
  --conditions_;
}

void AccessCollector::visit_node(const ReduceNode& node) {
  for (size_t i = 0; i < node.axes.size(); ++i) {
    analyzer_.bind(node.axes[i], node.domains[i]);
    inner_.push_back(node.axes[i]);
  }
  if (node.where.defined()) visit(node.where);
  conditions_ += node.where.defined();
  for (const Expr& source : node.sources) visit(source);
  conditions_ -= node.where.defined();
  inner_.resize(inner_.size() - node.axes.size());
}

void AccessCollector::visit_node(const LoadNode& node) {
  record_indices(node.buffer, node.indices, true, false, node.predicate.defined());
  visit_children(node);
}

void AccessCollector::record_whole(const Buffer& buffer) {
  if (only_ && buffer.get() != only_) return;
  std::vector<SymbolicInterval> dims;
  for (const Expr& extent : buffer->shape) {
    dims.push_back({zero_like(extent), analyzer_.simplify(extent - make_int(extent.dtype(), 1))});
  }
  record(buffer, dims, true, true, false);
}

void AccessCollector::visit_node(const CallNode& node) {
  if (node.intrinsic != Intrinsic::kCallExtern) return visit_children(node);
  for (const Expr& arg : node.args) {
    const auto* place = arg.as<LoadNode>();
    if (!place) {
      visit(arg);
      continue;
    }
    // A C function that has the address of one element may touch all of them.
    record_whole(place->buffer);
    for (const Expr& index : place->indices) visit(index);
  }
}

void AccessCollector::visit_node(const StoreNode& node) {
  record_indices(node.buffer, node.indices, false, true, node.predicate.defined());
  visit_children(node);
}

void AccessCollector::visit_node(const UpdateNode& node) {
  for (const Buffer& buffer : node.buffers) record_indices(buffer, node.indices, true, true);
  visit_children(node);
}

void AccessCollector::visit_node(const BlockRealizeNode& node) {
  const std::vector<IterVar>& iters = node.block->iter_vars;
  for (size_t i = 0; i < iters.size(); ++i) {
    visit(node.iter_values[i]);
    analyzer_.bind_value(iters[i].var, node.iter_values[i]);
  }
  for (const Conjunct& conjunct : node.guard) visit(conjunct.cond);
  visit(node.block);
}

void AccessCollector::visit_node(const BlockNode& node) {
  if (node.block_kind != BlockKind::kCompute) {
    // Declared regions are all that is known of these.
    for (bool write : {false, true}) {
      for (const Region& region : write ? node.writes : node.reads) {
        if (only_ && region.buffer.get() != only_) continue;
        std::vector<SymbolicInterval> dims;
        for (const Range& range : region.ranges) {
          SymbolicInterval first = bounds(range.min);
          SymbolicInterval last = bounds(range.min + range.extent - 1);
          dims.push_back({first.min, last.max});
        }
        record(region.buffer, dims, !write, write, false);
      }
    }
    return;
  }
  if (node.init) visit(node.init);
  if (node.where.defined()) {
    visit(node.where);
    visit_conditionally(node.body);
  } else {
    visit(node.body);
  }
}

std::optional<Region> accessed_region(const Analyzer& outer, const Stmt& stmt, const Buffer& buffer,
                                      bool reads, bool writes) {
  AccessCollector collector(outer, buffer.get());
  collector.visit(stmt);
  for (const BufferAccesses& found : collector.accesses()) {
    bool use_reads = reads && found.reads.any, use_writes = writes && found.writes.any;
    if (!use_reads && !use_writes) return std::nullopt;
    AccessBox box = use_reads ? found.reads : found.writes;
    if (use_reads && use_writes) {
      for (size_t d = 0; d < box.dims.size(); ++d) {
        SymbolicInterval& ends = box.dims[d];
        const SymbolicInterval& other = found.writes.dims[d];
        bool low = ends.min.defined() && other.min.defined();
        bool high = ends.max.defined() && other.max.defined();
        ends.min = low ? outer.simplify(min(ends.min, other.min)) : Expr();
        ends.max = high ? outer.simplify(max(ends.max, other.max)) : Expr();
      }
    }
    // Not moved inwards: callers guard or allocate what lies outside the shape, and a region that
    // starts at a multiple of a tile must keep doing so.
    box.conditional = false;
    return Region{buffer, collector.ranges(buffer, box)};
  }
  return std::nullopt;
}

namespace {

// Derives the regions of blocks within blocks (see blockize).
class DeriveInside final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;

 protected:
  Block mutate_node(const BlockNode&, const Block& self) override {
    return with_derived_regions(self);
  }
};

}  // namespace

Block with_derived_regions(const Block& block) {
  if (block->block_kind != BlockKind::kCompute) return block;
  const Stmt body = DeriveInside().mutate(block->body);
  Analyzer analyzer;
  for (const IterVar& iter : block->iter_vars) {
    // A variable of one value stays a symbol: regions speak about iter vars.
    if (!is_const_int(iter.dom.extent, 1)) analyzer.bind(iter.var, iter.dom);
  }
  AccessCollector collector(analyzer, nullptr);
  collector.visit(block);
  std::vector<Region> reads, writes;
  for (const BufferAccesses& found : collector.accesses()) {
    if (found.reads.any) {
      reads.push_back({found.buffer, collector.ranges(found.buffer, found.reads)});
    }
    if (found.writes.any) {
      writes.push_back({found.buffer, collector.ranges(found.buffer, found.writes)});
    }
  }
  return Block(new BlockNode(block->id, block->name, block->block_kind, block->iter_vars,
                             block->where, std::move(reads), std::move(writes), block->reducer,
                             block->init, body, block->annotations, block->origin));
}

}  // namespace tilewright::arith
