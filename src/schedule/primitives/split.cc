#include <optional>

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

const char* const kTails[] = {"guard", "peel", "balanced", "pad", "shift_inwards", "auto"};

struct SplitPlan {
  std::vector<Expr> extents;  // outermost first
  bool exact = false;         // the nest covers exactly the old extent
  Tail tail = Tail::kGuard;
};

std::vector<std::optional<int64_t>> read_factors(const Invocation& in, const ForNode& loop) {
  std::vector<std::optional<int64_t>> factors;
  for (const Value& item : in.list_attr("factors")) {
    if (item.is_null()) {
      factors.emplace_back();
      continue;
    }
    const int64_t* factor = std::get_if<int64_t>(&item.data);
    if (!factor || *factor < 1) {
      in.refuse("factor", loop.id,
                fmt::format("factor {} of {} is not a positive integer",
                            factor ? std::to_string(*factor) : "?", quoted(loop)),
                "give factors of at least 1 and leave one of them open");
    }
    factors.emplace_back(*factor);
  }
  if (factors.size() < 2) {
    in.refuse(
        "factor_count", loop.id,
        fmt::format("split of {} needs at least two factors, got {}", quoted(loop), factors.size()),
        "give [None, factor]");
  }
  return factors;
}

SplitPlan plan_split(const Invocation& in, const ForNode& loop, const arith::Analyzer& facts) {
  std::vector<std::optional<int64_t>> factors = read_factors(in, loop);
  SplitPlan plan;
  int64_t known = 1;
  int open = -1;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!factors[i]) {
      if (open >= 0) {
        in.refuse("factor_count", loop.id,
                  fmt::format("two factors of {} are left open", quoted(loop)),
                  "leave at most one factor open");
      }
      open = static_cast<int>(i);
    } else if (__builtin_mul_overflow(known, *factors[i], &known)) {
      in.refuse("factor", loop.id, fmt::format("the factors of {} overflow 64 bits", quoted(loop)),
                "give smaller factors");
    }
  }
  Expr total = loop.extent;
  Expr known_product = make_int(kInt64, known);
  for (size_t i = 0; i < factors.size(); ++i) {
    plan.extents.push_back(factors[i] ? make_int(kInt64, *factors[i])
                                      : facts.simplify(has_fault(Fault::split_rounds_down)
                                                           ? floor_div(total, known_product)
                                                           : ceil_div(total, known_product)));
  }
  if (open < 0 && !facts.can_prove(known_product >= total)) {
    in.refuse("too_few_iterations", loop.id,
              fmt::format("the factors of {} give {} iterations, fewer than its extent {}",
                          quoted(loop), known, to_pretty(total)),
              "leave the outermost factor open");
  }
  plan.exact = open >= 0 ? facts.can_prove(floor_mod(total, known_product) == make_int(kInt64, 0))
                         : facts.can_prove_equal(known_product, total);
  return plan;
}

// Does a condition inside, which gets the policy of this split, follow the loop?
bool cuts_older_condition(const Invocation& in, const ForNode& loop) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    for (const Conjunct& conjunct : realize->guard) {
      if (uses_var(conjunct.cond, loop.var)) return true;
    }
  }
  return false;
}

bool has_reduction_below(const Invocation& in, const ForNode& loop) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    if (realize->block->reducer || orders_itself(realize->block)) return true;
    for (const Region& written : realize->block->writes) {  // an instruction that accumulates
      if (block_reads(realize->block, written.buffer)) return true;
    }
  }
  return false;
}

// What "auto" means: nothing to do when the factors divide; else a peeled tail for constant extents (the main
// nest runs without conditions), a condition otherwise.
Tail choose_tail(const ForNode& loop) {
  return as_const_int(loop.extent) ? Tail::kPeel : Tail::kGuard;
}

Tail read_tail(const Invocation& in, const ForNode& loop, const SplitPlan& plan,
               const arith::Analyzer& facts) {
  std::string word = in.text_attr("tail");
  std::vector<std::string> legal(std::begin(kTails), std::end(kTails));
  if (std::find(legal.begin(), legal.end(), word) == legal.end()) {
    in.refuse("tail", loop.id, fmt::format("unknown tail policy '{}'", word), {}, legal);
  }
  if (word == "auto") return choose_tail(loop);
  Tail tail = *parse_tail(word);
  if (plan.exact && !cuts_older_condition(in, loop)) return tail;
  if (tail == Tail::kShiftInwards && has_reduction_below(in, loop)) {
    in.refuse(
        "shift_inwards", loop.id,
        "tail='shift_inwards' computes some points twice, which a reduction would accumulate twice",
        "use tail='guard', 'peel' or 'pad'");
  }
  if (plan.exact) return tail;
  if (tail == Tail::kBalanced && !(as_const_int(loop.extent) && plan.extents.size() == 2)) {
    in.refuse(
        "balanced", loop.id,
        fmt::format("tail='balanced' needs a constant extent and two factors; {} has extent {}",
                    quoted(loop), to_pretty(loop.extent)),
        "use tail='guard' or 'peel'");
  }
  if (tail == Tail::kShiftInwards) {
    Expr inner = make_int(kInt64, 1);
    for (size_t i = 1; i < plan.extents.size(); ++i) inner = inner * plan.extents[i];
    if (!facts.can_prove(loop.extent >= inner)) {
      in.refuse(
          "shift_inwards", loop.id,
          fmt::format("tail='shift_inwards' needs an extent of at least one tile ({}); the extent "
                      "of {} is {}",
                      to_pretty(inner), quoted(loop), to_pretty(loop.extent)),
          "use tail='guard', or add an assumption on the size");
    }
  }
  if (tail == Tail::kPad) {
    for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
      const bool opaque = realize->block->block_kind != BlockKind::kCompute;
      if (!opaque && !feeds(loop.var, *realize).ordered) continue;
      in.refuse("pad_tail", loop.id,
                fmt::format("{} {}, so surplus iterations of {} can't be shown to do no harm",
                            quoted(*realize), opaque ? "is opaque" : "runs step by step along it",
                            quoted(loop)),
                "use tail='guard' or 'peel'");
    }
  }
  return tail;
}

