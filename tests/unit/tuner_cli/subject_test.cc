#include "tuner/cli/subject.h"

#include <catch2/catch.hpp>
#include <set>

namespace tilewright::tuner {
namespace {

using Catch::Contains;

std::set<std::string> sketch_names(const std::string& space) {
  SubjectOptions options;
  options.op.op = "matmul";
  options.op.definition = &ops::find_definition("matmul");
  options.threads = "1";
  options.space = space;
  std::set<std::string> names;
  for (const Sketch& sketch : make_subject(options).work.sketches) names.insert(sketch.name);
  return names;
}

TEST_CASE("--space says which schedules of an operator are searched") {
  const std::set<std::string> made = sketch_names("template"),
                              generated = sketch_names("generated");
  CHECK(made == std::set<std::string>{"goto"});
  CHECK(generated == std::set<std::string>{"generated.tiled"});
  std::set<std::string> all = made;
  all.insert(generated.begin(), generated.end());
  CHECK(sketch_names("both") == all);
  CHECK(sketch_names("") == all);
}

TEST_CASE("--space with an unknown name is bad use with the nearest one") {
  try {
    sketch_names("generate");
    FAIL("no error");
  } catch (const cli::EarlyEnd& end) {
    CHECK(end.exit_code == cli::kBadUse);
    CHECK_THAT(end.text, Contains("generated"));
  }
}

}  // namespace
}  // namespace tilewright::tuner
