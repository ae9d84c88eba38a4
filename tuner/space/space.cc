#include "tilewright/tuner/space/space.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::tuner {

Space::Space(ir::PrimFunc func, Target target, int threads, std::vector<Sketch> sketches)
    : func_(std::move(func)),
      target_(std::move(target)),
      threads_(threads),
      sketches_(std::move(sketches)) {}

Draw Space::draw(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed) const {
  return make(sketch, std::move(presets), seed, false);
}

Draw Space::draft(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed) const {
  while (true) {
    Draw made = make(sketch, presets, seed, true);
    const auto refused = std::find_if(presets.begin(), presets.end(), [&](const auto& decision) {
      return decision.name == made.refused_decision;
    });
    if (refused == presets.end()) return made;
    presets.erase(refused);
  }
}

Draw Space::make(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed,
                 bool draft) const {
  schedule::Schedule sch(func_, seed);
  if (draft) sch.make_draft();
  sch.set_sketch(sketches_[sketch].name);
  sch.preset_decisions(std::move(presets));
  try {
    sketches_[sketch].apply(sch, target_, threads_);
  } catch (const schedule::ScheduleException& refused) {
    Draw failed{sch.trace(), fmt::format("{}: {}", refused.code(), refused.error().reason)};
    if (refused.code().ends_with(".decision")) {
      failed.refused_decision = std::get<std::string>(refused.error().attrs.at("name").data);
    }
    return failed;
  }
  return {draft ? sch.trace() : sch.sealed_trace(), "", sch.func()};
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
