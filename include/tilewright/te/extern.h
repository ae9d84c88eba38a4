#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/ir/builder.h"
#include "tilewright/te/tensor.h"

/// \file
/// Computations that are no formula for each element: scatter, sort, or a call of a C function.

namespace tilewright::te {

/// An output that an extern computation declares.
struct ExternOutput {
  std::vector<Expr> shape;
  DType dtype;
  std::string name = {};  ///< "<name of the computation>" or "<name>_v<i>" when empty
};

/// Writes the body: statements that fill the outputs from the inputs.
using ExternBody = std::function<void(ir::IRBuilder& b, const std::vector<ir::Buffer>& inputs,
                                      const std::vector<ir::Buffer>& outputs)>;

/// Tensors made by statements. The body may read and write its outputs and the temporaries it asks the
/// builder for, and read its inputs, sizes and scalars:
///
///     Tensor h = te::extern_op({{{256}, kInt32}}, {x}, [&](auto& b, auto& in, auto& out) {
///       b.loop("i", 256, [&](Var i) { b.store(out[0], {i}, 0); });
///       b.loop("i", n, [&](Var i) {
///         Expr bin = te::cast(kInt64, ir::load(in[0], {i}));
///         b.store(out[0], {bin}, ir::load(out[0], {bin}) + 1);
///       });
///     }, "histogram")[0];
///
/// In a function it is one block of kind opaque that reads its inputs and writes its outputs as a whole; no
/// primitive looks into it.
///
/// Throws Error "te.extern_undeclared" (the body uses a tensor that is not declared, or writes an input),
/// "te.extern_body" (it has blocks, or writes no output), "te.unbound_variable", "te.bad_shape",
/// "te.shape_overflow", "te.bad_name", "te.bad_dtype".
std::vector<Tensor> extern_op(std::vector<ExternOutput> outputs, std::vector<Tensor> inputs,
                              const ExternBody& body, std::string name = "extern");

/// Tensors made by the C function `void symbol(inputs..., outputs..., sizes...)`: the address of the first
/// element of each tensor, row-major, then `sizes`, of integers as int64_t, of floats as float or double.
/// The function must write all elements of the outputs and nothing else, keep nothing, and may be called by
/// several threads.
///
/// In a function it is one block of kind extern. A kernel in this process is given the address
/// (BuildOptions::externs); a library finds the symbol when it is linked. The interpreter runs a reference
/// in its place (InterpOptions::externs). Throws as `extern_op` does, and "te.bad_name" for a symbol that
/// is no C name.
std::vector<Tensor> extern_call(std::vector<ExternOutput> outputs, std::vector<Tensor> inputs,
                                std::string symbol, std::vector<Expr> sizes = {},
                                std::string name = "extern");

}  // namespace tilewright::te
