#include "schedule/trace_source.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>
#include <cmath>

namespace tilewright::schedule {
namespace {

// Words that cannot name a variable in one of the languages, or that the printed functions use themselves.
constexpr std::string_view kReserved[] = {
    "sch",      "func",      "tw",       "instructions", "and",      "as",        "assert",
    "async",    "auto",      "await",    "bool",         "break",    "case",      "catch",
    "char",     "class",     "const",    "continue",     "def",      "default",   "del",
    "delete",   "do",        "double",   "elif",         "else",     "enum",      "except",
    "explicit", "export",    "extern",   "false",        "finally",  "float",     "for",
    "friend",   "from",      "global",   "goto",         "if",       "import",    "in",
    "inline",   "int",       "is",       "lambda",       "long",     "namespace", "new",
    "nonlocal", "not",       "operator", "or",           "pass",     "private",   "protected",
    "public",   "raise",     "register", "requires",     "return",   "short",     "signed",
    "sizeof",   "static",    "std",      "struct",       "switch",   "template",  "this",
    "throw",    "true",      "try",      "typedef",      "typename", "union",     "unsigned",
    "using",    "virtual",   "void",     "volatile",     "while",    "with",      "yield",
    "xor",      "tilewright"};

std::string as_identifier(std::string_view base) {
  std::string name;
  for (char c : base) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte < 128 && (std::isalnum(byte) || c == '_') ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "d" + name;
  // Names with two underscores or with one before a capital belong to the implementation in C++.
  if (name[0] == '_') name = "d" + name;
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    name += "_";
  }
  return name;
}

}  // namespace

std::string SourceNames::fresh(std::string_view base) {
  const std::string wanted = as_identifier(base);
  std::string name = wanted;
  for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

std::string Literals::quoted(std::string_view text) const {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      // Octal escapes have at most three digits in both languages, so that what follows is not taken in.
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string Literals::integer(int64_t value) const {
  if (cpp() && value == INT64_MIN) return "INT64_MIN";
  return std::to_string(value);
}

std::string Literals::real(double value) const {
  if (std::isfinite(value)) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  const char* word = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  return cpp() ? fmt::format("std::strtod(\"{}\", nullptr)", word)
               : fmt::format("float(\"{}\")", word);
}

std::string Literals::list(const std::vector<std::string>& items) const {
  return fmt::format("{}{}{}", cpp() ? "{" : "[", fmt::join(items, ", "), cpp() ? "}" : "]");
}

std::string Literals::value(const Value& value) const {
  if (value.is_null()) return cpp() ? "nullptr" : "None";
  if (const bool* flag = std::get_if<bool>(&value.data)) {
    return cpp() ? (*flag ? "true" : "false") : (*flag ? "True" : "False");
  }
  if (const auto* number = std::get_if<int64_t>(&value.data)) return integer(*number);
  if (const auto* number = std::get_if<double>(&value.data)) return real(*number);
  if (const auto* text = std::get_if<std::string>(&value.data)) return quoted(*text);
  std::vector<std::string> items;
  for (const Value& item : std::get<Value::List>(value.data)) items.push_back(this->value(item));
  return (cpp() ? "Value::List" : "") + list(items);
}

std::string wrapped(const std::string& line, size_t width) {
  if (line.size() <= width) return line;
  const size_t indent = line.find_first_not_of(' ');
  std::string result, part;
  size_t cut =
      0;  // where `part` is cut: behind the last of its commas that is in the fewest brackets
  int depth = 0, cut_depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < line.size(); ++i) {
    part += line[i];
    if (part.size() > width && cut > indent) {
      result += part.substr(0, cut) + "\n";
      part = std::string(indent + 4, ' ') + part.substr(cut + 1);
      cut = 0;
    }
    if (in_text && line[i] == '\\') {
      part += line[++i];
    } else if (line[i] == '"') {
      in_text = !in_text;
    } else if (in_text) {
      continue;
    } else if (line[i] == '(' || line[i] == '{' || line[i] == '[') {
      ++depth;
    } else if (line[i] == ')' || line[i] == '}' || line[i] == ']') {
      --depth;
    } else if (line[i] == ',' && line.compare(i, 2, ", ") == 0) {
      if (cut == 0 || depth <= cut_depth) {
        cut = part.size();
        cut_depth = depth;
      }
    }
  }
  return result + part;
}

}  // namespace tilewright::schedule
