#pragma once

#include <string>

#include "tilewright/ir/stmt.h"
#include "tilewright/support/expected.h"

namespace tilewright::schedule {

/// Parses "(m, k) -> (m // 6, k, m % 6)": names of the logical dimensions, then the physical index of each
/// physical dimension over + - * // % ( ) and integers. The error is a sentence.
Expected<ir::Layout, std::string> parse_layout_map(const std::string& text, size_t rank);

}  // namespace tilewright::schedule
