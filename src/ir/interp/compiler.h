#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/interp/program.h"
#include "tilewright/ir/interpreter.h"

namespace tilewright::ir::interp {

/// Translates IR of any level into bytecode. One object makes one program.
class Compiler {
 public:
  explicit Compiler(const InterpOptions& options);

  Program compile(const PrimFunc& func);
  /// A program that computes `expr` from the given variables, whose values go into the registers 0, 1, ...
  Program compile(const Expr& expr, const std::vector<Var>& vars);

 private:
  // compile_func.cc: parameters, shapes, assumptions, allocations, init placement.
  void declare_params(const PrimFunc& func);
  void bind_shape_vars(ParamInfo& info, const Buffer& buffer,
                       std::unordered_set<const Node*>& open);
  void check_shapes(const PrimFunc& func);
  void place_inits(const PrimFunc& func);
  void place_allocs(const PrimFunc& func);
  uint32_t declare_buffer(const Buffer& buffer, bool starts_unset);
  uint32_t emit_alloc(const Buffer& buffer);
  Program finish();
  void relocate();

  // compile_stmt.cc
  void stmt(const Stmt& s);
  void stmt(const StoreNode& node);
  void stmt(const UpdateNode& node);
  void stmt(const ForNode& node);
  void stmt(const SeqNode& node);
  void stmt(const IfNode& node);
  void stmt(const LetStmtNode& node);
  void stmt(const AllocNode& node);
  void stmt(const EvaluateNode& node);
  void stmt(const AssertNode& node);
  void stmt(const BarrierNode& node);
  void stmt(const BlockRealizeNode& node);
  void block_instance(const BlockRealizeNode& node);
  void inits_before(const Node* node);

  // compile_expr.cc: each gives the register of the value.
  Reg expr(const Expr& e);
  Reg expr(const IntImmNode& node);
  Reg expr(const FloatImmNode& node);
  Reg expr(const StringImmNode& node);
  Reg expr(const VarNode& node);
  Reg expr(const CastNode& node);
  Reg expr(const UnaryNode& node);
  Reg expr(const BinaryNode& node);
  Reg expr(const SelectNode& node);
  Reg expr(const IfThenElseNode& node);
  Reg expr(const LoadNode& node);
  Reg expr(const CallNode& node);
  Reg expr(const LetNode& node);
  Reg expr(const RampNode& node);
  Reg expr(const BroadcastNode& node);
  Reg expr(const ExtractNode& node);
  Reg expr(const ReduceNode& node);
  /// The value in `lanes` lanes, spread when it is a scalar.
  Reg widened(const Expr& e, int lanes);
  Reg widen(Reg reg, int from, int to);
  Reg masked_choice(const IfThenElseNode& node);

  // compile_call.cc
  Reg maths(const CallNode& node);
  Reg integer_call(const CallNode& node);
  Reg fma(const CallNode& node);
  Reg float_class(const CallNode& node);
  void print(const CallNode& node);
  void call_extern(const CallNode& node);
  Reg promised(const CallNode& node);
  Reg bitcast(const CallNode& node);
  Reg cast(Reg reg, DType from, DType to);
  Reg to_double(Reg reg, DType from);
  Reg from_double(Reg reg, DType to);

  // compile_access.cc
  uint32_t buffer_index(const Buffer& buffer) const;
  Access make_access(const Buffer& buffer, const std::vector<Expr>& indices, int lanes);
  void set_predicate(Access& access, const Expr& predicate, int lanes, bool masked);
  Reg emit_load(const Access& access, DType type);
  void emit_store(const Access& access, Reg value, DType type);

  // compile_emit.cc
  Reg allocate(int lanes);
  Reg constant(Cell cell, int lanes);
  Reg int_constant(int64_t value, int lanes = 1) { return constant(Cell::of(value), lanes); }
  uint32_t emit(Op op, int lanes, Reg dst, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  Reg emit_value(Op op, int lanes, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  /// Brings a fresh result back into the range or precision of its type.
  Reg normalize(Reg reg, DType type);
  uint32_t here() const { return static_cast<uint32_t>(program_.code.size()); }
  void land(uint32_t jump) { program_.code[jump].c = here(); }
  uint32_t add_message(std::string code, std::string text, const std::vector<ValueReg>& values);
  void bind(const Var& var, Reg reg) { registers_[var.get()] = reg; }
  void unbind(const Var& var) { registers_.erase(var.get()); }
  int32_t push_scope(std::string name, Reg var);
  [[noreturn]] void malformed(const std::string& what) const;

  /// Temporaries made while it lives are given back.
  class Temporaries {
   public:
    explicit Temporaries(Compiler& compiler) : compiler_(compiler), top_(compiler.top_) {}
    ~Temporaries() { compiler_.top_ = top_; }
    Temporaries(const Temporaries&) = delete;

   private:
    Compiler& compiler_;
    const Reg top_;
  };

  /// Lanes in which loads may happen within a lazy vector choice; kNoReg: all.
  struct Mask {
    Reg reg = kNoReg;
    int lanes = 1;
  };

  const InterpOptions& options_;
  Program program_;
  bool flat_ = false;
  bool checked_ = false;  ///< every access goes through the checking instructions
  Reg top_ = 0;
  Mask mask_;
  int32_t scope_ = -1;
  std::unordered_map<const Node*, Reg> registers_;
  std::unordered_map<const Node*, uint32_t> live_buffers_;
  std::map<std::pair<uint64_t, int>, Reg> constant_registers_;
  std::unordered_map<const Node*, std::vector<Stmt>> inits_;
  std::unordered_map<int64_t, std::vector<Buffer>> loop_allocs_;
};

}  // namespace tilewright::ir::interp
