#include "ir/interp/arithmetic.h"

#include "ir/scalar.h"
#include "tilewright/support/error.h"

namespace tilewright::ir::interp {

Storage storage_of(DType dtype) {
  switch (dtype.code) {
    case TypeCode::kBool: return Storage::kBool;
    case TypeCode::kInt:
      switch (dtype.bits) {
        case 8: return Storage::kS8;
        case 16: return Storage::kS16;
        case 32: return Storage::kS32;
        case 64: return Storage::kI64;
      }
      break;
    case TypeCode::kUInt:
      switch (dtype.bits) {
        case 8: return Storage::kU8;
        case 16: return Storage::kU16;
        case 32: return Storage::kU32;
        case 64: return Storage::kI64;
      }
      break;
    case TypeCode::kFloat:
      switch (dtype.bits) {
        case 16: return Storage::kF16;
        case 32: return Storage::kF32;
        case 64: return Storage::kF64;
      }
      break;
    case TypeCode::kBFloat: return Storage::kBF16;
    case TypeCode::kHandle: break;
  }
  fail("interp.unsupported", "the interpreter has no values of dtype {}", to_string(dtype));
}

namespace {

// Both forms avoid the overflow of exp(-x) and lose nothing for large |x|.
double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

}  // namespace

double maths(Intrinsic intrinsic, double x) {
  switch (intrinsic) {
    case Intrinsic::kAbs: return std::fabs(x);
    case Intrinsic::kSqrt: return std::sqrt(x);
    case Intrinsic::kRsqrt: return 1 / std::sqrt(x);
    case Intrinsic::kExp: return std::exp(x);
    case Intrinsic::kExp2: return std::exp2(x);
    case Intrinsic::kLog: return std::log(x);
    case Intrinsic::kLog2: return std::log2(x);
    case Intrinsic::kLog1p: return std::log1p(x);
    case Intrinsic::kExpm1: return std::expm1(x);
    case Intrinsic::kTanh: return std::tanh(x);
    case Intrinsic::kSigmoid: return sigmoid(x);
    case Intrinsic::kErf: return std::erf(x);
    case Intrinsic::kSin: return std::sin(x);
    case Intrinsic::kCos: return std::cos(x);
    case Intrinsic::kFloor: return std::floor(x);
    case Intrinsic::kCeil: return std::ceil(x);
    case Intrinsic::kTrunc: return std::trunc(x);
    case Intrinsic::kRound: return scalar::round_half_even(x);
    default: throw InternalError("not a maths function of one argument");
  }
}

int64_t saturate(double value, uint32_t type) {
  switch (static_cast<Storage>(type & 127)) {
    case Storage::kS8: return scalar::float_to_int(kInt8, value);
    case Storage::kS16: return scalar::float_to_int(kInt16, value);
    case Storage::kS32: return scalar::float_to_int(kInt32, value);
    case Storage::kU8: return scalar::float_to_int(kUInt8, value);
    case Storage::kU16: return scalar::float_to_int(kUInt16, value);
    case Storage::kU32: return scalar::float_to_int(kUInt32, value);
    default: return scalar::float_to_int(type == kUnsigned64 ? kUInt64 : kInt64, value);
  }
}

}  // namespace tilewright::ir::interp
