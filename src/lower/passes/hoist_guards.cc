#include <algorithm>

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

/// A test that makes a version of the statements it belongs to, and the guards that then hold.
struct Version {
  Expr test;
  NodeSet holding;
};
using Anchors = std::unordered_map<const Node*, std::vector<Version>>;

/// Drops conditions known to hold. Statements that are still to get versions stay known under their new
/// nodes.
class DropConditions final : public Mutator {
 public:
  using Mutator::mutate;
  /// `alive` keeps those nodes, so that no other node can get their address.
  DropConditions(const NodeSet& holding, Anchors& anchors, std::vector<Stmt>& alive)
      : holding_(holding), anchors_(anchors), alive_(alive) {}

  Stmt mutate(const Stmt& stmt) override {
    Stmt result = Mutator::mutate(stmt);
    if (result.get() != stmt.get()) {
      if (auto it = anchors_.find(stmt.get()); it != anchors_.end()) {
        std::vector<Version> versions = it->second;
        anchors_.emplace(result.get(), std::move(versions));
        alive_.push_back(result);
      }
    }
    return result;
  }

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
  Anchors& anchors_;
  std::vector<Stmt>& alive_;
};

/// Finds the statements to make versions of: as few and as small as possible without a test inside of a loop
/// that is guarded as a whole.
class FindAnchors {
 public:
  explicit FindAnchors(const NodeSet& holding) : holding_(holding) {}

  struct Result {
    std::vector<Stmt> stmts;
    bool spared = false;  ///< a loop without guards is left out
  };

  Result find(const Stmt& stmt) const {
    if (auto* alloc = stmt.as<AllocNode>()) {
      // Each version has registers of its own where all uses of them are in versions.
      Result inside = find(alloc->body);
      return inside.spared ? inside : Result{{stmt}, false};
    }
    if (auto* let = stmt.as<LetStmtNode>()) return find(let->body);
    if (auto* list = stmt.as<SeqNode>()) return find_in(*list, stmt);
    if (auto* loop = stmt.as<ForNode>(); loop && !is_quantified(*loop)) {
      // Outside of the loop, unless that copies work which needs no version.
      Result inside = find(loop->body);
      if (inside.spared) return inside;
    }
    return {{stmt}, false};
  }

 private:
  Result find_in(const SeqNode& list, const Stmt& self) const {
    std::vector<Stmt> guarded;
    bool spares = false;
    for (const Stmt& child : list.stmts) {
      if (is_guarded(child)) {
        guarded.push_back(child);
      } else {
        spares = spares || is_heavy(child);
      }
    }
    if (!spares && guarded.size() > 1) return {{self}, false};
    Result result;
    result.spared = spares;
    for (const Stmt& child : guarded) {
      Result inner = find(child);
      result.stmts.insert(result.stmts.end(), inner.stmts.begin(), inner.stmts.end());
      result.spared = result.spared || inner.spared;
    }
    return result;
  }

  bool is_guarded(const Stmt& stmt) const {
    CollectGuards found;
    found.visit(stmt);
    return std::any_of(found.conditions.begin(), found.conditions.end(),
                       [&](const Expr& c) { return holding_.count(c.get()) > 0; });
  }

  static bool is_heavy(const Stmt& stmt) {
    bool loops = false;
    walk_stmts(stmt, [&](const Stmt& s) {
      auto* loop = s.as<ForNode>();
      loops = loops || (loop && !is_quantified(*loop));
    });
    return loops;
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

  /// Versions of `body` by all guards that can be tested here.
  Stmt at_place(const Stmt& body) {
    CollectGuards found;
    found.visit(body);
    Version version;
    version.test = worst_case(found, version.holding);
    if (version.holding.empty()) return mutate(body);
    const std::vector<Stmt> anchors = FindAnchors(version.holding).find(body).stmts;
    int64_t size = 0;
    for (const Stmt& anchor : anchors) size += unrolled_size(anchor);
    if (size <= kMaxStatements) {
      done_.insert(version.holding.begin(), version.holding.end());
      for (const Stmt& anchor : anchors) anchors_[anchor.get()].push_back(version);
    }
    return mutate(body);
  }

  Stmt mutate(const Stmt& stmt) override {
    auto it = anchors_.find(stmt.get());
    if (it == anchors_.end() || depth_ >= kMaxDepth) return Mutator::mutate(stmt);
    std::vector<Expr> tests;
    NodeSet holding;
    for (const Version& version : it->second) {
      tests.push_back(version.test);
      holding.insert(version.holding.begin(), version.holding.end());
    }
    const Expr test = join_conjunction(tests);
    ++depth_;
    const Stmt plain = DropConditions(holding, anchors_, alive_).mutate(stmt);
    // Both versions share nodes: what holds of them in the fast one is forgotten with its facts.
    arith::Analyzer saved(analyzer_);
    Anchors saved_anchors = anchors_;
    NodeSet saved_done = done_;
    analyzer_.assume(test);
    Stmt fast = Mutator::mutate(plain);
    analyzer_ = std::move(saved);
    anchors_ = std::move(saved_anchors);
    done_ = std::move(saved_done);
    Stmt slow = Mutator::mutate(stmt);
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
    if (!cmp || !is_index(cmp->a)) return {};
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
  Anchors anchors_;
  std::vector<Stmt> alive_;
};

}  // namespace

PrimFunc hoist_guards(const PrimFunc& func, const Target&, const LowerOptions&) {
  Stmt body = move_guards(func, func->body);
  return with_body(func, MakeVersions(func).at_place(body));
}

}  // namespace tilewright::lower
