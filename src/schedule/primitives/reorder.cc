#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/dependence.h"
#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

std::vector<const ForNode*> read_order(Invocation& in) {
  std::vector<const ForNode*> order;
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    const ForNode* loop = &in.loop(i);
    if (std::find(order.begin(), order.end(), loop) != order.end()) {
      in.refuse("duplicate", loop->id, fmt::format("{} is listed twice", quoted(*loop)),
                "list each loop once; those not listed stay where they are");
    }
    order.push_back(loop);
  }
  if (order.empty())
    in.refuse("count", -1, "reorder needs at least one loop",
              "give the loops in their new order, outermost first");
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
  if (first != last && !in.tree.encloses(first->id, last->id)) {
    in.refuse(
        "not_a_chain", last->id,
        fmt::format("{} is not inside {}, but in a nest behind it", quoted(*last), quoted(*first)),
        "give loops around one block; get_loops(block) lists them");
  }
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
                            quoted(*last)),
                "give loops of one nest, with nothing else between them");
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
                              quoted(*chain[i]), quoted(*chain[j])),
                  "keep these two loops in their order");
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
    if (reducer && !has_fault(Fault::reorder_of_any_reducer) &&
        !(reducer->associative && reducer->commutative) &&
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
                fmt::format("ordered loops of {} never change places", quoted(*realize)),
                "keep the relative order of the ordered loops");
    }
  }
}

// Two loops may change places when one of them carries no dependence between what runs inside. Loops that stay
// around both hold still; the other loops of the chain are anywhere.
void require_independent_order(const Invocation& in, const std::vector<const ForNode*>& before,
                               const std::vector<const ForNode*>& after) {
  const std::vector<const BlockRealizeNode*> blocks = in.tree.blocks_under(before.back()->id);
  const bool matters =
      blocks.size() > 1 || std::any_of(blocks.begin(), blocks.end(), [](const auto* realize) {
        return orders_itself(realize->block);
      });
  if (!matters) return;
  auto place = [](const std::vector<const ForNode*>& order, const ForNode* loop) {
    return std::find(order.begin(), order.end(), loop) - order.begin();
  };
  auto moving = [&](const ForNode* a, const ForNode* b) {
    std::vector<const ForNode*> free;
    for (const ForNode* loop : before) {
      const bool outside = place(before, loop) < std::min(place(before, a), place(before, b)) &&
                           place(after, loop) < std::min(place(after, a), place(after, b));
      if (!outside) free.push_back(loop);
    }
    return free;
  };
  for (size_t i = 0; i < after.size(); ++i) {
    for (size_t j = i + 1; j < after.size(); ++j) {
      if (place(before, after[i]) < place(before, after[j])) continue;
      const std::vector<const ForNode*> free = moving(after[i], after[j]);
      const std::optional<Carried> carried = carried_dependence(in, *after[i], free);
      if (!carried || !carried_dependence(in, *after[j], free)) continue;
      in.refuse(
          "dependence", after[i]->id,
          fmt::format("iterations of {} and {} depend on each other through {}, and the other "
                      "order would run some of them the wrong way round",
                      quoted(*after[i]), quoted(*after[j]), describe(*carried)),
          "reorder before compute_with, merge or rolling_buffer; loops over the steps of a scan "
          "stay "
          "outside of axes along which a step reads its neighbours");
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
                            quoted(*vectorized)),
                "keep the parallel loop outside");
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
/// .dependent_extent, .reduction_order, .ordered_loop, .repeated_terms, .dependence, .nested.
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
  require_independent_order(in, chain, after);
  require_legal_nesting(in, after);

  Stmt body = chain.back()->body;
  for (size_t i = after.size(); i-- > 0;) body = ir::with_body(after[i], body);
  // A buffer keeps its depth: it lives inside the loop that now is where its old one was.
  std::map<int64_t, int64_t> homes;
  const std::vector<const ForNode*> around = in.tree.loops_around(chain[0]->id);
  const std::vector<bool> hands_on = hands_on_inside(in, chain);
  const int64_t outside = around.empty() ? -1 : around.back()->id;
  for (size_t i = 0; i < chain.size(); ++i) {
    homes[chain[i]->id] = hands_on[i] ? outside : after[i]->id;
  }
  finish_rehomed(in, replace_stmt(in.func->body, chain[0], body), homes);
  return {};
}

}  // namespace tilewright::schedule
