#include "tilewright/support/suggest.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace tilewright {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool starts_with(std::string_view name, std::string_view word) {
  if (word.size() < 3 || name.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), name.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<int> before_last(width), last(width), row(width);
  for (size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j < width; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest_name(const std::vector<std::string>& names, std::string_view word) {
  std::string best;
  int best_distance = std::numeric_limits<int>::max();
  for (const std::string& name : names) {
    int distance = edit_distance(name, word);
    const int limit = std::max<int>(1, static_cast<int>(std::max(name.size(), word.size())) / 3);
    if (starts_with(name, word)) distance = std::min(distance, limit);
    if (distance > limit || distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(const std::vector<std::string>& names, std::string_view word) {
  const std::string near = nearest_name(names, word);
  if (!near.empty()) return "; did you mean '" + near + "'?";
  if (names.empty()) return "";
  std::string text = "; known: ";
  constexpr size_t kMostNames = 12;
  for (size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    if (i) text += ", ";
    text += names[i];
  }
  if (names.size() > kMostNames) text += ", ...";
  return text;
}

}  // namespace tilewright
