#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// The loop inside which the buffer lives.
const ForNode& require_home(const Invocation& in, const BlockRealizeNode& writer,
                            const Buffer& buffer) {
  require_intermediate(in, writer, buffer);
  const ForNode* loop =
      buffer->alloc_at.kind == AllocAt::Kind::kLoop ? in.tree.loop(buffer->alloc_at.loop) : nullptr;
  if (loop) return *loop;
  in.refuse("not_in_loop", writer.block->id,
            fmt::format("'{}' is not made anew in each iteration of a loop", buffer->name),
            "compute_at puts its block into the loop of its consumer");
}

class RollingBuffer {
 public:
  explicit RollingBuffer(Invocation& in)
      : in_(in),
        writer_(in.block(0)),
        buffer_(require_written_buffer(in, writer_)),
        loop_(require_home(in, writer_, buffer_)) {}

  Outputs run() {
    in_.moves_blocks = true;
    require_legal();
    find_window();
    require_sliding();
    require_whole_windows();
    Stmt guarded = guard_writer();
    try {
      finish(guarded, fold_modulus());
    } catch (const Refusal& refusal) {
      // Whole rows are kept where the part in use is not known well enough.
      if (refusal.error.code != "schedule.rolling_buffer.fold") throw;
      finish(guarded, 0);
    }
    return {};
  }

 private:
  void require_legal() {
    require_compute_block(in_, writer_);
    require_sole_writer(in_, writer_);
    require_serial(in_, loop_);
    for (const Buffer& buffer : written_buffers(writer_.block)) {
      if (!(require_home(in_, writer_, buffer).id == loop_.id)) {
        in_.refuse(
            "not_in_loop", writer_.block->id,
            fmt::format("'{}' and '{}' live in different loops", buffer_->name, buffer->name),
            "store_at gives both one place");
      }
      if (buffer->scope == Scope::kRegister) {
        in_.refuse("scope", writer_.block->id,
                   fmt::format("'{}' is in registers, which have no positions to roll through",
                               buffer->name),
                   "use set_scope to store it elsewhere");
      }
    }
    around_ = in_.tree.loops_around(loop_.id);
    std::vector<const ForNode*> path = in_.tree.loops_around(writer_.block->id);
    inner_.assign(path.begin() + static_cast<std::ptrdiff_t>(around_.size()) + 1, path.end());
    for (const ForNode* inner : inner_) {
      if (in_.tree.blocks_under(inner->id).size() == 1) continue;
      in_.refuse("shared_loops", inner->id,
                 fmt::format("{} inside {} holds {} and other blocks", quoted(*inner),
                             quoted(loop_), quoted(writer_)),
                 "use this before moving other blocks into the loops of the block");
    }
    dims_ = require_identity_writes(in_, writer_);
    facts_ = in_.facts_at(writer_.block->id);
  }

  bool over_inner(const Expr& e) const {
    return std::any_of(inner_.begin(), inner_.end(),
                       [&](const ForNode* loop) { return uses_var(e, loop->var); });
  }

  // The one dimension that moves with the loop: start + (the variable of one loop inside).
  void find_window() {
    for (const ForNode* inner : inner_) {
      if (!uses_var(inner->extent, loop_.var)) continue;
      if (std::none_of(dims_.begin(), dims_.end(), [&](size_t axis) {
            return uses_var(writer_.iter_values[axis], loop_.var) &&
                   uses_var(writer_.iter_values[axis], inner->var);
          })) {
        refuse_shape();
      }
    }
    bool found = false;
    for (size_t axis = 0; axis < writer_.iter_values.size(); ++axis) {
      const Expr& value = writer_.iter_values[axis];
      if (!uses_var(value, loop_.var)) continue;
      auto dim = std::find(dims_.begin(), dims_.end(), axis);
      if (dim == dims_.end() || found) refuse_shape();
      found = true;
      axis_ = axis;
      dim_ = static_cast<size_t>(dim - dims_.begin());
    }
    if (!found) {
      in_.refuse("no_overlap", loop_.id,
                 fmt::format("the part of '{}' that is used does not move with {}", buffer_->name,
                             quoted(loop_)),
                 "compute_at at a loop further out makes it once");
    }
    const Expr& value = writer_.iter_values[axis_];
    for (const ForNode* inner : inner_) {
      if (!uses_var(value, inner->var)) continue;
      Expr start = facts_.simplify(value - inner->var);
      if (window_ || over_inner(start)) refuse_shape();
      window_ = inner;
      start_ = start;
    }
    if (!window_) {
      in_.refuse("no_overlap", loop_.id,
                 fmt::format("each iteration of {} uses one position of '{}'", quoted(loop_),
                             buffer_->name),
                 "compute_at at the loop along which the consumer reads neighbours");
    }
    for (size_t axis = 0; axis < writer_.iter_values.size(); ++axis) {
      if (axis != axis_ && uses_var(writer_.iter_values[axis], window_->var)) refuse_shape();
    }
  }

