#pragma once

#include <string>

namespace tilewright::testing {

/// Notes that (a part of) the running test case is skipped. Each call counts once in the summary
/// line. Use TW_SKIP, which also leaves the test case or section.
void record_skip(const std::string& reason);

}  // namespace tilewright::testing

/// Leaves the enclosing test case (or lambda) and reports it as skipped with a reason. In a SECTION
/// only that section is left, since Catch2 runs the test case once per section.
#define TW_SKIP(reason)                           \
  do {                                            \
    ::tilewright::testing::record_skip((reason)); \
    return;                                       \
  } while (false)
