#include <algorithm>
#include <map>

#include "schedule/block_rules.h"
#include "schedule/copy_nest.h"
#include "schedule/filled_box.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/tail_check.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Gives loops other extents, by id.
class SetExtents final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  explicit SetExtents(const std::map<int64_t, Expr>& extents) : extents_(extents) {}

 protected:
  Stmt mutate_node(const ForNode& node, const Stmt&) override {
    auto it = extents_.find(node.id);
    return Stmt(new ForNode(node.id, node.var, it == extents_.end() ? node.extent : it->second,
                            node.for_kind, node.thread, node.annotations, mutate(node.body)));
  }
  Stmt mutate_node(const BlockRealizeNode&, const Stmt& self) override { return self; }

 private:
  const std::map<int64_t, Expr>& extents_;
};

// Replaces the loads at `axis` of buffers that get a padded copy by what the copy holds beyond the end.
class FillSurplus final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  FillSurplus(Var axis, std::function<Expr(const Buffer&)> value)
      : axis_(std::move(axis)), value_(std::move(value)) {}

 protected:
  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    for (const Expr& index : node.indices) {
      if (axis_.same_as(index)) return value_(node.buffer);
    }
    return mutate_children(node, self);
  }

 private:
  Var axis_;
  std::function<Expr(const Buffer&)> value_;
};

class PadEinsum {
 public:
  explicit PadEinsum(Invocation& in)
      : in_(in), realize_(in.block(0)), block_(realize_.block), facts_(in.facts()) {}

  Outputs run() {
    in_.moves_blocks = true;
    require_legal_block();
    read_padding();
    if (axes_.empty()) {  // every extent is a multiple already
      in_.finish(in_.func->body);
      return {};
    }
    for (const Axis& axis : axes_) require_own_loop(axis);
    find_accesses();
    home_ = root_child_of(in_, block_->id);
    require_home();
    choose_fill();
    rewrite();
    return {};
  }

 private:
  struct Axis {
    size_t index = 0;  // of the iter var
    int64_t multiple = 1;
    Expr extent;  // rounded up
    const IterVar* iter = nullptr;
  };
  // A buffer accessed at padded axes: per dimension the axis, or null.
  struct Access {
    Buffer buffer;
    std::vector<const Axis*> dims;
    bool written = false;
  };

  void require_legal_block() {
    require_compute_block(in_, realize_);
    require_sole_writer(in_, realize_);
    update_ = block_->body.as<UpdateNode>();
    store_ = sole_store(block_);
    if (!update_ && !store_) {
      in_.refuse("body", block_->id,
                 fmt::format("{} is more than one update or store", quoted(realize_)),
                 "write the other statements as blocks of their own");
    }
    if (update_ && !block_->init) {
      in_.refuse("decomposed", block_->id, fmt::format("{} has been decomposed", quoted(realize_)),
                 "pad_einsum before decompose_reduction");
    }
    if (store_ && block_->where.defined()) {
      in_.refuse("masked", block_->id,
                 fmt::format("{} writes only where {}", quoted(realize_), to_pretty(block_->where)),
                 "pad the blocks that read its result instead");
    }
  }

  void read_padding() {
    const Value::List& list = in_.list_attr("padding");
    const auto& iters = block_->iter_vars;
    if (list.size() != iters.size()) {
      in_.refuse("padding", block_->id,
                 fmt::format("{} multiples for the {} axes of {}", list.size(), iters.size(),
                             quoted(realize_)),
                 "give one for each axis, 1 for those to leave as they are");
    }
    for (size_t i = 0; i < iters.size(); ++i) {
      const int64_t* multiple = std::get_if<int64_t>(&list[i].data);
      if (!multiple || *multiple < 1 || *multiple > (int64_t{1} << 20)) {
        in_.refuse("padding", block_->id,
                   fmt::format("the multiple for axis '{}' is not in 1..{}", iters[i].var.name(),
                               int64_t{1} << 20),
                   "give a positive integer for each axis, 1 for those to leave as they are");
      }
      const Expr unit = make_int(kInt64, *multiple), extent = iters[i].dom.extent;
      if (facts_.can_prove(floor_mod(extent, unit) == make_int(kInt64, 0))) continue;
      const bool plain = iters[i].kind == IterKind::kSpatial || iters[i].kind == IterKind::kReduce;
      if (!plain || !is_const_int(iters[i].dom.min, 0)) {
        in_.refuse(
            "axis", block_->id,
            fmt::format("axis '{}' of {} is {} and starts at {}", iters[i].var.name(),
                        quoted(realize_), spelling(iters[i].kind), to_pretty(iters[i].dom.min)),
            "give that axis the multiple 1; only spatial and reduction axes from 0 on can be "
            "padded");
      }
      axes_.push_back({i, *multiple, facts_.simplify(ceil_div(extent, unit) * unit), &iters[i]});
    }
  }

