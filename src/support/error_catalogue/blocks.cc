#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    // ---- compute_at ----
    {.code = "schedule.compute_at.consumer_outside",
     .title = "a consumer of the block is outside of the loop",
     .meaning = "Inside of the loop the block computes only what one iteration needs, so every "
                "block that reads its "
                "buffer must be in there.",
     .remedy = "Choose a loop around all consumers, or bring the others in first (compute_at, "
               "reverse_compute_at).",
     .example =
         R"py(sch.compute_at(exp, sch.get_loops(sum)[0])  # consumer_outside
sch.compute_inline(exp)  # or compute it twice)py"},
    {.code = "schedule.compute_at.inputs_not_made",
     .title = "the block would read what has not been made by then",
     .meaning =
         "At the new place the block computes other elements, and a block that makes one of "
         "its inputs, which sits in loops of its own, makes only those needed at the old one.",
     .remedy = "Move the block first and its producers after it, or choose a loop further out."},
    {.code = "schedule.compute_at.own_loop",
     .title = "the loop is one of the block's own",
     .meaning = "compute_at moves a block into the loops of its consumers; this loop is already "
                "around the block.",
     .remedy = "Give a loop of a consumer: get_loops(get_consumers(block)[0])."},
    {.code = "schedule.compute_at.tail",
     .title = "compute_at knows no tail policy of that name",
     .meaning = "Where what an iteration needs reaches beyond the block's domain, 'guard' leaves "
                "those points out and "
                "'pad' computes them into a padded buffer.",
     .remedy = "Use tail='guard' or tail='pad'."},
    {.code = "schedule.compute_at.order",
     .title = "an input of the block would be made too late",
     .meaning = "Inside of the loop the block stands before its first consumer, but something it "
                "reads is made only "
                "after that consumer.",
     .remedy = "Choose a loop further out, or move the block that makes the input first."},
    // ---- reverse_compute_at ----
    {.code = "schedule.reverse_compute_at.no_producer",
     .title = "the block reads nothing that is made inside of the loop",
     .meaning = "reverse_compute_at moves a consumer behind its producer; no producer of this "
                "block is inside of the "
                "loop.",
     .remedy = "Give a loop of a producer: get_loops(get_producers(block)[0])."},
    {.code = "schedule.reverse_compute_at.order",
     .title = "the block would run before an input is made, or after its result is read",
     .meaning = "The block may move only to where all its inputs have been made and before "
                "anything reads its "
                "result.",
     .remedy = "Move the other producers or readers first, or choose a loop further out."},
    {.code = "schedule.reverse_compute_at.reduction",
     .title = "the block is a reduction",
     .meaning = "A reduction may need what several iterations of the loop make, while inside of "
                "the loop only one "
                "iteration's values are there.",
     .remedy = "Use compute_at on its producer, which computes what the reduction needs."},
    {.code = "schedule.reverse_compute_at.incomplete",
     .title = "inside of the loop the producer is only partly reduced",
     .meaning = "The loop, or one around it, runs over terms of the producer's reduction: its "
                "value is complete only "
                "when that loop has ended.",
     .remedy =
         "Choose a loop outside of all reduction loops of the producer, or rfactor the producer."},
    {.code = "schedule.reverse_compute_at.scattered",
     .title = "one iteration makes no solid box of the producer's buffer",
     .meaning = "The block's loops inside of the loop run over a box. The elements made by one "
                "iteration have gaps, "
                "mostly because an outer part of a split runs inside of the loop and its inner "
                "part outside.",
     .remedy = "Choose a loop inside of which all parts of each split axis run."},
    {.code = "schedule.reverse_compute_at.uncovered",
     .title = "the block has points that no iteration of the loop would compute",
     .meaning = "The block's axis runs further than what the producer makes, such as over padding.",
     .remedy = "Use compute_at on the producer instead."},
    {.code = "schedule.reverse_compute_at.conflicting_ranges",
     .title = "one axis of the block would need two ranges",
     .meaning = "The block reads two producers inside of the loop which make different ranges of "
                "what one axis runs "
                "over.",
     .remedy = "Choose a loop around one of the producers only, or split both producers alike."},
    {.code = "schedule.reverse_compute_at.read_index",
     .title = "the block does not read its producer at its own axes",
     .meaning =
         "The place of a point of the block follows from the element it reads, so each index of "
         "the read must "
         "be one axis of the block, or a constant, and the buffer must be read at one place.",
     .remedy = "Use compute_at on the producer."},
    {.code = "schedule.reverse_compute_at.guard",
     .title = "a condition cannot be carried to the new place",
     .meaning = "A guard of the producer or of the block depends on loops that do not exist at the "
                "new place, or on a "
                "loop that feeds none of the axes. Or the block has two producers inside of the "
                "loop, and one runs in iterations in which the guard of the other does not hold, "
                "as in different stages of a software_pipeline.",
     .remedy =
         "Move the block before the split that made the guard, or choose factors that divide."},
    // ---- inlining ----
    {.code = "schedule.compute_inline.not_injective",
     .title = "the block does not store one expression",
     .meaning = "Inlining puts the block's expression where its buffer is read. A reduction, or a "
                "block of several "
                "statements, has no such expression.",
     .remedy = "Use compute_at, which moves the loops."},
    {.code = "schedule.reverse_compute_inline.not_injective",
     .title = "the block does not store one expression",
     .meaning = "The consumer's expression is put around what its producer stores. A reduction, or "
                "a block of several "
                "statements, has no such expression.",
     .remedy = "Use reverse_compute_at, or compute_inline of the producer."},
    {.code = "schedule.reverse_compute_inline.producer",
     .title = "the block does not read exactly one other block's result",
     .meaning = "The block is to vanish into its producer, so there must be exactly one.",
     .remedy = "compute_inline the other producers first."},
    {.code = "schedule.reverse_compute_inline.several_readers",
     .title = "the producer's buffer has other readers",
     .meaning = "The buffer would no longer be written, but other blocks read it.",
     .remedy = "Use reverse_compute_at, which keeps the buffer."},
    {.code = "schedule.reverse_compute_inline.read_index",
     .title = "the block does not read its producer element for element",
     .meaning = "Each point of the block must read the one element of the same place; otherwise a "
                "point of the "
                "producer would belong to no point, or to several, of the block.",
     .remedy = "Use reverse_compute_at, or compute_inline of the producer."},
    // ---- reductions ----
    {.code = "schedule.decompose_reduction.not_a_reduction",
     .title = "the block is no reduction, or has been decomposed already",
     .meaning = "decompose_reduction makes the init of a reduction a block of its own; this block "
                "has no init.",
     .remedy = "Give the block of a reduction that still has its init."},
    {.code = "schedule.decompose_reduction.not_around",
     .title = "the loop is not around the block",
     .meaning = "The init block is put before the loop given, which must be one of the loops "
                "around the reduction.",
     .remedy = "Use one of get_loops(block)."},
    {.code = "schedule.decompose_reduction.too_deep",
     .title = "the init would run between the terms of the reduction",
     .meaning = "A loop outside of the one given already runs over terms, so the init before the "
                "inner loop would "
                "reset the accumulator again and again.",
     .remedy = "Give the outermost loop that feeds the reduction; reorder brings it further in.",
     .example = R"py(ko, ki = sch.split(k, 4)
sch.decompose_reduction(C, ki)  # too_deep
sch.decompose_reduction(C, ko))py"},
    {.code = "schedule.decompose_reduction.init_placement",
     .title = "the init cannot be written as a nest of its own",
     .meaning = "A loop, index or guard of the block mixes spatial and reduction axes, so the "
                "points to initialise "
                "are no nest of loops.",
     .remedy = "Decompose before fusing or splitting spatial and reduction loops together."},
    {.code = "schedule.rfactor.not_a_reduction",
     .title = "the loop feeds no reduction",
     .meaning = "rfactor makes partial results, one an iteration of a reduction loop. This loop "
                "feeds spatial axes "
                "only, or none.",
     .remedy = "Give a loop of a reduction axis: sch[C].reduce_axis, or a part of it."},
    {.code = "schedule.rfactor.several_reductions",
     .title = "the loop feeds reductions of several blocks",
     .meaning = "The loop is shared by several blocks that reduce over it; rfactor splits one.",
     .remedy = "rfactor before compute_at or compute_with bring the blocks under one loop."},
    {.code = "schedule.rfactor.decomposed",
     .title = "the reduction has been decomposed",
     .meaning = "Partial results start at the reducer's identity, but the init of this reduction "
                "is a block of its "
                "own already.",
     .remedy = "rfactor before decompose_reduction."},
    {.code = "schedule.rfactor.reducer",
     .title = "the reducer's partial results cannot be combined",
     .meaning = "Splitting a reduction into partial results changes how its terms are grouped, "
                "which keeps the result "
                "only for a reducer declared associative and commutative.",
     .remedy =
         "Declare the reducer's laws (the declaration is tested), or keep the reduction serial."},
    {.code = "schedule.rfactor.body",
     .title = "the block does more than update its accumulator",
     .meaning = "rfactor copies the update of a reduction; a body of several statements has none.",
     .remedy = "Write the other statements as a compute of their own."},
    {.code = "schedule.rfactor.factor_axis",
     .title = "factor_axis is no place among the dimensions",
     .meaning = "The buffer of partial results has one dimension more than the result; factor_axis "
                "says where it is "
                "put, from 0 (first) to the rank of the result (last).",
     .remedy = "Give a number in that range."},
    {.code = "schedule.rfactor.guard",
     .title = "a condition mixes spatial and reduction loops",
     .meaning = "The guard of the block depends on both kinds of loops, so it belongs to neither "
                "of the two blocks "
                "that rfactor makes.",
     .remedy = "rfactor before the split that made the guard, or use factors that divide."},
};

}  // namespace

std::span<const Row> block_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
