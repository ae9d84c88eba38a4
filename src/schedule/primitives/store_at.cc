#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/fixed_place.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

class StoreAt {
 public:
  explicit StoreAt(Invocation& in) : in_(in), writer_(in.block(0)), loop_(in.loop(1)) {
    outer_ = in.tree.loops_around(loop_.id);
    outer_.push_back(&loop_);
    facts_ = in.facts(outer_);
  }

  Outputs run() {
    in_.moves_blocks = true;
    buffer_ = require_written_buffer(in_, writer_);
    require_intermediate(in_, writer_, buffer_);
    require_uses_inside();
    require_scalar_place();
    if (narrows()) require_values_stay();
    Buffer moved = with_alloc_at(buffer_, {AllocAt::Kind::kLoop, loop_.id});
    std::vector<Buffer> allocs;
    for (const Buffer& buffer : in_.func->allocs) {
      allocs.push_back(buffer.same_as(buffer_) ? moved : buffer);
    }
    Stmt body = replace_buffers(in_.func->body, {{buffer_, moved}});
    require_accumulators_live(ir::with_allocs(ir::with_body(in_.func, body), allocs), moved);
    in_.func = with_fixed_place(in_.func, moved);
    in_.finish(body, std::move(allocs));
    return {};
  }

 private:
  void require_uses_inside() const {
    for (const BlockRealizeNode* user : in_.tree.blocks_under(-1)) {
      if (!block_reads(user->block, buffer_) && !block_writes(user->block, buffer_)) continue;
      if (in_.tree.encloses(loop_.id, user->block->id)) continue;
      in_.refuse(
          "uses_outside", user->block->id,
          fmt::format("{} uses '{}' outside {}", quoted(*user), buffer_->name, quoted(loop_)),
          "choose a loop around all blocks that write and read the buffer; compute_at moves "
          "a producer into a loop");
    }
  }

  void require_scalar_place() const {
    for (const ForNode* outer : outer_) {
      if (outer->for_kind != ForKind::kVectorized) continue;
      in_.refuse("vectorized_place", outer->id,
                 fmt::format("{} is vectorized; a buffer inside it would be needed for each lane",
                             quoted(*outer)),
                 "choose a loop outside the vectorized one");
    }
  }

  // Would iterations that share the buffer now get one of their own?
  bool narrows() const {
    const AllocAt& at = buffer_->alloc_at;
    return at.kind != AllocAt::Kind::kLoop || in_.tree.encloses(at.loop, loop_.id);
  }

  // Everything that is read in one iteration of the loop must be written in the same one.
  void require_values_stay() const {
    const BlockRealizeNode& first = *writers_of(in_.tree, buffer_).front();
    require_compute_block(in_, first);
    std::vector<size_t> dims = require_identity_writes(in_, first);
    for (const BlockRealizeNode* reader : readers_of(in_.tree, buffer_)) {
      if (in_.tree.index(reader->block->id) >= in_.tree.index(first.block->id)) continue;
      refuse_flow(fmt::format("{} reads what the iteration before has written", quoted(*reader)));
    }
    for (const Conjunct& conjunct : first.guard) {
      // Conditions on the loops inside are those of the block's domain, and nothing is read beyond it.
      bool skips = false;
      for (const ForNode* node : in_.tree.loops_around(first.block->id)) {
        if (!uses_var(conjunct.cond, node->var)) continue;
        skips = std::find(outer_.begin(), outer_.end(), node) != outer_.end();
        if (!skips) break;
      }
      if (skips && !readers_guarded_by(in_.tree, buffer_, conjunct.cond)) {
        refuse_flow(fmt::format("{} runs only where {}", quoted(first), to_pretty(conjunct.cond)));
      }
    }
    walk_stmts(loop_.body, [&](const Stmt& s) {
      if (!s.as<IfNode>() || !contains_block(s, first.block->id)) return;
      refuse_flow(fmt::format("{} runs under a condition", quoted(first)));
    });
    if (first.block->where.defined() && !first.block->reducer) {
      refuse_flow(fmt::format("{} is masked by {}", quoted(first), to_pretty(first.block->where)));
    }
    std::vector<Var> inner;
    Expr points = make_int(kInt64, 1), volume = make_int(kInt64, 1);
    for (const ForNode* node : inner_loops(first)) {
      inner.push_back(node->var);
      if (feeds(node->var, first).spatial) points = points * node->extent;
    }
    arith::Analyzer facts = in_.facts(in_.tree.loops_around(first.block->id));
    const std::optional<Region> reads =
        arith::accessed_region(facts_, loop_.body, buffer_, true, false);
    for (size_t d = 0; d < dims.size(); ++d) {
      const arith::SymbolicInterval made = facts.bounds_over(first.iter_values[dims[d]], inner);
      if (!made.min.defined() || !made.max.defined()) refuse_flow("the part written is not known");
      volume = volume * (made.max - made.min + 1);
      if (!reads) continue;
      const Range& read = reads->ranges[d];
      if (facts_.can_prove(read.min >= made.min) &&
          facts_.can_prove(read.min + read.extent <= made.max + 1)) {
        continue;
      }
      refuse_flow(
          fmt::format("dimension {} is read from {} on, {} elements, and written from {} "
                      "to {}",
                      d, to_pretty(read.min), to_pretty(read.extent), to_pretty(made.min),
                      to_pretty(made.max)));
    }
    if (!facts_.can_prove_equal(points, volume)) {
      refuse_flow(fmt::format("{} does not write a solid box there", quoted(first)));
    }
    require_guard_at_the_end(first, facts);
  }

