#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/ops.h"

namespace tilewright::ir {

/// What a block of IRBuilder is beside its body.
struct BlockOptions {
  BlockOptions() = default;
  BlockOptions(BlockKind k) : kind(k) {}  // NOLINT
  BlockKind kind = BlockKind::kCompute;
  /// Regions declared instead of found out, only for blocks of kind opaque and extern. Ranges are over
  /// the iteration variables, given in the order of the axes.
  using Regions = std::function<std::vector<Region>(const std::vector<Var>&)>;
  Regions reads = {}, writes = {};
};

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
/// A body is given as a function, as above, or between open_... and close(), which is the same.
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
  /// Prints `text` with the values in the place of its "{}", for debugging.
  void print(std::string text, std::vector<Expr> values = {});
  /// Calls the C function `void symbol(...)`. Of an element (a load) the address is passed, of an integer
  /// its value as int64_t or uint64_t, of a float its value. The function may touch all elements of the
  /// buffers it is given. Throws Error "ir.argument".
  void call_extern(std::string symbol, std::vector<Expr> args);
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
             const std::function<void(const std::vector<Var>&)>& body, BlockOptions options = {});

  // ---- The same bodies, opened and closed by hand ------------------------------------------------
  Var open_loop(std::string name, Expr extent, ForKind kind = ForKind::kSerial);
  void open_if(Expr condition);
  /// The other case of the `if` that was closed just before. Throws Error "ir.builder" when there is none.
  void open_else();
  std::vector<Var> open_block(std::string name, std::vector<Axis> axes, BlockOptions options = {});
  /// Ends the innermost open body. Throws Error "ir.builder" when none is open.
  void close();
  /// Bodies opened and not closed; those opened since can be dropped by `abandon`.
  size_t depth() const { return open_.size() - 1; }
  void abandon(size_t depth);

  /// The function. Throws Error "ir.malformed" with every fault that `verify` finds.
  PrimFunc finish();
  /// What has been written since the beginning, as one statement: for a builder that makes a part of a
  /// function. Throws Error "ir.builder" when a body is still open.
  Stmt take();
  const std::vector<Buffer>& temporaries() const { return allocs_; }

 private:
  /// A statement, or something that holds for the rest of its body.
  struct Item {
    Stmt stmt;
    Var let_var;
    Expr let_value;
    Buffer storage;
  };
  struct Frame {
    std::vector<Item> items;
    std::function<void(Stmt)> finish;  ///< takes the body when it is closed
  };
  Buffer parameter(std::string name, DType dtype, std::vector<Expr> shape, ParamRole role);
  void open(std::function<void(Stmt)> finish) { open_.push_back({{}, std::move(finish)}); }
  void run(const Body& body);
  static Stmt statement(std::vector<Item> items);

  std::string name_;
  Level level_;
  std::vector<Param> params_;
  std::vector<Expr> assumptions_;
  std::vector<Buffer> allocs_;
  std::vector<Frame> open_;
  int64_t next_id_ = 0;
};

}  // namespace tilewright::ir
