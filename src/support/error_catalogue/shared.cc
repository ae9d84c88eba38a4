#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr SharedReason kReasons[] = {
    {.reason = "unknown_loop",
     .title = "the loop handle names no loop any more",
     .meaning = "{primitive} was given the handle of a loop that the program does not have now. "
                "Handles survive "
                "rewrites of other loops, but a primitive that replaces a loop (split, fuse, "
                "unroll of a partition, "
                "...) or removes its block ends the handle and gives new ones.",
     .remedy = "Use the handles that the earlier primitive returned, or get_loops(block) again."},
    {.reason = "unknown_block",
     .title = "the block handle names no block any more",
     .meaning = "{primitive} was given the handle of a block that the program does not have now: "
                "it was inlined or "
                "merged into another one.",
     .remedy = "Look at block_names() and use get_block(name)."},
    {.reason = "foreign_handle",
     .title = "the handle comes from another schedule",
     .meaning = "A trace names every loop and block that it uses, so {primitive} takes only "
                "handles that this "
                "schedule has handed out. The one given comes from another schedule, or from a "
                "copy made later.",
     .remedy = "Get the handle with get_block and get_loops of this schedule."},
    {.reason = "loop_kind",
     .title = "the loop is parallel, vectorized or unrolled already",
     .meaning = "{primitive} works on serial loops. A loop that has been given another kind keeps "
                "its form, so that "
                "what the kind promised stays true.",
     .remedy = "Call {primitive} before parallel, vectorize or unroll of the loop."},
    {.reason = "symbolic_extent",
     .title = "the extent of the loop is no constant",
     .meaning = "{primitive} must know the number of iterations now; this loop runs over a size "
                "that is known only at "
                "the call.",
     .remedy = "split the loop by a constant factor first and use the inner loop."},
    {.reason = "extent_too_large",
     .title = "the loop has too many iterations",
     .meaning = "{primitive} makes code for each iteration (or a lane for each), so there is a "
                "limit, which the "
                "message gives.",
     .remedy = "split the loop by a smaller factor first and use the inner loop."},
    {.reason = "reduce_loop",
     .title = "iterations that would run at once update one accumulator",
     .meaning = "The loop feeds a reduction axis: each of its iterations reads and writes the same "
                "elements. Run at "
                "once they would lose updates.",
     .remedy = "rfactor(loop) makes one partial result an iteration, whose loop may run at once; "
               "or choose a loop "
               "that feeds spatial axes only."},
    {.reason = "ordered_loop",
     .title = "an axis must run in its order",
     .meaning = "The block has an axis declared ordered, such as the steps of a scan: each "
                "iteration uses what the "
                "one before has made, so {primitive} may not change when they run.",
     .remedy = "Use {primitive} on the loops of other axes."},
    {.reason = "overlapping_writes",
     .title = "iterations that would run at once may write the same elements",
     .meaning = "A buffer that lives outside of the loop is written inside it, and it is not "
                "proved that two "
                "iterations write different elements. Run at once, the later one would overwrite "
                "what the other is "
                "still using.",
     .remedy = "Compute the block at this loop, or store_at its buffer there, so that each "
               "iteration has a buffer of "
               "its own; or choose a loop whose iterations write apart."},
    {.reason = "opaque_block",
     .title = "the body of the block is not known to the schedule",
     .meaning = "The block is opaque or extern: only the regions that it reads and writes are "
                "declared. {primitive} "
                "would have to look into the body or change it.",
     .remedy = "Schedule the loops around the block, or write it as a te.compute if its body can "
               "be an expression."},
    {.reason = "several_writers",
     .title = "another block writes the same buffer",
     .meaning = "The buffer gets its values from more than one block, such as the init and the "
                "update of a decomposed "
                "reduction. {primitive} would move or change one of them alone.",
     .remedy = "Call {primitive} before decompose_reduction or whatever made the second writer."},
    {.reason = "parameter",
     .title = "the buffer is a parameter of the function",
     .meaning = "Parameters belong to the caller: their place, layout and lifetime are part of the "
                "call, so "
                "{primitive} cannot change them.",
     .remedy = "cache_write (of an output) or cache_read (of an input) gives an intermediate "
               "buffer, to which "
               "{primitive} applies."},
    {.reason = "unknown_buffer",
     .title = "the block does not read a buffer of that name",
     .meaning = "{primitive} needs the name of a buffer that the block reads; the accumulator of a "
                "reduction does not "
                "count. The message lists the names.",
     .remedy = "Use one of the names listed."},
    {.reason = "write_index",
     .title = "the block does not write such a buffer, or not at one axis a dimension",
     .meaning = "write_index counts the buffers that a block writes, from 0. Where {primitive} "
                "moves or rewrites what "
                "a block writes, each index of the write must be one spatial axis by itself, the "
                "same for all "
                "outputs.",
     .remedy = "Choose a number below the count of outputs; for a block that writes elsewhere, "
               "schedule its "
               "consumers instead."},
    {.reason = "scope",
     .title = "there is no storage scope of that name",
     .meaning = "Scopes say where a buffer lies: global (memory of the call), local (a loop's own "
                "memory, on the "
                "stack), register (scalars and vectors), and shared and warp on a GPU.",
     .remedy = "Use one of the scopes that the message lists."},
    {.reason = "repeated_terms",
     .title = "terms of a reduction would be added several times",
     .meaning = "A loop that feeds no axis of the block runs it again and again. Outside of the "
                "reduction loops that "
                "repeats the whole reduction from its init, which changes nothing; inside of them "
                "it would add each "
                "term several times.",
     .remedy = "Keep such a loop outside the loops of the reduction."},
    {.reason = "no_consumer",
     .title = "nothing reads what the block writes",
     .meaning =
         "{primitive} needs a consumer of the block's buffer, and there is none where it looks.",
     .remedy = "Check the handle with block_name(); get_consumers(block) lists the readers."},
    {.reason = "dependent_extent",
     .title = "the extent of one loop depends on another",
     .meaning = "The inner loop runs further or less far depending on the outer one (a triangular "
                "nest), so the two "
                "cannot be exchanged or joined.",
     .remedy =
         "Work on the loops on either side, or rewrite the domain as a rectangle with where=."},
    {.reason = "masked",
     .title = "the block has a condition of its own",
     .meaning = "The block computes only those points where its `where` holds, and elsewhere its "
                "buffer keeps what it "
                "had. An expression put in its place would compute the other points too.",
     .remedy = "Keep the block and move it with compute_at."},
    {.reason = "vectorized_place",
     .title = "the place is inside a vectorized loop",
     .meaning = "A loop nest inside of a vectorized loop would have to run once a lane, with a "
                "buffer a lane.",
     .remedy = "Choose a loop outside the vectorized one."},
    {.reason = "nested",
     .title = "two loops would nest in a way that has no code",
     .meaning = "A loop nest has at most one vectorized loop, which no parallel loop is inside of, "
                "and at most one "
                "parallel loop: threads and lanes are handed out once.",
     .remedy = "fuse the two loops and give the result the kind, or give it to one of them only."},
    {.reason = "mixed_kinds",
     .title = "loops of a spatial and of a reduction axis are mixed",
     .meaning = "The loops belong together in one nest, but some of them feed a reduction and some "
                "do not. One loop "
                "for both would be neither: it could not be reordered, run at once, or have its "
                "init placed.",
     .remedy = "Treat spatial loops and reduction loops apart."},
    {.reason = "name",
     .title = "the name of a decision is empty, taken, or not made of letters, digits and _",
     .meaning = "Every sampled value is recorded in the trace under its name, by which a search "
                "changes it.",
     .remedy = "Give each sampled value a name of its own."},
    {.reason = "decision",
     .title = "a decision given in advance is not one the sampling could make",
     .meaning = "preset_decisions (or the trace being replayed) gives a value for this name, but "
                "it is not among the "
                "values that {primitive} chooses from.",
     .remedy = "Give a value of the space that the message describes, or leave the decision open."},
    {.reason = "count",
     .title = "too few or too many were given",
     .meaning =
         "{primitive} works on a certain number of loops or factors, which the message tells.",
     .remedy = "Give as many as the message says."},
    {.reason = "dependence",
     .title = "iterations that would run at once depend on each other",
     .meaning = "An iteration of the loop reads or overwrites what another one has made, so the "
                "result depends on "
                "their order. The text gives two such iterations where they can be listed.",
     .remedy = "Choose a loop each of whose iterations reads only what it makes itself, or move "
               "the producer into "
               "the loop first (compute_at)."},
    {.reason = "overwritten_input",
     .title = "an input is overwritten between the block's place and its new one",
     .meaning = "{primitive} would let a block read after another one, which runs between the two "
                "places, has written to the same buffer: it would find other values there.",
     .remedy = "Give the block a copy of its input first (cache_read)."},
    {.reason = "pad_tail",
     .title = "the padded tail of a split could not be carried out any more",
     .meaning = "tail='pad' promises that the surplus iterations do no harm: everything they touch "
                "has room, and "
                "surplus terms of a reduction leave its result as it is. After {primitive} that is "
                "not proved.",
     .remedy = "Make room first (cache_write of the result, pack with pad= of the operands), or "
               "split with "
               "tail='guard' or 'peel'."},
    {.reason = "balanced_tail",
     .title = "the balanced tail of a split could not be carried out any more",
     .meaning = "tail='balanced' promises that each block below covers a tile by one inner loop. "
                "After {primitive} "
                "that is not so.",
     .remedy = "Call {primitive} before the split, or split with tail='guard' or 'peel'."},
    {.reason = "shift_inwards_tail",
     .title = "the shifted tail of a split could not be carried out any more",
     .meaning = "tail='shift_inwards' promises that points may be computed twice and that one "
                "whole tile fits. After "
                "{primitive} that is not proved.",
     .remedy = "Call {primitive} before the split, or split with tail='guard' or 'peel'."},
    {.reason = "fold",
     .title = "a folded buffer would not hold all that is in use",
     .meaning = "rolling_buffer (or software_pipeline) keeps only the part of a dimension that is "
                "in use at a time. After "
                "{primitive} its statements would not move on together, or would use more than "
                "that part at once.",
     .remedy = "Call {primitive} before rolling_buffer or software_pipeline."},
    {.reason = "rolling",
     .title = "values that a rolling block counts on would be lost",
     .meaning = "After rolling_buffer the block computes only what earlier iterations of a loop "
                "have not. After "
                "{primitive} its buffer would not keep what these have made.",
     .remedy = "Call {primitive} before rolling_buffer."},
    {.reason = "init_placement",
     .title = "the init of a reduction cannot be written as a nest of its own",
     .meaning = "{primitive} copies the loops of a reduction and must write its init before them. "
                "A loop, index or guard "
                "of the block mixes spatial and reduction axes, so the points to initialise are no "
                "nest of loops.",
     .remedy =
         "decompose_reduction before fusing or splitting spatial and reduction loops together."},
    {.reason = "conditional",
     .title = "part of the nest runs under a condition",
     .meaning = "{primitive} needs a nest that always runs as a whole; here a guard, or a "
                "statement beside the "
                "block, makes part of it conditional.",
     .remedy =
         "Call {primitive} before the split that made the guard, or use factors that divide."},
    {.reason = "not_around",
     .title = "the loop is not around the block",
     .meaning = "{primitive} puts a new block before the loop given, which must be one of the "
                "loops around the "
                "block.",
     .remedy = "Use one of get_loops(block)."},
    {.reason = "access",
     .title = "a buffer is accessed at more than the block's own axes",
     .meaning = "{primitive} needs every access of the block to be a function of its axes alone, "
                "the same one for "
                "all accesses of a buffer.",
     .remedy = "cache_read or reindex gives the block a copy that it reads at its axes; otherwise "
               "write the access "
               "as a compute of its own."},
    {.reason = "shared_loops",
     .title = "other blocks share the loops",
     .meaning = "The copy that {primitive} makes is filled in a nest of its own, but the buffer is "
                "made or read by "
                "others inside of the block's loops.",
     .remedy = "Call {primitive} before compute_at or reverse_compute_at."},
    {.reason = "duplicate",
     .title = "a loop is listed twice",
     .meaning = "{primitive} works on different loops.",
     .remedy = "List each loop once."},
    {.reason = "not_siblings",
     .title = "the loops do not stand beside each other",
     .meaning = "{primitive} joins loops that are statements of one and the same body, one after "
                "the other.",
     .remedy = "Give loops of the same depth inside of the same loop; compute_at moves a block "
               "into another nest."},
    {.reason = "between",
     .title = "what stands between the loops shares a buffer with them",
     .meaning = "Joining moves one nest to the other, past the statements between them. One of "
                "these makes or reads "
                "what the nests touch, so the order matters.",
     .remedy = "compute_at or compute_inline what lies between."},
    {.reason = "extent",
     .title = "the loops are not proved to have the same extent",
     .meaning = "One loop takes the place of several, so they must have the same number of "
                "iterations for all sizes.",
     .remedy = "split or loop_partition one of them so that the extents agree."},
    {.reason = "scattered",
     .title = "iterations around the nest may run the same points",
     .meaning = "{primitive} makes one block of the nest, whose axes are the loops around it. It "
                "is not proved that "
                "different iterations of these run different points.",
     .remedy =
         "Choose a loop further out, or call {primitive} before the loops are fused or split."},
    {.reason = "open_reduction",
     .title = "a loop around the nest carries on its reduction",
     .meaning = "The nest would hold the init of the reduction and run for each part of the terms, "
                "resetting what "
                "the parts before have added.",
     .remedy = "decompose_reduction first, or choose a loop around the whole reduction."},
    {.reason = "parallel_loop",
     .title = "a loop of the nest runs on several threads",
     .meaning = "{primitive} makes the nest one block, and a block runs on one thread.",
     .remedy = "Choose a loop inside of the parallel one."},
    {.reason = "several_blocks",
     .title = "the nest holds more than one block",
     .meaning = "{primitive} works on the nest of a single block.",
     .remedy = "Choose a loop that is around one block alone."},
};

