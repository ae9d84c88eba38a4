#include <algorithm>
#include <map>

#include "lower/tails.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// One access to a buffer inside a block and the conditions under which it happens.
struct Access {
  Buffer buffer;
  std::vector<Expr> indices;
  std::vector<Expr> conditions;
};

class CollectAccesses final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<Access> accesses;

  void collect(const BlockNode& block) {
    if (block.init) visit(block.init);
    if (block.where.defined()) conditions_.push_back(block.where);
    visit(block.body);
  }

 protected:
  using Visitor::visit_node;
  void visit_node(const IfThenElseNode& node) override {
    visit(node.condition);
    conditions_.push_back(node.condition);
    visit(node.true_value);
    conditions_.back() = !node.condition;
    visit(node.false_value);
    conditions_.pop_back();
  }
  void visit_node(const LoadNode& node) override {
    accesses.push_back({node.buffer, node.indices, conditions_});
    visit_children(node);
  }
  void visit_node(const StoreNode& node) override {
    accesses.push_back({node.buffer, node.indices, conditions_});
    visit_children(node);
  }
  void visit_node(const UpdateNode& node) override {
    for (const Buffer& b : node.buffers) accesses.push_back({b, node.indices, conditions_});
    visit_children(node);
  }

 private:
  std::vector<Expr> conditions_;
};

class PadTails final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  PadTails(const PrimFunc& func, TailState& state) : BoundMutator(func), state_(state) {}

  Stmt run(const Stmt& body) {
    Stmt relaxed = mutate(body);
    BufferMap grown;
    for (Buffer& buffer : state_.allocs) {
      auto it = extents_.find(buffer.get());
      if (it == extents_.end()) continue;
      Buffer larger(new BufferNode(buffer->name, buffer->dtype, it->second, buffer->scope,
                                   buffer->layout, buffer->pad, buffer->align, buffer->alloc_at));
      grown[buffer] = larger;
      buffer = larger;
    }
    return replace_buffers(relaxed, grown);
  }

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    loops_.push_back(&node);
    Stmt result = BoundMutator::mutate_node(node, self);
    loops_.pop_back();
    return result;
  }

  Stmt mutate_node(const BlockRealizeNode& node, const Stmt& self) override {
    std::vector<Conjunct> guard;
    bool changed = false;
    for (const Conjunct& conjunct : node.guard) {
      const ForNode* loop = conjunct.tail == Tail::kPad ? find_loop(conjunct.loop) : nullptr;
      if (!loop) {
        guard.push_back(conjunct);
        continue;
      }
      changed = true;
      Expr whole_tile = analyzer_.simplify(
          substitute(conjunct.cond, {{loop->var, make_int(loop->var.dtype(), 0)}}));
      make_room(node, *loop);
      if (!is_true(whole_tile)) guard.push_back({whole_tile, conjunct.loop, Tail::kGuard});
    }
    if (!changed) return self;
    return Stmt(new BlockRealizeNode(node.iter_values, std::move(guard), node.block));
  }

 private:
  const ForNode* find_loop(int64_t id) const {
    for (const ForNode* loop : loops_) {
      if (loop->id == id) return loop;
    }
    return nullptr;
  }

  /// Every buffer dimension that the loop indexes gets room for its surplus iterations.
  void make_room(const BlockRealizeNode& realize, const ForNode& loop) {
    const BlockNode& block = *realize.block;
    VarMap values;
    for (size_t i = 0; i < block.iter_vars.size(); ++i) {
      values[block.iter_vars[i].var] = realize.iter_values[i];
    }
    CollectAccesses found;
    found.collect(block);
    for (const Access& access : found.accesses) {
      for (size_t d = 0; d < access.indices.size(); ++d) {
        Expr index = analyzer_.simplify(substitute(access.indices[d], values));
        if (!uses_var(index, loop.var) || in_bounds(access, index, d, values)) continue;
        grow(block, loop, access.buffer, d, index);
      }
    }
  }

  bool in_bounds(const Access& access, const Expr& index, size_t d, const VarMap& values) const {
    const Expr fits = index < access.buffer->shape[d];
    if (analyzer_.can_prove(fits)) return true;
    if (access.conditions.empty()) return false;
    arith::Analyzer facts(analyzer_);
    for (const Expr& c : access.conditions) facts.assume(substitute(c, values));
    return facts.can_prove(fits);
  }

  void grow(const BlockNode& block, const ForNode& loop, const Buffer& buffer, size_t d,
            const Expr& index) {
    const bool ours = std::any_of(state_.allocs.begin(), state_.allocs.end(),
                                  [&](const Buffer& b) { return b.get() == buffer.get(); });
    if (!ours) {
      fail("lower.pad",
           "loop {} can't be padded: block '{}' accesses argument '{}' with it, which has no room "
           "for surplus elements; read it through a packed copy or use tail guard",
           describe_loop(loop), block.name, buffer->name);
    }
    std::vector<Var> vars;
    for (const ForNode* l : loops_) vars.push_back(l->var);
    Expr last = analyzer_.bounds_over(index, vars).max;
    if (!last.defined()) {
      fail("lower.pad",
           "loop {} can't be padded: the range of index '{}' into '{}' in block '{}' is not known; "
           "use tail guard",
           describe_loop(loop), to_pretty(index), buffer->name, block.name);
    }
    auto it = extents_.emplace(buffer.get(), buffer->shape).first;
    it->second[d] = analyzer_.simplify(max(it->second[d], last + 1));
  }

  TailState& state_;
  std::vector<const ForNode*> loops_;
  std::map<const BufferNode*, std::vector<Expr>> extents_;
};

}  // namespace

Stmt pad_tails(const PrimFunc& func, const Stmt& body, TailState& state) {
  return PadTails(func, state).run(body);
}

}  // namespace tilewright::lower
