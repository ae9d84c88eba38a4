#include "schedule/invocation.h"

#include "schedule/rewrite.h"
#include "tilewright/ir/text.h"

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
  internal_check(it != attrs.end(), "instruction '{}' lacks attribute '{}'", primitive_, name);
  return it->second;
}

int64_t Invocation::int_attr(std::string_view name) const {
  const int64_t* value = std::get_if<int64_t>(&attr(name).data);
  internal_check(value, "attribute '{}' of '{}' is not an integer", name, primitive_);
  return *value;
}

std::string Invocation::text_attr(std::string_view name) const {
  const std::string* value = std::get_if<std::string>(&attr(name).data);
  internal_check(value, "attribute '{}' of '{}' is not a text", name, primitive_);
  return *value;
}

arith::Analyzer Invocation::facts(const std::vector<const ForNode*>& loops) const {
  arith::Analyzer analyzer;
  arith::bind_function_facts(analyzer, func);
  for (const ForNode* node : loops) analyzer.bind_extent(node->var, node->extent);
  return analyzer;
}

void Invocation::refuse(std::string_view what, int64_t at, std::string reason, std::string hint,
                        std::vector<std::string> legal, std::string counter_example) const {
  throw Refusal{{fmt::format("schedule.{}.{}", primitive_, what), primitive_, std::move(reason), at,
                 std::move(legal), std::move(counter_example), std::move(hint), func}};
}

void Invocation::finish(Stmt body, std::vector<Buffer> allocs) {
  PrimFunc next = with_allocs(ir::with_body(func, std::move(body)), std::move(allocs));
  next = ir::with_body(next, simplify_guards(next, next->body));
  next = fix_allocs(next);
  verify_or_die(next, primitive_);
  func = next;
}

}  // namespace tilewright::schedule
