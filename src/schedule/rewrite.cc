#include "schedule/rewrite.h"

#include <algorithm>
#include <map>

#include "schedule/fixed_place.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

bool is_empty(const Stmt& stmt) {
  const auto* seq = stmt.as<SeqNode>();
  return seq && seq->stmts.empty();
}

class ReplaceStmt final : public Mutator {
 public:
  using Mutator::mutate;
  ReplaceStmt(const StmtNode* target, Stmt replacement)
      : target_(target), replacement_(std::move(replacement)) {}

  Stmt mutate(const Stmt& stmt) override {
    if (stmt.get() == target_) return replacement_;
    if (const auto* seq = stmt.as<SeqNode>()) {
      std::vector<Stmt> stmts;
      bool changed = false;
      for (const Stmt& child : seq->stmts) {
        stmts.push_back(mutate(child));
        changed |= stmts.back().get() != child.get();
      }
      return changed ? ir::seq(std::move(stmts)) : stmt;
    }
    if (stmt.as<BlockRealizeNode>()) return stmt;
    if (const auto* loop = stmt.as<ForNode>()) {
      Stmt body = mutate(loop->body);
      if (body.get() == loop->body.get()) return stmt;
      if (is_empty(body)) return body;
      return ir::with_body(loop, body);
    }
    return Mutator::mutate(stmt);
  }

 private:
  const StmtNode* target_;
  Stmt replacement_;
};

class MapBlocks final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  using Fn = std::function<Stmt(const BlockRealizeNode&, const Stmt&)>;
  explicit MapBlocks(const Fn& f) : f_(f) {}

 protected:
  Stmt mutate_node(const BlockRealizeNode& node, const Stmt& self) override {
    return f_(node, self);
  }

 private:
  const Fn& f_;
};

// A loop variable and its extent, or no variable and a condition that holds.
using PlaceFact = std::pair<Var, Expr>;

// Blocks that simplifying has left as they were lately, and what was known at their place. Most steps leave most blocks
// and the loops around them alone, and a trace has dozens of steps.
class SimplifiedBlocks {
 public:
  bool holds(const BlockRealizeNode& node, const std::vector<Expr>& of_function,
             const std::vector<PlaceFact>& around) const {
    const auto found = places_.find(&node);
    return found != places_.end() &&
           std::equal(of_function.begin(), of_function.end(), found->second.of_function.begin(),
                      found->second.of_function.end(), same_expr) &&
           std::equal(around.begin(), around.end(), found->second.around.begin(),
                      found->second.around.end(), [](const PlaceFact& a, const PlaceFact& b) {
                        return a.first.get() == b.first.get() && same_expr(a.second, b.second);
                      });
  }
  void add(const Stmt& block, const std::vector<Expr>& of_function,
           const std::vector<PlaceFact>& around) {
    constexpr size_t kMost = 64;
    if (places_.size() >= kMost) places_.clear();
    places_[block.get()] = {block, of_function, around};
  }

 private:
  struct Place {
    Stmt block;  // keeps the address taken
    std::vector<Expr> of_function;
    std::vector<PlaceFact> around;
  };
  static bool same_expr(const Expr& a, const Expr& b) {
    const int64_t *x = as_const_int(a), *y = as_const_int(b);
    return a.get() == b.get() || (x && y && *x == *y && a.dtype() == b.dtype());
  }
  std::unordered_map<const StmtNode*, Place> places_;
};

