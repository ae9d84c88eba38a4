#include <algorithm>

#include "schedule/axis_index.h"
#include "schedule/block_rules.h"
#include "schedule/dependence.h"
#include "schedule/moved_iterations.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

class ReverseComputeAt {
 public:
  explicit ReverseComputeAt(Invocation& in) : in_(in), consumer_(in.block(0)), loop_(in.loop(1)) {
    outer_ = in.tree.loops_around(loop_.id);
    outer_.push_back(&loop_);
    facts_ = in.facts(outer_);
  }

  Outputs run() {
    in_.moves_blocks = true;
    require_legal_consumer();
    find_produced();
    for (const Produced& produced : produced_) bind_axes(produced);
    Stmt new_nest = make_nest();
    std::vector<NestLoop> own;
    for (const auto& [axis, loop] : loops_by_axis_) own.push_back(loop);
    const BlockRealizeNode placed(values_, guard_, consumer_.block);
    const MovedBlock moved{in_, consumer_, placed, outer_, own, facts_, produced_};
    require_common_iterations(moved);
    require_same_iterations(moved);

    Stmt marker(new SeqNode(std::vector<Stmt>{}));
    Stmt body = insert_nest(replace_stmt(loop_.body, &consumer_, marker), std::move(new_nest));
    Stmt root = replace_stmt(in_.func->body, &loop_, ir::with_body(&loop_, body));
    if (!in_.tree.encloses(loop_.id, consumer_.block->id)) {
      root = replace_stmt(root, &consumer_, marker);
    }
    const BufferMap shrunk = shrink_lifetimes();  // fills allocs_
    in_.finish(replace_buffers(root, shrunk), allocs_);
    return {};
  }

 private:
  void require_legal_consumer() {
    require_compute_block(in_, consumer_);
    require_no_ordered_axis(in_, consumer_);
    require_sole_writer(in_, consumer_);
    for (const ForNode* outer : outer_) {
      if (outer->for_kind == ForKind::kVectorized) {
        in_.refuse("vectorized_place", outer->id, fmt::format("{} is vectorized", quoted(*outer)),
                   "choose a loop outside the vectorized one");
      }
    }
    require_identity_writes(in_, consumer_);
    require_own_elements(in_, consumer_);
    values_.resize(consumer_.block->iter_vars.size());
  }

  void find_produced() {
    for (const Region& read : consumer_.block->reads) {
      if (block_writes(consumer_.block, read.buffer)) continue;  // its own accumulator
      std::vector<const BlockRealizeNode*> writers = writers_of(in_.tree, read.buffer);
      bool inside = false, outside = false;
      for (const BlockRealizeNode* writer : writers) {
        (in_.tree.encloses(loop_.id, writer->block->id) ? inside : outside) = true;
        if (!in_.tree.encloses(loop_.id, writer->block->id)) require_made_before(*writer);
      }
      if (!inside) continue;
      if (outside || (writers.size() > 1 && !is_decomposed_reduction(writers))) {
        in_.refuse("several_writers", writers[0]->block->id,
                   fmt::format("'{}' has several writers", read.buffer->name),
                   "choose a loop around all of them");
      }
      for (const BlockRealizeNode* writer : writers) {
        require_compute_block(in_, *writer);
        require_own_elements(in_, *writer);
        require_complete(*writer);
      }
      std::optional<Region> region =
          arith::accessed_region(facts_, loop_.body, read.buffer, false, true);
      produced_.push_back({read.buffer, region->ranges, writers.back()});
    }
    if (produced_.empty()) {
      in_.refuse(
          "no_producer", consumer_.block->id,
          fmt::format("{} reads nothing that is made inside {}", quoted(consumer_), quoted(loop_)),
          "choose a loop of a block that it reads; get_producers lists them");
    }
  }

  // An init block and the updates of the same elements, which run last.
  bool is_decomposed_reduction(const std::vector<const BlockRealizeNode*>& writers) const {
    return writers.size() == 2 && !writers[0]->block->reducer.defined() &&
           writers[1]->block->reducer.defined() && !writers[1]->block->init.defined();
  }

