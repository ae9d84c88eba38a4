#include <algorithm>
#include <charconv>
#include <map>

#include "target/features.h"
#include "target/host.h"
#include "tilewright/support/cpu_features.h"
#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"
#include "tilewright/target/target.h"

namespace tilewright {
namespace {

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    if (!part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int64_t parse_number(std::string_view option, std::string_view value, int64_t low, int64_t high) {
  int64_t scale = 1;
  std::string_view digits = value;
  if (!digits.empty() && (digits.back() == 'k' || digits.back() == 'K')) scale = int64_t{1} << 10;
  if (!digits.empty() && (digits.back() == 'm' || digits.back() == 'M')) scale = int64_t{1} << 20;
  if (scale > 1) digits.remove_suffix(1);
  int64_t number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = status == std::errc() && end == digits.data() + digits.size();
  if (!whole || number < low || number > high / scale) {
    fail("target.bad_value", "target option -{}={}: expected a whole number from {} to {}", option,
         value, low, high);
  }
  return number * scale;
}

std::vector<std::string> parse_features(std::string_view arch, std::string_view value) {
  std::vector<std::string> features;
  const std::vector<std::string> known = target::known_features(arch);
  for (std::string_view item : split_at(value, ',')) {
    if (item == "host" || item == "+host") {
      if (arch != target::host_arch()) {
        fail("target.bad_value", "target feature 'host' is for arch {}, not {}",
             target::host_arch(), arch);
      }
      for (std::string& name : host_cpu_features()) features.push_back(std::move(name));
      continue;
    }
    const bool removes = item.front() == '-';
    if (removes || item.front() == '+') item.remove_prefix(1);
    if (!known.empty() && std::find(known.begin(), known.end(), item) == known.end()) {
      fail("target.unknown_feature", "unknown {} feature '{}'{}", arch, item,
           suggestion(known, item));
    }
    if (removes) {
      features = target::remove_feature(target::close_features(features), item);
    } else {
      features.emplace_back(item);
    }
  }
  return target::close_features(std::move(features));
}

class Parser {
 public:
  Target parse(std::string_view text) {
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '\t', ' ');
    const std::vector<std::string_view> words = split_at(spaced, ' ');
    if (words.empty()) {
      fail("target.unknown_kind", "empty target; known: cpu, cuda, opencl");
    }
    parse_kind(words[0]);
    for (size_t i = 1; i < words.size(); ++i) read_option(words[i]);
    apply_arch();
    apply_features();
    apply_hints();
    return target_;
  }

 private:
  void parse_kind(std::string_view word) {
    static const std::vector<std::string> kinds = {"cpu", "cuda", "opencl"};
    if (word == "cpu") {
      target_ = Target::host();
      option_names_ = {"arch",  "triple", "features", "vector-bits", "vector-registers",
                       "cores", "l1",     "l2",       "l3",          "cache-line"};
    } else if (word == "cuda") {
      target_.kind = TargetKind::kCuda;
      option_names_ = {"arch"};
    } else if (word == "opencl") {
      target_.kind = TargetKind::kOpenCl;
    } else {
      fail("target.unknown_kind", "unknown target '{}'{}", word, suggestion(kinds, word));
    }
  }

  void read_option(std::string_view word) {
    const size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    while (!name.empty() && name.front() == '-') name.remove_prefix(1);
    const auto known = std::find(option_names_.begin(), option_names_.end(), name);
    if (word.front() != '-' || known == option_names_.end()) {
      fail("target.unknown_option", "unknown option '{}' of target {}{}", word,
           tilewright::to_string(target_.kind), suggestion(option_names_, name));
    }
    if (equals == std::string_view::npos || equals + 1 == word.size()) {
      // An empty feature list is a legal value: the baseline of the arch.
      if (name != "features" || equals == std::string_view::npos) {
        fail("target.bad_value", "target option -{} needs a value: -{}=...", name, name);
      }
    }
    const bool fresh =
        values_.emplace(std::string(name), std::string(word.substr(equals + 1))).second;
    if (!fresh) fail("target.duplicate_option", "target option -{} is given twice", name);
  }

  const std::string* value_of(const std::string& name) const {
    const auto it = values_.find(name);
    return it == values_.end() ? nullptr : &it->second;
  }

  void apply_arch() {
    const std::string* arch = value_of("arch");
    if (target_.kind == TargetKind::kCuda) {
      if (!arch) return;
      if (!arch->starts_with("sm_") || arch->size() < 5) {
        fail("target.bad_value",
             "target option -arch={}: expected a CUDA architecture such as sm_80", *arch);
      }
      target_.arch = *arch;
      return;
    }
    if (const std::string* triple = value_of("triple")) target_.triple = *triple;
    if (!arch) return;
    static const std::vector<std::string> arches = {"x86_64", "aarch64"};
    if (std::find(arches.begin(), arches.end(), *arch) == arches.end()) {
      fail("target.bad_value", "unknown CPU arch '{}'{}", *arch, suggestion(arches, *arch));
    }
    if (*arch == target_.arch) return;
    target_ = Target{};  // nothing about this machine holds for another arch
    target_.arch = *arch;
    if (const std::string* triple = value_of("triple")) target_.triple = *triple;
    derive_vectors();
  }

  void apply_features() {
    const std::string* features = value_of("features");
    if (!features) return;
    target_.features = parse_features(target_.arch, *features);
    derive_vectors();
  }

  void derive_vectors() {
    target_.vector_bits = target::widest_vector_bits(target_.arch, target_.features);
    target_.vector_registers = target::vector_register_count(target_.arch, target_.features);
  }

  template <typename T>
  void read_number(const char* name, T& field, int64_t low, int64_t high) {
    if (const std::string* value = value_of(name)) {
      field = static_cast<T>(parse_number(name, *value, low, high));
    }
  }

  void apply_hints() {
    constexpr int64_t kLargestCache = int64_t{1} << 40;
    read_number("vector-bits", target_.vector_bits, 8, 65536);
    if (target_.vector_bits & (target_.vector_bits - 1)) {
      fail("target.bad_value", "target option -vector-bits={}: expected a power of two",
           target_.vector_bits);
    }
    read_number("vector-registers", target_.vector_registers, 1, 4096);
    read_number("cores", target_.cores, 1, 1 << 20);
    read_number("l1", target_.l1d_bytes, 0, kLargestCache);
    read_number("l2", target_.l2_bytes, 0, kLargestCache);
    read_number("l3", target_.l3_bytes, 0, kLargestCache);
    read_number("cache-line", target_.cache_line_bytes, 8, 4096);
  }

  Target target_;
  std::vector<std::string> option_names_;
  std::map<std::string, std::string> values_;
};

}  // namespace

Target Target::parse(std::string_view text) { return Parser().parse(text); }

std::string Target::to_string() const {
  std::string text = tilewright::to_string(kind);
  if (!arch.empty()) text += " -arch=" + arch;
  if (kind != TargetKind::kCpu) return text;
  if (!triple.empty()) text += " -triple=" + triple;
  text += " -features=";
  for (size_t i = 0; i < features.size(); ++i) text += (i ? ",+" : "+") + features[i];
  text += fmt::format(" -vector-bits={} -vector-registers={} -cores={} -l1={} -l2={} -l3={}",
                      vector_bits, vector_registers, cores, l1d_bytes, l2_bytes, l3_bytes);
  return text + fmt::format(" -cache-line={}", cache_line_bytes);
}

}  // namespace tilewright
