#include "tilewright/tuner/space/space.h"

#include <fmt/format.h>

namespace tilewright::tuner {

Space::Space(ir::PrimFunc func, Target target, int threads, std::vector<Sketch> sketches)
    : func_(std::move(func)),
      target_(std::move(target)),
      threads_(threads),
      sketches_(std::move(sketches)) {}

Draw Space::draw(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed) const {
  schedule::Schedule sch(func_, seed);
  sch.set_sketch(sketches_[sketch].name);
  sch.preset_decisions(std::move(presets));
  try {
    sketches_[sketch].apply(sch, target_, threads_);
  } catch (const schedule::ScheduleException& refused) {
    return {sch.trace(), fmt::format("{}: {}", refused.code(), refused.error().reason)};
  }
  return {sch.sealed_trace(), "", sch.func()};
}

std::optional<std::pair<size_t, Draw>> Space::find(const schedule::Trace& trace) const {
  for (size_t i = 0; i < sketches_.size(); ++i) {
    if (sketches_[i].name != trace.sketch) continue;
    Draw found = draw(i, trace.decisions, 0);
    if (found.error.empty() && found.trace.hash == trace.hash)
      return std::pair(i, std::move(found));
  }
  return std::nullopt;
}

}  // namespace tilewright::tuner
