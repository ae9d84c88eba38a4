#pragma once

#include <string>

namespace tilewright::testing {

/// Leaves the running test case, or the SECTION of it, and reports it as skipped. Each call counts once in
/// the summary line and is printed with its reason; the other sections still run.
[[noreturn]] void skip(const std::string& reason);

}  // namespace tilewright::testing

#define TW_SKIP(reason) ::tilewright::testing::skip(reason)
