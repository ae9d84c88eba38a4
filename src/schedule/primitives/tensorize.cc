#include <algorithm>

#include "schedule/block_nest.h"
#include "schedule/instruction_check.h"
#include "schedule/match_nest.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

void Schedule::declare_instruction(TensorInstruction instruction) {
  auto known = instructions_.find(instruction.name);
  if (known != instructions_.end() && instruction.reference && instruction.implementation &&
      structural_equal(known->second.reference, instruction.reference) &&
      structural_equal(known->second.implementation, instruction.implementation)) {
    return;
  }
  if (known != instructions_.end()) {
    fail("schedule.instruction.redeclared",
         "an instruction '{}' that does something else is declared already; give it another name",
         instruction.name);
  }
  check_instruction(instruction);
  instructions_[instruction.name] = std::move(instruction);
}

namespace {

// Puts the program's buffers, at their places, for an instruction's parameters.
class PlaceBuffers final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  explicit PlaceBuffers(const BoundBuffers& places) : places_(places) {}

 protected:
  Expr mutate_node(const LoadNode& node, const Expr&) override {
    const BoundBuffer& place = places_.at(node.buffer.get());
    return Expr(new LoadNode(node.dtype, place.buffer, moved(place, node.indices), Expr()));
  }
  Stmt mutate_node(const StoreNode& node, const Stmt&) override {
    const BoundBuffer& place = places_.at(node.buffer.get());
    return ir::store(place.buffer, moved(place, node.indices), mutate(node.value));
  }
  Stmt mutate_node(const UpdateNode& node, const Stmt&) override {
    std::vector<Buffer> buffers;
    std::vector<Expr> values;
    for (const Buffer& buffer : node.buffers) buffers.push_back(places_.at(buffer.get()).buffer);
    for (const Expr& value : node.values) values.push_back(mutate(value));
    return Stmt(new UpdateNode(node.reducer, buffers,
                               moved(places_.at(node.buffers[0].get()), node.indices), values));
  }
  Block mutate_node(const BlockNode& node, const Block& self) override {
    Block b = mutate_children(node, self);
    std::vector<Region> reads, writes;
    for (const Region& region : node.reads) reads.push_back(moved(region));
    for (const Region& region : node.writes) writes.push_back(moved(region));
    return Block(new BlockNode(b->id, b->name, b->block_kind, b->iter_vars, b->where,
                               std::move(reads), std::move(writes), b->reducer, b->init, b->body,
                               b->annotations, b->origin));
  }

 private:
  std::vector<Expr> moved(const BoundBuffer& place, const std::vector<Expr>& indices) {
    std::vector<Expr> result = place.base;
    for (size_t d = 0; d < indices.size(); ++d) {
      result[place.dims[d]] = result[place.dims[d]] + mutate(indices[d]);
    }
    return result;
  }
  Region moved(const Region& region) {
    const BoundBuffer& place = places_.at(region.buffer.get());
    Region result{place.buffer, {}};
    for (const Expr& base : place.base) result.ranges.push_back({base, make_int(kInt64, 1)});
    for (size_t d = 0; d < region.ranges.size(); ++d) {
      Range& range = result.ranges[place.dims[d]];
      range = {range.min + mutate(region.ranges[d].min), mutate(region.ranges[d].extent)};
    }
    return result;
  }

  const BoundBuffers& places_;
};

const TensorInstruction& require_instruction(const Invocation& in, const ForNode& loop) {
  const std::string name = in.text_attr("instruction");
  auto it = in.instructions->find(name);
  if (it != in.instructions->end()) return it->second;
  std::vector<std::string> names;
  for (const auto& [known, instruction] : *in.instructions) names.push_back(known);
  in.refuse("unknown_instruction", loop.id,
            fmt::format("no instruction '{}' is declared on this schedule", name),
            "declare_instruction first; a trace holds only its name, so replay is given the "
            "instructions again",
            names);
}

bool has_vectorized(const Stmt& stmt) {
  bool found = false;
  walk_stmts(stmt, [&](const Stmt& s) {
    const auto* loop = s.as<ForNode>();
    found |= loop && loop->for_kind == ForKind::kVectorized;
  });
  return found;
}

// An implementation may touch every element of its parameters, whatever conditions the nest has around an access.
std::string outside_of_buffers(const Invocation& in, const BlockNest& nest,
                               const PrimFunc& reference, const BoundBuffers& bound) {
  const arith::Analyzer facts = in.facts_at(nest.realize->block->id);
  for (const Param& param : reference->params) {
    const BoundBuffer& place = bound.at(param.buffer.get());
    for (size_t d = 0; d < place.base.size(); ++d) {
      const auto moving = std::find(place.dims.begin(), place.dims.end(), static_cast<int>(d));
      const Expr length =
          moving == place.dims.end()
              ? make_int(kInt64, 1)
              : param.buffer->shape[static_cast<size_t>(moving - place.dims.begin())];
      if (facts.can_prove(place.base[d] >= make_int(kInt64, 0)) &&
          facts.can_prove(place.base[d] + length <= place.buffer->shape[d])) {
        continue;
      }
      return fmt::format("what it may access of '{}' is not proved to lie inside dimension {}",
                         place.buffer->name, d);
    }
  }
  return "";
}

