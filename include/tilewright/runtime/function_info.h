#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/runtime/size_expr.h"
#include "tilewright/support/dtype.h"

namespace tilewright::runtime {

enum class ParamRole : uint8_t { kInput, kConstant, kOutput, kInout, kShape };

/// "input", "constant", "output", "inout", "shape".
std::string to_string(ParamRole role);

/// One parameter of a compiled function, in the order of its call.
struct ParamInfo {
  std::string name;
  ParamRole role = ParamRole::kInput;
  bool is_tensor = true;
  DType dtype = kFloat32;
  std::vector<SizeExpr> shape = {};  ///< tensors only
  bool any_strides = false;          ///< false: compact row-major is required
  int alignment_bytes = 1;           ///< required alignment of the first element
  std::string device = "cpu";
  std::string alias_of = "";  ///< name of the parameter whose memory this one shares, or ""

  bool is_written() const { return role == ParamRole::kOutput || role == ParamRole::kInout; }
};

/// The argument contract of a compiled function, for people and for packing calls. The checks
/// themselves are in the function's entry (see abi.h).
struct FunctionInfo {
  std::string name;
  std::vector<ParamInfo> params;
  std::vector<std::string> assumptions = {};  ///< "n % 8 == 0"
  bool has_workspace = false;
  std::vector<std::string> records = {};  ///< ids of the tuning records the schedule came from
  double operation_count = 0;             ///< arithmetic operations of one call; 0: unknown

  /// Names of the symbolic sizes in order of their first occurrence.
  std::vector<std::string> size_names() const;
  /// "matmul(A: float32 (m, 512), B: float32 (512, n)) -> C: float32 (m, n)".
  std::string signature() const;
};

/// The manifest of a compiled library.
struct LibraryInfo {
  int abi_version = 1;
  std::string target;                 ///< Target text it was compiled for
  std::vector<std::string> features;  ///< CPU features its code uses
  std::map<std::string, std::string> versions;
  std::vector<FunctionInfo> functions;

  const FunctionInfo* find(std::string_view name) const;
};

/// One line of JSON in the format that abi.h describes.
std::string to_manifest(const LibraryInfo& info);

/// Inverse of `to_manifest`; unknown fields are ignored. Throws Error module.bad_manifest, or
/// module.abi_version when the library needs another call ABI.
LibraryInfo parse_manifest(std::string_view text);

}  // namespace tilewright::runtime
