#pragma once

#include <string_view>

namespace tilewright::lower {

/// Loop annotations of this prefix and the name of a buffer ask for prefetches of it; the value is how many
/// iterations ahead.
inline constexpr std::string_view kPrefetchKey = "prefetch:";

}  // namespace tilewright::lower
