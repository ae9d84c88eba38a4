#include "schedule_calls.h"
#include "tilewright/api/stages.h"
#include "values.h"

namespace tilewright::python {
namespace {

using schedule::Loop;
using schedule::Schedule;

// A stage together with its schedule, which it keeps alive.
struct StageView {
  StageView(py::object schedule, schedule::BlockRef block)
      : owner(std::move(schedule)), sch(&py::cast<Schedule&>(owner)), stage(*sch, block) {}
  py::object owner;
  Schedule* sch;
  Stage stage;
  schedule::BlockRef block() const { return stage.block(); }
};
using Class = py::class_<StageView>;

void bind_loops(Class& cls) {
  cls.def_property_readonly("block", &StageView::block)
      .def_property_readonly(
          "axis", [](const StageView& v) { return v.stage.axes(); },
          "The loops of the tensor's dimensions, as created.")
      .def_property_readonly(
          "reduce_axis", [](const StageView& v) { return v.stage.reduce_axes(); },
          "The loops of the axes that are reduced over, as created.")
      .def_property_readonly(
          "loops", [](const StageView& v) { return v.stage.loops(); },
          "All loops around the block now, outermost first.")
      .def(
          "split",
          [](const StageView& v, Loop loop, const std::optional<IntLike>& factor,
             const std::optional<IntLike>& nparts, const std::optional<FactorsLike>& factors,
             const std::string& tail) {
            return split(*v.sch, loop, factor, nparts, factors, tail);
          },
          py::arg("loop"), py::arg("factor") = py::none(), py::arg("nparts") = py::none(),
          py::arg("factors") = py::none(), py::arg("tail") = "guard")
      .def("fuse",
           [](const StageView& v, const py::Args<Loop>& loops) {
             return v.stage.fuse(to_loops(loops, "fuse"));
           })
      .def("reorder",
           [](const StageView& v, const py::Args<Loop>& loops) {
             v.stage.reorder(to_loops(loops, "reorder"));
           })
      .def(
          "tile",
          [](const StageView& v, Loop x, Loop y, const IntLike& x_factor, const IntLike& y_factor,
             const std::string& tail) {
            return v.sch->tile(x, y, x_factor.value, y_factor.value, tail);
          },
          py::arg("x"), py::arg("y"), py::arg("x_factor"), py::arg("y_factor"),
          py::arg("tail") = "guard")
      .def(
          "vectorize", [](const StageView& v, Loop loop) { v.stage.vectorize(loop); },
          py::arg("loop"))
      .def(
          "unroll", [](const StageView& v, Loop loop) { v.stage.unroll(loop); }, py::arg("loop"))
      .def(
          "parallel",
          [](const StageView& v, Loop loop, const std::string& schedule, const IntLike& chunk) {
            v.stage.parallel(loop, schedule, chunk.value);
          },
          py::arg("loop"), py::arg("schedule") = "static", py::arg("chunk") = 0)
      .def("add_unit_loop", [](const StageView& v) { return v.stage.add_unit_loop(); });
}

void bind_blocks(Class& cls) {
  cls.def(
         "compute_at",
         [](const StageView& v, Loop loop, const std::string& tail) {
           v.sch->compute_at(v.block(), loop, tail);
         },
         py::arg("loop"), py::arg("tail") = "guard")
      .def(
          "compute_at",
          [](const StageView& v, const StageView&, Loop loop, const std::string& tail) {
            v.sch->compute_at(v.block(), loop, tail);
          },
          py::arg("consumer"), py::arg("loop"), py::arg("tail") = "guard",
          "Moves this stage into a loop of its consumers, which may be named first: "
          "sch[P].compute_at(sch[C], loop).")
      .def(
          "reverse_compute_at",
          [](const StageView& v, Loop loop) { v.stage.reverse_compute_at(loop); }, py::arg("loop"))
      .def("compute_inline", [](const StageView& v) { v.stage.compute_inline(); })
      .def("reverse_compute_inline", [](const StageView& v) { v.stage.reverse_compute_inline(); })
      .def(
          "decompose_reduction",
          [](const StageView& v, Loop loop) {
            return StageView(v.owner, v.sch->decompose_reduction(v.block(), loop));
          },
          py::arg("loop"), "Gives the stage of the init.")
      .def(
          "rfactor",
          [](const StageView& v, Loop loop, int64_t factor_axis) {
            return StageView(v.owner, v.sch->rfactor(loop, factor_axis));
          },
          py::arg("loop"), py::arg("factor_axis") = 0, "Gives the stage of the partial results.");
}

void bind_storage(Class& cls) {
  cls.def(
         "cache_read",
         [](const StageView& v, const NameLike& buffer, const std::string& scope) {
           return StageView(v.owner, v.sch->cache_read(v.block(), buffer.buffer, scope));
         },
         py::arg("buffer"), py::arg("scope") = "global",
         "Gives the stage that copies `buffer`, which this one then reads from there.")
      .def(
          "cache_write",
          [](const StageView& v, const std::string& scope, int64_t index) {
            return StageView(v.owner, v.sch->cache_write(v.block(), scope, index));
          },
          py::arg("scope") = "global", py::arg("write_index") = 0,
          "Gives the stage that copies the result out.")
      .def(
          "pack",
          [](const StageView& v, const NameLike& buffer, const std::string& map,
             const std::optional<std::map<int64_t, IntLike>>& pad, const std::string& scope) {
            return StageView(v.owner,
                             v.sch->pack(v.block(), buffer.buffer, map, to_pads(pad), scope));
          },
          py::arg("buffer"), py::arg("map"), py::arg("pad") = py::none(),
          py::arg("scope") = "global", "Gives the stage that packs `buffer`.")
      .def(
          "set_scope",
          [](const StageView& v, const std::string& scope, int64_t index) {
            v.stage.set_scope(scope, index);
          },
          py::arg("scope"), py::arg("write_index") = 0)
      .def(
          "transform_layout",
          [](const StageView& v, const std::string& map, int64_t index) {
            v.stage.transform_layout(map, index);
          },
          py::arg("map"), py::arg("write_index") = 0)
      .def(
          "annotate",
          [](const StageView& v, const std::string& key, const py::object& value) {
            v.stage.annotate(key, value_from_python(value, "annotate"));
          },
          py::arg("key"), py::arg("value"), "A hint on the block.");
}

py::list apply(Schedule& sch, const std::string& primitive, const py::sequence& operands,
               const py::kwargs& attributes) {
  Schedule::Call call{primitive, {}, {}};
  for (py::handle operand : operands) {
    if (py::isinstance<Loop>(operand)) {
      call.inputs.emplace_back(py::cast<Loop>(operand));
    } else if (py::isinstance<schedule::BlockRef>(operand)) {
      call.inputs.emplace_back(py::cast<schedule::BlockRef>(operand));
    } else {
      throw py::type_error(fmt::format("apply: operands are loops and blocks, got {}",
                                       Py_TYPE(operand.ptr())->tp_name));
    }
  }
  for (const auto& [name, value] : attributes) {
    call.attrs[py::cast<std::string>(name)] = value_from_python(value, "apply");
  }
  const auto results = sch.apply(call);
  if (!results) throw schedule::ScheduleException(results.error());
  py::list list;
  for (const Schedule::Result& result : *results) {
    std::visit([&](const auto& item) { list.append(py::cast(item)); }, result);
  }
  return list;
}

}  // namespace

void bind_stage(py::module_& m) {
  Class cls(m, "Stage",
            "One block of a schedule: `s = sch[C]; xo, xi = s.split(s.axis[0], 32); "
            "s.vectorize(xi)`. Each "
            "method is the primitive of that name of Schedule. Keeps nothing but handles, so both "
            "ways mix.");
  bind_loops(cls);
  bind_blocks(cls);
  bind_storage(cls);
  cls.def("__repr__",
          [](const StageView& v) { return "<Stage " + v.sch->block_name(v.block()) + ">"; });
  // Python would try sch[0], sch[1], ... otherwise.
  py::setattr(m.attr("Schedule"), "__iter__", py::none());
  py::setattr(m.attr("Schedule"), "__contains__", py::none());
  py::class_<Schedule>(m.attr("Schedule"))
      .def(
          "__getitem__",
          [](const py::object& self, const NameLike& key) {
            return StageView(self, py::cast<Schedule&>(self).get_block(key.block));
          },
          py::arg("key"), "The stage of a tensor, or of a block by name.")
      .def(
          "apply",
          [](Schedule& sch, const std::string& primitive, const py::sequence& operands,
             const py::kwargs& attributes) { return apply(sch, primitive, operands, attributes); },
          py::arg("primitive"), py::arg("operands") = py::tuple(),
          "A primitive by name, with the attributes its instruction has in a trace, such as "
          "sch.apply(\"split\", [loop], factors=[None, 8], tail=\"guard\"); gives its results as a "
          "list. "
          "The methods are the usual way; this one is for programs that write schedules.");
}

}  // namespace tilewright::python