  [[noreturn]] void refuse_shape() const {
    in_.refuse("window", writer_.block->id,
               fmt::format("what {} makes in one iteration of {} is not a box that moves along one "
                           "dimension, made by one loop",
                           quoted(writer_), quoted(loop_)),
               "use this after compute_at and before the loops of the block are split, fused or "
               "reordered with "
               "others");
  }

  static Expr shifted(const Expr& e, const Var& var, int64_t by) {
    return substitute(e, {{var, var + make_int(var.dtype(), by)}});
  }

  void require_sliding() {
    end_ = start_ + window_->extent;
    arith::Analyzer facts = in_.facts(around_);
    facts.bind_extent(loop_.var, loop_.extent - make_int(loop_.extent.dtype(), 1));
    bool forward = facts.can_prove(start_ <= shifted(start_, loop_.var, 1)) &&
                   facts.can_prove(end_ <= shifted(end_, loop_.var, 1));
    if (!forward) {
      in_.refuse("not_forward", loop_.id,
                 fmt::format("the part of '{}' that an iteration of {} uses, from {} to {}, is not "
                             "proved to move forward only",
                             buffer_->name, quoted(loop_), to_pretty(start_),
                             to_pretty(facts.simplify(end_))),
                 "leave the buffer as compute_at made it, or let the consumer read from front to "
                 "back");
    }
    if (facts.can_prove(shifted(start_, loop_.var, 1) >= end_)) {
      in_.refuse("no_overlap", loop_.id,
                 fmt::format("iterations of {} use parts of '{}' that do not overlap",
                             quoted(loop_), buffer_->name),
                 "leave it out: nothing is made twice");
    }
  }

  // What an iteration made is the whole box, as far as it lies in the block's domain.
  void require_whole_windows() {
    const IterVar& iter = writer_.block->iter_vars[axis_];
    const Expr& value = writer_.iter_values[axis_];
    arith::Analyzer facts(facts_);
    facts.assume(value >= iter.dom.min);
    facts.assume(value < iter.dom.min + iter.dom.extent);
    for (const Conjunct& conjunct : writer_.guard) {
      bool moving = uses_var(conjunct.cond, loop_.var) || uses_var(conjunct.cond, window_->var);
      if (conjunct.tail != Tail::kRolling && (!moving || facts.can_prove(conjunct.cond))) continue;
      if (ends_with_readers(conjunct)) continue;
      in_.refuse("guard", writer_.block->id,
                 fmt::format("the condition {} of {} leaves out parts of what an iteration of {} "
                             "needs",
                             to_pretty(conjunct.cond), quoted(writer_), quoted(loop_)),
                 "use this before the loops of the block are split");
    }
  }

  // A condition that, once it fails, fails for the rest of the loop, for the readers as well: what is not made then is
  // not needed any more.
  bool ends_with_readers(const Conjunct& conjunct) const {
    const auto* bound = conjunct.cond.as<BinaryNode>();
    if (!bound || bound->op != BinaryOp::kLt || uses_var(conjunct.cond, window_->var)) return false;
    for (const auto& [term, factor] : facts_.linear_form(bound->b - bound->a).terms) {
      if (uses_var(term, loop_.var) && (term.get() != loop_.var.get() || factor > 0)) return false;
    }
    return readers_guarded_by(in_.tree, buffer_, conjunct.cond);
  }

