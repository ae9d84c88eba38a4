#include "schedule_calls.h"
#include "values.h"

namespace tilewright::python {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

namespace {

void bind_places(py::class_<Schedule>& cls) {
  cls.def(
         "store_at",
         [](Schedule& s, BlockRef writer, Loop loop, int64_t index) {
           s.store_at(writer, loop, index);
         },
         py::arg("writer"), py::arg("loop"), py::arg("write_index") = 0,
         "The buffer lives inside `loop` from now on, also when compute_at moves its writer "
         "further "
         "in.")
      .def(
          "storage_align",
          [](Schedule& s, BlockRef writer, int64_t axis, const IntLike& factor,
             const IntLike& offset,
             int64_t index) { s.storage_align(writer, axis, factor.value, offset.value, index); },
          py::arg("writer"), py::arg("axis"), py::arg("factor"), py::arg("offset") = 0,
          py::arg("write_index") = 0,
          "One step along `axis` of the buffer that the block writes is a number of elements with "
          "stride % factor == offset.");
}

void bind_accesses(py::class_<Schedule>& cls) {
  cls.def(
         "reindex",
         [](Schedule& s, BlockRef block, const NameLike& buffer) {
           return s.reindex(block, buffer.buffer);
         },
         py::arg("block"), py::arg("buffer"),
         "The block accesses `buffer` through a copy indexed by the block's own axes; gives the "
         "copying block.\n\n"
         "    C[i] += A[i * 2 + k]   ->   A_reindex[i, k] = A[i * 2 + k]\n"
         "                                C[i] += A_reindex[i, k]")
      .def(
          "pad_einsum",
          [](Schedule& s, BlockRef block, const std::vector<IntLike>& padding) {
            std::vector<Int> multiples;
            for (const IntLike& multiple : padding) multiples.push_back(multiple.value);
            s.pad_einsum(block, multiples);
          },
          py::arg("block"), py::arg("padding"),
          "The extents of the block's axes become multiples of `padding`, one number an axis; its "
          "inputs are copied into padded buffers, its result is copied out.")
      .def("decompose_padding", &Schedule::decompose_padding, py::arg("block"), py::arg("loop"),
           "The pad value is filled in by a block of its own before `loop`; gives that block.\n\n"
           "    P[i] = if_then_else(inside, A[i - 1], 0)   ->   P[i] = 0\n"
           "                                                    where inside: P[i] = A[i - 1]");
}

void bind_instructions(py::class_<Schedule>& cls) {
  cls.def("blockize", &Schedule::blockize, py::arg("loop"),
          "The nest of one block from `loop` on becomes one block, which keeps name and handle.")
      .def(
          "declare_instruction",
          [](Schedule& s, const std::string& name, const ir::PrimFunc& reference,
             const ir::PrimFunc& implementation) {
            s.declare_instruction({name, reference, implementation});
          },
          py::arg("name"), py::arg("reference"), py::arg("implementation"),
          "Makes an instruction known to this schedule and its copies. The reference is one nest "
          "around one block; the implementation has the same parameters and is run against it on "
          "random data. Where its result is inout, it stands for the updates of the reduction "
          "without their init.")
      .def(
          "tensorize",
          [](Schedule& s, Loop loop, const std::string& instruction) {
            s.tensorize(loop, instruction);
          },
          py::arg("loop"), py::arg("instruction"),
          "The nest from `loop` on, which computes what the instruction's reference does, becomes "
          "its implementation.");
}

}  // namespace

void bind_schedule_storage(py::class_<Schedule>& cls) {
  bind_places(cls);
  bind_accesses(cls);
  bind_instructions(cls);
}

}  // namespace tilewright::python
