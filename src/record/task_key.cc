#include "tilewright/record/task_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::record {

std::string TaskKey::key() const {
  if (op.empty()) return "expr/" + expr_hash;
  std::vector<std::string> settings;
  for (const auto& [name, value] : args) settings.push_back(name + "=" + value);
  return fmt::format("{}/{}/{}/{}/{}/{}", op, op_version, fmt::join(settings, ","),
                     fmt::join(dtypes, ","), fmt::join(layouts, ","), fmt::join(assumptions, ","));
}

}  // namespace tilewright::record
