#include "schedule/primitive_table.h"

namespace tilewright::schedule {

const std::vector<Primitive>& primitive_table() {
  static const std::vector<Primitive> table = {
      {"get_block", 1, "", "queries", "handle of the block of a name", run_get_block},
      {"get_loops", 1, "b", "queries", "loops around a block, outermost first", run_get_loops},
      {"split", 1, "l", "loops", "one loop into a nest, with a tail policy", run_split},
      {"fuse", 1, "l*", "loops", "directly nested loops into one", run_fuse},
      {"reorder", 1, "l*", "loops", "loops of one chain into another order", run_reorder},
      {"unroll", 1, "l", "loops", "repeat the body for each iteration", run_unroll},
      {"vectorize", 1, "l", "loops", "iterations become vector lanes", run_vectorize},
      {"parallel", 1, "l", "loops", "iterations run on several threads", run_parallel},
      {"add_unit_loop", 1, "?", "loops", "a loop of extent 1 around a block or loop",
       run_add_unit_loop},
      {"compute_at", 1, "bl", "blocks", "a producer into its consumers' loop", run_compute_at},
      {"reverse_compute_at", 1, "bl", "blocks", "a consumer into its producers' loop",
       run_reverse_compute_at},
      {"compute_inline", 1, "b", "blocks", "a producer into the expressions that read it",
       run_compute_inline},
      {"reverse_compute_inline", 1, "b", "blocks", "an element-wise consumer into its producer",
       run_reverse_compute_inline},
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
