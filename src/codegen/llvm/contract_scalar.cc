#include <fmt/format.h>

#include "codegen/llvm/abi_layout.h"
#include "codegen/llvm/contract.h"
#include "codegen/size_text.h"

namespace tilewright::codegen {

void ContractEmitter::check_scalar(const ir::Param& param, Value* argument) {
  const std::string& name = param.var.name();
  Value* kind = field(argument, 0, m_.i32());
  const auto is = [&](tw_arg_kind expected) {
    return b_.CreateICmpEQ(kind, b_.getInt32(static_cast<uint32_t>(expected)));
  };
  require(b_.CreateNot(is(TW_ARG_TENSOR)), TW_ERR_KIND,
          argument_text(name, "expected a scalar, got a tensor"));
  require(b_.CreateNot(is(TW_ARG_NONE)), TW_ERR_NULL, argument_text(name, "is missing (null)"));
  const DType dtype = param.var.dtype();
  Value* value = dtype.is_float() ? float_argument(param, argument, kind)
                                  : int_argument(param, argument, kind);
  if (!bound_.contains(param.var.get())) {
    // A scalar that is a dimension of a tensor is a size like those bound from shapes.
    bool is_size = false;
    for (const ir::Param& other : func_->params) {
      if (!other.buffer) continue;
      for (const ir::Expr& extent : other.buffer->shape) {
        is_size = is_size || extent.same_as(param.var);
      }
    }
    e_.bind_var(param.var, value, is_size);
    bound_.insert(param.var.get());
    return;
  }
  Value* expected = e_.emit(param.var);
  Text wrong = argument_text(name, "expected %lld, got %lld");
  wrong.arguments = {e_.cast(expected, dtype, kInt64), e_.cast(value, dtype, kInt64)};
  require(b_.CreateICmpEQ(expected, value), TW_ERR_SHAPE, wrong);
}

llvm::Value* ContractEmitter::int_argument(const ir::Param& param, Value* argument, Value* kind) {
  const DType dtype = param.var.dtype();
  require(b_.CreateICmpEQ(kind, b_.getInt32(TW_ARG_INT)), TW_ERR_KIND,
          argument_text(param.var.name(), "expected an integer, got a floating-point number"));
  Value* value = field(argument, offsetof(tw_arg, value), m_.i64());
  if (dtype.bits == 64) return value;
  const int digits = dtype.is_bool() ? 1 : dtype.is_int() ? dtype.bits - 1 : dtype.bits;
  const int64_t largest = (int64_t{1} << digits) - 1;
  const int64_t least = dtype.is_int() ? -largest - 1 : 0;
  Value* fits = b_.CreateAnd(b_.CreateICmpSGE(value, b_.getInt64(static_cast<uint64_t>(least))),
                             b_.CreateICmpSLE(value, b_.getInt64(static_cast<uint64_t>(largest))));
  Text wrong =
      argument_text(param.var.name(), fmt::format("value %lld does not fit {}", to_string(dtype)));
  wrong.arguments.push_back(value);
  require(fits, TW_ERR_RANGE, wrong);
  return e_.cast(value, kInt64, dtype);
}

llvm::Value* ContractEmitter::float_argument(const ir::Param& param, Value* argument, Value* kind) {
  Value* is_int = b_.CreateICmpEQ(kind, b_.getInt32(TW_ARG_INT));
  Value* is_float = b_.CreateICmpEQ(kind, b_.getInt32(TW_ARG_FLOAT));
  require(b_.CreateOr(is_int, is_float), TW_ERR_KIND,
          argument_text(param.var.name(), "expected a number"));
  Value* from_int =
      b_.CreateSIToFP(field(argument, offsetof(tw_arg, value), m_.i64()), b_.getDoubleTy());
  Value* from_float = field(argument, offsetof(tw_arg, value), b_.getDoubleTy());
  return e_.cast(b_.CreateSelect(is_int, from_int, from_float), kFloat64, param.var.dtype());
}

}  // namespace tilewright::codegen
