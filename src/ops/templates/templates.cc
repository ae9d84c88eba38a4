#include "tilewright/ops/templates.h"

#include "ops/templates/conv2d.h"
#include "ops/templates/matmul.h"

namespace tilewright::ops {

std::vector<NamedTemplate> templates_for(const std::string& op_name) {
  if (op_name == "matmul") return {{"goto", detail::matmul_goto}};
  if (op_name == "conv2d") return {{"direct", detail::conv2d_direct}};
  return {};
}

}  // namespace tilewright::ops
