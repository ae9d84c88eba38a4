#pragma once

#include <map>
#include <optional>
#include <vector>

#include "casters.h"

/// \file
/// The argument conventions that Schedule and Stage share.

namespace tilewright::python {

using FactorsLike = std::vector<std::optional<IntLike>>;

/// Exactly one of the three ways to say it; throws Error schedule.split.arguments otherwise.
std::vector<schedule::Loop> split(schedule::Schedule& sch, schedule::Loop loop,
                                  const std::optional<IntLike>& factor,
                                  const std::optional<IntLike>& nparts,
                                  const std::optional<FactorsLike>& factors,
                                  const std::string& tail);
/// The loops of `f(a, b)` or `f([a, b])`.
std::vector<schedule::Loop> to_loops(const py::args& loops, const char* what);
/// Methods of the primitives that cut, join and overlap loops.
void bind_schedule_loops(py::class_<schedule::Schedule>& cls);
/// Methods of the storage primitives that change accesses, padding and blocks.
void bind_schedule_storage(py::class_<schedule::Schedule>& cls);
std::vector<std::pair<int64_t, schedule::Int>> to_pads(
    const std::optional<std::map<int64_t, IntLike>>& pad);

}  // namespace tilewright::python