  // An input from elsewhere must exist when the loop's nest begins.
  void require_made_before(const BlockRealizeNode& writer) {
    if (in_.tree.index(writer.block->id) < in_.tree.index(outer_[0]->id)) return;
    in_.refuse("order", writer.block->id,
               fmt::format("{} also reads what {} makes, which is not inside {} and not before it",
                           quoted(consumer_), quoted(writer), quoted(loop_)),
               "move that block first, or choose a loop further out");
  }

  // No loop from the root to the place may still carry the producer's reduction on.
  void require_complete(const BlockRealizeNode& writer) {
    for (const ForNode* outer : outer_) {
      if (!feeds(outer->var, writer).reduce) continue;
      in_.refuse(
          "incomplete", outer->id,
          fmt::format("inside {}, {} holds only part of its reduction over {}", quoted(loop_),
                      quoted(writer), quoted(*outer)),
          "choose a loop outside all reduction loops of the producer, or rfactor the producer");
    }
  }

  // Fixes the ranges of those iter vars of the consumer that index the produced buffer. A dimension that each
  // iteration makes whole fixes nothing.
  void bind_axes(const Produced& produced) {
    require_exact_cover(produced);
    const std::vector<std::vector<Expr>> reads = read_indices(produced.buffer);
    std::vector<Expr> locals(produced.ranges.size());
    std::vector<bool> whole(produced.ranges.size());
    for (size_t d = 0; d < locals.size(); ++d) {
      const std::optional<AxisIndex> index = own_axis(reads, d);
      const IterVar* iter = index ? &consumer_.block->iter_vars[index->axis] : nullptr;
      const bool spatial = iter && iter->kind == IterKind::kSpatial;
      if (!spatial || !index->is_axis()) {
        const Range& made = produced.ranges[d];
        whole[d] = covers(made, {make_int(kInt64, 0), produced.buffer->shape[d]}) ||
                   (index && covers(made, index->at(iter->dom)));
        if (whole[d]) continue;
      }
      if (spatial) {
        require_domain_made(*index, produced, d);
        locals[d] = bind_axis(*index, produced, d);
      } else {
        require_fixed_index(produced, reads, d, iter);
      }
    }
    carry_guard(produced, locals, whole);
  }

  bool covers(const Range& made, const Range& all) const {
    return facts_.can_prove(made.min <= all.min) &&
           facts_.can_prove(made.min + made.extent >= all.min + all.extent);
  }

  // A fixed index is fine where the loop makes exactly that one.
  void require_fixed_index(const Produced& produced, const std::vector<std::vector<Expr>>& reads,
                           size_t d, const IterVar* axis) {
    if (axis) {
      in_.refuse(
          "reduction", consumer_.block->id,
          fmt::format("{} reduces over axis '{}' of '{}', of which one iteration of {} "
                      "makes only a part",
                      quoted(consumer_), axis->var.name(), produced.buffer->name, quoted(loop_)),
          "choose a loop that makes the whole axis, or use compute_at on its producer");
    }
    const Expr& index = reads[0][d];
    const bool differ = std::any_of(reads.begin(), reads.end(), [&](const auto& read) {
      return !structural_equal(read[d], index);
    });
    if (differ) {
      in_.refuse("read_index", consumer_.block->id,
                 fmt::format("{} reads '{}' at several places at once", quoted(consumer_),
                             produced.buffer->name),
                 "use compute_at on the producer");
    }
    if (facts_.can_prove_equal(index, produced.ranges[d].min) &&
        facts_.can_prove_equal(produced.ranges[d].extent, make_int(kInt64, 1))) {
      return;
    }
    in_.refuse("read_index", consumer_.block->id,
               fmt::format("{} reads '{}' at index {}, which is not one of its axes",
                           quoted(consumer_), produced.buffer->name, to_pretty(index)),
               "use compute_at on the producer");
  }

