#include "tilewright/ir/init_nest.h"

#include <algorithm>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/fault.h"

namespace tilewright::ir {
namespace {

// How the loops of a path take part in a reduction block.
struct LoopRoles {
  VarSet spatial;  // every variable that feeds a spatial iter var, also from outside the path
  VarSet reduce;   // every variable that feeds a reduce iter var
};

LoopRoles roles_of(const BlockRealizeNode& realize) {
  LoopRoles roles;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    const bool reduces = realize.block->iter_vars[i].kind == IterKind::kReduce;
    for (const Var& var : free_vars(realize.iter_values[i])) {
      (reduces ? roles.reduce : roles.spatial).insert(var);
    }
  }
  return roles;
}

[[noreturn]] void refuse(const BlockNode& block, const std::string& what, const Expr& e) {
  fail("schedule.init_placement",
       "block {}: its init cannot be placed before the reduction: {} {} mixes spatial and reduce "
       "loops; use decompose_reduction before fusing or splitting them together",
       block.name, what, to_pretty(e));
}

// Makes the nest; fields hold the mapping from the loops of the path to their fresh copies.
class InitNest {
 public:
  InitNest(const std::vector<const ForNode*>& path, const BlockRealizeNode& realize,
           const std::function<int64_t()>& next_id)
      : path_(path), realize_(realize), block_(*realize.block), next_id_(next_id) {
    roles_ = roles_of(realize);
  }

  Stmt make() {
    internal_check(static_cast<bool>(block_.init), "block {} has no init", block_.name);
    copy_loops();
    Stmt nest = make_realize();
    for (auto it = loops_.rbegin(); it != loops_.rend(); ++it) {
      const ForNode& old = *it->old;
      nest = Stmt(new ForNode(it->id, it->var, it->extent, old.for_kind, old.thread,
                              old.annotations, std::move(nest)));
    }
    return nest;
  }

 private:
  struct Copy {
    const ForNode* old;
    int64_t id;
    Var var;
    Expr extent;
  };

  bool in_path(const Expr& var) const {
    return std::any_of(path_.begin(), path_.end(),
                       [&](const ForNode* loop) { return loop->var.get() == var.get(); });
  }

  // Axis domains depend on sizes alone, never on loops.
  bool is_size(const Var& var) const {
    return std::any_of(block_.iter_vars.begin(), block_.iter_vars.end(), [&](const IterVar& iter) {
      return uses_var(iter.dom.min, var) || uses_var(iter.dom.extent, var);
    });
  }

  // Whether `e` reads only variables that exist around the init nest.
  bool available(const Expr& e) const {
    for (const Var& var : free_vars(e)) {
      if (in_path(var) && !map_.count(var)) return false;
    }
    return true;
  }

  bool guarded(const Var& var) const {
    return std::any_of(realize_.guard.begin(), realize_.guard.end(),
                       [&](const Conjunct& c) { return uses_var(c.cond, var); });
  }

  void copy_loops() {
    for (const ForNode* loop : path_) {
      const bool reduces = roles_.reduce.count(loop->var) > 0;
      // A loop that feeds no axis, but is cut by the guard, takes part in which point it is; one that may have no
      // iteration decides whether there is a point at all.
      const int64_t* extent = as_const_int(loop->extent);
      const bool may_be_empty = !extent || *extent < 1;
      const bool wanted =
          roles_.spatial.count(loop->var) > 0 || (!reduces && (guarded(loop->var) || may_be_empty));
      if (!wanted) continue;
      if (reduces) refuse(block_, "loop", loop->var);
      if (!available(loop->extent)) refuse(block_, "the extent", loop->extent);
      Copy copy{loop, next_id_(), Var(loop->var.name(), loop->var.dtype()),
                substitute(loop->extent, map_)};
      map_[loop->var] = copy.var;
      loops_.push_back(std::move(copy));
    }
  }

  std::vector<Conjunct> project_guard() const {
    std::vector<Conjunct> guard;
    if (has_fault(Fault::init_without_guard)) return guard;
    for (const Conjunct& conjunct : realize_.guard) {
      bool spatial = false, other = false;
      for (const Var& var : free_vars(conjunct.cond)) {
        // A size may occur in both kinds of axis; only loops have a role.
        if (is_size(var)) continue;
        if (roles_.reduce.count(var) || (in_path(var) && !map_.count(var))) {
          other = true;
        } else if (roles_.spatial.count(var) || map_.count(var)) {
          spatial = true;
        }
      }
      if (spatial && other) refuse(block_, "the guard", conjunct.cond);
      if (other) continue;  // cuts reduce iterations only
      guard.push_back({substitute(conjunct.cond, map_), new_loop_id(conjunct.loop), conjunct.tail});
    }
    return guard;
  }

  int64_t new_loop_id(int64_t old_id) const {
    for (const Copy& copy : loops_) {
      if (copy.old->id == old_id) return copy.id;
    }
    return old_id;
  }

