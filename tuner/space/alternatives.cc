#include "tilewright/tuner/space/space.h"

namespace tilewright::tuner {
namespace {

using schedule::Attributes;
using schedule::Value;

// More values than this are cut off: no search visits them all.
constexpr size_t kMaxValues = 100'000;

std::vector<int64_t> integers(const Value& value) {
  std::vector<int64_t> result;
  if (const auto* list = std::get_if<Value::List>(&value.data)) {
    for (const Value& item : *list) {
      if (const auto* number = std::get_if<int64_t>(&item.data)) result.push_back(*number);
    }
  }
  return result;
}

double number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  const auto* whole = std::get_if<int64_t>(&value.data);
  return whole ? static_cast<double>(*whole) : 0;
}

int64_t integer(const Attributes& attrs, const char* key, int64_t otherwise) {
  const auto found = attrs.find(key);
  if (found == attrs.end()) return otherwise;
  const auto* value = std::get_if<int64_t>(&found->second.data);
  return value ? *value : otherwise;
}

std::vector<Value> categories(const Attributes& attrs) {
  const std::vector<int64_t> candidates = integers(attrs.at("candidates"));
  const auto* weights = std::get_if<Value::List>(&attrs.at("weights").data);
  std::vector<Value> values;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool possible = !weights || weights->empty() || number((*weights)[i]) > 0;
    if (possible) values.emplace_back(candidates[i]);
  }
  return values;
}

// Every list whose last n - 1 entries come from `choices(rest)`, where `rest` is what the later entries leave
// of `extent`; the first entry is `first(rest)`.
template <typename Choices, typename First>
void extend(std::vector<int64_t> tail, int64_t rest, size_t n, Choices choices, First first,
            std::vector<Value>& values) {
  if (values.size() >= kMaxValues) return;
  if (tail.size() + 1 == n) {
    Value::List list{Value(first(rest))};
    for (int64_t factor : tail) list.emplace_back(factor);
    values.emplace_back(std::move(list));
    return;
  }
  for (int64_t factor : choices(rest, tail.empty())) {
    std::vector<int64_t> longer{factor};
    longer.insert(longer.end(), tail.begin(), tail.end());
    extend(std::move(longer), rest / factor, n, choices, first, values);
  }
}

std::vector<Value> perfect_tiles(const Attributes& attrs, const Value& drawn) {
  int64_t extent = 1;
  for (int64_t factor : integers(drawn)) extent *= factor;
  const int64_t limit = integer(attrs, "max_innermost", INT64_MAX);
  const auto divisors = [&](int64_t rest, bool innermost) {
    std::vector<int64_t> result;
    for (int64_t d = 1; d <= rest && (!innermost || d <= limit); ++d) {
      if (rest % d == 0) result.push_back(d);
    }
    return result;
  };
  std::vector<Value> values;
  extend(
      {}, extent, integers(drawn).size(), divisors, [](int64_t rest) { return rest; }, values);
  return values;
}

std::vector<Value> tiles(const Attributes& attrs, const Value& drawn) {
  const std::vector<int64_t> candidates = integers(attrs.at("candidates"));
  const auto all = [&](int64_t, bool) { return candidates; };
  std::vector<Value> values;
  // `rest` is only a dummy here: candidates do not depend on what is left.
  extend(
      {}, INT64_MAX, integers(drawn).size(), all, [](int64_t) { return int64_t{0}; }, values);
  return values;
}

std::vector<Value> values_of(const schedule::Instruction& inst, const Value& drawn) {
  if (inst.op == "sample_categorical") return categories(inst.attrs);
  if (inst.op == "sample_perfect_tile") return perfect_tiles(inst.attrs, drawn);
  if (inst.op == "sample_tile") return tiles(inst.attrs, drawn);
  return {drawn};
}

bool samples(const schedule::Instruction& inst, const std::string& name) {
  const auto found = inst.attrs.find("name");
  return inst.op.starts_with("sample_") && found != inst.attrs.end() &&
         found->second == Value(name);
}

}  // namespace

std::vector<std::vector<Value>> alternatives(const schedule::Trace& trace) {
  std::vector<std::vector<Value>> result;
  for (const schedule::Decision& decision : trace.decisions) {
    result.push_back({decision.value});
    for (const schedule::Instruction& inst : trace.instructions) {
      if (samples(inst, decision.name)) result.back() = values_of(inst, decision.value);
    }
  }
  return result;
}

}  // namespace tilewright::tuner
