#include "schedule/enumerate.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/tree.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

using Known = std::optional<int64_t>;  // nothing: known only at run time

Known apply_binary(BinaryOp op, int64_t a, int64_t b) {
  const auto wrapped = [](auto f, int64_t x, int64_t y) {
    return static_cast<int64_t>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  };
  const bool divides = b != 0 && b != -1;
  const int64_t quotient = divides ? a / b : b == -1 ? wrapped(std::minus<>(), 0, a) : 0;
  const int64_t rest = divides ? a % b : 0;
  const bool down = rest != 0 && (rest < 0) != (b < 0);
  switch (op) {
    case BinaryOp::kAdd: return wrapped(std::plus<>(), a, b);
    case BinaryOp::kSub: return wrapped(std::minus<>(), a, b);
    case BinaryOp::kMul: return wrapped(std::multiplies<>(), a, b);
    case BinaryOp::kFloorDiv: return quotient - down;
    case BinaryOp::kFloorMod: return down ? rest + b : rest;
    case BinaryOp::kTruncDiv: return quotient;
    case BinaryOp::kTruncMod: return rest;
    case BinaryOp::kMin: return std::min(a, b);
    case BinaryOp::kMax: return std::max(a, b);
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd: return a & b;
    case BinaryOp::kOr:
    case BinaryOp::kBitOr: return a | b;
    case BinaryOp::kBitXor: return a ^ b;
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kGt: return a > b;
    case BinaryOp::kGe: return a >= b;
    default: return {};
  }
}

// Walks the program in execution order.
class Lister {
 public:
  Lister(Enumeration& out, const EnumerateOptions& options, std::map<int64_t, int64_t> init_of)
      : out_(out), options_(options), init_of_(std::move(init_of)) {
    for (const auto& [var, value] : out.sizes) values_[var.get()] = value;
    for (const Param& param : out.func->params) {
      if (param.buffer) add_buffer(param.buffer);
    }
    for (const Buffer& buffer : out.func->allocs) add_buffer(buffer);
  }

  void run(const Stmt& stmt) {
    if (full_) return;
    if (const auto* seq = stmt.as<SeqNode>()) {
      for (const Stmt& child : seq->stmts) run(child);
    } else if (const auto* loop = stmt.as<ForNode>()) {
      run_loop(*loop);
    } else if (const auto* branch = stmt.as<IfNode>()) {
      const Known condition = evaluate(branch->condition);
      if (!condition) out_.exact = false;
      if (condition.value_or(1)) run(branch->then_body);
      if (branch->else_body && !condition.value_or(0)) run(branch->else_body);
    } else if (const auto* let = stmt.as<LetStmtNode>()) {
      bind(let->var, evaluate(let->value));
      run(let->body);
    } else if (const auto* realize = stmt.as<BlockRealizeNode>()) {
      instance_ ? run_block(*realize) : run_instance(*realize);
    } else if (instance_) {
      run_access(stmt);
    }
  }

 private:
  void add_buffer(const Buffer& buffer) {
    BufferInstance instance{buffer, {}};
    for (const Expr& extent : buffer->shape) {
      instance.shape.push_back(evaluate(extent).value_or(0));
    }
    buffer_index_[buffer.get()] = static_cast<int>(out_.buffers.size());
    out_.buffers.push_back(std::move(instance));
  }

  void bind(const Var& var, Known value) {
    if (value) {
      values_[var.get()] = *value;
    } else {
      values_.erase(var.get());
    }
  }

  void run_loop(const ForNode& loop) {
    const int64_t extent = evaluate(loop.extent).value_or(0);
    const int64_t longest = std::max<int64_t>(options_.longest_loop, 2);
    if (!instance_) coords_.push_back(0);
    for (int64_t i = 0; i < extent; ++i) {
      // The first ones and the last two.
      if (extent > longest && i == longest - std::min<int64_t>(2, longest - 1)) {
        out_.complete = false;
        i = extent - std::min<int64_t>(2, longest - 1);
      }
      values_[loop.var.get()] = i;
      if (!instance_) coords_.back() = i;
      ++iterations_[loop.id];
      run(loop.body);
    }
    if (!instance_) coords_.pop_back();
    values_.erase(loop.var.get());
  }

