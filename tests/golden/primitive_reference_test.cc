// docs/primitives.md: written from the tables of primitives, their examples and the catalogue of errors.

#include "schedule/primitive_reference.h"

#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <map>

#include "compat/primitive_examples.h"
#include "schedule/primitive_signature.h"
#include "schedule/primitive_table.h"
#include "support/golden.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error_catalogue.h"

namespace tilewright::testing {
namespace {

using schedule::Primitive;
using schedule::PrimitiveReference;
using schedule::Schedule;

const PrimitiveReference* find_reference(std::string_view op) {
  for (const PrimitiveReference& row : schedule::primitive_references()) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

// The loop nest without the line of the function's parameters, which says nothing here, and without regions.
std::string nest_of(const Schedule& sch) {
  ir::PrintOptions options;
  options.show_regions = false;
  return ir::to_pretty(sch.func(), options);
}

// The body of the printed function.
std::string steps_of(const Schedule& sch) {
  const std::string code = sch.trace().to_python();
  std::string steps;
  for (size_t at = code.find("    sch = tw.Schedule(func)\n"); at < code.size();) {
    const size_t end = code.find('\n', at);
    const std::string line = code.substr(at, end - at);
    at = end + 1;
    if (line == "    return sch") break;
    if (line != "    sch = tw.Schedule(func)") steps += line.substr(4) + "\n";
  }
  return steps;
}

std::string example_text(const PrimitiveExample& example) {
  PrimitiveExample::Step step;
  Schedule sch = prepare(example, step);
  const std::string before = nest_of(sch);
  step(sch);
  const std::string after = nest_of(sch);
  const std::string text = fmt::format("```python\n{}```\n\n", steps_of(sch));
  if (before == after) return text + fmt::format("```\n{}```\n", before);
  return text + fmt::format("Before:\n\n```\n{}```\n\nAfter:\n\n```\n{}```\n", before, after);
}

// The codes "schedule.<op>.…", without that prefix.
std::string codes_text(std::string_view op) {
  const std::string prefix = fmt::format("schedule.{}.", op);
  std::vector<std::string> codes;
  for (const std::string& code : error_codes()) {
    if (code.rfind(prefix, 0) == 0) codes.push_back("`" + code.substr(prefix.size()) + "`");
  }
  return codes.empty() ? "none of its own" : fmt::format("{}", fmt::join(codes, ", "));
}

std::string or_dash(std::string_view name) { return name.empty() ? "–" : std::string(name); }

std::string reference_page() {
  std::map<std::string_view, std::vector<const Primitive*>> groups;
  std::vector<std::string_view> order;
  for (const Primitive& row : schedule::primitive_table()) {
    if (groups[row.group].empty()) order.push_back(row.group);
    groups[row.group].push_back(&row);
  }
  std::string page =
      "# Schedule primitives\n\n"
      "Written by `tests/golden/primitive_reference_test.cc` from the tables in `src/schedule` and "
      "by running the examples; `TW_UPDATE_GOLDEN=1 golden` writes it anew.\n\n"
      "Each primitive changes the program without changing its meaning and is recorded in the "
      "trace, or refuses with an error and leaves everything as it was. The error codes are "
      "`schedule.<primitive>.<code>`; `tilewright explain CODE` says what one means. ";
  page += fmt::format("Codes that any primitive may give: {}.\n\n", codes_text("any"));
  page += "| primitive | what | TVM | Halide | Exo |\n|---|---|---|---|---|\n";
  for (std::string_view group : order) {
    for (const Primitive* row : groups[group]) {
      const PrimitiveReference* reference = find_reference(row->name);
      if (!reference) continue;
      page +=
          fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4} |\n", row->name, row->what,
                      or_dash(reference->tvm), or_dash(reference->halide), or_dash(reference->exo));
    }
  }
  page += "\nA name in parentheses does part of it, or does it in another way.\n";
  const std::vector<PrimitiveExample> examples = primitive_examples();
  for (std::string_view group : order) {
    std::string title(group);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    page += fmt::format("\n## {}\n", title);
    for (const Primitive* row : groups[group]) {
      const PrimitiveReference* reference = find_reference(row->name);
      const schedule::Signature* signature = schedule::find_signature(row->name);
      if (!reference || !signature) continue;
      std::string what(row->what);
      what[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(what[0])));
      page += fmt::format("\n### {}\n\n{}.\n\n```python\nsch.{}\n```\n\n```cpp\n{}\n```\n\n",
                          row->name, what, schedule::python_signature(*signature),
                          schedule::cpp_signature(*signature));
      page += fmt::format("Legal when: {}\n\nError codes: {}.\n\n", reference->needs,
                          codes_text(row->name));
      for (const PrimitiveExample& example : examples) {
        if (example.primitive == row->name) page += example_text(example);
      }
    }
  }
  return page;
}

}  // namespace

TEST_CASE("reference: every primitive has an entry, a signature and an example", "[golden]") {
  std::map<std::string, int> with_example;
  for (const PrimitiveExample& example : primitive_examples()) ++with_example[example.primitive];
  for (const Primitive& row : schedule::primitive_table()) {
    INFO(row.name);
    CHECK(find_reference(row.name));
    CHECK(schedule::find_signature(row.name));
    CHECK(with_example.count(std::string(row.name)) == 1);
  }
  CHECK(schedule::primitive_references().size() == schedule::primitive_table().size());
  CHECK(schedule::signatures().size() == schedule::primitive_table().size());
}

TEST_CASE("reference: docs/primitives.md is what the tables and the engine give", "[golden]") {
  CHECK(golden_difference("../../docs/primitives.md", reference_page()) == "");
}

}  // namespace tilewright::testing