  // The axis must still have one loop of its own, which is made longer.
  void require_own_loop(const Axis& axis) {
    const Expr& value = realize_.iter_values[axis.index];
    const ForNode* own = nullptr;
    for (const ForNode* node : in_.tree.loops_around(block_->id)) {
      if (node->var.same_as(value)) own = node;
    }
    bool legal = own && in_.tree.blocks_under(own->id).size() == 1 &&
                 facts_.can_prove_equal(own->extent, axis.iter->dom.extent);
    for (size_t i = 0; legal && i < realize_.iter_values.size(); ++i) {
      legal = i == axis.index || !uses_var(realize_.iter_values[i], own->var);
    }
    for (const Conjunct& c : realize_.guard) legal = legal && !uses_var(c.cond, own->var);
    for (const ForNode* node : in_.tree.loops_around(block_->id)) {
      legal = legal && !uses_var(node->extent, own->var);
    }
    if (!legal) {
      in_.refuse(
          "bound_loops", own ? own->id : block_->id,
          fmt::format("axis '{}' of {} has no loop of its own over its whole extent any more",
                      axis.iter->var.name(), quoted(realize_)),
          "pad_einsum before split, fuse and compute_at");
    }
    extents_[own->id] = axis.extent;
  }

  const Axis* axis_of(const Expr& index) const {
    for (const Axis& axis : axes_) {
      if (axis.iter->var.same_as(index)) return &axis;
    }
    return nullptr;
  }

  void note(const Buffer& buffer, const std::vector<Expr>& indices, bool written) {
    Access found{buffer, {}, written};
    bool any = false;
    for (size_t d = 0; d < indices.size(); ++d) {
      const Axis* axis = axis_of(indices[d]);
      for (const Axis& other : axes_) {
        if (axis || !uses_var(indices[d], other.iter->var)) continue;
        refuse_access(*buffer, fmt::format("the padded axis '{}' is only a part of its index {}",
                                           other.iter->var.name(), to_pretty(indices[d])));
      }
      if (axis && !facts_.can_prove_equal(buffer->shape[d], axis->iter->dom.extent)) {
        refuse_access(*buffer, fmt::format("dimension {} has {} elements, axis '{}' {}", d,
                                           to_pretty(buffer->shape[d]), axis->iter->var.name(),
                                           to_pretty(axis->iter->dom.extent)));
      }
      found.dims.push_back(axis);
      any |= axis != nullptr;
    }
    if (!any) return;
    for (Access& known : accesses_) {
      if (!known.buffer.same_as(buffer)) continue;
      if (known.written != written) refuse_access(*buffer, "the block reads what it writes");
      for (size_t d = 0; d < found.dims.size(); ++d) {
        if (!known.dims[d]) known.dims[d] = found.dims[d];
        if (!found.dims[d]) continue;
        if (!structural_equal(known.dims[d]->extent, found.dims[d]->extent)) {
          refuse_access(*buffer, "two axes of different padded extents index one dimension");
        }
      }
      return;
    }
    accesses_.push_back(std::move(found));
  }

  [[noreturn]] void refuse_access(const BufferNode& buffer, const std::string& why) const {
    in_.refuse("access", block_->id,
               fmt::format("{} accesses '{}' at more than its axes: {}", quoted(realize_),
                           buffer.name, why),
               "reindex gives it a copy indexed by its axes");
  }

