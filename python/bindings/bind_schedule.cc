#include "schedule_calls.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"
#include "values.h"

namespace tilewright::python {
namespace {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;
using Class = py::class_<Schedule>;

template <typename Handle>
void bind_handle(py::module_& m, const char* name, const char* doc) {
  py::class_<Handle>(m, name, doc)
      .def_readonly("id", &Handle::id)
      .def("__eq__",
           [](const Handle& a, const py::object& b) {
             return py::isinstance<Handle>(b) && py::cast<Handle>(b) == a;
           })
      .def("__hash__", [](const Handle& a) { return std::hash<int64_t>()(a.id); })
      .def("__repr__", [name](const Handle& a) { return fmt::format("{}({})", name, a.id); });
}

void bind_int(py::module_& m) {
  const auto value = [](const Int& i) { return i.value; };
  py::class_<Int> cls(
      m, "SampledInt",
      "An integer chosen by a sampling primitive. As an argument of a primitive it keeps its "
      "name, so that a search can change it; in arithmetic it is a plain int.");
  cls.def_readonly("value", &Int::value)
      .def_readonly("name", &Int::decision)
      .def("__int__", value)
      .def("__index__", value)
      .def("__hash__", [](const Int& i) { return std::hash<int64_t>()(i.value); })
      .def("__repr__", [](const Int& i) { return fmt::format("{}={}", i.decision, i.value); });
  for (const char* name :
       {"add", "sub", "mul", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"}) {
    const std::string method = fmt::format("__{}__", name);
    cls.def(
        method.c_str(),
        [method](const Int& a, const py::object& b) {
          const py::object right = py::isinstance<Int>(b) ? py::int_(py::cast<Int>(b).value) : b;
          return py::int_(a.value).attr(method.c_str())(right);
        },
        py::is_operator());
  }
  for (const char* name : {"radd", "rsub", "rmul", "rfloordiv", "rmod"}) {
    const std::string method = fmt::format("__{}__", name);
    cls.def(
        method.c_str(),
        [method](const Int& a, const py::object& b) {
          return py::int_(a.value).attr(method.c_str())(b);
        },
        py::is_operator());
  }
}

void bind_queries(Class& cls) {
  cls.def_property_readonly("func", &Schedule::func, "The program as it is now.")
      .def_property_readonly("original", &Schedule::original,
                             "The program before the first primitive.")
      .def_property_readonly("trace", &Schedule::sealed_trace)
      .def(
          "get_block", [](Schedule& s, const NameLike& name) { return s.get_block(name.block); },
          py::arg("name"), "The block of this name, or the one that computes this tensor.")
      .def("get_loops", &Schedule::get_loops, py::arg("block"),
           "Loops around the block, outermost first.")
      .def("get_producers", &Schedule::get_producers, py::arg("block"))
      .def("get_consumers", &Schedule::get_consumers, py::arg("block"))
      .def("block_names", &Schedule::block_names)
      .def("block_name", &Schedule::block_name, py::arg("block"))
      .def("loop_name", &Schedule::loop_name, py::arg("loop"))
      .def(
          "loop_extent",
          [](const Schedule& s, Loop loop) -> std::optional<int64_t> {
            const int64_t extent = s.loop_extent_or(loop, -1);
            if (extent < 0) return std::nullopt;
            return extent;
          },
          py::arg("loop"), "None when it is no constant.")
      .def(
          "show", [](const Schedule& s) { py::print(s.show(), py::arg("end") = ""); },
          "Prints the loop nest as it is now.")
      .def(
          "copy", [](const Schedule& s) { return Schedule(s); },
          "Independent of this one from now on; O(1).")
      .def("__copy__", [](const Schedule& s) { return Schedule(s); })
      .def(
          "__deepcopy__", [](const Schedule& s, const py::dict&) { return Schedule(s); },
          py::arg("memo"))
      .def(py::pickle(
          [](const Schedule& s) {
            return py::make_tuple(ir::to_text(s.original()), s.sealed_trace().to_json());
          },
          [](const py::tuple& state) {
            return Schedule::replay(ir::parse_func(py::cast<std::string>(state[0])),
                                    schedule::Trace::from_json(py::cast<std::string>(state[1])));
          }))
      .def(
          "explain", [](const Schedule&, const py::object& error) { return explain(error); },
          py::arg("error"),
          "The whole text of an error met on this schedule, or of a code such as "
          "'schedule.split.factor': reason, loop nest with the place underlined, counter-example, "
          "legal values, hint, and what the code means and what to do instead.")
      .def("__str__", &Schedule::show)
      .def("__repr__", [](const Schedule& s) {
        return fmt::format("<Schedule of {}, {} steps>", s.func()->name,
                           s.trace().instructions.size());
      });
}

void bind_loops(Class& cls) {
  cls.def("split", &split, py::arg("loop"), py::arg("factor") = py::none(),
          py::arg("nparts") = py::none(), py::arg("factors") = py::none(),
          py::arg("tail") = "guard",
          "One loop into a nest, outermost first. Factors above the extent are legal.\n\n"
          "    for i in 0..100        ->   for i0 in 0..4\n"
          "                                  for i1 in 0..32      (factor=32, i0 * 32 + i1 < "
          "100)\n\n"
          "tail says what becomes of the surplus: guard (a condition or lane mask), peel, "
          "balanced, pad, "
          "shift_inwards, auto.")
      .def(
          "fuse",
          [](Schedule& s, const py::Args<Loop>& loops) { return s.fuse(to_loops(loops, "fuse")); },
          "Directly nested loops into one: `for i in 0..4: for j in 0..8` -> `for f in 0..32`.")
      .def(
          "reorder",
          [](Schedule& s, const py::Args<Loop>& loops) { s.reorder(to_loops(loops, "reorder")); },
          "Puts these loops of one nest into this order, outermost first; the others stay where "
          "they are.")
      .def(
          "tile",
          [](Schedule& s, Loop x, Loop y, const IntLike& x_factor, const IntLike& y_factor,
             const std::string& tail) {
            return s.tile(x, y, x_factor.value, y_factor.value, tail);
          },
          py::arg("x"), py::arg("y"), py::arg("x_factor"), py::arg("y_factor"),
          py::arg("tail") = "guard",
          "Splits both and orders them [x_outer, y_outer, x_inner, y_inner], which is the result.")
      .def("unroll", &Schedule::unroll, py::arg("loop"), "Repeats the body for each iteration.")
      .def("vectorize", &Schedule::vectorize, py::arg("loop"),
           "Iterations become vector lanes. A loop that feeds a reduction is refused: rfactor it.")
      .def(
          "parallel",
          [](Schedule& s, Loop loop, const std::string& schedule, const IntLike& chunk) {
            s.parallel(loop, schedule, chunk.value);
          },
          py::arg("loop"), py::arg("schedule") = "static", py::arg("chunk") = 0,
          "Iterations run on several threads; schedule is 'static' or 'dynamic', chunk 0 is the "
          "runtime's "
          "choice.")
      .def(
          "add_unit_loop", [](Schedule& s, BlockRef block) { return s.add_unit_loop(block); },
          py::arg("place"))
      .def(
          "add_unit_loop", [](Schedule& s, Loop loop) { return s.add_unit_loop(loop); },
          py::arg("place"), "A loop of extent 1 around a block or loop.");
}

void bind_blocks(Class& cls) {
  cls.def(
         "compute_at",
         [](Schedule& s, BlockRef block, Loop loop, const std::string& tail) {
           s.compute_at(block, loop, tail);
         },
         py::arg("block"), py::arg("loop"), py::arg("tail") = "guard",
         "Moves a producer into a loop of its consumers; it computes what one iteration needs.\n\n"
         "    for i: P[i] = ...            for i:\n"
         "    for i: C[i] = f(P[i])   ->     P[i] = ...\n"
         "                                   C[i] = f(P[i])")
      .def("reverse_compute_at", &Schedule::reverse_compute_at, py::arg("block"), py::arg("loop"),
           "Moves a consumer into a loop of its producers.")
      .def("compute_inline", &Schedule::compute_inline, py::arg("block"),
           "Puts a producer's expression where it is read; the block disappears.")
      .def("reverse_compute_inline", &Schedule::reverse_compute_inline, py::arg("block"),
           "Puts an element-wise consumer into its producer; the consumer disappears.")
      .def("decompose_reduction", &Schedule::decompose_reduction, py::arg("block"), py::arg("loop"),
           "The init of a reduction as a block of its own before `loop`; gives that block.")
      .def("rfactor", &Schedule::rfactor, py::arg("loop"), py::arg("factor_axis") = 0,
           "A reduction into partial results, one per iteration of `loop`, and their reduction. "
           "Gives the "
           "block of the partial results; `loop` becomes its spatial axis. Changes the order of "
           "the sum.\n\n"
           "    for k0: for k1: C += A[k0, k1]   ->   for k0: for k1: R[k0] += A[k0, k1]\n"
           "                                          for k0: C += R[k0]");
}

void bind_storage(Class& cls) {
  cls.def(
         "cache_read",
         [](Schedule& s, BlockRef consumer, const NameLike& buffer, const std::string& scope) {
           return s.cache_read(consumer, buffer.buffer, scope);
         },
         py::arg("consumer"), py::arg("buffer"), py::arg("scope") = "global",
         "A copy of an input in another buffer, which `consumer` reads; gives the copying block.")
      .def(
          "cache_write",
          [](Schedule& s, BlockRef block, const std::string& scope, int64_t index) {
            return s.cache_write(block, scope, index);
          },
          py::arg("block"), py::arg("scope") = "global", py::arg("write_index") = 0,
          "The block writes another buffer, and a new block, the result, copies that out.")
      .def(
          "set_scope",
          [](Schedule& s, BlockRef block, const std::string& scope, int64_t index) {
            s.set_scope(block, scope, index);
          },
          py::arg("block"), py::arg("scope"), py::arg("write_index") = 0,
          "Where the buffer that the block writes is stored: global, local, register.")
      .def(
          "transform_layout",
          [](Schedule& s, BlockRef writer, const std::string& map, int64_t index) {
            s.transform_layout(writer, map, index);
          },
          py::arg("writer"), py::arg("map"), py::arg("write_index") = 0,
          "Where the elements of an intermediate buffer lie: \"(m, k) -> (m // 6, k, m % 6)\".")
      .def(
          "pack",
          [](Schedule& s, BlockRef consumer, const NameLike& buffer, const std::string& map,
             const std::optional<std::map<int64_t, IntLike>>& pad, const std::string& scope) {
            return s.pack(consumer, buffer.buffer, map, to_pads(pad), scope);
          },
          py::arg("consumer"), py::arg("buffer"), py::arg("map"), py::arg("pad") = py::none(),
          py::arg("scope") = "global",
          "cache_read with a layout and padding: pad={1: 16} rounds dimension 1 up to a multiple "
          "of 16, the "
          "surplus elements are zero.")
      .def(
          "annotate",
          [](Schedule& s, Loop loop, const std::string& key, const py::object& value) {
            s.annotate(loop, key, value_from_python(value, "annotate"));
          },
          py::arg("place"), py::arg("key"), py::arg("value"))
      .def(
          "annotate",
          [](Schedule& s, BlockRef block, const std::string& key, const py::object& value) {
            s.annotate(block, key, value_from_python(value, "annotate"));
          },
          py::arg("place"), py::arg("key"), py::arg("value"),
          "A hint from the closed table of keys on a loop or block; an unknown key is an error.");
}

schedule::TensorInstructions instructions_of(const std::optional<Schedule>& sch) {
  return sch ? sch->instructions() : schedule::TensorInstructions();
}

void bind_sampling(Class& cls) {
  cls.def(
         "sample_perfect_tile",
         [](Schedule& s, Loop loop, int n, int64_t max_innermost, const std::string& name) {
           return s.sample_perfect_tile(loop, n, max_innermost, name);
         },
         py::arg("loop"), py::arg("n"), py::arg("max_innermost") = 64, py::kw_only(),
         py::arg("name"), "`n` factors whose product is the extent of the loop.")
      .def(
          "sample_tile",
          [](Schedule& s, Loop loop, int n, const std::vector<int64_t>& candidates,
             const std::string& name) { return s.sample_tile(loop, n, candidates, name); },
          py::arg("loop"), py::arg("n"), py::arg("candidates"), py::kw_only(), py::arg("name"),
          "Factors that need not divide the extent; the outermost of `n` is left open.")
      .def(
          "sample_categorical",
          [](Schedule& s, const std::vector<int64_t>& candidates,
             const std::optional<std::vector<double>>& weights, const std::string& name) {
            return s.sample_categorical(candidates, weights.value_or(std::vector<double>()), name);
          },
          py::arg("candidates"), py::arg("weights") = py::none(), py::kw_only(), py::arg("name"),
          "One of the integers.")
      .def(
          "sample_compute_location", &Schedule::sample_compute_location, py::arg("block"),
          py::kw_only(), py::arg("name"),
          "Moves a producer to a place sampled among the legal ones; gives the loop, None where it "
          "stays or is inlined.")
      .def(
          "preset_decisions",
          [](Schedule& s, const std::map<std::string, py::object>& decisions) {
            std::vector<schedule::Decision> presets;
            for (const auto& [name, value] : decisions) {
              presets.push_back({name, value_from_python(value, "preset_decisions")});
            }
            s.preset_decisions(std::move(presets));
          },
          py::arg("decisions"), "Values to use instead of sampling, by name.")
      .def("set_sketch", &Schedule::set_sketch, py::arg("name"));
}

}  // namespace

void bind_schedule(py::module_& m) {
  bind_handle<Loop>(m, "Loop", "Handle of a loop; survives the rewrites of primitives.");
  bind_handle<BlockRef>(m, "BlockRef", "Handle of a block.");
  bind_int(m);
  Class cls(m, "Schedule",
            "A program under transformation. Each primitive changes the program without changing "
            "its meaning "
            "and is recorded, or raises ScheduleError and leaves everything as it was. `sch[C]` is "
            "the stage of "
            "a tensor, `sch.show()` prints the loop nest, `sch(a, b)` compiles and calls.");
  cls.def(py::init<ir::PrimFunc, uint64_t>(), py::arg("func"), py::arg("seed") = 0,
          "`seed` is for the sampling primitives.");
  bind_queries(cls);
  bind_loops(cls);
  bind_blocks(cls);
  bind_storage(cls);
  bind_schedule_storage(cls);
  bind_schedule_loops(cls);
  bind_sampling(cls);
  cls.def_static(
         "replay",
         [](const ir::PrimFunc& f, const schedule::Trace& t,
            const std::optional<Schedule>& instructions) {
           return Schedule::replay(f, t, instructions_of(instructions));
         },
         py::arg("func"), py::arg("trace"), py::arg("instructions") = py::none())
      .def_static(
          "replay",
          [](const ir::PrimFunc& f, const std::string& json,
             const std::optional<Schedule>& instructions) {
            return Schedule::replay(f, schedule::Trace::from_json(json),
                                    instructions_of(instructions));
          },
          py::arg("func"), py::arg("trace"), py::arg("instructions") = py::none(),
          "The schedule that a Trace (or its JSON) makes of `func`. Raises ScheduleError from the "
          "step that "
          "fails, TilewrightError (trace.*) for a bad trace. A trace holds only the names of "
          "tensorize's "
          "instructions: `instructions` is a schedule on which they are declared.");
  m.def("default_schedule", &schedule::default_schedule, py::arg("func"),
        "The schedule used when nothing else is known: producers inlined, outermost loops "
        "parallel, innermost "
        "vectorised; no tiling.");
  m.def(
      "primitives",
      [] {
        std::vector<std::tuple<std::string, std::string, std::string>> rows;
        for (const auto& row : schedule::primitive_docs())
          rows.emplace_back(row.name, row.group, row.what);
        return rows;
      },
      "(name, group, what it does) of all schedule primitives.");
}

}  // namespace tilewright::python
