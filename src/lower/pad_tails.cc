#include <algorithm>
#include <map>

#include "lower/padded_writers.h"
#include "lower/tails.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/tail_check.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// One access to a buffer inside a block and the conditions under which it happens.
struct Access {
  Buffer buffer;
  std::vector<Expr> indices;
  std::vector<Expr> conditions;
  bool written = false;
};

class CollectAccesses final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<Access> accesses;

  void collect(const BlockNode& block) {
    if (block.init) visit(block.init);
    if (block.where.defined()) {
      visit(block.where);
      conditions_.push_back(block.where);
    }
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
    accesses.push_back({node.buffer, node.indices, conditions_, true});
    visit_children(node);
  }
  void visit_node(const UpdateNode& node) override {
    for (const Buffer& b : node.buffers) accesses.push_back({b, node.indices, conditions_, true});
    visit_children(node);
  }

 private:
  std::vector<Expr> conditions_;
};

class PadTails final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  PadTails(const PrimFunc& func, TailState& state)
      : BoundMutator(func), state_(state), func_(func) {
    arith::bind_function_facts(sizes_, func);
  }

  Stmt run(const Stmt& body) {
    func_body_ = body;
    writers_.emplace(func_, body);
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
      if (!is_one_point(
              *node.block)) {  // a nest or an instruction: what it accesses is not looked into
        guard.push_back({conjunct.cond, conjunct.loop, Tail::kGuard});
        continue;
      }
      // Only where the condition fails from some iteration on is the first one's that of the whole tile.
      const auto slack = slack_of(analyzer_, conjunct.cond);
      const auto step = slack ? coefficient_of(*slack, loop->var) : std::nullopt;
      if (!step || *step >= 0) {
        guard.push_back({conjunct.cond, conjunct.loop, Tail::kGuard});
        continue;
      }
      Expr whole_tile = analyzer_.simplify(
          substitute(conjunct.cond, {{loop->var, make_int(loop->var.dtype(), 0)}}));
      // A loop of one iteration has no surplus of its own: the condition stays as it is.
      if (!is_const_int(loop->extent, 1)) {
        require_surplus_outside(node, *loop, conjunct.cond);
        require_surplus_writes_outside(node, *loop, conjunct.cond);
        if (feeds_reduction(node, *loop) && !has_fault(Fault::pad_of_any_terms)) {
          require_neutral_terms(node, *loop);
        }
        // The tile's condition still holds, so that only the last tile that has a point needs room.
        arith::Analyzer saved(analyzer_);
        analyzer_.assume(whole_tile);
        whole_tile_ = whole_tile;
        make_room(node, *loop);
        analyzer_ = std::move(saved);
      }
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

  /// Where the condition fails, the point lies behind its axis: a tile cut again by a factor that does not divide it
  /// would reach into the next tile, not beyond the end.
  void require_surplus_outside(const BlockRealizeNode& realize, const ForNode& loop,
                               const Expr& cond) const {
    arith::Analyzer facts(analyzer_);
    facts.assume(!cond);
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      if (!uses_var(realize.iter_values[i], loop.var)) continue;
      const Range& dom = realize.block->iter_vars[i].dom;
      if (facts.can_prove(realize.iter_values[i] >= dom.min + dom.extent)) return;
    }
    fail("lower.pad",
         "loop {} can't be padded: its surplus iterations are not proved to lie beyond the end of "
         "an "
         "axis of block '{}'; use tail guard or peel",
         describe_loop(loop), realize.block->name);
  }

  static VarMap axis_values(const BlockRealizeNode& realize) {
    VarMap values;
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      values[realize.block->iter_vars[i].var] = realize.iter_values[i];
    }
    return values;
  }

  /// What surplus iterations write must lie behind the buffer's end, where nobody looks: an element that is in use, or
  /// the place of one that a rolling buffer keeps, would be lost. Terms of a reduction are looked at by themselves.
  void require_surplus_writes_outside(const BlockRealizeNode& realize, const ForNode& loop,
                                      const Expr& cond) const {
    const VarMap values = axis_values(realize);
    CollectAccesses found;
    found.collect(*realize.block);
    arith::Analyzer facts(analyzer_);
    facts.assume(!cond);
    const bool reduces = feeds_reduction(realize, loop);
    for (const Access& access : found.accesses) {
      if (!access.written) continue;
      bool outside = false, used = false;
      for (size_t d = 0; d < access.indices.size(); ++d) {
        const Expr index = substitute(access.indices[d], values);
        if (!uses_var(index, loop.var)) continue;
        used = true;
        const auto& layout = access.buffer->layout;
        const bool folded = layout && d < layout->fold_moduli.size() && layout->fold_moduli[d] > 0;
        outside |= !folded && facts.can_prove(index >= access.buffer->shape[d]);
      }
      if (outside || (reduces && !used)) continue;
      fail("lower.pad",
           "loop {} can't be padded: its surplus iterations are not proved to write '{}' beyond "
           "its end; use tail guard or peel",
           describe_loop(loop), access.buffer->name);
    }
  }

  static bool feeds_reduction(const BlockRealizeNode& realize, const ForNode& loop) {
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      if (realize.block->iter_vars[i].kind == IterKind::kReduce &&
          uses_var(realize.iter_values[i], loop.var)) {
        return true;
      }
    }
    return false;
  }

  /// The terms of the surplus iterations of a reduction must leave the accumulator as it is: with the loads of
  /// packed operands replaced by what their surplus elements hold, each value is the reducer's identity.
  void require_neutral_terms(const BlockRealizeNode& realize, const ForNode& loop) const {
    const BlockNode& block = *realize.block;
    const auto* update = block.body.as<UpdateNode>();
    bool neutral = update != nullptr && identity_is_neutral(*block.reducer);
    for (size_t i = 0; neutral && i < realize.iter_values.size(); ++i) {
      if (block.iter_vars[i].kind != IterKind::kReduce) continue;
      if (!uses_var(realize.iter_values[i], loop.var)) continue;
      FillSurplus fill(*this, block.iter_vars[i]);
      for (size_t j = 0; j < update->values.size(); ++j) {
        Expr term = analyzer_.simplify(fill.mutate(update->values[j]));
        neutral = neutral && structural_equal(term, block.reducer->identity[j]);
      }
    }
    if (neutral) return;
    fail(
        "lower.pad",
        "loop {} can't be padded: it is not proved that the surplus terms of reduction '{}' leave "
        "its result as it is; read the operands through packed copies padded in that dimension, or "
        "use tail guard or peel",
        describe_loop(loop), block.name);
  }

  /// Replaces the loads at `axis` from packed buffers by what these hold beyond the axis' end.
  class FillSurplus final : public Mutator {
   public:
    using Mutator::mutate;
    using Mutator::mutate_node;
    FillSurplus(const PadTails& pass, const IterVar& axis) : pass_(pass), axis_(axis) {}

   protected:
    Expr mutate_node(const LoadNode& node, const Expr& self) override {
      for (size_t d = 0; d < node.indices.size(); ++d) {
        if (!node.indices[d].same_as(axis_.var)) continue;
        Expr value = pass_.surplus_value(node.buffer, d, axis_.dom.min + axis_.dom.extent);
        if (value.defined()) return value;
      }
      return self;
    }

   private:
    const PadTails& pass_;
    const IterVar& axis_;
  };

  /// What the elements of `buffer` hold whose index in dimension `d` is at least `end`; null when its only writer
  /// is not known to fill them all with one constant.
  Expr surplus_value(const Buffer& buffer, size_t d, const Expr& end) const {
    Expr value;
    for (const BlockRealizeNode* writer : realizes_below(func_body_)) {
      for (const Region& region : writer->block->writes) {
        if (!region.buffer.same_as(buffer)) continue;
        if (value.defined()) return {};  // several writers
        value = fill_of(*writer->block, d, end);
        if (!value.defined()) return {};
      }
    }
    return value;
  }

  Expr fill_of(const BlockNode& writer, size_t d, const Expr& end) const {
    const auto* store = writer.body.as<StoreNode>();
    const auto* choice = store ? store->value.as<IfThenElseNode>() : nullptr;
    if (!choice || writer.reducer) return {};
    arith::Analyzer facts(analyzer_);
    facts.assume(store->indices[d] >= end);
    return proved_false(facts, choice->condition) ? choice->false_value : Expr();
  }

  static bool proved_false(const arith::Analyzer& facts, const Expr& condition) {
    const auto* both = condition.as<BinaryNode>();
    if (both && both->op == BinaryOp::kAnd) {
      return proved_false(facts, both->a) || proved_false(facts, both->b);
    }
    return facts.can_prove(!condition);
  }

  /// Every buffer dimension that the loop indexes gets room for its surplus iterations.
  void make_room(const BlockRealizeNode& realize, const ForNode& loop) {
    const BlockNode& block = *realize.block;
    const VarMap values = axis_values(realize);
    CollectAccesses found;
    found.collect(block);
    for (const Access& access : found.accesses) {
      if (!writes(block, access.buffer) && !PaddedWriters::run_with(loop, access.buffer)) {
        refuse_reading(block, loop, *access.buffer);
      }
      for (size_t d = 0; d < access.indices.size(); ++d) {
        Expr index = analyzer_.simplify(substitute(access.indices[d], values));
        if (!uses_var(index, loop.var)) continue;
        // What a scan has made before, by this block alone, it has made with the surplus; others may have not.
        if (!access.written && writes(block, access.buffer) && !writers_->is_sole(access.buffer)) {
          refuse_reading(block, loop, *access.buffer);
        }
        // An index that runs backwards leaves the buffer in front, where there is no room to make.
        if (!proved(access, index >= make_int(index.dtype(), 0), values)) {
          refuse_reading(block, loop, *access.buffer);
        }
        if (in_bounds(access, index, d, values) &&
            (writes(block, access.buffer) || is_made(access, index, d, values))) {
          continue;
        }
        if (!writes(block, access.buffer)) refuse_reading(block, loop, *access.buffer);
        // The init of a decomposed reduction comes first and has made room, if it is padded as well.
        if (block.reducer && !block.init) refuse_reading(block, loop, *access.buffer);
        grow(block, loop, access.buffer, d, index);
      }
    }
  }

  [[noreturn]] void refuse_reading(const BlockNode& block, const ForNode& loop,
                                   const BufferNode& buffer) const {
    fail("lower.pad",
         "loop {} can't be padded: block '{}' would read '{}' beyond its end, where nothing is "
         "stored; read it through a packed copy padded in that dimension, or use tail guard",
         describe_loop(loop), block.name, buffer.name);
  }

  /// Within the buffer as it is or, by the padded blocks before, has become.
  bool in_bounds(const Access& access, const Expr& index, size_t d, const VarMap& values) const {
    const auto grown = extents_.find(access.buffer.get());
    const Expr extent = (grown == extents_.end() ? access.buffer->shape : grown->second)[d];
    return proved(access, index < extent, values) || in_last_tile(*access.buffer, extent, index, d);
  }

  /// Room in an intermediate buffer is not enough for a read: its writers must come that far.
  bool is_made(const Access& access, const Expr& index, size_t d, const VarMap& values) {
    const bool ours = std::any_of(state_.allocs.begin(), state_.allocs.end(),
                                  [&](const Buffer& b) { return b.get() == access.buffer.get(); });
    if (!ours) return true;
    const std::optional<Region> made = writers_->made(access.buffer, loops_, analyzer_);
    if (!made) return false;
    const Expr begin = made->ranges[d].min;
    std::vector<Expr> ends = {begin + made->ranges[d].extent};
    if (const Expr limit = writers_->guarded_end(access.buffer, d); limit.defined())
      ends.push_back(limit);
    return proved(access, index >= begin, values) &&
           std::all_of(ends.begin(), ends.end(), [&](const Expr& end) {
             return proved(access, end >= access.buffer->shape[d], values) ||
                    proved(access, index < end, values);
           });
  }

  /// Proved by the loops alone, or by the conditions that the access is made under.
  bool proved(const Access& access, const Expr& condition, const VarMap& values) const {
    if (analyzer_.can_prove(condition)) return true;
    if (access.conditions.empty()) return false;
    arith::Analyzer facts(analyzer_);
    for (const Expr& c : access.conditions) facts.assume(substitute(c, values));
    return facts.can_prove(condition);
  }

  /// Where the extent is a multiple of the buffer's padding, an index lies inside when its tile begins inside.
  bool in_last_tile(const BufferNode& buffer, const Expr& extent, const Expr& index,
                    size_t d) const {
    for (const Pad& pad : buffer.pad) {
      if (static_cast<size_t>(pad.dim) != d) continue;
      const Expr tile = make_int(index.dtype(), pad.multiple);
      const Expr begin = analyzer_.simplify(floor_div(index, tile) * tile);
      if (analyzer_.can_prove(floor_mod(extent, tile) == make_int(index.dtype(), 0)) &&
          begins_inside(begin, extent)) {
        return true;
      }
    }
    return false;
  }

  /// begin < extent, from the tile's condition: what that leaves (its slack, at least 1) is no more than what is
  /// left of the extent.
  bool begins_inside(const Expr& begin, const Expr& extent) const {
    if (analyzer_.can_prove(begin < extent)) return true;
    const auto slack = slack_of(analyzer_, whole_tile_);
    if (!slack) return false;
    const Expr more = extent - begin - arith::from_linear_form(*slack);
    return analyzer_.can_prove(more >= make_int(begin.dtype(), 0));
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
    // The buffer stands for the whole function: what holds at this loop alone must not shorten it.
    auto it = extents_.emplace(buffer.get(), buffer->shape).first;
    it->second[d] = sizes_.simplify(max(it->second[d], last + 1));
  }

  TailState& state_;
  const PrimFunc& func_;
  arith::Analyzer sizes_;  // of the function alone, loops not bound
  Stmt func_body_;
  std::optional<PaddedWriters> writers_;
  Expr whole_tile_;  // holds where room is made
  std::vector<const ForNode*> loops_;
  std::map<const BufferNode*, std::vector<Expr>> extents_;
};

}  // namespace

Stmt pad_tails(const PrimFunc& func, const Stmt& body, TailState& state) {
  return PadTails(func, state).run(body);
}

}  // namespace tilewright::lower
