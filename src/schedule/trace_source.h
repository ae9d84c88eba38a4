#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule/primitive_signature.h"
#include "tilewright/schedule/trace.h"

namespace tilewright::schedule {

enum class Language { kCpp, kPython };

/// The literals of one language.
class Literals {
 public:
  explicit Literals(Language language) : language_(language) {}
  bool cpp() const { return language_ == Language::kCpp; }
  std::string quoted(std::string_view text) const;
  std::string integer(int64_t value) const;
  std::string real(double value) const;
  /// `items` in the brackets of a list.
  std::string list(const std::vector<std::string>& items) const;
  /// Of the type `Value` in C++.
  std::string value(const Value& value) const;

 private:
  Language language_;
};

/// `line` cut behind commas outside of texts so that each part has at most `width` characters where possible; the
/// parts behind the first are indented further.
std::string wrapped(const std::string& line, size_t width);

/// The variables of printed code: what handles and decisions of the trace are called.
class SourceNames {
 public:
  /// A name that nothing else has: `base` made an identifier, `base_1`, ...
  std::string fresh(std::string_view base);
  std::map<std::string, std::string> handles;    ///< "l3" -> "parts[1]"
  std::map<std::string, std::string> decisions;  ///< "tile_k" -> "tile_k"

 private:
  std::set<std::string> taken_;
};

}  // namespace tilewright::schedule
