// Random programs: they build, survive JSON, shrink, and print as source that compiles.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "fuzz/shrink.h"
#include "support/expect_error.h"
#include "tilewright/fuzz/fuzz.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::fuzz {
namespace {

ProgramSpec program_number(uint64_t number) {
  Rng rng(number);
  return random_program(rng);
}

// The first failure of a run in which a built-in fault is on, shrunken while it is on.
Failure failure_of(const char* fault) {
  Options options;
  options.threads = 1;
  options.most_failures = 1;
  options.programs = 3000;
  options.depth = CheckDepth::kInterpret;
  options.shrink_secs = 10;
  inject_fault(fault);
  const Result result = run(options);
  inject_fault("");
  REQUIRE(result.failures.size() == 1);
  return result.failures[0];
}

}  // namespace

TEST_CASE("each primitive has a row of the generator", "[fuzz]") {
  const std::vector<std::string> names = generator_rows();
  const std::set<std::string> rows(names.begin(), names.end());
  for (const auto& primitive : schedule::primitive_docs()) {
    INFO(primitive.name);
    CHECK(rows.count(std::string(primitive.name)) == 1);
  }
}

TEST_CASE("random programs survive JSON", "[fuzz]") {
  std::set<std::string> reducers, rules;
  int symbolic = 0, several = 0;
  for (uint64_t number = 0; number < 120; ++number) {
    const ProgramSpec spec = program_number(number);
    REQUIRE(ProgramSpec::from_json(spec.to_json()) == spec);
    symbolic += !spec.sizes[0].empty();
    several += spec.stages.size() > 1;
    for (const StageSpec& stage : spec.stages) reducers.insert(stage.reducer);
  }
  CHECK(symbolic > 15);
  CHECK(several > 60);
  CHECK(reducers.size() > 6);
}

TEST_CASE("every reducer and dtype, scans and assumptions are drawn", "[fuzz]") {
  std::map<std::string, int> drawn;
  for (uint64_t number = 0; number < 1500; ++number) {
    const ProgramSpec spec = program_number(number);
    for (const std::string& name : features(spec)) ++drawn[name];
    // What is drawn for a size keeps what is assumed of it.
    if (number % 10 == 0) REQUIRE(ProgramSpec::from_json(spec.to_json()) == spec);
  }
  for (const std::string& name : expected_features()) {
    INFO(name);
    CHECK(drawn[name] >= 3);
  }
  for (const char* name : {"scan of 1 states", "scan of 2 states", "scan of 3 states",
                           "reads a scan", "assumption", "symbolic size", "boundary edge"}) {
    INFO(name);
    CHECK(drawn[name] >= 10);
  }
}

TEST_CASE("a step that lost its operand takes the nearest one", "[fuzz]") {
  const ProgramSpec spec = [] {
    ProgramSpec program;
    program.inputs = {{"A", kFloat32, {{"", 8}}}};
    StageSpec stage;
    stage.name = "S";
    stage.shape = {{"", 8}};
    stage.values = {{"load", kFloat32, 0, "A", {}, {{"axis", kInt64, 0, {}, {}, {}}}}};
    stage.output = true;
    program.stages = {stage};
    return program;
  }();
  const ir::PrimFunc func = build_program(spec);
  schedule::Schedule sch(func);
  const schedule::BlockRef copy = sch.cache_write(sch.get_block("S"));
  sch.vectorize(sch.split_factor(sch.get_loops(copy)[0], 4)[1]);
  schedule::Trace trace = sch.trace();
  std::erase_if(trace.instructions, [](const auto& step) { return step.op == "cache_write"; });
  trace.instructions[1].inputs = {trace.instructions[0].outputs[0]};
  CHECK(replay_what_fits(func, trace).sch.trace().instructions.size() == 4);
  std::erase_if(trace.instructions, [](const auto& step) { return step.op == "split"; });
  CHECK(replay_what_fits(func, trace).sch.trace().instructions.size() == 2);
  trace.instructions.back().inputs = {"lost"};
  trace.instructions[1].outputs.push_back("lost");
  const schedule::Trace left = replay_what_fits(func, trace, {}, true).sch.trace();
  REQUIRE(left.instructions.size() == 3);
  CHECK(left.instructions.back().op == "vectorize");
}

