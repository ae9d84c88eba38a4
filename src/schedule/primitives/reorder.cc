#include <algorithm>

#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

std::vector<const ForNode*> read_order(Invocation& in) {
  std::vector<const ForNode*> order;
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    const ForNode* loop = &in.loop(i);
    if (std::find(order.begin(), order.end(), loop) != order.end()) {
      in.refuse("duplicate", loop->id, fmt::format("{} is listed twice", quoted(*loop)));
    }
    order.push_back(loop);
  }
  if (order.empty()) in.refuse("count", -1, "reorder needs at least one loop");
  return order;
}

// The loops from the outermost to the innermost of `order`; each must be the whole body of the one before.
std::vector<const ForNode*> find_chain(const Invocation& in,
                                       const std::vector<const ForNode*>& order) {
  auto by_place = [&](const ForNode* a, const ForNode* b) {
    return in.tree.index(a->id) < in.tree.index(b->id);
  };
  const ForNode* first = *std::min_element(order.begin(), order.end(), by_place);
  const ForNode* last = *std::max_element(order.begin(), order.end(), by_place);
  std::vector<const ForNode*> chain = {first};
  while (chain.back() != last) {
    const auto* next = chain.back()->body.as<ForNode>();
    if (!next) {
      in.refuse("not_a_chain", chain.back()->id,
                fmt::format("the body of {} holds more than one loop, so {} and {} are not on one "
                            "chain of perfectly nested loops",
                            quoted(*chain.back()), quoted(*first), quoted(*last)),
                "reorder before compute_at puts other blocks between the loops");
    }
    chain.push_back(next);
  }
  for (const ForNode* loop : order) {
    if (std::find(chain.begin(), chain.end(), loop) == chain.end()) {
      in.refuse("not_a_chain", loop->id,
                fmt::format("{} is not on the chain from {} to {}", quoted(*loop), quoted(*first),
                            quoted(*last)));
    }
  }
  return chain;
}

void require_defined_extents(const Invocation& in, const std::vector<const ForNode*>& chain) {
  for (size_t i = 0; i < chain.size(); ++i) {
    for (size_t j = i + 1; j < chain.size(); ++j) {
      if (uses_var(chain[i]->extent, chain[j]->var)) {
        in.refuse("dependent_extent", chain[i]->id,
                  fmt::format("the extent of {} depends on {}, which would be inside it",
                              quoted(*chain[i]), quoted(*chain[j])));
      }
    }
  }
}

std::vector<const ForNode*> feeding_reduction(const std::vector<const ForNode*>& chain,
                                              const BlockRealizeNode& realize, bool ordered) {
  std::vector<const ForNode*> loops;
  for (const ForNode* loop : chain) {
    Feeds fed = feeds(loop->var, realize);
    if (ordered ? fed.ordered || fed.opaque : fed.reduce) loops.push_back(loop);
  }
  return loops;
}

// The terms of a reduction may change their order only for an associative and commutative reducer; ordered
// loops keep theirs.
void require_legal_orders(const Invocation& in, const std::vector<const ForNode*>& before,
                          const std::vector<const ForNode*>& after) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(before.back()->id)) {
    require_unrepeated_terms(in, after, *realize);
    const Reducer& reducer = realize->block->reducer;
    if (reducer && !(reducer->associative && reducer->commutative) &&
        feeding_reduction(before, *realize, false) != feeding_reduction(after, *realize, false)) {
      in.refuse("reduction_order", realize->block->id,
                fmt::format(
                    "the order would change the sequence in which reducer '{}' of {} combines its "
                    "terms, and it is not declared associative and commutative",
                    reducer->name, quoted(*realize)),
                "keep the relative order of the reduction loops, or declare the reducer");
    }
    if (feeding_reduction(before, *realize, true) != feeding_reduction(after, *realize, true)) {
      in.refuse("ordered_loop", realize->block->id,
                fmt::format("ordered loops of {} never change places", quoted(*realize)));
    }
  }
}

// Threads start outside vectors.
void require_legal_nesting(const Invocation& in, const std::vector<const ForNode*>& after) {
  const ForNode* vectorized = nullptr;
  for (const ForNode* loop : after) {
    if (loop->for_kind == ForKind::kVectorized) vectorized = loop;
    if (loop->for_kind == ForKind::kParallel && vectorized) {
      in.refuse("nested", loop->id,
                fmt::format("the parallel {} would be inside the vectorized {}", quoted(*loop),
                            quoted(*vectorized)));
    }
  }
}

}  // namespace

/// reorder(loops): the listed loops take, in the listed order, the places they have on their chain.
///
///   before               after reorder([j, i])
///   for i in 0..n:       for j in 0..m:
///     for j in 0..m:       for i in 0..n:
///       C[i, j] = …          C[i, j] = …
///
/// May change the order of a float reduction when several of its reduction loops change places (refused unless
/// the reducer is associative and commutative). Errors: schedule.reorder.count, .duplicate, .not_a_chain,
/// .dependent_extent, .reduction_order, .ordered_loop, .repeated_terms, .nested.
Outputs run_reorder(Invocation& in) {
  in.moves_blocks = true;
  std::vector<const ForNode*> order = read_order(in);
  std::vector<const ForNode*> chain = find_chain(in, order);
  std::vector<const ForNode*> after = chain;
  size_t next = 0;
  for (const ForNode*& loop : after) {
    if (std::find(order.begin(), order.end(), loop) != order.end()) loop = order[next++];
  }
  require_defined_extents(in, after);
  require_legal_orders(in, chain, after);
  require_legal_nesting(in, after);

  Stmt body = chain.back()->body;
  for (size_t i = after.size(); i-- > 0;) body = ir::with_body(after[i], body);
  // A buffer keeps its depth: it lives inside the loop that now is where its old one was.
  std::map<int64_t, int64_t> homes;
  for (size_t i = 0; i < chain.size(); ++i) homes[chain[i]->id] = after[i]->id;
  finish_rehomed(in, replace_stmt(in.func->body, chain[0], body), homes);
  return {};
}

}  // namespace tilewright::schedule
