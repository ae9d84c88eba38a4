// Instructions of earlier and later versions, and records that hold them.

#include <fstream>
#include <sstream>

#include "compat/frozen.h"
#include "support/expect_error.h"
#include "tilewright/api/operator.h"
#include "tilewright/ir/text.h"
#include "tilewright/ops/definition.h"
#include "tilewright/record/best.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Instruction;
using schedule::Schedule;
using schedule::Trace;
using schedule::Value;

ir::PrimFunc product() {
  te::Tensor a = te::placeholder({10, 9}, kFloat32, "A"),
             b = te::placeholder({9, 8}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(9, "k");
  te::Tensor c = te::compute(
      {10, 8}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  return te::create_prim_func({a, b, c}, "product");
}

// A pack of version 1 whose tile was sampled: rows is 4, and so is the literal of the map.
Trace version_1(const std::string& map, const std::string& multiple) {
  return Trace::from_json(
      R"({"ver":1,"sketch":"","insts":[["get_block",1,[],{"name":"C"},["b0"]],)"
      R"(["sample_categorical",1,[],{"candidates":[4,5],"weights":[],"name":"rows"},[]],)"
      R"(["pack",1,["b0"],{"buffer":"A","map":")" +
      map + R"(","pad":[[0,)" + multiple +
      R"(]],"scope":"global"},["b1"]]],"decisions":[["rows",4]]})");
}

std::string map_of(const Trace& trace) {
  return std::get<std::string>(trace.instructions.back().attrs.at("map").data);
}

Trace one_step(const Instruction& instruction) {
  Trace trace;
  trace.instructions.push_back(instruction);
  return trace;
}

std::string read_records(const std::string& version) {
  std::ifstream in(std::string(TW_TEST_DATA_DIR) + "/" + version + "/records.jsonl",
                   std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("maps of version 1 name the decisions of their padding", "[compat]") {
  const std::vector<std::array<std::string, 3>> cases = {
      {"(m, k) -> (m // 4, k, m % 4)", "\"$rows\"", "(m, k) -> (m // $rows, k, m % $rows)"},
      {"(m, k) -> (m//4, k, m%4)", "\"$rows\"", "(m, k) -> (m//$rows, k, m%$rows)"},
      // Another number, another dimension, a literal multiple: as they were.
      {"(m, k) -> (m // 2, k, m % 2)", "\"$rows\"", "(m, k) -> (m // 2, k, m % 2)"},
      {"(m, k) -> (k // 4, m, k % 4)", "\"$rows\"", "(m, k) -> (k // 4, m, k % 4)"},
      {"(m, k) -> (m // 4, k, m % 4)", "4", "(m, k) -> (m // 4, k, m % 4)"},
      {"(m, k) -> (m // 40, k, m % 40)", "\"$rows\"", "(m, k) -> (m // 40, k, m % 40)"},
  };
  for (const auto& [before, multiple, after] : cases) {
    INFO(before << " padded to " << multiple);
    const Trace trace = version_1(before, multiple);
    const Trace now = trace.migrated();
    CHECK(map_of(now) == after);
    CHECK(now.instructions.back().version > 1);
    CHECK(now.instructions.front() == trace.instructions.front());
    CHECK(now.migrated() == now);
    check_schedule(Schedule::replay(product(), trace));
  }
}

TEST_CASE("a changed decision changes the layout of a migrated pack", "[compat]") {
  Trace current = version_1("(m, k) -> (m // 4, k, m % 4)", "\"$rows\"").migrated();
  current.decisions[0].value = Value(5);
  Schedule wanted(product());
  wanted.pack(wanted.get_block("C"), "A", "(m, k) -> (m // 5, k, m % 5)", {{0, 5}});
  CHECK(ir::structural_equal(Schedule::replay(product(), current).func(), wanted.func()));
}

TEST_CASE("maps may compute with decisions", "[compat]") {
  Schedule sch(product());
  const auto block = sch.get_block("C");
  const auto vectors = sch.sample_categorical({2}, {}, "vectors");
  const auto tile = sch.sample_perfect_tile(sch.get_loops(block)[0], 2, 5, "tile");
  sch.pack(block, "B", "(k, n) -> (n // ($vectors * 2), k, n % ($vectors * 2))",
           {{1, schedule::Int(vectors * 2, "vectors * 2")}});
  sch.pack(block, "A", "(m, k) -> (m // $tile[1], k, m % $tile[1])", {{0, tile[1]}});
  check_schedule(sch);
  Schedule plain(product());
  const auto c = plain.get_block("C");
  plain.pack(c, "B", "(k, n) -> (n // 4, k, n % 4)", {{1, 4}});
  const std::string rows = std::to_string(tile[1].value);
  plain.pack(c, "A", "(m, k) -> (m // " + rows + ", k, m % " + rows + ")", {{0, tile[1].value}});
  CHECK(ir::structural_equal(plain.func(), sch.func()));
}

TEST_CASE("maps refer to decisions that were sampled before", "[compat]") {
  Schedule sch(product());
  const auto block = sch.get_block("C");
  sch.sample_perfect_tile(sch.get_loops(block)[0], 2, 5, "tile");
  for (const char* map : {"(k, n) -> (n // $lanes, k, n % $lanes)", "(k, n) -> (n // $, k, n)",
                          "(k, n) -> (n // $tile, k, n % $tile)", "(k, n) -> (n // $tile[9], k, n)",
                          "(k, n) -> (n // $tile[, k, n)"}) {
    refusal(sch, "schedule.pack.map", [&](Schedule& s) { s.pack(block, "B", map); });
  }
}

TEST_CASE("integers may be arithmetic over decisions", "[compat]") {
  const auto replay = [](const std::string& factor) {
    return Schedule::replay(
        product(),
        Trace::from_json(
            R"({"ver":1,"sketch":"","insts":[["get_block",1,[],{"name":"C"},["b0"]],)"
            R"(["get_loops",1,["b0"],{},["l0","l1","l2"]],)"
            R"(["sample_perfect_tile",1,["l0"],{"n":2,"max_innermost":5,"name":"t"},[]],)"
            R"(["split",1,["l1"],{"factors":[null,")" +
            factor + R"("],"tail":"guard"},["l3","l4"]]],"decisions":[["t",[5,2]]]})"));
  };
  const std::vector<std::pair<std::string, int64_t>> values = {{"$t[1]", 2},
                                                               {"$t[1] * 3", 6},
                                                               {"$t[0] + $t[1] * 2", 9},
                                                               {"$t[0] - $t[1] - 1", 2},
                                                               {"$t[1]*(1 + 1)", 4}};
  for (const auto& [text, value] : values) {
    Schedule sch = replay(text);
    INFO(text);
    const auto loops = sch.get_loops(sch.get_block("C"));
    CHECK(sch.loop_extent_or(loops[2], 0) == value);
  }
  for (const char* text : {"$t[1] *", "$t[1] ** 2", "$t", "$t[1] / 2", "$t[1] 3", "$u * 2",
                           "$t[0] * 9223372036854775807", "$", "$t[1] * (2"}) {
    INFO(text);
    try {
      replay(text);
      FAIL_CHECK("no error");
    } catch (const schedule::ScheduleException& error) {
      CHECK(std::string(text) == "$t");  // a list where a number is wanted
      CHECK(error.code() == "schedule.split.factor");
    } catch (const Error& error) {
      CHECK(error.code() == "trace.decision");
    }
  }
}

