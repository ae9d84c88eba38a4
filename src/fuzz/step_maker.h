#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedule/tree.h"
#include "tilewright/fuzz/fuzz.h"

namespace tilewright::fuzz {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using schedule::Value;
using Call = Schedule::Call;

/// Draws steps for one schedule and applies them. Handles are fetched when needed and kept while nothing
/// changes, so that traces stay short.
class StepMaker {
 public:
  StepMaker(Schedule& sch, Rng& rng, Tally* tally) : sch_(sch), rng_(rng), tally_(tally) {}

  /// One random step: a primitive, or a sequence of them. Gives the number of accepted ones.
  int step();
  /// A number of different primitives, all equally likely, one after the other, each tried until it is accepted
  /// or a few tries are over: so every ordered pair is drawn. Gives the number of accepted ones.
  int aim(int count);
  /// A producer under a split that does not divide.
  int uneven_move();
  /// Adds what was applied in all to the tally's pairs.
  void finish();

  /// A primitive with random operands; an empty `op` where the program has no place for it.
  using Make = Call (StepMaker::*)();
  using Recipe = void (StepMaker::*)();
  struct Row {
    const char* primitive;
    int weight;
    Make make;
    Recipe reach = nullptr;  ///< makes the situation that the primitive needs, and applies it
    int rarity = 1;          ///< weight among those aimed at: more where most attempts are refused
  };
  static const std::vector<Row>& rows();

  struct RecipeRow {
    int weight;
    Recipe recipe;
  };
  static const std::vector<RecipeRow>& recipes();

 private:
  // --- operands (step_maker.cc)
  std::optional<std::vector<Schedule::Result>> issue(const Call& call);
  /// Whether the calls would be accepted one after the other: tried on a copy, counted nowhere.
  bool would_pass(const std::vector<Call>& calls) const;
  [[noreturn]] void report_fault(const Call& call, const std::string& code, const char* what) const;
  void note_names(const std::vector<Schedule::Result>& results);
  bool available(std::string_view primitive) const;
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[rng_.below(items.size())];
  }
  bool chance(int percent) { return rng_.below(100) < static_cast<uint64_t>(percent); }
  std::string some_block_name();
  BlockRef handle(const std::string& block);
  BlockRef handle(BlockRef block) { return handle(sch_.block_name(block)); }
  std::vector<Loop> loops_of(BlockRef block);
  BlockRef some_block() { return handle(some_block_name()); }
  /// A loop around any block, and that block.
  std::optional<Loop> some_loop();
  std::optional<std::pair<BlockRef, Loop>> some_place();
  bool reduces(BlockRef block) const;
  bool reduces(BlockRef block, Loop loop) const;
  std::vector<Loop> loops_of_kind(BlockRef block, bool reduce);
  std::vector<ir::Buffer> inputs_of(BlockRef block) const;
  std::vector<ir::Buffer> outputs_of(BlockRef block) const;
  std::string map_of(const ir::Buffer& buffer);
  std::string scope() { return chance(65) ? "global" : chance(80) ? "local" : "register"; }
  std::string tail();
  int64_t factor() { return rng_.between(1, 100) <= 8 ? rng_.between(9, 16) : rng_.between(2, 8); }
  int64_t write_index(BlockRef block);
  std::string decision_name() { return "d" + std::to_string(next_decision_++); }
  size_t num_blocks() const { return sch_.block_names().size(); }
  /// The blocks of which `holds` says so, in order.
  template <typename Holds>
  std::vector<BlockRef> blocks_where(Holds&& holds) {
    std::vector<BlockRef> blocks;
    for (const std::string& name : sch_.block_names()) {
      const BlockRef block = handle(name);
      if (holds(block)) blocks.push_back(block);
    }
    return blocks;
  }
  int64_t applied_count(std::string_view primitive) const {
    return std::count(applied_.begin(), applied_.end(), primitive);
  }
  bool too_deep(BlockRef block) { return loops_of(block).size() > 10; }
  std::optional<std::vector<Loop>> split_loop(Loop loop, Value::List factors, std::string tail);

  // --- primitives (step_loops.cc, step_blocks.cc, step_storage.cc)
  Call split();
  Call fuse();
  Call reorder();
  Call unroll();
  Call vectorize();
  Call parallel();
  Call add_unit_loop();
  Call loop_partition();
  Call merge();
  Call specialize();
  Call software_pipeline();
  Call annotate();
  Call sample_perfect_tile();
  Call sample_tile();
  Call sample_categorical();
  Call compute_at();
  Call reverse_compute_at();
  Call compute_inline();
  Call reverse_compute_inline();
  Call compute_with();
  Call decompose_reduction();
  Call rfactor();
  Call blockize();
  Call tensorize();
  Call sample_compute_location();
  Call cache_read();
  Call cache_write();
  Call reindex();
  Call set_scope();
  Call store_at();
  Call storage_align();
  Call transform_layout();
  Call pack();
  Call pad_einsum();
  Call decompose_padding();
  Call rolling_buffer();
  Call double_buffer();
  Call prefetch();

  // --- sequences (step_recipes.cc)
  void move_producer_under_tail();
  void move_consumer_under_tail();
  void pack_with_pad_tail();
  void factor_reduction();
  void split_by_decisions();
  void init_apart();
  void accumulate_in_cache();
  void parallel_and_vectors();
  void buffers_of_a_loop();
  void pad_and_decompose();
  void siblings();
  void block_of_a_tile();

  // --- sequences for primitives that need a situation (step_situations.cc)
  void slide_window();
  void fuse_epilogue();
  void instruct_a_tile();
  void store_further_out();
  void align_a_cache();
  void count_copies();
  void fuse_a_split();
  void copy_what_moved();
  void reorder_reduction();
  /// Declares an instruction that does what the nest from the loop on does; "": it is no tile.
  std::string instruction_for(Loop loop);

  Schedule& sch_;
  Rng& rng_;
  Tally* tally_;
  int next_decision_ = 0;
  int accepted_ = 0;
  std::vector<std::string> applied_;  // accepted primitives in order
  std::set<int64_t> uneven_;          // loops of splits that do not divide
  bool moved_under_tail_ = false;
  std::map<std::string, BlockRef> blocks_;  // cached handles
  std::map<int64_t, std::vector<Loop>> loops_;
  std::map<int64_t, std::string> loop_names_, block_names_;  // of handles in the trace
};

}  // namespace tilewright::fuzz
