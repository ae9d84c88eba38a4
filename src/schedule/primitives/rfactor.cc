#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

bool reads_data(const Expr& expr) {
  bool found = false;
  walk_exprs(expr, [&](const Expr& part) { found = found || part.as<LoadNode>(); });
  return found;
}

// `where` for the terms that the mask keeps. One that reads data is not evaluated for the others, whose indices may
// lie outside. Either may be null.
Expr masked_condition(const Expr& mask, const Expr& where) {
  if (!mask.defined() || !where.defined()) return mask.defined() ? mask : where;
  return reads_data(where) ? if_then_else(mask, where, make_bool(false)) : mask && where;
}

class RFactor {
 public:
  explicit RFactor(Invocation& in) : in_(in), loop_(in.loop(0)) {}

  Outputs run() {
    in_.moves_blocks = true;
    find_block();
    require_legal();
    make_buffers();
    Stmt partial = make_partial();
    Stmt final_nest = make_final_nest();

    const StmtNode* anchor = anchor_ < path_.size() ? static_cast<const StmtNode*>(path_[anchor_])
                                                    : static_cast<const StmtNode*>(realize_);
    Stmt new_anchor = replace_stmt(Stmt(anchor), realize_, partial);
    Stmt root = replace_stmt(in_.func->body, anchor, ir::seq({new_anchor, final_nest}));
    std::vector<Buffer> allocs = in_.func->allocs;
    allocs.insert(allocs.end(), partial_buffers_.begin(), partial_buffers_.end());
    in_.finish(root, std::move(allocs));
    return {BlockRef{partial_id_}};
  }

 private:
  void find_block() {
    for (const BlockRealizeNode* realize : in_.tree.blocks_under(loop_.id)) {
      if (!feeds(loop_.var, *realize).reduce) continue;
      if (realize_) {
        in_.refuse("several_reductions", loop_.id,
                   fmt::format("{} feeds the reductions of {} and {}", quoted(loop_),
                               quoted(*realize_), quoted(*realize)),
                   "rfactor before the reductions come under one loop");
      }
      realize_ = realize;
    }
    if (!realize_) realize_ = reduction_in_unit_loop();
    if (!realize_) {
      in_.refuse("not_a_reduction", loop_.id, fmt::format("{} feeds no reduction", quoted(loop_)),
                 "give the loop of a reduction axis");
    }
    path_ = in_.tree.loops_around(realize_->block->id);
    for (const ForNode* node : path_) {
      Feeds fed = feeds(node->var, *realize_);
      if (fed.reduce && fed.spatial) {
        in_.refuse("mixed_kinds", node->id,
                   fmt::format("{} feeds spatial and reduction axes", quoted(*node)),
                   "rfactor before fusing spatial and reduction loops");
      }
      if (fed.reduce || node == &loop_) reduce_loops_.push_back(node);
    }
    anchor_ = anchor_depth();
  }

  // A loop of one iteration feeds nothing any more, but is a part of the only reduction in it as well as any.
  const BlockRealizeNode* reduction_in_unit_loop() const {
    const BlockRealizeNode* found = nullptr;
    for (const BlockRealizeNode* realize : in_.tree.blocks_under(loop_.id)) {
      if (!is_const_int(loop_.extent, 1) || feeds(loop_.var, *realize).any()) return nullptr;
      // What else runs inside would come before the final results.
      if (!realize->block->reducer) return nullptr;
      if (found) return nullptr;
      found = realize;
    }
    return found;
  }

  void require_legal() {
    const Block& block = realize_->block;
    require_compute_block(in_, *realize_);
    if (!block->init) {
      in_.refuse("decomposed", block->id, fmt::format("{} has been decomposed", quoted(*realize_)),
                 "rfactor before decompose_reduction");
    }
    require_sole_writer(in_, *realize_);
    if ((!block->reducer->associative || !block->reducer->commutative) &&
        !has_fault(Fault::rfactor_of_any_reducer)) {
      in_.refuse(
          "reducer", block->id,
          fmt::format("reducer '{}' of {} is not declared associative and commutative, so partial "
                      "results cannot be combined",
                      block->reducer->name, quoted(*realize_)),
          "declare the reducer (the declaration is tested), or keep the reduction serial");
    }
    dims_ = require_identity_writes(in_, *realize_);
    update_ = block->body.as<UpdateNode>();
    if (!update_) {
      in_.refuse("body", block->id, fmt::format("{} has more than its update", quoted(*realize_)),
                 "write the other statements as computes of their own");
    }
    axis_ = in_.int_attr("factor_axis");
    int64_t rank = static_cast<int64_t>(dims_.size());
    if (axis_ < 0) axis_ += rank + 1;
    if (axis_ < 0 || axis_ > rank) {
      in_.refuse("factor_axis", loop_.id,
                 fmt::format("factor_axis {} is outside 0..{}", in_.int_attr("factor_axis"), rank),
                 "0 puts the new dimension first, the rank of the result last");
    }
    for (const Conjunct& conjunct : realize_->guard) {
      bool spatial = false, reduce = false;
      for (const ForNode* node : path_) {
        if (!uses_var(conjunct.cond, node->var)) continue;
        bool is_reduce = is_reduce_loop(node);
        reduce |= is_reduce;
        spatial |= !is_reduce && feeds(node->var, *realize_).spatial;
      }
      if (spatial && reduce) {
        in_.refuse("guard", realize_->block->id,
                   fmt::format("the condition {} mixes spatial and reduction loops",
                               to_pretty(conjunct.cond)),
                   "rfactor before the split that made the condition, or use factors that divide");
      }
    }
  }

