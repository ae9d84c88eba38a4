// The pages of docs/errors/, one a code, written from the catalogue and the golden texts; and which codes lack a text.
// TW_UPDATE_GOLDEN=1 writes the pages; texts that have changed are to be written before them.

#include <filesystem>
#include <map>
#include <set>

#include "golden/errors_support.h"

namespace tilewright::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kTexts = fs::path(TW_SOURCE_DIR) / "tests" / "golden" / "errors";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// code -> reason, of tests/golden/errors/unreached.txt.
std::map<std::string, std::string> unreached() {
  std::map<std::string, std::string> reasons;
  std::ifstream in(kTexts / "unreached.txt");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    reasons[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return reasons;
}

// Errors of these parts of the library are met by what a person writes; each has a text.
bool needs_text(const std::string& code) {
  for (const char* prefix : {"schedule.", "te.", "ir.", "lower.", "call."}) {
    if (code.starts_with(prefix)) return true;
  }
  return false;
}

// Lines of at most 80 columns, broken at blanks; indented lines (loop nests) stay.
std::string wrapped(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.size() > 80 && line[0] != ' ') {
      const size_t blank = line.rfind(' ', 80);
      if (blank == std::string::npos) break;
      result += line.substr(0, blank) + "\n";
      line.erase(0, blank + 1);
    }
    result += line + "\n";
  }
  return result;
}

std::string page(const ErrorEntry& entry) {
  std::string text = fmt::format("# {}\n\n{}.\n\n{}\n\n**Instead:** {}\n", entry.code, entry.title,
                                 entry.meaning, entry.remedy);
  if (!entry.example.empty()) text += fmt::format("\n```python\n{}\n```\n", entry.example);
  const fs::path golden = kTexts / (entry.code + ".txt");
  if (fs::exists(golden)) {
    text += fmt::format("\n## As it is reported\n\n```\n{}```\n", wrapped(read(golden)));
  }
  return text;
}

struct Group {
  const char* prefix;
  const char* title;
};

constexpr Group kGroups[] = {
    {"te.", "Tensor expressions"},
    {"ir.", "Programs"},
    {"dtype.", "Data types"},
    {"schedule.", "Schedules"},
    {"stage.", "Stages"},
    {"trace.", "Traces"},
    {"lower.", "Lowering"},
    {"codegen.", "Code generation"},
    {"build.", "Building"},
    {"library.", "Libraries"},
    {"target.", "Targets"},
    {"module.", "Loading"},
    {"call.", "Calls"},
    {"ndarray.", "Arrays"},
    {"", "Tools and tests"},
};

std::string index() {
  std::string text =
      "# Errors\n\nEvery error has a code, which stays the same between versions. "
      "`tilewright explain CODE` and, in Python,\n`tw.explain(error)` or `sch.explain(error)` tell "
      "what is said here.\n";
  std::set<std::string> done;
  for (const Group& group : kGroups) {
    std::string rows;
    for (const std::string& code : error_codes()) {
      if (!code.starts_with(group.prefix) || !done.insert(code).second) continue;
      rows += fmt::format("| [{0}]({0}.md) | {1} |\n", code, find_error(code)->title);
    }
    if (!rows.empty())
      text += fmt::format("\n## {}\n\n| code | says |\n|---|---|\n{}", group.title, rows);
  }
  return text;
}

}  // namespace

TEST_CASE("every error code has a text or a reason to have none", "[golden]") {
  const std::map<std::string, std::string> reasons = unreached();
  const std::vector<std::string> codes = error_codes();
  const std::set<std::string> known(codes.begin(), codes.end());
  CHECK(known.size() == codes.size());
  std::string missing, both, strange;
  for (const std::string& code : codes) {
    const bool has_text = fs::exists(kTexts / (code + ".txt"));
    if (needs_text(code) && !has_text && !reasons.count(code)) missing += "\n" + code;
    if (has_text && reasons.count(code)) both += "\n" + code;
  }
  for (const fs::directory_entry& file : fs::directory_iterator(kTexts)) {
    const std::string code = file.path().stem().string();
    if (code != "unreached" && !known.count(code)) strange += "\n" + code;
  }
  INFO("no text in tests/golden/errors and no reason in unreached.txt:" << missing);
  CHECK(missing == "");
  INFO("a text, and a reason to have none:" << both);
  CHECK(both == "");
  INFO("a text, but no such code:" << strange);
  CHECK(strange == "");
}

TEST_CASE("the catalogue reads well", "[golden]") {
  for (const std::string& code : error_codes()) {
    const ErrorEntry entry = *find_error(code);
    const std::string text = describe_error(entry);
    INFO(text);
    CHECK(width(text) <= 80);
    CHECK(entry.title.size() + code.size() < 140);
    const bool complete = !entry.title.empty() && entry.title.back() != '.' &&
                          entry.meaning.ends_with('.') && entry.remedy.ends_with('.') &&
                          text.find('{' + std::string("primitive")) == std::string::npos;
    CHECK(complete);
  }
}

TEST_CASE("pages of the error codes", "[golden]") {
  for (const std::string& code : error_codes()) {
    CHECK(golden_difference("../../docs/errors/" + code + ".md", page(*find_error(code))) == "");
  }
  CHECK(golden_difference("../../docs/errors/README.md", index()) == "");
  const std::vector<std::string> codes = error_codes();
  for (const fs::directory_entry& file :
       fs::directory_iterator(fs::path(TW_SOURCE_DIR) / "docs" / "errors")) {
    const std::string code = file.path().stem().string();
    INFO(code << " has a page, but is no code");
    CHECK((code == "README" || std::binary_search(codes.begin(), codes.end(), code)));
  }
}

}  // namespace tilewright::testing
