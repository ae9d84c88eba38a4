#include <algorithm>
#include <set>

#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"
#include "tilewright/lower/prefetch_key.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

constexpr size_t kMaxAddresses = 4;

/// The offsets at which a buffer is read below a statement, each with the variables bound there at their first
/// value.
class CollectOffsets final : public Visitor {
 public:
  using Visitor::visit;
  explicit CollectOffsets(std::string name) : name_(std::move(name)) {}
  std::vector<std::pair<Buffer, Expr>> offsets;

 protected:
  using Visitor::visit_node;
  void visit_node(const ForNode& node) override {
    first_[node.var] = make_int(node.var.dtype(), 0);
    visit_children(node);
  }
  void visit_node(const LetStmtNode& node) override {
    first_[node.var] = substitute(node.value, first_);
    visit_children(node);
  }
  void visit_node(const LetNode& node) override {
    first_[node.var] = substitute(node.value, first_);
    visit_children(node);
  }
  void visit_node(const AllocNode& node) override {
    inside_.insert(node.buffer.get());
    visit_children(node);
  }
  void visit_node(const LoadNode& node) override {
    // A buffer of each iteration's own cannot be fetched ahead.
    if (node.buffer->name == name_ && inside_.count(node.buffer.get()) == 0 &&
        node.indices.size() == 1 && node.dtype.lanes == 1) {
      Expr offset = substitute(node.indices[0], first_);
      if (is_pure_index(offset)) offsets.emplace_back(node.buffer, offset);
    }
    visit_children(node);
  }

 private:
  std::string name_;
  VarMap first_;
  std::set<const BufferNode*> inside_;
};

/// before                       after
///   for i: @prefetch:A = 4       for i:
///     C[i] = A[i * 8]              prefetch A[min((i + 4) * 8, size - 1)]
///                                  C[i] = A[i * 8]
class InsertPrefetches final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit InsertPrefetches(const PrimFunc& func) : BoundMutator(func) {}

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    std::vector<std::pair<std::string, int64_t>> wanted;
    Attrs rest;
    for (const auto& [key, value] : node.annotations) {
      const auto* distance = std::get_if<int64_t>(&value);
      if (distance && key.compare(0, kPrefetchKey.size(), kPrefetchKey) == 0) {
        wanted.emplace_back(key.substr(kPrefetchKey.size()), *distance);
      } else {
        rest.emplace(key, value);
      }
    }
    Stmt inner = BoundMutator::mutate_node(node, self);
    if (wanted.empty()) return inner;
    std::vector<Stmt> stmts;
    for (const auto& [name, distance] : wanted) add_prefetches(node, name, distance, stmts);
    stmts.push_back(inner.as<ForNode>()->body);
    return Stmt(new ForNode(node.id, node.var, node.extent, node.for_kind, node.thread, rest,
                            seq(std::move(stmts))));
  }

 private:
  void add_prefetches(const ForNode& node, const std::string& name, int64_t distance,
                      std::vector<Stmt>& stmts) {
    CollectOffsets found(name);
    found.visit(node.body);
    std::vector<Expr> done;
    for (const auto& [buffer, offset] : found.offsets) {
      if (!uses_var(offset, node.var) || done.size() == kMaxAddresses) continue;
      Expr ahead =
          substitute(offset, {{node.var, node.var + make_int(node.var.dtype(), distance)}});
      Expr size = make_int(kInt64, 1);
      for (const Expr& extent : buffer->shape) size = size * cast(kInt64, extent);
      Expr zero = make_int(kInt64, 0);
      Expr place = analyzer_.simplify(max(zero, min(cast(kInt64, ahead), size - 1)));
      if (std::any_of(done.begin(), done.end(),
                      [&](const Expr& e) { return analyzer_.can_prove_equal(e, place); })) {
        continue;
      }
      done.push_back(place);
      Expr load(new LoadNode(buffer->dtype, buffer, {place}, Expr()));
      stmts.push_back(
          evaluate(call(Intrinsic::kPrefetch, {load, make_int(kInt32, 0), make_int(kInt32, 3)})));
    }
  }
};

}  // namespace

PrimFunc insert_prefetches(const PrimFunc& func, const Target&, const LowerOptions&) {
  bool any = false;
  walk_stmts(func->body, [&](const Stmt& stmt) {
    const auto* loop = stmt.as<ForNode>();
    if (!loop) return;
    for (const auto& [key, value] : loop->annotations) {
      any |= key.compare(0, kPrefetchKey.size(), kPrefetchKey) == 0;
    }
  });
  return any ? with_body(func, InsertPrefetches(func).mutate(func->body)) : func;
}

}  // namespace tilewright::lower