  bool is_reduce_loop(const ForNode* node) const {
    return std::find(reduce_loops_.begin(), reduce_loops_.end(), node) != reduce_loops_.end();
  }

  bool is_reduce_guard(const Conjunct& conjunct) const {
    return std::any_of(reduce_loops_.begin(), reduce_loops_.end(),
                       [&](const ForNode* node) { return uses_var(conjunct.cond, node->var); });
  }

  void make_buffers() {
    for (const Buffer& buffer : update_->buffers) {
      std::vector<Expr> shape = buffer->shape;
      shape.insert(shape.begin() + axis_, loop_.extent);
      std::string name = unique_buffer_name(in_.func, buffer->name + "_rf");
      partial_buffers_.push_back(make_buffer(name, buffer->dtype, shape));
    }
  }

  std::vector<Expr> with_factor_index(std::vector<Expr> indices, const Expr& factor) const {
    indices.insert(indices.begin() + axis_, factor);
    return indices;
  }

  // The block of partial results: the factored loop is a spatial axis, each other reduction loop a reduction
  // axis of its own; what guarded reduction loops now masks terms.
  Stmt make_partial() {
    const Block& block = realize_->block;
    std::vector<IterVar> iters;
    std::vector<Expr> values;
    VarMap map, loop_map;
    for (size_t i = 0; i < block->iter_vars.size(); ++i) {
      const IterVar& iter = block->iter_vars[i];
      if (iter.kind == IterKind::kReduce) continue;
      Var copy(iter.var.name(), iter.var.dtype());
      map[iter.var] = copy;
      iters.push_back({copy, iter.dom, iter.kind});
      values.push_back(realize_->iter_values[i]);
    }
    Var factor("v" + loop_.var.name(), kInt64);
    iters.push_back({factor, {make_int(kInt64, 0), loop_.extent}, IterKind::kSpatial});
    values.push_back(loop_.var);
    loop_map[loop_.var] = factor;
    for (const ForNode* node : reduce_loops_) {
      if (node == &loop_) continue;
      Var term("v" + node->var.name(), kInt64);
      iters.push_back({term, {make_int(kInt64, 0), node->extent}, IterKind::kReduce});
      values.push_back(node->var);
      loop_map[node->var] = term;
    }
    for (size_t i = 0; i < block->iter_vars.size(); ++i) {
      if (block->iter_vars[i].kind == IterKind::kReduce) {
        map[block->iter_vars[i].var] = substitute(realize_->iter_values[i], loop_map);
      }
    }
    Expr mask;
    std::vector<Conjunct> guard;
    for (const Conjunct& conjunct : realize_->guard) {
      if (!is_reduce_guard(conjunct)) {
        guard.push_back(conjunct);
        continue;
      }
      if (has_fault(Fault::rfactor_drops_mask)) continue;
      Expr term = substitute(conjunct.cond, loop_map);
      mask = mask.defined() ? mask && term : term;
    }
    Expr where = block->where.defined() ? substitute(block->where, map) : Expr();
    where = masked_condition(mask, where);
    std::vector<Expr> indices, sources;
    for (const Expr& index : update_->indices) indices.push_back(substitute(index, map));
    indices = with_factor_index(indices, factor);
    for (const Expr& value : update_->values) sources.push_back(substitute(value, map));
    std::vector<Stmt> inits;
    for (size_t j = 0; j < partial_buffers_.size(); ++j) {
      const Expr& identity = block->reducer->identity[j];
      inits.push_back(ir::store(
          partial_buffers_[j], indices,
          has_fault(Fault::rfactor_starts_at_zero) ? make_zero(identity.dtype()) : identity));
    }
    Stmt body(new UpdateNode(block->reducer, partial_buffers_, indices, sources));
    partial_id_ = in_.fresh_id();
    Block partial(new BlockNode(partial_id_, unique_block_name(in_.tree, block->name + "_rf"),
                                BlockKind::kCompute, iters, where, {}, {}, block->reducer,
                                ir::seq(inits), body, block->annotations, "rfactor"));
    return Stmt(new BlockRealizeNode(values, guard, arith::with_derived_regions(partial)));
  }

