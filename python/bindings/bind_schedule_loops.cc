#include "schedule_calls.h"

/// \file
/// Methods of the primitives that cut, join and overlap loops.

namespace tilewright::python {

namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using Class = py::class_<Schedule>;

void bind_nests(Class& cls) {
  cls.def(
         "loop_partition",
         [](Schedule& s, Loop loop, const FactorsLike& extents) {
           std::vector<schedule::Factor> parts;
           for (const auto& extent : extents) {
             parts.push_back(extent ? schedule::Factor(extent->value) : schedule::Factor());
           }
           return s.loop_partition(loop, std::move(parts));
         },
         py::arg("loop"), py::arg("extents"),
         "Consecutive loops over parts of the range, one per extent; at most one extent is None "
         "and "
         "takes the rest.\n\n"
         "    for i in 0..100        ->   for i_0 in 0..1          ([1, None, 1])\n"
         "                                for i_1 in 0..98\n"
         "                                for i_2 in 0..1")
      .def(
          "merge",
          [](Schedule& s, const py::Args<Loop>& loops) {
            return s.merge(to_loops(loops, "merge"));
          },
          "Loops that stand beside each other and have equal extents into one, whose body runs "
          "theirs one after the other.")
      .def(
          "specialize",
          [](Schedule& s, BlockRef block, const std::string& condition) {
            return s.specialize(block, condition);
          },
          py::arg("block"), py::arg("condition"),
          "A copy of the block's nest for the sizes of which the condition holds, such as "
          "\"n % 8 == 0\"; it is a fact inside the copy. Gives the block of the copy.")
      .def("compute_with", &Schedule::compute_with, py::arg("block"), py::arg("loop"),
           "The loops around the block and those of the nest beside it, down to `loop`, become "
           "common.\n\n"
           "    for i: B[i] = ...            for i:\n"
           "    for i: C[i] = f(B[i])   ->     B[i] = ...\n"
           "                                   C[i] = f(B[i])");
}

void bind_overlap(Class& cls) {
  cls.def("rolling_buffer", &Schedule::rolling_buffer, py::arg("writer"),
          py::arg("write_index") = 0,
          "After compute_at: the block computes only what earlier iterations of the loop have not, "
          "and "
          "its buffer keeps the part in use.")
      .def("double_buffer", &Schedule::double_buffer, py::arg("writer"), py::arg("write_index") = 0,
           "The iterations of the loop where the buffer lives use two copies of it in turn.")
      .def("software_pipeline", &Schedule::software_pipeline, py::arg("loop"), py::arg("stages"),
           "Statement number i of the loop's body runs stages[i] iterations late, so that one "
           "iteration works on several; what they hand on has room for them.")
      .def(
          "prefetch",
          [](Schedule& s, BlockRef reader, const NameLike& buffer, Loop loop,
             const IntLike& distance) { s.prefetch(reader, buffer.buffer, loop, distance.value); },
          py::arg("reader"), py::arg("buffer"), py::arg("loop"), py::arg("distance"),
          "Asks for what `reader` will read of `buffer` `distance` iterations of `loop` ahead.");
}

}  // namespace

void bind_schedule_loops(Class& cls) {
  bind_nests(cls);
  bind_overlap(cls);
}

}  // namespace tilewright::python