// Of two paddings, one around the other, the inner one has no place of its own.
void require_unpadded(const Invocation& in, const ForNode& loop) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    for (const Conjunct& conjunct : realize->guard) {
      if (conjunct.tail != Tail::kPad || !uses_var(conjunct.cond, loop.var)) continue;
      in.refuse("tail", loop.id,
                fmt::format("{} comes from a padded split already ({})", quoted(loop),
                            to_pretty(conjunct.cond)),
                "give all factors to one split(loop, [None, a, b], tail='pad')", {"guard", "peel"});
    }
  }
}

// Adds the new conjunct to the blocks below and hands the tail policy on to older conjuncts that this split
// cuts finer.
Stmt guard_blocks(const Stmt& body, const Var& old_var, const Expr& combined, const Expr& extent,
                  bool exact, Tail tail, int64_t old_id, int64_t outer_id, int64_t inner_id) {
  return map_blocks(body, [&](const BlockRealizeNode& realize, const Stmt&) {
    std::vector<Conjunct> guard;
    for (const Conjunct& old : realize.guard) {
      Conjunct conjunct{substitute(old.cond, {{old_var, combined}}), old.loop, old.tail};
      if (uses_var(old.cond, old_var)) {
        if (has_fault(Fault::split_drops_older_guard)) continue;
        if (old.tail == Tail::kRolling) {
          if (old.loop == old_id)
            conjunct.loop = outer_id;  // the loop outside of which rows are kept
        } else {
          if (conjunct.loop == old_id || conjunct.tail != Tail::kPad) conjunct.loop = inner_id;
          if (tail != Tail::kGuard) conjunct.tail = tail;
        }
      }
      guard.push_back(std::move(conjunct));
    }
    if (!exact) guard.push_back({combined < extent, inner_id, tail});
    std::vector<Expr> values;
    for (const Expr& value : realize.iter_values) {
      values.push_back(substitute(value, {{old_var, combined}}));
    }
    return Stmt(new BlockRealizeNode(std::move(values), std::move(guard), realize.block));
  });
}

}  // namespace

/// split(loop, factors, tail): one loop into a nest.
///
///   before                     after split(i, [None, 32])
///   for i in 0..n:             for i_0 in 0..ceil(n / 32):
///     C[i] = A[i]                for i_1 in 0..32:
///                                  if i_0 * 32 + i_1 < n: C[i_0 * 32 + i_1] = A[…]
///
/// A factor above the extent is legal and guarded. tail="auto" peels a constant extent and guards a symbolic one;
/// the printed loop nest names the policy behind each condition. tail="pad" needs a proof that the surplus iterations stay in the
/// room of padded copies and leave every result as it is: read arguments through `pack` and write through
/// cache_write first. Each later primitive that would break the proof is refused, `<primitive>.pad_tail`. An
/// attribute proof="lowering" (traces of version 1) leaves it to lowering. Errors: schedule.split.factor,
/// .factor_count, .too_few_iterations, .tail, .balanced, .shift_inwards, .pad_tail, .balanced_tail,
/// .shift_inwards_tail, .loop_kind.
Outputs run_split(Invocation& in) {
  const ForNode& loop = in.loop(0);
  require_serial(in, loop);
  arith::Analyzer facts = in.facts_at(loop.id);
  SplitPlan plan = plan_split(in, loop, facts);
  plan.tail = read_tail(in, loop, plan, facts);
  if (plan.tail == Tail::kPad && !plan.exact) require_unpadded(in, loop);
  in.tails_proved_late = in.attrs.count("proof") > 0;

  size_t n = plan.extents.size();
  std::vector<NestLoop> loops;
  Outputs outputs;
  Expr combined = make_int(kInt64, 0);
  for (size_t i = 0; i < n; ++i) {
    Var var(fmt::format("{}_{}", loop.var.name(), i), loop.var.dtype());
    loops.push_back({var, plan.extents[i], loop.for_kind, in.fresh_id()});
    combined = i == 0 ? Expr(var) : combined * plan.extents[i] + var;
    outputs.push_back(Loop{loops.back().id});
  }
  Stmt body = guard_blocks(loop.body, loop.var, combined, loop.extent, plan.exact, plan.tail,
                           loop.id, loops.front().id, loops.back().id);
  body = substitute(body, {{loop.var, combined}});
  Stmt replacement = nest(loops, body);
  if (!loop.annotations.empty()) {
    replacement = with_annotations(*replacement.as<ForNode>(), loop.annotations);
  }
  Stmt root = replace_stmt(in.func->body, &loop, replacement);
  finish_rehomed(in, root, {{loop.id, loops.back().id}});
  return outputs;
}

}  // namespace tilewright::schedule
