#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

bool contains_loop(const Stmt& stmt) {
  bool found = false;
  walk_stmts(stmt, [&](const Stmt& s) { found |= s.as<ForNode>() != nullptr; });
  return found;
}

/// Costs nothing to compute again in each iteration.
bool is_trivial(const Expr& expr) {
  if (is_literal(expr) || expr.as<VarNode>() || expr.as<StringImmNode>()) return true;
  if (auto* b = expr.as<BroadcastNode>()) return is_trivial(b->value);
  if (auto* r = expr.as<RampNode>()) return is_trivial(r->base) && is_trivial(r->stride);
  return false;
}

/// Rewrites the body of one innermost loop and collects the bindings to put outside of it.
class HoistFromLoop final : public Mutator {
 public:
  using Mutator::mutate;
  HoistFromLoop(const arith::Analyzer& analyzer, const ForNode& loop) : analyzer_(analyzer) {
    inner_.insert(loop.var);
    walk_stmts(loop.body, [&](const Stmt& s) {
      if (auto* let = s.as<LetStmtNode>()) inner_.insert(let->var);
    });
    walk_exprs(loop.body, [&](const Expr& e) {
      if (auto* let = e.as<LetNode>()) inner_.insert(let->var);
    });
  }

  Stmt wrap(Stmt loop) const {
    for (auto it = lets_.rbegin(); it != lets_.rend(); ++it) {
      loop = let_stmt(it->first, it->second, loop);
    }
    return loop;
  }

  Expr mutate(const Expr& expr) override {
    if (is_trivial(expr)) return expr;
    if (is_invariant(expr)) return bind(expr);
    return Mutator::mutate(expr);
  }

 protected:
  using Mutator::mutate_node;

  Expr mutate_node(const LoadNode& node, const Expr&) override {
    return Expr(new LoadNode(node.dtype, node.buffer, {offset(node.indices[0])},
                             node.predicate.defined() ? mutate(node.predicate) : Expr()));
  }

  Stmt mutate_node(const StoreNode& node, const Stmt&) override {
    Expr value = mutate(node.value);
    return Stmt(new StoreNode(node.buffer, {offset(node.indices[0])}, value,
                              node.predicate.defined() ? mutate(node.predicate) : Expr()));
  }

 private:
  bool is_invariant(const Expr& expr) const {
    bool invariant = true;
    walk_exprs(expr, [&](const Expr& e) {
      if (auto* call = e.as<CallNode>()) {
        invariant &= info(call->intrinsic).effect == Effect::kPure;
      } else if (e.as<LoadNode>() || e.as<LetNode>() || e.as<StringImmNode>()) {
        invariant = false;
      } else if (e.as<VarNode>()) {
        invariant &= !inner_.count(e);
      }
    });
    return invariant;
  }

  /// An offset with its invariant part in one variable. The constant comes last, so that offsets which differ
  /// only in it share the rest and it folds into the address.
  Expr offset(const Expr& index) {
    if (is_trivial(index)) return index;
    if (auto* r = index.as<RampNode>()) {
      return ramp(offset(r->base), mutate(r->stride), r->dtype.lanes);
    }
    if (!index.dtype().is_scalar() || !is_pure_index(index)) return mutate(index);
    arith::LinearForm form = analyzer_.linear_form(index);
    arith::LinearForm fixed, moving;
    for (const auto& term : form.terms) {
      (is_invariant(term.first) ? fixed : moving).terms.push_back(term);
    }
    if (fixed.terms.empty()) return index;
    Expr sum = arith::from_linear_form(fixed);
    if (!is_trivial(sum)) sum = bind(sum);
    if (!moving.terms.empty()) sum = sum + arith::from_linear_form(moving);
    return sum + make_int(kInt64, form.constant);
  }

  Expr bind(const Expr& value) {
    for (const auto& [var, known] : lets_) {
      if (structural_equal(known, value)) return var;
    }
    const DType dtype = value.dtype();
    const char* name = dtype.is_bool() ? "mask" : dtype.is_int() ? "base" : "fixed";
    lets_.emplace_back(Var(name, dtype), value);
    return lets_.back().first;
  }

  const arith::Analyzer& analyzer_;
  VarSet inner_;
  std::vector<std::pair<Var, Expr>> lets_;
};

class HoistInvariants final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit HoistInvariants(const PrimFunc& func) : BoundMutator(func) {}

 protected:
  using BoundMutator::mutate_node;
  Expr mutate(const Expr& expr) override { return expr; }

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    if (contains_loop(node.body) || node.for_kind != ForKind::kSerial) {
      return BoundMutator::mutate_node(node, self);
    }
    HoistFromLoop hoist(analyzer_, node);
    Stmt body = hoist.mutate(node.body);
    if (body.get() == node.body.get()) return self;
    return hoist.wrap(with_body(&node, body));
  }
};

}  // namespace

PrimFunc hoist_invariants(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, HoistInvariants(func).mutate(func->body));
}

}  // namespace tilewright::lower
