#include "schedule/primitive_signature.h"

#include <charconv>

#include "tilewright/support/error.h"

namespace tilewright::schedule {
namespace {

struct TypeWords {
  std::string_view word;  ///< in the table below
  ParamType type;
  std::string_view cpp, python;
};
constexpr TypeWords kTypes[] = {
    {"loop", ParamType::kLoop, "Loop", "Loop"},
    {"block", ParamType::kBlock, "BlockRef", "BlockRef"},
    {"place", ParamType::kPlace, "Loop or BlockRef", "Loop | BlockRef"},
    {"loops", ParamType::kLoops, "std::vector<Loop>", "Loop"},
    {"int", ParamType::kInt, "Int", "int"},
    {"index", ParamType::kIndex, "int64_t", "int"},
    {"text", ParamType::kText, "std::string_view", "str"},
    {"factors", ParamType::kFactors, "std::vector<Factor>", "list[int | None]"},
    {"ints", ParamType::kIntList, "std::vector<Int>", "list[int]"},
    {"numbers", ParamType::kNumbers, "std::vector<int64_t>", "list[int]"},
    {"reals", ParamType::kRealList, "std::vector<double>", "list[float]"},
    {"pads", ParamType::kPads, "std::vector<std::pair<int64_t, Int>>", "dict[int, int]"},
    {"value", ParamType::kValue, "Value", "object"},
};

struct ResultWords {
  std::string_view word;
  ResultType type;
  std::string_view cpp, python;
};
constexpr ResultWords kResults[] = {
    {"", ResultType::kNone, "void", "None"},
    {"loop", ResultType::kLoop, "Loop", "Loop"},
    {"loops", ResultType::kLoops, "std::vector<Loop>", "list[Loop]"},
    {"block", ResultType::kBlock, "BlockRef", "BlockRef"},
    {"int", ResultType::kInt, "Int", "SampledInt"},
    {"ints", ResultType::kInts, "std::vector<Int>", "list[SampledInt]"},
    {"loop?", ResultType::kMaybeLoop, "std::optional<Loop>", "Loop | None"},
};

// One line for each primitive: its parameters "name: type = default", operands among them where the method has
// them, and after "->" the result. From a "*" on, Python wants keywords.
struct Row {
  std::string_view op, text;
};
constexpr Row kRows[] = {
    {"get_block", "name: text -> block"},
    {"get_loops", "block: block -> loops"},
    {"split", "loop: loop, factors: factors, tail: text = guard -> loops"},
    {"fuse", "loops: loops -> loop"},
    {"reorder", "order: loops"},
    {"unroll", "loop: loop"},
    {"vectorize", "loop: loop"},
    {"parallel", "loop: loop, schedule: text = static, chunk: int = 0"},
    {"add_unit_loop", "place: place -> loop"},
    {"loop_partition", "loop: loop, extents: factors -> loops"},
    {"merge", "loops: loops -> loop"},
    {"specialize", "block: block, condition: text -> block"},
    {"compute_at", "block: block, loop: loop, tail: text = guard"},
    {"reverse_compute_at", "block: block, loop: loop"},
    {"compute_inline", "block: block"},
    {"reverse_compute_inline", "block: block"},
    {"decompose_reduction", "block: block, loop: loop -> block"},
    {"rfactor", "loop: loop, factor_axis: index = 0 -> block"},
    {"compute_with", "block: block, loop: loop"},
    {"blockize", "loop: loop -> block"},
    {"tensorize", "loop: loop, instruction: text"},
    {"cache_read", "consumer: block, buffer: text, scope: text = global -> block"},
    {"cache_write", "block: block, scope: text = global, write_index: index = 0 -> block"},
    {"set_scope", "block: block, scope: text, write_index: index = 0"},
    {"transform_layout", "writer: block, map: text, write_index: index = 0"},
    {"pack",
     "consumer: block, buffer: text, map: text, pad: pads = [], scope: text = global -> block"},
    {"reindex", "block: block, buffer: text -> block"},
    {"store_at", "writer: block, loop: loop, write_index: index = 0"},
    {"storage_align",
     "writer: block, axis: index, factor: int, offset: int = 0, write_index: index = 0"},
    {"pad_einsum", "block: block, padding: ints"},
    {"decompose_padding", "block: block, loop: loop -> block"},
    {"rolling_buffer", "writer: block, write_index: index = 0"},
    {"double_buffer", "writer: block, write_index: index = 0"},
    {"annotate", "place: place, key: text, value: value"},
    {"prefetch", "reader: block, buffer: text, loop: loop, distance: int"},
    {"software_pipeline", "loop: loop, stages: numbers"},
    {"sample_perfect_tile",
     "loop: loop, n: index, max_innermost: index = 64, *, name: text -> ints"},
    {"sample_tile", "loop: loop, n: index, candidates: numbers, *, name: text -> ints"},
    {"sample_compute_location", "block: block, *, name: text -> loop?"},
    {"sample_categorical", "candidates: numbers, weights: reals = [], *, name: text -> int"},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Value parse_default(std::string_view text) {
  if (text == "[]") return Value::List{};
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && stop == text.data() + text.size()) return number;
  return std::string(text);
}

Param parse_param(std::string_view text) {
  Param param;
  const size_t colon = text.find(':');
  const size_t equals = text.find('=');
  param.name = trimmed(text.substr(0, colon));
  const std::string_view word = trimmed(text.substr(colon + 1, equals - colon - 1));
  for (const TypeWords& row : kTypes) {
    if (row.word == word) param.type = row.type;
  }
  if (equals != std::string_view::npos) {
    param.has_default = true;
    param.default_value = parse_default(trimmed(text.substr(equals + 1)));
  }
  return param;
}

Signature parse_row(const Row& row) {
  Signature signature{std::string(row.op), {}, ResultType::kNone};
  std::string_view text = row.text;
  if (const size_t arrow = text.find("->"); arrow != std::string_view::npos) {
    const std::string_view word = trimmed(text.substr(arrow + 2));
    for (const ResultWords& result : kResults) {
      if (result.word == word) signature.result = result.type;
    }
    text = text.substr(0, arrow);
  }
  bool keyword_only = false;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    signature.params.push_back(parse_param(part));
    signature.params.back().keyword_only = keyword_only;
  }
  return signature;
}

const TypeWords& words_of(ParamType type) {
  for (const TypeWords& row : kTypes) {
    if (row.type == type) return row;
  }
  return kTypes[0];
}

const ResultWords& words_of(ResultType type) {
  for (const ResultWords& row : kResults) {
    if (row.type == type) return row;
  }
  return kResults[0];
}

std::string default_text(const Value& value, const char* quote, const char* empty_list) {
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    return fmt::format("{0}{1}{0}", quote, *text);
  }
  if (const auto* number = std::get_if<int64_t>(&value.data)) return std::to_string(*number);
  return empty_list;
}

}  // namespace

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = [] {
    std::vector<Signature> rows;
    for (const Row& row : kRows) rows.push_back(parse_row(row));
    return rows;
  }();
  return all;
}

