#pragma once

#include <map>
#include <string>

#include "tilewright/ir/stmt.h"

namespace tilewright::schedule {

/// What `Schedule::tensorize` puts in place of a loop nest that computes the same.
///
/// Both functions are at level scheduled, have static shapes and the same buffer parameters in the same order (names
/// may differ). The reference is one loop nest around one block that accesses every element of its parameters. The
/// implementation is what runs instead: any statements and blocks of the IR over its parameters, without buffers of
/// its own. Where a parameter written is inout in the implementation, the instruction is the updates of the
/// reference's reduction alone, without its init: it adds to what is there.
struct TensorInstruction {
  std::string name;
  ir::PrimFunc reference;
  ir::PrimFunc implementation;
};

using TensorInstructions = std::map<std::string, TensorInstruction>;

}  // namespace tilewright::schedule