  // Each point of the consumer must be some iteration's: its axis may not reach beyond what is made (the
  // surplus of a padded copy would never be filled).
  void require_domain_made(const AxisIndex& index, const Produced& produced, size_t dim) {
    const BlockRealizeNode& writer = *produced.writer;
    const IterVar& iter = consumer_.block->iter_vars[index.axis];
    const Range& made =
        writer.block->iter_vars[require_identity_writes(in_, writer, /*steps=*/true)[dim]].dom;
    if (covers(made, index.at(iter.dom))) return;
    in_.refuse("uncovered", consumer_.block->id,
               fmt::format("axis '{}' of {} runs over {} points, {} makes {} of '{}' there",
                           iter.var.name(), quoted(consumer_), to_pretty(iter.dom.extent),
                           quoted(writer), to_pretty(made.extent), produced.buffer->name),
               "the rest belongs to no iteration of the loop; use compute_at on the producer");
  }

  // The axis runs over what is made of dimension `d`; gives the position there, counted from its begin.
  Expr bind_axis(const AxisIndex& index, const Produced& produced, size_t d) {
    const size_t axis = index.axis;
    const Range range = index.from(produced.ranges[d]);
    if (!values_[axis].defined()) {
      require_no_diagonal(axis, range);
      add_axis(axis, range);
    } else if (!facts_.can_prove_equal(values_[axis] - locals_[axis], range.min) ||
               !facts_.can_prove_equal(extents_[axis], range.extent)) {
      in_.refuse("conflicting_ranges", consumer_.block->id,
                 fmt::format("axis '{}' of {} would need two different ranges (for '{}')",
                             consumer_.block->iter_vars[axis].var.name(), quoted(consumer_),
                             produced.buffer->name),
                 "split both producers alike, or choose a loop around one of them");
    }
    return index.sign > 0 ? locals_[axis] : range.extent - 1 - locals_[axis];
  }

  // Two axes that move with one loop, each for another buffer, would meet on a diagonal alone.
  void require_no_diagonal(size_t axis, const Range& range) {
    for (const ForNode* outer : outer_) {
      if (!uses_var(range.min, outer->var)) continue;
      const auto [entry, fresh] = mover_axis_.try_emplace(outer->id, axis);
      if (fresh) continue;
      const auto& iters = consumer_.block->iter_vars;
      in_.refuse(
          "conflicting_ranges", consumer_.block->id,
          fmt::format("axes '{}' and '{}' of {} would both move with {}, so only points on "
                      "a diagonal would be made",
                      iters[entry->second].var.name(), iters[axis].var.name(), quoted(consumer_),
                      quoted(*outer)),
          "choose a loop that makes one of the inputs whole, or use compute_at on a producer");
    }
  }

  void add_axis(size_t axis, const Range& range) {
    const IterVar& iter = consumer_.block->iter_vars[axis];
    Var var(iter.var.name(), kInt64);
    int64_t id = in_.fresh_id();
    loops_by_axis_[axis] = {var, facts_.simplify(range.extent), ForKind::kSerial, id};
    AxisPlan plan = plan_axis(facts_, var, id, range, iter.dom);
    values_[axis] = plan.value;
    locals_[axis] = var;
    extents_[axis] = range.extent;
    guard_.insert(guard_.end(), plan.guard.begin(), plan.guard.end());
  }

  // The index lists at which the consumer reads the buffer.
  std::vector<std::vector<Expr>> read_indices(const Buffer& buffer) {
    std::vector<std::vector<Expr>> found;
    const auto collect = [&](const Expr& e) {
      const auto* node = e.as<LoadNode>();
      if (node && node->buffer.same_as(buffer)) found.push_back(node->indices);
    };
    walk_exprs(consumer_.block->body, collect);
    if (consumer_.block->where.defined()) walk_exprs(consumer_.block->where, collect);
    return found;
  }

  // The index of the dimension as one axis of the consumer, at each read.
  std::optional<AxisIndex> own_axis(const std::vector<std::vector<Expr>>& reads, size_t d) const {
    for (const std::vector<Expr>& read : reads) {
      if (!structural_equal(read[d], reads[0][d])) return {};
    }
    if (reads.empty()) return {};
    return axis_index(in_.func, facts_, consumer_.block, reads[0][d]);
  }

