#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::ir {

/// Read-only walk in evaluation order. Override `visit_node` for the kinds of interest (and add
/// `using Visitor::visit_node;`); call `visit_children(node)` to go on below. Buffers, layouts and
/// reducers are leaves.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void visit(const Expr& expr);
  virtual void visit(const Stmt& stmt);
  virtual void visit(const Block& block);

 protected:
#define TILEWRIGHT_VISIT(Name)                     \
  virtual void visit_node(const Name##Node& node); \
  void visit_children(const Name##Node& node);
  TILEWRIGHT_EXPR_NODES(TILEWRIGHT_VISIT)
  TILEWRIGHT_STMT_NODES(TILEWRIGHT_VISIT)
  TILEWRIGHT_VISIT(Block)
#undef TILEWRIGHT_VISIT
  /// Each use of a buffer (load, store, update, alloc, region), before its indices.
  virtual void visit_buffer(const Buffer&) {}

 private:
  template <typename T>
  void walk(const T& field);
};

/// Rewrites bottom-up; a node whose children did not change is given back itself. Override
/// `mutate_node` for the kinds of interest (and add `using Mutator::mutate_node;`) and call
/// `mutate_children(node, self)` to rewrite below. Rebuilding keeps a node's dtype: a rewrite that
/// changes dtypes or lanes must build the node itself. Binding sites (loop, let, block and reduce
/// variables) are not rewritten.
class Mutator {
 public:
  virtual ~Mutator() = default;
  virtual Expr mutate(const Expr& expr);
  virtual Stmt mutate(const Stmt& stmt);
  virtual Block mutate(const Block& block);
  /// Default: the same buffer.
  virtual Buffer mutate(const Buffer& buffer) { return buffer; }

 protected:
#define TILEWRIGHT_MUTATE(Name)                                       \
  virtual Expr mutate_node(const Name##Node& node, const Expr& self); \
  Expr mutate_children(const Name##Node& node, const Expr& self);
  TILEWRIGHT_EXPR_NODES(TILEWRIGHT_MUTATE)
#undef TILEWRIGHT_MUTATE
#define TILEWRIGHT_MUTATE(Name)                                       \
  virtual Stmt mutate_node(const Name##Node& node, const Stmt& self); \
  Stmt mutate_children(const Name##Node& node, const Stmt& self);
  TILEWRIGHT_STMT_NODES(TILEWRIGHT_MUTATE)
#undef TILEWRIGHT_MUTATE
  virtual Block mutate_node(const BlockNode& node, const Block& self);
  Block mutate_children(const BlockNode& node, const Block& self);

 private:
  template <typename T>
  T walk(const T& field, bool& changed);
  template <typename NodeT, typename Handle>
  Handle rebuild(const NodeT& node, const Handle& self);
};

using VarMap = std::unordered_map<Expr, Expr, RefHash, RefEqual>;
using BufferMap = std::unordered_map<Buffer, Buffer, RefHash, RefEqual>;
using VarSet = std::unordered_set<Expr, RefHash, RefEqual>;

/// Replaces variables (keys are Var handles) by expressions.
Expr substitute(const Expr& expr, const VarMap& map);
Stmt substitute(const Stmt& stmt, const VarMap& map);
/// Replaces buffers in all accesses and regions.
Stmt replace_buffers(const Stmt& stmt, const BufferMap& map);
/// The variables used in `expr` (bound ones included), in order of first use.
std::vector<Var> free_vars(const Expr& expr);
bool uses_var(const Expr& expr, const Var& var);
bool uses_any_var(const Expr& expr, const VarSet& vars);
/// Calls `f` on every sub-expression / statement, parents first.
void walk_exprs(const Stmt& stmt, const std::function<void(const Expr&)>& f);
void walk_exprs(const Expr& expr, const std::function<void(const Expr&)>& f);
void walk_stmts(const Stmt& stmt, const std::function<void(const Stmt&)>& f);
/// A deep copy in which every loop, block and let variable is fresh; ids are given by `next_id`.
Stmt refresh_bindings(const Stmt& stmt, const std::function<int64_t()>& next_id);
/// One more than the largest loop or block id used in the function.
int64_t next_free_id(const PrimFunc& func);

}  // namespace tilewright::ir
