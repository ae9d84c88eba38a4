#pragma once

#include <nlohmann/json.hpp>

#include "tilewright/fuzz/program.h"

namespace tilewright::fuzz {

/// A description as a JSON object, to be a field of a larger one. The inverse throws Error "fuzz.file".
nlohmann::ordered_json spec_to_json(const ProgramSpec& spec);
ProgramSpec spec_from_json(const nlohmann::ordered_json& json);

}  // namespace tilewright::fuzz
