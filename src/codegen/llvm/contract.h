#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "codegen/llvm/function_emitter.h"

namespace tilewright::codegen {

/// Emits the argument checks of abi.h, in its order, and binds parameters and sizes in `emitter`.
/// `query` is an i1: true where only sizes matter (the workspace query), so data is not looked at.
class ContractEmitter {
 public:
  ContractEmitter(ModuleEmitter& module, FunctionEmitter& emitter, const ir::PrimFunc& func,
                  llvm::Value* call, llvm::Value* query);

  void check_call();
  void check_params();
  void check_assumptions();
  void check_aliases();

  /// Address of the first element, by parameter; null for scalars.
  const std::vector<llvm::Value*>& pointers() const { return pointers_; }

 private:
  using Value = llvm::Value;
  using Text = FunctionEmitter::Text;
  struct Tensor {
    const ir::Param* param;
    Value* pointer = nullptr;  ///< tw_dl_tensor
    std::vector<Value*> shape;
    std::vector<Value*> strides = {};  ///< empty: compact
    Value* count = nullptr;            ///< elements
    Value* begin = nullptr;            ///< address range, i64
    Value* end = nullptr;
  };

  // contract.cc
  void require(Value* holds, int status, const Text& text);
  Text argument_text(const std::string& name, const std::string& what) const;
  Value* field(Value* base, uint64_t offset, llvm::Type* type);
  void check_cpu();
  bool is_bound(const ir::Expr& expr) const;
  void bind_size(const ir::Expr& var, Value* extent);

  // contract_tensor.cc
  void check_tensor(size_t number, const ir::Param& param, Value* argument);
  void check_dtype(const ir::BufferNode& buffer, const Tensor& tensor);
  void check_shape(const ir::BufferNode& buffer, Tensor& tensor);
  void check_strides(const ir::Param& param, Tensor& tensor);
  void check_data(const ir::Param& param, Tensor& tensor, Value* argument);
  Value* compact_stride(const Tensor& tensor, size_t dim);
  void add_extents(Text& text, const std::vector<ir::Expr>& extents, bool named);
  static void add_numbers(Text& text, const std::vector<Value*>& numbers);
  llvm::Function* dtype_name();

  // contract_scalar.cc
  void check_scalar(const ir::Param& param, Value* argument);
  Value* int_argument(const ir::Param& param, Value* argument, Value* kind);
  Value* float_argument(const ir::Param& param, Value* argument, Value* kind);

  ModuleEmitter& m_;
  FunctionEmitter& e_;
  llvm::IRBuilder<>& b_;
  const ir::PrimFunc& func_;
  Value* call_;
  Value* query_;
  std::vector<Value*> pointers_;
  std::vector<Tensor> tensors_;
  std::vector<size_t> deferred_;  ///< tensors whose shape uses a size bound later
  std::unordered_set<const void*> bound_;
};

}  // namespace tilewright::codegen
