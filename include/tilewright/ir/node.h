#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tilewright/support/dtype.h"
#include "tilewright/support/error.h"
#include "tilewright/support/ref.h"

/// \file
/// The list of node kinds. Visit, mutate, equality, hash and verify fold over this list and over each
/// node's `fields` tuple, so a new node is one line here and one struct.

namespace tilewright::ir {

// clang-format off
#define TILEWRIGHT_EXPR_NODES(X) \
  X(IntImm) X(FloatImm) X(StringImm) X(Var) X(Cast) X(Unary) X(Binary) X(Select) X(IfThenElse) \
  X(Load) X(Call) X(Let) X(Ramp) X(Broadcast) X(Extract) X(Reduce)
#define TILEWRIGHT_STMT_NODES(X) \
  X(Store) X(Update) X(For) X(Seq) X(If) X(LetStmt) X(Alloc) X(Evaluate) X(Assert) X(Barrier) \
  X(BlockRealize)
#define TILEWRIGHT_OTHER_NODES(X) X(Reducer) X(Buffer) X(Layout) X(Block) X(PrimFunc)
// clang-format on

enum class NodeKind : uint8_t {
#define TILEWRIGHT_KIND(name) k##name,
  TILEWRIGHT_EXPR_NODES(TILEWRIGHT_KIND) TILEWRIGHT_STMT_NODES(TILEWRIGHT_KIND)
      TILEWRIGHT_OTHER_NODES(TILEWRIGHT_KIND)
#undef TILEWRIGHT_KIND
};

#define TILEWRIGHT_FORWARD(name) struct name##Node;
TILEWRIGHT_EXPR_NODES(TILEWRIGHT_FORWARD)
TILEWRIGHT_STMT_NODES(TILEWRIGHT_FORWARD)
TILEWRIGHT_OTHER_NODES(TILEWRIGHT_FORWARD)
#undef TILEWRIGHT_FORWARD

/// An immutable, reference-counted IR node. Rewrites build new nodes and give the same node back where
/// nothing changed.
struct Node : RefCounted {
  explicit Node(NodeKind node_kind) : kind(node_kind) {}
  const NodeKind kind;
};

/// Checked down-cast: null when `node` is null or of another kind.
template <typename T>
const T* node_cast(const Node* node) {
  return node && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}

struct ExprNode : Node {
  ExprNode(NodeKind node_kind, DType type) : Node(node_kind), dtype(type) {}
  const DType dtype;
};

struct StmtNode : Node {
  using Node::Node;
};

/// Owning handle to an expression. Null stands for "absent" where a field's comment allows it.
class Expr : public Ref<const ExprNode> {
 public:
  using Ref::Ref;
  Expr() = default;
  template <typename T>
  explicit Expr(const Ref<T>& other) : Ref(other) {}
  /// Literals convert, so that `x + 1` reads as it should: int -> int32 or int64 as the value
  /// needs, double -> float32, bool -> bool. Binary operators give a literal the other side's dtype.
  Expr(int value);      // NOLINT
  Expr(int64_t value);  // NOLINT
  Expr(double value);   // NOLINT
  Expr(float value);    // NOLINT
  /// Exactly bool, so that a pointer does not become the literal `true`.
  template <typename B, typename = std::enable_if_t<std::is_same_v<B, bool>>>
  Expr(B value) : Expr(from_bool(value)) {}  // NOLINT
  DType dtype() const { return get()->dtype; }
  template <typename T>
  const T* as() const {
    return node_cast<T>(get());
  }

 private:
  static Expr from_bool(bool value);
};

/// Owning handle to a statement.
class Stmt : public Ref<const StmtNode> {
 public:
  using Ref::Ref;
  Stmt() = default;
  template <typename T>
  const T* as() const {
    return node_cast<T>(get());
  }
};

/// Handle to a variable; compares by identity.
class Var : public Expr {
 public:
  Var() = default;
  /// A fresh variable. Two variables of one name are different variables.
  explicit Var(std::string name, DType dtype = kInt64);
  explicit Var(const VarNode* node);
  const VarNode* node() const;
  const std::string& name() const;
};

using Buffer = Ref<const BufferNode>;
using Layout = Ref<const LayoutNode>;
using Reducer = Ref<const ReducerNode>;
using Block = Ref<const BlockNode>;
using PrimFunc = Ref<const PrimFuncNode>;

}  // namespace tilewright::ir
