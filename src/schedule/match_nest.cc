#include "schedule/match_nest.h"

#include <algorithm>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

bool is_commutative(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kMul:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kEq:
    case BinaryOp::kNe: return true;
    default: return false;
  }
}

std::string extents_of(const std::vector<const ForNode*>& loops) {
  std::string text;
  for (const ForNode* loop : loops) {
    text += (text.empty() ? "" : " x ") + to_pretty(loop->extent);
  }
  return text.empty() ? "1" : text;
}

std::vector<const ForNode*> without_unit_loops(const std::vector<const ForNode*>& loops) {
  std::vector<const ForNode*> result;
  for (const ForNode* loop : loops) {
    if (!is_const_int(loop->extent, 1)) result.push_back(loop);
  }
  return result;
}

class Matcher {
 public:
  Matcher(const Invocation& in, const BlockNest& nest, const PrimFunc& reference)
      : nest_(nest), reference_(reference), tree_(reference) {
    facts_ = in.facts(in.tree.loops_around(nest.realize->block->id));
  }

  std::string run(BoundBuffers& bound) {
    const BlockRealizeNode& ref = *tree_.blocks_under(-1)[0];
    if (std::string fault = match_loops(); !fault.empty()) return fault;
    values_of(ref, ref_map_);
    values_of(*nest_.realize, map_);
    const Block &a = ref.block, &b = nest_.realize->block;
    if (a->reducer.defined() != b->reducer.defined()) {
      return a->reducer ? "the nest is no reduction" : "the nest is a reduction";
    }
    if (static_cast<bool>(a->init) != static_cast<bool>(b->init)) {
      return a->init ? "the init of the reduction is not in the nest"
                     : "the nest holds the init of the reduction, and the instruction adds to what "
                       "is there: decompose_reduction first";
    }
    if (!match(a->body, b->body) || (a->init && !match(a->init, b->init))) {
      return fault_.empty() ? "the statements have another form" : fault_;
    }
    for (const Region& written : b->writes) {
      int uses = 0;
      for (const auto& [buffer, place] : bound_) uses += place.buffer.same_as(written.buffer);
      if (uses > 1) return fmt::format("'{}' is read and written", written.buffer->name);
    }
    bound = std::move(bound_);
    return "";
  }

 private:
  std::string match_loops() {
    const std::vector<const ForNode*> mine = without_unit_loops(nest_.inner);
    const std::vector<const ForNode*> theirs = without_unit_loops(tree_.loops());
    bool same = mine.size() == theirs.size();
    for (size_t i = 0; same && i < mine.size(); ++i) {
      same = facts_.can_prove_equal(mine[i]->extent, theirs[i]->extent);
    }
    if (!same) {
      return fmt::format("the loops of the nest are {}, those of the instruction {}",
                         extents_of(mine), extents_of(theirs));
    }
    for (const ForNode* loop : nest_.inner) {
      if (is_const_int(loop->extent, 1)) map_[loop->var] = make_int(loop->var.dtype(), 0);
      inner_.insert(loop->var);
    }
    for (const ForNode* loop : tree_.loops()) ref_map_[loop->var] = make_int(loop->var.dtype(), 0);
    for (size_t i = 0; i < mine.size(); ++i) ref_map_[theirs[i]->var] = mine[i]->var;
    return "";
  }

