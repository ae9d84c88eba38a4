// sample_perfect_tile, sample_tile, sample_categorical, annotate, the trace, and the default schedule.

#include "support/expect_error.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Decision;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;
using schedule::Trace;
using schedule::Value;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

Schedule sampled(uint64_t seed) {
  Schedule sch(programs::matmul().func, seed);
  const std::vector<Loop> loops = loops_of(sch, "C");
  const std::vector<Int> i = sch.sample_perfect_tile(loops[0], 3, 5, "tile_i");
  const std::vector<Int> j = sch.sample_tile(loops[1], 2, {4, 5, 7, 16}, "tile_j");
  const Int k = sch.sample_categorical({2, 3, 17}, {1, 2.5, 0}, "tile_k");
  CHECK(i[0] * i[1] * i[2] == 20);
  CHECK(i[2] <= 5);
  CHECK(k != 17);
  sch.split(loops[0], {i[0], i[1], i[2]});
  sch.split(loops[1], {std::nullopt, j[1]});
  sch.split(loops[2], {std::nullopt, k}, "peel");
  return sch;
}

}  // namespace

TEST_CASE("sampled schedules: legal, replayed, different by seed, the same by the same seed",
          "[schedule]") {
  const Program matmul = programs::matmul();
  std::vector<std::string> hashes;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Schedule sch = sampled(seed);
    CHECK(sch.trace().decisions.size() == 3);
    CHECK(replay_difference(sch) == "");
    if (seed < 3) check_schedule(sch, matmul);
    CHECK(sampled(seed).sealed_trace() == sch.sealed_trace());
    hashes.push_back(sch.sealed_trace().hash);
  }
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::unique(hashes.begin(), hashes.end()) - hashes.begin() >= 6);
}

TEST_CASE("decisions: the instructions refer to them, so that changing one changes the program",
          "[schedule]") {
  const Schedule sch = sampled(3);
  Trace trace = sch.trace();
  for (Decision& decision : trace.decisions) {
    if (decision.name == "tile_i") decision.value = Value::List{5, 2, 2};
  }
  const Schedule changed = Schedule::replay(sch.original(), trace);
  CHECK(changed.show().find("in 0..5") != std::string::npos);
  check_schedule(changed, programs::matmul());
  trace.decisions[0].value = Value::List{7, 2, 2};
  const auto refused = Schedule::try_replay(sch.original(), trace);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == "schedule.sample_perfect_tile.decision");
}

TEST_CASE("annotate: a hint of the table, consumed by the compiled code", "[schedule]") {
  const Program add = programs::vector_add();
  Schedule sch(add.func);
  const std::vector<Loop> parts = sch.split_factor(loops_of(sch, "C")[0], 8);
  sch.parallel(parts[0]);
  sch.annotate(parts[0], "parallel_chunk", 5);
  check_schedule(sch, add);
}

TEST_CASE("traces that do not fit are errors, never crashes", "[schedule]") {
  const ir::PrimFunc func = programs::matmul().func;
  const std::string head =
      R"({"ver":1,"sketch":"","insts":[["get_block",1,[],{"name":"C"},["b0"]],)"
      R"(["get_loops",1,["b0"],{},["l0","l1","l2"]],)";
  const std::string tail = R"(],"decisions":[["d",[2,10]]]})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(["split",1,["l0"],{"tail":"guard"},["l3","l4"]])", "trace.attribute"},
      {R"(["split",1,["l0"],{"factors":3,"tail":"guard"},["l3","l4"]])", "trace.attribute"},
      {R"(["split",1,["l0"],{"factors":[null,2],"tail":7},["l3","l4"]])", "trace.attribute"},
      {R"(["split",1,["l0"],{"factors":[null,2],"tail":"guard"},["l3"]])", "trace.outputs"},
      {R"(["split",1,["l0"],{"factors":[null,2],"tail":"guard"},["l3","l4","l5"]])",
       "trace.outputs"},
      {R"(["split",1,["l0"],{"factors":[null,"$d[9]"],"tail":"guard"},["l3","l4"]])",
       "trace.decision"},
      {R"(["split",1,["l0"],{"factors":[null,"$d[x]"],"tail":"guard"},["l3","l4"]])",
       "trace.decision"},
      {R"(["split",1,["l0"],{"factors":[null,"$e"],"tail":"guard"},["l3","l4"]])",
       "trace.decision"},
      {R"(["split",1,["l9"],{"factors":[null,2],"tail":"guard"},["l3","l4"]])", "trace.handle"},
      {R"(["split",99,["l0"],{"factors":[null,2],"tail":"guard"},["l3","l4"]])", "trace.version"},
      {R"(["bend",1,["l0"],{},[]])", "trace.unknown_primitive"},
      {R"(["split",1,[],{"factors":[null,2],"tail":"guard"},["l3","l4"]])",
       "schedule.split.unknown_loop"},
      {R"(["split",1,["b0"],{"factors":[null,2],"tail":"guard"},["l3","l4"]])",
       "schedule.split.unknown_loop"},
      {R"x(["pack",1,["b0"],{"buffer":"A","map":"(m, k) -> (m, k)","pad":[3],"scope":"global"},["b1"]])x",
       "trace.attribute"},
  };
  for (const auto& [step, code] : cases) {
    INFO(step);
    try {
      Schedule::replay(func, Trace::from_json(head + step + tail));
      FAIL_CHECK("no error, wanted " << code);
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == code);
    }
  }
  for (const char* text :
       {"", "[]", "{", R"({"ver":1})", R"({"ver":1,"insts":[[1]],"decisions":[]})",
        R"({"ver":1,"insts":[["a",1,[],{"k":{}},[]]],"decisions":[]})"}) {
    expect_error("trace.parse", {}, [&] { Trace::from_json(text); });
  }
  expect_error("trace.version", {"7"},
               [&] { Trace::from_json(R"({"ver":7,"insts":[],"decisions":[]})"); });
}

TEST_CASE("default schedule of every program", "[schedule]") {
  for (const Program& program : all_programs()) {
    INFO(program.name);
    check_schedule(schedule::default_schedule(program.func), program.sizes, program.tolerance * 10);
  }
}

TEST_CASE("queries: blocks, loops, producers and consumers", "[schedule]") {
  Schedule sch(programs::softmax().func);
  CHECK(sch.block_names() == std::vector<std::string>{"row_max", "row_exp", "row_sum", "softmax"});
  CHECK(sch.get_producers(sch.get_block("softmax")).size() == 2);
  CHECK(sch.get_consumers(sch.get_block("row_exp")).size() == 2);
  const Loop loop = loops_of(sch, "row_max")[1];
  CHECK(sch.loop_name(loop) == "k");
  CHECK(sch.loop_extent_or(loop, -1) == 16);
  CHECK(sch.show().find("for k in 0..16") != std::string::npos);
  for (const schedule::PrimitiveDoc& doc : schedule::primitive_docs())
    CHECK_FALSE(doc.what.empty());
}

}  // namespace tilewright::testing
