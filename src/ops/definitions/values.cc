#include <algorithm>
#include <charconv>

#include "ops/definitions/definitions.h"
#include "tilewright/support/suggest.h"

namespace tilewright::ops {
namespace {

std::string snake(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

[[noreturn]] void fail_value(const ParameterSpec& spec, const std::string& text,
                             const std::string& wanted) {
  fail("ops.bad_value", "{} is '{}'; {} is needed", option_name(spec), text, wanted);
}

int64_t parse_integer(const ParameterSpec& spec, const std::string& whole, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string wanted =
      spec.kind == ParameterKind::kIntPair
          ? fmt::format("an integer of at least {}, or two such as 3x5,", spec.min)
          : fmt::format("an integer of at least {}", spec.min);
  if (error == std::errc::result_out_of_range) {
    fail_value(spec, whole, wanted + " and at most 9223372036854775807");
  }
  if (error != std::errc() || end != text.data() + text.size() || value < spec.min) {
    fail_value(spec, whole, wanted);
  }
  return value;
}

std::string canonical_pair(const ParameterSpec& spec, const std::string& text) {
  const size_t x = text.find('x');
  const std::string_view view = text;
  const int64_t first = parse_integer(spec, text, view.substr(0, x));
  const int64_t second =
      x == std::string::npos ? first : parse_integer(spec, text, view.substr(x + 1));
  return fmt::format("{}x{}", first, second);
}

std::string canonical_dtype(const std::string& text) {
  static constexpr std::pair<const char*, const char*> kShort[] = {
      {"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"}, {"bf16", "bfloat16"},
      {"i8", "int8"},     {"i16", "int16"},   {"i32", "int32"},   {"i64", "int64"},
      {"u8", "uint8"},    {"u16", "uint16"},  {"u32", "uint32"},  {"u64", "uint64"},
  };
  for (const auto& [from, to] : kShort) {
    if (text == from) return to;
  }
  return text;
}

std::string canonical_choice(const ParameterSpec& spec, const std::string& text) {
  const auto& choices = spec.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  const std::string near = nearest_name(choices, text);
  fail("ops.bad_value", "{} is '{}', which is not supported{}; choose one of {}", option_name(spec),
       text, near.empty() ? "" : "; did you mean '" + near + "'?", list);
}

std::string canonical_value(const ParameterSpec& spec, const std::string& text) {
  switch (spec.kind) {
    case ParameterKind::kInt: return fmt::format("{}", parse_integer(spec, text, text));
    case ParameterKind::kIntPair: return canonical_pair(spec, text);
    case ParameterKind::kFlag:
      if (text == "1" || text == "true" || text == "True") return "1";
      if (text == "0" || text == "false" || text == "False") return "0";
      fail_value(spec, text, "0 or 1");
    case ParameterKind::kChoice: return canonical_choice(spec, text);
    case ParameterKind::kDType: return canonical_choice(spec, canonical_dtype(text));
  }
  return text;
}

}  // namespace

std::string option_name(const ParameterSpec& spec) {
  std::string name = spec.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

Values::Values(TextValues canonical) : canonical_(std::move(canonical)) {}

const std::string& Values::text(const std::string& name) const {
  const auto found = canonical_.find(name);
  internal_check(found != canonical_.end(), "no parameter '{}'", name);
  return found->second;
}

int64_t Values::integer(const std::string& name) const { return std::stoll(text(name)); }

std::pair<int64_t, int64_t> Values::pair(const std::string& name) const {
  const std::string& both = text(name);
  return {std::stoll(both), std::stoll(both.substr(both.find('x') + 1))};
}

DType Values::dtype(const std::string& name) const { return parse_dtype(text(name)); }

Values parse_values(const OpDefinition& definition, const TextValues& given) {
  std::vector<std::string> names, options;
  for (const ParameterSpec& spec : definition.parameters) {
    names.push_back(spec.name);
    options.push_back(option_name(spec).substr(2));
  }
  TextValues plain;
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), snake(name)) == names.end()) {
      std::string word = name;
      std::replace(word.begin(), word.end(), '_', '-');
      fail("ops.unknown_parameter", "operator {} has no parameter '{}'{}", definition.name, name,
           suggestion(options, word));
    }
    if (!plain.emplace(snake(name), value).second) {
      fail("ops.duplicate_parameter", "parameter '{}' is given twice", name);
    }
  }
  TextValues canonical;
  for (const ParameterSpec& spec : definition.parameters) {
    const auto found = plain.find(spec.name);
    canonical[spec.name] =
        canonical_value(spec, found == plain.end() ? spec.default_value : found->second);
  }
  return Values(std::move(canonical));
}

}  // namespace tilewright::ops
