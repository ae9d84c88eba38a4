#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/error.h"
#include "tilewright/schedule/tensor_instruction.h"
#include "tilewright/schedule/trace.h"
#include "tilewright/support/rng.h"

namespace tilewright::schedule {

/// Handle of a loop: its id, which survives rewrites, and the schedule that gave it (0: not known), shared by the
/// copies of that schedule.
struct Loop {
  int64_t id = -1;
  uint64_t owner = 0;
  bool operator==(const Loop&) const = default;
};
/// Handle of a block, likewise.
struct BlockRef {
  int64_t id = -1;
  uint64_t owner = 0;
  bool operator==(const BlockRef&) const = default;
};

/// An integer parameter of a primitive: a plain number, or a sampled decision carrying its name.
struct Int {
  int64_t value = 0;
  std::string decision;  ///< empty: a literal
  Int() = default;
  Int(int v) : value(v) {}
  Int(int64_t v) : value(v) {}
  Int(int64_t v, std::string name) : value(v), decision(std::move(name)) {}
  operator int64_t() const { return value; }
};
using Factor = std::optional<Int>;

/// A program under transformation and the trace of how it came about. Copying is O(1).
///
/// Every primitive either changes the program without changing its meaning and is recorded, or throws
/// ScheduleException and leaves everything as it was. `apply` is the same without exceptions.
class Schedule {
 public:
  explicit Schedule(ir::PrimFunc func, uint64_t seed = 0);

  const ir::PrimFunc& func() const { return func_; }
  /// The program as it was before the first primitive.
  const ir::PrimFunc& original() const { return original_; }
  const Trace& trace() const { return trace_; }
  /// Names the sketch in the trace.
  void set_sketch(std::string name) { trace_.sketch = std::move(name); }
  /// The trace with its hash filled in. Throws Error "schedule.draft" for a draft.
  Trace sealed_trace() const;
  /// From here on a draft, for looking at many schedules: primitives still check their own rules, but not what the
  /// whole program has become (tails that lowering must prove, parallel loops around blocks that were moved). About
  /// three times as fast; what is to be compiled is made again without it. There is no way back.
  void make_draft() { draft_ = true; }
  bool is_draft() const { return draft_; }

  // --- queries (get_block and get_loops are recorded: they name the handles of a trace) ---
  BlockRef get_block(std::string_view name);
  /// Loops around the block, outermost first.
  std::vector<Loop> get_loops(BlockRef block);
  std::vector<BlockRef> get_producers(BlockRef block) const;
  std::vector<BlockRef> get_consumers(BlockRef block) const;
  std::vector<std::string> block_names() const;
  int64_t loop_extent_or(Loop loop,
                         int64_t otherwise) const;  ///< constant extent, else `otherwise`
  std::string loop_name(Loop loop) const;
  std::string block_name(BlockRef block) const;
  /// The loop nest for people.
  std::string show() const;

  // --- loops ---
  std::vector<Loop> split(Loop loop, std::vector<Factor> factors, std::string_view tail = "guard");
  std::vector<Loop> split_factor(Loop loop, Int factor, std::string_view tail = "guard") {
    return split(loop, {std::nullopt, factor}, tail);
  }
  std::vector<Loop> split_nparts(Loop loop, Int nparts, std::string_view tail = "guard") {
    return split(loop, {nparts, std::nullopt}, tail);
  }
  Loop fuse(const std::vector<Loop>& loops);
  void reorder(const std::vector<Loop>& order);
  /// split both by the factors, then order (x_outer, y_outer, x_inner, y_inner), which is the result.
  std::vector<Loop> tile(Loop x, Loop y, Int x_factor, Int y_factor,
                         std::string_view tail = "guard");
  void unroll(Loop loop);
  void vectorize(Loop loop);
  /// schedule: "static" or "dynamic"; chunk 0: chosen by the runtime.
  void parallel(Loop loop, std::string_view schedule = "static", Int chunk = 0);
  Loop add_unit_loop(BlockRef block);
  Loop add_unit_loop(Loop loop);
  /// Consecutive loops over parts of the range, one per extent; at most one extent is open.
  std::vector<Loop> loop_partition(Loop loop, std::vector<Factor> extents);
  /// Sibling loops of equal extent into one, whose body runs theirs one after the other.
  Loop merge(const std::vector<Loop>& loops);
  /// A copy of the block's outermost nest for the sizes of which `condition` holds; gives the block in it.
  BlockRef specialize(BlockRef block, std::string_view condition);

