#include <fmt/format.h>

#include <algorithm>

#include "support/error_catalogue/rows.h"
#include "tilewright/support/error_catalogue.h"
#include "tilewright/support/suggest.h"

namespace tilewright {

using namespace error_catalogue;

namespace {

constexpr std::span<const Row> (*kGroups[])() = {
    expression_rows, reduction_rows, loop_rows,     block_rows, joined_block_rows, pipelining_rows,
    storage_rows,    sampling_rows,  lowering_rows, build_rows, call_rows,         tool_rows,
};

constexpr std::string_view kAnyPrimitive = "any";

std::string filled(std::string_view text, std::string_view primitive) {
  constexpr std::string_view kName = "{primitive}";
  std::string result(text);
  for (size_t at; (at = result.find(kName)) != std::string::npos;) {
    result.replace(at, kName.size(), primitive);
  }
  return result;
}

/// The words of a list divided by spaces.
std::vector<std::string_view> words(std::string_view list) {
  std::vector<std::string_view> result;
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    if (end > 0) result.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return result;
}

bool uses(std::string_view primitive, std::string_view reason) {
  for (const SharedUse& use : shared_uses()) {
    if (use.primitive != primitive) continue;
    const std::vector<std::string_view> reasons = words(use.reasons);
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
  }
  return false;
}

bool is_primitive(std::string_view name) {
  return std::any_of(shared_uses().begin(), shared_uses().end(),
                     [&](const SharedUse& use) { return use.primitive == name; });
}

const SharedReason* shared_reason(std::string_view primitive, std::string_view reason) {
  if (!uses(primitive, reason) && !(is_primitive(primitive) && uses(kAnyPrimitive, reason))) {
    return nullptr;
  }
  for (const SharedReason& row : shared_reasons()) {
    if (row.reason == reason) return &row;
  }
  return nullptr;
}

/// Lines of at most `width` columns, broken at spaces. A word longer than that stays whole.
std::string wrapped(std::string_view text, size_t width) {
  std::string result;
  size_t column = 0;
  for (std::string_view word : words(text)) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += '\n';
      column = 0;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

}  // namespace

std::optional<ErrorEntry> find_error(std::string_view code) {
  for (const auto& group : kGroups) {
    for (const Row& row : group()) {
      if (row.code != code) continue;
      return ErrorEntry{std::string(row.code), std::string(row.title), std::string(row.meaning),
                        std::string(row.remedy), std::string(row.example)};
    }
  }
  constexpr std::string_view kSchedule = "schedule.";
  if (!code.starts_with(kSchedule)) return std::nullopt;
  const std::string_view rest = code.substr(kSchedule.size());
  const size_t dot = rest.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view primitive = rest.substr(0, dot);
  const SharedReason* row = shared_reason(primitive, rest.substr(dot + 1));
  if (!row) return std::nullopt;
  const std::string_view name = primitive == kAnyPrimitive ? "the primitive" : primitive;
  return ErrorEntry{std::string(code), filled(row->title, name), filled(row->meaning, name),
                    filled(row->remedy, name), ""};
}

std::vector<std::string> error_codes() {
  std::vector<std::string> codes;
  for (const auto& group : kGroups) {
    for (const Row& row : group()) codes.emplace_back(row.code);
  }
  for (const SharedUse& use : shared_uses()) {
    for (std::string_view reason : words(use.reasons)) {
      codes.push_back(fmt::format("schedule.{}.{}", use.primitive, reason));
    }
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

std::string suggest_error(std::string_view code) {
  const std::vector<std::string> codes = error_codes();
  std::string near = nearest_name(codes, code);
  if (near.empty()) {
    // The last part alone: "factor" for "schedule.split.factor".
    for (const std::string& known : codes) {
      if (known.size() > code.size() && known.ends_with(code) &&
          known[known.size() - code.size() - 1] == '.') {
        near = known;
        break;
      }
    }
  }
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string describe_error(const ErrorEntry& entry) {
  constexpr size_t kColumns = 80;
  std::string text = wrapped(fmt::format("{}: {}", entry.code, entry.title), kColumns);
  text += "\n\n" + wrapped(entry.meaning, kColumns);
  text += "\n\n" + wrapped("Instead: " + entry.remedy, kColumns);
  if (entry.example.empty()) return text;
  text += "\n\nExample:\n";
  std::string_view rest = entry.example;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text += end == 0 ? "\n" : fmt::format("\n    {}", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace tilewright