// Those of "any" end every primitive that changes the program: what earlier primitives have promised must still hold.
constexpr SharedUse kUses[] = {
    {.primitive = "any",
     .reasons = "reduce_loop ordered_loop overlapping_writes dependence pad_tail balanced_tail "
                "shift_inwards_tail fold rolling"},
    {.primitive = "get_loops", .reasons = "unknown_block foreign_handle"},
    {.primitive = "split", .reasons = "unknown_loop foreign_handle loop_kind"},
    {.primitive = "fuse",
     .reasons = "unknown_loop foreign_handle count dependent_extent mixed_kinds"},
    {.primitive = "reorder",
     .reasons = "duplicate unknown_loop foreign_handle count dependent_extent ordered_loop nested "
                "repeated_terms"},
    {.primitive = "unroll",
     .reasons = "unknown_loop foreign_handle loop_kind symbolic_extent extent_too_large"},
    {.primitive = "vectorize",
     .reasons = "unknown_loop foreign_handle loop_kind symbolic_extent extent_too_large "
                "reduce_loop ordered_loop overlapping_writes nested dependence opaque_block"},
    {.primitive = "parallel",
     .reasons = "unknown_loop foreign_handle loop_kind reduce_loop ordered_loop overlapping_writes "
                "nested dependence"},
    {.primitive = "add_unit_loop", .reasons = "unknown_loop unknown_block foreign_handle"},
    {.primitive = "compute_at",
     .reasons = "overwritten_input unknown_loop unknown_block foreign_handle opaque_block "
                "several_writers parameter "
                "write_index ordered_loop no_consumer vectorized_place"},
    {.primitive = "reverse_compute_at",
     .reasons = "unknown_loop unknown_block foreign_handle opaque_block several_writers "
                "write_index vectorized_place"},
    {.primitive = "compute_inline",
     .reasons = "overwritten_input unknown_block foreign_handle opaque_block several_writers "
                "parameter write_index "
                "masked no_consumer"},
    {.primitive = "reverse_compute_inline",
     .reasons = "overwritten_input unknown_block foreign_handle opaque_block several_writers "
                "parameter write_index masked"},
    {.primitive = "decompose_reduction",
     .reasons = "unknown_loop unknown_block foreign_handle opaque_block repeated_terms"},
    {.primitive = "rfactor",
     .reasons = "unknown_loop foreign_handle opaque_block mixed_kinds write_index several_writers"},
    {.primitive = "cache_read",
     .reasons = "unknown_block foreign_handle unknown_buffer scope opaque_block"},
    {.primitive = "cache_write",
     .reasons = "unknown_block foreign_handle opaque_block several_writers write_index scope"},
    {.primitive = "set_scope",
     .reasons = "unknown_block foreign_handle write_index parameter scope opaque_block"},
    {.primitive = "transform_layout",
     .reasons = "unknown_block foreign_handle write_index parameter opaque_block"},
    {.primitive = "pack",
     .reasons = "unknown_block foreign_handle unknown_buffer scope opaque_block"},
    {.primitive = "annotate", .reasons = "unknown_loop unknown_block foreign_handle"},
    {.primitive = "sample_perfect_tile",
     .reasons = "unknown_loop foreign_handle symbolic_extent name decision count"},
    {.primitive = "sample_tile", .reasons = "unknown_loop foreign_handle name decision count"},
    {.primitive = "sample_categorical", .reasons = "name decision"},
    {.primitive = "loop_partition",
     .reasons = "init_placement unknown_loop foreign_handle loop_kind mixed_kinds"},
    {.primitive = "merge",
     .reasons =
         "unknown_loop foreign_handle loop_kind count duplicate not_siblings between extent"},
    {.primitive = "compute_with",
     .reasons = "unknown_loop unknown_block foreign_handle loop_kind not_siblings between extent"},
    {.primitive = "store_at",
     .reasons = "unknown_loop unknown_block foreign_handle opaque_block parameter write_index "
                "vectorized_place"},
    {.primitive = "storage_align", .reasons = "unknown_block foreign_handle parameter write_index"},
    {.primitive = "reindex",
     .reasons = "unknown_block foreign_handle opaque_block several_writers unknown_buffer masked "
                "conditional access shared_loops"},
    {.primitive = "pad_einsum",
     .reasons = "unknown_block foreign_handle opaque_block several_writers masked conditional "
                "access shared_loops"},
    {.primitive = "decompose_padding",
     .reasons = "unknown_loop unknown_block foreign_handle opaque_block several_writers masked "
                "conditional not_around"},
    {.primitive = "blockize",
     .reasons = "unknown_loop foreign_handle opaque_block mixed_kinds dependent_extent conditional "
                "scattered open_reduction parallel_loop several_blocks"},
    {.primitive = "tensorize",
     .reasons = "unknown_loop foreign_handle opaque_block mixed_kinds dependent_extent conditional "
                "scattered open_reduction parallel_loop several_blocks masked nested"},
    {.primitive = "sample_compute_location",
     .reasons = "unknown_block foreign_handle name decision"},
    {.primitive = "double_buffer",
     .reasons = "unknown_block foreign_handle loop_kind parameter write_index"},
    {.primitive = "prefetch",
     .reasons = "unknown_loop unknown_block foreign_handle unknown_buffer not_around"},
    {.primitive = "rolling_buffer",
     .reasons = "unknown_block foreign_handle loop_kind opaque_block parameter several_writers "
                "write_index"},
    {.primitive = "software_pipeline",
     .reasons = "write_index unknown_loop foreign_handle loop_kind dependent_extent"},
    {.primitive = "specialize", .reasons = "unknown_block foreign_handle"},
};

}  // namespace

std::span<const SharedReason> shared_reasons() { return kReasons; }
std::span<const SharedUse> shared_uses() { return kUses; }

}  // namespace tilewright::error_catalogue
