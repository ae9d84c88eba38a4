#include "tuner/space/sketches/nest_view.h"

#include <algorithm>

#include "schedule/tree.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::tuner::sketches {
namespace {

using namespace ir;  // NOLINT
using schedule::Tree;

// The coefficient of the variable in an index that is linear in it.
std::optional<int64_t> coefficient(const Expr& index, const Var& var) {
  if (!uses_var(index, var)) return 0;
  int64_t found = 0;
  for (const auto& [term, factor] : arith::Analyzer().linear_form(index).terms) {
    if (term.same_as(var)) {
      found = factor;
    } else if (uses_var(term, var)) {
      return std::nullopt;
    }
  }
  return found;
}

// Loads and arithmetic of a block's values; what computes an index counts as nothing.
class ReadBody final : public Visitor {
 public:
  explicit ReadBody(NestView& view) : view_(view) {}
  using Visitor::visit;

 protected:
  using Visitor::visit_node;
  void visit_node(const LoadNode& node) override {
    view_.loads.push_back({node.buffer, node.indices});
    // Indices that are read themselves are loads, too.
    const int64_t before = view_.operations;
    visit_children(node);
    view_.operations = before;
  }
  void visit_node(const StoreNode& node) override {
    view_.stores.push_back({node.buffer, node.indices});
    visit(node.value);
  }
  void visit_node(const UpdateNode& node) override {
    for (const Buffer& buffer : node.buffers) view_.stores.push_back({buffer, node.indices});
    for (const Expr& value : node.values) visit(value);
  }
  void visit_node(const BinaryNode& node) override {
    ++view_.operations;
    visit_children(node);
  }
  void visit_node(const CallNode& node) override {
    constexpr int64_t kCall = 10;  // a maths function is a polynomial
    view_.operations += kCall;
    visit_children(node);
  }
  void visit_node(const IfThenElseNode& node) override {
    view_.has_condition = true;
    visit_children(node);
  }

 private:
  NestView& view_;
};

// The axis that the loop by itself is. A loop of one iteration may be any axis that stands still.
std::optional<size_t> axis_of_loop(const BlockRealizeNode& realize, const ForNode& loop,
                                   const std::vector<bool>& taken) {
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i]) continue;
    const Expr& value = realize.iter_values[i];
    if (value.same_as(loop.var)) return i;
    const bool stands_still = is_const_int(realize.block->iter_vars[i].dom.extent, 1);
    if (is_const_int(loop.extent, 1) && stands_still && is_const_int(value, 0)) return i;
  }
  return std::nullopt;
}

NestView view_of(const Tree& tree, const BlockRealizeNode& realize) {
  const BlockNode& block = *realize.block;
  NestView view;
  view.block = {block.id};
  view.name = block.name;
  view.reducer = block.reducer;
  ReadBody(view).visit(block.body);
  if (block.where) {
    view.has_condition = true;
    walk_exprs(block.where, [&](const Expr& e) {
      if (const auto* load = e.as<LoadNode>()) view.loads.push_back({load->buffer, load->indices});
    });
  }
  const std::vector<const ForNode*> loops = tree.loops_around(block.id);
  view.is_plain = block.block_kind == BlockKind::kCompute && !loops.empty() &&
                  realize.guard.empty() && tree.blocks_under(loops[0]->id).size() == 1;
  std::vector<bool> taken(block.iter_vars.size(), false);
  for (size_t i = 0; i < loops.size() && view.is_plain; ++i) {
    const std::optional<size_t> at = axis_of_loop(realize, *loops[i], taken);
    // rfactor leaves loops of one iteration behind that no axis follows.
    if (!at && is_const_int(loops[i]->extent, 1)) continue;
    view.is_plain = at && loops[i]->for_kind == ForKind::kSerial;
    if (!view.is_plain) break;
    taken[*at] = true;
    const IterVar& iter = block.iter_vars[*at];
    view.is_plain = iter.kind == IterKind::kSpatial || iter.kind == IterKind::kReduce;
    const int64_t* extent = as_const_int(loops[i]->extent);
    view.axes.push_back(
        {{loops[i]->id}, iter.var, iter.kind == IterKind::kReduce, extent ? *extent : kSymbolic});
  }
  view.is_plain &= std::all_of(taken.begin(), taken.end(), [](bool is) { return is; });
  return view;
}

std::vector<const Axis*> axes_of(const NestView& nest, bool reduce) {
  std::vector<const Axis*> result;
  for (const Axis& axis : nest.axes) {
    if (axis.reduce == reduce) result.push_back(&axis);
  }
  return result;
}

}  // namespace

Stride stride_along(const Access& access, const Var& var) {
  Stride result = Stride::kNone;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    const std::optional<int64_t> factor = coefficient(access.indices[d], var);
    if (factor == 0) continue;
    const bool last = d + 1 == access.indices.size();
    if (!last || factor != 1) return Stride::kOther;
    result = Stride::kContiguous;
  }
  return result;
}

std::optional<size_t> dimension_of(const Access& access, const Var& var) {
  std::optional<size_t> found;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    if (!uses_var(access.indices[d], var)) continue;
    if (found || !access.indices[d].same_as(var)) return std::nullopt;
    found = d;
  }
  return found;
}

std::vector<const Axis*> NestView::spatial() const { return axes_of(*this, false); }
std::vector<const Axis*> NestView::reduce() const { return axes_of(*this, true); }

std::vector<NestView> view_nests(const PrimFunc& func) {
  const Tree tree(func);
  std::vector<NestView> nests;
  for (const BlockRealizeNode* realize : tree.blocks_under(-1)) {
    nests.push_back(view_of(tree, *realize));
  }
  return nests;
}

NestView view_nest(schedule::Schedule& sch, schedule::BlockRef block) {
  const Tree tree(sch.func());
  NestView view = view_of(tree, *tree.block(block.id));
  sch.get_loops(sch.get_block(view.name));
  return view;
}

std::vector<NestView> readers_of(const std::vector<NestView>& nests, const NestView& nest) {
  std::vector<NestView> result;
  for (const NestView& other : nests) {
    if (other.block == nest.block) continue;
    const bool reads = std::any_of(other.loads.begin(), other.loads.end(), [&](const Access& load) {
      return std::any_of(nest.stores.begin(), nest.stores.end(),
                         [&](const Access& store) { return load.buffer.same_as(store.buffer); });
    });
    if (reads) result.push_back(other);
  }
  return result;
}

}  // namespace tilewright::tuner::sketches
