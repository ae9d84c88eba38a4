#pragma once

#include <unordered_map>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::schedule {

/// Index of the loops and blocks of a program: who encloses whom, in program order. Made once per
/// primitive; borrows the nodes of the function it was made from.
class Tree {
 public:
  struct Entry {
    ir::Stmt stmt;    ///< a For or a BlockRealize
    int parent = -1;  ///< index of the enclosing For; -1: none
    int64_t id = -1;
    const ir::ForNode* loop = nullptr;
    const ir::BlockRealizeNode* realize = nullptr;
    std::vector<ir::Expr> conditions;  ///< that hold there: of the branches it is in
  };

  explicit Tree(const ir::PrimFunc& func);

  /// Null when there is no such loop / block.
  const ir::ForNode* loop(int64_t id) const;
  const ir::BlockRealizeNode* block(int64_t id) const;
  /// Loops enclosing the loop or block `id`, outermost first, itself excluded.
  std::vector<const ir::ForNode*> loops_around(int64_t id) const;
  /// What the branches (see specialize) around the loop or block `id` ask.
  const std::vector<ir::Expr>& conditions_around(int64_t id) const;
  bool encloses(int64_t outer_loop, int64_t id) const;
  /// The entry's index in program order; -1 when unknown.
  int index(int64_t id) const;
  const std::vector<Entry>& entries() const { return entries_; }
  /// Blocks at or below a loop (or all, for id -1), in program order.
  std::vector<const ir::BlockRealizeNode*> blocks_under(int64_t loop_id) const;
  std::vector<const ir::ForNode*> loops() const;
  const ir::BlockRealizeNode* block_named(std::string_view name) const;

 private:
  void add(const ir::Stmt& stmt, int parent);
  void add_entry(Entry entry);
  std::vector<Entry> entries_;
  std::vector<ir::Expr> conditions_;  // of the branches being walked
  std::unordered_map<int64_t, int> by_id_;
};

/// Which kinds of iter vars of `realize` the loop variable feeds.
struct Feeds {
  bool spatial = false, reduce = false, ordered = false, opaque = false;
  bool any() const { return spatial || reduce || ordered || opaque; }
};
Feeds feeds(const ir::Var& loop_var, const ir::BlockRealizeNode& realize);

/// Does `stmt` access `buffer`?
bool block_reads(const ir::Block& block, const ir::Buffer& buffer);
bool block_writes(const ir::Block& block, const ir::Buffer& buffer);
bool is_param(const ir::PrimFunc& func, const ir::Buffer& buffer);

}  // namespace tilewright::schedule