  void run_instance(const BlockRealizeNode& realize) {
    for (const Conjunct& conjunct : realize.guard) {
      if (!evaluate(conjunct.cond).value_or(1)) return;
    }
    if (out_.instances.size() >= options_.most_instances) {
      full_ = true;
      out_.complete = false;
      return;
    }
    StatementInstance instance;
    const auto init = init_of_.find(realize.block->id);
    instance.is_init = init != init_of_.end();
    instance.block = instance.is_init ? init->second : realize.block->id;
    instance.realize = &realize;
    instance.coords = coords_;
    instance.updates = realize.block->reducer.defined();
    instance.commutes = instance.updates && realize.block->reducer->associative &&
                        realize.block->reducer->commutative;
    for (const Expr& value : realize.iter_values) {
      instance.point.push_back(evaluate(value).value_or(0));
    }
    instance_ = &instance;
    run_block(realize);
    instance_ = nullptr;
    for (std::vector<Element>* list : {&instance.reads, &instance.writes}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    out_.instances.push_back(std::move(instance));
  }

  void run_block(const BlockRealizeNode& realize) {
    const Block& block = realize.block;
    for (size_t i = 0; i < block->iter_vars.size(); ++i) {
      bind(block->iter_vars[i].var, evaluate(realize.iter_values[i]));
    }
    if (block->block_kind != BlockKind::kCompute) {
      for (const Region& region : block->reads) touch_region(region, instance_->reads);
      for (const Region& region : block->writes) touch_region(region, instance_->writes);
      return;
    }
    if (block->where.defined() && !evaluate(block->where).value_or(1)) return;
    run(block->body);
  }

  void run_access(const Stmt& stmt) {
    if (const auto* store = stmt.as<StoreNode>()) {
      (void)evaluate(store->value);
      if (store->predicate.defined() && !evaluate(store->predicate).value_or(1)) return;
      touch(store->buffer, store->indices, instance_->writes);
    } else if (const auto* update = stmt.as<UpdateNode>()) {
      for (const Expr& value : update->values) (void)evaluate(value);
      for (const Buffer& buffer : update->buffers) {
        touch(buffer, update->indices, instance_->writes);
      }
    } else if (const auto* effect = stmt.as<EvaluateNode>()) {
      (void)evaluate(effect->value);
    }
  }

  // Adds the elements at `indices`; an index not known touches its whole dimension.
  void touch(const Buffer& buffer, const std::vector<Expr>& indices, std::vector<Element>& into) {
    std::vector<std::pair<int64_t, int64_t>> box;  // begin, end
    for (const Expr& index : indices) {
      const Known at = evaluate(index);
      box.emplace_back(at.value_or(0), at ? *at + 1 : extent_of(buffer, box.size()));
      out_.exact &= at.has_value();
    }
    touch_box(buffer, box, into);
  }

  void touch_region(const Region& region, std::vector<Element>& into) {
    std::vector<std::pair<int64_t, int64_t>> box;
    for (const Range& range : region.ranges) {
      const Known min = evaluate(range.min), extent = evaluate(range.extent);
      const bool known = min && extent;
      box.emplace_back(known ? *min : 0,
                       known ? *min + *extent : extent_of(region.buffer, box.size()));
    }
    touch_box(region.buffer, box, into);
  }

  int64_t extent_of(const Buffer& buffer, size_t dim) {
    return out_.buffers.at(buffer_index_.at(buffer.get())).shape.at(dim);
  }

  void touch_box(const Buffer& buffer, const std::vector<std::pair<int64_t, int64_t>>& box,
                 std::vector<Element>& into) {
    const auto it = buffer_index_.find(buffer.get());
    if (it == buffer_index_.end()) return;
    const std::vector<int64_t>& shape = out_.buffers[it->second].shape;
    int64_t life = 0;
    if (buffer->alloc_at.kind == AllocAt::Kind::kLoop) life = iterations_[buffer->alloc_at.loop];
    std::vector<int64_t> offsets = {0};
    for (size_t d = 0; d < box.size(); ++d) {
      std::vector<int64_t> next;
      for (const int64_t offset : offsets) {
        for (int64_t i = box[d].first; i < box[d].second; ++i) {
          const bool inside = offset >= 0 && i >= 0 && i < shape[d];
          next.push_back(inside ? offset * shape[d] + i : -1);
        }
      }
      offsets = std::move(next);
    }
    for (const int64_t offset : offsets) into.push_back({it->second, life, offset});
  }

  // The value of an integer expression where it is known; on the way, adds what it loads to the instance's
  // reads.
  Known evaluate(const Expr& expr) {
    if (const auto* imm = expr.as<IntImmNode>()) return imm->value;
    if (const auto* var = expr.as<VarNode>()) {
      const auto it = values_.find(var);
      return it == values_.end() ? Known() : Known(it->second);
    }
    if (const auto* binary = expr.as<BinaryNode>()) {
      const Known a = evaluate(binary->a), b = evaluate(binary->b);
      if (binary->op == BinaryOp::kAnd && (a == 0 || b == 0)) return 0;
      if (binary->op == BinaryOp::kOr && (a == 1 || b == 1)) return 1;
      return a && b ? apply_binary(binary->op, *a, *b) : Known();
    }
    if (const auto* unary = expr.as<UnaryNode>()) {
      const Known a = evaluate(unary->a);
      if (!a) return {};
      return unary->op == UnaryOp::kNeg ? -*a : unary->op == UnaryOp::kNot ? int64_t{!*a} : ~*a;
    }
    if (const auto* cast = expr.as<CastNode>()) {
      const Known a = evaluate(cast->value);
      const bool whole = expr.dtype().is_int() && cast->value.dtype().is_int();
      return a && whole ? Known(*as_const_int(make_int(expr.dtype(), *a))) : Known();
    }
    if (const auto* select = expr.as<SelectNode>()) {
      const Known c = evaluate(select->condition), t = evaluate(select->true_value),
                  f = evaluate(select->false_value);
      return c ? (*c ? t : f) : Known();
    }
    if (const auto* choice = expr.as<IfThenElseNode>()) {
      const Known c = evaluate(choice->condition);
      if (!c && instance_) out_.exact = false;
      const Known t = c.value_or(1) ? evaluate(choice->true_value) : Known();
      const Known f = c.value_or(0) ? Known() : evaluate(choice->false_value);
      return c ? (*c ? t : f) : Known();
    }
    if (const auto* let = expr.as<LetNode>()) {
      bind(let->var, evaluate(let->value));
      return evaluate(let->body);
    }
    if (const auto* load = expr.as<LoadNode>()) {
      if (load->predicate.defined() && !evaluate(load->predicate).value_or(1)) return {};
      if (instance_) touch(load->buffer, load->indices, instance_->reads);
      return {};
    }
    if (const auto* call = expr.as<CallNode>()) {
      for (const Expr& arg : call->args) (void)evaluate(arg);
    }
    return {};
  }

  Enumeration& out_;
  const EnumerateOptions& options_;
  const std::map<int64_t, int64_t> init_of_;
  std::unordered_map<const ExprNode*, int64_t> values_;
  std::unordered_map<const BufferNode*, int> buffer_index_;
  std::unordered_map<int64_t, int64_t> iterations_;  // so far, by loop id
  std::vector<int64_t> coords_;
  StatementInstance* instance_ = nullptr;  // being listed
  bool full_ = false;
};

bool assumptions_hold(const PrimFunc& func, const SizeValues& sizes) {
  return std::all_of(func->assumptions.begin(), func->assumptions.end(),
                     [&](const Expr& cond) { return evaluate_int(cond, sizes) != 0; });
}

}  // namespace

