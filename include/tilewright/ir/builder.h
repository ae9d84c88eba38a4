#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/ir/ops.h"

namespace tilewright::ir {

/// Builds a function statement by statement, for what is not a tensor expression: scatter, scans,
/// recurrences, sorting. Everything written goes to the innermost open body.
///
///     IRBuilder b("cumsum");
///     Var n = b.size("n");
///     Buffer x = b.input("X", kFloat32, {n}), y = b.output("Y", kFloat32, {n});
///     b.loop("i", n, [&](const Var& i) {
///       b.block("Y", {{"vi", n, i, IterKind::kOrdered}}, [&](const std::vector<Var>& v) {
///         b.store(y, {v[0]}, load(x, {v[0]}) +
///                 if_then_else(v[0] > 0, load(y, {max(v[0] - 1, 0)}), 0));
///       });
///     });
///     PrimFunc f = b.finish();
///
/// Loops and blocks of a program at level scheduled can be scheduled like those of tensor
/// expressions. Errors of dtypes and ranks are thrown where they are made (see ops.h).
class IRBuilder {
 public:
  using Body = std::function<void()>;

  explicit IRBuilder(std::string name, Level level = Level::kScheduled);

  /// A symbolic extent, bound from the first tensor whose shape names it.
  Var size(std::string name);
  /// A scalar argument.
  Var scalar(std::string name, DType dtype);
  Buffer input(std::string name, DType dtype, std::vector<Expr> shape);
  Buffer output(std::string name, DType dtype, std::vector<Expr> shape);
  Buffer inout(std::string name, DType dtype, std::vector<Expr> shape);
  /// A promise of the caller about sizes, checked at entry.
  void assume(Expr condition);
  /// An intermediate buffer. Level scheduled: of the whole function; else until the innermost open
  /// body ends.
  Buffer temporary(std::string name, DType dtype, std::vector<Expr> shape,
                   Scope scope = Scope::kGlobal);

  void loop(std::string name, Expr extent, const std::function<void(const Var&)>& body,
            ForKind kind = ForKind::kSerial);
  void when(Expr condition, const Body& then_body, const Body& else_body = {});
  /// A name for `value`, known until the innermost open body ends.
  Var let(std::string name, Expr value);
  void store(const Buffer& buffer, std::vector<Expr> indices, Expr value);
  /// One step of a reduction (see UpdateNode); only in a block.
  void update(const Reducer& reducer, std::vector<Buffer> buffers, std::vector<Expr> indices,
              std::vector<Expr> values);
  void emit(Stmt stmt);

  /// An iteration variable over 0 .. extent-1 and its value in the enclosing loops.
  struct Axis {
    std::string name;
    Expr extent;
    Expr value;
    IterKind kind = IterKind::kSpatial;
  };
  /// A block; `body` is given its iteration variables and reads no loop variable from outside. What
  /// it reads and writes is found out: exact in the dimensions indexed by iteration variables, whole
  /// dimensions elsewhere. A block with an update gets its reducer and its init.
  void block(std::string name, std::vector<Axis> axes,
             const std::function<void(const std::vector<Var>&)>& body,
             BlockKind kind = BlockKind::kCompute);

  /// The function. Throws Error "ir.malformed" with every fault that `verify` finds.
  PrimFunc finish();

 private:
  /// A statement, or something that holds for the rest of its body.
  struct Item {
    Stmt stmt;
    Var let_var;
    Expr let_value;
    Buffer storage;
  };
  Buffer parameter(std::string name, DType dtype, std::vector<Expr> shape, ParamRole role);
  Stmt collect(const Body& body);

  std::string name_;
  Level level_;
  std::vector<Param> params_;
  std::vector<Expr> assumptions_;
  std::vector<Buffer> allocs_;
  std::vector<std::vector<Item>> open_;
  int64_t next_id_ = 0;
};

}  // namespace tilewright::ir
