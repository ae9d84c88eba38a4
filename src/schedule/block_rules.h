#pragma once

#include <string>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

std::vector<const ir::BlockRealizeNode*> readers_of(const Tree& tree, const ir::Buffer& buffer);
std::vector<const ir::BlockRealizeNode*> writers_of(const Tree& tree, const ir::Buffer& buffer);

/// Do all readers of the buffer run only where this holds (a conjunct of their guards)?
bool readers_guarded_by(const Tree& tree, const ir::Buffer& buffer, const ir::Expr& condition);

/// `facts` and that the block's iter vars are in their domains.
arith::Analyzer facts_in_domain(const arith::Analyzer& facts, const ir::BlockRealizeNode& realize);

/// The buffers a block writes, in order.
std::vector<ir::Buffer> written_buffers(const ir::Block& block);

/// The block's only Store; null for reductions and multi-output blocks.
const ir::StoreNode* sole_store(const ir::Block& block);

/// For each dimension of what the block writes, the index of the spatial (with `steps`: or ordered) iter var that
/// alone is the index there. Refuses when some index is anything else, or an iter var is used twice.
std::vector<size_t> require_identity_writes(const Invocation& in,
                                            const ir::BlockRealizeNode& realize,
                                            bool steps = false);

/// Refuses for opaque and extern blocks, whose bodies no primitive may look into.
void require_compute_block(const Invocation& in, const ir::BlockRealizeNode& realize);

/// Has it an axis whose iterations must keep their order?
bool has_ordered_axis(const ir::Block& block);
/// Does the order of its instances matter beyond what its axes say: an ordered axis, a body that is not looked
/// into, or values that it reads back, other than by the steps of a reduction?
bool orders_itself(const ir::Block& block);
/// Refuses for blocks with an ordered axis, such as the steps of a scan.
void require_no_ordered_axis(const Invocation& in, const ir::BlockRealizeNode& realize);
/// Refuses when a call of a C function is given the buffer, whose elements must lie row by row then.
void require_no_extern_use(const Invocation& in, const ir::BlockRealizeNode& at,
                           const ir::Buffer& buffer);

/// Refuses ("conditional") when a condition inside `nest`, a statement around the block, decides whether it runs.
void require_unconditional(const Invocation& in, const ir::Stmt& nest,
                           const ir::BlockRealizeNode& realize);

/// Refuses when another block (a decomposed init, an rfactor stage) writes one of its buffers as well.
void require_sole_writer(const Invocation& in, const ir::BlockRealizeNode& realize);
/// Each point of the block writes elements of its own, so that an element has one value whenever it is made. Error
/// .write_index.
void require_own_elements(const Invocation& in, const ir::BlockRealizeNode& realize);
/// The block is to run later, where `reader` does: nobody may have written to what it reads by then. Error
/// .overwritten_input. Steps of a scan that both are in are left to the rules of scans.
void require_inputs_kept(const Invocation& in, const ir::BlockRealizeNode& realize,
                         const ir::BlockRealizeNode& reader);

/// Refuses for parameters: they belong to the caller.
void require_intermediate(const Invocation& in, const ir::BlockRealizeNode& realize,
                          const ir::Buffer& buffer);

/// The buffer of that name which the block reads.
ir::Buffer require_read_buffer(const Invocation& in, const ir::BlockRealizeNode& realize,
                               const std::string& name);
/// The `write_index`-th buffer the block writes.
ir::Buffer require_written_buffer(const Invocation& in, const ir::BlockRealizeNode& realize);

/// Children of a loop body or of the root: the statements of its sequence.
std::vector<ir::Stmt> children_of(const ir::Stmt& body);
/// Does the subtree realize the block of that id?
bool contains_block(const ir::Stmt& stmt, int64_t block_id);

/// A name no block of the program has: `base`, `base_1`, ...
std::string unique_block_name(const Tree& tree, const std::string& base);
std::string unique_buffer_name(const ir::PrimFunc& func, const std::string& base);

/// A scope by name, or a refusal listing them.
ir::Scope require_scope(const Invocation& in, const std::string& word, int64_t at);

/// The axis loops of a new nest: value = min + loop var, guarded where [min, min + extent) may leave `dom`.
struct AxisPlan {
  ir::Expr value;                   ///< of the iter var
  std::vector<ir::Conjunct> guard;  ///< may be empty
};
AxisPlan plan_axis(const arith::Analyzer& facts, const ir::Var& loop_var, int64_t loop_id,
                   const ir::Range& range, const ir::Range& dom);

}  // namespace tilewright::schedule
