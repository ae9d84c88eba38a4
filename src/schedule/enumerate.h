#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/ir/stmt.h"

/// \file
/// What a program does, listed: every statement instance of a small instance of it, in execution order, with
/// the elements it reads and writes. The ground on which legality can be decided by looking, for tests and for the
/// counter-examples of refusals. Pure functions; nothing here is fast enough for a search.

namespace tilewright::schedule {

/// One element of one incarnation of a buffer: a buffer that lives in a loop is another one in each iteration.
struct Element {
  int buffer = 0;      ///< index into Enumeration::buffers
  int64_t life = 0;    ///< which incarnation
  int64_t offset = 0;  ///< row-major over the shape of this instance; -1: outside the shape
  auto operator<=>(const Element&) const = default;
};

/// A block's statement at one point, or the init of a reduction at one.
struct StatementInstance {
  int64_t block = -1;  ///< id; of an init: of the reduction it belongs to
  const ir::BlockRealizeNode* realize = nullptr;  ///< in Enumeration::func
  bool is_init = false;         ///< the init that lowering puts outside the reduction loops
  std::vector<int64_t> coords;  ///< of the loops around `realize`, outermost first
  std::vector<int64_t> point;   ///< of its iter vars
  /// Sorted, without repetition. An update reads and writes its accumulators: they are in `writes` only.
  std::vector<Element> reads, writes;
  bool updates = false;   ///< a reduction step
  bool commutes = false;  ///< ... whose reducer is associative and commutative
};

struct BufferInstance {
  ir::Buffer buffer;
  std::vector<int64_t> shape;
};

/// Values of symbolic sizes and scalar arguments.
using SizeValues = std::vector<std::pair<ir::Var, int64_t>>;

struct EnumerateOptions {
  SizeValues sizes;  ///< those not given get small values that the assumptions allow
  /// Loops of more iterations run over their first and last ones alone.
  int64_t longest_loop = 8;
  /// Gives up (an incomplete list) beyond.
  size_t most_instances = 200000;
};

struct Enumeration {
  ir::PrimFunc func;  ///< with the inits as blocks of their own
  std::map<int64_t, std::vector<const ir::ForNode*>>
      loops_around;  ///< of each block of `func`, by id
  SizeValues sizes;
  std::vector<BufferInstance> buffers;
  std::vector<StatementInstance> instances;  ///< in execution order
  bool complete = true;                      ///< false: loops were cut short, or the list was
  bool exact =
      true;  ///< false: some index is known only at run time and counts as touching its whole dimension

  std::string name_of(const Element& element) const;  ///< "C[0, 3]"
};

/// Lists the instances of `func` (level scheduled).
Enumeration enumerate(const ir::PrimFunc& func, const EnumerateOptions& options = {});

enum class DependenceKind : uint8_t { kFlow, kAnti, kOutput };
/// "reads what … has written", in words for messages: "flow", "anti", "output".
const char* spelling(DependenceKind kind);

/// Instance `to` must stay behind `from` because of `element`.
struct Dependence {
  size_t from = 0, to = 0;  ///< indices into Enumeration::instances, from < to
  DependenceKind kind = DependenceKind::kFlow;
  Element element;
};

/// The dependences between instances that follow each other on one element (those that follow from them by
/// transitivity are left out). Steps of one commuting reduction do not depend on each other, but each depends on what
/// came before all of them and what follows depends on each.
std::vector<Dependence> dependences(const Enumeration& program);

/// Two instances in different iterations of the loop (and the same iterations of the loops around it) of which one
/// writes what the other touches; nothing when iterations may run at once. Steps of a commuting reduction count
/// as a conflict: they update one accumulator.
std::optional<Dependence> loop_conflict(const Enumeration& program, int64_t loop_id);

/// A dependence that is turned round when the instances run in the order of `position` (one number an instance).
std::optional<Dependence> violated_dependence(const Enumeration& program,
                                              const std::vector<int64_t>& position);

/// Elements of `buffer` written and read by the instances below the loop (or block) `id` while the loops around it
/// stand at `outer` (empty: all of them); sorted, without repetition.
struct Footprint {
  std::vector<Element> produced, needed;
};
Footprint footprint(const Enumeration& program, int64_t id, const std::vector<int64_t>& outer = {});

/// "i=0, k=1": where the loops around the instance stand, those with an id in `only` when it is not empty.
std::string coordinates(const Enumeration& program, const StatementInstance& instance,
                        const std::vector<int64_t>& only = {});

/// Values for the symbolic sizes and integer scalars of a function: `candidates` tried in turn, all sizes alike
/// first, until the assumptions hold; nullopt when none do.
std::optional<SizeValues> small_sizes(const ir::PrimFunc& func,
                                      const std::vector<int64_t>& candidates = {
                                          5, 4, 6, 3, 8, 7, 2, 1, 16, 12, 32, 64, 0});

}  // namespace tilewright::schedule
