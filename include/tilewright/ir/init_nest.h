#pragma once

#include <functional>
#include <map>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::ir {

/// Where the init of a reduction block goes, and what it looks like.
///
/// `path` holds the loops from the outermost to the innermost around `realize`, starting at the first
/// loop that (through iter_values) feeds a reduce iter var. The result is a nest over fresh copies of
/// those loops of `path` that feed spatial iter vars or occur in the guard alone (their kinds kept),
/// around a block "<name>_init" realized with the spatial iter values and the guard's spatial
/// projection: conjuncts that read none of the reduce loops. It belongs just before path[0], so it runs
/// once per spatial point, also when the reduce domain is empty. Throws Error "schedule.init_placement"
/// when a conjunct or a spatial iter value mixes spatial and reduce loops of `path`.
Stmt make_init_nest(const std::vector<const ForNode*>& path, const BlockRealizeNode& realize,
                    const std::function<int64_t()>& next_id);

/// Index in `loops` (outermost first) of the outermost loop whose variable occurs in a reduce iter value
/// of `realize`; loops.size() when none does (the init then goes just before the realize).
size_t outermost_reduce_loop(const std::vector<const ForNode*>& loops,
                             const BlockRealizeNode& realize);

/// `func` with the init of each reduction as a nest of its own, just outside the outermost loop that feeds the
/// reduction. `init_of` (may be null) is given, for each block so made, the id of the reduction it belongs to.
///
///   before                              after
///     for i, k:                           for i:
///       block c: init C[i] = 0              block c_init: C[i] = 0
///                C[i] += A[i, k]            for k: block c: C[i] += A[i, k]
PrimFunc with_placed_inits(const PrimFunc& func, std::map<int64_t, int64_t>* init_of = nullptr);

}  // namespace tilewright::ir
