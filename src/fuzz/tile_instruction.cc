#include "fuzz/tile_instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "schedule/tree.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::fuzz {
namespace {

using namespace ir;

constexpr int64_t kMostPoints = 128;  // of a tile

struct NoTile {};  // thrown where the nest is none

class Tile {
 public:
  Tile(const PrimFunc& func, int64_t loop) : tree_(func), func_(func) {
    arith::bind_function_facts(facts_, func);
    read_loops(loop);
    read_axes();
  }

  schedule::TensorInstruction instruction(const std::string& name, Rng& rng) {
    const Block& block = realize_->block;
    Rewriter rewriter(*this);
    const Stmt body = rewriter.mutate(block->body);
    const bool adds = block->reducer.defined() && !block->init;
    const Stmt init = block->init ? rewriter.mutate(block->init) : adds ? first_values() : Stmt();
    require_apart();
    std::vector<ForKind> kinds(loops_.size(), ForKind::kSerial);
    const PrimFunc reference =
        make(name + "_reference", ParamRole::kOutput, init, body, kinds, in_order());
    std::vector<size_t> order = in_order();
    const bool any_order = !block->reducer || spatial_only();
    if (any_order && rng.below(3) == 0) std::reverse(order.begin(), order.end());
    if (!order.empty()) {
      const size_t last = order.back();
      const uint64_t draw = rng.below(3);
      if (draw == 0) kinds[last] = ForKind::kUnrolled;
      if (draw == 1 && kinds_[last] == IterKind::kSpatial) kinds[last] = ForKind::kVectorized;
    }
    const ParamRole role = adds ? ParamRole::kInout : ParamRole::kOutput;
    return {name, reference, make(name + "_code", role, adds ? Stmt() : init, body, kinds, order)};
  }

 private:
  struct Place {  // elements of a buffer that one access of the nest names
    Buffer buffer;
    std::vector<Expr> indices;
    Buffer part;
    std::vector<Expr> part_indices;
    bool written = false;
  };

  // The nest's statements over the parts of the buffers.
  class Rewriter final : public Mutator {
   public:
    using Mutator::mutate;
    using Mutator::mutate_node;
    explicit Rewriter(Tile& tile) : tile_(tile) {}

   protected:
    Expr mutate_node(const VarNode& node, const Expr& self) override {
      static_cast<void>(node);
      return tile_.inside(self);
    }
    Expr mutate_node(const LoadNode& node, const Expr&) override {
      const Place& place = tile_.place(node.buffer, node.indices, false);
      return ir::load(place.part, place.part_indices);
    }
    Stmt mutate_node(const StoreNode& node, const Stmt&) override {
      const Expr value = mutate(node.value);
      const Place& place = tile_.place(node.buffer, node.indices, true);
      return ir::store(place.part, place.part_indices, value);
    }
    Stmt mutate_node(const UpdateNode& node, const Stmt&) override {
      std::vector<Expr> values;
      for (const Expr& value : node.values) values.push_back(mutate(value));
      std::vector<Buffer> parts;
      std::vector<Expr> indices;
      for (const Buffer& buffer : node.buffers) {
        const Place& place = tile_.place(buffer, node.indices, true);
        parts.push_back(place.part);
        indices = place.part_indices;
      }
      return Stmt(new UpdateNode(node.reducer, parts, indices, values));
    }

   private:
    Tile& tile_;
  };

  void read_loops(int64_t top) {
    const auto blocks = tree_.blocks_under(top);
    if (blocks.size() != 1) throw NoTile();
    realize_ = blocks[0];
    const Block& block = realize_->block;
    if (block->block_kind != BlockKind::kCompute || block->where.defined()) throw NoTile();
    bool within = false;
    int64_t points = 1;
    for (const ForNode* loop : tree_.loops_around(block->id)) {
      facts_.bind_extent(loop->var, loop->extent);
      within = within || loop->id == top;
      if (!within) continue;
      const int64_t* extent = as_const_int(loop->extent);
      if (!extent || *extent < 1 || (points *= *extent) > kMostPoints) throw NoTile();
      variables_.insert(loop->var);
      if (*extent == 1) {
        zero_[loop->var] = make_int(loop->var.dtype(), 0);
      } else {
        loops_.push_back(loop);
        extents_.push_back(*extent);
      }
    }
    for (const Conjunct& conjunct : realize_->guard) {
      if (uses_any_var(conjunct.cond, variables_)) throw NoTile();
    }
  }

  void read_axes() {
    const Block& block = realize_->block;
    for (size_t i = 0; i < block->iter_vars.size(); ++i) {
      values_[block->iter_vars[i].var] =
          facts_.simplify(substitute(realize_->iter_values[i], zero_));
    }
    for (size_t l = 0; l < loops_.size(); ++l) {
      std::optional<IterKind> kind;
      for (const IterVar& iter : block->iter_vars) {
        if (!uses_var(values_.at(iter.var), loops_[l]->var)) continue;
        if (iter.kind == IterKind::kOrdered || (kind && *kind != iter.kind)) throw NoTile();
        kind = iter.kind;
      }
      if (!kind) throw NoTile();
      kinds_.push_back(*kind);
      axes_.emplace_back(new VarNode(kInt64, fmt::format("v{}", l)));
      to_axes_[loops_[l]->var] = axes_.back();
    }
  }

  // An expression of the block over the tile's axes alone.
  Expr inside(const Expr& e) const {
    const Expr value = facts_.simplify(substitute(e, values_));
    for (const Var& var : free_vars(value)) {
      if (!to_axes_.count(var)) throw NoTile();
    }
    return substitute(value, to_axes_);
  }