  // Adds the iteration variables, in terms of the nest's loops.
  void values_of(const BlockRealizeNode& realize, VarMap& map) const {
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      map[realize.block->iter_vars[i].var] =
          facts_.simplify(substitute(realize.iter_values[i], map));
    }
  }

  bool match(const Stmt& a, const Stmt& b) {
    if (!b || a->kind != b->kind) return false;
    if (const auto* x = a.as<SeqNode>()) {
      const auto* y = b.as<SeqNode>();
      if (x->stmts.size() != y->stmts.size()) return false;
      for (size_t i = 0; i < x->stmts.size(); ++i) {
        if (!match(x->stmts[i], y->stmts[i])) return false;
      }
      return true;
    }
    if (const auto* x = a.as<StoreNode>()) {
      const auto* y = b.as<StoreNode>();
      return !x->predicate.defined() && !y->predicate.defined() &&
             access(x->buffer, x->indices, y->buffer, y->indices) && match(x->value, y->value);
    }
    const auto *x = a.as<UpdateNode>(), *y = b.as<UpdateNode>();
    if (!x || x->buffers.size() != y->buffers.size() || !structural_equal(x->reducer, y->reducer)) {
      return false;
    }
    for (size_t j = 0; j < x->buffers.size(); ++j) {
      if (!access(x->buffers[j], x->indices, y->buffers[j], y->indices) ||
          !match(x->values[j], y->values[j])) {
        return false;
      }
    }
    return true;
  }

  static bool has_load(const Expr& e) {
    bool found = false;
    walk_exprs(e, [&](const Expr& sub) { found |= sub->kind == NodeKind::kLoad; });
    return found;
  }

  bool match(const Expr& a, const Expr& b) {
    if (!(a.dtype() == b.dtype())) return false;
    if (!has_load(a) && !has_load(b)) {
      const Expr x = facts_.simplify(substitute(a, ref_map_));
      const Expr y = facts_.simplify(substitute(b, map_));
      return structural_equal(x, y);
    }
    if (a->kind != b->kind) return false;
    if (const auto* x = a.as<LoadNode>()) {
      const auto* y = b.as<LoadNode>();
      return !x->predicate.defined() && !y->predicate.defined() &&
             access(x->buffer, x->indices, y->buffer, y->indices);
    }
    if (const auto* x = a.as<CastNode>()) return match(x->value, b.as<CastNode>()->value);
    if (const auto* x = a.as<UnaryNode>()) {
      const auto* y = b.as<UnaryNode>();
      return x->op == y->op && match(x->a, y->a);
    }
    if (const auto* x = a.as<BinaryNode>()) {
      const auto* y = b.as<BinaryNode>();
      if (x->op != y->op) return false;
      const BoundBuffers saved = bound_;
      if (match(x->a, y->a) && match(x->b, y->b)) return true;
      bound_ = saved;
      return is_commutative(x->op) && match(x->a, y->b) && match(x->b, y->a);
    }
    if (const auto* x = a.as<SelectNode>()) {
      const auto* y = b.as<SelectNode>();
      return match(x->condition, y->condition) && match(x->true_value, y->true_value) &&
             match(x->false_value, y->false_value);
    }
    if (const auto* x = a.as<IfThenElseNode>()) {
      const auto* y = b.as<IfThenElseNode>();
      return match(x->condition, y->condition) && match(x->true_value, y->true_value) &&
             match(x->false_value, y->false_value);
    }
    const auto *x = a.as<CallNode>(), *y = b.as<CallNode>();
    if (!x || x->intrinsic != y->intrinsic || x->args.size() != y->args.size()) return false;
    for (size_t i = 0; i < x->args.size(); ++i) {
      if (!match(x->args[i], y->args[i])) return false;
    }
    return true;
  }

  bool is_outer(const Expr& e) const { return !uses_any_var(e, inner_) && !has_load(e); }

  // Element `a_at` of a reference's buffer is element `b_at` of the program's.
  bool access(const Buffer& a, const std::vector<Expr>& a_at, const Buffer& b,
              const std::vector<Expr>& b_at) {
    if (!(a->dtype == b->dtype) || a->rank() > b->rank()) return false;
    std::vector<Expr> ref, mine;
    for (const Expr& e : a_at) ref.push_back(substitute(e, ref_map_));
    for (const Expr& e : b_at) mine.push_back(facts_.simplify(substitute(e, map_)));
    auto known = bound_.find(a.get());
    if (known != bound_.end())
      return known->second.buffer.same_as(b) && agrees(known->second, ref, mine);
    BoundBuffer place{b, std::vector<Expr>(mine.size()), std::vector<int>(ref.size())};
    if (!assign(ref, mine, a->rank(), b->rank(), place)) {
      fault_ =
          fmt::format("the access of '{}' does not move as that of '{}' does", b->name, a->name);
      return false;
    }
    bound_[a.get()] = std::move(place);
    return true;
  }

  bool agrees(const BoundBuffer& place, const std::vector<Expr>& ref,
              const std::vector<Expr>& mine) const {
    std::vector<Expr> wanted = place.base;
    for (size_t d = 0; d < ref.size(); ++d) wanted[place.dims[d]] = wanted[place.dims[d]] + ref[d];
    for (size_t d = 0; d < mine.size(); ++d) {
      if (!facts_.can_prove_equal(wanted[d], mine[d])) return false;
    }
    return true;
  }

  // Gives the reference's first `m` dimensions places among the program's first `n`, last ones first.
  bool assign(const std::vector<Expr>& ref, const std::vector<Expr>& mine, int m, int n,
              BoundBuffer& place) const {
    if (n == 0) return m == 0;
    if (m > 0) {
      Expr base = facts_.simplify(mine[n - 1] - ref[m - 1]);
      if (is_outer(base)) {
        place.base[n - 1] = base;
        place.dims[m - 1] = n - 1;
        if (assign(ref, mine, m - 1, n - 1, place)) return true;
      }
    }
    if (m >= n || !is_outer(mine[n - 1])) return false;
    place.base[n - 1] = mine[n - 1];
    return assign(ref, mine, m, n - 1, place);
  }

  const BlockNest& nest_;
  const PrimFunc& reference_;
  Tree tree_;
  arith::Analyzer facts_;
  VarMap ref_map_, map_;
  VarSet inner_;
  BoundBuffers bound_;
  std::string fault_;
};

}  // namespace

std::string match_nest(const Invocation& in, const BlockNest& nest, const PrimFunc& reference,
                       BoundBuffers& bound) {
  return Matcher(in, nest, reference).run(bound);
}

}  // namespace tilewright::schedule