  std::vector<const ForNode*> inner_loops(const BlockRealizeNode& writer) const {
    std::vector<const ForNode*> path = in_.tree.loops_around(writer.block->id);
    return {path.begin() + static_cast<std::ptrdiff_t>(outer_.size()), path.end()};
  }

  // Where a condition of the writer fails, the point lies behind its axis and is nobody's.
  void require_guard_at_the_end(const BlockRealizeNode& writer,
                                const arith::Analyzer& facts) const {
    for (const Conjunct& conjunct : writer.guard) {
      arith::Analyzer failing(facts);
      failing.assume(!conjunct.cond);
      bool outside = false, spatial = false;
      for (size_t i = 0; i < writer.iter_values.size(); ++i) {
        const IterVar& iter = writer.block->iter_vars[i];
        if (iter.kind != IterKind::kSpatial) continue;
        const Expr& value = writer.iter_values[i];
        for (const Var& var : free_vars(conjunct.cond)) spatial |= uses_var(value, var);
        outside |= failing.can_prove(value >= iter.dom.min + iter.dom.extent) ||
                   failing.can_prove(value < iter.dom.min);
      }
      if (outside || (!spatial && writer.block->init)) continue;
      refuse_flow(fmt::format("{} leaves out points where {} fails", quoted(writer),
                              to_pretty(conjunct.cond)));
    }
  }

  [[noreturn]] void refuse_flow(const std::string& why) const {
    in_.refuse("values_flow", loop_.id,
               fmt::format("it is not proved that each iteration of {} reads only what it has "
                           "written itself of '{}': {}",
                           quoted(loop_), buffer_->name, why),
               "compute the writer at this loop first, or choose a loop further out");
  }

  // An accumulator must outlive the loops over which it accumulates.
  void require_accumulators_live(const PrimFunc& next, const Buffer& moved) const {
    const PrimFunc fixed = fix_allocs(next);
    for (const Buffer& buffer : fixed->allocs) {
      if (buffer->name != moved->name || buffer->alloc_at == moved->alloc_at) continue;
      in_.refuse("reduction_loop", loop_.id,
                 fmt::format("'{}' accumulates over iterations of {} or of a loop around it",
                             buffer_->name, quoted(loop_)),
                 "choose a loop outside all loops of the reduction");
    }
  }

  Invocation& in_;
  const BlockRealizeNode& writer_;
  const ForNode& loop_;
  std::vector<const ForNode*> outer_;
  arith::Analyzer facts_;
  Buffer buffer_;
};

}  // namespace

/// store_at(block, loop, write_index): the buffer that the block writes lives inside `loop` from now on, also when
/// compute_at moves the block further in.
///
///   before                              after store_at(B, i)        after compute_at(B, j) as well
///   for i:                              for i:                      for i:
///     alloc B in loop j                   alloc B                     alloc B
///     for j: B[i, j] = …; C[i, j] = B…    for j: …                    for j: …
///
/// Further out, iterations share the buffer, which a parallel or vectorized loop in between does not allow; further
/// in, each iteration has its own and must read only what it wrote. Errors: schedule.store_at.uses_outside,
/// .reduction_loop, .values_flow, .vectorized_place, .overlapping_writes, .parameter, .write_index, .opaque_block.
Outputs run_store_at(Invocation& in) { return StoreAt(in).run(); }

}  // namespace tilewright::schedule
