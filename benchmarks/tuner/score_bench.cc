// How fast candidates are scored: drawn as drafts and analyzed, as the search does for those that it does not measure.
//
//   score_bench [--json] [--candidates N]

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "paired.h"
#include "tilewright/support/error.h"
#include "tilewright/support/rng.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/cost_model/nest_analysis.h"
#include "tilewright/tuner/space/generated.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;

struct Scored {
  double secs = 0;  // of one candidate, the best of five rounds
  double legal = 0;
};

Scored score(const tuner::Space& space, int candidates) {
  constexpr int kRounds = 5;
  Scored result{1e9, 0};
  for (int round = 0; round < kRounds; ++round) {
    Rng rng(1);
    int legal = 0;
    const double secs = time_secs([&] {
      for (int i = 0; i < candidates; ++i) {
        const tuner::Draw draw = space.draft(rng.below(space.size()), {}, rng.next());
        if (!draw.error.empty()) continue;
        ++legal;
        tuner::analyze_nest(draw.func, space.target(), {}, space.threads());
      }
    });
    result.secs = std::min(result.secs, secs / candidates);
    result.legal = static_cast<double>(legal) / candidates;
  }
  return result;
}

void run(int argc, char** argv) {
  bool json = false;
  int candidates = 500;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--json") {
      json = true;
    } else if (arg == "--candidates" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      candidates = std::atoi(argv[++i]);
    } else {
      fail("bench.usage", "bad argument '{}'\nusage: score_bench [--json] [--candidates N]", arg);
    }
  }
  ordered_json rows = ordered_json::array();
  for (const char* name : {"matmul", "conv2d"}) {
    const ops::OpInstance op = ops::instantiate(name, {});
    const tuner::TuneTask task = tuner::operator_task(op, Target::host(), 1);
    for (const char* which : {"template", "generated"}) {
      const bool made = which == std::string("template");
      const tuner::Space space(
          task.measure.func, task.measure.target, 1,
          made ? tuner::operator_sketches(op)
               : tuner::generated_sketches(task.measure.func, task.measure.target, 1));
      const Scored scored = score(space, candidates);
      rows.push_back({{"op", name},
                      {"space", which},
                      {"candidates_per_sec", 1 / scored.secs},
                      {"legal", scored.legal}});
      if (!json) {
        std::printf("%-8s %-10s %8.0f candidates a second, %3.0f %% of them legal\n", name, which,
                    1 / scored.secs, 100 * scored.legal);
      }
    }
  }
  if (json) std::printf("%s\n", ordered_json{{"rows", rows}}.dump().c_str());
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    tilewright::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "score_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
