#include "schedule_calls.h"

#include "tilewright/support/error.h"

namespace tilewright::python {

using schedule::Loop;

std::vector<Loop> split(schedule::Schedule& sch, Loop loop, const std::optional<IntLike>& factor,
                        const std::optional<IntLike>& nparts,
                        const std::optional<FactorsLike>& factors, const std::string& tail) {
  if (factor.has_value() + nparts.has_value() + factors.has_value() != 1) {
    fail("schedule.split.arguments",
         "split: give exactly one of factor (extent of the inner loop), nparts (extent of the "
         "outer loop) "
         "and factors (one extent a loop, None for the one that is left open)");
  }
  if (factor) return sch.split_factor(loop, factor->value, tail);
  if (nparts) return sch.split_nparts(loop, nparts->value, tail);
  std::vector<schedule::Factor> parts;
  for (const auto& part : *factors) {
    parts.push_back(part ? schedule::Factor(part->value) : std::nullopt);
  }
  return sch.split(loop, std::move(parts), tail);
}

std::vector<Loop> to_loops(const py::args& loops, const char* what) {
  const bool one_list = loops.size() == 1 &&
                        (py::isinstance<py::list>(loops[0]) || py::isinstance<py::tuple>(loops[0]));
  const py::object all = one_list ? py::object(loops[0]) : py::object(loops);
  std::vector<Loop> result;
  for (py::handle item : all) {
    if (!py::isinstance<Loop>(item)) {
      throw py::type_error(
          fmt::format("{}: expected loops, got {}", what, Py_TYPE(item.ptr())->tp_name));
    }
    result.push_back(py::cast<Loop>(item));
  }
  return result;
}

std::vector<std::pair<int64_t, schedule::Int>> to_pads(
    const std::optional<std::map<int64_t, IntLike>>& pad) {
  std::vector<std::pair<int64_t, schedule::Int>> result;
  if (!pad) return result;
  for (const auto& [dimension, multiple] : *pad) result.emplace_back(dimension, multiple.value);
  return result;
}

}  // namespace tilewright::python
