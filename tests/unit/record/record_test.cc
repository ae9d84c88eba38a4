#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sample.h"
#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

std::string code_of(const std::string& line) {
  try {
    TuningRecord::from_line(line);
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

std::string edited(const std::function<void(Json&)>& edit) {
  Json json = Json::parse(record("r-1", 0.5).to_line());
  edit(json);
  return json.dump();
}

TEST_CASE("the task key names an operator with all its parameters") {
  CHECK(task().key() == "doubled/1/layout=NC,n=100/float32,float32//");
  TaskKey other;
  other.expr_hash = "tw1:9f2c";
  CHECK(other.key() == "expr/tw1:9f2c");
}

TEST_CASE("a record survives writing and reading") {
  TuningRecord r = record("r-1", 0.25);
  r.exec = {3, "cold", {"B"}};
  r.machine = host_machine();
  r.result.check = {"exact", 100, "proved"};
  r.result.anchor_ratio = 1.01;
  r.predicted = {{"prior_secs", 0.5}};
  const std::string line = r.to_line();
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.size() < 4096);
  const TuningRecord back = TuningRecord::from_line(line);
  CHECK(back.to_line() == line);
  CHECK(back.task == r.task);
  CHECK(back.exec == r.exec);
  CHECK(back.trace == r.trace);
  CHECK(back.result.median_secs == 0.25);
  CHECK(back.result.check.reference == "proved");
  CHECK(back.search.baseline_secs == 1.5);
  CHECK(back.search.trial == 3);
  CHECK(back.predicted.at("prior_secs") == 0.5);
}

TEST_CASE("fields that are not known are kept") {
  const std::string line = edited([](Json& json) {
    json["later"] = {1, 2};
    json["result"]["energy_joules"] = 3.5;
  });
  TuningRecord r = TuningRecord::from_line(line);
  r.search.origin = "edited";
  const Json json = Json::parse(r.to_line());
  CHECK(json["later"] == Json({1, 2}));
  CHECK(json["result"]["energy_joules"] == 3.5);
  CHECK(json["search"]["origin"] == "edited");
}

TEST_CASE("every status has a name that reads back") {
  for (Status status : all_statuses()) CHECK(parse_status(to_string(status)) == status);
  CHECK(!parse_status("fine"));
}

TEST_CASE("lines that cannot be used say why") {
  CHECK(code_of(edited([](Json& json) { json["schema"] = 99; })) == "record.schema");
  CHECK(code_of(edited([](Json& json) { json["kind"] = "note"; })) == "record.kind");
  CHECK(code_of(edited([](Json& json) { json.erase("target"); })) == "record.parse");
  CHECK(code_of(edited([](Json& json) { json["exec"].erase("threads"); })) == "record.parse");
  CHECK(code_of(edited([](Json& json) { json["result"]["status"] = "fine"; })) == "record.parse");
  CHECK(code_of(edited([](Json& json) { json["result"]["median_secs"] = nullptr; })) ==
        "record.parse");
  CHECK(code_of(edited([](Json& json) { json["result"]["median_secs"] = "fast"; })) ==
        "record.parse");
  CHECK(code_of(edited([](Json& json) {
          json["trace"] = {{"ver", 1}, {"insts", Json::array()}, {"decisions", Json::array()}};
        })) == "record.trace");
  CHECK(code_of(edited([](Json& json) { json["trace"]["ver"] = 9; })) == "trace.version");
  CHECK(code_of("[1]") == "record.parse");
  CHECK(code_of(record("r-1", 1).to_line().substr(0, 200)) == "record.parse");
  CHECK(code_of(edited([](Json&) {})) == "");
}

TEST_CASE("a record that is too long is refused") {
  TuningRecord r = record("r-1", 1);
  r.result.reason = std::string(70'000, 'x');
  CHECK_THROWS_AS(r.to_line(), Error);
}

}  // namespace
}  // namespace tilewright::record
