#include "tilewright/ir/visitor.h"

#include <algorithm>
#include <type_traits>

#include "tilewright/ir/ops.h"

namespace tilewright::ir {
namespace {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
concept HasFields = requires(const T& t) {
  t.fields();
}
&&!std::is_base_of_v<Node, T>;

template <typename T>
constexpr bool is_handle_v = std::is_same_v<T, Expr> || std::is_same_v<T, Stmt> ||
                             std::is_same_v<T, Block> || std::is_same_v<T, Buffer>;

// Builds a node of NodeT like `old` with the given fields.
template <typename NodeT, typename... Fields>
const NodeT* construct(const NodeT& old, Fields&&... fields) {
  if constexpr (std::is_same_v<NodeT, RampNode> || std::is_same_v<NodeT, BroadcastNode>) {
    return new NodeT(std::forward<Fields>(fields)..., old.dtype.lanes);
  } else if constexpr (std::is_same_v<NodeT, ForNode>) {
    return new NodeT(old.id, std::forward<Fields>(fields)...);
  } else if constexpr (std::is_same_v<NodeT, BlockNode>) {
    return new NodeT(old.id, std::forward<Fields>(fields)..., old.origin);
  } else if constexpr (std::is_constructible_v<NodeT, Fields...>) {
    return new NodeT(std::forward<Fields>(fields)...);
  } else {
    return new NodeT(old.dtype, std::forward<Fields>(fields)...);
  }
}

}  // namespace

// ---- Visitor ------------------------------------------------------------------------------------

template <typename T>
void Visitor::walk(const T& field) {
  if constexpr (std::is_same_v<T, Expr> || std::is_same_v<T, Stmt> || std::is_same_v<T, Block>) {
    if (field.defined()) visit(field);
  } else if constexpr (std::is_same_v<T, Buffer>) {
    if (field) visit_buffer(field);
  } else if constexpr (IsVector<T>::value) {
    if constexpr (!std::is_same_v<T, std::vector<Var>>) {
      for (const auto& item : field) walk(item);
    }
  } else if constexpr (HasFields<T>) {
    std::apply([&](const auto&... f) { (walk(f), ...); }, field.fields());
  }
}

void Visitor::visit(const Expr& node) {
  switch (node->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return visit_node(static_cast<const Name##Node&>(*node));
    TILEWRIGHT_EXPR_NODES(TILEWRIGHT_CASE)
    default: throw InternalError("not an expression node");
  }
}

void Visitor::visit(const Stmt& node) {
  switch (node->kind) {
    TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
    default: throw InternalError("not a statement node");
  }
}

void Visitor::visit(const Block& block) { visit_node(*block); }

#define TILEWRIGHT_DEFINE(Name)                                              \
  void Visitor::visit_node(const Name##Node& node) { visit_children(node); } \
  void Visitor::visit_children([[maybe_unused]] const Name##Node& node) {    \
    std::apply([&](const auto&... f) { (walk(f), ...); }, node.fields());    \
  }
TILEWRIGHT_EXPR_NODES(TILEWRIGHT_DEFINE)
TILEWRIGHT_STMT_NODES(TILEWRIGHT_DEFINE)
TILEWRIGHT_DEFINE(Block)
#undef TILEWRIGHT_DEFINE

// ---- Mutator ------------------------------------------------------------------------------------

template <typename T>
T Mutator::walk(const T& field, bool& changed) {
  if constexpr (is_handle_v<T>) {
    if (!field.defined()) return field;
    T result = mutate(field);
    changed |= result.get() != field.get();
    return result;
  } else if constexpr (IsVector<T>::value && !std::is_same_v<T, std::vector<Var>>) {
    T result;
    result.reserve(field.size());
    for (const auto& item : field) result.push_back(walk(item, changed));
    return result;
  } else if constexpr (std::is_same_v<T, Range>) {
    return Range{walk(field.min, changed), walk(field.extent, changed)};
  } else if constexpr (std::is_same_v<T, Region>) {
    return Region{walk(field.buffer, changed), walk(field.ranges, changed)};
  } else if constexpr (std::is_same_v<T, IterVar>) {
    return IterVar{field.var, walk(field.dom, changed), field.kind};
  } else if constexpr (std::is_same_v<T, Conjunct>) {
    return Conjunct{walk(field.cond, changed), field.loop, field.tail};
  } else {
    return field;
  }
}

template <typename NodeT, typename Handle>
Handle Mutator::rebuild(const NodeT& node, const Handle& self) {
  bool changed = false;
  auto mapped = std::apply(
      [&](const auto&... f) {
        // Braced initialisation keeps the order of evaluation left to right.
        return std::tuple<std::decay_t<decltype(f)>...>{walk(f, changed)...};
      },
      node.fields());
  if (!changed) return self;
  return Handle(
      std::apply([&](auto&&... f) { return construct(node, std::move(f)...); }, std::move(mapped)));
}

Expr Mutator::mutate(const Expr& node) {
  switch (node->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return mutate_node(static_cast<const Name##Node&>(*node), node);
    TILEWRIGHT_EXPR_NODES(TILEWRIGHT_CASE)
    default: throw InternalError("not an expression node");
  }
}

Stmt Mutator::mutate(const Stmt& node) {
  switch (node->kind) {
    TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
    default: throw InternalError("not a statement node");
  }
}

Block Mutator::mutate(const Block& block) { return mutate_node(*block, block); }

#define TILEWRIGHT_DEFINE(Name)                                             \
  Expr Mutator::mutate_node(const Name##Node& node, const Expr& self) {     \
    return mutate_children(node, self);                                     \
  }                                                                         \
  Expr Mutator::mutate_children(const Name##Node& node, const Expr& self) { \
    return rebuild(node, self);                                             \
  }
TILEWRIGHT_EXPR_NODES(TILEWRIGHT_DEFINE)
#undef TILEWRIGHT_DEFINE
#define TILEWRIGHT_DEFINE(Name)                                             \
  Stmt Mutator::mutate_node(const Name##Node& node, const Stmt& self) {     \
    return mutate_children(node, self);                                     \
  }                                                                         \
  Stmt Mutator::mutate_children(const Name##Node& node, const Stmt& self) { \
    return rebuild(node, self);                                             \
  }
TILEWRIGHT_STMT_NODES(TILEWRIGHT_DEFINE)
#undef TILEWRIGHT_DEFINE
Block Mutator::mutate_node(const BlockNode& node, const Block& self) {
  return mutate_children(node, self);
}
Block Mutator::mutate_children(const BlockNode& node, const Block& self) {
  return rebuild(node, self);
}

// ---- Substitution and queries -------------------------------------------------------------------

namespace {

class Substitute final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  explicit Substitute(const VarMap& map) : map_(map) {}

 protected:
  Expr mutate_node(const VarNode&, const Expr& self) override {
    auto it = map_.find(self);
    return it == map_.end() ? self : it->second;
  }

 private:
  const VarMap& map_;
};

class ReplaceBuffers final : public Mutator {
 public:
  using Mutator::mutate;
  explicit ReplaceBuffers(const BufferMap& map) : map_(map) {}
  Buffer mutate(const Buffer& buffer) override {
    auto it = map_.find(buffer);
    return it == map_.end() ? buffer : it->second;
  }

 private:
  const BufferMap& map_;
};

class Walk final : public Visitor {
 public:
  using Visitor::visit;
  Walk(const std::function<void(const Expr&)>* on_expr,
       const std::function<void(const Stmt&)>* on_stmt)
      : on_expr_(on_expr), on_stmt_(on_stmt) {}
  void visit(const Expr& expr) override {
    if (!on_expr_) return;
    (*on_expr_)(expr);
    Visitor::visit(expr);
  }
  void visit(const Stmt& stmt) override {
    if (on_stmt_) (*on_stmt_)(stmt);
    Visitor::visit(stmt);
  }

 private:
  const std::function<void(const Expr&)>* on_expr_;
  const std::function<void(const Stmt&)>* on_stmt_;
};

class RefreshBindings final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  explicit RefreshBindings(const std::function<int64_t()>& next_id) : next_id_(next_id) {}

 protected:
  Expr mutate_node(const VarNode&, const Expr& self) override {
    auto it = map_.find(self);
    return it == map_.end() ? self : it->second;
  }
  Expr mutate_node(const LetNode& node, const Expr&) override {
    Expr value = mutate(node.value);
    Var var = fresh(node.var);
    return Expr(new LetNode(var, value, mutate(node.body)));
  }
  Stmt mutate_node(const ForNode& node, const Stmt&) override {
    Expr extent = mutate(node.extent);
    Var var = fresh(node.var);
    int64_t id = next_id_();
    return Stmt(new ForNode(id, var, extent, node.for_kind, node.thread, node.annotations,
                            mutate(node.body)));
  }
  Stmt mutate_node(const LetStmtNode& node, const Stmt&) override {
    Expr value = mutate(node.value);
    Var var = fresh(node.var);
    return Stmt(new LetStmtNode(var, value, mutate(node.body)));
  }
  Block mutate_node(const BlockNode& node, const Block&) override {
    std::vector<IterVar> iters;
    for (const IterVar& iter : node.iter_vars) {
      Range dom{mutate(iter.dom.min), mutate(iter.dom.extent)};
      iters.push_back({fresh(iter.var), dom, iter.kind});
    }
    auto regions = [&](const std::vector<Region>& list) {
      std::vector<Region> result;
      for (const Region& region : list) {
        Region copy{region.buffer, {}};
        for (const Range& r : region.ranges)
          copy.ranges.push_back({mutate(r.min), mutate(r.extent)});
        result.push_back(std::move(copy));
      }
      return result;
    };
    int64_t id = next_id_();
    return Block(new BlockNode(id, node.name, node.block_kind, std::move(iters),
                               node.where.defined() ? mutate(node.where) : Expr(),
                               regions(node.reads), regions(node.writes), node.reducer,
                               node.init ? mutate(node.init) : Stmt(), mutate(node.body),
                               node.annotations, node.origin));
  }

 private:
  Var fresh(const Var& var) {
    Var copy(var.name(), var.dtype());
    map_[var] = copy;
    return copy;
  }
  const std::function<int64_t()>& next_id_;
  VarMap map_;
};

}  // namespace

Expr substitute(const Expr& expr, const VarMap& map) {
  if (!expr.defined() || map.empty()) return expr;
  return Substitute(map).mutate(expr);
}

Stmt substitute(const Stmt& stmt, const VarMap& map) {
  if (!stmt || map.empty()) return stmt;
  return Substitute(map).mutate(stmt);
}

Stmt replace_buffers(const Stmt& stmt, const BufferMap& map) {
  if (!stmt || map.empty()) return stmt;
  return ReplaceBuffers(map).mutate(stmt);
}

void walk_exprs(const Stmt& stmt, const std::function<void(const Expr&)>& f) {
  if (stmt) Walk(&f, nullptr).visit(stmt);
}

void walk_exprs(const Expr& expr, const std::function<void(const Expr&)>& f) {
  if (expr.defined()) Walk(&f, nullptr).visit(expr);
}

void walk_stmts(const Stmt& stmt, const std::function<void(const Stmt&)>& f) {
  if (stmt) Walk(nullptr, &f).visit(stmt);
}

std::vector<Var> free_vars(const Expr& expr) {
  std::vector<Var> vars;
  walk_exprs(expr, [&](const Expr& e) {
    const VarNode* var = e.as<VarNode>();
    if (var &&
        std::none_of(vars.begin(), vars.end(), [&](const Var& v) { return v.get() == var; })) {
      vars.emplace_back(var);
    }
  });
  return vars;
}

bool uses_any_var(const Expr& expr, const VarSet& vars) {
  bool found = false;
  walk_exprs(expr, [&](const Expr& e) { found |= e.as<VarNode>() && vars.count(e); });
  return found;
}

bool uses_var(const Expr& expr, const Var& var) {
  bool found = false;
  walk_exprs(expr, [&](const Expr& e) { found |= e.get() == var.get(); });
  return found;
}

Stmt refresh_bindings(const Stmt& stmt, const std::function<int64_t()>& next_id) {
  return RefreshBindings(next_id).mutate(stmt);
}

int64_t next_free_id(const PrimFunc& func) {
  int64_t next = 0;
  walk_stmts(func->body, [&](const Stmt& stmt) {
    if (auto* loop = stmt.as<ForNode>()) next = std::max(next, loop->id + 1);
    if (auto* realize = stmt.as<BlockRealizeNode>()) next = std::max(next, realize->block->id + 1);
  });
  return next;
}

}  // namespace tilewright::ir
