#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/copy_nest.h"
#include "schedule/filled_box.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Puts `copy[at]` in place of every access of `buffer`.
class Redirect final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  Redirect(Buffer buffer, Buffer copy, std::vector<Expr> at)
      : buffer_(std::move(buffer)), copy_(std::move(copy)), at_(std::move(at)) {}

 protected:
  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    return node.buffer.same_as(buffer_) ? load(copy_, at_) : mutate_children(node, self);
  }
  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    if (!node.buffer.same_as(buffer_)) return mutate_children(node, self);
    return ir::store(copy_, at_, mutate(node.value));
  }
  Stmt mutate_node(const UpdateNode& node, const Stmt& self) override {
    if (!node.buffers[0].same_as(buffer_)) return mutate_children(node, self);
    return Stmt(new UpdateNode(node.reducer, {copy_}, at_, {mutate(node.values[0])}));
  }

 private:
  Buffer buffer_, copy_;
  std::vector<Expr> at_;
};

class Reindex {
 public:
  explicit Reindex(Invocation& in) : in_(in), realize_(in.block(0)), block_(realize_.block) {}

  Outputs run() {
    require_compute_block(in_, realize_);
    const std::string name = in_.text_attr("buffer");
    for (const Buffer& written : written_buffers(block_)) {
      if (written->name == name) buffer_ = written;
    }
    is_write_ = buffer_.defined();
    if (!is_write_) buffer_ = require_read_buffer(in_, realize_, name);
    find_access();
    find_axes();
    home_ = root_child_of(in_, block_->id);
    if (is_write_) require_private_result();
    require_inputs_before();
    if (!is_write_) read_ = require_filled_box(in_, realize_, before(in_, home_), buffer_);
    return rewrite();
  }

 private:
  [[noreturn]] void refuse_access(const std::string& why) const {
    in_.refuse("access", block_->id,
               fmt::format("the accesses of '{}' in {} cannot be indexed by its axes: {}",
                           buffer_->name, quoted(realize_), why),
               "reindex a buffer that the block accesses at one index over its axes; cache_read "
               "copies one as it lies");
  }

  // The index list that all accesses share.
  void find_access() {
    bool seen = false;
    auto note = [&](const std::vector<Expr>& indices) {
      for (size_t d = 0; seen && d < indices.size(); ++d) {
        if (structural_equal(indices[d], indices_[d])) continue;
        refuse_access(fmt::format("it is accessed at {} and at {}", to_pretty(indices_[d]),
                                  to_pretty(indices[d])));
      }
      seen = true;
      indices_ = indices;
    };
    auto note_loads = [&](const Expr& e) {
      const auto* node = e.as<LoadNode>();
      if (!node || !node->buffer.same_as(buffer_)) return;
      if (is_write_) refuse_access("the block also reads what it writes");
      note(node->indices);
    };
    for (const Stmt& stmt : {block_->init, block_->body}) {
      if (!stmt) continue;
      walk_exprs(stmt, note_loads);
      walk_stmts(stmt, [&](const Stmt& s) {
        if (s.as<BlockRealizeNode>()) refuse_access("the block holds blocks");
        const auto* store = s.as<StoreNode>();
        if (store && store->buffer.same_as(buffer_)) note(store->indices);
        const auto* update = s.as<UpdateNode>();
        for (size_t j = 0; update && j < update->buffers.size(); ++j) {
          if (!update->buffers[j].same_as(buffer_)) continue;
          if (update->buffers.size() > 1) refuse_several_outputs();
          note(update->indices);
        }
      });
    }
    if (block_->where.defined()) walk_exprs(block_->where, note_loads);
    for (const Expr& index : indices_) {
      walk_exprs(index, [&](const Expr& e) {
        const auto* node = e.as<LoadNode>();
        if (node && node->buffer.same_as(buffer_)) refuse_access("its index reads it as well");
      });
    }
  }

  [[noreturn]] void refuse_several_outputs() const {
    in_.refuse("several_outputs", block_->id,
               fmt::format("the reduction of {} has several outputs, which share their index",
                           quoted(realize_)),
               "cache_write gives it outputs of its own");
  }

