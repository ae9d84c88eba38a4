#include "lower/passes/passes.h"
#include "tilewright/ir/init_nest.h"

namespace tilewright::lower {

ir::PrimFunc place_inits(const ir::PrimFunc& func, const Target&, const LowerOptions&) {
  return ir::with_placed_inits(func);
}

}  // namespace tilewright::lower