  std::vector<const ForNode*> inner_loops(const BlockRealizeNode& writer) {
    std::vector<const ForNode*> path = in_.tree.loops_around(writer.block->id);
    std::vector<const ForNode*> inner;
    for (size_t i = outer_.size(); i < path.size(); ++i) {
      const Feeds fed = feeds(path[i]->var, writer);
      if (fed.spatial || fed.ordered) inner.push_back(path[i]);
    }
    return inner;
  }

  // The box that the iteration writes must have as many points as the loops inside make.
  void require_exact_cover(const Produced& produced) {
    Expr points = make_int(kInt64, 1), volume = make_int(kInt64, 1);
    for (const ForNode* inner : inner_loops(*produced.writer)) points = points * inner->extent;
    for (const Range& range : produced.ranges) volume = volume * range.extent;
    if (facts_.can_prove_equal(points, volume)) return;
    in_.refuse(
        "scattered", loop_.id,
        fmt::format("one iteration of {} does not make a solid box of '{}' ({} points in a box of "
                    "{})",
                    quoted(loop_), produced.buffer->name, to_pretty(facts_.simplify(points)),
                    to_pretty(facts_.simplify(volume))),
        "choose a loop inside which all parts of each split axis run");
  }

  // Moves the writer's guard to the consumer: conditions on the loops inside are restated over the consumer's
  // own loops. One on reduce loops alone leaves out terms, not points.
  void carry_guard(const Produced& produced, const std::vector<Expr>& locals,
                   const std::vector<bool>& whole) {
    if (has_fault(Fault::reverse_compute_at_drops_guard)) return;
    const BlockRealizeNode& writer = *produced.writer;
    std::vector<size_t> dims = require_identity_writes(in_, writer, /*steps=*/true);
    std::vector<const ForNode*> inner = inner_loops(writer);
    for (const Conjunct& conjunct : writer.guard) {
      if (cuts_terms_only(conjunct, writer)) continue;
      std::vector<const ForNode*> used;
      for (const ForNode* node : inner) {
        if (uses_var(conjunct.cond, node->var)) used.push_back(node);
      }
      if (!used.empty() && cuts_whole_only(conjunct, used, writer, dims, whole)) continue;
      Expr cond = conjunct.cond;
      if (!used.empty()) cond = restate(conjunct, used, produced, dims, locals);
      if (cond.defined() && over_own_loops(in_, outer_, writer, cond)) cond = Expr();
      // What only keeps the writer in its domain: the consumer's points are all in there.
      if (!cond.defined() && says_domain(writer, conjunct)) continue;
      if (!cond.defined()) {
        in_.refuse("guard", writer.block->id,
                   fmt::format("the condition {} of {} cannot be stated inside {}",
                               to_pretty(conjunct.cond), quoted(writer), quoted(loop_)),
                   "do this before the split that made the condition, or use factors that divide");
      }
      guard_.push_back({cond, conjunct.loop, Tail::kGuard});
    }
  }

  bool says_domain(const BlockRealizeNode& realize, const Conjunct& conjunct) const {
    return facts_in_domain(in_.facts_at(realize.block->id), realize).can_prove(conjunct.cond);
  }

  // Is the condition on the dimensions alone that each iteration makes whole? What it cuts off is made by none, so
  // nobody reads it.
  bool cuts_whole_only(const Conjunct& conjunct, const std::vector<const ForNode*>& used,
                       const BlockRealizeNode& writer, const std::vector<size_t>& dims,
                       const std::vector<bool>& whole) const {
    const bool over_outer = std::any_of(outer_.begin(), outer_.end(), [&](const ForNode* node) {
      return uses_var(conjunct.cond, node->var);
    });
    if (over_outer) return false;
    for (const ForNode* node : used) {
      for (size_t d = 0; d < dims.size(); ++d) {
        if (!whole[d] && uses_var(writer.iter_values[dims[d]], node->var)) return false;
      }
    }
    return true;
  }

