#include <catch2/catch.hpp>

#include "sample.h"
#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

using namespace testing;

TEST_CASE("the lowest median wins") {
  TuningRecord failed = record("r-0", 0.1);
  failed.result.status = Status::kWrongResult;
  const LogContents log =
      log_of({record("r-1", 2, 4), failed, record("r-2", 1, 8), record("r-3", 3, 16)});
  const BestResult best = apply_best(doubled(), log, query());
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == "r-2");
  CHECK(best.applied->measured);
  CHECK_FALSE(best.applied->drifted);
  CHECK(best.applied->schedule.trace().instructions == split_trace(8).instructions);
  CHECK(best.warnings.empty());
}

TEST_CASE("records for anything else are not used and are counted") {
  TuningRecord cuda = record("r-1", 1e-6);
  cuda.target.kind = "cuda";
  TuningRecord feature = record("r-2", 2e-6);
  feature.target.features.push_back("amx-tile-of-tomorrow");
  TuningRecord threads = record("r-3", 3e-6);
  threads.exec.threads = 64;
  TuningRecord cold = record("r-4", 3e-6);
  cold.exec.cache = "cold";
  TuningRecord other_task = record("r-5", 1e-6);
  other_task.task_key = "matmul/1//";
  const TuningRecord match = record("r-6", 50e-6);

  const BestResult best =
      apply_best(doubled(), log_of({cuda, feature, threads, cold, other_task, match}), query());
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == "r-6");
  REQUIRE(best.warnings.size() == 1);
  CHECK_THAT(best.warnings[0],
             Catch::Contains("4 records are not used") && Catch::Contains("1 for cuda") &&
                 Catch::Contains("1 for 64 threads") && Catch::Contains("1 for cold cache") &&
                 Catch::Contains("1 because it needs amx-tile-of-tomorrow"));

  const BestResult none =
      apply_best(doubled(), log_of({cuda, feature, threads, cold, other_task}), query());
  CHECK_FALSE(none.applied);
  CHECK(none.warnings.size() == 1);
}

TEST_CASE("lines that are no records are counted together with the records for anything else") {
  TuningRecord cuda = record("r-1", 1e-6);
  cuda.target.kind = "cuda";
  const LogContents log =
      parse_log(cuda.to_line() + "\n{\"cut\n" + record("r-2", 1).to_line() + "\n", "x.jsonl");
  const BestResult best = apply_best(doubled(), log, query());
  CHECK(best.warnings ==
        std::vector<std::string>{
            "x.jsonl: 2 records are not used: 1 cut short or damaged, 1 for cuda"});
}

TEST_CASE("where all trials failed, that is said with the most frequent reason") {
  std::vector<TuningRecord> records;
  for (const char* reason : {"b", "a", "a\nand more", "b", "a", "c"}) {
    records.push_back(record("r-" + std::to_string(records.size()), 1));
    records.back().result = {};
    records.back().result.status = Status::kCrash;
    records.back().result.reason = reason;
  }
  records.back().exec.threads = 9;  // of another mode
  BestResult best = apply_best(doubled(), log_of(records), query());
  CHECK_FALSE(best.applied);
  CHECK(best.none_valid == "0 of 5 valid; most often, 2 times: a");
  CHECK_THAT(best.warnings.at(0), Catch::Contains(best.none_valid));
  records.push_back(record("r-9", 1));
  best = apply_best(doubled(), log_of(records), query());
  CHECK(best.applied);
  CHECK(best.none_valid.empty());
  CHECK(best.warnings.empty());
}

TEST_CASE("a record that does not replay gives way to the next") {
  TuningRecord unknown_step = record("r-1", 0.1);
  unknown_step.trace.instructions[2].op = "conjure";
  const BestResult best = apply_best(doubled(), log_of({unknown_step, record("r-2", 1)}), query());
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == "r-2");
  REQUIRE(best.warnings.size() == 1);
  CHECK_THAT(best.warnings[0], Catch::Contains("1 record is not used: 1 not replayed"));
}

TEST_CASE("an empty schedule is used only when it is what was measured") {
  TuningRecord emptied = record("r-1", 0.1);
  emptied.trace.instructions.clear();
  const BestResult none = apply_best(doubled(), log_of({emptied}), query());
  CHECK_FALSE(none.applied);
  CHECK_THAT(none.warnings.at(0), Catch::Contains("1 with an empty schedule"));
  TuningRecord plain = record("r-2", 0.1);
  plain.trace = schedule::Schedule(doubled()).sealed_trace();
  CHECK(apply_best(doubled(), log_of({plain}), query()).applied);
}

TEST_CASE("a drifted record is used only where no other is left") {
  TuningRecord drifted = record("r-1", 0.1);
  drifted.trace.hash = "tw1:0000000000000000";
  BestResult best = apply_best(doubled(), log_of({drifted, record("r-2", 1)}), query());
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == "r-2");
  best = apply_best(doubled(), log_of({drifted}), query());
  REQUIRE(best.applied);
  CHECK(best.applied->drifted);
  CHECK_THAT(best.warnings.at(0), Catch::Contains("drifted"));
}

TEST_CASE("an unmeasured record is used only where none is measured") {
  TuningRecord unmeasured = record("r-1", 0.1, 8);
  unmeasured.result = {};
  BestResult best = apply_best(doubled(), log_of({unmeasured, record("r-2", 1)}), query());
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == "r-2");
  best = apply_best(doubled(), log_of({unmeasured}), query());
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == "r-1");
  CHECK_FALSE(best.applied->measured);
  CHECK_THAT(best.warnings.at(0), Catch::Contains("never measured"));
}

TEST_CASE("the winner of a final comparison comes before those it has beaten") {
  const std::string text = record("r-1", 1.00, 2).to_line() + "\n" +
                           record("r-2", 1.01, 4).to_line() + "\n" +
                           record("r-3", 1.02, 8).to_line() + "\n";
  const FinalComparison final{"u-1", "r-3", {"r-1", "r-2"}, {0.97, 0.98}};
  const LogContents log = parse_log(text + final.to_line() + "\n", "a.jsonl");
  CHECK(log.skipped_count() == 0);
  const Ranking ranking = rank(log, query());
  REQUIRE(ranking.measured.size() == 3);
  CHECK(ranking.measured[0]->id == "r-3");
  CHECK(ranking.measured[1]->id == "r-1");
  // A faster record of another run stays in front.
  const LogContents more =
      parse_log(text + record("r-4", 0.5).to_line() + "\n" + final.to_line() + "\n", "a");
  CHECK(rank(more, query()).measured[0]->id == "r-4");
}

}  // namespace
}  // namespace tilewright::record