  void find_axes() {
    VarSet sizes;
    for (const Param& param : in_.func->params) {
      if (param.var.defined()) sizes.insert(param.var);
      if (!param.buffer) continue;
      for (const Expr& extent : param.buffer->shape) {
        for (const Var& var : free_vars(extent)) sizes.insert(var);
      }
    }
    VarSet used;
    for (const Expr& index : indices_) {
      for (const Var& var : free_vars(index)) used.insert(var);
    }
    arith::Analyzer facts = in_.facts();
    for (const IterVar& iter : block_->iter_vars) {
      if (iter.kind == IterKind::kOrdered || iter.kind == IterKind::kOpaque) {
        in_.refuse("ordered_loop", block_->id,
                   fmt::format("{} has the ordered axis '{}'", quoted(realize_), iter.var.name()),
                   "only the accesses of blocks of spatial and reduction axes can be reindexed");
      }
      if (!used.erase(iter.var)) {
        if (is_write_ && iter.kind == IterKind::kSpatial) {
          refuse_access(fmt::format("axis '{}' is not in the index", iter.var.name()));
        }
        continue;
      }
      if (is_write_ && iter.kind != IterKind::kSpatial) {
        refuse_access(fmt::format("the reduction axis '{}' is in the index", iter.var.name()));
      }
      axes_.push_back(&iter);
      shape_.push_back(iter.dom.extent);
      local_.push_back(facts.simplify(iter.var - iter.dom.min));
    }
    for (const Expr& var : used) {
      if (!sizes.count(var)) refuse_access(fmt::format("{} is no axis", to_pretty(var)));
    }
  }

  std::vector<Expr> indices_at(const std::vector<Expr>& at) const {
    VarMap map;
    for (size_t k = 0; k < axes_.size(); ++k) map[axes_[k]->var] = axes_[k]->dom.min + at[k];
    std::vector<Expr> result;
    for (const Expr& index : indices_) result.push_back(substitute(index, map));
    return result;
  }

  // The copy out stores every element once, and only the block made them.
  void require_private_result() const {
    require_sole_writer(in_, realize_);
    if (block_->where.defined() && !block_->reducer) {
      in_.refuse("masked", block_->id,
                 fmt::format("{} writes only where {}", quoted(realize_), to_pretty(block_->where)),
                 "reindex a buffer that the block reads");
    }
    require_unconditional(in_, home_, realize_);
    bool shared = buffer_->alloc_at.kind == AllocAt::Kind::kLoop && !is_param(in_.func, buffer_);
    for (const BlockRealizeNode* reader : readers_of(in_.tree, buffer_)) {
      shared |= contains_block(home_, reader->block->id);
    }
    if (shared) refuse_shared(*buffer_);
    arith::Analyzer facts = in_.facts();
    std::vector<std::pair<Var, Expr>> domain;
    std::vector<Expr> at;
    for (size_t k = 0; k < axes_.size(); ++k) {
      domain.emplace_back(Var(fmt::format("t{}", k)), shape_[k]);
      at.emplace_back(domain.back().first);
      facts.bind_extent(domain.back().first, shape_[k]);
    }
    if (axes_.empty() || arith::analyze_map(facts, domain, indices_at(at), {}, make_bool(true))
                             .injective.value_or(false)) {
      return;
    }
    refuse_access("different points are not proved to write different elements");
  }

  [[noreturn]] void refuse_shared(const BufferNode& buffer) const {
    in_.refuse("shared_loops", block_->id,
               fmt::format("'{}' is made or read by others inside the loops of {}", buffer.name,
                           quoted(realize_)),
               "do this before compute_at or reverse_compute_at");
  }

  // A copy in front of the nest needs what its value and its indices read.
  void require_inputs_before() const {
    auto require = [&](const Buffer& buffer) {
      for (const BlockRealizeNode* writer : writers_of(in_.tree, buffer)) {
        if (contains_block(home_, writer->block->id)) refuse_shared(*buffer);
      }
    };
    if (!is_write_) require(buffer_);
    for (const Expr& index : indices_) {
      walk_exprs(index, [&](const Expr& e) {
        if (const auto* node = e.as<LoadNode>()) require(node->buffer);
      });
    }
  }

  // An index that is data is read for all points of the axes, also those that are not run.
  void require_inside(const arith::Analyzer& facts, const LoadNode* data) const {
    for (size_t d = 0; data && d < data->indices.size(); ++d) {
      const Expr& at = data->indices[d];
      if (facts.can_prove(at >= 0) && facts.can_prove(at < data->buffer->shape[d])) continue;
      refuse_access(
          fmt::format("its index reads '{}', which may be outside where the block is not "
                      "run",
                      data->buffer->name));
    }
  }

