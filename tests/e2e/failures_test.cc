// Runs in which every trial fails, as a user meets them.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command.h"
#include "tilewright/record/log.h"

namespace tilewright {
namespace {

using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;
using Json = nlohmann::ordered_json;

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> kOp{"--op", "matmul", "--m", "24",        "--n",
                                   "32",   "--k",    "16",  "--threads", "1"};

}  // namespace

TEST_CASE("a run without a valid trial says so and ends with code 1; the operator still compiles") {
  const Workplace place;
  const CommandResult tuned =
      place.run("tune", with(kOp, {"--trials", "40", "--seed", "1", "--json", "--log", "a.jsonl",
                                   "--fault", "crash:1"}));
  INFO(tuned.out << tuned.err);
  CHECK(tuned.exit_code == 1);
  CHECK_THAT(tuned.err, Contains("tune: error: 0 of 40 valid; most often, 40 times: killed by"));
  const Json json = Json::parse(tuned.last_line());
  CHECK(json["best_ms"].is_null());
  CHECK(json["trials"] == 40);
  CHECK(json["valid"] == 0);
  CHECK(json["failures"]["crash"] == 40);
  CHECK_THAT(tuned.out, Contains("0 valid, 40 failed (40 crash)"));
  const std::string log = place.read("a.jsonl");
  CHECK(record::read_log(place.file("a.jsonl")).records.size() == 40);

  const CommandResult compiled =
      place.run("tilewright", with({"compile"}, with(kOp, {"--log", "a.jsonl", "-o", "libmm.so"})));
  INFO(compiled.out << compiled.err);
  CHECK(compiled.exit_code == 0);
  CHECK_THAT(compiled.out, Contains("the default schedule"));
  CHECK_THAT(compiled.err, Contains("0 of 40 valid; most often, 40 times: killed by"));
  const CommandResult required = place.run(
      "tilewright",
      with({"compile"}, with(kOp, {"--log", "a.jsonl", "-o", "libm2.so", "--require-record"})));
  CHECK(required.exit_code == 1);
  CHECK_THAT(required.err, Contains("0 of 40 valid"));
  CHECK_FALSE(std::filesystem::exists(place.file("libm2.so")));
  CHECK(place.read("a.jsonl") == log);
}

}  // namespace tilewright
