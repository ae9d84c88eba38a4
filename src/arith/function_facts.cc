#include "tilewright/arith/analyzer.h"

namespace tilewright::arith {

void bind_function_facts(Analyzer& analyzer, const ir::PrimFunc& func) {
  for (const ir::Param& param : func->params) {
    if (param.role == ir::ParamRole::kShape && param.var.defined()) {
      analyzer.assume(param.var >= ir::make_int(param.var.dtype(), 0));
    }
  }
  for (const ir::Expr& assumption : func->assumptions) analyzer.assume(assumption);
}

}  // namespace tilewright::arith
