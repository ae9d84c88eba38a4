#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "schedule.compute_with.inside",
     .title = "the block is inside of the loop already",
     .meaning = "compute_with joins the block's own nest with that of the loop.",
     .remedy = "Nothing is to be done, or give a loop of the other nest."},
    {.code = "schedule.compute_with.depth",
     .title = "the block has fewer loops than the nest to join",
     .meaning = "The nests are joined loop by loop down to the loop given, so the block needs as "
                "many loops.",
     .remedy = "Choose a loop further out, or split the block's loops first."},
    {.code = "schedule.compute_with.dependence",
     .title = "the joined loop would touch elements too early",
     .meaning = "In the joined loop an iteration of the second nest follows the same iteration of "
                "the first one, but "
                "it touches elements that the first is done with only later.",
     .remedy = "split so that what is needed is complete in each iteration, or use compute_at, "
               "which computes what an "
               "iteration needs."},
    {.code = "schedule.merge.dependence",
     .title = "the joined loop would touch elements too early",
     .meaning = "In the joined loop an iteration of the second nest follows the same iteration of "
                "the first one, but "
                "it touches elements that the first is done with only later.",
     .remedy = "split so that what is needed is complete in each iteration, or use compute_at, "
               "which computes what an "
               "iteration needs."},
    {.code = "schedule.tensorize.unknown_instruction",
     .title = "no instruction of that name is declared",
     .meaning = "Instructions belong to a schedule: their reference says what they compute, their "
                "implementation "
                "how. A trace holds the name only.",
     .remedy = "declare_instruction first; give replay the instructions again."},
    {.code = "schedule.tensorize.guarded",
     .title = "a condition cuts off part of the nest",
     .meaning = "The instruction always does the whole tile.",
     .remedy = "Use factors that divide, or pad_einsum."},
    {.code = "schedule.tensorize.mismatch",
     .title = "the nest is not what the instruction does",
     .meaning = "The nest from the loop on is compared with the reference of the instruction: the "
                "same loops, the "
                "same expression, the same order of operands.",
     .remedy = "split and reorder until the loops inside are those of the reference."},
    {.code = "schedule.instruction.malformed",
     .title = "an instruction is not well-formed",
     .meaning =
         "Reference and implementation are functions of the same parameters with constant shapes.",
     .remedy = "Correct what the message names."},
    {.code = "schedule.instruction.mismatch",
     .title = "reference and implementation of an instruction differ",
     .meaning = "Both are run on random integers when the instruction is declared; the message "
                "shows an element on "
                "which they disagree.",
     .remedy = "Correct the one that does not do what is meant."},
    {.code = "schedule.instruction.redeclared",
     .title = "another instruction has that name",
     .meaning = "A name stands for one instruction in a schedule, since traces hold names.",
     .remedy = "Give it another name."},
};

}  // namespace

std::span<const Row> joined_block_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
