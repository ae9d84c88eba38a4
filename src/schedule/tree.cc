#include "schedule/tree.h"

#include <algorithm>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {

using namespace ir;

Tree::Tree(const PrimFunc& func) { add(func->body, -1); }

void Tree::add_entry(Entry entry) {
  by_id_[entry.id] = static_cast<int>(entries_.size());
  entry.conditions = conditions_;
  entries_.push_back(std::move(entry));
}

void Tree::add(const Stmt& stmt, int parent) {
  if (const auto* seq = stmt.as<SeqNode>()) {
    for (const Stmt& child : seq->stmts) add(child, parent);
  } else if (const auto* loop = stmt.as<ForNode>()) {
    int self = static_cast<int>(entries_.size());
    add_entry({stmt, parent, loop->id, loop, nullptr, {}});
    add(loop->body, self);
  } else if (const auto* realize = stmt.as<BlockRealizeNode>()) {
    add_entry({stmt, parent, realize->block->id, nullptr, realize, {}});
  } else if (const auto* branch = stmt.as<IfNode>()) {
    conditions_.push_back(branch->condition);
    add(branch->then_body, parent);
    conditions_.back() = !branch->condition;
    if (branch->else_body) add(branch->else_body, parent);
    conditions_.pop_back();
  } else if (const auto* let = stmt.as<LetStmtNode>()) {
    add(let->body, parent);
  }
}

int Tree::index(int64_t id) const {
  auto it = by_id_.find(id);
  return it == by_id_.end() ? -1 : it->second;
}

const ForNode* Tree::loop(int64_t id) const {
  int i = index(id);
  return i < 0 ? nullptr : entries_[i].loop;
}

const BlockRealizeNode* Tree::block(int64_t id) const {
  int i = index(id);
  return i < 0 ? nullptr : entries_[i].realize;
}

std::vector<const ForNode*> Tree::loops_around(int64_t id) const {
  std::vector<const ForNode*> path;
  for (int i = entries_.at(index(id)).parent; i >= 0; i = entries_[i].parent) {
    path.push_back(entries_[i].loop);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

const std::vector<Expr>& Tree::conditions_around(int64_t id) const {
  return entries_.at(index(id)).conditions;
}

bool Tree::encloses(int64_t outer_loop, int64_t id) const {
  int outer = index(outer_loop);
  for (int i = index(id); i >= 0; i = entries_[i].parent) {
    if (entries_[i].parent == outer) return true;
  }
  return false;
}

std::vector<const BlockRealizeNode*> Tree::blocks_under(int64_t loop_id) const {
  std::vector<const BlockRealizeNode*> blocks;
  for (const Entry& entry : entries_) {
    if (entry.realize && (loop_id < 0 || encloses(loop_id, entry.id))) {
      blocks.push_back(entry.realize);
    }
  }
  return blocks;
}

std::vector<const ForNode*> Tree::loops() const {
  std::vector<const ForNode*> loops;
  for (const Entry& entry : entries_) {
    if (entry.loop) loops.push_back(entry.loop);
  }
  return loops;
}

const BlockRealizeNode* Tree::block_named(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.realize && entry.realize->block->name == name) return entry.realize;
  }
  return nullptr;
}

Feeds feeds(const Var& loop_var, const BlockRealizeNode& realize) {
  Feeds result;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    if (!uses_var(realize.iter_values[i], loop_var)) continue;
    switch (realize.block->iter_vars[i].kind) {
      case IterKind::kSpatial: result.spatial = true; break;
      case IterKind::kReduce: result.reduce = true; break;
      case IterKind::kOrdered: result.ordered = true; break;
      case IterKind::kOpaque: result.opaque = true; break;
    }
  }
  return result;
}

namespace {

bool in_regions(const std::vector<Region>& regions, const Buffer& buffer) {
  return std::any_of(regions.begin(), regions.end(),
                     [&](const Region& region) { return region.buffer.same_as(buffer); });
}

}  // namespace

bool block_reads(const Block& block, const Buffer& buffer) {
  return in_regions(block->reads, buffer);
}

bool block_writes(const Block& block, const Buffer& buffer) {
  return in_regions(block->writes, buffer);
}

bool is_param(const PrimFunc& func, const Buffer& buffer) {
  return std::any_of(func->params.begin(), func->params.end(),
                     [&](const Param& param) { return param.buffer.same_as(buffer); });
}

}  // namespace tilewright::schedule
