#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/fixed_place.h"
#include "schedule/inputs_made.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/tail_check.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

void require_intermediate_outputs(const Invocation& in, const BlockRealizeNode& producer) {
  for (const Buffer& buffer : written_buffers(producer.block)) {
    if (!is_param(in.func, buffer)) continue;
    in.refuse("parameter", producer.block->id,
              fmt::format("'{}' is a parameter of '{}' and must be made whole; compute_at makes "
                          "what the readers in a loop need",
                          buffer->name, in.func->name),
              "reverse_compute_at moves a block into the loop of what it reads; cache_write gives "
              "a buffer that may be made in parts");
  }
}

void require_foreign_loop(const Invocation& in, const BlockRealizeNode& producer,
                          const ForNode& loop) {
  if (in.tree.encloses(loop.id, producer.block->id) && in.tree.blocks_under(loop.id).size() == 1) {
    in.refuse("own_loop", loop.id,
              fmt::format("{} is a loop of {} itself", quoted(loop), quoted(producer)),
              "choose a loop of a consumer; get_consumers lists them");
  }
}

void require_consumers_inside(const Invocation& in, const BlockRealizeNode& producer,
                              const ForNode& loop) {
  bool any = false;
  for (const Buffer& buffer : written_buffers(producer.block)) {
    for (const BlockRealizeNode* reader : readers_of(in.tree, buffer)) {
      any = true;
      if (in.tree.encloses(loop.id, reader->block->id)) continue;
      in.refuse(
          "consumer_outside", reader->block->id,
          fmt::format("{} reads '{}' outside {}", quoted(*reader), buffer->name, quoted(loop)),
          "choose a loop around all consumers");
    }
  }
  if (!any) {
    in.refuse("no_consumer", producer.block->id,
              fmt::format("nothing inside {} reads what {} writes", quoted(loop), quoted(producer)),
              "choose a loop of a block that reads it; get_consumers lists them");
  }
}

void require_usable_place(const Invocation& in, const BlockRealizeNode& producer,
                          const ForNode& loop) {
  std::vector<const ForNode*> around = in.tree.loops_around(loop.id);
  around.push_back(&loop);
  for (const ForNode* outer : around) {
    if (outer->for_kind == ForKind::kVectorized) {
      in.refuse("vectorized_place", outer->id,
                fmt::format("{} is vectorized; a nest inside it would need a buffer per lane",
                            quoted(*outer)),
                "compute the block at a loop outside the vectorized one");
    }
  }
  for (const IterVar& iter : producer.block->iter_vars) {
    if (iter.kind == IterKind::kOrdered || iter.kind == IterKind::kOpaque) {
      in.refuse("ordered_loop", producer.block->id,
                fmt::format("{} has the ordered axis '{}'", quoted(producer), iter.var.name()),
                "only blocks of spatial and reduction axes can be moved into a loop");
    }
  }
}

// The box of the producer's outputs that is read inside the loop, one range a dimension.
std::vector<Range> needed_ranges(const Invocation& in, const ForNode& loop, const Block& producer) {
  std::vector<const ForNode*> outer = in.tree.loops_around(loop.id);
  outer.push_back(&loop);
  arith::Analyzer facts = in.facts(outer);
  std::vector<Range> ranges;
  for (const Buffer& buffer : written_buffers(producer)) {
    std::optional<Region> region = arith::accessed_region(facts, loop.body, buffer, true, false);
    if (!region) continue;
    if (ranges.empty()) {
      ranges = region->ranges;
      continue;
    }
    for (size_t d = 0; d < ranges.size(); ++d) {
      Expr low = min(ranges[d].min, region->ranges[d].min);
      Expr high =
          max(ranges[d].min + ranges[d].extent, region->ranges[d].min + region->ranges[d].extent);
      ranges[d] = {facts.simplify(low), facts.simplify(high - low)};
    }
  }
  return ranges;
}

Tail read_tail(const Invocation& in, const ForNode& loop) {
  std::string word = in.text_attr("tail");
  if (word == "guard") return Tail::kGuard;
  if (word == "pad") return Tail::kPad;
  in.refuse("tail", loop.id, fmt::format("unknown tail policy '{}'", word), {}, {"guard", "pad"});
}