TEST_CASE("an instruction of a newer version is an error that names it", "[compat]") {
  const Trace trace = one_step({"pack", 99, {}, {}, {}});
  expect_error("trace.version", {"'pack'", "99"}, [&] { trace.migrated(); });
  expect_error("trace.version", {"'pack'", "99"}, [&] { Schedule::replay(product(), trace); });
  expect_error("trace.version", {"0"}, [&] { one_step({"split", 0, {}, {}, {}}).migrated(); });
  expect_error("trace.unknown_primitive", {"'splitt'", "'split'"}, [&] {
    one_step({"splitt", 1, {}, {}, {}}).migrated();
  });
}

TEST_CASE("records of earlier versions keep identity and hash", "[compat]") {
  for (const std::string& version : frozen_versions()) {
    const record::LogContents log = record::parse_log(read_records(version), version);
    CHECK(log.skipped_count() == 0);
    CHECK((version != "v1" || !log.records.empty()));
    std::map<std::string, std::string> programs;  // hash of a trace -> program it gives
    for (const FrozenTrace& frozen : read_frozen(version)) {
      programs[Trace::from_json(frozen.trace).hash] = frozen.scheduled;
    }
    for (const record::TuningRecord& record : log.records) {
      INFO(version << " " << record.id << " " << record.task_key);
      CHECK(record.to_line() == record.original);
      const ops::OpInstance op = ops::instantiate(record.task.op, record.task.args);
      CHECK(task_key(op).key() == record.task_key);
      const record::Applied applied = record::apply(op.func, record);
      const ir::PrimFunc stored = ir::parse_func(programs.at(record.trace.hash));
      CHECK(ir::structural_equal(stored, applied.schedule.func()));
      // Written again after a replay it is a new trace of the same program.
      record::TuningRecord again = record;
      again.trace = applied.schedule.sealed_trace();
      const auto read = record::TuningRecord::from_line(again.to_line());
      CHECK(read.id == record.id);
      CHECK(record::apply(op.func, read).drifted == false);
    }
  }
}

}  // namespace tilewright::testing
