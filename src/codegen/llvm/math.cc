#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <limits>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::codegen {

using ir::Intrinsic;

llvm::Value* FunctionEmitter::number(llvm::Type* type, double value) {
  return llvm::ConstantFP::get(type, value);
}

llvm::Value* FunctionEmitter::intrinsic(unsigned id, const std::vector<Value*>& arguments) {
  return b_.CreateIntrinsic(static_cast<llvm::Intrinsic::ID>(id), {arguments[0]->getType()},
                            arguments);
}

// The C library's function on each lane; its float32 form has the suffix f.
llvm::Value* FunctionEmitter::library_call(std::string_view name,
                                           const std::vector<Value*>& arguments) {
  llvm::Type* type = arguments[0]->getType();
  llvm::Type* element = type->getScalarType();
  const std::string full_name = std::string(name) + (element->isFloatTy() ? "f" : "");
  std::vector<llvm::Type*> types(arguments.size(), element);
  const auto callee = m_.external(full_name, llvm::FunctionType::get(element, types, false));
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return b_.CreateCall(callee, arguments);
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<Value*> scalars;
    for (Value* argument : arguments) scalars.push_back(b_.CreateExtractElement(argument, lane));
    result = b_.CreateInsertElement(result, b_.CreateCall(callee, scalars), lane);
  }
  return result;
}

llvm::Value* FunctionEmitter::call(const ir::CallNode& node) {
  if (node.intrinsic == Intrinsic::kPrefetch || node.intrinsic == Intrinsic::kPrint ||
      node.intrinsic == Intrinsic::kCallExtern) {
    throw InternalError("an effect call inside an expression");
  }
  if (node.intrinsic == Intrinsic::kLikely || node.intrinsic == Intrinsic::kAssumeRange) {
    return emit(node.args[0]);
  }
  if (node.intrinsic == Intrinsic::kBitcast) {
    Value* value = emit(node.args[0]);
    const DType from = node.args[0].dtype();
    if (from.is_bool() || node.dtype.is_bool()) {
      return from_memory(to_memory(value, from), node.dtype);
    }
    return b_.CreateBitCast(value, register_type(m_.context, node.dtype));
  }
  return node.args[0].dtype().is_float() ? float_call(node) : int_call(node);
}

llvm::Value* FunctionEmitter::int_call(const ir::CallNode& node) {
  Value* x = emit(node.args[0]);
  const DType from = node.args[0].dtype();
  Value* result = nullptr;
  if (node.intrinsic == Intrinsic::kAbs) {
    if (!from.is_int()) return x;
    Value* negative = b_.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType()));
    return select(negative, b_.CreateNeg(x), x);
  }
  if (node.intrinsic == Intrinsic::kPopcount) result = intrinsic(llvm::Intrinsic::ctpop, {x});
  if (node.intrinsic == Intrinsic::kClz) {
    result = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {x->getType()}, {x, b_.getFalse()});
  }
  if (!result) {
    fail("codegen.intrinsic", "{}: {} is not defined on {}", func_->name,
         ir::info(node.intrinsic).name, to_string(from));
  }
  return cast(result, DType{TypeCode::kUInt, from.bits, from.lanes}, node.dtype);
}

llvm::Value* FunctionEmitter::float_call(const ir::CallNode& node) {
  const DType dtype = node.args[0].dtype();
  std::vector<Value*> x;
  for (const ir::Expr& argument : node.args) {
    Value* value = emit(argument);
    x.push_back(is_half(dtype) ? half_to_float(value, dtype) : value);
  }
  llvm::Type* type = x[0]->getType();
  Value* result = nullptr;
  switch (node.intrinsic) {
    case Intrinsic::kIsNan: return b_.CreateFCmpUNO(x[0], x[0]);
    case Intrinsic::kIsInf:
      return b_.CreateFCmpOEQ(intrinsic(llvm::Intrinsic::fabs, x),
                              number(type, std::numeric_limits<double>::infinity()));
    case Intrinsic::kAbs: result = intrinsic(llvm::Intrinsic::fabs, x); break;
    case Intrinsic::kSqrt: result = intrinsic(llvm::Intrinsic::sqrt, x); break;
    case Intrinsic::kRsqrt:
      result = b_.CreateFDiv(number(type, 1.0), intrinsic(llvm::Intrinsic::sqrt, x));
      break;
    case Intrinsic::kFloor: result = intrinsic(llvm::Intrinsic::floor, x); break;
    case Intrinsic::kCeil: result = intrinsic(llvm::Intrinsic::ceil, x); break;
    case Intrinsic::kTrunc: result = intrinsic(llvm::Intrinsic::trunc, x); break;
    case Intrinsic::kRound:
      result = intrinsic(
          has_fault(Fault::round_ties_away) ? llvm::Intrinsic::round : llvm::Intrinsic::roundeven,
          x);
      break;
    case Intrinsic::kFma: result = intrinsic(llvm::Intrinsic::fma, x); break;
    case Intrinsic::kSigmoid: {
      Value* one = number(type, 1.0);
      result = b_.CreateFDiv(one, b_.CreateFAdd(one, library_call("exp", {b_.CreateFNeg(x[0])})));
      break;
    }
    case Intrinsic::kExp:
    case Intrinsic::kExp2:
    case Intrinsic::kLog:
    case Intrinsic::kLog2:
    case Intrinsic::kLog1p:
    case Intrinsic::kExpm1:
    case Intrinsic::kTanh:
    case Intrinsic::kErf:
    case Intrinsic::kSin:
    case Intrinsic::kCos:
    case Intrinsic::kPow: result = library_call(ir::info(node.intrinsic).name, x); break;
    default:
      fail("codegen.intrinsic", "{}: {} is not defined on {}", func_->name,
           ir::info(node.intrinsic).name, to_string(dtype));
  }
  return is_half(dtype) ? float_to_half(result, dtype) : result;
}

}  // namespace tilewright::codegen