// What all consumers inside the loop are guarded by and is decided outside of their own loops: where it fails, nothing
// of the producer is needed, and its own inputs need not have been made. A padded tail computes all the same.
std::vector<Conjunct> guards_of_consumers(const Invocation& in, const ForNode& loop,
                                          const BlockRealizeNode& producer,
                                          const std::vector<const ForNode*>& outer) {
  std::vector<const BlockRealizeNode*> consumers;
  for (const Buffer& buffer : written_buffers(producer.block)) {
    for (const BlockRealizeNode* reader : readers_of(in.tree, buffer)) {
      if (reader != &producer && in.tree.encloses(loop.id, reader->block->id)) {
        consumers.push_back(reader);
      }
    }
  }
  std::vector<Conjunct> common;
  if (consumers.empty()) return common;
  const auto known = [&](const Var& var) {
    return std::any_of(outer.begin(), outer.end(),
                       [&](const ForNode* node) { return node->var.get() == var.get(); });
  };
  for (const Conjunct& conjunct : consumers.front()->guard) {
    bool outside = conjunct.tail != Tail::kPad;
    for (const ForNode* node : in.tree.loops_around(consumers.front()->block->id)) {
      outside = outside && (known(node->var) || !uses_var(conjunct.cond, node->var));
    }
    const bool all =
        std::all_of(consumers.begin(), consumers.end(), [&](const BlockRealizeNode* consumer) {
          return lower::is_guarded_by(*consumer, conjunct.cond, /*or_padded=*/false);
        });
    if (outside && all) common.push_back(conjunct);
  }
  return common;
}

// The producer's new nest inside the loop.
Stmt make_nest(Invocation& in, const ForNode& loop, const BlockRealizeNode& producer,
               const std::vector<size_t>& dims, const std::vector<Range>& ranges, Tail tail) {
  std::vector<const ForNode*> outer = in.tree.loops_around(loop.id);
  outer.push_back(&loop);
  arith::Analyzer facts = in.facts(outer);
  const auto& iters = producer.block->iter_vars;
  std::vector<Expr> values(iters.size());
  std::vector<Conjunct> guard;
  std::vector<NestLoop> loops;
  for (size_t i = 0; i < iters.size(); ++i) {
    Range range = iters[i].dom;
    auto dim = std::find(dims.begin(), dims.end(), i);
    if (dim != dims.end()) {
      const Range& needed = ranges[dim - dims.begin()];
      // A whole tile to be padded stays one, also where it is larger than the domain.
      const bool whole_tile = tail == Tail::kPad && iters[i].kind == IterKind::kSpatial;
      if (whole_tile || !facts.can_prove(needed.extent >= range.extent)) range = needed;
      if (has_fault(Fault::compute_at_one_short)) range.extent = range.extent - 1;
    }
    Var var(iters[i].var.name(), kInt64);
    loops.push_back({var, facts.simplify(range.extent), ForKind::kSerial, in.fresh_id()});
    AxisPlan plan = plan_axis(facts, var, loops.back().id, range, iters[i].dom);
    values[i] = plan.value;
    for (Conjunct conjunct : plan.guard) {
      if (has_fault(Fault::compute_at_drops_guard)) break;
      if (iters[i].kind == IterKind::kSpatial) conjunct.tail = tail;
      guard.push_back(std::move(conjunct));
    }
  }
  for (Conjunct& conjunct : guards_of_consumers(in, loop, producer, outer)) {
    guard.push_back(std::move(conjunct));
  }
  // Spatial loops outside, reduction loops inside.
  std::stable_sort(loops.begin(), loops.end(), [&](const NestLoop& a, const NestLoop& b) {
    auto is_reduce = [&](const NestLoop& l) {
      for (size_t i = 0; i < iters.size(); ++i) {
        if (uses_var(values[i], l.var)) return iters[i].kind == IterKind::kReduce;
      }
      return false;
    };
    return !is_reduce(a) && is_reduce(b);
  });
  return nest(loops, Stmt(new BlockRealizeNode(values, guard, producer.block)));
}

