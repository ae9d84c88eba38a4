#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::target {

/// Adds everything the listed features imply; sorts and removes repetitions.
std::vector<std::string> close_features(std::vector<std::string> features);

/// Removes `name` and every feature that implies it.
std::vector<std::string> remove_feature(const std::vector<std::string>& features,
                                        std::string_view name);

/// Feature names known for an arch; empty for an arch without a table (any name is accepted there).
std::vector<std::string> known_features(std::string_view arch);

/// Width in bits of the widest vectors the features allow.
int widest_vector_bits(std::string_view arch, const std::vector<std::string>& features);

/// Number of architectural vector registers.
int vector_register_count(std::string_view arch, const std::vector<std::string>& features);

}  // namespace tilewright::target
