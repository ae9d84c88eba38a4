#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment distance), comparing letters without regard to case.
int edit_distance(std::string_view a, std::string_view b);

/// The name in `names` nearest to `word`, or "" when none is near: more than about a third of the
/// letters would have to change. A name that starts with `word` (three letters or more) counts as
/// near. The first of equally near names wins.
std::string nearest_name(const std::vector<std::string>& names, std::string_view word);

/// The tail of an error message about the unknown `word`: "; did you mean 'vectorize'?" where a
/// near name exists, else "; known: a, b, c" (at most twelve names).
std::string suggestion(const std::vector<std::string>& names, std::string_view word);

}  // namespace tilewright