BoundBuffers require_match(const Invocation& in, const BlockNest& nest,
                           const TensorInstruction& instruction) {
  const Block& block = nest.realize->block;
  if (!nest.inside.empty()) {
    in.refuse(
        "guarded", nest.loop->id,
        fmt::format("the condition {} cuts off part of the nest", to_pretty(nest.inside[0].cond)),
        "the instruction always does the whole: use factors that divide, or pad_einsum");
  }
  if (block->where.defined()) {
    in.refuse("masked", block->id,
              fmt::format("{} runs only where {}", quoted(*nest.realize), to_pretty(block->where)),
              "the instruction always does the whole: tensorize a block without a mask, and mask "
              "what reads it");
  }
  const PrimFunc reference = matched_reference(instruction);
  BoundBuffers by_reference;
  std::string fault = match_nest(in, nest, reference, by_reference);
  if (fault.empty()) fault = outside_of_buffers(in, nest, reference, by_reference);
  if (!fault.empty()) {
    in.refuse("mismatch", nest.loop->id,
              fmt::format("the nest from {} on is not what instruction '{}' does: {}",
                          quoted(*nest.loop), instruction.name, fault),
              "split and reorder until the loops inside are those of the instruction's reference");
  }
  BoundBuffers places;
  for (size_t i = 0; i < reference->params.size(); ++i) {
    BoundBuffer place = by_reference.at(reference->params[i].buffer.get());
    for (Expr& base : place.base) base = substitute(base, nest.to_iters);
    places[instruction.implementation->params[i].buffer.get()] = std::move(place);
  }
  return places;
}

Region whole_of(const Param& param, const BoundBuffer& place) {
  Region region{place.buffer, {}};
  for (const Expr& base : place.base) region.ranges.push_back({base, make_int(base.dtype(), 1)});
  for (size_t d = 0; d < place.dims.size(); ++d) {
    Range& range = region.ranges[place.dims[d]];
    range.extent = make_int(range.min.dtype(), *as_const_int(param.buffer->shape[d]));
  }
  return region;
}

// What the placed code accesses. Parameters that lie in one buffer are one region, the box around them.
void add_regions(const PrimFuncNode& code, const BoundBuffers& places, const Stmt& body,
                 const arith::Analyzer& facts, std::vector<Region>& reads,
                 std::vector<Region>& writes) {
  const auto add = [&](const Param& param, bool read, std::vector<Region>& regions) {
    const BoundBuffer& place = places.at(param.buffer.get());
    for (Region& known : regions) {
      if (!known.buffer.same_as(place.buffer)) continue;
      if (auto box = arith::accessed_region(facts, body, place.buffer, read, !read)) known = *box;
      return;
    }
    regions.push_back(whole_of(param, place));
  };
  for (const Param& param : code.params) {
    const bool written = param.role == ParamRole::kOutput || param.role == ParamRole::kInout;
    // An implementation with the init in it still adds to what it has set.
    const bool read =
        param.role != ParamRole::kOutput ||
        arith::accessed_region(arith::Analyzer(), code.body, param.buffer, true, false);
    if (read) add(param, true, reads);
    if (written) add(param, false, writes);
  }
}

}  // namespace

/// tensorize(loop, instruction): the nest from `loop` on, which computes what the reference of a declared
/// instruction does on parts of its own buffers, becomes the instruction's implementation, in one opaque block.
///
///   before                                  after tensorize(j1, "fma_row")
///   for i: for k: for j0: for j1 in 0..16:  for i: for k: for j0: block C (opaque):
///     C[i, j0 * 16 + j1] += A… * B…           for l in 0..16 vectorized: C[vi, vj0 * 16 + l] = …
///
/// Loops of one iteration aside, the loops inside must have the extents of the reference's in the same order. The
/// block keeps name and handle. Errors: schedule.tensorize.unknown_instruction, .mismatch, .guarded, .masked,
/// .nested, .several_blocks, .parallel_loop, .conditional, .open_reduction, .mixed_kinds, .dependent_extent,
/// .scattered, .opaque_block.
Outputs run_tensorize(Invocation& in) {
  const ForNode& loop = in.loop(0);
  const TensorInstruction& instruction = require_instruction(in, loop);
  BlockNest nest = require_block_nest(in, loop);
  const PrimFunc& code = instruction.implementation;
  for (const ForNode* outer : in.tree.loops_around(loop.id)) {
    if (outer->for_kind != ForKind::kVectorized || !has_vectorized(code->body)) continue;
    in.refuse("nested", outer->id,
              fmt::format("{} and a loop of instruction '{}' would both be vectorized",
                          quoted(*outer), instruction.name),
              fmt::format("leave {} as it was; the vectors are those of the instruction",
                          quoted(*outer)));
  }
  const BoundBuffers places = require_match(in, nest, instruction);
  Reducer reducer;
  walk_stmts(code->body, [&](const Stmt& s) {
    if (const auto* update = s.as<UpdateNode>()) reducer = update->reducer;
  });
  const Block& old = nest.realize->block;
  Stmt body = PlaceBuffers(places).mutate(refresh_bindings(code->body, in.id_source()));
  arith::Analyzer facts = in.facts();
  for (const IterVar& iter : nest.iters) facts.bind(iter.var, iter.dom);
  std::vector<Region> reads, writes;
  add_regions(*code, places, body, facts, reads, writes);
  Block block(new BlockNode(old->id, old->name, BlockKind::kOpaque, nest.iters, Expr(),
                            std::move(reads), std::move(writes), reducer, Stmt(), body, {},
                            "tensorize " + instruction.name));
  Stmt realize(new BlockRealizeNode(nest.values, nest.outside, block));
  in.finish(replace_stmt(in.func->body, &loop, realize));
  return {};
}

}  // namespace tilewright::schedule