class SimplifyGuards final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  explicit SimplifyGuards(const PrimFunc& func) : func_(func), of_function_(func->assumptions) {
    for (const Param& param : func->params) {
      if (param.role == ParamRole::kShape && param.var.defined()) of_function_.push_back(param.var);
    }
  }

 protected:
  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    const Expr extent = as_const_int(node.extent) ? node.extent : facts().simplify(node.extent);
    if (!as_const_int(extent)) open_.insert(node.var);
    Stmt body = under({node.var, extent}, node.body);
    if (extent.get() == node.extent.get() && body.get() == node.body.get()) return self;
    return Stmt(
        new ForNode(node.id, node.var, extent, node.for_kind, node.thread, node.annotations, body));
  }

  Stmt mutate_node(const IfNode& node, const Stmt& self) override {
    Stmt then_body = under({Var(), node.condition}, node.then_body);
    Stmt else_body;
    if (node.else_body) {
      else_body = under({Var(), facts().simplify(!node.condition)}, node.else_body);
    }
    bool same =
        then_body.same_as(node.then_body) && (!node.else_body || else_body.same_as(node.else_body));
    return same ? self : Stmt(new IfNode(node.condition, then_body, else_body));
  }

  Stmt mutate_node(const BlockRealizeNode& node, const Stmt& self) override {
    thread_local SimplifiedBlocks known;
    if (known.holds(node, of_function_, around_)) return self;
    Stmt result = simplified_block(node, self);
    if (result.same_as(self)) known.add(self, of_function_, around_);
    return result;
  }

 private:
  Stmt simplified_block(const BlockRealizeNode& node, const Stmt& self) {
    bool changed = false;
    std::vector<Expr> values;
    for (const Expr& value : node.iter_values) {
      values.push_back(is_plain(value) ? value : simplified(value));
      changed |= values.back().get() != value.get();
    }
    std::vector<Conjunct> guard;
    for (const Conjunct& conjunct : node.guard) {
      Expr cond = simplified(conjunct.cond);
      if (is_true(cond) || facts().can_prove(cond)) {
        changed = true;
        continue;
      }
      const bool known = std::any_of(guard.begin(), guard.end(), [&](const Conjunct& other) {
        return other.tail == conjunct.tail && ir::structural_equal(other.cond, cond);
      });
      changed |= known || cond.get() != conjunct.cond.get();
      if (known) continue;
      guard.push_back({cond, conjunct.loop, conjunct.tail});
    }
    return changed ? Stmt(new BlockRealizeNode(values, guard, node.block)) : self;
  }

  Stmt under(PlaceFact fact, const Stmt& body) {
    around_.push_back(std::move(fact));
    facts_.reset();
    Stmt result = mutate(body);
    around_.pop_back();
    facts_.reset();
    return result;
  }

  // What is known at the place; made only where something asks.
  const arith::Analyzer& facts() {
    if (!facts_) {
      facts_.emplace();
      arith::bind_function_facts(*facts_, func_);
      for (const auto& [var, value] : around_) {
        if (var.defined()) {
          facts_->bind_extent(var, value);
        } else {
          facts_->assume(value);
        }
      }
    }
    return *facts_;
  }

  // The variable of a loop of several iterations.
  bool is_plain(const Expr& value) const {
    return std::any_of(around_.begin(), around_.end(), [&](const PlaceFact& fact) {
      const int64_t* extent = as_const_int(fact.second);
      return fact.first.defined() && fact.first.get() == value.get() && extent && *extent > 1;
    });
  }

  // A loop of at most one iteration has a known variable, but is still what says whether there is one: where an init
  // goes depends on it.
  Expr simplified(const Expr& e) {
    Expr result = facts().simplify(e);
    if (is_true(result) || is_false(result)) return result;
    for (const Var& var : free_vars(e)) {
      if (open_.count(var) && !uses_var(result, var)) return e;
    }
    return result;
  }

  const PrimFunc& func_;
  std::vector<Expr> of_function_;  // what `func_` says of its sizes
  std::vector<PlaceFact> around_;
  std::optional<arith::Analyzer> facts_;
  VarSet open_;  // variables of loops that may be empty
};

Buffer copy_buffer(const Buffer& b, Scope scope, Layout layout, AllocAt at) {
  return Buffer(
      new BufferNode(b->name, b->dtype, b->shape, scope, std::move(layout), b->pad, b->align, at));
}

}  // namespace

Stmt replace_stmt(const Stmt& root, const StmtNode* target, Stmt replacement) {
  return ReplaceStmt(target, std::move(replacement)).mutate(root);
}

