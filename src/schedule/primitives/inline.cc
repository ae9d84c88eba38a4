#include <algorithm>

#include "schedule/axis_index.h"
#include "schedule/block_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Replaces loads of `buffer` by `value` with the iter vars `vars` set to the load's indices.
class InlineLoads final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  InlineLoads(Buffer buffer, std::vector<Expr> vars, Expr value)
      : buffer_(std::move(buffer)), vars_(std::move(vars)), value_(std::move(value)) {}

 protected:
  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    Expr done = mutate_children(node, self);
    if (!node.buffer.same_as(buffer_)) return done;
    VarMap map;
    const auto* load = done.as<LoadNode>();
    for (size_t d = 0; d < vars_.size(); ++d) map[vars_[d]] = load->indices[d];
    return substitute(value_, map);
  }

 private:
  Buffer buffer_;
  std::vector<Expr> vars_;
  Expr value_;
};

Stmt inline_into(const BlockRealizeNode& realize, InlineLoads& rewriter) {
  const Block& b = realize.block;
  Expr where = b->where.defined() ? rewriter.mutate(b->where) : Expr();
  Block inlined(new BlockNode(b->id, b->name, b->block_kind, b->iter_vars, where, {}, {},
                              b->reducer, b->init ? rewriter.mutate(b->init) : Stmt(),
                              rewriter.mutate(b->body), b->annotations, b->origin));
  return with_block(realize, arith::with_derived_regions(inlined));
}

const StoreNode& require_plain_store(const Invocation& in, const BlockRealizeNode& realize) {
  require_compute_block(in, realize);
  const StoreNode* store = sole_store(realize.block);
  if (realize.block->reducer || !store) {
    in.refuse("not_injective", realize.block->id,
              fmt::format("{} is {}; only a block that stores one expression can be inlined",
                          quoted(realize),
                          realize.block->reducer ? "a reduction" : "a block of several statements"),
              "use compute_at");
  }
  if (realize.block->where.defined()) {
    in.refuse("masked", realize.block->id,
              fmt::format("{} is masked by {}", quoted(realize), to_pretty(realize.block->where)),
              "keep the block and move it with compute_at or reverse_compute_at");
  }
  return *store;
}

std::vector<Expr> iter_of_dims(const Block& block, const std::vector<size_t>& dims) {
  std::vector<Expr> vars;
  for (size_t dim : dims) vars.push_back(block->iter_vars[dim].var);
  return vars;
}

// Does `inner` live in a loop inside that of `outer`?
bool lives_inside(const Tree& tree, const Buffer& inner, const Buffer& outer) {
  if (inner->alloc_at.kind != AllocAt::Kind::kLoop) return false;
  return outer->alloc_at.kind != AllocAt::Kind::kLoop ||
         tree.encloses(outer->alloc_at.loop, inner->alloc_at.loop);
}

// Ends the primitive. What takes the place of `gone` must last as long: a pipeline reads it in a later iteration.
void finish_without(Invocation& in, const Buffer& gone, Stmt root,
                    const std::vector<Buffer>& instead) {
  BufferMap moved;
  std::vector<Buffer> allocs = in.func->allocs;
  for (const Buffer& buffer : instead) {
    if (!lives_inside(in.tree, buffer, gone)) continue;
    const auto place = std::find_if(allocs.begin(), allocs.end(),
                                    [&](const Buffer& b) { return b.same_as(buffer); });
    *place = with_alloc_at(buffer, gone->alloc_at);
    moved[buffer] = *place;
  }
  if (moved.empty()) {
    in.finish(std::move(root));
  } else {
    in.finish(replace_buffers(root, moved), std::move(allocs));
  }
}

}  // namespace

/// compute_inline(block): the producer's expression takes the place of each read of it.
///
///   before                          after compute_inline(B)
///   for i: B[i] = A[i] * 2          for i: C[i] = A[i] * 2 + 1
///   for i: C[i] = B[i] + 1
///
/// Errors: schedule.compute_inline.not_injective, .parameter, .masked, .write_index, .no_consumer,
/// .several_writers, .overwritten_input, .ordered_loop, .opaque_block.
Outputs run_compute_inline(Invocation& in) {
  in.moves_blocks = true;
  const BlockRealizeNode& producer = in.block(0);
  const StoreNode& store = require_plain_store(in, producer);
  require_intermediate(in, producer, store.buffer);
  require_sole_writer(in, producer);
  require_no_ordered_axis(in, producer);
  std::vector<size_t> dims = require_identity_writes(in, producer);
  require_own_elements(in, producer);
  for (const BlockRealizeNode* reader : readers_of(in.tree, store.buffer)) {
    require_compute_block(in, *reader);
    require_inputs_kept(in, producer, *reader);
  }
  if (readers_of(in.tree, store.buffer).empty()) {
    in.refuse("no_consumer", producer.block->id,
              fmt::format("nothing reads '{}'", store.buffer->name),
              "give the block whose result others read; get_consumers lists them");
  }
  InlineLoads rewriter(store.buffer, iter_of_dims(producer.block, dims), store.value);
  Stmt root = replace_stmt(in.func->body, &producer, nop());
  root = map_blocks(root, [&](const BlockRealizeNode& realize, const Stmt& self) {
    return block_reads(realize.block, store.buffer) ? inline_into(realize, rewriter) : self;
  });
  std::vector<Buffer> inputs;
  for (const Region& read : producer.block->reads) inputs.push_back(read.buffer);
  finish_without(in, store.buffer, root, inputs);
  return {};
}

