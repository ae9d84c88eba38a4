#include <llvm/IR/Constants.h>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::codegen {

llvm::Value* FunctionEmitter::from_memory(Value* value, DType dtype) {
  if (!dtype.is_bool()) return value;
  return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

llvm::Value* FunctionEmitter::to_memory(Value* value, DType dtype) {
  if (!dtype.is_bool()) return value;
  if (has_fault(Fault::bool_stores_all_bits)) {
    return b_.CreateSExt(value, with_lanes_of(m_.i8(), value));
  }
  return b_.CreateZExt(value, with_lanes_of(m_.i8(), value));
}

llvm::Value* FunctionEmitter::load(const ir::LoadNode& node) {
  internal_check(node.indices.size() == 1, "{}: access to '{}' is not flat", func_->name,
                 node.buffer->name);
  Value* lanes = mask(node.predicate);
  if (lane_mask_) {
    Value* evaluated = node.dtype.lanes > 1 ? lane_mask_ : any_lane(lane_mask_);
    lanes = lanes ? b_.CreateAnd(evaluated, splat(lanes, node.dtype.lanes)) : evaluated;
  }
  if (node.dtype.lanes > 1) {
    return load_vector(node, lanes ? splat(lanes, node.dtype.lanes) : nullptr);
  }
  if (!lanes) return load_scalar(node.buffer, node.indices[0], node.dtype);
  return value_if(any_lane(lanes), register_type(m_.context, node.dtype),
                  [&] { return load_scalar(node.buffer, node.indices[0], node.dtype); });
}

llvm::Value* FunctionEmitter::load_scalar(const ir::Buffer& buffer, const ir::Expr& index,
                                          DType dtype) {
  const LinearIndex linear = linearize(index);
  const auto align = llvm::Align(static_cast<uint64_t>(alignment(buffer, linear)));
  Value* pointer = address(buffer, linear);
  return from_memory(b_.CreateAlignedLoad(memory_type(m_.context, dtype), pointer, align), dtype);
}

void FunctionEmitter::store(const ir::StoreNode& node) {
  internal_check(node.indices.size() == 1, "{}: access to '{}' is not flat", func_->name,
                 node.buffer->name);
  const int lanes = node.indices[0].dtype().lanes;
  if (lanes > 1) {
    Value* predicate = mask(node.predicate);
    Value* value = splat(emit(node.value), lanes);
    return store_vector(node, value, predicate ? splat(predicate, lanes) : nullptr);
  }
  const auto write = [&] { store_scalar(node.buffer, node.indices[0], emit(node.value)); };
  if (!node.predicate.defined()) return write();
  run_if(mask(node.predicate), write);
}

void FunctionEmitter::store_scalar(const ir::Buffer& buffer, const ir::Expr& index, Value* value) {
  const LinearIndex linear = linearize(index);
  const auto align = llvm::Align(static_cast<uint64_t>(alignment(buffer, linear)));
  Value* pointer = address(buffer, linear);
  b_.CreateAlignedStore(to_memory(value, buffer->dtype), pointer, align);
}

}  // namespace tilewright::codegen
