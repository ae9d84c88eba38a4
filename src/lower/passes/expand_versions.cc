#include <unordered_map>

#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// before                                  after
///   for i:                                  alloc B[2, n]
///     alloc B[n] versions(2)                for i:
///     B[j] = ...                              B[i % 2, j] = ...
///
/// Where the iterations do not run one after the other, or the layout has strides of its own, each iteration keeps its
/// one buffer, which means the same.
class ExpandVersions final : public Mutator {
 public:
  using Mutator::mutate;

 protected:
  using Mutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    std::vector<const AllocNode*> allocs;
    Stmt body = node.body;
    while (const auto* alloc = body.as<AllocNode>()) {
      allocs.push_back(alloc);
      body = alloc->body;
    }
    const bool in_order = node.for_kind == ForKind::kSerial || node.for_kind == ForKind::kOrdered;
    std::vector<Buffer> outside, inside;
    for (const AllocNode* alloc : allocs) {
      if (!in_order || !has_versions(*alloc->buffer) || !expandable(*alloc->buffer)) {
        inside.push_back(alloc->buffer);
        continue;
      }
      Buffer wide = widened(*alloc->buffer);
      Expr count = make_int(kInt64, alloc->buffer->layout->versions);
      versions_[alloc->buffer] = {wide, floor_mod(cast(kInt64, node.var), count)};
      outside.push_back(wide);
    }
    if (outside.empty()) return mutate_children(node, self);
    for (Buffer& buffer : inside) buffer = plain(buffer);  // before the body, which uses them
    body = mutate(body);
    for (auto it = inside.rbegin(); it != inside.rend(); ++it)
      body = Stmt(new AllocNode(*it, body));
    Stmt result = with_body(&node, body);
    for (const Buffer& buffer : outside) result = Stmt(new AllocNode(buffer, result));
    return result;
  }

  Stmt mutate_node(const AllocNode& node, const Stmt&) override {
    Buffer buffer = plain(node.buffer);
    return Stmt(new AllocNode(buffer, mutate(node.body)));
  }

  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    Expr result = mutate_children(node, self);
    const auto& access = *result.as<LoadNode>();
    auto [buffer, indices] = redirected(node.buffer, access.indices);
    if (!buffer) return result;
    return Expr(new LoadNode(access.dtype, buffer, indices, access.predicate));
  }

  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    Stmt result = mutate_children(node, self);
    const auto& access = *result.as<StoreNode>();
    auto [buffer, indices] = redirected(node.buffer, access.indices);
    if (!buffer) return result;
    return Stmt(new StoreNode(buffer, indices, access.value, access.predicate));
  }

 private:
  struct Versioned {
    Buffer buffer;
    Expr number;  // null: the buffer has one version
  };

  static bool has_versions(const BufferNode& buffer) {
    return buffer.layout && buffer.layout->versions > 1;
  }
  static bool expandable(const BufferNode& buffer) {
    return buffer.layout->strides.empty() && !buffer.layout->elem_offset.defined();
  }

  static Buffer with_layout(const BufferNode& b, std::vector<Expr> shape, Layout layout) {
    std::vector<Pad> pads = b.pad;
    for (Pad& pad : pads) pad.dim += static_cast<int64_t>(shape.size() - b.shape.size());
    return Buffer(new BufferNode(b.name, b.dtype, std::move(shape), b.scope, std::move(layout),
                                 std::move(pads), b.align, b.alloc_at));
  }

  // One more dimension, outside of all others.
  static Buffer widened(const BufferNode& b) {
    const LayoutNode& old = *b.layout;
    std::vector<Expr> shape = b.shape, physical = old.physical;
    std::vector<Var> vars = old.vars;
    std::vector<int64_t> fold = old.fold_moduli;
    shape.insert(shape.begin(), make_int(kInt64, old.versions));
    if (!vars.empty()) {
      vars.insert(vars.begin(), Var("version", kInt64));
      physical.insert(physical.begin(), vars[0]);
    }
    if (!fold.empty()) fold.insert(fold.begin(), 0);
    return with_layout(b, std::move(shape),
                       Layout(new LayoutNode(vars, physical, {}, {}, fold, 1, old.swizzle)));
  }

  // The buffer with one version.
  Buffer plain(const Buffer& b) {
    if (!has_versions(*b)) return b;
    const LayoutNode& old = *b->layout;
    Buffer single =
        with_layout(*b, b->shape,
                    Layout(new LayoutNode(old.vars, old.physical, old.strides, old.elem_offset,
                                          old.fold_moduli, 1, old.swizzle)));
    versions_[b] = {single, Expr()};
    return single;
  }

  std::pair<Buffer, std::vector<Expr>> redirected(const Buffer& buffer,
                                                  std::vector<Expr> indices) const {
    auto it = versions_.find(buffer);
    if (it == versions_.end()) return {Buffer(), {}};
    if (it->second.number.defined()) indices.insert(indices.begin(), it->second.number);
    return {it->second.buffer, std::move(indices)};
  }

  std::unordered_map<Buffer, Versioned, RefHash, RefEqual> versions_;
};

}  // namespace

PrimFunc expand_versions(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, ExpandVersions().mutate(func->body));
}

}  // namespace tilewright::lower