/// reverse_compute_inline(block): an element-wise consumer is applied where its producer stores.
///
///   before                          after reverse_compute_inline(C)
///   for i: B[i] = A[i] * 2          for i: C[i] = A[i] * 2 + 1
///   for i: C[i] = B[i] + 1
///
/// The consumer must be the only reader of its only produced input and read it at its own axes (forwards or backwards,
/// from any place on), one to one.
/// Errors: schedule.reverse_compute_inline.not_injective, .producer, .several_readers, .read_index, .parameter,
/// .masked, .overwritten_input, .ordered_loop, .opaque_block.
Outputs run_reverse_compute_inline(Invocation& in) {
  in.moves_blocks = true;
  const BlockRealizeNode& consumer = in.block(0);
  const StoreNode& out = require_plain_store(in, consumer);
  require_no_ordered_axis(in, consumer);
  require_sole_writer(in, consumer);
  std::vector<const BlockRealizeNode*> producers;
  Buffer middle;
  for (const Region& read : consumer.block->reads) {
    for (const BlockRealizeNode* writer : writers_of(in.tree, read.buffer)) {
      producers.push_back(writer);
      middle = read.buffer;
    }
  }
  if (producers.size() != 1) {
    in.refuse("producer", consumer.block->id,
              fmt::format("{} reads the results of {} blocks; it must read exactly one",
                          quoted(consumer), producers.size()),
              "compute_inline the other producers first, or use reverse_compute_at");
  }
  const BlockRealizeNode& producer = *producers[0];
  const StoreNode& store = require_plain_store(in, producer);
  require_no_ordered_axis(in, producer);
  require_intermediate(in, producer, middle);
  if (readers_of(in.tree, middle).size() != 1) {
    in.refuse("several_readers", producer.block->id,
              fmt::format("'{}' has other readers", middle->name),
              "use reverse_compute_at, which keeps the buffer");
  }
  // The consumer stores where the producer does now: what that reads may not be its output.
  require_inputs_kept(in, producer, consumer);
  std::vector<size_t> out_dims = require_identity_writes(in, consumer);
  std::vector<size_t> made_dims = require_identity_writes(in, producer);
  require_own_elements(in, producer);
  require_own_elements(in, consumer);

  // The producer's value at iter vars p, read by the consumer at indices that are its iter vars c (forwards or
  // backwards, from some place on), one to one.
  VarMap to_producer;
  arith::Analyzer facts = in.facts();
  bool legal = true, seen = false;
  walk_exprs(out.value, [&](const Expr& e) {
    const auto* read = e.as<LoadNode>();
    if (!read || !read->buffer.same_as(middle)) return;
    seen = true;
    for (size_t d = 0; d < read->indices.size(); ++d) {
      const IterVar& made = producer.block->iter_vars[made_dims[d]];
      const auto index = axis_index(in.func, facts, consumer.block, read->indices[d]);
      if (!index) {
        legal = false;
        return;
      }
      const IterVar& axis = consumer.block->iter_vars[index->axis];
      const Expr value = facts.simplify(index->inverse(made.var));
      auto [entry, fresh] = to_producer.emplace(axis.var, value);
      legal &= fresh || structural_equal(entry->second, value);
      const Range reached = index->at(axis.dom);
      legal &= facts.can_prove_equal(reached.min, made.dom.min) &&
               facts.can_prove_equal(reached.extent, made.dom.extent);
    }
  });
  if (!legal || !seen || to_producer.size() != consumer.block->iter_vars.size() ||
      to_producer.size() != producer.block->iter_vars.size()) {
    in.refuse("read_index", consumer.block->id,
              fmt::format("{} does not read '{}' at its own axes, one to one", quoted(consumer),
                          middle->name),
              "use reverse_compute_at");
  }
  std::vector<Expr> indices;
  for (size_t dim : out_dims) indices.push_back(to_producer[consumer.block->iter_vars[dim].var]);
  Expr value = substitute(out.value, to_producer);
  InlineLoads rewriter(middle, iter_of_dims(producer.block, made_dims), store.value);
  Stmt body = ir::store(out.buffer, indices, rewriter.mutate(value));
  const Block& b = producer.block;
  Block fused(new BlockNode(b->id, consumer.block->name, b->block_kind, b->iter_vars, b->where, {},
                            {}, b->reducer, b->init, body, b->annotations, b->origin));
  Stmt root = replace_stmt(in.func->body, &consumer, nop());
  root = replace_stmt(root, &producer, with_block(producer, arith::with_derived_regions(fused)));
  finish_without(in, middle, root, {out.buffer});
  return {};
}

}  // namespace tilewright::schedule