  std::vector<Region> regions(const std::vector<Region>& from, const VarMap& map) const {
    std::vector<Region> result;
    for (const Region& region : from) {
      Region copy{region.buffer, {}};
      for (const Range& range : region.ranges) {
        copy.ranges.push_back({substitute(range.min, map), substitute(range.extent, map)});
      }
      result.push_back(std::move(copy));
    }
    return result;
  }

  // What the init reads: the points its loads name.
  static std::vector<Region> loads_of(const Stmt& init) {
    std::vector<Region> result;
    walk_exprs(init, [&](const Expr& e) {
      const LoadNode* load = e.as<LoadNode>();
      if (!load) return;
      Region region{load->buffer, {}};
      for (const Expr& index : load->indices) {
        region.ranges.push_back({index, make_int(index.dtype().element(), 1)});
      }
      result.push_back(std::move(region));
    });
    return result;
  }

  Stmt make_realize() {
    std::vector<Expr> values;
    std::vector<IterVar> iters;
    VarMap inner;
    for (size_t i = 0; i < realize_.iter_values.size(); ++i) {
      const IterVar& iter = block_.iter_vars[i];
      if (iter.kind == IterKind::kReduce) continue;
      const Expr& value = realize_.iter_values[i];
      if (!available(value)) refuse(block_, "the value", value);
      Var fresh(iter.var.name(), iter.var.dtype());
      inner[iter.var] = fresh;
      iters.push_back({fresh, iter.dom, iter.kind});
      values.push_back(substitute(value, map_));
    }
    std::vector<Conjunct> guard = project_guard();
    const int64_t id = next_id_();
    Stmt body = refresh_bindings(substitute(block_.init, inner), next_id_);
    std::vector<Region> reads = loads_of(body);
    Block block(new BlockNode(id, block_.name + "_init", BlockKind::kCompute, std::move(iters), {},
                              std::move(reads), regions(block_.writes, inner), {}, {},
                              std::move(body), {}, block_.origin));
    return Stmt(new BlockRealizeNode(std::move(values), std::move(guard), std::move(block)));
  }

  const std::vector<const ForNode*>& path_;
  const BlockRealizeNode& realize_;
  const BlockNode& block_;
  const std::function<int64_t()>& next_id_;
  LoopRoles roles_;
  VarMap map_;  // loop variables of the path -> their copies
  std::vector<Copy> loops_;
};

}  // namespace

Stmt make_init_nest(const std::vector<const ForNode*>& path, const BlockRealizeNode& realize,
                    const std::function<int64_t()>& next_id) {
  return InitNest(path, realize, next_id).make();
}

size_t outermost_reduce_loop(const std::vector<const ForNode*>& loops,
                             const BlockRealizeNode& realize) {
  const VarSet reduce = roles_of(realize).reduce;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (reduce.count(loops[i]->var)) return i;
  }
  return loops.size();
}

namespace {

class PlaceInits final : public Mutator {
 public:
  using Mutator::mutate;
  PlaceInits(const PrimFunc& func, std::map<int64_t, int64_t>* init_of)
      : next_id_(next_free_id(func)), init_of_(init_of) {}

 protected:
  using Mutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    const size_t depth = loops_.size();
    loops_.push_back(&node);
    pending_.emplace_back();
    Stmt loop = mutate_children(node, self);
    std::vector<Stmt> stmts = std::move(pending_[depth]);
    pending_.pop_back();
    loops_.pop_back();
    if (stmts.empty()) return loop;
    stmts.push_back(loop);
    return seq(std::move(stmts));
  }

  Stmt mutate_node(const BlockRealizeNode& node, const Stmt& self) override {
    const BlockNode& block = *node.block;
    if (!block.init) return mutate_children(node, self);
    const size_t depth = outermost_reduce_loop(loops_, node);
    const std::vector<const ForNode*> path(loops_.begin() + static_cast<std::ptrdiff_t>(depth),
                                           loops_.end());
    Stmt init = make_init_nest(path, node, [this] { return next_id_++; });
    if (init_of_) {
      walk_stmts(init, [&](const Stmt& stmt) {
        if (const auto* made = stmt.as<BlockRealizeNode>()) (*init_of_)[made->block->id] = block.id;
      });
    }
    Block rest(new BlockNode(block.id, block.name, block.block_kind, block.iter_vars, block.where,
                             block.reads, block.writes, block.reducer, Stmt(), block.body,
                             block.annotations, block.origin));
    Stmt update(new BlockRealizeNode(node.iter_values, node.guard, rest));
    if (depth == loops_.size()) return seq({init, update});
    if (has_fault(Fault::empty_reduction_without_init)) {
      init = if_then(loops_[depth]->extent > 0, init);
    }
    pending_[depth].push_back(init);
    return update;
  }

 private:
  int64_t next_id_;
  std::map<int64_t, int64_t>* init_of_;
  std::vector<const ForNode*> loops_;
  std::vector<std::vector<Stmt>> pending_;  // init nests to put before the loop of that depth
};

}  // namespace

PrimFunc with_placed_inits(const PrimFunc& func, std::map<int64_t, int64_t>* init_of) {
  return with_body(func, PlaceInits(func, init_of).mutate(func->body));
}

}  // namespace tilewright::ir
