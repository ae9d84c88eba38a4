#include "tuner/measure/runner.h"

#include <catch2/catch.hpp>

#include "kernels.h"

namespace tilewright::tuner {
namespace {

using testing::Kernels;

TEST_CASE("a right kernel is measured") {
  const Kernels kernels;
  Runner runner(testing::small_task());
  const std::string good = kernels.library("none"), output = kernels.file("reference.bin");
  const RunOutcome reference = runner.reference(good, output);
  CHECK(reference.elements == 1000);
  CHECK(std::filesystem::file_size(output) == 4000);
  CHECK(reference.samples_secs.size() >= 1);

  const RunOutcome first = runner.run(good, output, 0);
  CHECK(first.status == "ok");
  CHECK(first.reason.empty());
  CHECK(first.samples_secs.size() >= 3);
  CHECK(first.anchor_secs > 0);
  for (double secs : first.samples_secs) CHECK((secs > 0 && secs < 1));
  // Far slower than the best: one call is enough.
  CHECK(runner.run(good, output, 1e-12).samples_secs.size() == 1);
}

TEST_CASE("wrong kernels are found out") {
  const Kernels kernels;
  Runner runner(testing::small_task());
  const std::string output = kernels.file("reference.bin");
  runner.reference(kernels.library("none"), output);
  const auto run = [&](const std::string& fault) {
    const RunOutcome outcome = runner.run(kernels.library(fault), output, 0);
    CHECK(outcome.samples_secs.empty());
    return outcome.status + ": " + outcome.reason;
  };
  CHECK_THAT(
      run("last"),
      Catch::StartsWith("wrong_result: 1 of 1000 elements of B are wrong; the first at (999,)"));
  CHECK_THAT(run("nothing"),
             Catch::StartsWith("wrong_result: 1000 of 1000") && Catch::Contains("got -nan"));
  CHECK_THAT(run("half"),
             Catch::StartsWith("wrong_result: 500 of 1000") && Catch::Contains("(500,)"));
  CHECK(run("past") == "wrong_result: memory outside of B was written");
  CHECK(run("before") == "wrong_result: memory outside of B was written");
  CHECK_THAT(run("error"), Catch::StartsWith("run_error: twice: refused"));
  CHECK(runner.run(kernels.library("none"), output, 0).status == "ok");
}

TEST_CASE("libraries are timed in turn") {
  const Kernels kernels;
  Runner runner(testing::small_task());
  const std::string good = kernels.library("none");
  runner.reference(good, kernels.file("reference.bin"));
  const auto samples = runner.compare({good, good, good}, 4);
  REQUIRE(samples.size() == 3);
  for (const auto& row : samples) CHECK(row.size() == 4);
}

TEST_CASE("a file that is no library is an error of the run") {
  const Kernels kernels;
  Runner runner(testing::small_task());
  const std::string output = kernels.file("reference.bin");
  runner.reference(kernels.library("none"), output);
  const RunOutcome outcome = runner.run(kernels.file("missing.so"), output, 0);
  CHECK(outcome.status == "run_error");
  CHECK_THAT(outcome.reason, Catch::Contains("missing.so"));
}

}  // namespace
}  // namespace tilewright::tuner
