#include "fuzz/step_maker.h"

/// \file
/// The tables of the generator: which primitives and sequences it draws, and how often.

namespace tilewright::fuzz {

const std::vector<StepMaker::Row>& StepMaker::rows() {
  static const std::vector<Row> table = {
      {"split", 14, &StepMaker::split},
      {"fuse", 5, &StepMaker::fuse, &StepMaker::fuse_a_split, 2},
      {"reorder", 10, &StepMaker::reorder, &StepMaker::reorder_reduction},
      {"unroll", 3, &StepMaker::unroll},
      {"vectorize", 4, &StepMaker::vectorize},
      {"parallel", 3, &StepMaker::parallel},
      {"add_unit_loop", 3, &StepMaker::add_unit_loop},
      {"loop_partition", 4, &StepMaker::loop_partition, nullptr, 2},
      {"merge", 4, &StepMaker::merge, &StepMaker::siblings, 4},
      {"specialize", 4, &StepMaker::specialize, nullptr, 4},
      {"software_pipeline", 4, &StepMaker::software_pipeline, &StepMaker::count_copies},
      {"annotate", 2, &StepMaker::annotate, &StepMaker::parallel_and_vectors},
      {"sample_perfect_tile", 2, &StepMaker::sample_perfect_tile},
      {"sample_tile", 2, &StepMaker::sample_tile},
      {"sample_categorical", 2, &StepMaker::sample_categorical},
      {"compute_at", 8, &StepMaker::compute_at, &StepMaker::move_producer_under_tail},
      {"reverse_compute_at", 8, &StepMaker::reverse_compute_at,
       &StepMaker::move_consumer_under_tail},
      {"compute_inline", 4, &StepMaker::compute_inline, nullptr, 3},
      {"reverse_compute_inline", 5, &StepMaker::reverse_compute_inline, &StepMaker::fuse_epilogue},
      {"compute_with", 5, &StepMaker::compute_with, &StepMaker::siblings, 3},
      {"decompose_reduction", 4, &StepMaker::decompose_reduction, &StepMaker::init_apart},
      {"rfactor", 4, &StepMaker::rfactor, &StepMaker::factor_reduction},
      {"blockize", 3, &StepMaker::blockize, &StepMaker::block_of_a_tile},
      {"tensorize", 4, &StepMaker::tensorize, &StepMaker::instruct_a_tile},
      {"sample_compute_location", 3, &StepMaker::sample_compute_location},
      {"cache_read", 5, &StepMaker::cache_read},
      {"cache_write", 5, &StepMaker::cache_write},
      {"reindex", 4, &StepMaker::reindex},
      {"set_scope", 3, &StepMaker::set_scope},
      {"store_at", 4, &StepMaker::store_at, &StepMaker::store_further_out},
      {"storage_align", 4, &StepMaker::storage_align, &StepMaker::align_a_cache},
      {"transform_layout", 4, &StepMaker::transform_layout},
      {"pack", 4, &StepMaker::pack},
      {"pad_einsum", 4, &StepMaker::pad_einsum, &StepMaker::pad_and_decompose},
      {"decompose_padding", 4, &StepMaker::decompose_padding, &StepMaker::pad_and_decompose, 5},
      {"rolling_buffer", 4, &StepMaker::rolling_buffer, &StepMaker::slide_window, 4},
      {"double_buffer", 4, &StepMaker::double_buffer, &StepMaker::count_copies},
      {"prefetch", 4, &StepMaker::prefetch},
  };
  return table;
}

const std::vector<StepMaker::RecipeRow>& StepMaker::recipes() {
  static const std::vector<RecipeRow> table = {
      {16, &StepMaker::move_producer_under_tail},
      {6, &StepMaker::move_consumer_under_tail},
      {5, &StepMaker::pack_with_pad_tail},
      {6, &StepMaker::factor_reduction},
      {5, &StepMaker::split_by_decisions},
      {4, &StepMaker::init_apart},
      {4, &StepMaker::accumulate_in_cache},
      {5, &StepMaker::parallel_and_vectors},
      {6, &StepMaker::buffers_of_a_loop},
      {4, &StepMaker::pad_and_decompose},
      {4, &StepMaker::siblings},
      {3, &StepMaker::block_of_a_tile},
      {6, &StepMaker::slide_window},
      {4, &StepMaker::fuse_epilogue},
      {5, &StepMaker::instruct_a_tile},
      {3, &StepMaker::store_further_out},
      {2, &StepMaker::count_copies},
      {2, &StepMaker::copy_what_moved},
      {6, &StepMaker::reorder_reduction},
  };
  return table;
}

std::vector<std::string> generator_rows() {
  std::vector<std::string> names = {"get_block", "get_loops"};
  for (const StepMaker::Row& row : StepMaker::rows()) names.emplace_back(row.primitive);
  return names;
}

int apply_random_primitives(Schedule& sch, Rng& rng, int attempts, Tally* tally) {
  StepMaker maker(sch, rng, tally);
  int accepted = 0;
  // Three ways to begin, so that rare neighbours and uneven splits are never left to luck.
  const uint64_t start = rng.below(100);
  if (start < 30) {
    accepted += maker.aim(8);
    attempts /= 3;
  } else if (start < 64) {
    accepted += maker.uneven_move();
  }
  for (int i = 0; i < attempts; ++i) accepted += maker.step();
  maker.finish();
  return accepted;
}

}  // namespace tilewright::fuzz
