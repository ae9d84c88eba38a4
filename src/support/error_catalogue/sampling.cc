#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    // ---- the schedule itself ----
    {.code = "schedule.level",
     .title = "the function has been lowered already",
     .meaning = "A schedule works on blocks. Lowered functions have none any more.",
     .remedy =
         "Schedule the function that te.create_prim_func gave, and lower or build the schedule."},
    {.code = "schedule.draft",
     .title = "a draft has no sealed trace",
     .meaning = "A draft skips the checks of the whole program, so its trace may not replay.",
     .remedy = "Replay the trace (Schedule::replay), which makes all checks, and seal that one."},
    {.code = "schedule.regions",
     .title = "a block declares other regions than its body accesses",
     .meaning = "Primitives rely on what blocks say they read and write. The function was built by "
                "hand or parsed, "
                "and a declared region leaves out an access.",
     .remedy = "Declare at least what the body accesses; IRBuilder finds the regions of a compute "
               "block itself."},
    {.code = "schedule.race",
     .title = "a loop is parallel or vectorized whose iterations depend on each other",
     .meaning = "The function was built by hand or parsed, and says that the iterations of a loop "
                "may run at once, while they write the same elements or need each other's results.",
     .remedy =
         "Build the loop serial and use the primitives parallel and vectorize, which check it."},
    {.code = "schedule.unknown_primitive",
     .title = "there is no primitive of that name",
     .meaning = "Schedule::apply takes the name of a row of the table of primitives.",
     .remedy = "Use the name suggested; tw.primitives() lists them all."},
    {.code = "schedule.unknown_code",
     .title = "there is no error of that code",
     .meaning = "explain takes a code as the catalogue lists it, or an exception.",
     .remedy = "Use the code suggested; `tilewright explain --list` prints them all."},
    {.code = "schedule.bad_integer",
     .title = "an integer does not fit 64 bits",
     .meaning = "Factors and other integers of primitives are 64-bit.",
     .remedy = "Give a smaller number."},
    {.code = "schedule.init_placement",
     .title = "the init of a reduction cannot be placed before it",
     .meaning =
         "The init runs once a spatial point, in a nest just outside of the reduction. A loop, "
         "index or guard "
         "of the block mixes spatial and reduction axes, so these points are no nest of loops.",
     .remedy = "Use decompose_reduction before fusing or splitting spatial and reduction loops "
               "together."},
    {.code = "schedule.get_block.unknown",
     .title = "there is no block of that name",
     .meaning = "Blocks are named after their computes. Inlined blocks are gone, and blocks made "
                "by primitives have "
                "names of their own, such as A_local.",
     .remedy = "Use one of the names listed; block_names() gives them at any time."},
    {.code = "stage.axis",
     .title = "the block has no axis of that number",
     .meaning =
         "axis and reduce_axis of a stage list the loops that the block had at the start, from 0.",
     .remedy = "Use a number below the count that the message gives."},
    // ---- hints ----
    {.code = "schedule.annotate.key",
     .title = "there is no annotation of that name",
     .meaning = "Annotations are a closed table, so that none is silently without effect.",
     .remedy = "Use one of the keys listed."},
    {.code = "schedule.annotate.place",
     .title = "the annotation has no effect there",
     .meaning = "Each annotation is read for one kind of loop only.",
     .remedy = "Give the loop its kind first, such as parallel for 'parallel_chunk'."},
    {.code = "schedule.annotate.value",
     .title = "the annotation does not take that value",
     .meaning = "Each annotation takes integers of a certain range, which the message gives.",
     .remedy = "Give a value in the range."},
    // ---- sampling ----
    {.code = "schedule.sample_perfect_tile.extent",
     .title = "the extent or the limit of the innermost factor is below 1",
     .meaning = "Perfect tiles are factors of the extent, each at least 1, the innermost at most "
                "max_innermost.",
     .remedy = "Use a loop with iterations and a limit of at least 1."},
    {.code = "schedule.sample_tile.candidates",
     .title = "there are no candidates",
     .meaning = "Every inner factor is drawn from the candidates.",
     .remedy = "Give at least one positive integer."},
    {.code = "schedule.sample_categorical.candidates",
     .title = "the numbers of candidates and weights do not fit",
     .meaning = "A choice is made among one or more candidates; weights are either one for each or "
                "none at all.",
     .remedy = "Give one weight a candidate, or none for equal weights."},
    {.code = "schedule.sample_categorical.weights",
     .title = "a weight is negative, or their sum is not above zero",
     .meaning = "Weights are relative probabilities.",
     .remedy = "Give weights of at least 0, one of them positive."},
    // ---- traces ----
    {.code = "trace.attribute",
     .title = "an instruction of a trace lacks an attribute, or it has another type",
     .meaning = "The attributes of an instruction are the arguments of its primitive.",
     .remedy = "Take the trace from a schedule (sch.trace.to_json()) and change values only."},
    {.code = "trace.decision",
     .title = "an instruction refers to a decision that the trace does not hold",
     .meaning = "\"$name\" or \"$name[0]\" in an attribute stands for a sampled value, listed in "
                "the trace's "
                "decisions.",
     .remedy = "Keep the sampling instruction that makes the decision before its use."},
    {.code = "trace.handle",
     .title = "an instruction uses a handle that no earlier one makes",
     .meaning =
         "Loops and blocks are named where an instruction gives them, and used by later ones.",
     .remedy = "Keep the instruction that makes the handle, before its use."},
    {.code = "trace.outputs",
     .title = "an instruction gives another number of results than the trace names",
     .meaning = "Replaying a trace on another program may give other loops: get_loops of a block "
                "with more "
                "dimensions, for example.",
     .remedy = "Replay a trace on the program that it was recorded on."},
    {.code = "trace.print",
     .title = "a trace cannot be printed as a program",
     .meaning = "An instruction has other operands or attributes than its primitive takes, so "
                "there is no call for "
                "it.",
     .remedy = "Take the trace from a schedule and change values only."},
    {.code = "trace.parse",
     .title = "a text is no trace",
     .meaning = "A trace is one JSON object with its instructions and decisions, as Trace.to_json "
                "writes it.",
     .remedy = "Correct what the message names."},
    {.code = "trace.unknown_primitive",
     .title = "the trace uses a primitive that this version does not have",
     .meaning = "The trace was recorded by a newer version, or its text was changed.",
     .remedy = "Use the version that recorded it."},
    {.code = "trace.version",
     .title = "the trace, or an instruction in it, has a version that this build cannot read",
     .meaning = "Traces and instructions carry versions. Older ones are brought up to date when "
                "they are read; this "
                "one is newer than the build.",
     .remedy = "Use the version that recorded the trace."},
};

}  // namespace

std::span<const Row> sampling_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
