// Accept and refuse, compared with enumeration on small programs.

#include "tilewright/fuzz/legality.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace tilewright::testing {
namespace {

using fuzz::LegalityCounts;
using fuzz::LegalityReport;

// TW_SHOW=1 prints the tables and the examples of false refusals.
void show(const LegalityReport& report) {
  const char* wanted = std::getenv("TW_SHOW");
  if (!wanted || std::string(wanted) != "1") return;
  std::cout << report.table();
  for (const auto& [code, examples] : report.false_refusals) {
    for (const std::string& example : examples) std::cout << "\n--- " << example << "\n";
  }
}

void check_report(const LegalityReport& report, int64_t least_of_each) {
  show(report);
  INFO(report.table());
  for (const std::string& example : report.false_acceptances) FAIL_CHECK(example);
  const LegalityCounts total = report.total();
  CHECK(total.false_acceptances == 0);
  CHECK(total.false_refusal_percent() <= 5);
  for (const auto& [name, counts] : report.primitives) {
    if (counts.legal() < least_of_each) continue;
    INFO(name);
    CHECK(counts.false_refusal_percent() <= 15);
  }
}

}  // namespace

TEST_CASE("the page on legality lists the forms that are counted apart", "[fuzz]") {
  std::ifstream file(std::string(TW_SOURCE_DIR) + "/docs/legality.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  INFO(fuzz::legality_forms());
  CHECK(page.find("\n\n" + fuzz::legality_forms()) != std::string::npos);
}

TEST_CASE("accept and refuse agree with enumeration", "[fuzz]") {
  fuzz::LegalityOptions options;
  options.secs = 2;
  check_report(fuzz::measure_legality(options), 40);
}

TEST_CASE("accept and refuse agree with enumeration for a minute", "[fuzz][slow]") {
  fuzz::LegalityOptions options;
  options.seed = 77;
  options.secs = 60;
  check_report(fuzz::measure_legality(options), 20);
}

}  // namespace tilewright::testing