  // --- blocks ---
  void compute_at(BlockRef block, Loop loop, std::string_view tail = "guard");
  void reverse_compute_at(BlockRef block, Loop loop);
  void compute_inline(BlockRef block);
  void reverse_compute_inline(BlockRef block);
  /// The block's own loops and those of the nest beside it, from the outermost down to `loop`, become one nest.
  void compute_with(BlockRef block, Loop loop);
  BlockRef decompose_reduction(BlockRef block, Loop loop);
  /// Gives the block that computes the partial results; `loop` becomes its spatial axis.
  BlockRef rfactor(Loop loop, int64_t factor_axis = 0);
  /// The nest of one block from `loop` on becomes one block, which keeps name and handle.
  BlockRef blockize(Loop loop);
  /// Makes an instruction known to this schedule and its copies. Throws Error "schedule.instruction.*" when it is
  /// malformed, declared already as another one, or its implementation does not do what the reference does
  /// (both are run on random data; the text gives the counter-example).
  void declare_instruction(TensorInstruction instruction);
  const TensorInstructions& instructions() const { return instructions_; }
  /// The nest from `loop` on, which computes what the instruction's reference does, becomes its implementation.
  void tensorize(Loop loop, std::string_view instruction);

  // --- storage ---
  BlockRef cache_read(BlockRef consumer, std::string_view buffer,
                      std::string_view scope = "global");
  BlockRef cache_write(BlockRef block, std::string_view scope = "global", int64_t write_index = 0);
  void set_scope(BlockRef block, std::string_view scope, int64_t write_index = 0);
  /// Changes where the elements of an intermediate buffer lie: "(m, k) -> (m // 6, k, m % 6)".
  void transform_layout(BlockRef writer, std::string_view map, int64_t write_index = 0);
  /// cache_read of `buffer` with a layout and padding: pad lists {dimension, multiple} pairs; padded elements
  /// hold zero.
  BlockRef pack(BlockRef consumer, std::string_view buffer, std::string_view map,
                const std::vector<std::pair<int64_t, Int>>& pad = {},
                std::string_view scope = "global");

  /// The buffer lives inside `loop` from now on, also when compute_at moves the block.
  void store_at(BlockRef writer, Loop loop, int64_t write_index = 0);
  /// One step along `axis` is a number of elements that leaves `offset` when divided by `factor`.
  void storage_align(BlockRef writer, int64_t axis, Int factor, Int offset = 0,
                     int64_t write_index = 0);
  /// The block accesses `buffer` through a copy indexed by the block's own axes; gives the copying block.
  BlockRef reindex(BlockRef block, std::string_view buffer);
  /// The axes' extents, in the order of the block, become multiples of `padding`.
  void pad_einsum(BlockRef block, const std::vector<Int>& padding);
  /// The pad value is filled in by a block of its own before `loop`, which is given.
  BlockRef decompose_padding(BlockRef block, Loop loop);

  /// The block computes only what earlier iterations of the loop where its buffer lives have not; the buffer lives
  /// outside that loop and is folded to the part in use.
  void rolling_buffer(BlockRef writer, int64_t write_index = 0);
  /// The iterations of the loop where the buffer lives use two copies of it in turn.
  void double_buffer(BlockRef writer, int64_t write_index = 0);

