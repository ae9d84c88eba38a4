#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/module_emitter.h"
#include "tilewright/ir/stmt.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::codegen {

/// What a variable stands for.
struct VarBinding {
  llvm::Value* value = nullptr;
  llvm::Value* wide =
      nullptr;            ///< the same number as i64, where the variable is a narrower loop index
  int depth = 0;          ///< number of loops around its definition
  int64_t multiple = 1;   ///< known divisor (0: the value is 0)
  bool is_index = false;  ///< a loop index or a size: its magnitude is that of an address at most
};

/// Where a buffer's elements are.
struct BufferBinding {
  llvm::Value* pointer = nullptr;
  int64_t align_bytes = 1;  ///< alignment of `pointer`
  bool exclusive = true;    ///< no other buffer shares the memory
};

/// constant + sum of coefficient * expr, modulo 2^64.
struct LinearIndex {
  struct Term {
    int64_t coefficient;
    ir::Expr expr;
  };
  int64_t constant = 0;
  std::vector<Term> terms;
};

/// base + lane * stride for lane 0 .. lanes-1.
struct RampForm {
  ir::Expr base, stride;
};

/// Workspace in use: `offset` bytes now, `peak` bytes at most; expressions over what the entry knows.
struct WorkspaceUse {
  ir::Expr offset, peak;
};

/// What a body function is given beside buffers and variables.
struct CallValues {
  llvm::Value* call = nullptr;       ///< const tw_call*
  llvm::Value* workspace = nullptr;  ///< base of the workspace, or of this slot's part of it
  llvm::Value* slots = nullptr;      ///< i64, threads asked for; null inside a parallel loop
  llvm::Value* failure = nullptr;    ///< record of a failed assert; null outside of parallel loops
};

/// An assert in a parallel loop: its text is written after the loop, from values kept in a record.
struct AssertText {
  std::string format;                       ///< for printf
  std::vector<llvm::Type*> argument_types;  ///< i64, double or ptr
};

