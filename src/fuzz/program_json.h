#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tilewright/fuzz/program.h"

namespace tilewright::fuzz {

/// A description as a JSON object, to be a field of a larger one. The inverse throws Error "fuzz.file".
nlohmann::ordered_json spec_to_json(const ProgramSpec& spec);
ProgramSpec spec_from_json(const nlohmann::ordered_json& json);

/// What the JSON library says, without the number it gives its message.
inline std::string json_fault(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const size_t end = text.starts_with('[') ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace tilewright::fuzz
