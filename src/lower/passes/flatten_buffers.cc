#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// Where the elements of one buffer lie.
struct Placement {
  std::vector<Expr> shape;    ///< physical
  std::vector<Expr> strides;  ///< in elements
  Expr offset;                ///< in elements
};

void check_supported(const BufferNode& buffer) {
  if (!buffer.layout) return;
  if (buffer.layout->swizzle != 0) {
    fail("lower.swizzle",
         "buffer '{}' has a swizzled layout, which a cpu target has no use for; "
         "leave the swizzle out",
         buffer.name);
  }
  if (buffer.layout->versions > 1) {
    fail("lower.versions",
         "buffer '{}' has {} versions but no pass of the cpu pipeline chooses among them; remove "
         "double_buffer",
         buffer.name, buffer.layout->versions);
  }
}

/// The logical extents after rolling (`fold`).
std::vector<Expr> folded_shape(const BufferNode& buffer) {
  std::vector<Expr> shape = buffer.shape;
  if (!buffer.layout) return shape;
  const auto& fold = buffer.layout->fold_moduli;
  for (size_t d = 0; d < fold.size(); ++d) {
    if (fold[d] > 0) shape[d] = make_int(shape[d].dtype(), fold[d]);
  }
  return shape;
}

std::vector<Expr> folded_indices(const BufferNode& buffer, std::vector<Expr> indices) {
  if (!buffer.layout) return indices;
  const auto& fold = buffer.layout->fold_moduli;
  for (size_t d = 0; d < fold.size(); ++d) {
    if (fold[d] > 0) indices[d] = floor_mod(indices[d], make_int(indices[d].dtype(), fold[d]));
  }
  return indices;
}

/// The box that the layout map's image lies in.
std::vector<Expr> physical_shape(const arith::Analyzer& outer, const BufferNode& buffer) {
  std::vector<Expr> logical = folded_shape(buffer);
  if (!buffer.layout || buffer.layout->vars.empty()) return logical;
  const LayoutNode& layout = *buffer.layout;
  arith::Analyzer analyzer(outer);
  for (size_t d = 0; d < logical.size(); ++d) analyzer.bind_extent(layout.vars[d], logical[d]);
  std::vector<Expr> shape;
  for (const Expr& index : layout.physical) {
    Expr last = analyzer.bounds_over(index, layout.vars).max;
    if (!last.defined()) {
      fail("lower.layout",
           "the layout of buffer '{}' has a dimension '{}' without an upper bound; use floor_div, "
           "floor_mod and linear forms of the logical indices",
           buffer.name, to_pretty(index));
    }
    shape.push_back(analyzer.simplify(last + 1));
  }
  return shape;
}

/// The stride of physical dimension `d`, whose inner dimensions take `compact` elements. The first layout variable
/// stands for that in a stated stride, so that an aligned stride follows a buffer that shrinks or grows.
Expr stride_of(const arith::Analyzer& analyzer, const BufferNode& buffer, size_t d,
               const Expr& compact) {
  if (!buffer.layout || buffer.layout->strides.empty()) return compact;
  const Expr& stated = buffer.layout->strides[d];
  if (buffer.layout->vars.empty()) return stated;
  return analyzer.simplify(substitute(stated, {{buffer.layout->vars[0], compact}}));
}

Placement place(const arith::Analyzer& analyzer, const BufferNode& buffer) {
  check_supported(buffer);
  Placement result;
  result.shape = physical_shape(analyzer, buffer);
  Expr compact = make_int(kInt64, 1);
  result.strides.resize(result.shape.size());
  for (size_t d = result.shape.size(); d-- > 0;) {
    result.strides[d] = stride_of(analyzer, buffer, d, compact);
    compact = analyzer.simplify(result.strides[d] * result.shape[d]);
    if (has_fault(Fault::stride_one_short) && d > 0) compact = compact - 1;
  }
  result.offset = make_int(kInt64, 0);
  if (buffer.layout && buffer.layout->elem_offset.defined()) {
    result.offset = buffer.layout->elem_offset;
  }
  return result;
}

