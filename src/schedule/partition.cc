#include "schedule/partition.h"

#include <algorithm>

#include "schedule/nest_copy.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

std::vector<Expr> part_bounds(const arith::Analyzer& facts, const Expr& extent,
                              const std::vector<std::optional<int64_t>>& sizes) {
  size_t open = sizes.size();
  for (size_t p = 0; p < sizes.size(); ++p) {
    if (!sizes[p]) open = p;
  }
  auto number = [&](int64_t value) { return make_int(extent.dtype(), value); };
  std::vector<Expr> bounds = {number(0)};
  int64_t from_start = 0;
  for (size_t p = 0; p < open && p < sizes.size(); ++p) {
    from_start += *sizes[p];
    bounds.push_back(facts.simplify(min(number(from_start), extent)));
  }
  if (open == sizes.size()) return bounds;
  int64_t from_end = 0;
  for (size_t p = open + 1; p < sizes.size(); ++p) from_end += *sizes[p];
  for (size_t p = open; p < sizes.size(); ++p) {
    bounds.push_back(facts.simplify(max(bounds[open], extent - number(from_end))));
    if (p + 1 < sizes.size()) from_end -= *sizes[p + 1];
  }
  return bounds;
}

namespace {

// A reduction over the loop gets its init as a block of its own, before all of its loops.
void take_out_inits(Invocation& in, int64_t loop_id) {
  for (;;) {
    const ForNode& loop = *in.tree.loop(loop_id);
    const BlockRealizeNode* found = nullptr;
    for (const BlockRealizeNode* realize : in.tree.blocks_under(loop_id)) {
      if (realize->block->init && feeds(loop.var, *realize).reduce) found = realize;
    }
    if (!found) return;
    std::vector<const ForNode*> path = in.tree.loops_around(found->block->id);
    path.erase(path.begin(),
               path.begin() + static_cast<std::ptrdiff_t>(outermost_reduce_loop(path, *found)));
    Stmt init;
    try {
      init = make_init_nest(path, *found, in.id_source());
    } catch (const Error& error) {
      in.refuse("init_placement", found->block->id, error.what(),
                "do this before fusing spatial and reduction loops");
    }
    Stmt update = with_block(*found, with_body(found->block, Stmt(), found->block->body));
    Stmt nest = replace_stmt(Stmt(path[0]), found, update);
    in.finish(replace_stmt(in.func->body, path[0], seq({init, nest})));
    in.tree = Tree(in.func);
  }
}

// Removes the copied blocks that would never run.
Stmt without_idle(const Invocation& in, Stmt root, const std::vector<Buffer>& allocs) {
  PrimFunc next = with_allocs(ir::with_body(in.func, root), allocs);
  root = simplify_guards(next, root);
  std::vector<const BlockRealizeNode*> idle;
  walk_stmts(root, [&](const Stmt& stmt) {
    const auto* realize = stmt.as<BlockRealizeNode>();
    if (!realize || realize->block->init || in.tree.block(realize->block->id)) return;
    bool never = std::any_of(realize->guard.begin(), realize->guard.end(),
                             [](const Conjunct& conjunct) { return is_false(conjunct.cond); });
    if (never) idle.push_back(realize);
  });
  for (const BlockRealizeNode* realize : idle) root = replace_stmt(root, realize, nop());
  return root;
}

Stmt guarded_by(const Stmt& body, const Var& var, int64_t old_id, int64_t new_id) {
  return map_blocks(body, [&](const BlockRealizeNode& realize, const Stmt&) {
    std::vector<Conjunct> guard;
    for (Conjunct conjunct : realize.guard) {
      if (conjunct.loop == old_id) conjunct.loop = new_id;
      bool moves = conjunct.tail == Tail::kPeel || conjunct.tail == Tail::kBalanced ||
                   conjunct.tail == Tail::kShiftInwards;
      if (moves && uses_var(conjunct.cond, var)) conjunct.tail = Tail::kGuard;
      guard.push_back(std::move(conjunct));
    }
    return with_guard(realize, std::move(guard));
  });
}

}  // namespace

std::vector<int64_t> finish_partitioned(Invocation& in, const ForNode& old_loop,
                                        const std::vector<Expr>& bounds, size_t keep,
                                        bool keep_loop) {
  const int64_t loop_id = old_loop.id;
  take_out_inits(in, loop_id);
  const ForNode& loop = *in.tree.loop(loop_id);
  arith::Analyzer facts = in.facts_at(loop_id);
  NestCopier copier(in);
  std::vector<int64_t> ids;
  std::vector<Stmt> parts;
  int64_t kept_id = -1;
  for (size_t p = 0; p + 1 < bounds.size(); ++p) {
    Stmt whole = p == keep ? Stmt(&loop) : copier.copy(Stmt(&loop));
    const auto& part = *whole.as<ForNode>();
    int64_t id = p == keep && !keep_loop ? in.fresh_id() : part.id;
    if (p == keep) kept_id = id;
    Var var(fmt::format("{}_{}", loop.var.name(), p), loop.var.dtype());
    Stmt body = guarded_by(part.body, part.var, part.id, id);
    body = substitute(body, {{part.var, facts.simplify(bounds[p] + var)}});
    parts.push_back(make_for(id, var, facts.simplify(bounds[p + 1] - bounds[p]), body,
                             loop.for_kind, loop.annotations));
    ids.push_back(id);
  }
  BufferMap moved;
  std::vector<Buffer> allocs;
  for (const Buffer& buffer : in.func->allocs) {
    bool here = buffer->alloc_at.kind == AllocAt::Kind::kLoop && buffer->alloc_at.loop == loop.id;
    allocs.push_back(here ? with_alloc_at(buffer, {AllocAt::Kind::kLoop, kept_id}) : buffer);
    if (here) moved[buffer] = allocs.back();
  }
  allocs.insert(allocs.end(), copier.buffers().begin(), copier.buffers().end());
  Stmt root = replace_stmt(in.func->body, &loop, seq(std::move(parts)));
  root = without_idle(in, replace_buffers(root, moved), allocs);
  in.finish(root, std::move(allocs));
  return ids;
}

}  // namespace tilewright::schedule