  bool cuts_terms_only(const Conjunct& conjunct, const BlockRealizeNode& writer) const {
    bool over_reduce = false;
    std::vector<const ForNode*> path = in_.tree.loops_around(writer.block->id);
    for (size_t i = outer_.size(); i < path.size(); ++i) {
      if (!uses_var(conjunct.cond, path[i]->var)) continue;
      Feeds fed = feeds(path[i]->var, writer);
      if (fed.spatial || fed.ordered) return false;
      if (!fed.reduce) {
        in_.refuse("guard", writer.block->id,
                   fmt::format("the condition {} of {} is over {}, which feeds none of its axes",
                               to_pretty(conjunct.cond), quoted(writer), quoted(*path[i])),
                   "do this before the split that made the condition");
      }
      over_reduce = true;
    }
    return over_reduce;
  }

  // A comparison over the inner loop variables in the proportion of one dimension's local part, with that part
  // replaced by the consumer's loop variable; null when it has another form.
  Expr restate(const Conjunct& conjunct, const std::vector<const ForNode*>& used,
               const Produced& produced, const std::vector<size_t>& dims,
               const std::vector<Expr>& locals) {
    const auto* compare = conjunct.cond.as<BinaryNode>();
    if (!compare || !is_comparison(compare->op)) return {};
    Expr difference = compare->a - compare->b;
    for (size_t d = 0; d < dims.size(); ++d) {
      Expr value = produced.writer->iter_values[dims[d]];
      bool all = std::all_of(used.begin(), used.end(),
                             [&](const ForNode* node) { return uses_var(value, node->var); });
      if (!all || !locals[d].defined()) continue;
      // difference - c * (value - min) must be free of the inner loops for c = +-1.
      Expr local = value - produced.ranges[d].min;
      for (int64_t c : {int64_t{1}, int64_t{-1}}) {
        Expr rest = facts_.simplify(difference - make_int(kInt64, c) * local);
        bool free = std::none_of(used.begin(), used.end(),
                                 [&](const ForNode* node) { return uses_var(rest, node->var); });
        if (!free) continue;
        Expr restated = rest + make_int(kInt64, c) * locals[d];
        return facts_.simplify(binary(compare->op, restated, make_int(kInt64, 0)));
      }
    }
    return {};
  }

  Stmt make_nest() {
    const auto& iters = consumer_.block->iter_vars;
    std::vector<NestLoop> loops;
    // Spatial loops outside, reduction loops inside.
    for (const bool reduce : {false, true}) {
      for (size_t i = 0; i < iters.size(); ++i) {
        if ((iters[i].kind == IterKind::kReduce) != reduce) continue;
        if (!values_[i].defined()) add_axis(i, iters[i].dom);
        loops.push_back(loops_by_axis_[i]);
      }
    }
    for (const Conjunct& conjunct : consumer_.guard) require_own_guard(conjunct);
    require_iterations();
    return nest(loops, Stmt(new BlockRealizeNode(values_, guard_, consumer_.block)));
  }

  // A consumer may have results also where nothing is made for it (no terms, a boundary value), so a loop that only
  // repeats it must run.
  void require_iterations() const {
    for (const ForNode* outer : outer_) {
      const bool used = std::any_of(values_.begin(), values_.end(),
                                    [&](const Expr& value) { return uses_var(value, outer->var); });
      // An init was outside of the loops that fed its reduction.
      const bool was_inside =
          in_.tree.encloses(outer->id, consumer_.block->id) && !feeds(outer->var, consumer_).reduce;
      if (used || was_inside) continue;
      // Not with the loop's own bounds, which suppose that it runs.
      if (in_.facts_at(outer->id).can_prove(outer->extent >= make_int(kInt64, 1))) continue;
      in_.refuse("uncovered", outer->id,
                 fmt::format("{} may have no iteration, and {} has results also then",
                             quoted(*outer), quoted(consumer_)),
                 "add an assumption on the size, or use compute_at on the producer");
    }
  }