  // Behind which of the block's loops the final reduction goes: behind all that feed the reduction, so that the
  // partial results are complete, and behind those that belong to this block alone.
  size_t anchor_depth() const {
    for (size_t i = 0; i < path_.size(); ++i) {
      if (is_reduce_loop(path_[i]) || in_.tree.blocks_under(path_[i]->id).size() == 1) return i;
    }
    return path_.size();
  }

  // The reduction of the partial results, under fresh copies of the spatial loops from the anchor on.
  Stmt make_final_nest() {
    const Block& block = realize_->block;
    std::vector<NestLoop> loops;
    VarMap copies;
    for (size_t i = anchor_; i < path_.size(); ++i) {
      const ForNode* node = path_[i];
      if (is_reduce_loop(node)) continue;
      Var copy(node->var.name(), node->var.dtype());
      loops.push_back({copy, substitute(node->extent, copies), node->for_kind, in_.fresh_id()});
      copies[node->var] = copy;
    }
    Var factor(loop_.var.name(), loop_.var.dtype());
    const Expr folded = has_fault(Fault::rfactor_one_short) ? loop_.extent - 1 : loop_.extent;
    loops.push_back({factor, folded, ForKind::kSerial, in_.fresh_id()});

    std::vector<IterVar> iters;
    std::vector<Expr> values;
    VarMap map;
    for (size_t i = 0; i < block->iter_vars.size(); ++i) {
      const IterVar& iter = block->iter_vars[i];
      if (iter.kind == IterKind::kReduce) continue;
      Var copy(iter.var.name(), iter.var.dtype());
      map[iter.var] = copy;
      iters.push_back({copy, iter.dom, iter.kind});
      values.push_back(substitute(realize_->iter_values[i], copies));
    }
    Var term("v" + loop_.var.name(), kInt64);
    iters.push_back({term, {make_int(kInt64, 0), loop_.extent}, IterKind::kReduce});
    values.push_back(factor);
    std::vector<Conjunct> guard;
    for (const Conjunct& conjunct : realize_->guard) {
      if (is_reduce_guard(conjunct)) continue;
      guard.push_back({substitute(conjunct.cond, copies), conjunct.loop, conjunct.tail});
    }
    std::vector<Expr> indices, sources;
    for (const Expr& index : update_->indices) indices.push_back(substitute(index, map));
    for (const Buffer& buffer : partial_buffers_) {
      sources.push_back(load(buffer, with_factor_index(indices, term)));
    }
    Stmt body(new UpdateNode(block->reducer, update_->buffers, indices, sources));
    Block final_block(new BlockNode(block->id, block->name, BlockKind::kCompute, iters, Expr(), {},
                                    {}, block->reducer, substitute(block->init, map), body,
                                    block->annotations, block->origin));
    return nest(
        loops, Stmt(new BlockRealizeNode(values, guard, arith::with_derived_regions(final_block))));
  }

  Invocation& in_;
  const ForNode& loop_;
  const BlockRealizeNode* realize_ = nullptr;
  const UpdateNode* update_ = nullptr;
  std::vector<const ForNode*> path_, reduce_loops_;
  size_t anchor_ = 0;
  std::vector<size_t> dims_;
  std::vector<Buffer> partial_buffers_;
  int64_t axis_ = 0, partial_id_ = -1;
};

}  // namespace

/// rfactor(loop, factor_axis): the reduction is cut into partial results, one per iteration of `loop`, and a
/// reduction of those.
///
///   before (k split by 4)               after rfactor(k_1)
///   for i: for k_0: for k_1:            for i: for k_0: for k_1: B_rf[k_1, i] += A[i, k_0 * 4 + k_1]
///     B[i] += A[i, k_0 * 4 + k_1]       for i: for k_1: B[i] += B_rf[k_1, i]
///
/// The returned block makes the partial results; the original handle stays with the final reduction, whose
/// loops are new. Changes the order of a float reduction, so the reducer must be associative and commutative.
/// Errors: schedule.rfactor.not_a_reduction, .several_reductions, .reducer, .decomposed, .factor_axis, .guard,
/// .mixed_kinds, .several_writers, .write_index. (Suriana et al., "Parallel associative reductions in Halide",
/// CGO 2017.)
Outputs run_rfactor(Invocation& in) { return RFactor(in).run(); }

}  // namespace tilewright::schedule
