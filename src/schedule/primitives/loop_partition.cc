#include "schedule/loop_rules.h"
#include "schedule/partition.h"
#include "schedule/primitive_table.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr size_t kMaxParts = 16;

std::vector<std::optional<int64_t>> read_sizes(const Invocation& in, const ForNode& loop) {
  std::vector<std::optional<int64_t>> sizes;
  size_t open = 0;
  int64_t sum = 0;
  for (const Value& item : in.list_attr("extents")) {
    if (item.is_null()) {
      sizes.emplace_back();
      ++open;
      continue;
    }
    const int64_t* size = std::get_if<int64_t>(&item.data);
    if (!size || *size < 1 || __builtin_add_overflow(sum, *size, &sum)) {
      in.refuse("extent", loop.id,
                fmt::format("extent {} of a part of {} is not a positive integer",
                            size ? std::to_string(*size) : "?", quoted(loop)),
                "give extents of at least 1 and leave one of them open");
    }
    sizes.emplace_back(*size);
  }
  if (sizes.size() < 2 || sizes.size() > kMaxParts || open > 1) {
    in.refuse(
        "extent_count", loop.id,
        fmt::format("{} parts of {}, {} of them open; 2 to {} parts are possible, at most one "
                    "of them open",
                    sizes.size(), quoted(loop), open, kMaxParts),
        "give [4, None] for the first four iterations and the others");
  }
  return sizes;
}

// The first term of a reduction must be in the first part, whatever the other axes do.
void require_one_kind(const Invocation& in, const ForNode& loop) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    Feeds fed = feeds(loop.var, *realize);
    if (!realize->block->init || !fed.reduce || !fed.spatial) continue;
    in.refuse(
        "mixed_kinds", loop.id,
        fmt::format("{} feeds spatial and reduction axes of {}", quoted(loop), quoted(*realize)),
        "do this, or decompose_reduction, before fusing spatial and reduction loops");
  }
}

}  // namespace

/// loop_partition(loop, extents): the loop is cut into consecutive loops over parts of its range.
///
///   before                after loop_partition(i, [1, None, 1])
///   for i in 0..n:        for i_0 in 0..min(1, n):          C[i_0] = …
///     C[i] = …            for i_1 in 0..max(n - 2, 0):      C[i_1 + 1] = …
///                         for i_2 in 0..…:                  C[i_2 + max(n - 1, 1)] = …
///
/// One extent may be open and takes what the others leave; parts never leave the loop's range, and may be empty
/// for small symbolic extents. Conditions that always hold in a part are dropped there. The first part keeps the
/// blocks' handles, later parts hold copies named `name_1`, …, without those that never run there. The init of a
/// reduction over the loop becomes a block of its own, as by decompose_reduction. Gives the loops of the parts. Errors: schedule.loop_partition.extent, .extent_count,
/// .too_few_iterations, .empty_part, .mixed_kinds, .loop_kind.
Outputs run_loop_partition(Invocation& in) {
  const ForNode& loop = in.loop(0);
  require_serial(in, loop);
  std::vector<std::optional<int64_t>> sizes = read_sizes(in, loop);
  require_one_kind(in, loop);
  arith::Analyzer facts = in.facts_at(loop.id);
  std::vector<Expr> bounds = part_bounds(facts, loop.extent, sizes);
  if (!facts.can_prove_equal(bounds.back(), loop.extent)) {
    in.refuse("too_few_iterations", loop.id,
              fmt::format("the parts cover 0..{} of {}, whose extent is {}",
                          to_pretty(bounds.back()), quoted(loop), to_pretty(loop.extent)),
              "leave one extent open");
  }
  for (size_t p = 0; p < sizes.size(); ++p) {
    if (!facts.can_prove(bounds[p] >= bounds[p + 1])) continue;
    in.refuse("empty_part", loop.id,
              fmt::format("part {} of {}, whose extent is {}, never has an iteration", p,
                          quoted(loop), to_pretty(loop.extent)),
              "leave it out");
  }
  if (has_fault(Fault::partition_one_short)) bounds.back() = facts.simplify(bounds.back() - 1);
  Outputs outputs;
  for (int64_t id : finish_partitioned(in, loop, bounds, 0)) outputs.push_back(Loop{id});
  return outputs;
}

}  // namespace tilewright::schedule
