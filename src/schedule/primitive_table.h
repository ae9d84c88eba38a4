#pragma once

#include <string_view>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// One primitive. `operands` says what the inputs are: 'l' loop, 'b' block, '*' after a letter: one or more.
struct Primitive {
  std::string_view name;
  int version;
  std::string_view operands;
  std::string_view group;
  std::string_view what;
  Outputs (*run)(Invocation&);
};

const std::vector<Primitive>& primitive_table();
/// Null when there is none of that name.
const Primitive* find_primitive(std::string_view name);

// clang-format off
Outputs run_split(Invocation&);
Outputs run_fuse(Invocation&);
Outputs run_reorder(Invocation&);
Outputs run_unroll(Invocation&);
Outputs run_vectorize(Invocation&);
Outputs run_parallel(Invocation&);
Outputs run_loop_partition(Invocation&);
Outputs run_merge(Invocation&);
Outputs run_specialize(Invocation&);
Outputs run_rolling_buffer(Invocation&);
Outputs run_double_buffer(Invocation&);
Outputs run_software_pipeline(Invocation&);
Outputs run_prefetch(Invocation&);
Outputs run_compute_with(Invocation&);
Outputs run_add_unit_loop(Invocation&);
Outputs run_compute_at(Invocation&);
Outputs run_reverse_compute_at(Invocation&);
Outputs run_compute_inline(Invocation&);
Outputs run_reverse_compute_inline(Invocation&);
Outputs run_decompose_reduction(Invocation&);
Outputs run_rfactor(Invocation&);
Outputs run_cache_read(Invocation&);
Outputs run_cache_write(Invocation&);
Outputs run_set_scope(Invocation&);
Outputs run_transform_layout(Invocation&);
Outputs run_pack(Invocation&);
Outputs run_store_at(Invocation&);
Outputs run_storage_align(Invocation&);
Outputs run_reindex(Invocation&);
Outputs run_pad_einsum(Invocation&);
Outputs run_decompose_padding(Invocation&);
Outputs run_blockize(Invocation&);
Outputs run_tensorize(Invocation&);
Outputs run_sample_compute_location(Invocation&);
Outputs run_annotate(Invocation&);
Outputs run_get_block(Invocation&);
Outputs run_get_loops(Invocation&);
Outputs run_sample_perfect_tile(Invocation&);
Outputs run_sample_tile(Invocation&);
Outputs run_sample_categorical(Invocation&);
// clang-format on

}  // namespace tilewright::schedule