  // --- hints ---
  /// Statement number i of the loop's body runs stages[i] iterations late, so that one iteration of the loop works on
  /// several iterations of the program.
  void software_pipeline(Loop loop, const std::vector<int64_t>& stages);
  /// Asks for what `reader` will read of `buffer` `distance` iterations of `loop` ahead.
  void prefetch(BlockRef reader, std::string_view buffer, Loop loop, Int distance);
  void annotate(Loop loop, std::string_view key, Value value);
  void annotate(BlockRef block, std::string_view key, Value value);

  // --- sampling: decided by the trace being replayed, else by this schedule's RNG ---
  /// `n` factors whose product is the (constant) extent; the innermost is at most `max_innermost`.
  std::vector<Int> sample_perfect_tile(Loop loop, int n, int64_t max_innermost,
                                       std::string_view name);
  /// `n` factors (the outermost is left open); each inner one from `candidates`.
  std::vector<Int> sample_tile(Loop loop, int n, const std::vector<int64_t>& candidates,
                               std::string_view name);
  Int sample_categorical(const std::vector<int64_t>& candidates, const std::vector<double>& weights,
                         std::string_view name);
  /// Moves a producer to a place that is sampled among those that are legal: a loop, the root, or into its
  /// readers' expressions. Gives the loop, nothing for the other two.
  std::optional<Loop> sample_compute_location(BlockRef block, std::string_view name);

  /// Runs one primitive by name on ids; the way every method above goes. Results are ids of loops/blocks, or
  /// sampled integers.
  struct Call {
    std::string op;
    std::vector<std::variant<Loop, BlockRef>> inputs;
    Attributes attrs;
  };
  using Result = std::variant<Loop, BlockRef, Int>;
  Expected<std::vector<Result>, ScheduleError> apply(const Call& call);

  /// Decisions to use instead of sampling, by name (for replay and mutation).
  void preset_decisions(std::vector<Decision> decisions);

  /// The whole text of an error met on this schedule: reason, loop nest with the place underlined, counter-example,
  /// legal values, hint, and what the catalogue of errors says about its code.
  std::string explain(const ScheduleError& error) const;
  /// The same for an exception (of any part of Tilewright), or for a code alone. Throws Error "schedule.unknown_code"
  /// for a code that does not exist.
  std::string explain(const Error& error) const;
  std::string explain(std::string_view code) const;

  /// Replays `trace` on `func`. Throws ScheduleException from the step that fails, or Error "trace.*". A trace
  /// holds the names of instructions, not what they do: they are given again.
  static Schedule replay(const ir::PrimFunc& func, const Trace& trace,
                         const TensorInstructions& instructions = {});
  static Expected<Schedule, ScheduleError> try_replay(const ir::PrimFunc& func, const Trace& trace,
                                                      const TensorInstructions& instructions = {});

 private:
  std::vector<Result> must(const Call& call);
  std::string name_of(const std::variant<Loop, BlockRef>& handle) const;
  Value record_int(const Int& value) const;

  ir::PrimFunc func_, original_;
  uint64_t owner_;  // stands in the handles that this schedule and its copies give
  int64_t next_id_ = 0;
  bool draft_ = false;
  Rng rng_;
  Trace trace_;
  std::map<int64_t, std::string> loop_names_, block_names_;
  int next_loop_name_ = 0, next_block_name_ = 0;
  std::vector<Decision> presets_;
  TensorInstructions instructions_;

  friend struct ScheduleAccess;
};

/// The schedule used when nothing else is given, and the baseline of every measurement: injective producers
/// inlined, outermost spatial loop of each nest parallel, innermost spatial loop vectorised; no tiling, no
/// packing. One rule for every program.
Schedule default_schedule(const ir::PrimFunc& func);

/// A row of the primitive table, the source of the method, binding and docs lists.
struct PrimitiveDoc {
  std::string_view name;
  std::string_view group;
  std::string_view what;
};
std::vector<PrimitiveDoc> primitive_docs();

}  // namespace tilewright::schedule