std::optional<SizeValues> small_sizes(const PrimFunc& func,
                                      const std::vector<int64_t>& candidates) {
  SizeValues sizes;
  for (const Param& param : func->params) {
    if (param.var.defined() && param.var.dtype().is_int()) sizes.emplace_back(param.var, 0);
  }
  for (const int64_t value : candidates) {
    for (auto& size : sizes) size.second = value;
    if (assumptions_hold(func, sizes)) return sizes;
    // One size that must be another, such as n == 2 * m.
    for (auto& size : sizes) {
      for (const int64_t other : candidates) {
        size.second = other;
        if (assumptions_hold(func, sizes)) return sizes;
      }
      size.second = value;
    }
  }
  return {};
}

Enumeration enumerate(const PrimFunc& func, const EnumerateOptions& options) {
  Enumeration result;
  std::map<int64_t, int64_t> init_of;
  result.func = ir::with_placed_inits(func, &init_of);
  result.sizes = options.sizes;
  for (const auto& [var, value] : small_sizes(func).value_or(SizeValues())) {
    const bool given = std::any_of(options.sizes.begin(), options.sizes.end(),
                                   [&, v = &var](const auto& s) { return s.first.same_as(*v); });
    if (!given) result.sizes.emplace_back(var, value);
  }
  const Tree tree(result.func);
  for (const BlockRealizeNode* realize : tree.blocks_under(-1)) {
    result.loops_around[realize->block->id] = tree.loops_around(realize->block->id);
  }
  Lister(result, options, std::move(init_of)).run(result.func->body);
  return result;
}

std::string Enumeration::name_of(const Element& element) const {
  const BufferInstance& instance = buffers.at(static_cast<size_t>(element.buffer));
  if (element.offset < 0) return instance.buffer->name + " outside its shape";
  std::vector<std::string> indices(instance.shape.size());
  int64_t rest = element.offset;
  for (size_t d = instance.shape.size(); d-- > 0;) {
    indices[d] = std::to_string(rest % instance.shape[d]);
    rest /= instance.shape[d];
  }
  std::string text = instance.buffer->name + "[";
  for (size_t d = 0; d < indices.size(); ++d) text += (d ? ", " : "") + indices[d];
  return text + "]";
}

std::string coordinates(const Enumeration& program, const StatementInstance& instance,
                        const std::vector<int64_t>& only) {
  const auto& loops = program.loops_around.at(instance.realize->block->id);
  std::string text;
  for (size_t i = 0; i < loops.size(); ++i) {
    const bool wanted =
        only.empty() || std::find(only.begin(), only.end(), loops[i]->id) != only.end();
    if (!wanted) continue;
    text += text.empty() ? "" : ", ";
    text += loops[i]->var.name() + "=" + std::to_string(instance.coords[i]);
  }
  return text;
}

}  // namespace tilewright::schedule
