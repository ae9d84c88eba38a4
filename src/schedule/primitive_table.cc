#include "schedule/primitive_table.h"

namespace tilewright::schedule {

const std::vector<Primitive>& primitive_table() {
  static const std::vector<Primitive> table = {
      {"get_block", 1, "", "queries", "handle of the block of a name", run_get_block},
      {"get_loops", 1, "b", "queries", "loops around a block, outermost first", run_get_loops},
      {"split", 2, "l", "loops", "one loop into a nest, with a tail policy", run_split},
      {"fuse", 1, "l*", "loops", "directly nested loops into one", run_fuse},
      {"reorder", 1, "l*", "loops", "loops of one chain into another order", run_reorder},
      {"unroll", 1, "l", "loops", "repeat the body for each iteration", run_unroll},
      {"vectorize", 1, "l", "loops", "iterations become vector lanes", run_vectorize},
      {"parallel", 1, "l", "loops", "iterations run on several threads", run_parallel},
      {"loop_partition", 1, "l", "loops", "consecutive loops over parts of the range",
       run_loop_partition},
      {"specialize", 1, "b", "loops", "a copy of a nest for sizes of which a condition holds",
       run_specialize},
      {"merge", 1, "l*", "loops", "loops beside each other into one", run_merge},
      {"add_unit_loop", 1, "?", "loops", "a loop of extent 1 around a block or loop",
       run_add_unit_loop},
      {"compute_at", 2, "bl", "blocks", "a producer into its consumers' loop", run_compute_at},
      {"reverse_compute_at", 1, "bl", "blocks", "a consumer into its producers' loop",
       run_reverse_compute_at},
      {"compute_inline", 1, "b", "blocks", "a producer into the expressions that read it",
       run_compute_inline},
      {"reverse_compute_inline", 1, "b", "blocks", "an element-wise consumer into its producer",
       run_reverse_compute_inline},
      {"compute_with", 1, "bl", "blocks",
       "a block's loops and those of the nest beside it into one nest", run_compute_with},
      {"decompose_reduction", 1, "bl", "blocks", "the init of a reduction as a block of its own",
       run_decompose_reduction},
      {"rfactor", 1, "l", "blocks", "a reduction into partial results and their reduction",
       run_rfactor},
      {"cache_read", 1, "b", "storage", "a copy of an input in another buffer", run_cache_read},
      {"cache_write", 1, "b", "storage", "compute into another buffer and copy out",
       run_cache_write},
      {"set_scope", 1, "b", "storage", "where a buffer is stored", run_set_scope},
      {"transform_layout", 2, "b", "storage", "where the elements of a buffer lie",
       run_transform_layout},
      {"pack", 2, "b", "storage", "cache_read with a layout and padding", run_pack},
      {"store_at", 1, "bl", "storage", "the loop inside which a buffer lives", run_store_at},
      {"storage_align", 1, "b", "storage", "a stride of a buffer with a given remainder",
       run_storage_align},
      {"reindex", 1, "b", "storage", "a copy of a buffer indexed by the block's own axes",
       run_reindex},
      {"pad_einsum", 1, "b", "storage", "axes of a block rounded up, its buffers padded",
       run_pad_einsum},
      {"decompose_padding", 1, "bl", "storage", "the pad value filled in by a block of its own",
       run_decompose_padding},
      {"blockize", 1, "l", "blocks", "the nest of a block becomes one block", run_blockize},
      {"tensorize", 1, "l", "blocks", "a nest becomes a declared instruction", run_tensorize},
      {"sample_compute_location", 1, "b", "sampling", "a producer to a legal place",
       run_sample_compute_location},
      {"rolling_buffer", 1, "b", "storage", "compute only what earlier iterations have not",
       run_rolling_buffer},
      {"double_buffer", 1, "b", "storage", "iterations use two copies of a buffer in turn",
       run_double_buffer},
      {"software_pipeline", 1, "l", "hints", "statements of a loop work on different iterations",
       run_software_pipeline},
      {"prefetch", 1, "bl", "hints", "ask for what later iterations read", run_prefetch},
      {"annotate", 1, "?", "hints", "a hint from the closed table of keys", run_annotate},
      {"sample_perfect_tile", 1, "l", "sampling", "factors whose product is the extent",
       run_sample_perfect_tile},
      {"sample_tile", 1, "l", "sampling", "factors that need not divide the extent",
       run_sample_tile},
      {"sample_categorical", 1, "", "sampling", "one of the given integers",
       run_sample_categorical},
  };
  return table;
}

const Primitive* find_primitive(std::string_view name) {
  for (const Primitive& row : primitive_table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<PrimitiveDoc> primitive_docs() {
  std::vector<PrimitiveDoc> docs;
  for (const Primitive& row : primitive_table()) docs.push_back({row.name, row.group, row.what});
  return docs;
}

}  // namespace tilewright::schedule
