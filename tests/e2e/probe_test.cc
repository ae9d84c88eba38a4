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

TEST_CASE("tilewright probe: the speeds of this machine, kept for the next run and for tune") {
  const Workplace place;
  const CommandResult fresh = place.run("tilewright", {"probe", "--fresh", "--json"});
  INFO(fresh.err << fresh.out);
  REQUIRE(fresh.exit_code == 0);
  const Json json = Json::parse(fresh.last_line());
  CHECK(json["measured"] == true);
  for (const char* field : {"fma_per_sec", "l2_bytes_per_sec", "l3_bytes_per_sec",
                            "dram_bytes_per_sec", "launch_secs", "peak_gflops"}) {
    CAPTURE(field);
    CHECK(json[field].get<double>() > 0);
  }
  CHECK(std::filesystem::exists(json["file"].get<std::string>()));

  // What was measured while other programs ran is measured again.
  const Json again = Json::parse(place.run("tilewright", {"probe", "--json"}).last_line());
  CHECK(again["measured"] == json["busy"]);
  CHECK(again["file"] == json["file"]);

  const CommandResult table = place.run("tilewright", {"probe"});
  CHECK_THAT(table.out, Contains("GFLOP/s") && Contains(json["file"].get<std::string>()));

  const CommandResult tuned =
      place.run("tune", {"--op", "matmul", "--m", "16", "--n", "16", "--k", "16", "--threads", "1",
                         "--trials", "1", "--log", "a.jsonl"});
  REQUIRE(tuned.exit_code == 0);
  const record::LogContents log = record::read_log(place.file("a.jsonl"));
  REQUIRE(log.records.size() >= 1);
  REQUIRE(log.records[0].machine.peak_gflops);
  CHECK(*log.records[0].machine.peak_gflops >= 0.99 * json["peak_gflops"].get<double>());
}

TEST_CASE("tilewright probe: bad use") {
  const Workplace place;
  const CommandResult result = place.run("tilewright", {"probe", "--jason"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("did you mean '--json'"));
}

}  // namespace
}  // namespace tilewright