/// One more than the largest offset.
Expr size_in_elements(const arith::Analyzer& analyzer, const BufferNode& buffer,
                      const Placement& placement) {
  if (!buffer.layout || buffer.layout->strides.empty()) {
    Expr size = make_int(kInt64, 1);
    for (const Expr& extent : placement.shape) size = size * extent;
    return analyzer.simplify(size + placement.offset);
  }
  Expr last = placement.offset;
  for (size_t d = 0; d < placement.shape.size(); ++d) {
    last = last + (placement.shape[d] - 1) * placement.strides[d];
  }
  return analyzer.simplify(max(last + 1, make_int(kInt64, 0)));
}

class FlattenBuffers final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit FlattenBuffers(const PrimFunc& func) : BoundMutator(func) {
    for (const Param& param : func->params) {
      if (!param.buffer) continue;
      buffers_[param.buffer] = param.buffer;
      placements_[param.buffer] = place(analyzer_, *param.buffer);
    }
  }

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const AllocNode& node, const Stmt&) override {
    const Buffer& old = node.buffer;
    Placement placement = place(analyzer_, *old);
    Expr size = size_in_elements(analyzer_, *old, placement);
    Buffer flat(new BufferNode(old->name, old->dtype, {size}, old->scope, {}, {}, old->align));
    placements_[old] = std::move(placement);
    buffers_[old] = flat;
    return Stmt(new AllocNode(flat, mutate(node.body)));
  }

  Expr mutate_node(const LoadNode& node, const Expr&) override {
    Expr offset = flat_offset(node.buffer, node.indices);
    Expr predicate = node.predicate.defined() ? mutate(node.predicate) : Expr();
    return Expr(new LoadNode(node.dtype, buffers_.at(node.buffer), {offset}, predicate));
  }

  // A C function gets one address and knows of no layouts.
  Expr mutate_node(const CallNode& node, const Expr& self) override {
    for (const Expr& arg : node.args) {
      const auto* place = arg.as<LoadNode>();
      if (node.intrinsic != Intrinsic::kCallExtern || !place || !place->buffer->layout) continue;
      fail(
          "lower.extern_layout",
          "buffer '{}' is given to an extern function, so its elements must lie row by row, but it "
          "has a layout of its own; copy it by cache_read or cache_write first",
          place->buffer->name);
    }
    return mutate_children(node, self);
  }

  Stmt mutate_node(const StoreNode& node, const Stmt&) override {
    Expr offset = flat_offset(node.buffer, node.indices);
    Expr predicate = node.predicate.defined() ? mutate(node.predicate) : Expr();
    return Stmt(new StoreNode(buffers_.at(node.buffer), {offset}, mutate(node.value), predicate));
  }

 private:
  Expr flat_offset(const Buffer& buffer, const std::vector<Expr>& logical) {
    auto it = placements_.find(buffer);
    internal_check(it != placements_.end(), "buffer '{}' is used outside of its allocation",
                   buffer->name);
    const Placement& placement = it->second;
    std::vector<Expr> indices;
    for (const Expr& index : logical) indices.push_back(cast(kInt64, mutate(index)));
    indices = folded_indices(*buffer, std::move(indices));
    if (buffer->layout && !buffer->layout->vars.empty()) {
      VarMap map;
      for (size_t d = 0; d < indices.size(); ++d) {
        map[buffer->layout->vars[d]] = analyzer_.simplify(indices[d]);
      }
      std::vector<Expr> physical;
      for (const Expr& p : buffer->layout->physical) {
        physical.push_back(analyzer_.simplify(substitute(p, map)));
      }
      indices = std::move(physical);
    }
    Expr offset = placement.offset;
    for (size_t d = 0; d < indices.size(); ++d) offset = offset + indices[d] * placement.strides[d];
    return analyzer_.simplify(offset);
  }

  std::unordered_map<Buffer, Placement, RefHash, RefEqual> placements_;
  BufferMap buffers_;
};

}  // namespace

PrimFunc flatten_buffers(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, FlattenBuffers(func).mutate(func->body));
}

}  // namespace tilewright::lower
