#pragma once

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/half.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing {

/// A dense row-major array of any dtype, for running functions in tests.
struct HostTensor {
  HostTensor() = default;
  HostTensor(DType type, std::vector<int64_t> dims) : dtype(type), shape(std::move(dims)) {
    bytes.assign(size() * dtype.bytes(), 0x7F);
  }

  size_t size() const {
    size_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
  }
  size_t offset(std::initializer_list<int64_t> index) const {
    size_t result = 0, d = 0;
    for (int64_t i : index) result = result * shape[d++] + i;
    return result;
  }
  double operator()(std::initializer_list<int64_t> index) const { return get(offset(index)); }
  void set(std::initializer_list<int64_t> index, double value) { put(offset(index), value); }

  double get(size_t i) const {
    if (dtype == kFloat16) return float16_value(raw<uint16_t>(i));
    if (dtype == kBFloat16) return bfloat16_value(raw<uint16_t>(i));
    if (dtype == kFloat32) return raw<float>(i);
    if (dtype == kFloat64) return raw<double>(i);
    return static_cast<double>(get_int(i));
  }
  int64_t get_int(size_t i) const {
    const bool is_signed = dtype.is_int();
    switch (dtype.bytes()) {
      case 1: return is_signed ? int64_t{raw<int8_t>(i)} : int64_t{raw<uint8_t>(i)};
      case 2: return is_signed ? int64_t{raw<int16_t>(i)} : int64_t{raw<uint16_t>(i)};
      case 4: return is_signed ? int64_t{raw<int32_t>(i)} : int64_t{raw<uint32_t>(i)};
      default: return raw<int64_t>(i);
    }
  }
  void put(size_t i, double value) {
    if (dtype == kFloat16) return put_raw(i, float16_bits(value));
    if (dtype == kBFloat16) return put_raw(i, bfloat16_bits(value));
    if (dtype == kFloat32) return put_raw(i, static_cast<float>(value));
    if (dtype == kFloat64) return put_raw(i, value);
    put_int(i, static_cast<int64_t>(value));
  }
  void put_int(size_t i, int64_t value) {
    std::memcpy(bytes.data() + i * dtype.bytes(), &value, dtype.bytes());
  }

  DType dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

 private:
  template <typename T>
  T raw(size_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T>
  void put_raw(size_t i, T value) {
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
};

/// Integers in [low, high] (bool: 0 or 1), exact in every dtype.
inline HostTensor random_integers(DType dtype, std::vector<int64_t> shape, Rng& rng,
                                  int64_t low = -4, int64_t high = 4) {
  HostTensor result(dtype, std::move(shape));
  if (dtype.is_bool() || dtype.is_uint()) low = 0;
  if (dtype.is_bool()) high = 1;
  for (size_t i = 0; i < result.size(); ++i) {
    result.put(i, static_cast<double>(rng.between(low, high)));
  }
  return result;
}

/// Values of sizes by name.
using Sizes = std::map<std::string, int64_t>;

inline std::vector<int64_t> concrete_shape(const ir::Buffer& buffer, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const ir::Expr& extent : buffer->shape) {
    std::vector<std::pair<ir::Var, int64_t>> values;
    for (const ir::Var& var : ir::free_vars(extent)) values.emplace_back(var, sizes.at(var.name()));
    shape.push_back(ir::evaluate_int(extent, values));
  }
  return shape;
}

/// One tensor per buffer parameter: inputs filled with small integers, outputs poisoned.
inline std::vector<HostTensor> make_arguments(const ir::PrimFunc& func, const Sizes& sizes,
                                              uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<HostTensor> tensors;
  for (const ir::Param& param : func->params) {
    if (!param.buffer) continue;
    std::vector<int64_t> shape = concrete_shape(param.buffer, sizes);
    tensors.push_back(param.role == ir::ParamRole::kOutput
                          ? HostTensor(param.buffer->dtype, shape)
                          : random_integers(param.buffer->dtype, shape, rng));
  }
  return tensors;
}

/// Runs `func` on `tensors`, one per buffer parameter; scalars by name.
inline void interpret_on(const ir::PrimFunc& func, std::vector<HostTensor>& tensors,
                         const std::map<std::string, double>& scalars = {},
                         const ir::InterpOptions& options = {}) {
  std::vector<ir::InterpArg> args;
  size_t next = 0;
  for (const ir::Param& param : func->params) {
    if (param.role == ir::ParamRole::kShape) continue;
    ir::InterpArg arg;
    if (param.buffer) {
      arg.tensor = {tensors.at(next).bytes.data(), tensors.at(next).shape};
      ++next;
    } else {
      arg.float_value = scalars.at(param.var.name());
      arg.int_value = static_cast<int64_t>(arg.float_value);
    }
    args.push_back(arg);
  }
  ir::interpret(func, args, options);
}

/// Index and values of the first element that differs by more than `tolerance` (relative to the larger
/// of 1 and the wanted value); "" when none does. NaN equals NaN.
inline std::string first_difference(const HostTensor& got, const HostTensor& wanted,
                                    double tolerance = 0) {
  if (got.shape != wanted.shape || got.dtype != wanted.dtype) return "shapes or dtypes differ";
  for (size_t i = 0; i < got.size(); ++i) {
    const double g = got.get(i), w = wanted.get(i);
    if (got.dtype.is_float()) {
      if (std::isnan(g) && std::isnan(w)) continue;
      if (g == w || std::abs(g - w) <= tolerance * std::max(1.0, std::abs(w))) continue;
    } else if (got.get_int(i) == wanted.get_int(i)) {
      continue;
    }
    return "element " + std::to_string(i) + " is " + std::to_string(g) + ", not " +
           std::to_string(w);
  }
  return "";
}

}  // namespace tilewright::testing
