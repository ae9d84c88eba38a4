#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"

/// Small helpers for tests that run IR built by hand.
namespace tilewright::ir::testing {

/// Storage types of the tests for dtypes that C++20 has no portable type for.
struct Bool {
  uint8_t byte;
};
struct Half {
  uint16_t bits;
};
struct BHalf {
  uint16_t bits;
};

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, Bool>) return kBool;
  if constexpr (std::is_same_v<T, Half>) return kFloat16;
  if constexpr (std::is_same_v<T, BHalf>) return kBFloat16;
  if constexpr (std::is_floating_point_v<T>) return {TypeCode::kFloat, 8 * sizeof(T), 1};
  if constexpr (std::is_integral_v<T>) {
    return {std::is_signed_v<T> ? TypeCode::kInt : TypeCode::kUInt, 8 * sizeof(T), 1};
  }
}

/// An argument over the elements of `values`; the shape defaults to one dimension.
template <typename T>
InterpArg arg(std::vector<T>& values, std::vector<int64_t> shape = {-1}) {
  if (shape == std::vector<int64_t>{-1}) shape = {static_cast<int64_t>(values.size())};
  InterpArg result;
  result.tensor = {values.data(), std::move(shape)};
  return result;
}
inline InterpArg int_arg(int64_t value) {
  InterpArg result;
  result.int_value = value;
  return result;
}

inline Param input(const Buffer& buffer) { return {buffer, {}, ParamRole::kInput}; }
inline Param output(const Buffer& buffer) { return {buffer, {}, ParamRole::kOutput}; }
inline Param shape_param(const Var& var) { return {{}, var, ParamRole::kShape}; }

inline PrimFunc make_func(std::vector<Param> params, Stmt body, Level level = Level::kScheduled,
                          std::vector<Buffer> allocs = {}, std::vector<Expr> assumptions = {}) {
  return PrimFunc(new PrimFuncNode("f", std::move(params), std::move(assumptions),
                                   std::move(allocs), std::move(body), level, {}));
}

inline Stmt vector_store(const Buffer& buffer, Expr index, Expr value, Expr predicate = {}) {
  return Stmt(new StoreNode(buffer, {std::move(index)}, std::move(value), std::move(predicate)));
}
inline Expr vector_load(const Buffer& buffer, Expr index, Expr predicate = {}) {
  const DType type = buffer->dtype.with_lanes(index.dtype().lanes);
  return Expr(new LoadNode(type, buffer, {std::move(index)}, std::move(predicate)));
}

/// The code of the Error that `f` throws, "" when it throws none; `message` receives the text.
template <typename F>
std::string error_code(F f, std::string* message = nullptr) {
  try {
    f();
  } catch (const Error& error) {
    if (message) *message = error.what();
    return error.code();
  }
  return "";
}

/// A reduction block over `axes` (name, extent, kind, value) as the tests need it.
struct Axis {
  const char* name;
  Expr extent;
  IterKind kind;
  Expr value;
};

/// Builds a BlockRealize of an Update. `make` gets the iteration variables and returns the indices of
/// the accumulators and the terms.
struct UpdateParts {
  std::vector<Expr> indices, values;
};
template <typename F>
Stmt reduce_block(const std::string& name, const Reducer& reducer, std::vector<Buffer> buffers,
                  const std::vector<Axis>& axes, F make, std::vector<Conjunct> guard = {},
                  Expr where = {}) {
  std::vector<IterVar> iters;
  std::vector<Var> vars;
  std::vector<Expr> values;
  for (const Axis& axis : axes) {
    vars.emplace_back(axis.name);
    iters.push_back({vars.back(), {Expr(int64_t{0}), axis.extent}, axis.kind});
    values.push_back(axis.value);
  }
  const UpdateParts parts = make(vars);
  std::vector<Stmt> inits;
  for (size_t j = 0; j < buffers.size(); ++j) {
    inits.push_back(store(buffers[j], parts.indices, reducer->identity[j]));
  }
  Stmt update(new UpdateNode(reducer, buffers, parts.indices, parts.values));
  Block block(new BlockNode(1000, name, BlockKind::kCompute, std::move(iters), std::move(where), {},
                            {}, reducer, seq(std::move(inits)), std::move(update), {}, ""));
  return Stmt(new BlockRealizeNode(std::move(values), std::move(guard), std::move(block)));
}

}  // namespace tilewright::ir::testing
