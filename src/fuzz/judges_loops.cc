#include <algorithm>

#include "fuzz/judges.h"
#include "schedule/rewrite.h"
#include "schedule/tree.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"

/// \file
/// Judges of the primitives that cut, order and run loops, and of programs that were made and then refused.

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Enumeration;
using schedule::Tree;

// The program that the primitive made and then refused.
Ruling judge_after(const Case& c) {
  if (!c.error.after) return Ruling::kUndecided;
  return legal_if(c.reference.difference(c.error.after).empty());
}

Ruling judge_iterations(const Case& c) {
  // The loop of the call itself, or of a rewritten program.
  if (c.error.after) return judge_after(c);
  for (const Enumeration& e : c.instances()) {
    if (schedule::loop_conflict(e, c.id(0))) return Ruling::kIllegal;
  }
  return Ruling::kLegal;
}

Ruling judge_too_few(const Case& c) {
  const Tree tree(c.func);
  const ForNode* loop = tree.loop(c.id(0));
  const auto* factors = std::get_if<schedule::Value::List>(&c.error.attrs.at("factors").data);
  int64_t product = 1;
  for (const schedule::Value& f : *factors) product *= std::get<int64_t>(f.data);
  const auto sizes = schedule::small_sizes(c.func, {100003, 65536, 30030, 64, 8, 5});
  if (!sizes) return Ruling::kUndecided;
  try {
    return legal_if(evaluate_int(loop->extent, *sizes) <= product);
  } catch (const Error&) {
    return Ruling::kUndecided;  // an extent over outer loops
  }
}

// The policy stands for moving the last tile of a block that may compute a point twice.
Ruling judge_shift_inwards(const Case& c) {
  const Tree tree(c.func);
  for (const BlockRealizeNode* realize : tree.blocks_under(c.id(0))) {
    if (realize->block->reducer) return Ruling::kIllegal;
  }
  const auto sizes = schedule::small_sizes(c.func, {0, 1, 2, 3, 5, 8, 64});
  if (!sizes) return Ruling::kUndecided;
  const auto* factors = std::get_if<schedule::Value::List>(&c.error.attrs.at("factors").data);
  int64_t tile = 1;
  for (size_t i = 1; i < factors->size(); ++i) {
    const auto* factor = std::get_if<int64_t>(&(*factors)[i].data);
    if (!factor) return Ruling::kUndecided;
    tile *= *factor;
  }
  try {
    return legal_if(evaluate_int(tree.loop(c.id(0))->extent, *sizes) >= tile);
  } catch (const Error&) {
    return Ruling::kUndecided;
  }
}

// Padding: whole tiles run, intermediates have room for them, arguments have none.
Ruling judge_pad(const Case& c) {
  if (!c.error.after) return Ruling::kUndecided;
  const PrimFunc& after = c.error.after;
  const Stmt body = schedule::with_whole_padded_tiles(after);
  BufferMap grown;
  std::vector<Buffer> allocs;
  for (const Buffer& b : after->allocs) {
    std::vector<Expr> shape;
    for (const Expr& extent : b->shape) shape.push_back(extent + 16);
    allocs.emplace_back(
        new BufferNode(b->name, b->dtype, shape, b->scope, Layout(), {}, b->align, b->alloc_at));
    grown[b] = allocs.back();
  }
  const PrimFunc relaxed =
      with_allocs(ir::with_body(after, replace_buffers(body, grown)), std::move(allocs));
  return legal_if(c.reference.difference(relaxed, /*check_init=*/false).empty());
}

// The order itself, made without asking.
Ruling judge_reorder(const Case& c) {
  if (c.error.after) return judge_after(c);
  const Tree tree(c.func);
  std::vector<const ForNode*> order;
  for (const int64_t id : c.error.inputs) order.push_back(tree.loop(id));
  auto by_place = [&](const ForNode* a, const ForNode* b) {
    return tree.index(a->id) < tree.index(b->id);
  };
  const ForNode* first = *std::min_element(order.begin(), order.end(), by_place);
  const ForNode* last = *std::max_element(order.begin(), order.end(), by_place);
  std::vector<const ForNode*> chain = {first};
  while (chain.back() != last) {
    const auto* next = chain.back()->body.as<ForNode>();
    if (!next) return Ruling::kNotApplicable;
    chain.push_back(next);
  }
  std::vector<const ForNode*> after = chain;
  size_t taken = 0;
  std::map<int64_t, int64_t> homes;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (std::find(order.begin(), order.end(), chain[i]) != order.end()) after[i] = order[taken++];
    homes[chain[i]->id] = after[i]->id;
  }
  Stmt body = chain.back()->body;
  for (size_t i = after.size(); i-- > 0;) body = ir::with_body(after[i], body);
  body = schedule::replace_stmt(c.func->body, chain[0], body);
  BufferMap moved;
  std::vector<Buffer> allocs;
  for (const Buffer& buffer : c.func->allocs) {
    const auto home = homes.find(buffer->alloc_at.loop);
    const bool inside = buffer->alloc_at.kind == AllocAt::Kind::kLoop && home != homes.end();
    allocs.push_back(inside ? schedule::with_alloc_at(buffer, {AllocAt::Kind::kLoop, home->second})
                            : buffer);
    if (inside) moved[buffer] = allocs.back();
  }
  const PrimFunc forced = schedule::fix_allocs(
      with_allocs(ir::with_body(c.func, replace_buffers(body, moved)), std::move(allocs)));
  return legal_if(c.reference.difference(forced).empty());
}

// Loops of both kinds as one: the order of the instances stays; but the init of a reduction has no place any more.
Ruling judge_mixed_fuse(const Case& c) {
  const Tree tree(c.func);
  for (const BlockRealizeNode* realize : tree.blocks_under(c.id(0))) {
    if (realize->block->init) return Ruling::kNotApplicable;
  }
  return Ruling::kLegal;
}

}  // namespace tilewright::fuzz