/// Emits the code of one LLVM function. The methods are grouped by concern, one source file each.
class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, llvm::Function* function, const ir::PrimFunc& func,
                  ir::Var slots_var);

  // --- Set-up ---
  void bind_var(const ir::Expr& var, llvm::Value* value, bool is_index = false);
  void bind_buffer(const ir::Buffer& buffer, const BufferBinding& binding);
  void set_call(const CallValues& values) { call_ = values; }
  /// A variable whose value the entry knows, so that workspace sizes may use it.
  void add_entry_var(const ir::Expr& var) { entry_vars_.emplace(var, var); }

  // --- Code ---
  llvm::Value* emit(const ir::Expr& expr);
  void emit(const ir::Stmt& stmt);
  llvm::IRBuilder<>& builder() { return b_; }
  ir::Expr workspace_peak() const { return workspace_.peak; }

  /// Result of an operation on values of `dtype` (its element type counts).
  llvm::Value* binary(ir::BinaryOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* cast(llvm::Value* value, DType from, DType to);
  /// A text with printf conversions and the values for them.
  struct Text {
    std::string format;
    std::vector<llvm::Value*> arguments;
  };
  /// `message` with its "{}" replaced by the values.
  Text format_text(const std::string& message, const std::vector<ir::Expr>& values);
  /// Writes to the error text of the call, where the caller wants one.
  void write_error_text(const Text& text);
  /// Returns from the function; code emitted after it is unreachable.
  void return_status(llvm::Value* status);
  void run_if(llvm::Value* condition, const std::function<void()>& body);
  llvm::BasicBlock* new_block(const std::string& name);

 private:
  using Value = llvm::Value;

  // expr.cc
  Value* emit_here(const ir::Expr& expr);
  Value* constant(const ir::IntImmNode& node);
  Value* constant(const ir::FloatImmNode& node);
  Value* variable(const ir::VarNode& node);
  Value* unary(const ir::UnaryNode& node);
  Value* binary(const ir::BinaryNode& node);
  Value* select(Value* condition, Value* true_value, Value* false_value);
  Value* select(const ir::SelectNode& node);
  Value* ramp(const ir::RampNode& node);
  Value* let(const ir::LetNode& node);
  Value* splat(Value* scalar, int lanes);

  // lazy.cc
  Value* lazy(const ir::IfThenElseNode& node);
  Value* lazy_branch(const ir::IfThenElseNode& node, Value* condition);
  Value* lazy_masked(const ir::IfThenElseNode& node, Value* condition);
  /// `value()` where `condition` holds (a branch), else zero of `type`.
  Value* value_if(Value* condition, llvm::Type* type, const std::function<Value*()>& value);

  // arithmetic.cc
  Value* float_binary(ir::BinaryOp op, Value* x, Value* y, bool contract);
  Value* int_binary(ir::BinaryOp op, DType dtype, Value* x, Value* y);
  Value* compare(ir::BinaryOp op, DType dtype, Value* x, Value* y);

  // int_division.cc
  Value* divide(ir::BinaryOp op, DType dtype, Value* x, Value* y);
  Value* divide_by_constant(ir::BinaryOp op, DType dtype, Value* x, int64_t divisor);
  Value* divide_by_value(ir::BinaryOp op, DType dtype, Value* x, Value* y);

  // casts.cc
  Value* float_to_int(Value* value, DType to);
  Value* int_to_float(Value* value, DType from, DType to);
  Value* narrow_to_odd(Value* value);

  // half.cc
  Value* half_to_float(Value* bits, DType dtype);
  Value* float_to_half(Value* value, DType dtype);
  Value* float16_to_float_by_bits(Value* bits);
  Value* float_to_float16_by_bits(Value* value);
  Value* float_to_bfloat16(Value* value);

  // math.cc
  Value* call(const ir::CallNode& node);
  Value* float_call(const ir::CallNode& node);
  Value* int_call(const ir::CallNode& node);
  Value* library_call(std::string_view name, const std::vector<Value*>& arguments);
  Value* intrinsic(unsigned id, const std::vector<Value*>& arguments);
  Value* number(llvm::Type* type, double value);

  // address.cc
  /// Loops around the innermost definition `expr` depends on; the current depth when it may not move.
  int depth_of(const ir::Expr& expr) const;
  int depth() const { return hoist_depth_ >= 0 ? hoist_depth_ : static_cast<int>(loops_.size()); }
  LinearIndex linearize(const ir::Expr& index) const;
  void linearize(const ir::Expr& index, int64_t scale, LinearIndex& result) const;
  int64_t known_multiple(const LinearIndex& index) const;
  Value* address(const ir::Buffer& buffer, const LinearIndex& index);
  int64_t alignment(const ir::Buffer& buffer, const LinearIndex& index) const;
  Value* index_value(const ir::Expr& index);
  const BufferBinding& binding(const ir::Buffer& buffer) const;
  /// Emits at the end of the code that has `depth` loops around it.
  Value* at_depth(int depth, const std::function<Value*()>& emit);

  // lane_mask.cc
  Value* mask(const ir::Expr& predicate);
  Value* below_bound(const ir::BinaryNode& node);
  Value* any_lane(Value* mask);
  Value* all_lanes(int lanes);
  std::optional<RampForm> as_ramp(const ir::Expr& index) const;

  // memory.cc
  Value* load(const ir::LoadNode& node);
  void store(const ir::StoreNode& node);
  Value* load_scalar(const ir::Buffer& buffer, const ir::Expr& index, DType dtype);
  void store_scalar(const ir::Buffer& buffer, const ir::Expr& index, Value* value);
  Value* from_memory(Value* value, DType dtype);
  Value* to_memory(Value* value, DType dtype);

  // vector_memory.cc
  Value* load_vector(const ir::LoadNode& node, Value* mask);
  Value* load_contiguous(const ir::Buffer& buffer, const ir::Expr& base, DType dtype, Value* mask);
  Value* gather(const ir::LoadNode& node, const std::optional<RampForm>& form, Value* mask);
  void store_vector(const ir::StoreNode& node, Value* value, Value* mask);
  void store_contiguous(const ir::Buffer& buffer, const ir::Expr& base, DType dtype, Value* value,
                        Value* mask);
  void scatter(const ir::StoreNode& node, const std::optional<RampForm>& form, Value* value,
               Value* mask);
  Value* lane_addresses(const ir::Buffer& buffer, const ir::Expr& index);
  Value* reverse(Value* vector);

  // control_flow.cc
  void emit_for(const ir::ForNode& loop);
  /// for (i = begin; i < end; ++i) body(i), i64; runs at least once when `nonempty`.
  void emit_loop(Value* begin, Value* end, bool nonempty, const std::string& name,
                 const std::function<void(Value*)>& body);
  void bind_index(const ir::ForNode& loop, Value* index);
  void emit_if(const ir::IfNode& node);
  void emit_let(const ir::LetStmtNode& node);

  // parallel.cc
  /// What the body of a parallel loop uses from around it.
  struct Captures {
    std::vector<std::pair<const ir::VarNode*, VarBinding>> vars;
    std::vector<std::pair<const ir::BufferNode*, BufferBinding>> buffers;
    std::vector<Value*> values() const;
  };
  /// How the iterations are shared out.
  struct Sharing {
    bool dynamic = false;
    int64_t chunk = 1;
  };
  void emit_parallel(const ir::ForNode& loop);
  Captures find_captures(const ir::ForNode& loop) const;
  /// The share [begin, end) as a function of the captured values; takes over its asserts and gives the
  /// workspace bytes of one slot.
  llvm::Function* outline(const ir::ForNode& loop, const Captures& captures, ir::Expr& slot_bytes,
                          std::vector<AssertText>& asserts);
  /// The function of type tw_parallel_body that takes the captured values out of the closure.
  llvm::Function* make_share(llvm::Function* body, llvm::StructType* closure, size_t num_captures,
                             const Sharing& sharing);
  static Sharing sharing_of(const ir::ForNode& loop);
  Value* run_shares(Value* count, Value* slots, llvm::Function* share, Value* closure);

  // storage.cc
  void emit_alloc(const ir::AllocNode& node);
  bool fits_stack(const ir::BufferNode& buffer, const ir::Expr& size_bytes) const;
  /// `size` bytes of workspace from the current offset on; the caller moves the offset.
  Value* workspace_address(const ir::Expr& size_bytes);
  ir::Expr entry_size(const ir::BufferNode& buffer) const;

  // effects.cc
  void emit_assert(const ir::AssertNode& node);
  void emit_evaluate(const ir::EvaluateNode& node);
  void prefetch(const ir::CallNode& node);
  void print(const ir::CallNode& node);
  void call_extern(const ir::CallNode& node);
  void append_value(Text& text, Value* value, DType dtype);
  void record_failure(const Text& text);
  void report_no_threads(Value* status);
  /// Writes the text of the lowest slot that failed an assert in a parallel loop.
  void report_failures(Value* records, Value* slots, const std::vector<AssertText>& asserts);

  ModuleEmitter& m_;
  llvm::Function* function_;
  const ir::PrimFunc& func_;
  llvm::IRBuilder<> b_;
  llvm::BasicBlock* entry_block_;

  std::unordered_map<const ir::VarNode*, VarBinding> vars_;
  std::unordered_map<const ir::BufferNode*, BufferBinding> buffers_;
  ir::VarMap entry_vars_;  ///< variables whose value, over entry variables, is known
  ir::Var slots_var_;
  CallValues call_;
  WorkspaceUse workspace_;
  int64_t stack_bytes_ = 0;
  std::vector<AssertText> asserts_;
  std::vector<llvm::BasicBlock*> loops_;  ///< block before each open loop, outermost first
  int hoist_depth_ = -1;        ///< depth at which code is emitted now; -1: at loops_.size()
  Value* lane_mask_ = nullptr;  ///< lanes in which a lazy vector expression is evaluated
};

}  // namespace tilewright::codegen
