#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "schedule.cache_read.shared_loops",
     .title = "the buffer is made inside of the reader's own loops",
     .meaning = "The copy is filled in a nest of its own before the reader's loops, but the buffer "
                "gets its values "
                "only inside of them.",
     .remedy = "cache_read before compute_at brings the producer into the reader's loops."},
    {.code = "schedule.cache_write.shared_loops",
     .title = "the buffer lives inside of a loop that others share",
     .meaning = "The copy out is a nest of its own after the block's loops, where the buffer does "
                "not exist any more.",
     .remedy = "cache_write before compute_at or reverse_compute_at; set_scope alone says where a "
               "buffer is stored."},
    {.code = "schedule.pack.shared_loops",
     .title = "the buffer is made inside of the reader's own loops",
     .meaning = "The packed copy is filled in a nest of its own before the reader's loops, but the "
                "buffer gets its "
                "values only inside of them.",
     .remedy = "pack before compute_at; transform_layout changes the layout of an intermediate "
               "buffer in place."},
    {.code = "schedule.pack.map",
     .title = "the layout map cannot be read, or may send two elements to one place",
     .meaning = "A map such as \"(m, k) -> (m // 6, k, m % 6)\" names the dimensions and gives the "
                "place of an "
                "element as sums, products, quotients and remainders by constants. Different "
                "elements must go to "
                "different places.",
     .remedy = "Build it from quotient and remainder of each dimension by one constant.",
     .example = R"py(sch[C].pack(A, "(m, k) -> (m // 6, k)")  # schedule.pack.map
sch[C].pack(A, "(m, k) -> (m // 6, k, m % 6)"))py"},
    {.code = "schedule.pack.pad",
     .title = "the padding names no dimension, or rounds up to no multiple",
     .meaning = "pad={dimension: multiple} rounds the extent of a dimension up to a multiple of at "
                "least 1; the extra "
                "elements hold zero.",
     .remedy = "Use a dimension from 0 to the rank minus 1 and a multiple of at least 1."},
    {.code = "schedule.transform_layout.map",
     .title = "the layout map cannot be read, or may send two elements to one place",
     .meaning = "A map such as \"(n, c) -> (n, c // 8, c % 8)\" names the dimensions and gives the "
                "place of an "
                "element as sums, products, quotients and remainders by constants. Different "
                "elements must go to "
                "different places.",
     .remedy = "Build it from quotient and remainder of each dimension by one constant.",
     .example =
         R"py(# schedule.transform_layout.map
sch[B].transform_layout("(i, j) -> (i // 2, j)")
sch[B].transform_layout("(i, j) -> (i // 2, j, i % 2)"))py"},
    // ---- places ----
    {.code = "schedule.store_at.uses_outside",
     .title = "the buffer is used outside of the loop",
     .meaning = "A buffer that lives inside of a loop is made anew for each iteration, so every "
                "block that writes or "
                "reads it must be in there.",
     .remedy = "Choose a loop around all of them; compute_at moves a producer into a loop."},
    {.code = "schedule.store_at.values_flow",
     .title = "an iteration may read what another one has written",
     .meaning = "Inside of the loop each iteration would have a buffer of its own and lose what "
                "the others wrote. It "
                "is not proved that an iteration reads only what it has written itself.",
     .remedy = "Compute the writer at this loop first, or choose a loop further out."},
    {.code = "schedule.store_at.reduction_loop",
     .title = "the buffer accumulates over iterations of the loop",
     .meaning = "The loop, or one around it, runs over terms of the reduction that fills the "
                "buffer, which must keep "
                "its value between them.",
     .remedy = "Choose a loop outside of all loops of the reduction."},
    {.code = "schedule.storage_align.axis",
     .title = "the buffer has no such dimension",
     .meaning = "axis counts the dimensions of the buffer as it is stored, from 0.",
     .remedy = "Use a number below the count that the message gives."},
    {.code = "schedule.storage_align.factor",
     .title = "no stride leaves that offset when divided by the factor",
     .meaning = "storage_align makes one step along the axis a number of elements that leaves "
                "`offset` when divided "
                "by `factor`.",
     .remedy = "Give a factor of at least 1 and an offset from 0 to the factor minus 1."},
    // ---- reindex, padding ----
    {.code = "schedule.reindex.several_outputs",
     .title = "the reduction has several outputs",
     .meaning =
         "The outputs of a tuple reduction share one index, so one of them alone cannot be indexed "
         "differently.",
     .remedy = "cache_write gives the block outputs of its own."},
    {.code = "schedule.pad_einsum.padding",
     .title = "the padding does not list one multiple for each axis",
     .meaning = "pad_einsum rounds the extent of each axis of the block up to a multiple, in the "
                "order of the axes.",
     .remedy = "Give one number of at least 1 for each axis, 1 for those to leave as they are.",
     .example =
         R"py(sch.pad_einsum(C, [16])  # schedule.pad_einsum.padding: C has i, j, k
sch.pad_einsum(C, [16, 16, 1]))py"},
    {.code = "schedule.pad_einsum.axis",
     .title = "an axis cannot be padded",
     .meaning = "Only spatial and reduction axes that start at 0 have room behind their end.",
     .remedy = "Give that axis the multiple 1."},
    {.code = "schedule.pad_einsum.body",
     .title = "the block is more than one store or one update",
     .meaning = "Padding is proved for a single expression over the axes.",
     .remedy = "Write the other statements as computes of their own."},
    {.code = "schedule.pad_einsum.decomposed",
     .title = "the reduction has been decomposed",
     .meaning = "Init and update would have to be padded together.",
     .remedy = "pad_einsum before decompose_reduction."},
    {.code = "schedule.pad_einsum.bound_loops",
     .title = "an axis has no loop of its own any more",
     .meaning =
         "The loop of a padded axis gets a larger extent, so it must run over exactly that axis.",
     .remedy = "pad_einsum before split, fuse and compute_at."},
    {.code = "schedule.pad_einsum.not_neutral",
     .title = "padded terms of the reduction may change its result",
     .meaning = "Terms beyond the end of a reduction axis are computed from padded inputs. It is "
                "not proved that they "
                "leave the accumulator as it is.",
     .remedy = "Give that axis the multiple 1."},
    {.code = "schedule.decompose_padding.folded",
     .title = "the buffer holds only a part of its elements at a time",
     .meaning = "The constant would be filled into all elements at once, but a rolling buffer "
                "keeps only those in use.",
     .remedy = "decompose_padding before rolling_buffer."},
    {.code = "schedule.decompose_padding.not_a_padding",
     .title = "the block is no padding",
     .meaning = "The block must store if_then_else(inside, A[...], constant): a copy where the "
                "condition holds, one "
                "constant elsewhere.",
     .remedy = "Use it on a padding block, such as one that te.constant_exterior or pack made."},
};

}  // namespace

std::span<const Row> storage_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
