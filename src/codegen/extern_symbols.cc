#include "tilewright/codegen/extern_symbols.h"

#include "tilewright/ir/visitor.h"

namespace tilewright::codegen {

std::set<std::string> extern_symbols(const ir::PrimFunc& func) {
  std::set<std::string> symbols;
  ir::walk_exprs(func->body, [&](const ir::Expr& e) {
    const auto* call = e.as<ir::CallNode>();
    if (!call || call->intrinsic != ir::Intrinsic::kCallExtern) return;
    symbols.insert(call->args[0].as<ir::StringImmNode>()->value);
  });
  return symbols;
}

}  // namespace tilewright::codegen
