#include <set>

#include "lower/cut_tails.h"
#include "lower/passes/passes.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

PrimFunc materialize_tails(const PrimFunc& func, const Target&, const LowerOptions&) {
  bool any = false;
  walk_stmts(func->body, [&](const Stmt& s) {
    auto* realize = s.as<BlockRealizeNode>();
    if (!realize) return;
    for (const Conjunct& c : realize->guard) any |= c.tail != Tail::kGuard;
  });
  if (!any) return func;
  TailState state{func->allocs, next_free_id(func)};
  Stmt body = pad_tails(func, func->body, state);
  body = CutTails(func, state).mutate(body);
  // Copies of nests that turned out to be empty are gone, and so are their buffers.
  std::set<int64_t> loops;
  walk_stmts(body, [&](const Stmt& s) {
    if (auto* loop = s.as<ForNode>()) loops.insert(loop->id);
  });
  std::erase_if(state.allocs, [&](const Buffer& buffer) {
    return buffer->alloc_at.kind == AllocAt::Kind::kLoop && loops.count(buffer->alloc_at.loop) == 0;
  });
  return with_allocs(with_body(func, body), state.allocs);
}

}  // namespace tilewright::lower
