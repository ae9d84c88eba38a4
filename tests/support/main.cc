// The main function of every test binary: Catch2's, plus the count that ./dev test adds up.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "support/testing.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::testing {
namespace {

struct Skip {
  std::string test;
  std::string reason;
};

struct Counts {
  int passed = 0;
  int failed = 0;
  std::string current;
  std::vector<Skip> skips;
};

Counts& counts() {
  static Counts instance;
  return instance;
}

class Listener : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    counts().current = info.name;
    skips_before_ = counts().skips.size();
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const bool skipped = counts().skips.size() > skips_before_;
    if (stats.totals.testCases.failed > 0) {
      ++counts().failed;
    } else if (stats.totals.assertions.total() > 0 || !skipped) {
      ++counts().passed;
    }
  }

 private:
  size_t skips_before_ = 0;
};

CATCH_REGISTER_LISTENER(Listener)

}  // namespace

void skip(const std::string& reason) {
  counts().skips.push_back({counts().current, reason});
  // What REQUIRE throws after it has noted a failure: Catch2 leaves the section and runs the others. A plain
  // return would make it forget the sections that follow.
  throw Catch::TestFailureException();
}

}  // namespace tilewright::testing

int main(int argc, char** argv) {
  Catch::Session session;
  std::string fault;
  session.cli(session.cli() | Catch::clara::Opt(fault, "name")["--fault"](
                                  "switches on a fault of support/fault.h: the tests must fail"));
  int status = session.applyCommandLine(argc, argv);
  if (status != 0) return 1;
  try {
    tilewright::inject_fault(fault);
  } catch (const tilewright::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  status = session.run();
  const auto& counts = tilewright::testing::counts();
  for (const auto& skip : counts.skips) {
    std::printf("SKIPPED: %s: %s\n", skip.test.c_str(), skip.reason.c_str());
  }
  std::printf("counts: %d passed, %d failed, %zu skipped\n", counts.passed, counts.failed,
              counts.skips.size());
  if (status != 0) return status < 0 || status > 76 ? 1 : status;
  const bool all_skipped = counts.passed == 0 && !counts.skips.empty();
  return all_skipped ? 77 : 0;
}