  Stmt guard_writer() const {
    Expr done = facts_.simplify(shifted(end_, loop_.var, -1) - start_);
    if (has_fault(Fault::rolling_skips_newest)) done = done + 1;
    Expr first = loop_.var == make_int(loop_.var.dtype(), 0);
    std::vector<Conjunct> guard = writer_.guard;
    guard.push_back({first || (window_->var >= done), loop_.id, Tail::kRolling});
    return replace_stmt(in_.func->body, &writer_, with_guard(writer_, std::move(guard)));
  }

  // 0: no constant fits.
  int64_t fold_modulus() const {
    const arith::Interval range = facts_.const_interval(window_->extent);
    if (range.max == arith::Interval::kPosInf) return 0;
    const int64_t* whole = as_const_int(buffer_->shape[dim_]);
    return whole && *whole <= range.max ? 0 : std::max<int64_t>(range.max, 1);
  }

  Layout folded(const Buffer& buffer, int64_t modulus) const {
    if (modulus == 0) return buffer->layout;
    const Layout& old = buffer->layout;
    std::vector<int64_t> fold(buffer->shape.size(), 0);
    if (old && !old->fold_moduli.empty()) fold = old->fold_moduli;
    fold[dim_] = modulus;
    if (!old) return Layout(new LayoutNode({}, {}, {}, {}, fold));
    return Layout(new LayoutNode(old->vars, old->physical, old->strides, old->elem_offset, fold,
                                 old->versions, old->swizzle));
  }

  void finish(const Stmt& root, int64_t modulus) {
    AllocAt home;
    if (!around_.empty()) home = {AllocAt::Kind::kLoop, around_.back()->id};
    BufferMap moved;
    std::vector<Buffer> allocs;
    std::vector<Buffer> own = written_buffers(writer_.block);
    for (const Buffer& buffer : in_.func->allocs) {
      bool mine =
          std::any_of(own.begin(), own.end(), [&](const Buffer& b) { return b.same_as(buffer); });
      allocs.push_back(mine ? with_alloc_at(with_layout(buffer, folded(buffer, modulus)), home)
                            : buffer);
      if (mine) moved[buffer] = allocs.back();
    }
    in_.finish(replace_buffers(root, moved), std::move(allocs));
  }

  Invocation& in_;
  const BlockRealizeNode& writer_;
  const Buffer buffer_;
  const ForNode& loop_;
  std::vector<const ForNode*> around_, inner_;
  std::vector<size_t> dims_;
  arith::Analyzer facts_;
  size_t axis_ = 0, dim_ = 0;
  const ForNode* window_ = nullptr;
  Expr start_, end_;  // of the window in one iteration, end excluded
};

}  // namespace

/// rolling_buffer(block, write_index): the block makes only what earlier iterations have not.
///
///   before (after compute_at(B, i))       after rolling_buffer(B)
///   for i:                                alloc B with room for 3 rows
///     for r in 0..3: B[i + r] = …         for i:
///     C[i] = B[i] + B[i+1] + B[i+2]         for r in 0..3: if i == 0 || r >= 2: B[i + r] = …
///                                           C[i] = B[i] + B[i+1] + B[i+2]
///
/// The loop is the one inside which the buffer lives; the part used must move forward along one dimension. The
/// buffer lives outside that loop from now on and, where the length of the part has a constant bound, holds only
/// that many positions (element r lies at r mod length). The loop's iterations depend on each other then, so it
/// cannot become parallel. Errors: schedule.rolling_buffer.not_in_loop, .no_overlap, .window, .not_forward,
/// .guard, .shared_loops, .scope, .loop_kind, .several_writers, .write_index, .parameter, .rolling,
/// .opaque_block. (Sliding windows: Ragan-Kelley et al., "Halide", PLDI 2013.)
Outputs run_rolling_buffer(Invocation& in) { return RollingBuffer(in).run(); }

}  // namespace tilewright::schedule
