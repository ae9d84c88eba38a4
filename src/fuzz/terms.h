#pragma once

#include <string>
#include <vector>

#include "tilewright/fuzz/program.h"

/// \file
/// Short ways to write terms.

namespace tilewright::fuzz {

inline Term axis_term(int64_t number) { return {"axis", kInt64, number, {}, {}, {}}; }
inline Term const_term(DType dtype, int64_t value) { return {"const", dtype, value, {}, {}, {}}; }
inline Term size_term(const std::string& name) { return {"size", kInt64, 0, name, {}, {}}; }
inline Term op_term(std::string op, DType dtype, std::vector<Term> args) {
  return {std::move(op), dtype, 0, {}, {}, std::move(args)};
}
inline Term cast_term(DType dtype, Term arg) { return op_term("cast", dtype, {std::move(arg)}); }
/// The extent as a term.
Term dim_term(const Dim& dim);

/// Number of tensors that the stage gives, and the shape of each.
int64_t num_outputs(const StageSpec& stage);
std::vector<Dim> result_shape(const StageSpec& stage);

/// Null when there is none of that name.
const TermOp* find_term_op(std::string_view name);
const ReducerRow* find_reducer(std::string_view name);

}  // namespace tilewright::fuzz
