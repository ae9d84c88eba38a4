#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    // ---- specialize ----
    {.code = "schedule.specialize.condition",
     .title = "the text is no condition on the symbolic sizes",
     .meaning = "specialize copies a nest under a condition that is decided once a call, so it is "
                "a comparison of "
                "sizes. Loops and elements of buffers have no value there.",
     .remedy = "Write a comparison of sizes, such as \"n % 8 == 0\"; the message lists the sizes.",
     .example =
         R"py(sch.specialize(C, "i < 8")  # schedule.specialize.condition: i is a loop
sch.specialize(C, "n % 8 == 0"))py"},
    {.code = "schedule.specialize.always",
     .title = "the condition always holds",
     .meaning = "The general copy of the nest would never run.",
     .remedy = "Schedule the nest itself: what the condition says is known there."},
    {.code = "schedule.specialize.never",
     .title = "the condition never holds",
     .meaning = "The specialised copy of the nest would never run.",
     .remedy = "Give a condition that some size satisfies under the assumptions of the function."},
    // ---- double_buffer ----
    {.code = "schedule.double_buffer.not_in_loop",
     .title = "the buffer is not made anew in each iteration of a loop",
     .meaning = "Two versions let one iteration fill the buffer while the one before still reads "
                "the other. That "
                "needs a buffer that lives inside of a loop.",
     .remedy = "compute_at puts its block into the loop of its consumer."},
    {.code = "schedule.double_buffer.scope",
     .title = "the buffer is in registers",
     .meaning =
         "Registers are chosen when the program is compiled, so there is one version of each.",
     .remedy = "set_scope stores the buffer elsewhere."},
    {.code = "schedule.double_buffer.versions",
     .title = "the buffer has several versions already",
     .meaning = "double_buffer or software_pipeline has been used on it.",
     .remedy = "Nothing is to be done."},
    // ---- prefetch ----
    {.code = "schedule.prefetch.loop_kind",
     .title = "the loop has no next iteration",
     .meaning = "prefetch asks for what a later iteration of the same thread will read; iterations "
                "of parallel, "
                "vectorized and unrolled loops do not follow each other.",
     .remedy = "Choose a serial loop around the reader."},
    {.code = "schedule.prefetch.local_buffer",
     .title = "the buffer lives inside of the loop",
     .meaning = "A later iteration has another buffer, which does not exist yet.",
     .remedy = "Choose a loop inside of which the buffer outlives the iteration."},
    {.code = "schedule.prefetch.same_elements",
     .title = "every iteration reads the same elements",
     .meaning = "The access does not move with the loop, so there is nothing new to ask for.",
     .remedy = "Choose a loop that moves the access."},
    {.code = "schedule.prefetch.distance",
     .title = "the distance is out of range",
     .meaning = "The distance counts iterations ahead.",
     .remedy = "Give the number of iterations that memory takes to answer, at least 1."},
    // ---- software_pipeline ----
    {.code = "schedule.software_pipeline.stage_count",
     .title = "not one stage for each statement of the loop",
     .meaning =
         "The body of the loop is two or more statements, each with its stage, in their order.",
     .remedy = "Give one stage for each; compute_at puts a producer into the loop.",
     .example = R"py(sch.software_pipeline(i, [0])  # schedule.software_pipeline.stage_count
sch.software_pipeline(i, [0, 1]))py"},
    {.code = "schedule.software_pipeline.stage",
     .title = "the stages do not count from 0",
     .meaning = "Stage s runs s iterations after stage 0; at least one statement is at stage 0 and "
                "one later.",
     .remedy = "Give 0 to the statements that run first and 1 to those an iteration later."},
    {.code = "schedule.software_pipeline.stage_order",
     .title = "a statement would run before what it needs",
     .meaning =
         "A statement reads what another one of the same iteration makes, but has a lower stage.",
     .remedy = "Give a statement no lower stage than those it depends on."},
    {.code = "schedule.software_pipeline.dependence",
     .title = "statements of different stages touch the same elements in different iterations",
     .meaning = "The statement of the lower stage runs ahead by whole iterations and would "
                "overwrite or read what the "
                "other still needs or has yet to make.",
     .remedy = "Give both statements the same stage."},
    {.code = "schedule.software_pipeline.tail",
     .title = "a tail policy goes by the order of the loop's iterations",
     .meaning = "The tail of an earlier split is carried out on this loop, which the pipeline cuts "
                "into prologue, "
                "steady part and epilogue.",
     .remedy = "split with tail='guard', or pipeline another loop."},
    {.code = "schedule.software_pipeline.scope",
     .title = "a buffer between stages is in registers",
     .meaning = "It must hold the values of several iterations at a time.",
     .remedy = "set_scope stores it elsewhere."},
    {.code = "schedule.software_pipeline.folded",
     .title = "a buffer between stages is a rolling buffer",
     .meaning = "Its positions are used again before the later stage has read them.",
     .remedy = "software_pipeline before rolling_buffer."},
    {.code = "schedule.software_pipeline.several_writers",
     .title = "statements of different stages write one buffer",
     .meaning = "Which of its versions holds the result would depend on the stage.",
     .remedy = "Give all writers of a buffer the same stage."},
    // ---- rolling_buffer ----
    {.code = "schedule.rolling_buffer.not_in_loop",
     .title = "the buffer is not made anew in each iteration of one loop",
     .meaning = "rolling_buffer lets an iteration keep what the one before has made, so the block "
                "must be computed "
                "at a loop.",
     .remedy = "compute_at puts the block into the loop of its consumer.",
     .example = R"py(sch.rolling_buffer(blur_x)  # not_in_loop
sch.compute_at(blur_x, sch.get_loops(blur_y)[0])
sch.rolling_buffer(blur_x))py"},
    {.code = "schedule.rolling_buffer.scope",
     .title = "the buffer is in registers",
     .meaning = "Registers have no positions to roll through.",
     .remedy = "set_scope stores the buffer elsewhere."},
    {.code = "schedule.rolling_buffer.shared_loops",
     .title = "other blocks share the block's own loops",
     .meaning = "The block will run over the new part only, the others over the whole.",
     .remedy = "rolling_buffer before other blocks are moved into these loops."},
    {.code = "schedule.rolling_buffer.no_overlap",
     .title = "iterations share nothing to keep",
     .meaning = "The parts that two iterations use are disjoint, or the same for all iterations.",
     .remedy =
         "Leave rolling_buffer out; compute_at at a loop further out makes a fixed part once."},
    {.code = "schedule.rolling_buffer.window",
     .title = "what one iteration makes is no box that moves along one dimension",
     .meaning = "The kept part is found by one dimension along which one loop of the block runs.",
     .remedy = "rolling_buffer after compute_at and before the block's loops are split, fused or "
               "reordered."},
    {.code = "schedule.rolling_buffer.not_forward",
     .title = "the part in use is not proved to move forward only",
     .meaning = "An iteration keeps what the ones before have made; a part that moves back would "
                "need what has been "
                "overwritten.",
     .remedy = "Choose a loop along which the consumer reads forward."},
    {.code = "schedule.rolling_buffer.guard",
     .title = "a condition leaves out parts of what an iteration needs",
     .meaning = "Left-out parts would never be made, although later iterations count on them.",
     .remedy = "rolling_buffer before the block's loops are split, or use factors that divide."},
    // ---- composite steps ----
    {.code = "schedule.multi_level_tile.loop",
     .title = "a loop is not by itself an axis of the block",
     .meaning =
         "multi_level_tile cuts the block's axes into levels, so each axis still has its one loop.",
     .remedy = "Tile a block before its loops are split or fused."},
    {.code = "schedule.multi_level_tile.factors",
     .title = "the factors do not fit the structure",
     .meaning = "Each loop has one list of factors, one factor a level, or one fewer to leave the "
                "outermost open.",
     .remedy = "Give lists as the message counts them."},
    {.code = "schedule.multi_level_tile.structure",
     .title = "the structure is no sequence of S and R",
     .meaning = "S stands for a level of all spatial loops, R for one of all reduction loops, "
                "outermost first.",
     .remedy =
         "Give one such as \"SSRSRS\", with a level for each kind of loop that the block has."},
    {.code = "schedule.vectorize_inner.no_loop",
     .title = "there is no loop around the block",
     .meaning = "vectorize_inner vectorizes the innermost loop.",
     .remedy = "Leave it out for a block of one point."},
    {.code = "schedule.parallelize_outer.count",
     .title = "there are not so many loops to make parallel",
     .meaning =
         "parallelize_outer fuses the first loops around a block and makes the result parallel.",
     .remedy = "Give at least 1 and at most the number of loops around the block."},
    {.code = "schedule.stage_panels.dimension",
     .title = "the block reads no buffer with such a dimension",
     .meaning = "stage_panels packs one input of the block in panels along a dimension.",
     .remedy = "Give a buffer that the block reads and a dimension from 0 on."},
};

}  // namespace

std::span<const Row> pipelining_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
