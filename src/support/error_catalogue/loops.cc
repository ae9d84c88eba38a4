#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "schedule.split.factor",
     .title = "a factor is not a positive integer",
     .meaning =
         "The factors of a split are the extents of the new loops, outermost first; each is at "
         "least 1 and "
         "their product fits 64 bits. A factor above the extent is legal: the surplus is guarded.",
     .remedy = "Give factors of at least 1, and None for the one that follows from the extent.",
     .example = R"py(sch.split(i, factor=0)  # schedule.split.factor
sch.split(i, factor=32))py"},
    {.code = "schedule.split.factor_count",
     .title = "split got fewer than two factors, or leaves two of them open",
     .meaning = "split makes two or more loops. At most one of them may be open (None), since only "
                "one extent can "
                "follow from the others.",
     .remedy = "Give one number for each new loop and None for at most one.",
     .example = R"py(sch.split(i, factors=[None, None, 4])  # schedule.split.factor_count
sch.split(i, factors=[None, 8, 4]))py"},
    {.code = "schedule.split.arguments",
     .title = "split needs exactly one of factor, nparts and factors",
     .meaning = "factor is the extent of the inner loop, nparts that of the outer one, and factors "
                "lists the extents "
                "of any number of loops.",
     .remedy = "Give one of the three.",
     .example = R"py(sch.split(i, factor=8, nparts=4)  # schedule.split.arguments
sch.split(i, factor=8))py"},
    {.code = "schedule.split.too_few_iterations",
     .title = "the factors cover fewer iterations than the loop has",
     .meaning = "All factors are given and their product is below the extent (or not proved to "
                "reach it), so some "
                "iterations would never run.",
     .remedy = "Leave the outermost factor open (None): it becomes the extent divided by the "
               "others, rounded up.",
     .example = R"py(sch.split(i, factors=[3, 6])  # schedule.split.too_few_iterations: i has 20
sch.split(i, factors=[None, 6]))py"},
    {.code = "schedule.split.tail",
     .title = "there is no tail policy of that name",
     .meaning =
         "tail says what becomes of the iterations by which the new loops overshoot: guard (a "
         "condition or a "
         "lane mask), peel (a nest of its own for the rest), balanced (tiles of nearly equal "
         "size), pad "
         "(surplus computed into padded buffers), shift_inwards (the last tile moved back), auto.",
     .remedy = "Use one of the policies listed."},
    {.code = "schedule.split.balanced",
     .title = "tail='balanced' does not fit this split",
     .meaning = "Balanced tiles have sizes chosen when the program is compiled, so the extent must "
                "be a constant and "
                "the split one of two factors.",
     .remedy = "Use tail='guard' or tail='peel', or split twice."},
    {.code = "schedule.split.shift_inwards",
     .title = "tail='shift_inwards' does not fit this loop",
     .meaning = "The last tile is moved back so that it ends with the extent, and computes some "
                "points a second time. "
                "So there must be room for one whole tile, and no reduction may be inside, which "
                "would add terms "
                "twice.",
     .remedy = "Use tail='guard', 'peel' or 'pad'; for a symbolic size, an assumption such as n >= "
               "8 gives the room."},
    {.code = "schedule.fuse.not_nested",
     .title = "the loops are not directly nested",
     .meaning = "fuse joins loops that stand directly inside of each other, given outermost first, "
                "with nothing else "
                "between them.",
     .remedy = "Give them outermost first; reorder brings loops of one chain together.",
     .example = R"py(sch.fuse(j, i)  # schedule.fuse.not_nested: j is inside i
sch.fuse(i, j))py"},
    {.code = "schedule.fuse.loop_kind",
     .title = "the loops are of different kinds",
     .meaning = "The fused loop has one kind; a serial and a parallel loop give none for both.",
     .remedy = "fuse first, then give the result its kind."},
    {.code = "schedule.reorder.not_a_chain",
     .title = "the loops are not on one chain of perfectly nested loops",
     .meaning = "reorder exchanges loops that stand one inside of the other with nothing else "
                "between them. Here a "
                "loop belongs to another nest, or a body between them holds further blocks, which "
                "would be run a "
                "different number of times.",
     .remedy =
         "reorder before compute_at or decompose_reduction puts other blocks between the loops."},
    {.code = "schedule.reorder.reduction_order",
     .title = "the terms of a reduction would be combined in another order",
     .meaning = "The reducer is not declared associative and commutative, so the order of its "
                "terms is part of the "
                "result.",
     .remedy = "Keep the relative order of the reduction loops, or declare the reducer's laws (the "
               "declaration is "
               "tested)."},
    {.code = "schedule.parallel.schedule",
     .title = "there is no way of that name to hand out iterations",
     .meaning = "static gives each thread one contiguous share; dynamic hands out chunks as "
                "threads become free.",
     .remedy = "Use 'static' or 'dynamic'."},
    {.code = "schedule.parallel.chunk",
     .title = "the chunk is negative",
     .meaning = "chunk is the number of iterations handed to a thread at once; 0 leaves it to the "
                "runtime.",
     .remedy = "Give 0 or a positive number."},
    {.code = "schedule.loop_partition.extent",
     .title = "the extent of a part is not a positive integer",
     .meaning = "The parts follow each other from the first iteration on; each has at least one.",
     .remedy = "Give extents of at least 1, and None for the part that takes the rest.",
     .example = R"py(sch.loop_partition(i, [0, None])  # schedule.loop_partition.extent
sch.loop_partition(i, [4, None]))py"},
    {.code = "schedule.loop_partition.extent_count",
     .title = "too few or too many parts, or two of them open",
     .meaning = "A loop is cut into two or more parts, each with a copy of the body; at most one "
                "of them is open.",
     .remedy = "Give at least two parts, and None for at most one."},
    {.code = "schedule.loop_partition.too_few_iterations",
     .title = "the parts cover fewer iterations than the loop has",
     .meaning = "All extents are given and their sum is not proved to reach the extent of the "
                "loop, so some "
                "iterations would never run.",
     .remedy = "Leave one extent open (None)."},
    {.code = "schedule.loop_partition.empty_part",
     .title = "a part never has an iteration",
     .meaning = "The parts before it cover the whole loop already.",
     .remedy = "Leave the part out."},
};

}  // namespace

std::span<const Row> loop_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
