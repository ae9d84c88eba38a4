#include "tilewright/tuner/space/generated.h"

#include "tilewright/schedule/replay.h"
#include "tuner/space/sketches/fused.h"
#include "tuner/space/sketches/inlining.h"
#include "tuner/space/sketches/nest_rules.h"

namespace tilewright::tuner {
using schedule::Schedule;

std::vector<Sketch> generated_sketches(const ir::PrimFunc& func, const Target& target, int,
                                       const schedule::Trace& start) {
  if (target.kind != TargetKind::kCpu) return {};
  const auto begin = [start](Schedule& sch) { schedule::replay_steps(sch, start); };
  std::vector<Sketch> result = {
      {"generated.tiled", [begin](Schedule& sch, const Target& t, int threads) {
         begin(sch);
         sketches::inline_producers(sch);
         sketches::schedule_nests(sch, t, threads);
       }}};
  Schedule trial(func);
  begin(trial);
  if (sketches::can_fuse(trial, target)) {
    result.push_back({"generated.fused", [begin](Schedule& sch, const Target& t, int threads) {
                        begin(sch);
                        sketches::inline_producers(sch);
                        sketches::fuse_nests(sch, t, threads);
                      }});
  }
  return result;
}

}  // namespace tilewright::tuner