const Signature* find_signature(std::string_view op) {
  for (const Signature& signature : signatures()) {
    if (signature.op == op) return &signature;
  }
  return nullptr;
}

std::string python_signature(const Signature& signature) {
  std::string text;
  bool keyword_only = false;
  for (const Param& param : signature.params) {
    if (!text.empty()) text += ", ";
    if (param.keyword_only && !keyword_only) text += "*, ";
    keyword_only = param.keyword_only;
    if (param.type == ParamType::kLoops) text += "*";
    text += fmt::format("{}: {}", param.name, words_of(param.type).python);
    if (param.has_default) text += " = " + default_text(param.default_value, "'", "[]");
  }
  return fmt::format("{}({}) -> {}", signature.op, text, words_of(signature.result).python);
}

std::string cpp_signature(const Signature& signature) {
  std::string text;
  // A default counts only where all later parameters have one.
  size_t first_default = signature.params.size();
  while (first_default > 0 && signature.params[first_default - 1].has_default) --first_default;
  for (size_t i = 0; i < signature.params.size(); ++i) {
    const Param& param = signature.params[i];
    if (i > 0) text += ", ";
    text += fmt::format("{} {}", words_of(param.type).cpp, param.name);
    if (i >= first_default) text += " = " + default_text(param.default_value, "\"", "{}");
  }
  return fmt::format("{} {}({})", words_of(signature.result).cpp, signature.op, text);
}

}  // namespace tilewright::schedule
