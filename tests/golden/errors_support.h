#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "support/golden.h"
#include "tilewright/support/error.h"
#include "tilewright/support/error_catalogue.h"

/// \file
/// The whole texts of errors, tests/golden/errors/<code>.txt, one a code. The tables of errors_*_test.cc say how each
/// code is met; errors_pages_test.cc finds codes without a text and writes docs/errors/ from the texts.

namespace tilewright::testing {

/// The longest line of a text, in bytes.
inline size_t width(const std::string& text) {
  size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

/// The code as the catalogue lists it: one text may stand for all primitives.
inline std::string listed_code(const std::string& code) {
  const std::vector<std::string> codes = error_codes();
  if (std::binary_search(codes.begin(), codes.end(), code)) return code;
  return "schedule.any" + code.substr(std::min(code.rfind('.'), code.size()));
}

/// Compares the text of an error with its golden file, and looks its code up in the catalogue.
inline void check_error_text(const std::string& code, const std::string& text) {
  INFO(text);
  CHECK(find_error(code).has_value());
  CHECK(golden_difference("errors/" + listed_code(code) + ".txt", text + "\n") == "");
}

/// A program that meets an error.
struct Trigger {
  const char* code;
  std::function<void()> run;
};

inline void check_triggers(const std::vector<Trigger>& table) {
  for (const Trigger& row : table) {
    INFO(row.code);
    try {
      row.run();
      FAIL_CHECK("no error, wanted " << row.code);
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == row.code);
      if (error.code() == row.code) check_error_text(error.code(), error.what());
    }
  }
}

}  // namespace tilewright::testing