  // buffer[indices], or zero where the indices lie outside or nobody has made the element: no point that is run reads
  // there.
  Expr guarded_load(const std::vector<Expr>& at) const {
    arith::Analyzer facts = in_.facts();
    for (size_t k = 0; k < at.size(); ++k) facts.bind_extent(Var(at[k].as<VarNode>()), shape_[k]);
    std::vector<Expr> indices = indices_at(at);
    for (const Expr& index : indices) {
      walk_exprs(index, [&](const Expr& e) { require_inside(facts, e.as<LoadNode>()); });
    }
    Expr inside = read_ ? written_part(in_, *read_, indices) : Expr();
    for (size_t d = 0; d < indices.size(); ++d) {
      for (const Expr& cond : {indices[d] >= 0, indices[d] < buffer_->shape[d]}) {
        if (facts.can_prove(cond)) continue;
        inside = inside.defined() ? inside && cond : cond;
      }
    }
    return load_where(buffer_, indices, inside);
  }

  // What the loops make of the copy: all axes' domains, or less where compute_at left out what no reader needs.
  Region require_filled(const Stmt& nest, const Stmt& redirected, const Buffer& copy) const {
    const auto made =
        arith::accessed_region(in_.facts(), nest, copy, /*reads=*/false, /*writes=*/true);
    const auto* writer = redirected.as<BlockRealizeNode>();
    if (made && fill_together(in_, in_.tree, {writer}, 0, *made, {})) return *made;
    in_.refuse("shared_loops", block_->id,
               fmt::format("it is not proved that {} leaves no holes between the elements of '{}' "
                           "that it writes, and a copy would read those",
                           quoted(realize_), buffer_->name),
               "do this before compute_at");
  }

  Outputs rewrite() {
    in_.moves_blocks = true;
    const std::string name = unique_buffer_name(in_.func, buffer_->name + "_reindex");
    const std::string block_name = unique_block_name(in_.tree, name);
    Buffer copy = make_buffer(name, buffer_->dtype, shape_);
    Redirect redirect(buffer_, copy, local_);
    const Block& b = block_;
    Block redirected = arith::with_derived_regions(
        Block(new BlockNode(b->id, b->name, b->block_kind, b->iter_vars,
                            b->where.defined() ? redirect.mutate(b->where) : Expr(), {}, {},
                            b->reducer, b->init ? redirect.mutate(b->init) : Stmt(),
                            redirect.mutate(b->body), b->annotations, b->origin)));
    const Stmt moved = with_block(realize_, redirected);
    Stmt nest = replace_stmt(home_, &realize_, moved);
    const auto copy_out = [&] {
      const Region made = require_filled(nest, moved, copy);
      return make_box_nest(in_, shape_, block_name, "reindex", [&](const std::vector<Expr>& at) {
        const Expr inside = written_part(in_, made, at);
        return ir::store(buffer_, indices_at(at), load_where(copy, at, inside));
      });
    };
    CopyNest copied =
        is_write_ ? copy_out()
                  : make_copy(in_, copy, shape_, block_name, "reindex",
                              [&](const std::vector<Expr>& at) { return guarded_load(at); });
    Stmt both = is_write_ ? ir::seq({nest, copied.stmt}) : ir::seq({copied.stmt, nest});
    std::vector<Buffer> allocs = in_.func->allocs;
    allocs.push_back(copy);
    in_.finish(replace_stmt(in_.func->body, home_.get(), both), std::move(allocs));
    return {BlockRef{copied.block_id}};
  }

  Invocation& in_;
  const BlockRealizeNode& realize_;
  const Block& block_;
  Buffer buffer_;
  bool is_write_ = false;
  std::optional<Region> read_;  // what has been made of a buffer that the block reads
  std::vector<Expr> indices_, shape_, local_;
  std::vector<const IterVar*> axes_;
  Stmt home_;
};

}  // namespace

/// reindex(block, buffer): the block accesses `buffer` through a copy that is indexed by those of the block's axes
/// that occur in the access, in the order of the block.
///
///   before                                  after reindex(C, "A")
///   for i: for k:                           for i: for k: A_reindex[i, k] = A[i * 2 + k]
///     C[i] += A[i * 2 + k]                  for i: for k: C[i] += A_reindex[i, k]
///
/// A buffer that the block writes is made in the copy and copied out behind the nest, as far as its loops make it. All accesses must have one
/// index; one that may lie outside, where no point that runs reads, is copied as zero. Gives the copying block.
/// Errors: schedule.reindex.access, .unknown_buffer, .shared_loops, .several_writers, .several_outputs, .masked,
/// .conditional, .ordered_loop, .opaque_block. (As TVM's reindex.)
Outputs run_reindex(Invocation& in) { return Reindex(in).run(); }

}  // namespace tilewright::schedule