// `body` with the nest put before the first consumer and behind the last producer of what it reads.
Stmt insert_nest(const Invocation& in, const ForNode& loop, const Stmt& body,
                 const BlockRealizeNode& producer, Stmt new_nest) {
  std::vector<Stmt> children = children_of(body);
  size_t first_consumer = children.size(), after_producers = 0;
  for (size_t c = 0; c < children.size(); ++c) {
    for (const BlockRealizeNode* other : in.tree.blocks_under(loop.id)) {
      if (other == &producer || !contains_block(children[c], other->block->id)) continue;
      for (const Buffer& buffer : written_buffers(producer.block)) {
        if (block_reads(other->block, buffer)) first_consumer = std::min(first_consumer, c);
      }
      for (const Region& read : producer.block->reads) {
        if (block_writes(other->block, read.buffer) && !block_writes(producer.block, read.buffer)) {
          after_producers = c + 1;
        }
      }
    }
  }
  if (after_producers > first_consumer) {
    in.refuse("order", producer.block->id,
              fmt::format("inside {}, an input of {} is made only after its first consumer",
                          quoted(loop), quoted(producer)),
              "choose a loop further out, or move what makes the input first");
  }
  children.insert(children.begin() + first_consumer, std::move(new_nest));
  return ir::seq(std::move(children));
}

}  // namespace

/// compute_at(block, loop, tail): the producer is computed inside the loop, just the part that its consumers read
/// there.
///
///   before                        after compute_at(B, i)
///   for i: for j: B[i, j] = …     for i:
///   for i: for j:                   for j: B[i, j] = …
///     C[i, j] = B[i, j] + 1         for j: C[i, j] = B[i, j] + 1
///
/// The block gets one new loop per axis, spatial ones first; schedule it after moving it. Its buffer lives
/// inside the loop, unless store_at has fixed its place. Where the part may reach beyond the block's domain, tail="guard" keeps a condition on each
/// point; tail="pad" computes whole parts into surplus room of the buffer (every input must be padded as well).
/// Errors: schedule.compute_at.tail, .pad_tail, .parameter, .consumer_outside, .no_consumer, .several_writers,
/// .vectorized_place, .own_loop, .overwritten_input, .ordered_loop, .write_index, .order,
/// .opaque_block.
Outputs run_compute_at(Invocation& in) {
  in.moves_blocks = true;
  in.tails_proved_late = in.attrs.count("proof") > 0;
  const BlockRealizeNode& producer = in.block(0);
  const ForNode& loop = in.loop(1);
  require_compute_block(in, producer);
  require_sole_writer(in, producer);
  require_intermediate_outputs(in, producer);
  require_foreign_loop(in, producer, loop);
  require_consumers_inside(in, producer, loop);
  require_usable_place(in, producer, loop);
  std::vector<size_t> dims = require_identity_writes(in, producer);
  require_own_elements(in, producer);
  std::vector<Range> ranges = needed_ranges(in, loop, producer.block);
  Stmt new_nest = make_nest(in, loop, producer, dims, ranges, read_tail(in, loop));

  // Take the block out of its old place first; the loop's body may have held it.
  Stmt marker(new SeqNode(std::vector<Stmt>{}));
  Stmt old_body = replace_stmt(loop.body, &producer, marker);
  Stmt body = insert_nest(in, loop, old_body, producer, new_nest);
  for (const Buffer& made : written_buffers(producer.block)) {
    for (const BlockRealizeNode* reader : readers_of(in.tree, made)) {
      if (reader != &producer) require_inputs_kept(in, producer, *reader);
    }
  }
  Stmt root = replace_stmt(in.func->body, &loop, ir::with_body(&loop, body));
  if (!in.tree.encloses(loop.id, producer.block->id)) root = replace_stmt(root, &producer, marker);

  BufferMap moved;
  std::vector<Buffer> allocs;
  std::vector<Buffer> outputs = written_buffers(producer.block);
  for (const Buffer& buffer : in.func->allocs) {
    bool own = std::any_of(outputs.begin(), outputs.end(),
                           [&](const Buffer& b) { return b.same_as(buffer); });
    if (!own || has_fixed_place(in.func, buffer)) {
      allocs.push_back(buffer);
      continue;
    }
    allocs.push_back(with_alloc_at(buffer, {AllocAt::Kind::kLoop, loop.id}));
    moved[buffer] = allocs.back();
  }
  root = replace_buffers(root, moved);
  if (!in.draft) {
    require_inputs_made(in, ir::with_allocs(ir::with_body(in.func, root), allocs),
                        producer.block->id);
  }
  in.finish(root, std::move(allocs));
  return {};
}

}  // namespace tilewright::schedule
