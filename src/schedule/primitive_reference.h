#pragma once

#include <string_view>
#include <vector>

namespace tilewright::schedule {

/// What the reference table says of a primitive beyond its row in the table of primitives, its signature and its error
/// codes.
struct PrimitiveReference {
  std::string_view op;
  std::string_view needs;             ///< when it is legal, in sentences
  std::string_view tvm, halide, exo;  ///< the nearest in other systems; empty: none
};

/// Of every primitive of the table.
const std::vector<PrimitiveReference>& primitive_references();

}  // namespace tilewright::schedule
