#pragma once

#include <map>
#include <string>

#include "lower/tails.h"

namespace tilewright::lower {

/// Carries out the policies that move or cut loops, from the outside inwards. One file a policy.
class CutTails final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  CutTails(const ir::PrimFunc& func, TailState& state) : BoundMutator(func), state_(state) {}

 protected:
  using BoundMutator::mutate_node;
  ir::Expr mutate(const ir::Expr& expr) override { return expr; }
  ir::Stmt mutate_node(const ir::ForNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::BlockRealizeNode&, const ir::Stmt& self) override { return self; }

 private:
  // ---- Which conjuncts a loop leads
  bool leads(const ir::ForNode& loop, const ir::Conjunct& conjunct) const;
  bool has_led(const std::vector<const ir::BlockRealizeNode*>& blocks, const ir::ForNode& loop,
               ir::Tail tail) const;
  /// Goes on below one loop.
  ir::Stmt descend(const ir::Stmt& stmt);
  ir::Stmt descend_all(const std::vector<ir::Stmt>& loops);

  // ---- shift_inwards (shift_tails.cc)
  /// The last tile starts earlier, so that it is whole:  o * F  becomes  min(o * F, N - F).
  ir::Stmt shift_inwards(const ir::ForNode& loop,
                         const std::vector<const ir::BlockRealizeNode*>& blocks);

  // ---- balanced (balance_tails.cc)

  /// A condition `F * o + i < N` (constant N, i of extent F); gives the inner loop's variable.
  struct BalancedForm {
    ir::Var inner;
    int64_t factor = 0, limit = 0;
  };
  std::optional<BalancedForm> balanced_form(const ir::Expr& cond, const ir::ForNode& outer,
                                            const ir::Stmt& body) const;
  static const ir::ForNode* find_loop(const ir::Stmt& body, const ir::Var& var);
  /// The tile size of the balanced conjuncts that the loop leads; 0 when one has further loops in it (then
  /// the loop is peeled and the balancing done below).
  int64_t balanced_factor(const std::vector<const ir::BlockRealizeNode*>& blocks,
                          const ir::ForNode& loop) const;
  std::vector<ir::Stmt> balance(const ir::ForNode& loop,
                                const std::vector<const ir::BlockRealizeNode*>& blocks,
                                int64_t factor);
  std::vector<ir::Stmt> balanced_loops(const ir::ForNode& loop, int64_t factor, int64_t limit,
                                       const std::map<const ir::VarNode*, int>& inner_vars);
  /// The body with inner loops of `size` iterations and without the conditions they made needless.
  ir::Stmt resized(const ir::ForNode& loop, int64_t factor, int64_t size, int64_t limit,
                   const std::map<const ir::VarNode*, int>& inner_vars) const;
  [[noreturn]] static void refuse_balance(const ir::ForNode& loop,
                                          const ir::BlockRealizeNode& block);

  // ---- peel (peel_tails.cc)
  /// before                            after
  ///   for o in 0..ceil(n / F):          for o in 0..n / F:  for i in 0..F:  S
  ///     for i in 0..F:                  for o in 0..ceil(n / F) - n / F:
  ///       if (o * F + i < n) S            for i in 0..F:  if ((o + n / F) * F + i < n) S
  std::vector<ir::Stmt> peel(const ir::ForNode& loop,
                             const std::vector<const ir::BlockRealizeNode*>& blocks,
                             const ir::Stmt& self);
  bool is_peeled(const ir::ForNode& loop, const ir::Conjunct& c) const;
  /// Peeled conditions hold there by construction; others (of a producer computed inside) often do too.
  bool holds_in_main(const ir::ForNode& loop, const ir::Conjunct& c, const ir::Expr& whole) const;
  /// How many first iterations need no condition; null when that is not known.
  ir::Expr whole_iterations(const ir::ForNode& loop,
                            const std::vector<const ir::BlockRealizeNode*>& blocks) const;
  /// The number of first iterations of `loop` in which `condition` holds for all inner ones.
  ir::Expr iterations_held(const ir::ForNode& loop, const ir::Expr& condition) const;
  ir::Stmt tail_loop(const ir::ForNode& loop, const ir::Expr& whole, const ir::Expr& rest);
  /// A loop i all of whose blocks ask `i < c` (c constant) gets the extent c.
  ir::Stmt shrink_loops(const ir::Stmt& body) const;
  /// One more body of each block; false when one would get too many.
  bool count_bodies(const std::vector<const ir::BlockRealizeNode*>& blocks);

  // ---- Shared
  static bool uses_loop(const ir::BlockRealizeNode& block, const ir::ForNode& loop);
  /// Bounds of `expr` over all loops below `body`.
  arith::SymbolicInterval inner_bounds(const ir::Expr& expr, const ir::Stmt& body) const;
  /// Computes a tile for itself only, so that it may compute more of it than needed.
  bool is_private(const ir::BlockRealizeNode& block, const ir::ForNode& loop) const;
  /// The conjuncts that the loop leads become plain conditions.
  ir::Stmt demoted(const ir::Stmt& body, const ir::ForNode& loop) const;
  static ir::Stmt with_extents(const ir::Stmt& body,
                               const std::function<std::optional<int64_t>(const ir::ForNode&)>& f);

  TailState& state_;
  ir::VarSet outer_;                   // variables of the loops around
  std::map<std::string, int> bodies_;  // copies of each block made by peeling
};

}  // namespace tilewright::lower
