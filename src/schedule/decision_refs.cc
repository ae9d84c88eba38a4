#include "schedule/decision_refs.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tilewright/support/error.h"

namespace tilewright::schedule {
namespace {

bool is_name_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) || c == '_' || c == '.';
}

[[noreturn]] void unknown_ref(std::string_view text) {
  fail("trace.decision", "the trace refers to decision '{}', which it does not contain", text);
}

// Reads "[3]" at `at`; nothing when there is no bracket.
std::optional<size_t> read_index(std::string_view text, size_t& at) {
  if (at >= text.size() || text[at] != '[') return std::nullopt;
  size_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, index);
  if (error != std::errc() || stop == end || *stop != ']') {
    fail("trace.decision", "the trace refers to decision '{}', which is not of the form $name[0]",
         text);
  }
  at = static_cast<size_t>(stop - text.data()) + 1;
  return index;
}

// Sums and products of integers in 64 bits.
class Arithmetic {
 public:
  explicit Arithmetic(std::string_view text) : text_(text) {}

  int64_t evaluate() {
    const int64_t value = sum();
    skip_space();
    if (at_ != text_.size()) bad();
    return value;
  }

 private:
  int64_t sum() {
    int64_t left = product();
    for (;;) {
      bool overflow = false;
      if (accept('+')) {
        overflow = __builtin_add_overflow(left, product(), &left);
      } else if (accept('-')) {
        overflow = __builtin_sub_overflow(left, product(), &left);
      } else {
        return left;
      }
      if (overflow) bad();
    }
  }

  int64_t product() {
    int64_t left = atom();
    while (accept('*')) {
      if (__builtin_mul_overflow(left, atom(), &left)) bad();
    }
    return left;
  }

  int64_t atom() {
    if (accept('(')) {
      if (++depth_ > kDeepest) bad();
      const int64_t inner = sum();
      if (!accept(')')) bad();
      --depth_;
      return inner;
    }
    skip_space();
    int64_t value = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) bad();
    at_ = static_cast<size_t>(stop - text_.data());
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void bad() const {
    fail("trace.decision", "'{}' is no sum or product of decisions and numbers within 64 bits",
         text_);
  }

  static constexpr int kDeepest = 100;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const Value* find_value(const DecisionRef& ref, const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions) {
    if (decision.name != ref.name) continue;
    if (!ref.index) return &decision.value;
    const auto* list = std::get_if<Value::List>(&decision.value.data);
    if (list && *ref.index < list->size()) return &(*list)[*ref.index];
  }
  return nullptr;
}

bool can_stand_in_text(const DecisionRef& ref) {
  return !ref.name.empty() && std::all_of(ref.name.begin(), ref.name.end(), is_name_char);
}

std::optional<DecisionRef> whole_ref(std::string_view text,
                                     const std::vector<Decision>& decisions) {
  const std::string_view name = text.substr(1);
  DecisionRef ref{std::string(name.substr(0, name.find('['))), std::nullopt};
  const auto is_named = [&] { return find_value({ref.name, std::nullopt}, decisions) != nullptr; };
  if (!can_stand_in_text(ref) && !is_named()) return std::nullopt;
  size_t at = ref.name.size();
  ref.index = read_index(name, at);
  if (at != name.size()) return std::nullopt;
  return ref;
}

std::string replace_refs(std::string_view text,
                         const std::function<std::string(const DecisionRef&)>& replacement) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      result += text[at++];
      continue;
    }
    DecisionRef ref;
    while (++at < text.size() && is_name_char(text[at])) ref.name += text[at];
    if (ref.name.empty()) unknown_ref(text);
    ref.index = read_index(text, at);
    result += replacement(ref);
  }
  return result;
}

std::string insert_values(std::string_view text, const std::vector<Decision>& decisions) {
  return replace_refs(text, [&](const DecisionRef& ref) {
    const Value* value = find_value(ref, decisions);
    const int64_t* number = value ? std::get_if<int64_t>(&value->data) : nullptr;
    if (!number) unknown_ref(text);
    return std::to_string(*number);
  });
}

Value resolve(const Value& value, const std::vector<Decision>& decisions) {
  if (const auto* list = std::get_if<Value::List>(&value.data)) {
    Value::List result;
    for (const Value& item : *list) result.push_back(resolve(item, decisions));
    return result;
  }
  const auto* text = std::get_if<std::string>(&value.data);
  if (!text || text->empty() || text->front() != '$') return value;
  if (const std::optional<DecisionRef> ref = whole_ref(*text, decisions)) {
    const Value* found = find_value(*ref, decisions);
    if (!found) unknown_ref(*text);
    return *found;
  }
  return Arithmetic(insert_values(*text, decisions)).evaluate();
}

}  // namespace tilewright::schedule