  void find_accesses() {
    const std::vector<Buffer> targets = update_ ? update_->buffers : std::vector{store_->buffer};
    const std::vector<Expr>& at = update_ ? update_->indices : store_->indices;
    for (const Axis& axis : axes_) {
      if (axis.iter->kind != IterKind::kSpatial) continue;
      if (std::none_of(at.begin(), at.end(),
                       [&](const Expr& e) { return axis.iter->var.same_as(e); })) {
        refuse_access(*targets[0],
                      fmt::format("axis '{}' is no index of its own", axis.iter->var.name()));
      }
    }
    for (const Buffer& target : targets) note(target, at, true);
    auto loads = [&](const Expr& e) {
      const auto* node = e.as<LoadNode>();
      if (!node) return;
      for (const Buffer& target : targets) {
        if (target.same_as(node->buffer)) refuse_access(*target, "the block reads what it writes");
      }
      note(node->buffer, node->indices, false);
    };
    walk_exprs(block_->body, loads);
    if (block_->where.defined()) walk_exprs(block_->where, loads);
  }

  void require_home() const {
    require_unconditional(in_, home_, realize_);
    for (const Access& access : accesses_) {
      const Buffer& buffer = access.buffer;
      const bool local =
          buffer->alloc_at.kind == AllocAt::Kind::kLoop && !is_param(in_.func, buffer);
      bool shared = local;
      for (const BlockRealizeNode* other :
           access.written ? readers_of(in_.tree, buffer) : writers_of(in_.tree, buffer)) {
        shared |= contains_block(home_, other->block->id);
      }
      if (!shared) continue;
      in_.refuse("shared_loops", block_->id,
                 fmt::format("'{}' is made or read by others inside the loops of {}", buffer->name,
                             quoted(realize_)),
                 "pad_einsum before compute_at and reverse_compute_at");
    }
  }

  // The constant that the surplus of a copy of `buffer` holds; null when its dtype has none.
  Expr fill_value(const Buffer& buffer, int choice) const {
    if (choice < 2) return make_const(buffer->dtype, choice);
    const Expr& identity = block_->reducer->identity[0];
    return identity.dtype() == buffer->dtype ? identity : Expr();
  }

  // Buffers of other dtypes than the reducer's occur in conditions alone, where any value will do.
  Expr surplus_of(const Buffer& buffer) const {
    const Expr value = fill_value(buffer, choice_);
    return value.defined() ? value : make_zero(buffer->dtype);
  }

  // A constant with which the surplus terms leave the accumulators as they are.
  void choose_fill() {
    for (choice_ = 0; choice_ < (update_ ? 3 : 1); ++choice_) {
      if (is_neutral()) return;
    }
    in_.refuse("not_neutral", block_->id,
               fmt::format("it is not proved that the terms of {} beyond the end of a reduction "
                           "axis leave the result of '{}' as it is, with inputs padded by 0, 1 or "
                           "the identity",
                           quoted(realize_), block_->reducer->name),
               "give that axis the multiple 1");
  }

  bool is_neutral() const {
    for (const Axis& axis : axes_) {
      if (axis.iter->kind != IterKind::kReduce) continue;
      if (!lower::identity_is_neutral(*block_->reducer)) return false;
      bool possible = true;
      FillSurplus fill(axis.iter->var, [&](const Buffer& buffer) {
        Expr value = fill_value(buffer, choice_);
        possible &= value.defined();
        return value.defined() ? value : make_zero(buffer->dtype);
      });
      for (size_t j = 0; j < update_->values.size(); ++j) {
        Expr term = facts_.simplify(fill.mutate(update_->values[j]));
        if (!possible || !structural_equal(term, block_->reducer->identity[j])) return false;
      }
    }
    return true;
  }

