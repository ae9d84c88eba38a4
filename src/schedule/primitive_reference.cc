#include "schedule/primitive_reference.h"

namespace tilewright::schedule {

/// Names elsewhere, compared with the sources of August 2026: TVM's s_tir.Schedule (python/tvm/s_tir/schedule; tir.Schedule
/// before, where get_sblock was get_block), Halide's Func and Stage (src/Func.h), Exo's scheduling operators
/// (src/exo/API_scheduling.py; "stdlib." stands for exo.stdlib). A name in parentheses does part of it, or does it in
/// another way.
const std::vector<PrimitiveReference>& primitive_references() {
  static const std::vector<PrimitiveReference> table = {
      {"get_block", "The program has a block of that name.", "get_sblock, get_block", "(the Func)",
       "(find)"},
      {"get_loops", "None.", "get_loops", "(Var, RVar)", "(find_loop)"},
      {"split",
       "The loop is serial or ordered. At most one factor is open, and without an open one the "
       "product covers the "
       "extent. tail='balanced' needs a constant extent and two factors, 'shift_inwards' an extent "
       "of at least one "
       "tile and no reduction below, 'pad' a proof that surplus iterations do no harm.",
       "split", "split", "divide_loop"},
      {"fuse", "The loops are directly nested, in the order given, and of one kind.", "fuse",
       "fuse", "mult_loops"},
      {"reorder",
       "The loops lie on one chain of perfectly nested loops; no extent depends on a loop that "
       "would come inside; "
       "reduction loops change their order only for an associative and commutative reducer; the "
       "ordered loops of a block keep theirs, and another loop changes places with one only where "
       "not both carry a dependence.",
       "reorder", "reorder", "reorder_loops"},
      {"unroll", "The extent is constant and not too large.", "unroll", "unroll", "unroll_loop"},
      {"vectorize",
       "The extent is constant, no other loop inside or outside is vectorized, and the iterations "
       "are independent: "
       "the loop feeds no reduction, and no two of them touch one element that either writes.",
       "vectorize", "vectorize", "(stdlib.vectorize)"},
      {"parallel",
       "The iterations are independent, as for vectorize, and the loop is not inside a vectorized "
       "one. Inside a "
       "parallel loop the inner one runs on one thread.",
       "parallel", "parallel", "parallelize_loop"},
      {"loop_partition",
       "The loop is serial and feeds one kind of axes. At most one extent is open; the parts cover "
       "the range.",
       "loop_partition", "(partition, always_partition)", "cut_loop"},
      {"specialize",
       "The condition speaks of the function's sizes alone, and is neither always nor never true.",
       "", "specialize", "specialize"},
      {"merge",
       "The loops stand beside each other with nothing dependent in between, have equal extents, "
       "and no iteration "
       "needs what an earlier loop does in a later iteration.",
       "merge", "(compute_with)", "fuse"},
      {"add_unit_loop", "None.", "add_unit_loop", "", "add_loop"},
      {"compute_at",
       "The block computes an intermediate buffer, nobody else writes it, all its readers are "
       "inside the loop, and "
       "what one iteration needs is a box that can be computed inside the loop.",
       "compute_at", "compute_at", "(fission, fuse), stdlib.compute_at"},
      {"reverse_compute_at",
       "A producer of the block is inside the loop, complete in each iteration, and the block "
       "reads "
       "it at its own axes, but for dimensions that each iteration makes whole (a reduction needs "
       "all its terms); its other inputs are made before the loop's nest.",
       "reverse_compute_at", "(compute_with)", "(fission, fuse)"},
      {"compute_inline",
       "The block computes each element of an intermediate buffer by one expression; it is no "
       "reduction.",
       "compute_inline", "compute_inline", "inline_assign"},
      {"reverse_compute_inline",
       "The block reads its producer's buffer at its own point, nobody else reads it, and the "
       "producer is no open "
       "reduction.",
       "reverse_compute_inline", "", "(inline_assign)"},
      {"compute_with",
       "The two nests stand beside each other, and each pair of loops down to the given one could "
       "be merged.",
       "(merge)", "compute_with", "(fuse)"},
      {"decompose_reduction",
       "The block is a reduction that still holds its init, and every loop that feeds the "
       "reduction is the given "
       "one or inside it.",
       "decompose_reduction", "(update)", "(fission)"},
      {"rfactor",
       "One reduction with an associative and commutative reducer is below the loop, which feeds "
       "its reduction axis "
       "alone. Changes the order of a float sum.",
       "rfactor", "rfactor", ""},
      {"blockize",
       "The nest holds one block, and no parallel or conditional part; a reduction is decomposed "
       "or wholly inside.",
       "blockize", "", "extract_subproc"},
      {"tensorize",
       "The nest computes what the reference of the declared instruction computes, with the same "
       "extents and without "
       "conditions.",
       "tensorize", "", "replace"},
      {"cache_read", "The block reads the buffer, whose writers are in other nests.", "cache_read",
       "(in)", "stage_mem"},
      {"cache_write",
       "The block alone writes the buffer, which does not live inside a loop shared with others.",
       "cache_write", "(in)", "stage_mem"},
      {"set_scope",
       "The buffer is an intermediate one. After lowering, register needs constant indices.",
       "set_scope", "store_in", "set_memory"},
      {"transform_layout",
       "The buffer is an intermediate one, and the map provably sends different elements to "
       "different places.",
       "transform_layout", "(reorder_storage)", "divide_dim, mult_dim, rearrange_dim"},
      {"pack", "As cache_read; the map as for transform_layout. Padded elements hold zero.",
       "(cache_read, transform_layout with pad_value)", "(in, reorder_storage)",
       "(stage_mem, divide_dim, rearrange_dim)"},
      {"store_at",
       "All uses of the buffer, and the loops that fill it, are inside the loop; no value flows "
       "from one iteration to "
       "the next.",
       "", "store_at, store_root", "lift_alloc, sink_alloc, stdlib.store_at"},
      {"storage_align", "The buffer is an intermediate one; the offset is below the factor.",
       "storage_align", "align_storage", ""},
      {"reindex",
       "All accesses of the block to the buffer have one index, in which each of its axes that "
       "occur gives another "
       "element.",
       "reindex", "", "(stage_mem)"},
      {"pad_einsum",
       "The block's padded axes have their own loops still and stand alone in each index; surplus "
       "terms provably "
       "change nothing.",
       "pad_einsum", "(align_bounds)", "(resize_dim)"},
      {"decompose_padding",
       "The block copies under a condition and stores a constant otherwise; the loop is around it.",
       "decompose_padding", "", ""},
      {"rolling_buffer",
       "The buffer lives inside a serial loop, nobody else writes it, and what an iteration uses "
       "moves forward along "
       "one dimension and overlaps with the one before.",
       "rolling_buffer", "(store_at outside compute_at, fold_storage)", "(resize_dim with fold)"},
      {"double_buffer", "The buffer lives inside a serial loop and has no versions yet.",
       "(annotation double_buffer_scope)", "ring_buffer", ""},
      {"software_pipeline",
       "One stage for each statement of the loop's body; within an iteration no statement has a "
       "lower stage than "
       "those it depends on, and no other dependence goes from a later iteration's stage to an "
       "earlier one.",
       "(annotation software_pipeline_stage)", "(async)", ""},
      {"prefetch", "The block is inside the loop and reads the buffer, which lives outside of it.",
       "", "prefetch", ""},
      {"annotate", "A key of the closed table, at a place that it has an effect on.", "annotate",
       "", ""},
      {"sample_perfect_tile", "The extent is constant and at least 1; the name is new.",
       "sample_perfect_tile", "", ""},
      {"sample_tile", "There are candidates; the name is new.", "", "", ""},
      {"sample_categorical", "There are candidates, and weights for all or none; the name is new.",
       "sample_categorical", "", ""},
      {"sample_compute_location", "The name is new.", "sample_compute_location", "", ""},
  };
  return table;
}

}  // namespace tilewright::schedule
