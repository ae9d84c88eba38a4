#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {

ir::PrimFunc verify(const ir::PrimFunc& func, const Target&, const LowerOptions&) {
  ir::verify_or_die(func, "lowering");
  return func;
}

}  // namespace tilewright::lower
