#include <algorithm>
#include <cstdio>

#include "schedule/nest_copy.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

std::vector<std::string> size_names(const PrimFunc& func) {
  std::vector<std::string> names;
  for (const Param& param : func->params) {
    if (param.var.defined()) names.push_back(param.var.name());
  }
  return names;
}

// What the parser says about the text, which stands on line `line` of what it was given.
std::string fault_in(const std::string& message, int line) {
  int at = 0, column = 0, length = 0;
  if (std::sscanf(message.c_str(), "line %d, column %d: %n", &at, &column, &length) != 2) {
    return message;
  }
  const std::string rest = message.substr(static_cast<size_t>(length));
  return at == line ? fmt::format("column {}: {}", column, rest) : "it is not finished";
}

// The text as the only assumption of a function with the same parameters, over this function's own variables.
Expr parse_condition(const Invocation& in, const std::string& text) {
  const PrimFunc& func = in.func;
  PrimFunc shell(
      new PrimFuncNode("sizes", func->params, {make_bool(true)}, {}, nop(), Level::kScheduled, {}));
  std::string source = to_text(shell);
  const std::string marker = "assume true";
  size_t at = source.find(marker);
  internal_check(at != std::string::npos, "no assumption in the text of a function");
  source.replace(at, marker.size(), "assume (\n" + text + "\n)");
  const auto before = source.begin() + static_cast<std::ptrdiff_t>(at);
  const int line = 2 + static_cast<int>(std::count(source.begin(), before, '\n'));
  PrimFunc parsed;
  try {
    parsed = parse_func(source);
  } catch (const Error& error) {
    throw Error(error.code(), fault_in(error.what(), line));
  }
  internal_check(parsed->params.size() == func->params.size(), "a parameter got lost in its text");
  if (parsed->assumptions.size() != 1) fail("ir.parse", "more than one condition");
  VarMap map;
  for (size_t i = 0; i < func->params.size(); ++i) {
    if (func->params[i].var.defined()) map[parsed->params[i].var] = func->params[i].var;
  }
  return substitute(parsed->assumptions[0], map);
}

Expr read_condition(const Invocation& in, int64_t at) {
  const std::string text = in.text_attr("condition");
  std::vector<std::string> names = size_names(in.func);
  Expr condition;
  try {
    condition = parse_condition(in, text);
  } catch (const Error& error) {
    in.refuse("condition", at, fmt::format("'{}' is no condition: {}", text, error.what()),
              "write a comparison of the symbolic sizes, such as \"n % 8 == 0\"", names);
  }
  bool plain = condition.dtype() == kBool, sized = false;
  walk_exprs(condition, [&](const Expr& e) {
    plain &= e.as<LoadNode>() == nullptr && e.as<CallNode>() == nullptr &&
             (e.dtype().is_int() || e.dtype() == kBool);
    sized |= e.as<VarNode>() != nullptr;
  });
  if (plain && sized) return condition;
  in.refuse("condition", at, fmt::format("'{}' is no condition on the symbolic sizes", text),
            "write a comparison of them, such as \"n % 8 == 0\"", names);
}

// The outermost loop around the block, or the block itself.
const StmtNode* whole_nest(const Tree& tree, int64_t block_id) {
  std::vector<const ForNode*> loops = tree.loops_around(block_id);
  if (loops.empty()) return tree.block(block_id);
  return loops[0];
}

}  // namespace

/// specialize(block, condition): a copy of the nest for the sizes of which the condition holds.
///
///   before                    after specialize(C, "n % 8 == 0")
///   for i_0: for i_1:         if n % 8 == 0:
///     if i_0 * 8 + i_1 < n:     for i_0: for i_1: C_1 …        without the condition on i
///       C …                   else:
///                               for i_0: for i_1: if i_0 * 8 + i_1 < n: C …
///
/// The nest is all that is inside the outermost loop around the block. Inside the copy the condition is a fact: what
/// it makes needless is dropped, now and in later primitives; the original knows its contrary. Gives the block of
/// the copy; the handles of the original stay with it. Errors: schedule.specialize.condition, .always, .never.
Outputs run_specialize(Invocation& in) {
  const BlockRealizeNode& realize = in.block(0);
  const int64_t block_id = realize.block->id;
  Expr condition = read_condition(in, block_id);
  const StmtNode* target = whole_nest(in.tree, block_id);
  arith::Analyzer facts = in.facts();
  for (const Expr& known : in.tree.conditions_around(block_id)) facts.assume(facts.simplify(known));
  Expr known = facts.simplify(condition);
  if (is_true(known) || facts.can_prove(known)) {
    in.refuse("always", block_id,
              fmt::format("{} holds for all sizes this nest runs for", to_pretty(condition)),
              "schedule the nest itself: what the condition says is known there");
  }
  Expr contrary = facts.simplify(!condition);
  if (is_false(known) || facts.can_prove(contrary)) {
    in.refuse(
        "never", block_id,
        fmt::format("{} holds for none of the sizes this nest runs for", to_pretty(condition)),
        "give a condition that some size of the function satisfies");
  }
  NestCopier copier(in);
  std::map<int64_t, int64_t> ids;
  Stmt copy = copier.copy(Stmt(target), &ids);
  std::vector<Buffer> allocs = in.func->allocs;
  allocs.insert(allocs.end(), copier.buffers().begin(), copier.buffers().end());
  Stmt branches(new IfNode(condition, copy, Stmt(target)));
  in.finish(replace_stmt(in.func->body, target, branches), std::move(allocs));
  return {BlockRef{ids.at(block_id)}};
}

}  // namespace tilewright::schedule
