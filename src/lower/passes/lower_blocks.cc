#include <unordered_map>

#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// Number of uses of `var` below the expressions, for deciding between a copy and a let.
size_t count_uses(const std::vector<Expr>& exprs, const Var& var) {
  size_t count = 0;
  for (const Expr& e : exprs) {
    walk_exprs(e, [&](const Expr& sub) { count += sub.get() == var.get(); });
  }
  return count;
}

bool is_cheap(const Expr& value) { return is_literal(value) || value.as<VarNode>(); }

/// Replaces blocks by their bodies and puts Alloc statements where the buffers live.
class LowerBlocks final : public BoundMutator {
 public:
  using BoundMutator::mutate;

  explicit LowerBlocks(const PrimFunc& func) : BoundMutator(func) {
    for (const Buffer& buffer : func->allocs) {
      if (buffer->alloc_at.kind == AllocAt::Kind::kLoop) {
        in_loop_[buffer->alloc_at.loop].push_back(buffer);
      } else {
        at_root_.push_back(buffer);
      }
    }
  }

  Stmt run(const Stmt& body) {
    Stmt result = wrap(mutate(body), at_root_);
    for (const auto& [loop, buffers] : in_loop_) {
      internal_check(buffers.empty(), "buffer '{}' lives in loop {}, which does not exist",
                     buffers.empty() ? "" : buffers.front()->name, loop);
    }
    return result;
  }

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt&) override {
    Expr extent = mutate(node.extent);
    analyzer_.bind_extent(node.var, extent);
    Stmt body = mutate(node.body);
    if (auto it = in_loop_.find(node.id); it != in_loop_.end()) {
      body = wrap(std::move(body), it->second);
      in_loop_.erase(it);
    }
    // Order was the schedule's concern; from here on an ordered loop is a serial one.
    const ForKind kind = node.for_kind == ForKind::kOrdered ? ForKind::kSerial : node.for_kind;
    return Stmt(new ForNode(node.id, node.var, extent, kind, node.thread, node.annotations, body));
  }

  Stmt mutate_node(const BlockRealizeNode& node, const Stmt&) override {
    const BlockNode& block = *node.block;
    if (block.init) {
      throw InternalError(
          fmt::format("block '{}' still has its init; place_inits comes first", block.name));
    }
    VarMap values;
    for (size_t i = 0; i < block.iter_vars.size(); ++i) {
      Expr value = analyzer_.simplify(node.iter_values[i]);
      const Var& var = block.iter_vars[i].var;
      if (!(value.dtype() == var.dtype())) value = cast(var.dtype(), value);
      values[var] = value;
    }
    // A condition that reads memory is tested inside of those that say whether it may.
    std::vector<Expr> plain, reading;
    auto add = [&](const Expr& condition) {
      for (const Expr& part : split_conjunction(condition)) {
        Expr cond = analyzer_.simplify(substitute(part, values));
        if (!is_true(cond)) (is_pure_index(cond) ? plain : reading).push_back(cond);
      }
    };
    for (const Conjunct& conjunct : node.guard) add(conjunct.cond);
    add(block.where);
    Stmt body = mutate(substitute(block.body, values));
    for (auto it = reading.rbegin(); it != reading.rend(); ++it) body = if_then(*it, body);
    return plain.empty() ? body : if_then(join_conjunction(plain), body);
  }

  Stmt mutate_node(const UpdateNode& node, const Stmt&) override {
    const ReducerNode& reducer = *node.reducer;
    // Everything is read before anything is written: values and old accumulators go into lets unless
    // there is only one of each and it is used once.
    std::vector<std::pair<Var, Expr>> lets;
    VarMap operands;
    const bool tuple = reducer.arity() > 1;
    auto bind = [&](const Var& var, const Expr& value, const std::string& name) {
      const bool direct = is_cheap(value) || (!tuple && count_uses(reducer.results, var) <= 1);
      if (direct) {
        operands[var] = value;
        return;
      }
      Var bound(name, value.dtype());
      lets.emplace_back(bound, value);
      operands[var] = bound;
    };
    for (size_t j = 0; j < reducer.arity(); ++j) {
      Expr old = load(node.buffers[j], node.indices);
      bind(reducer.lhs[j], old, node.buffers[j]->name + "_old");
      bind(reducer.rhs[j], node.values[j], node.buffers[j]->name + "_term");
    }
    std::vector<Stmt> stores;
    for (size_t j = 0; j < reducer.arity(); ++j) {
      Expr value = substitute(reducer.results[j], operands);
      if (tuple) {
        Var result(node.buffers[j]->name + "_new", value.dtype());
        lets.emplace_back(result, value);
        value = result;
      }
      stores.push_back(store(node.buffers[j], node.indices, value));
    }
    Stmt result = seq(std::move(stores));
    for (auto it = lets.rbegin(); it != lets.rend(); ++it) {
      result = let_stmt(it->first, it->second, result);
    }
    return result;
  }

 private:
  static Stmt wrap(Stmt body, std::vector<Buffer>& buffers) {
    for (auto it = buffers.rbegin(); it != buffers.rend(); ++it) {
      body = Stmt(new AllocNode(*it, std::move(body)));
    }
    buffers.clear();
    return body;
  }

  std::unordered_map<int64_t, std::vector<Buffer>> in_loop_;
  std::vector<Buffer> at_root_;
};

}  // namespace

PrimFunc lower_blocks(const PrimFunc& func, const Target&, const LowerOptions&) {
  Stmt body = LowerBlocks(func).run(func->body);
  return PrimFunc(new PrimFuncNode(func->name, func->params, func->assumptions, {}, body,
                                   Level::kFlat, func->attrs));
}

}  // namespace tilewright::lower
