#include "schedule/nest_copy.h"

#include "schedule/rewrite.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Ids of the loops and blocks below `stmt`, in the order of the walk.
std::vector<int64_t> ids_below(const Stmt& stmt) {
  std::vector<int64_t> ids;
  walk_stmts(stmt, [&](const Stmt& s) {
    if (const auto* loop = s.as<ForNode>()) ids.push_back(loop->id);
    if (const auto* realize = s.as<BlockRealizeNode>()) ids.push_back(realize->block->id);
  });
  return ids;
}

}  // namespace

NestCopier::NestCopier(Invocation& in) : in_(in) {
  for (const BlockRealizeNode* realize : in.tree.blocks_under(-1)) {
    block_names_.insert(realize->block->name);
  }
  for (const Param& param : in.func->params) {
    if (param.buffer) buffer_names_.insert(param.buffer->name);
  }
  for (const Buffer& buffer : in.func->allocs) buffer_names_.insert(buffer->name);
}

std::string NestCopier::fresh_name(std::set<std::string>& taken, const std::string& base) {
  for (int i = 1;; ++i) {
    std::string name = fmt::format("{}_{}", base, i);
    if (taken.insert(name).second) return name;
  }
}

Stmt NestCopier::copy(const Stmt& stmt, std::map<int64_t, int64_t>* ids) {
  Stmt result = refresh_bindings(stmt, in_.id_source());
  const std::vector<int64_t> before = ids_below(stmt), after = ids_below(result);
  std::map<int64_t, int64_t> fresh;
  for (size_t i = 0; i < before.size(); ++i) fresh[before[i]] = after[i];
  result = map_blocks(result, [&](const BlockRealizeNode& realize, const Stmt&) {
    std::vector<Conjunct> guard;
    for (const Conjunct& old : realize.guard) {
      auto it = fresh.find(old.loop);
      guard.push_back({old.cond, it == fresh.end() ? old.loop : it->second, old.tail});
    }
    Block block = with_name(realize.block, fresh_name(block_names_, realize.block->name));
    return Stmt(new BlockRealizeNode(realize.iter_values, std::move(guard), std::move(block)));
  });
  BufferMap own;
  for (const Buffer& buffer : in_.func->allocs) {
    auto home = fresh.find(buffer->alloc_at.loop);
    if (buffer->alloc_at.kind != AllocAt::Kind::kLoop || home == fresh.end()) continue;
    Buffer copy(new BufferNode(fresh_name(buffer_names_, buffer->name), buffer->dtype,
                               buffer->shape, buffer->scope, buffer->layout, buffer->pad,
                               buffer->align, {AllocAt::Kind::kLoop, home->second}));
    own[buffer] = copy;
    buffers_.push_back(copy);
  }
  if (ids) *ids = std::move(fresh);
  return replace_buffers(result, own);
}

Block with_name(const Block& b, std::string name) {
  return Block(new BlockNode(b->id, std::move(name), b->block_kind, b->iter_vars, b->where,
                             b->reads, b->writes, b->reducer, b->init, b->body, b->annotations,
                             b->origin));
}

}  // namespace tilewright::schedule
