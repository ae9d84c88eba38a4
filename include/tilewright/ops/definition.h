#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/te/tensor.h"

/// \file
/// The operators known by name: what they take and what they compute. How to schedule them is no part
/// of this.

namespace tilewright::ops {

enum class ParameterKind : uint8_t {
  kInt,      ///< a decimal integer in [min, max]
  kIntPair,  ///< one integer for both of height and width, or two: "3" or "3x5"
  kFlag,     ///< "0"/"1" or "false"/"true"
  kChoice,   ///< one of `choices`
  kDType,    ///< one of `choices`, short names (f32, bf16, i8, ...) allowed
};

/// One parameter of an operator; the command's option is "--" + name with '-' for '_'.
struct ParameterSpec {
  std::string name;  ///< snake_case
  ParameterKind kind = ParameterKind::kInt;
  std::string default_value;
  std::string help;
  int64_t min = 1;                   ///< integers only
  std::vector<std::string> choices;  ///< kChoice and kDType only
};

/// "trans_a" -> "--trans-a".
std::string option_name(const ParameterSpec& spec);

/// Parameter values as text, by name; '-' and '_' in names are the same.
using TextValues = std::map<std::string, std::string>;

/// Checked values of all parameters of an operator.
class Values {
 public:
  explicit Values(TextValues canonical);
  int64_t integer(const std::string& name) const;
  std::pair<int64_t, int64_t> pair(const std::string& name) const;
  bool flag(const std::string& name) const { return integer(name) != 0; }
  const std::string& text(const std::string& name) const;
  DType dtype(const std::string& name) const;
  /// Every parameter in its one canonical spelling: "3" of a pair becomes "3x3", "f32" "float32",
  /// "true" "1".
  const TextValues& canonical() const { return canonical_; }

 private:
  TextValues canonical_;
};

/// The tensors of one operator with all parameters fixed.
struct Tensors {
  std::vector<te::Tensor> inputs, outputs;
  std::vector<std::string>
      layouts;  ///< of inputs then outputs, such as "NCHW", "OIHW"; "" for none
};

struct OpDefinition {
  std::string name;
  int64_t version = 1;  ///< raised when the meaning of a parameter or the definition changes
  std::string help;
  std::vector<ParameterSpec> parameters;
  Tensors (*make)(const Values& values) = nullptr;
};

/// One operator instance: everything a task, a template or a test needs.
struct OpInstance {
  std::string op;
  int64_t op_version = 1;
  TextValues args;                   ///< canonical, for the task key
  std::vector<std::string> dtypes;   ///< of inputs then outputs
  std::vector<std::string> layouts;  ///< of inputs then outputs, non-empty ones
  std::vector<te::Tensor> inputs, outputs;
  ir::PrimFunc func;           ///< parameters: inputs then outputs; named like the operator
  double operation_count = 0;  ///< arithmetic operations of one call
};

/// All operators, in alphabetical order.
const std::vector<OpDefinition>& definitions();

/// Throws Error "ops.unknown_op" proposing the nearest name.
const OpDefinition& find_definition(const std::string& name);

/// Parses and checks values, filling in defaults. Throws Error "ops.unknown_parameter" (proposing the
/// nearest name), "ops.duplicate_parameter" or "ops.bad_value".
Values parse_values(const OpDefinition& definition, const TextValues& given);

/// The operator with these parameters. Throws what parse_values throws, and Error "ops.bad_value" /
/// "te.shape_overflow" for values that don't fit together (a kernel larger than the padded input, ...).
OpInstance instantiate(const OpDefinition& definition, const TextValues& given);
OpInstance instantiate(const std::string& name, const TextValues& given);

}  // namespace tilewright::ops