Stmt map_blocks(const Stmt& stmt,
                const std::function<Stmt(const BlockRealizeNode&, const Stmt&)>& f) {
  return MapBlocks(f).mutate(stmt);
}

Block with_body(const Block& b, Stmt init, Stmt body) {
  return arith::with_derived_regions(
      Block(new BlockNode(b->id, b->name, b->block_kind, b->iter_vars, b->where, {}, {}, b->reducer,
                          std::move(init), std::move(body), b->annotations, b->origin)));
}

Stmt with_guard(const BlockRealizeNode& realize, std::vector<Conjunct> guard) {
  return Stmt(new BlockRealizeNode(realize.iter_values, std::move(guard), realize.block));
}

Stmt with_whole_padded_tiles(const PrimFunc& func) {
  const Tree tree(func);
  return map_blocks(func->body, [&](const BlockRealizeNode& realize, const Stmt&) {
    std::vector<Conjunct> guard;
    for (const Conjunct& conjunct : realize.guard) {
      const ForNode* loop = conjunct.tail == Tail::kPad ? tree.loop(conjunct.loop) : nullptr;
      Expr cond = conjunct.cond;
      if (loop) cond = substitute(cond, {{loop->var, make_int(loop->var.dtype(), 0)}});
      guard.push_back({cond, conjunct.loop, Tail::kGuard});
    }
    return with_guard(realize, std::move(guard));
  });
}

Stmt with_block(const BlockRealizeNode& realize, Block block) {
  return Stmt(new BlockRealizeNode(realize.iter_values, realize.guard, std::move(block)));
}

Stmt with_kind(const ForNode& l, ForKind kind) {
  return Stmt(new ForNode(l.id, l.var, l.extent, kind, l.thread, l.annotations, l.body));
}

Stmt with_annotations(const ForNode& l, Attrs annotations) {
  return Stmt(
      new ForNode(l.id, l.var, l.extent, l.for_kind, l.thread, std::move(annotations), l.body));
}

Buffer with_alloc_at(const Buffer& b, AllocAt at) {
  return copy_buffer(b, b->scope, b->layout, at);
}
Buffer with_scope(const Buffer& b, Scope scope) {
  return copy_buffer(b, scope, b->layout, b->alloc_at);
}
Buffer with_layout(const Buffer& b, Layout layout) {
  return copy_buffer(b, b->scope, std::move(layout), b->alloc_at);
}

Stmt insert_after(const Stmt& root, const StmtNode* target, Stmt stmt) {
  return replace_stmt(root, target, Stmt(new SeqNode({Stmt(target), std::move(stmt)})));
}

Stmt insert_before(const Stmt& root, const StmtNode* target, Stmt stmt) {
  return replace_stmt(root, target, Stmt(new SeqNode({std::move(stmt), Stmt(target)})));
}

Stmt nest(const std::vector<NestLoop>& loops, Stmt body) {
  for (size_t i = loops.size(); i-- > 0;) {
    body = make_for(loops[i].id, loops[i].var, loops[i].extent, body, loops[i].kind);
  }
  return body;
}

Stmt simplify_guards(const PrimFunc& func, const Stmt& body) {
  return SimplifyGuards(func).mutate(body);
}

