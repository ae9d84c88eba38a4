#include "schedule/invocation.h"

#include "schedule/loop_rules.h"
#include "schedule/rewrite.h"
#include "schedule/rolling.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/tail_check.h"

namespace tilewright::schedule {

using namespace ir;

std::string quoted(const ForNode& loop) { return fmt::format("loop '{}'", loop.var.name()); }
std::string quoted(const BlockRealizeNode& realize) {
  return fmt::format("block '{}'", realize.block->name);
}

const ForNode& Invocation::loop(size_t i) const {
  const ForNode* node = i < inputs.size() ? tree.loop(inputs[i]) : nullptr;
  if (!node) {
    refuse("unknown_loop", -1,
           "the loop handle names no loop of the program as it is now (a primitive that removed or "
           "replaced the loop ends its handle)",
           "call get_loops(block) again and use the handles it returns");
  }
  return *node;
}

const BlockRealizeNode& Invocation::block(size_t i) const {
  const BlockRealizeNode* node = i < inputs.size() ? tree.block(inputs[i]) : nullptr;
  if (!node) {
    refuse("unknown_block", -1,
           "the block handle names no block of the program as it is now (it was inlined or merged)",
           "call get_block(name) again");
  }
  return *node;
}

const Value& Invocation::attr(std::string_view name) const {
  auto it = attrs.find(std::string(name));
  if (it == attrs.end()) {
    fail("trace.attribute", "an instruction '{}' lacks its attribute '{}'", primitive_, name);
  }
  return it->second;
}

namespace {

template <typename T>
const T& typed(const Value& value, const std::string& primitive, std::string_view name,
               std::string_view type) {
  const T* result = std::get_if<T>(&value.data);
  if (!result) {
    fail("trace.attribute", "attribute '{}' of an instruction '{}' is not {}", name, primitive,
         type);
  }
  return *result;
}

}  // namespace

int64_t Invocation::int_attr(std::string_view name) const {
  return typed<int64_t>(attr(name), primitive_, name, "an integer");
}

std::string Invocation::text_attr(std::string_view name) const {
  return typed<std::string>(attr(name), primitive_, name, "a text");
}

const Value::List& Invocation::list_attr(std::string_view name) const {
  return typed<Value::List>(attr(name), primitive_, name, "a list");
}

arith::Analyzer Invocation::facts(const std::vector<const ForNode*>& loops) const {
  arith::Analyzer analyzer;
  arith::bind_function_facts(analyzer, func);
  for (const ForNode* node : loops) analyzer.bind_extent(node->var, node->extent);
  if (!loops.empty() && tree.index(loops.back()->id) >= 0) {
    for (const Expr& condition : tree.conditions_around(loops.back()->id)) {
      analyzer.assume(analyzer.simplify(condition));
    }
  }
  return analyzer;
}

void Invocation::refuse(std::string_view what, int64_t at, std::string reason, std::string hint,
                        std::vector<std::string> legal, std::string counter_example) const {
  throw Refusal{{fmt::format("schedule.{}.{}", primitive_, what), primitive_, std::move(reason), at,
                 std::move(legal), std::move(counter_example), std::move(hint), func, inputs, attrs,
                 PrimFunc()}};
}

arith::Analyzer Invocation::facts_at(int64_t id) const {
  arith::Analyzer analyzer = facts(tree.loops_around(id));
  for (const Expr& condition : tree.conditions_around(id)) {
    analyzer.assume(analyzer.simplify(condition));
  }
  return analyzer;
}

namespace {

bool runs_at_once(const ForNode& loop) {
  return loop.for_kind == ForKind::kParallel || loop.for_kind == ForKind::kVectorized;
}

}  // namespace

void Invocation::require_loops_independent() const {
  for (const ForNode* node : tree.loops()) {
    if (runs_at_once(*node)) require_independent_iterations(*this, *node);
  }
}

void Invocation::require_loops_independent(const PrimFunc& next) const {
  const Invocation after(primitive_, next, next_id);
  for (const ForNode* node : after.tree.loops()) {
    if (!runs_at_once(*node)) continue;
    try {
      require_independent_iterations(after, *node);
    } catch (Refusal& refusal) {
      refusal.error.func = func;
      refusal.error.after = next;
      refusal.error.inputs = inputs;
      refusal.error.attrs = attrs;
      refusal.error.hint =
          fmt::format("do this before making the loop {}", spelling(node->for_kind));
      throw;
    }
  }
}

// Buffers of which only a part is kept, and blocks that compute only what is new.
void Invocation::require_rolling(const PrimFunc& next) const {
  if (!has_rolling(next)) return;
  const Invocation after(primitive_, next, next_id);
  try {
    require_valid_rolling(after);
  } catch (Refusal& refusal) {
    refusal.error.func = func;
    refusal.error.after = next;
    refusal.error.inputs = inputs;
    refusal.error.attrs = attrs;
    throw;
  }
}

namespace {

// What lowering would say to the tail policies of `func`; nothing when it can carry them out.
std::optional<Error> tail_fault(const PrimFunc& func) {
  if (!lower::has_proved_tails(func)) return {};
  try {
    lower::require_tails(func);
  } catch (const Error& error) {
    return error;
  }
  return {};
}

}  // namespace

void Invocation::require_tails(const PrimFunc& next) const {
  const std::optional<Error> fault = tail_fault(next);
  if (!fault || tail_fault(func)) return;  // it was open before
  std::string reason = fault->what(), hint;
  if (const size_t advice = reason.rfind("; "); advice != std::string::npos) {
    hint = reason.substr(advice + 2);
    reason.resize(advice);
  }
  try {
    refuse(fault->code().substr(fault->code().find('.') + 1) + "_tail",
           inputs.empty() ? -1 : inputs[0], "after this step, " + reason, std::move(hint));
  } catch (Refusal& refusal) {
    refusal.error.after = next;
    throw;
  }
}

void Invocation::finish(Stmt body, std::vector<Buffer> allocs) {
  PrimFunc next = with_allocs(ir::with_body(func, std::move(body)), std::move(allocs));
  next = ir::with_body(next, simplify_guards(next, next->body));
  const PrimFunc placed = fix_allocs(next);
  const bool moves_buffers = !placed.same_as(next);
  next = placed;
  if (draft) {
    func = next;
    return;
  }
  if (moves_blocks || moves_buffers) require_loops_independent(next);
  require_rolling(next);
  if (!tails_proved_late) require_tails(next);
  verify_or_die(next, primitive_);
  func = next;
}

}  // namespace tilewright::schedule
