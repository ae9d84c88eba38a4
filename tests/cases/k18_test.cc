#include "tilewright/record/best.h"
#include "tuning_support.h"

namespace tilewright::testing {
namespace {

using record::TuningRecord;

constexpr int64_t kN = 12;

// The compiled-for target of a machine with AVX2 and nothing newer, or this machine where that would not run.
Target target_of(bool this_machine) {
  if (this_machine) return Target::host();
  const Target avx2 = Target::parse("cpu -arch=x86_64 -features=avx2,fma");
  if (Target::host().why_unusable(avx2)) TW_SKIP("this machine has no AVX2");
  return avx2;
}

std::string missing_feature(const Target& target) {
  return target.has_feature("avx512f") ? "avx-of-tomorrow" : "avx512f";
}

Schedule scheduled(const ir::PrimFunc& func, int64_t factor) {
  Schedule sch(func);
  const std::vector<Loop> loops = sch.get_loops(sch.get_block("C"));
  sch.vectorize(sch.split_factor(loops[1], factor)[1]);
  return sch;
}

TuningRecord record_of(const tuner::TuneTask& task, const std::string& id, double secs,
                       int64_t factor) {
  TuningRecord r;
  r.id = id;
  r.time = record::utc_now();
  r.task = task.key;
  r.task_key = task.key.key();
  r.target = record::describe(task.measure.target);
  r.exec = task.measure.exec;
  r.trace = scheduled(task.measure.func, factor).sealed_trace();
  r.result = took(secs);
  r.search.origin = "random";
  return r;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// Lines that this version or this target has no use for, each faster than the record that matches.
std::vector<std::string> foreign_lines(const tuner::TuneTask& task) {
  TuningRecord cuda = record_of(task, "r-1", 1e-6, 4);
  cuda.target.kind = "cuda";
  TuningRecord feature = record_of(task, "r-2", 2e-6, 4);
  feature.target.features.push_back(missing_feature(task.measure.target));
  const std::string unknown =
      replaced(record_of(task, "r-3", 3e-6, 4).to_line(), "[\"split\"", "[\"conjure\"");
  TuningRecord empty = record_of(task, "r-5", 5e-6, 4);
  empty.trace.instructions.clear();
  TuningRecord emptied = empty;
  emptied.id = "r-6";
  emptied.trace.hash.clear();
  return {cuda.to_line(),
          feature.to_line(),
          replaced(unknown, "\"schema\":1", "\"schema\":99"),
          replaced(unknown, "\"ver\":1", "\"ver\":99"),
          empty.to_line(),
          emptied.to_line()};
}

}  // namespace

TEST_CASE("K18_records_for_something_else", "[cases]") {
  for (const bool this_machine : {true, false}) {
    for (const bool with_match : {true, false}) {
      DYNAMIC_SECTION((this_machine ? "this machine" : "AVX2")
                      << ", " << (with_match ? "with" : "without") << " a matching record") {
        const LogFolder folder;
        const tuner::TuneTask task = tuner::te_task(matmul_args(kN), target_of(this_machine), 1);
        {
          record::LogWriter writer(folder.log());
          for (const std::string& line : foreign_lines(task)) writer.append_line(line);
          if (with_match) writer.append(record_of(task, "r-9", 50e-6, 8));
        }
        const std::string before = folder.text();
        const record::BestResult best =
            record::apply_best(task.measure.func, record::read_log(folder.log()),
                               {task.key.key(), task.measure.target, task.measure.exec});
        REQUIRE(best.warnings.size() == 1);
        CHECK_THAT(best.warnings[0], Catch::Contains("6 records are not used") &&
                                         Catch::Contains("1 for cuda") &&
                                         Catch::Contains(missing_feature(task.measure.target)) &&
                                         Catch::Contains("1 of schema 99") &&
                                         Catch::Contains("1 with a trace of another version") &&
                                         Catch::Contains("2 with an empty schedule"));
        CHECK(best.applied.has_value() == with_match);
        if (best.applied) {
          CHECK(best.applied->record.id == "r-9");
          CHECK_FALSE(best.applied->drifted);
        }
        const Schedule sch =
            best.applied ? best.applied->schedule : schedule::default_schedule(task.measure.func);
        check_case(sch, {});
        const NDArray a = filled<float>({kN, kN}, kFloat32, [](int64_t i) { return i % 5; });
        const NDArray c = build(sch, task.measure.target)(a, a).at(0);
        const NDArray right = build(Program(task.measure.func))(a, a).at(0);
        CHECK(std::equal(c.data_as<float>(), c.data_as<float>() + kN * kN, right.data_as<float>()));
        CHECK(folder.text() == before);
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
