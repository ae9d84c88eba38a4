#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/support/dtype.h"
#include "tilewright/support/rng.h"

/// \file
/// Tensor programs as small descriptions: data that can be drawn at random, made smaller one piece at a time,
/// stored as JSON and printed as source. A description says less than the language can, so that every one of
/// them builds.

namespace tilewright::fuzz {

/// An extent: a number, or a symbolic size plus a number.
struct Dim {
  std::string size;  ///< "": none
  int64_t value = 0;
  bool operator==(const Dim&) const = default;
};

/// A node of an expression. `op` names a row of `term_ops()`, or is one of
/// - "const": `value` in `dtype`;
/// - "axis": axis number `value` of the stage, output axes first, then reduce axes (int64);
/// - "size": the symbolic size `name` (int64);
/// - "state": state number `value` of the stage's recurrence, as the step before left it, at `args`;
/// - "load": tensor `name`, output `value` of it, at the index expressions `args`; `rule` is "" or a boundary
///   condition: constant, edge, mirror, reflect (constant: 1 outside);
/// - "cast": the operand in `dtype`.
struct Term {
  std::string op;
  DType dtype = kFloat32;
  int64_t value = 0;
  std::string name, rule;
  std::vector<Term> args;
  bool operator==(const Term&) const = default;
};

/// A tensor argument that the program reads.
struct InputSpec {
  std::string name;
  DType dtype = kFloat32;
  std::vector<Dim> shape;
  bool operator==(const InputSpec&) const = default;
};

/// One compute. With a reducer, `values` are its terms; else the elements (one output).
struct StageSpec {
  std::string name;
  std::vector<Dim> shape;
  std::string reducer;  ///< "": none; else a row of `reducers()`
  std::vector<Dim> reduce;
  std::vector<Term> values;
  std::vector<Term> where;  ///< empty: everywhere; else one condition
  std::string accumulate;   ///< "": the terms' dtype; else the dtype of a sum or product
  bool output = false;

  /// Not empty: the stage is a recurrence (te::Scan) of so many steps. It has a state for each of `values`, which is
  /// `init` before the first step; `shape` is that of a state, the step is the axis after those of `shape`, and the
  /// results have it as dimension `step_axis`.
  std::vector<Dim> steps;
  std::vector<Term> init;
  int64_t step_axis = 0;
  bool operator==(const StageSpec&) const = default;
};

using Sizes = std::map<std::string, int64_t>;

struct ProgramSpec {
  std::string name = "fuzzed";
  std::vector<InputSpec> inputs;
  std::vector<StageSpec> stages;
  std::vector<Sizes> sizes = {{}};  ///< values of the symbolic sizes to run with
  double tolerance = 0;             ///< 0: exact on small integers
  std::vector<Term> assumptions;    ///< that the caller guarantees of the sizes
  bool operator==(const ProgramSpec&) const = default;

  /// One line. The inverse throws Error "fuzz.file".
  std::string to_json() const;
  static ProgramSpec from_json(std::string_view text);
};

/// An operation of expressions: how it is built and written.
struct TermOp {
  std::string_view name;
  int arity;
  std::string_view cpp, python;  ///< with {} for each operand
};
const std::vector<TermOp>& term_ops();

/// A way to reduce. `outputs` values are folded at once.
struct ReducerRow {
  std::string_view name;
  int outputs;
  enum Values : uint8_t { kNumbers, kIntegers, kBools } values;
  bool user;  ///< declared in the program's source
};
const std::vector<ReducerRow>& reducers();

/// The function of a description. Throws Error "te.*" or "ir.dtype" for one that te refuses, and "fuzz.program"
/// for one that names what does not exist.
ir::PrimFunc build_program(const ProgramSpec& spec);

/// A random program; every draw builds.
ProgramSpec random_program(Rng& rng);

/// What the program uses of the language, such as "reducer argmin", "dtype uint16", "scan of 2 states" or "assumption":
/// what a run counts to show that nothing is left out.
std::set<std::string> features(const ProgramSpec& spec);
/// The reducers and dtypes that features can name, in full: "reducer sum", "dtype bool", ...
std::vector<std::string> expected_features();

/// Number of nodes of all expressions, extents and stages: what shrinking brings down.
int64_t program_weight(const ProgramSpec& spec);

/// Source that makes the function `func` of the description (statements for a function body, four resp. no
/// blanks in front).
std::string program_cpp(const ProgramSpec& spec);
std::string program_python(const ProgramSpec& spec);

}  // namespace tilewright::fuzz
