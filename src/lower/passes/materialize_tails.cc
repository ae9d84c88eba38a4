#include <algorithm>
#include <map>

#include "lower/passes/passes.h"
#include "lower/tails.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

constexpr int kMaxBodies = 4;

/// Carries out the policies that move or cut loops, from the outside inwards.
class CutTails final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  CutTails(const PrimFunc& func, TailState& state) : BoundMutator(func), state_(state) {}

 protected:
  using BoundMutator::mutate_node;
  Expr mutate(const Expr& expr) override { return expr; }

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    analyzer_.bind_extent(node.var, node.extent);
    const std::vector<const BlockRealizeNode*> blocks = realizes_below(node.body);
    if (has_led(blocks, node, Tail::kShiftInwards)) return descend(shift_inwards(node, blocks));
    if (has_led(blocks, node, Tail::kBalanced)) {
      if (int64_t factor = balanced_factor(blocks, node); factor > 0) {
        return descend_all(balance(node, blocks, factor));
      }
      return descend_all(peel(node, blocks, self));
    }
    if (has_led(blocks, node, Tail::kPeel)) return descend_all(peel(node, blocks, self));
    return descend(self);
  }

  Stmt mutate_node(const BlockRealizeNode&, const Stmt& self) override { return self; }

 private:
  // ---- Which conjuncts a loop leads -------------------------------------------------------------

  bool leads(const ForNode& loop, const Conjunct& conjunct) const {
    return uses_var(conjunct.cond, loop.var) && !uses_any_var(conjunct.cond, outer_);
  }

  bool has_led(const std::vector<const BlockRealizeNode*>& blocks, const ForNode& loop,
               Tail tail) const {
    for (const BlockRealizeNode* block : blocks) {
      for (const Conjunct& c : block->guard) {
        if (c.tail == tail && leads(loop, c)) return true;
      }
    }
    return false;
  }

  /// Goes on below one loop.
  Stmt descend(const Stmt& stmt) {
    auto* loop = stmt.as<ForNode>();
    analyzer_.bind_extent(loop->var, loop->extent);
    // A loop of one iteration is no variable of a condition any more.
    const bool single = is_const_int(loop->extent, 1);
    if (single) {
      Stmt fixed = substitute(loop->body, {{loop->var, make_int(loop->var.dtype(), 0)}});
      return with_body(loop, mutate(fixed));
    }
    outer_.insert(loop->var);
    Stmt body = mutate(loop->body);
    outer_.erase(loop->var);
    return body.get() == loop->body.get() ? stmt : with_body(loop, body);
  }

  Stmt descend_all(const std::vector<Stmt>& loops) {
    std::vector<Stmt> result;
    for (const Stmt& loop : loops) result.push_back(descend(loop));
    return seq(std::move(result));
  }

  // ---- shift_inwards ----------------------------------------------------------------------------

  /// The last tile starts earlier, so that it is whole:  o * F  becomes  min(o * F, N - F).
  Stmt shift_inwards(const ForNode& loop, const std::vector<const BlockRealizeNode*>& blocks) {
    for (const BlockRealizeNode* block : blocks) {
      if (block->block->reducer && uses_loop(*block, loop) && !is_private(*block, loop)) {
        fail("lower.shift_inwards",
             "the last tile of loop {} can't be moved inwards: block '{}' is a reduction and would "
             "add some points twice; use tail guard, peel or pad",
             describe_loop(loop), block->block->name);
      }
    }
    for (const BlockRealizeNode* block : blocks) {
      for (const Conjunct& c : block->guard) {
        if (c.tail != Tail::kShiftInwards || !leads(loop, c)) continue;
        auto slack = slack_of(analyzer_, c.cond);
        auto step = slack ? coefficient_of(*slack, loop.var) : std::nullopt;
        if (!step || *step >= 0) continue;
        const int64_t factor = -*step;
        // slack = limit - factor * o - inner: the tile may start anywhere up to least - 1.
        arith::LinearForm rest = *slack;
        std::erase_if(rest.terms, [&](const auto& t) { return t.first.get() == loop.var.get(); });
        const auto [least, most] = inner_bounds(arith::from_linear_form(rest), loop.body);
        if (!least.defined() || !analyzer_.can_prove(least >= 1)) {
          fail("lower.shift_inwards",
               "the last tile of loop {} can't be moved inwards: it is not proved that one whole "
               "tile of {} fits; add an assumption on the size or use tail guard",
               describe_loop(loop), factor);
        }
        // A tile that was cut again may be shorter than its loops tell: the last one must reach the end.
        if (!most.defined() || !analyzer_.can_prove(most - least < make_int(kInt64, factor))) {
          return with_body(&loop, demoted(loop.body, loop));
        }
        Expr start = min(loop.var * make_int(kInt64, factor), analyzer_.simplify(least - 1));
        Stmt body = change_guards(loop.body, [&](const BlockRealizeNode&, const Conjunct& other) {
          return structural_equal(other.cond, c.cond) ? std::nullopt : std::optional(other);
        });
        Stmt cut = with_body(&loop, body);
        return with_body(
            &loop, move_tile(analyzer_, *cut.as<ForNode>(), factor, start, "lower.shift_inwards"));
      }
    }
    return with_body(&loop, demoted(loop.body, loop));
  }

  static bool uses_loop(const BlockRealizeNode& block, const ForNode& loop) {
    for (const Expr& value : block.iter_values) {
      if (uses_var(value, loop.var)) return true;
    }
    return false;
  }

  /// Bounds of `expr` over all loops below `body`.
  arith::SymbolicInterval inner_bounds(const Expr& expr, const Stmt& body) const {
    arith::Analyzer analyzer(analyzer_);
    std::vector<Var> vars;
    walk_stmts(body, [&](const Stmt& s) {
      if (auto* loop = s.as<ForNode>(); loop && uses_var(expr, loop->var)) {
        analyzer.bind_extent(loop->var, loop->extent);
        vars.push_back(loop->var);
      }
    });
    return analyzer.bounds_over(expr, vars);
  }

  // ---- balanced ---------------------------------------------------------------------------------

  /// A condition `F * o + i < N` (constant N, i of extent F); gives the inner loop's variable.
  struct BalancedForm {
    Var inner;
    int64_t factor = 0, limit = 0;
  };

  std::optional<BalancedForm> balanced_form(const Expr& cond, const ForNode& outer,
                                            const Stmt& body) const {
    auto slack = slack_of(analyzer_, cond);
    if (!slack || slack->terms.size() != 2) return std::nullopt;
    BalancedForm form;
    for (const auto& [term, factor] : slack->terms) {
      auto* var = term.as<VarNode>();
      if (!var) return std::nullopt;
      if (var == outer.var.node()) {
        form.factor = -factor;
      } else if (factor == -1) {
        form.inner = Var(var);
      }
    }
    if (!form.inner.defined() || form.factor <= 0) return std::nullopt;
    const ForNode* inner = find_loop(body, form.inner);
    if (!inner || !is_const_int(inner->extent, form.factor)) return std::nullopt;
    form.limit = slack->constant;
    return form;
  }

  static const ForNode* find_loop(const Stmt& body, const Var& var) {
    const ForNode* found = nullptr;
    walk_stmts(body, [&](const Stmt& s) {
      auto* loop = s.as<ForNode>();
      if (loop && loop->var.get() == var.get()) found = loop;
    });
    return found;
  }

  /// The tile size of the balanced conjuncts that the loop leads; 0 when one has further loops in it (then
  /// the loop is peeled and the balancing done below).
  int64_t balanced_factor(const std::vector<const BlockRealizeNode*>& blocks,
                          const ForNode& loop) const {
    int64_t factor = 0;
    for (const BlockRealizeNode* block : blocks) {
      for (const Conjunct& c : block->guard) {
        if (c.tail != Tail::kBalanced || !leads(loop, c)) continue;
        auto form = balanced_form(c.cond, loop, loop.body);
        if (!form) return 0;
        factor = form->factor;
      }
    }
    return factor;
  }

  std::vector<Stmt> balance(const ForNode& loop, const std::vector<const BlockRealizeNode*>& blocks,
                            int64_t factor) {
    // The inner loop of each block that covers a tile.
    std::map<const VarNode*, int> blocks_of_inner;
    int64_t limit = -1;
    for (const BlockRealizeNode* block : blocks) {
      if (!uses_loop(*block, loop)) continue;
      bool covered = false;
      for (const Conjunct& c : block->guard) {
        auto form = balanced_form(c.cond, loop, loop.body);
        if (!form || form->factor != factor || (limit >= 0 && form->limit != limit)) continue;
        limit = form->limit;
        ++blocks_of_inner[form->inner.node()];
        covered = true;
      }
      if (!covered && !is_private(*block, loop)) refuse_balance(loop, *block);
    }
    for (const auto& [var, count] : blocks_of_inner) {
      const ForNode* inner = find_loop(loop.body, Var(var));
      for (const BlockRealizeNode* below : realizes_below(inner->body)) {
        const bool has =
            std::any_of(below->guard.begin(), below->guard.end(),
                        [&, v = var](const Conjunct& c) { return uses_var(c.cond, Var(v)); });
        if (!has) refuse_balance(loop, *below);
      }
    }
    // Fewer tiles than the loop has iterations may be wanted, never more.
    const int64_t* trips = as_const_int(loop.extent);
    internal_check(trips && *trips * factor >= limit, "loop {} does not cover its tiles",
                   loop.var.name());
    return balanced_loops(loop, factor, limit, blocks_of_inner);
  }

  std::vector<Stmt> balanced_loops(const ForNode& loop, int64_t factor, int64_t limit,
                                   const std::map<const VarNode*, int>& inner_vars) {
    std::vector<Stmt> result;
    int64_t offset = 0;
    for (const TileRun& run : balanced_tiles(limit, factor)) {
      // (offset + size * o) is the tile's start; as a multiple of the new loop's variable.
      Expr start = make_int(kInt64, offset) + loop.var * make_int(kInt64, run.size);
      Stmt body = resized(loop, factor, run.size, limit, inner_vars);
      Stmt source = with_body(&loop, body);
      body = move_tile(analyzer_, *source.as<ForNode>(), factor, start, "lower.balanced");
      Stmt nest(new ForNode(loop.id, loop.var, make_int(loop.var.dtype(), run.count), loop.for_kind,
                            loop.thread, loop.annotations, body));
      result.push_back(result.empty() ? nest : copy_nest(nest, state_));
      offset += run.count * run.size;
    }
    return result;
  }

  /// The body with inner loops of `size` iterations and without the conditions they made needless.
  Stmt resized(const ForNode& loop, int64_t factor, int64_t size, int64_t limit,
               const std::map<const VarNode*, int>& inner_vars) const {
    Stmt body = change_guards(loop.body, [&](const BlockRealizeNode&, const Conjunct& c) {
      auto form = balanced_form(c.cond, loop, loop.body);
      const bool done = form && form->factor == factor && form->limit == limit;
      return done ? std::nullopt : std::optional(c);
    });
    return with_extents(body, [&](const ForNode& inner) -> std::optional<int64_t> {
      if (inner_vars.count(inner.var.node())) return size;
      return std::nullopt;
    });
  }

  /// Computes a tile for itself only, so that it may compute more of it than needed.
  bool is_private(const BlockRealizeNode& block, const ForNode& loop) const {
    std::vector<int64_t> ids = {loop.id};
    walk_stmts(loop.body, [&](const Stmt& s) {
      if (auto* inner = s.as<ForNode>()) ids.push_back(inner->id);
    });
    return std::all_of(block.block->writes.begin(), block.block->writes.end(),
                       [&](const Region& w) {
                         const AllocAt& at = w.buffer->alloc_at;
                         return at.kind == AllocAt::Kind::kLoop &&
                                std::find(ids.begin(), ids.end(), at.loop) != ids.end();
                       });
  }

  [[noreturn]] static void refuse_balance(const ForNode& loop, const BlockRealizeNode& block) {
    fail("lower.balanced",
         "the tiles of loop {} can't be balanced: block '{}' does not cover a tile by one inner "
         "loop; use tail guard or peel",
         describe_loop(loop), block.block->name);
  }

  // ---- peel -------------------------------------------------------------------------------------

  /// before                            after
  ///   for o in 0..ceil(n / F):          for o in 0..n / F:  for i in 0..F:  S
  ///     for i in 0..F:                  for o in 0..ceil(n / F) - n / F:
  ///       if (o * F + i < n) S            for i in 0..F:  if ((o + n / F) * F + i < n) S
  std::vector<Stmt> peel(const ForNode& loop, const std::vector<const BlockRealizeNode*>& blocks,
                         const Stmt& self) {
    Expr whole = whole_iterations(loop, blocks);
    const bool fixed_extent =
        loop.for_kind == ForKind::kVectorized || loop.for_kind == ForKind::kUnrolled;
    if (!whole.defined() || (fixed_extent && !as_const_int(whole))) {
      return {with_body(&loop, demoted(loop.body, loop))};
    }
    Expr rest = analyzer_.simplify(loop.extent - whole);
    const bool no_main = is_const_int(whole, 0), no_rest = is_const_int(rest, 0);
    if (!no_main && !no_rest && !count_bodies(blocks)) {
      return {with_body(&loop, demoted(loop.body, loop))};
    }
    std::vector<Stmt> result;
    if (!no_main) {
      Stmt body = change_guards(loop.body, [&](const BlockRealizeNode&, const Conjunct& c) {
        return holds_in_main(loop, c, whole) ? std::nullopt : std::optional(c);
      });
      result.push_back(Stmt(new ForNode(loop.id, loop.var, whole, loop.for_kind, loop.thread,
                                        loop.annotations, body)));
    }
    if (!no_rest) {
      Stmt tail = no_main ? self : copy_nest(self, state_);
      result.push_back(tail_loop(*tail.as<ForNode>(), whole, rest));
    }
    return result;
  }

  bool is_peeled(const ForNode& loop, const Conjunct& c) const {
    return (c.tail == Tail::kPeel || c.tail == Tail::kBalanced) && leads(loop, c);
  }

  /// Peeled conditions hold there by construction; others (of a producer computed inside) often do too.
  bool holds_in_main(const ForNode& loop, const Conjunct& c, const Expr& whole) const {
    if (is_peeled(loop, c)) return true;
    if (!leads(loop, c)) return false;
    Expr count = iterations_held(loop, c.cond);
    return count.defined() &&
           (structural_equal(count, whole) || analyzer_.can_prove(count >= whole));
  }

  /// How many first iterations need no condition; null when that is not known.
  Expr whole_iterations(const ForNode& loop,
                        const std::vector<const BlockRealizeNode*>& blocks) const {
    Expr whole;
    for (const BlockRealizeNode* block : blocks) {
      for (const Conjunct& c : block->guard) {
        if (!is_peeled(loop, c)) continue;
        Expr count = iterations_held(loop, c.cond);
        if (!count.defined()) return {};
        whole = whole.defined() ? min(whole, count) : count;
      }
    }
    return whole.defined() ? analyzer_.simplify(whole) : Expr();
  }

  /// The number of first iterations of `loop` in which `condition` holds for all inner ones.
  Expr iterations_held(const ForNode& loop, const Expr& condition) const {
    auto slack = slack_of(analyzer_, condition);
    auto step = slack ? coefficient_of(*slack, loop.var) : std::nullopt;
    if (!step || *step >= 0) return {};
    std::erase_if(slack->terms, [&](const auto& t) { return t.first.get() == loop.var.get(); });
    Expr least = inner_bounds(arith::from_linear_form(*slack), loop.body).min;
    if (!least.defined()) return {};
    // least - step * o > 0. The quotient is a floor, so a negative numerator gives no iteration too many.
    Expr count = ceil_div(least, make_int(kInt64, -*step));
    return analyzer_.simplify(max(min(count, loop.extent), make_int(kInt64, 0)));
  }

  Stmt tail_loop(const ForNode& loop, const Expr& whole, const Expr& rest) {
    const bool single = is_const_int(rest, 1);
    Expr position = single ? whole : whole + loop.var;
    Stmt body = substitute(loop.body, {{loop.var, position}});
    arith::Analyzer facts(analyzer_);
    facts.bind_extent(loop.var, rest);
    body = change_guards(body, [&](const BlockRealizeNode&, const Conjunct& c) {
      Expr cond = facts.simplify(c.cond);
      return is_true(cond) ? std::nullopt : std::optional(Conjunct{cond, c.loop, c.tail});
    });
    body = shrink_loops(body);
    const ForKind kind =
        single && loop.for_kind == ForKind::kParallel ? ForKind::kSerial : loop.for_kind;
    return Stmt(new ForNode(loop.id, loop.var, rest, kind, loop.thread, loop.annotations, body));
  }

  /// A loop i all of whose blocks ask `i < c` (c constant) gets the extent c.
  Stmt shrink_loops(const Stmt& body) const {
    std::map<const VarNode*, int64_t> limits;
    auto limit_of = [&](const Conjunct& c) -> std::optional<std::pair<const VarNode*, int64_t>> {
      auto slack = slack_of(analyzer_, c.cond);
      if (!slack || slack->terms.size() != 1 || slack->terms[0].second != -1) return std::nullopt;
      auto* var = slack->terms[0].first.as<VarNode>();
      if (!var) return std::nullopt;
      return std::pair(var, slack->constant);
    };
    walk_stmts(body, [&](const Stmt& s) {
      auto* loop = s.as<ForNode>();
      if (!loop || !as_const_int(loop->extent)) return;
      std::optional<int64_t> common;
      for (const BlockRealizeNode* block : realizes_below(loop->body)) {
        std::optional<int64_t> own;
        for (const Conjunct& c : block->guard) {
          auto limit = limit_of(c);
          if (limit && limit->first == loop->var.node()) {
            own = std::min(own.value_or(limit->second), limit->second);
          }
        }
        if (!own || (common && *common != *own)) return;
        common = own;
      }
      if (common && *common < *as_const_int(loop->extent)) {
        limits[loop->var.node()] = std::max<int64_t>(*common, 0);
      }
    });
    Stmt cut = change_guards(body, [&](const BlockRealizeNode&, const Conjunct& c) {
      auto limit = limit_of(c);
      return limit && limits.count(limit->first) ? std::nullopt : std::optional(c);
    });
    return with_extents(cut, [&](const ForNode& loop) -> std::optional<int64_t> {
      auto it = limits.find(loop.var.node());
      return it == limits.end() ? std::nullopt : std::optional(it->second);
    });
  }

  /// One more body of each block; false when one would get too many.
  bool count_bodies(const std::vector<const BlockRealizeNode*>& blocks) {
    for (const BlockRealizeNode* b : blocks) {
      auto it = bodies_.emplace(b->block->name, 1).first;
      if (it->second >= kMaxBodies) return false;
    }
    for (const BlockRealizeNode* b : blocks) ++bodies_[b->block->name];
    return true;
  }

  // ---- Shared -----------------------------------------------------------------------------------

  /// The conjuncts that the loop leads become plain conditions.
  Stmt demoted(const Stmt& body, const ForNode& loop) const {
    return change_guards(body, [&](const BlockRealizeNode&, const Conjunct& c) {
      return std::optional(leads(loop, c) ? Conjunct{c.cond, c.loop, Tail::kGuard} : c);
    });
  }

  class SetExtents final : public Mutator {
   public:
    using Mutator::mutate;
    explicit SetExtents(const std::function<std::optional<int64_t>(const ForNode&)>& f) : f_(f) {}

   protected:
    using Mutator::mutate_node;
    Stmt mutate_node(const ForNode& node, const Stmt& self) override {
      std::optional<int64_t> extent = f_(node);
      if (!extent) return mutate_children(node, self);
      return Stmt(new ForNode(node.id, node.var, make_int(node.extent.dtype(), *extent),
                              node.for_kind, node.thread, node.annotations, mutate(node.body)));
    }

   private:
    const std::function<std::optional<int64_t>(const ForNode&)>& f_;
  };

  static Stmt with_extents(const Stmt& body,
                           const std::function<std::optional<int64_t>(const ForNode&)>& f) {
    return SetExtents(f).mutate(body);
  }

  TailState& state_;
  VarSet outer_;                       // variables of the loops around
  std::map<std::string, int> bodies_;  // copies of each block made by peeling
};

}  // namespace

PrimFunc materialize_tails(const PrimFunc& func, const Target&, const LowerOptions&) {
  bool any = false;
  walk_stmts(func->body, [&](const Stmt& s) {
    auto* realize = s.as<BlockRealizeNode>();
    if (!realize) return;
    for (const Conjunct& c : realize->guard) any |= c.tail != Tail::kGuard;
  });
  if (!any) return func;
  TailState state{func->allocs, next_free_id(func)};
  Stmt body = pad_tails(func, func->body, state);
  body = CutTails(func, state).mutate(body);
  return with_allocs(with_body(func, body), state.allocs);
}

}  // namespace tilewright::lower