TEST_CASE("a number of a seed is the same program", "[fuzz]") {
  CHECK(program_number(7) == program_number(7));
  CHECK_FALSE(program_number(7) == program_number(8));
}

TEST_CASE("a built-in fault is found, made small, and survives its file", "[fuzz]") {
  const Failure failure = failure_of("peel_one_more");
  INFO(failure.to_json());
  CHECK(failure.primitives() <= 3);
  CHECK(failure.subject.spec->stages.size() <= 2);
  const Failure read = Failure::from_json(failure.to_json());
  CHECK(read.trace == failure.trace);
  CHECK(read.verdict.kind == failure.verdict.kind);
  CHECK(read.subject.spec == failure.subject.spec);
  CHECK(ir::structural_equal(read.subject.func, failure.subject.func));
  // Without the fault it is right.
  CHECK_FALSE(rerun(read).faulty());
  inject_fault("peel_one_more");
  const Verdict again = rerun(read);
  inject_fault("");
  CHECK(again.kind == failure.verdict.kind);
}

TEST_CASE("other files are refused", "[fuzz]") {
  testing::expect_error("fuzz.file", {}, [] { Failure::from_json("{}"); });
  testing::expect_error("fuzz.file", {}, [] { Failure::from_json("no JSON"); });
  testing::expect_error("fuzz.file", {}, [] { ProgramSpec::from_json(R"({"name": "x"})"); });
  testing::expect_error("fuzz.tally", {}, [] { Tally::from_json("{}"); });
}

TEST_CASE("what a callback throws ends the run for the caller", "[fuzz]") {
  for (int threads : {1, 3}) {
    Options options;
    options.programs = 2000;
    options.threads = threads;
    options.depth = CheckDepth::kInterpret;
    options.shrink_secs = 0;
    options.on_failure = [](const Failure&) { fail("test.stop", "stop"); };
    inject_fault("peel_one_more");
    testing::expect_error("test.stop", {"stop"}, [&] { run(options); });
    inject_fault("");
  }
}

TEST_CASE("counts of runs add up", "[fuzz]") {
  Options options;
  options.programs = 30;
  options.depth = CheckDepth::kInterpret;
  options.shrink_secs = 0;
  const Tally one = run(options).tally;
  Tally both = one;
  both.add(Tally::from_json(one.to_json()));
  CHECK(both.programs == 2 * one.programs);
  CHECK(both.primitives.at("split").accepted == 2 * one.primitives.at("split").accepted);
  CHECK(both.pairs.size() == one.pairs.size());
  for (size_t at = 0, end = 0; at < both.table().size(); at = end + 1) {
    end = both.table().find('\n', at);
    CHECK(end - at <= 80);
  }
}

TEST_CASE("printed C++ compiles", "[fuzz][slow]") {
  const auto folder = std::filesystem::temp_directory_path() / "tw_fuzz_print";
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "programs.cc");
  file << "#include \"tilewright/te/te.h\"\nusing namespace tilewright;\n";
  for (uint64_t number = 0; number < 25; ++number) {
    file << "ir::PrimFunc program_" << number << "() {\n"
         << program_cpp(program_number(number)) << "    return func;\n}\n";
  }
  file.close();
  const std::string command = std::string("c++ -std=c++20 -fsyntax-only -I") + TW_SOURCE_DIR +
                              "/include " + (folder / "programs.cc").string();
  CHECK(std::system(command.c_str()) == 0);
  std::filesystem::remove_all(folder);
}

}  // namespace tilewright::fuzz
