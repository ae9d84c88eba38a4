#pragma once

#include <functional>
#include <map>
#include <vector>

#include "schedule/invocation.h"
#include "schedule/tree.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {

/// `root` with the sub-statement `target` (by identity) replaced. An empty sequence removes it, together with
/// loops that become empty.
ir::Stmt replace_stmt(const ir::Stmt& root, const ir::StmtNode* target, ir::Stmt replacement);

/// Applies `f` to every block realization in `stmt`.
ir::Stmt map_blocks(const ir::Stmt& stmt,
                    const std::function<ir::Stmt(const ir::BlockRealizeNode&, const ir::Stmt&)>& f);

/// Copies of a block with some fields replaced; regions are derived again.
ir::Block with_body(const ir::Block& block, ir::Stmt init, ir::Stmt body);
/// The body of `func` with padded tiles run to their end: a conjunct of a "pad" tail asks only that its tile begins inside.
ir::Stmt with_whole_padded_tiles(const ir::PrimFunc& func);
ir::Stmt with_guard(const ir::BlockRealizeNode& realize, std::vector<ir::Conjunct> guard);
ir::Stmt with_block(const ir::BlockRealizeNode& realize, ir::Block block);
ir::Stmt with_kind(const ir::ForNode& loop, ir::ForKind kind);
ir::Stmt with_annotations(const ir::ForNode& loop, ir::Attrs annotations);

/// `buffer` with another place of allocation / scope / layout.
ir::Buffer with_alloc_at(const ir::Buffer& buffer, ir::AllocAt at);
ir::Buffer with_scope(const ir::Buffer& buffer, ir::Scope scope);
ir::Buffer with_layout(const ir::Buffer& buffer, ir::Layout layout);

/// Adds `stmt` after / before `target` in its sequence.
ir::Stmt insert_after(const ir::Stmt& root, const ir::StmtNode* target, ir::Stmt stmt);
ir::Stmt insert_before(const ir::Stmt& root, const ir::StmtNode* target, ir::Stmt stmt);

/// A loop nest: `loops` (outermost first) around `body`.
struct NestLoop {
  ir::Var var;
  ir::Expr extent;
  ir::ForKind kind = ir::ForKind::kSerial;
  int64_t id = -1;
};
ir::Stmt nest(const std::vector<NestLoop>& loops, ir::Stmt body);

/// Simplifies iter values and guards everywhere, dropping conjuncts proved by loop extents.
ir::Stmt simplify_guards(const ir::PrimFunc& func, const ir::Stmt& body);

/// Moves allocation places outwards where a use, or the reduction that fills the buffer, would not be
/// enclosed by it any more. Drops buffers that nobody uses.
ir::PrimFunc fix_allocs(const ir::PrimFunc& func);

/// `in.finish(body)` with buffers that lived inside an old loop living inside the new one (ids: old -> new;
/// -1: the root).
void finish_rehomed(Invocation& in, const ir::Stmt& body,
                    const std::map<int64_t, int64_t>& new_homes);

}  // namespace tilewright::schedule
