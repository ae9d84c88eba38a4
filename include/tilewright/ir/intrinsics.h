#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::ir {

/// Every callable intrinsic; rows of `intrinsics.def`.
enum class Intrinsic : uint8_t {
#define TILEWRIGHT_INTRINSIC(id, name, arity, effect, ulp) id,
#include "tilewright/ir/intrinsics.def"
#undef TILEWRIGHT_INTRINSIC
};

/// What an intrinsic does beside giving a value.
enum class Effect : uint8_t {
  kPure,    ///< value only; may be duplicated, moved or dropped
  kMemory,  ///< hint or write to memory; stays in order
  kOutput,  ///< prints or fails
};

struct IntrinsicInfo {
  Intrinsic id;
  std::string_view name;
  int arity;  ///< -1: any
  Effect effect;
  double
      ulp;  ///< documented error bound in units in the last place of the result's dtype; 0: exact
};

const IntrinsicInfo& info(Intrinsic intrinsic);
/// Null when there is no intrinsic of that name.
const IntrinsicInfo* find_intrinsic(std::string_view name);

}  // namespace tilewright::ir
