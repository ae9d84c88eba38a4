#pragma once

#include <fmt/format.h>

#include <string>

#include "tilewright/schedule/schedule.h"

namespace tilewright::schedule {

/// The product as an expression over the decision, so that a trace does not fix it.
inline Int times(const Int& a, int64_t b) {
  return {a.value * b, a.decision.empty() ? std::string() : fmt::format("{} * {}", a.decision, b)};
}

/// The number as the text of a layout map: "6", "$mr", "($vectors * 8)". The decision's name must be of letters,
/// digits, '_' and '.'.
inline std::string map_number(const Int& number) {
  if (number.decision.empty()) return std::to_string(number.value);
  const bool is_name = number.decision.find(' ') == std::string::npos;
  return fmt::format(fmt::runtime(is_name ? "${}" : "(${})"), number.decision);
}

}  // namespace tilewright::schedule