  Buffer padded_copy(const Access& access) const {
    std::vector<Expr> shape = access.buffer->shape;
    std::vector<Pad> pads;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (!access.dims[d]) continue;
      shape[d] = access.dims[d]->extent;
      pads.push_back({static_cast<int64_t>(d), access.dims[d]->multiple,
                      access.written ? Expr() : surplus_of(access.buffer)});
    }
    return Buffer(new BufferNode(unique_buffer_name(in_.func, access.buffer->name + "_padded"),
                                 access.buffer->dtype, std::move(shape), Scope::kGlobal, Layout(),
                                 std::move(pads)));
  }

  // Elements that nobody has made are not copied: no term of the block needs them.
  Stmt copy_in(const Access& access, const Buffer& copy) {
    const Buffer& source = access.buffer;
    const auto written = require_filled_box(in_, realize_, before(in_, home_), source);
    return make_copy(in_, copy, copy->shape, unique_block_name(in_.tree, copy->name), "pad_einsum",
                     [&](const std::vector<Expr>& at) {
                       Expr inside = written ? written_part(in_, *written, at) : Expr();
                       for (size_t d = 0; d < at.size(); ++d) {
                         if (!access.dims[d]) continue;
                         Expr term = at[d] < source->shape[d];
                         inside = inside.defined() ? inside && term : term;
                       }
                       return if_then_else(inside, load(source, at), surplus_of(source));
                     })
        .stmt;
  }

  Expr copied_out(const Access& access, const Buffer& copy, const std::vector<Expr>& at) const {
    const auto written = require_filled_box(in_, realize_, home_, access.buffer);
    const Expr inside = written ? written_part(in_, *written, at) : Expr();
    return load_where(copy, at, inside);
  }

  void rewrite() {
    std::vector<Stmt> ahead, after;
    std::vector<Buffer> allocs = in_.func->allocs;
    BufferMap moved;
    for (const Access& access : accesses_) {
      Buffer copy = padded_copy(access);
      moved[access.buffer] = copy;
      allocs.push_back(copy);
      if (access.written) {
        after.push_back(
            make_copy(in_, access.buffer, access.buffer->shape,
                      unique_block_name(in_.tree, copy->name), "pad_einsum",
                      [&](const std::vector<Expr>& at) { return copied_out(access, copy, at); })
                .stmt);
      } else {
        ahead.push_back(copy_in(access, copy));
      }
    }
    Stmt redirected = replace_buffers(Stmt(&realize_), moved);
    const Block& b = redirected.as<BlockRealizeNode>()->block;
    std::vector<IterVar> iters = b->iter_vars;
    for (const Axis& axis : axes_) iters[axis.index].dom.extent = axis.extent;
    Block padded = arith::with_derived_regions(
        Block(new BlockNode(b->id, b->name, b->block_kind, iters, b->where, {}, {}, b->reducer,
                            b->init, b->body, b->annotations, b->origin)));
    Stmt nest = replace_stmt(home_, &realize_, with_block(realize_, padded));
    ahead.push_back(SetExtents(extents_).mutate(nest));
    ahead.insert(ahead.end(), after.begin(), after.end());
    in_.finish(replace_stmt(in_.func->body, home_.get(), ir::seq(ahead)), std::move(allocs));
  }

  Invocation& in_;
  const BlockRealizeNode& realize_;
  const Block& block_;
  arith::Analyzer facts_;
  const UpdateNode* update_ = nullptr;
  const StoreNode* store_ = nullptr;
  std::vector<Axis> axes_;
  std::map<int64_t, Expr> extents_;
  std::vector<Access> accesses_;
  int choice_ = 0;
  Stmt home_;
};

}  // namespace

/// pad_einsum(block, padding): the extents of the block's axes become multiples of `padding` (one number an axis).
///
///   before                               after pad_einsum(C, [4, 8]), A of 10 x 17
///   for i in 0..10: for k in 0..17:      A_padded[i, k] = if_then_else(i < 10 and k < 17, A[i, k], 0)
///     C[i] += A[i, k]                    for i in 0..12: for k in 0..24: C_padded[i] += A_padded[i, k]
///                                        for i in 0..10: C[i] = C_padded[i]
///
/// What the block accesses at a padded axis, it must access at that axis alone. The surplus of inputs holds 0, 1 or
/// the reducer's identity, the first with which surplus terms of a reduction provably change nothing. Each padded
/// axis must have its loop from te still; the loop becomes longer. Errors: schedule.pad_einsum.padding, .axis,
/// .bound_loops, .access, .not_neutral, .masked, .body, .decomposed, .conditional, .shared_loops, .several_writers,
/// .opaque_block. (As TVM's pad_einsum.)
Outputs run_pad_einsum(Invocation& in) { return PadEinsum(in).run(); }

}  // namespace tilewright::schedule
