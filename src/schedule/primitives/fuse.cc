#include "schedule/dependence.h"
#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Each loop must be the whole body of the one before it.
std::vector<const ForNode*> read_chain(Invocation& in) {
  std::vector<const ForNode*> chain;
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    chain.push_back(&in.loop(i));
    require_serial(in, *chain.back());
  }
  if (chain.size() < 2) {
    in.refuse("count", chain.empty() ? -1 : chain[0]->id, "fuse needs at least two loops",
              "give directly nested loops, outermost first");
  }
  for (size_t i = 1; i < chain.size(); ++i) {
    if (chain[i - 1]->body.get() != chain[i]) {
      in.refuse(
          "not_nested", chain[i]->id,
          fmt::format("{} is not directly inside {}", quoted(*chain[i]), quoted(*chain[i - 1])),
          "give the loops outermost first; reorder brings them together");
    }
    if (chain[i - 1]->for_kind != chain[i]->for_kind) {
      in.refuse("loop_kind", chain[i]->id,
                fmt::format("{} is {} and {} is {}", quoted(*chain[i - 1]),
                            spelling(chain[i - 1]->for_kind), quoted(*chain[i]),
                            spelling(chain[i]->for_kind)),
                "fuse the loops first, then give the result its kind");
    }
    for (size_t j = 0; j < i; ++j) {
      if (uses_var(chain[i]->extent, chain[j]->var)) {
        in.refuse(
            "dependent_extent", chain[i]->id,
            fmt::format("the extent of {} depends on {}", quoted(*chain[i]), quoted(*chain[j])),
            "fuse loops on one side of the dependence only");
      }
    }
  }
  return chain;
}

// A fused loop over both kinds of axis would have no single place for the init of a reduction.
void require_one_kind(const Invocation& in, const std::vector<const ForNode*>& chain) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(chain.back()->id)) {
    // Steps without an init need no place for one; their order stays.
    if (realize->block->reducer && !realize->block->init) continue;
    bool spatial = false, reduce = false;
    for (const ForNode* loop : chain) {
      Feeds fed = feeds(loop->var, *realize);
      // A loop that repeats the whole reduction is no part of it either.
      spatial |= fed.spatial || fed.ordered || fed.opaque ||
                 (!fed.any() && !is_const_int(loop->extent, 1));
      reduce |= fed.reduce;
    }
    if (spatial && reduce) {
      in.refuse("mixed_kinds", chain[0]->id,
                fmt::format("some of the loops feed a reduction axis of {} and some do not",
                            quoted(*realize)),
                "fuse spatial loops with spatial loops and reduction loops with reduction loops");
    }
  }
}

}  // namespace

/// fuse(loops): directly nested loops into one.
///
///   before                  after fuse([i, j])
///   for i in 0..n:          for i_j in 0..n * m:
///     for j in 0..m:          C[i_j // m, i_j % m] = …
///       C[i, j] = …
///
/// The order of iterations stays the same. Errors: schedule.fuse.count, .not_nested, .loop_kind,
/// .dependent_extent, .mixed_kinds.
Outputs run_fuse(Invocation& in) {
  std::vector<const ForNode*> chain = read_chain(in);
  require_one_kind(in, chain);

  std::string name = chain[0]->var.name();
  Expr extent = chain[0]->extent;
  for (size_t i = 1; i < chain.size(); ++i) {
    name += "_" + chain[i]->var.name();
    extent = extent * chain[i]->extent;
  }
  Var fused(name, chain[0]->var.dtype());
  VarMap map;
  Expr rest = fused;
  for (size_t i = chain.size(); i-- > 1;) {
    // Of no iterations: any value will do that still says what the loop feeds.
    const bool empty = is_const_int(chain[i]->extent, 0);
    map[chain[i]->var] = empty ? Expr(fused) : floor_mod(rest, chain[i]->extent);
    if (!empty) rest = floor_div(rest, chain[i]->extent);
  }
  map[chain[0]->var] = rest;

  int64_t id = in.fresh_id();
  Stmt body = substitute(chain.back()->body, map);
  Stmt loop = make_for(id, fused, extent, body, chain[0]->for_kind, chain[0]->annotations);
  std::map<int64_t, int64_t> homes;
  const std::vector<const ForNode*> around = in.tree.loops_around(chain[0]->id);
  const std::vector<bool> hands_on = hands_on_inside(in, chain);
  const int64_t outside = around.empty() ? -1 : around.back()->id;
  for (size_t i = 0; i < chain.size(); ++i) {
    homes[chain[i]->id] = hands_on[i] ? outside : id;
  }
  finish_rehomed(in, replace_stmt(in.func->body, chain[0], loop), homes);
  return {Loop{id}};
}

}  // namespace tilewright::schedule