  const Place& place(const Buffer& buffer, const std::vector<Expr>& at, bool written) {
    std::vector<Expr> indices;
    for (const Expr& e : at) indices.push_back(facts_.simplify(substitute(e, values_)));
    for (Place& known : places_) {
      bool same = known.buffer.same_as(buffer);
      for (size_t d = 0; same && d < indices.size(); ++d) {
        same = structural_equal(known.indices[d], indices[d]);
      }
      if (same && known.written == written) return known;
    }
    Place fresh{buffer, indices, {}, {}, written};
    std::vector<Expr> shape;
    for (const Expr& index : indices) add_dimension(index, shape, fresh.part_indices);
    fresh.part = Buffer(new BufferNode(fmt::format("p{}", places_.size()), buffer->dtype, shape,
                                       Scope::kGlobal, {}, {}, 0, {AllocAt::Kind::kParam}));
    places_.push_back(std::move(fresh));
    return places_.back();
  }

  // A dimension in which the access moves within the tile.
  void add_dimension(const Expr& index, std::vector<Expr>& shape, std::vector<Expr>& at) const {
    const arith::LinearForm form = facts_.linear_form(index);
    int64_t length = 1, start = 0;
    std::optional<Expr> moving;
    for (const auto& [term, factor] : form.terms) {
      const auto axis = std::find_if(loops_.begin(), loops_.end(), [&, &term = term](auto* loop) {
        return term.get() == loop->var.get();
      });
      if (axis == loops_.end()) {
        bool loads = false;
        walk_exprs(term, [&](const Expr& e) { loads = loads || e->kind == NodeKind::kLoad; });
        if (loads || uses_any_var(term, variables_)) throw NoTile();
        continue;
      }
      const auto number = static_cast<size_t>(axis - loops_.begin());
      const int64_t reach = std::abs(factor) * (extents_[number] - 1);
      length += reach;
      if (factor < 0) start += reach;
      const Expr part = axes_[number] * make_int(kInt64, factor);
      moving = moving ? *moving + part : part;
    }
    if (!moving) return;
    shape.push_back(make_int(kInt64, length));
    at.push_back(facts_.simplify(*moving + make_int(kInt64, start)));
  }

  // What is read must not be written as well.
  void require_apart() const {
    for (const Place& a : places_) {
      for (const Place& b : places_) {
        if (a.written && &a != &b && a.buffer.same_as(b.buffer)) throw NoTile();
      }
    }
  }

  Stmt first_values() const {
    std::vector<Stmt> stores;
    for (const Place& place : places_) {
      if (!place.written) continue;
      const Expr& value = realize_->block->reducer->identity.at(stores.size());
      stores.push_back(ir::store(place.part, place.part_indices, value));
    }
    return stores.size() == 1 ? stores[0] : Stmt(new SeqNode(stores));
  }

  std::vector<size_t> in_order() const {
    std::vector<size_t> order(loops_.size());
    for (size_t l = 0; l < order.size(); ++l) order[l] = l;
    return order;
  }
  bool spatial_only() const {
    return std::all_of(kinds_.begin(), kinds_.end(),
                       [](IterKind kind) { return kind == IterKind::kSpatial; });
  }

  PrimFunc make(const std::string& name, ParamRole written, const Stmt& init, const Stmt& body,
                const std::vector<ForKind>& kinds, const std::vector<size_t>& order) const {
    std::vector<Param> params;
    for (const Place& place : places_) {
      params.push_back({place.part, {}, place.written ? written : ParamRole::kInput});
    }
    std::vector<IterVar> iters;
    std::vector<Var> vars;
    std::vector<Expr> values;
    for (size_t l = 0; l < loops_.size(); ++l) {
      vars.emplace_back(new VarNode(kInt64, fmt::format("l{}", l)));
      values.push_back(vars.back());
      iters.push_back({axes_[l], {make_int(kInt64, 0), make_int(kInt64, extents_[l])}, kinds_[l]});
    }
    auto next_id = static_cast<int64_t>(order.size());
    const Block block(new BlockNode(next_id, "tile", BlockKind::kCompute, iters, Expr(), {}, {},
                                    realize_->block->reducer, init, body, {}, "tile"));
    Stmt nest(new BlockRealizeNode(values, {}, arith::with_derived_regions(block)));
    for (size_t i = order.size(); i-- > 0;) {
      const size_t l = order[i];
      nest = Stmt(new ForNode(--next_id, vars[l], make_int(kInt64, extents_[l]), kinds[l],
                              ThreadAxis::kNone, {}, nest));
    }
    // Two functions must not share variables.
    int64_t id = 0;
    nest = refresh_bindings(nest, [&id] { return id++; });
    return PrimFunc(new PrimFuncNode(name, params, {}, {}, nest, Level::kScheduled, {}));
  }

  const schedule::Tree tree_;
  const PrimFunc func_;
  arith::Analyzer facts_;
  const BlockRealizeNode* realize_ = nullptr;
  std::vector<const ForNode*> loops_;  // of the tile, those of one iteration left out
  std::vector<int64_t> extents_;
  std::vector<IterKind> kinds_;
  std::vector<Var> axes_;
  VarSet variables_;  // of all loops of the nest
  VarMap zero_, values_,
      to_axes_;  // unit loops; the block's iteration variables; loops of the tile
  std::vector<Place> places_;
};

}  // namespace

std::optional<schedule::TensorInstruction> tile_instruction(const PrimFunc& func, int64_t loop,
                                                            const std::string& name, Rng& rng) {
  try {
    return Tile(func, loop).instruction(name, rng);
  } catch (const NoTile&) {
    return std::nullopt;
  }
}

}  // namespace tilewright::fuzz
