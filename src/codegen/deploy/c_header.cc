#include "tilewright/codegen/c_header.h"

#include <fmt/format.h>

#include <cctype>

#include "tilewright/runtime/abi.h"
#include "tilewright/runtime/standalone.h"

namespace tilewright::codegen {
namespace {

std::string guard_of(std::string_view name) {
  std::string guard = "TILEWRIGHT_";
  for (char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    guard += std::isalnum(letter) ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return guard + "_H_";
}

std::string shape_text(const runtime::ParamInfo& param) {
  std::string text;
  for (const runtime::SizeExpr& extent : param.shape) {
    text += (text.empty() ? "" : ", ") + extent.text();
  }
  return "(" + text + ")";
}

std::string argument_line(size_t number, const runtime::ParamInfo& param) {
  std::string line = fmt::format(" *   {}  {} {}: {}", number, to_string(param.role), param.name,
                                 to_string(param.dtype));
  if (!param.is_tensor) return line + " scalar\n";
  line += " " + shape_text(param);
  if (!param.any_strides) line += ", compact row-major";
  line += fmt::format(", aligned to {} bytes", param.alignment_bytes);
  if (!param.alias_of.empty()) line += ", may be " + param.alias_of;
  return line + "\n";
}

std::string function_text(const runtime::FunctionInfo& function) {
  std::string text = fmt::format("/* {}\n", function.signature());
  for (size_t i = 0; i < function.params.size(); ++i) {
    text += argument_line(i, function.params[i]);
  }
  for (const std::string& assumption : function.assumptions) {
    text += fmt::format(" *   requires {}\n", assumption);
  }
  text += " */\n";
  text += fmt::format("int32_t {}{}(const tw_call* call);\n", TW_ENTRY_PREFIX, function.name);
  if (function.has_workspace) {
    text += fmt::format("int64_t {}{}{}(const tw_call* call);\n", TW_ENTRY_PREFIX, function.name,
                        TW_WORKSPACE_SUFFIX);
  }
  return text + "\n";
}

}  // namespace

std::string emit_c_header(const runtime::LibraryInfo& info, std::string_view library_name) {
  const std::string guard = guard_of(library_name);
  std::string text = fmt::format("/* {}: kernels for {}.\n", library_name, info.target);
  text +=
      " *\n"
      " * The entries are declared at the end, each with its arguments in order. How to call one, "
      "what it\n"
      " * checks and what it returns is said in the part before, the call ABI, which is the same "
      "in the\n"
      " * header of every library and is guarded by a name of its own. */\n";
  text += fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
  text += fmt::format("{}\n", runtime::abi_header());
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const runtime::FunctionInfo& function : info.functions) text += function_text(function);
  text += fmt::format("extern const char {}[];\n\n", TW_MANIFEST_SYMBOL);
  text += "#ifdef __cplusplus\n}\n#endif\n\n";
  return text + fmt::format("#endif /* {} */\n", guard);
}

}  // namespace tilewright::codegen
