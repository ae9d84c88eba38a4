#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tilewright/support/error.h"

namespace tilewright::testing {

/// Checks that `action` throws Error `code` with every one of `parts` in its text.
template <typename Action>
void expect_error(const std::string& code, const std::vector<std::string>& parts, Action action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    INFO("the error: " << error.code() << ": " << text);
    CHECK(error.code() == code);
    for (const std::string& part : parts) {
      INFO("wanted in the text: " << part);
      CHECK(text.find(part) != std::string::npos);
    }
    return;
  }
  FAIL_CHECK("no error, wanted " << code);
}

}  // namespace tilewright::testing
