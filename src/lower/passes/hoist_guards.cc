#include "lower/fresh_copy.h"
#include "lower/move_guards.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// A version costs compile time, so nests that are long already stay guarded, and one nest is split into
/// at most 2^kMaxDepth versions.
constexpr int64_t kMaxStatements = 2048;
constexpr int kMaxDepth = 2;

using NodeSet = std::unordered_set<const Node*>;

bool is_quantified(const ForNode& loop) {
  return (loop.for_kind == ForKind::kVectorized || loop.for_kind == ForKind::kUnrolled) &&
         as_const_int(loop.extent);
}

/// Every guard condition below a place, and the variables bound there.
class CollectGuards final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<Expr> conditions;
  std::vector<Var> quantified;  // vectorized and unrolled loops
  VarSet quantified_set, bound;

 protected:
  using Visitor::visit_node;
  void visit_node(const ForNode& node) override {
    if (is_quantified(node)) {
      quantified.push_back(node.var);
      quantified_set.insert(node.var);
      extents.emplace_back(node.var, node.extent);
    } else {
      bound.insert(node.var);
    }
    visit_children(node);
  }
  void visit_node(const LetStmtNode& node) override {
    bound.insert(node.var);
    visit_children(node);
  }
  void visit_node(const LetNode& node) override {
    bound.insert(node.var);
    visit_children(node);
  }
  void visit_node(const IfNode& node) override {
    add(node.condition);
    visit_children(node);
  }
  void visit_node(const IfThenElseNode& node) override {
    add(node.condition);
    visit_children(node);
  }

 public:
  std::vector<std::pair<Var, Expr>> extents;

 private:
  void add(const Expr& condition) {
    for (const Expr& part : split_conjunction(condition)) conditions.push_back(part);
  }
};

/// Drops conditions known to hold.
class DropConditions final : public Mutator {
 public:
  using Mutator::mutate;
  explicit DropConditions(const NodeSet& holding) : holding_(holding) {}

 protected:
  using Mutator::mutate_node;
  Stmt mutate_node(const IfNode& node, const Stmt& self) override {
    Expr rest = remaining(node.condition);
    if (rest.get() == node.condition.get()) return mutate_children(node, self);
    if (is_true(rest)) return mutate(node.then_body);
    return if_then(mutate(rest), mutate(node.then_body),
                   node.else_body ? mutate(node.else_body) : Stmt());
  }
  Expr mutate_node(const IfThenElseNode& node, const Expr& self) override {
    Expr rest = remaining(node.condition);
    if (rest.get() == node.condition.get()) return mutate_children(node, self);
    if (is_true(rest)) return mutate(node.true_value);
    return if_then_else(mutate(rest), mutate(node.true_value), mutate(node.false_value));
  }

 private:
  Expr remaining(const Expr& condition) const {
    std::vector<Expr> rest;
    bool dropped = false;
    for (const Expr& part : split_conjunction(condition)) {
      if (holding_.count(part.get())) {
        dropped = true;
      } else {
        rest.push_back(part);
      }
    }
    return dropped ? join_conjunction(rest) : condition;
  }
  const NodeSet& holding_;
};

/// Makes versions: at the outermost place where all variables of a guard are known but those of vectorized
/// and unrolled loops,
///   S   ->   if (the guard holds for all of them) S without the guard  else S
class MakeVersions final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit MakeVersions(const PrimFunc& func)
      : BoundMutator(func), next_(next_free_id(func)), next_id_([this] { return next_++; }) {}

  Stmt at_place(const Stmt& body) {
    CollectGuards found;
    found.visit(body);
    NodeSet holding;
    const Expr test = worst_case(found, holding);
    if (holding.empty() || depth_ >= kMaxDepth || unrolled_size(body) > kMaxStatements) {
      return mutate(body);
    }
    ++depth_;
    Stmt fast = at_inner(test, DropConditions(holding).mutate(body));
    done_.insert(holding.begin(), holding.end());
    Stmt slow = mutate(body);
    --depth_;
    return if_then(test, fresh_copy(fast, next_id_), slow);
  }

 protected:
  using BoundMutator::mutate_node;
  Expr mutate(const Expr& expr) override { return expr; }

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    analyzer_.bind_extent(node.var, node.extent);
    // The body of a vectorized or unrolled loop is no place: a test there would be copied.
    Stmt body = is_quantified(node) ? mutate(node.body) : at_place(node.body);
    return body.get() == node.body.get() ? self : with_body(&node, body);
  }

 private:
  Stmt at_inner(const Expr& test, const Stmt& body) {
    arith::Analyzer saved(analyzer_);
    analyzer_.assume(test);
    Stmt result = mutate(body);
    analyzer_ = std::move(saved);
    return result;
  }

  /// The conjunction of the worst cases of all guards that can be tested here; `holding` gets the
  /// guards it implies.
  Expr worst_case(const CollectGuards& found, NodeSet& holding) {
    if (found.quantified.empty()) return make_bool(true);
    arith::Analyzer analyzer(analyzer_);
    for (const auto& [var, extent] : found.extents) analyzer.bind_extent(var, extent);
    std::vector<Expr> tests;
    for (const Expr& condition : found.conditions) {
      if (done_.count(condition.get()) || holding.count(condition.get()) ||
          !is_pure_index(condition) || !uses_any_var(condition, found.quantified_set) ||
          uses_any_var(condition, found.bound)) {
        continue;
      }
      Expr test = worst_case(analyzer, condition, found.quantified);
      if (!test.defined() || is_false(test)) continue;
      holding.insert(condition.get());
      bool known = is_true(test);
      for (const Expr& t : tests) known = known || structural_equal(t, test);
      if (!known) tests.push_back(test);
    }
    return join_conjunction(tests);
  }

  /// The condition that `condition` holds for all values of `vars`; null when it has no simple form.
  static Expr worst_case(const arith::Analyzer& analyzer, const Expr& condition,
                         const std::vector<Var>& vars) {
    auto* cmp = condition.as<BinaryNode>();
    if (!cmp || !cmp->a.dtype().is_int() || !cmp->a.dtype().is_scalar()) return {};
    const bool less = cmp->op == BinaryOp::kLt || cmp->op == BinaryOp::kLe;
    if (!less && cmp->op != BinaryOp::kGt && cmp->op != BinaryOp::kGe) return {};
    const bool strict = cmp->op == BinaryOp::kLt || cmp->op == BinaryOp::kGt;
    const Expr slack = less ? cmp->b - cmp->a : cmp->a - cmp->b;
    Expr least = analyzer.bounds_over(analyzer.simplify(slack), vars).min;
    if (!least.defined()) return {};
    const Expr zero = make_int(kInt64, 0);
    return analyzer.simplify(strict ? least > zero : least >= zero);
  }

  int64_t next_;
  const std::function<int64_t()> next_id_;
  int depth_ = 0;
  NodeSet done_;
};

}  // namespace

PrimFunc hoist_guards(const PrimFunc& func, const Target&, const LowerOptions&) {
  Stmt body = move_guards(func, func->body);
  return with_body(func, MakeVersions(func).at_place(body));
}

}  // namespace tilewright::lower