namespace {

// The loops that must enclose the allocation of `buffer`: those common to all its uses, cut before the
// outermost loop over which a reduction accumulates into it.
std::vector<const ForNode*> required_enclosing(const Tree& tree, const Buffer& buffer, bool& used) {
  std::vector<const ForNode*> common;
  used = false;
  for (const Tree::Entry& entry : tree.entries()) {
    if (!entry.realize) continue;
    const Block& block = entry.realize->block;
    bool writes = block_writes(block, buffer);
    if (!writes && !block_reads(block, buffer)) continue;
    std::vector<const ForNode*> loops = tree.loops_around(entry.id);
    if (writes) {
      loops.resize(std::min(loops.size(), outermost_reduce_loop(loops, *entry.realize)));
    }
    if (!used) {
      common = loops;
    } else {
      size_t n = 0;
      while (n < common.size() && n < loops.size() && common[n] == loops[n]) ++n;
      common.resize(n);
    }
    used = true;
  }
  return common;
}

// The first loop along an ordered axis of a writer of `buffer` when later steps may read what earlier ones wrote:
// the buffer must outlive it. Null when there is none.
const ForNode* carrying_loop(const Tree& tree, const Buffer& buffer) {
  for (const Tree::Entry& writer : tree.entries()) {
    if (!writer.realize || !block_writes(writer.realize->block, buffer)) continue;
    for (const ForNode* loop : tree.loops_around(writer.id)) {
      const Feeds fed = feeds(loop->var, *writer.realize);
      if (!fed.ordered && !fed.opaque) continue;
      arith::Analyzer facts;
      auto made = arith::accessed_region(facts, loop->body, buffer, false, true);
      auto read = arith::accessed_region(facts, loop->body, buffer, true, false);
      if (!read) break;
      // What one iteration reads it also makes, and before: then nothing is carried over.
      bool own = made.has_value();
      for (size_t d = 0; own && d < read->ranges.size(); ++d) {
        own = facts.can_prove_equal(read->ranges[d].min, made->ranges[d].min) &&
              facts.can_prove_equal(read->ranges[d].extent, made->ranges[d].extent);
      }
      for (const Tree::Entry& reader : tree.entries()) {
        if (!reader.realize || !block_reads(reader.realize->block, buffer)) continue;
        if (tree.encloses(loop->id, reader.id))
          own &= tree.index(reader.id) > tree.index(writer.id);
      }
      if (!own) return loop;
      break;
    }
  }
  return nullptr;
}

}  // namespace

PrimFunc fix_allocs(const PrimFunc& func) {
  Tree tree(func);
  BufferMap moved;
  std::vector<Buffer> allocs;
  for (const Buffer& buffer : func->allocs) {
    bool used = false;
    std::vector<const ForNode*> enclosing = required_enclosing(tree, buffer, used);
    if (!used) continue;
    Buffer result = buffer;
    if (buffer->alloc_at.kind == AllocAt::Kind::kLoop) {
      const auto carrying =
          std::find(enclosing.begin(), enclosing.end(), carrying_loop(tree, buffer));
      enclosing.erase(carrying, enclosing.end());
      bool legal = std::any_of(enclosing.begin(), enclosing.end(), [&](const ForNode* loop) {
        return loop->id == buffer->alloc_at.loop;
      });
      if (!legal) {
        AllocAt at;
        if (!enclosing.empty()) at = {AllocAt::Kind::kLoop, enclosing.back()->id};
        result = with_alloc_at(buffer, at);
        moved[buffer] = result;
      }
    }
    allocs.push_back(result);
  }
  if (moved.empty() && allocs.size() == func->allocs.size()) return func;
  Stmt body = replace_buffers(func->body, moved);
  return without_stale_places(ir::with_allocs(ir::with_body(func, body), std::move(allocs)));
}

void finish_rehomed(Invocation& in, const Stmt& body, const std::map<int64_t, int64_t>& new_homes) {
  BufferMap moved;
  std::vector<Buffer> allocs;
  for (const Buffer& buffer : in.func->allocs) {
    auto home = buffer->alloc_at.kind == AllocAt::Kind::kLoop
                    ? new_homes.find(buffer->alloc_at.loop)
                    : new_homes.end();
    if (home == new_homes.end()) {
      allocs.push_back(buffer);
      continue;
    }
    AllocAt at;
    if (home->second >= 0) at = {AllocAt::Kind::kLoop, home->second};
    allocs.push_back(with_alloc_at(buffer, at));
    moved[buffer] = allocs.back();
  }
  in.finish(replace_buffers(body, moved), std::move(allocs));
}

}  // namespace tilewright::schedule
