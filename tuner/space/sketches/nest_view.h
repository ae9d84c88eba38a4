#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/schedule.h"

/// \file
/// What the rules know of a block: its axes and which of them index what.

namespace tilewright::tuner::sketches {

/// A loop that by itself is one axis of the block.
struct Axis {
  schedule::Loop loop;
  ir::Var var;  ///< of the block
  bool reduce = false;
  int64_t extent = 0;  ///< nothing is known of a symbolic one: kSymbolic
};
/// Larger than any choice of a tile.
inline constexpr int64_t kSymbolic = int64_t{1} << 40;

struct Access {
  ir::Buffer buffer;
  std::vector<ir::Expr> indices;  ///< over the variables of the block
};

/// How an access moves along an axis.
enum class Stride : uint8_t {
  kNone,        ///< not at all: the element is used again
  kContiguous,  ///< by one element of the last dimension
  kOther,
};
Stride stride_along(const Access& access, const ir::Var& var);
/// The dimension whose index is the variable alone, when no other index uses it.
std::optional<size_t> dimension_of(const Access& access, const ir::Var& var);

struct NestView {
  schedule::BlockRef block;
  std::string name;
  /// Each loop around the block is serial, an axis of it, and around nothing else: no step has been made here yet.
  bool is_plain = false;
  std::vector<Axis> axes;  ///< outermost first; of a plain nest
  std::vector<Access> loads;
  std::vector<Access> stores;
  ir::Reducer reducer;  ///< null: no reduction
  bool has_condition = false;
  int64_t operations = 0;  ///< arithmetic in the body, indices left out

  bool is_reduction() const { return reducer.defined(); }
  std::vector<const Axis*> spatial() const;
  std::vector<const Axis*> reduce() const;
  /// Bits of an element of what the block writes.
  int bits() const { return stores.empty() ? 32 : stores[0].buffer->dtype.bits; }
};

/// All blocks in program order.
std::vector<NestView> view_nests(const ir::PrimFunc& func);
/// The view of one block, which must exist; makes the block and its loops known to the trace.
NestView view_nest(schedule::Schedule& sch, schedule::BlockRef block);

std::vector<NestView> readers_of(const std::vector<NestView>& nests, const NestView& nest);

}  // namespace tilewright::tuner::sketches
