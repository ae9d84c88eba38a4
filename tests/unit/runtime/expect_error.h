#pragma once

#include <string>

#include "tilewright/support/error.h"

namespace tilewright::testing {

/// "code: message" of the Error that `action` throws, or "no error".
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

/// Only the code.
template <typename Action>
std::string code_of(Action action) {
  const std::string text = error_of(action);
  return text.substr(0, text.find(':'));
}

}  // namespace tilewright::testing