  // Guards of the old place come from splits of the consumer's own loops, which end with it; what they stated
  // about its domain is stated anew. One over a shared loop would be lost, and where the loop stays, the consumer
  // would run in other iterations of it than what it works with there.
  void require_own_guard(const Conjunct& conjunct) {
    arith::Analyzer facts(facts_);
    for (const Conjunct& moved : guard_) facts.assume(moved.cond);
    for (const ForNode* outer : in_.tree.loops_around(consumer_.block->id)) {
      if (in_.tree.blocks_under(outer->id).size() == 1 || !uses_var(conjunct.cond, outer->var))
        continue;
      bool stays = std::find(outer_.begin(), outer_.end(), outer) != outer_.end();
      if (says_domain(consumer_, conjunct)) continue;
      if (stays && facts.can_prove(conjunct.cond)) continue;
      in_.refuse("guard", consumer_.block->id,
                 fmt::format("the condition {} over the shared {} cannot move",
                             to_pretty(conjunct.cond), quoted(*outer)),
                 "do this before the split that made the condition");
    }
  }

  Stmt insert_nest(const Stmt& body, Stmt new_nest) {
    std::vector<Stmt> children = children_of(body);
    size_t place = 0;
    for (size_t c = 0; c < children.size(); ++c) {
      for (const Produced& produced : produced_) {
        if (contains_block(children[c], produced.writer->block->id)) place = c + 1;
      }
    }
    for (size_t c = 0; c < place; ++c) {
      for (const Buffer& buffer : written_buffers(consumer_.block)) {
        for (const BlockRealizeNode* reader : readers_of(in_.tree, buffer)) {
          if (!contains_block(children[c], reader->block->id)) continue;
          in_.refuse("order", reader->block->id,
                     fmt::format("{} reads what {} makes before it could be made", quoted(*reader),
                                 quoted(consumer_)),
                     "move that block first, or choose a loop further out");
        }
      }
    }
    children.insert(children.begin() + place, std::move(new_nest));
    return ir::seq(std::move(children));
  }

  // Buffers now used inside the loop only live inside it.
  BufferMap shrink_lifetimes() {
    BufferMap moved;
    const bool hands_on = carried_dependence(in_, loop_).has_value();
    for (const Buffer& buffer : in_.func->allocs) {
      bool made_here = std::any_of(produced_.begin(), produced_.end(),
                                   [&](const Produced& p) { return p.buffer.same_as(buffer); });
      bool local = made_here && !hands_on && buffer->alloc_at.kind == AllocAt::Kind::kRoot;
      for (const BlockRealizeNode* reader : readers_of(in_.tree, buffer)) {
        local &= reader == &consumer_ || in_.tree.encloses(loop_.id, reader->block->id);
      }
      allocs_.push_back(local ? with_alloc_at(buffer, {AllocAt::Kind::kLoop, loop_.id}) : buffer);
      if (local) moved[buffer] = allocs_.back();
    }
    return moved;
  }

  Invocation& in_;
  const BlockRealizeNode& consumer_;
  const ForNode& loop_;
  std::vector<const ForNode*> outer_;
  arith::Analyzer facts_;
  std::vector<Produced> produced_;
  std::vector<Expr> values_;
  std::map<size_t, Expr> locals_, extents_;
  std::map<size_t, NestLoop> loops_by_axis_;
  std::map<int64_t, size_t> mover_axis_;  // by the loop that an axis moves with
  std::vector<Conjunct> guard_;
  std::vector<Buffer> allocs_;
};

}  // namespace

/// reverse_compute_at(block, loop): the consumer works on what the loop has just produced.
///
///   before                          after reverse_compute_at(C, i)
///   for i: for j: B[i, j] = …       for i:
///   for i: for j:                     for j: B[i, j] = …
///     C[i, j] = B[i, j] + 1           for j: C[i, j] = B[i, j] + 1
///
/// The consumer must read the produced buffer at its own axes (forwards or backwards, from any place on), except for
/// dimensions that each iteration makes whole; so a reduction moves to a loop that makes all of its terms. The producer
/// must be complete inside the loop, and its guards move along; those of several producers must hold in the same
/// iterations. Errors: schedule.reverse_compute_at.reduction,
/// .no_producer, .incomplete, .scattered, .uncovered, .read_index, .conflicting_ranges, .guard, .order, .several_writers, .vectorized_place,
/// .ordered_loop, .opaque_block.
Outputs run_reverse_compute_at(Invocation& in) { return ReverseComputeAt(in).run(); }

}  // namespace tilewright::schedule
