#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <numeric>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"

/// \file
/// Vector accesses by the form of their offsets: one address (stride 0), contiguous (1), reversed (-1),
/// or anything else, lane by lane or by gather and scatter. A mask is null when all lanes take part.

namespace tilewright::codegen {

llvm::Value* FunctionEmitter::reverse(Value* vector) {
  const auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  std::vector<int> order(type->getNumElements());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(order.size() - 1 - i);
  return b_.CreateShuffleVector(vector, order);
}

llvm::Value* FunctionEmitter::load_vector(const ir::LoadNode& node, Value* mask) {
  const ir::Expr& index = node.indices[0];
  const DType dtype = node.dtype;
  const auto form = as_ramp(index);
  if (form && ir::is_const_int(form->stride, 0)) {
    const auto one = [&] { return load_scalar(node.buffer, form->base, dtype.element()); };
    if (!mask) return splat(one(), dtype.lanes);
    llvm::Type* type = register_type(m_.context, dtype.element());
    Value* value = splat(value_if(any_lane(mask), type, one), dtype.lanes);
    return select(mask, value, llvm::Constant::getNullValue(value->getType()));
  }
  if (form && ir::is_const_int(form->stride, 1)) {
    return load_contiguous(node.buffer, form->base, dtype, mask);
  }
  if (form && ir::is_const_int(form->stride, -1)) {
    const ir::Expr first = form->base - ir::make_int(index.dtype().element(), dtype.lanes - 1);
    return reverse(load_contiguous(node.buffer, first, dtype, mask ? reverse(mask) : nullptr));
  }
  return gather(node, form, mask);
}

llvm::Value* FunctionEmitter::load_contiguous(const ir::Buffer& buffer, const ir::Expr& base,
                                              DType dtype, Value* mask) {
  const LinearIndex linear = linearize(base);
  const auto align = llvm::Align(static_cast<uint64_t>(alignment(buffer, linear)));
  llvm::Type* type = memory_type(m_.context, dtype);
  Value* pointer = address(buffer, linear);
  if (!mask) return from_memory(b_.CreateAlignedLoad(type, pointer, align), dtype);
  Value* zero = llvm::Constant::getNullValue(type);
  return from_memory(b_.CreateMaskedLoad(type, pointer, align, mask, zero), dtype);
}

llvm::Value* FunctionEmitter::lane_addresses(const ir::Buffer& buffer, const ir::Expr& index) {
  Value* offsets = index_value(index);
  return b_.CreateGEP(memory_type(m_.context, buffer->dtype.element()), binding(buffer).pointer,
                      offsets);
}

llvm::Value* FunctionEmitter::gather(const ir::LoadNode& node, const std::optional<RampForm>& form,
                                     Value* mask) {
  const ir::Expr& index = node.indices[0];
  const DType dtype = node.dtype;
  llvm::Type* type = memory_type(m_.context, dtype);
  const auto align = llvm::Align(static_cast<uint64_t>(dtype.bytes()));
  if (mask) {
    Value* pointers = lane_addresses(node.buffer, index);
    Value* zero = llvm::Constant::getNullValue(type);
    return from_memory(b_.CreateMaskedGather(type, pointers, align, mask, zero), dtype);
  }
  Value* offsets = form ? nullptr : index_value(index);
  Value* result = llvm::PoisonValue::get(type);
  for (int lane = 0; lane < dtype.lanes; ++lane) {
    Value* pointer = nullptr;
    if (form) {
      const ir::Expr steps = ir::make_int(index.dtype().element(), lane);
      pointer = address(node.buffer, linearize(form->base + steps * form->stride));
    } else {
      Value* offset = b_.CreateExtractElement(offsets, static_cast<uint64_t>(lane));
      pointer = b_.CreateGEP(type->getScalarType(), binding(node.buffer).pointer, offset);
    }
    Value* element = b_.CreateAlignedLoad(type->getScalarType(), pointer, align);
    result = b_.CreateInsertElement(result, element, static_cast<uint64_t>(lane));
  }
  return from_memory(result, dtype);
}

void FunctionEmitter::store_vector(const ir::StoreNode& node, Value* value, Value* mask) {
  const ir::Expr& index = node.indices[0];
  const DType dtype = node.buffer->dtype.with_lanes(index.dtype().lanes);
  const auto form = as_ramp(index);
  if (form && ir::is_const_int(form->stride, 1)) {
    return store_contiguous(node.buffer, form->base, dtype, value, mask);
  }
  if (form && ir::is_const_int(form->stride, -1)) {
    const ir::Expr first = form->base - ir::make_int(index.dtype().element(), dtype.lanes - 1);
    return store_contiguous(node.buffer, first, dtype, reverse(value),
                            mask ? reverse(mask) : nullptr);
  }
  scatter(node, form, value, mask);
}

void FunctionEmitter::store_contiguous(const ir::Buffer& buffer, const ir::Expr& base, DType dtype,
                                       Value* value, Value* mask) {
  const LinearIndex linear = linearize(base);
  const auto align = llvm::Align(static_cast<uint64_t>(alignment(buffer, linear)));
  Value* pointer = address(buffer, linear);
  Value* bits = to_memory(value, dtype);
  if (mask) {
    b_.CreateMaskedStore(bits, pointer, align, mask);
  } else {
    b_.CreateAlignedStore(bits, pointer, align);
  }
}

// Lanes are written in order, so the last of several lanes with one address wins.
void FunctionEmitter::scatter(const ir::StoreNode& node, const std::optional<RampForm>& form,
                              Value* value, Value* mask) {
  const ir::Expr& index = node.indices[0];
  const DType dtype = node.buffer->dtype.with_lanes(index.dtype().lanes);
  const auto align = llvm::Align(static_cast<uint64_t>(dtype.bytes()));
  Value* bits = to_memory(value, dtype);
  if (mask) {
    b_.CreateMaskedScatter(bits, lane_addresses(node.buffer, index), align, mask);
    return;
  }
  Value* offsets = form ? nullptr : index_value(index);
  llvm::Type* element_type = memory_type(m_.context, dtype.element());
  for (int lane = 0; lane < dtype.lanes; ++lane) {
    Value* pointer = nullptr;
    if (form) {
      const ir::Expr steps = ir::make_int(index.dtype().element(), lane);
      pointer = address(node.buffer, linearize(form->base + steps * form->stride));
    } else {
      Value* offset = b_.CreateExtractElement(offsets, static_cast<uint64_t>(lane));
      pointer = b_.CreateGEP(element_type, binding(node.buffer).pointer, offset);
    }
    b_.CreateAlignedStore(b_.CreateExtractElement(bits, static_cast<uint64_t>(lane)), pointer,
                          align);
  }
}

}  // namespace tilewright::codegen
