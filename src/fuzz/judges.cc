#include "fuzz/judges.h"

#include <algorithm>
#include <set>

#include "schedule/rewrite.h"
#include "schedule/tree.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Enumeration;
using schedule::Tree;

Reference::Reference(const PrimFunc& original, std::vector<Sizes> sizes, double tolerance,
                     testing::CheckOptions data)
    : sizes_(std::move(sizes)), tolerance_(tolerance), data_(std::move(data)) {
  // Instances that the program's assumptions exclude are left out.
  std::erase_if(sizes_, [&](const Sizes& instance) {
    testing::CheckOptions options = data_;
    options.sizes = instance;
    try {
      results_.push_back(testing::interpret(original, options));
    } catch (const Error&) {
      return true;
    }
    return false;
  });
}

std::string Reference::difference(const PrimFunc& func, bool check_init) const {
  for (size_t i = 0; i < sizes_.size(); ++i) {
    testing::CheckOptions options = data_;
    options.sizes = sizes_[i];
    options.check_init = check_init;
    options.check_races = true;
    try {
      const auto got = testing::interpret(func, options);
      for (const auto& [name, value] : results_[i]) {
        std::string wrong = testing::difference(got.at(name), value, tolerance_, tolerance_);
        if (!wrong.empty()) return name + ": " + wrong;
      }
    } catch (const Error& error) {
      return error.code() + ": " + error.what();
    }
  }
  return "";
}

const std::vector<Enumeration>& Case::instances() const {
  if (!instances_.empty()) return instances_;
  for (const Sizes& instance : reference.sizes()) {
    schedule::EnumerateOptions options;
    options.longest_loop = 64;
    options.most_instances = 20000;
    options.sizes = size_values(instance);
    instances_.push_back(schedule::enumerate(func, options));
    if (!instances_.back().complete || !instances_.back().exact) throw TooLarge{};
  }
  return instances_;
}

schedule::SizeValues Case::size_values(const Sizes& sizes) const {
  schedule::SizeValues values;
  for (const Param& param : func->params) {
    if (!param.var.defined()) continue;
    const auto size = sizes.find(param.var.name());
    if (size != sizes.end()) values.emplace_back(param.var, size->second);
  }
  return values;
}

Ruling judge_refusal(const Reference& reference, const schedule::Schedule::Call& call,
                     const schedule::ScheduleError& error) {
  const Judge judge = find_judge(error.code);
  if (!judge) return Ruling::kUndecided;
  try {
    return judge(Case(reference, call, error));
  } catch (const TooLarge&) {
    return Ruling::kUndecided;
  } catch (const Error&) {
    return Ruling::kUndecided;  // a size that its assumptions forbid, an init without a place
  }
}

namespace {

Ruling not_applicable(const Case&) { return Ruling::kNotApplicable; }
Ruling illegal(const Case&) { return Ruling::kIllegal; }
Ruling legal(const Case&) { return Ruling::kLegal; }
Ruling form(const Case&) { return Ruling::kForm; }

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
  const Tree tree(after);
  Stmt body = schedule::map_blocks(after->body, [&](const BlockRealizeNode& realize, const Stmt&) {
    std::vector<Conjunct> guard;
    for (const Conjunct& conjunct : realize.guard) {
      const ForNode* loop = conjunct.tail == Tail::kPad ? tree.loop(conjunct.loop) : nullptr;
      Expr cond = conjunct.cond;
      if (loop) cond = substitute(cond, {{loop->var, make_int(loop->var.dtype(), 0)}});
      guard.push_back({cond, conjunct.loop, Tail::kGuard});
    }
    return schedule::with_guard(realize, std::move(guard));
  });
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

struct Row {
  const char* code;  // without "schedule."; "*.x": of any primitive that has no row of its own
  Judge judge;
};

const Row kRows[] = {
    {"parallel.reduce_loop", judge_iterations},
    {"parallel.overlapping_writes", judge_iterations},
    {"parallel.dependence", judge_iterations},
    {"parallel.ordered_loop", judge_iterations},
    {"vectorize.reduce_loop", judge_iterations},
    {"vectorize.overlapping_writes", judge_iterations},
    {"vectorize.dependence", judge_iterations},
    {"vectorize.ordered_loop", judge_iterations},
    {"split.too_few_iterations", judge_too_few},
    {"split.shift_inwards", judge_shift_inwards},
    {"split.balanced", not_applicable},
    {"fuse.mixed_kinds", judge_mixed_fuse},
    {"reorder.nested", not_applicable},
    {"reorder.reduction_order", judge_reorder},
    {"reorder.ordered_loop", judge_reorder},
    {"reorder.repeated_terms", judge_reorder},
    {"reorder.dependence", judge_reorder},
    {"merge.extent", judge_merge},
    {"merge.dependence", judge_merge},
    {"merge.between", judge_merge},
    {"compute_with.extent", judge_compute_with},
    {"compute_with.dependence", judge_compute_with},
    {"compute_with.between", judge_compute_with},
    {"loop_partition.too_few_iterations", judge_partition},
    {"loop_partition.empty_part", judge_partition},
    {"software_pipeline.stage_order", judge_pipeline},
    {"software_pipeline.dependence", judge_pipeline},
    {"compute_at.parameter", illegal},
    {"compute_at.consumer_outside", judge_consumer_outside},
    {"compute_at.order", judge_compute_at_order},
    {"compute_at.inputs_not_made", judge_after},
    {"reverse_compute_at.reduction", judge_reverse_compute_at},
    {"reverse_compute_at.incomplete", judge_reverse_compute_at},
    {"reverse_compute_at.scattered", judge_reverse_compute_at},
    {"reverse_compute_at.uncovered", judge_reverse_compute_at},
    {"reverse_compute_at.read_index", judge_reverse_compute_at},
    {"reverse_compute_at.conflicting_ranges", judge_reverse_compute_at},
    {"reverse_compute_at.guard", judge_reverse_compute_at},
    {"reverse_compute_at.order", judge_reverse_compute_at},
    {"compute_inline.parameter", illegal},
    {"reverse_compute_inline.parameter", illegal},
    {"reverse_compute_inline.several_readers", illegal},
    {"reverse_compute_inline.read_index", judge_reverse_inline_index},
    {"decompose_reduction.too_deep", judge_decompose},
    {"decompose_reduction.repeated_terms", judge_decompose},
    {"rfactor.reducer", illegal},
    {"rfactor.guard", legal},
    {"cache_read.shared_loops", judge_shared_loops},
    {"pack.shared_loops", judge_shared_loops},
    {"cache_write.several_writers", judge_several_writers},
    {"transform_layout.map", judge_layout},
    {"pack.map", judge_layout},
    {"store_at.uses_outside", judge_store_at},
    {"store_at.values_flow", judge_store_at},
    {"store_at.reduction_loop", judge_store_at},
    {"rolling_buffer.no_overlap", judge_rolling},
    {"rolling_buffer.not_forward", judge_rolling},
    {"rolling_buffer.guard", judge_rolling},
    {"prefetch.same_elements", judge_prefetch},
    {"reindex.access", judge_reindex},
    {"pad_einsum.not_neutral", judge_neutral},
    {"*.pad_tail", judge_pad},
    {"*.reduce_loop", judge_after},
    {"*.overlapping_writes", judge_after},
    {"*.dependence", judge_after},
};

// Reasons that say there is nothing to do the primitive to, or that an argument has no meaning.
const char* const kStructural[] = {
    "unknown_loop",
    "unknown_block",
    "foreign_handle",
    "loop_kind",
    "nested",
    "schedule",
    "chunk",
    "factor",
    "factor_count",
    "tail",
    "count",
    "duplicate",
    "not_nested",
    "not_a_chain",
    "own_loop",
    "no_consumer",
    "no_producer",
    "not_a_reduction",
    "not_around",
    "factor_axis",
    "unknown_buffer",
    "scope",
    "parameter",
    "pad",
    "padding",
    "key",
    "place",
    "value",
    "name",
    "candidates",
    "weights",
    "decision",
    "extent",
    "extent_count",
    "unknown",
    "axis",
    "open_factors",
    "not_siblings",
    "inside",
    "depth",
    "unknown_instruction",
    "not_a_padding",
    "mismatch",
    "not_in_loop",
    "versions",
    "stage",
    "stage_count",
    "local_buffer",
    "distance",
    "condition",
    "always",
    "never",
};

// What a primitive is not made for, though the program that it stands for may be right: the preconditions in
// docs/primitives.md say so. Counted apart.
const char* const kForms[] = {
    "symbolic_extent",  // vectors and unrolled copies have constant lengths
    "extent_too_large", "dependent_extent",
    "vectorized_place",
    "write_index",      // the block must store at its own axes
    "several_writers",  // an init and its updates are moved together or not at all
    "opaque_block",
    "not_injective",  // inlining is for blocks that store one expression
    "masked",           "producer",
    "init_placement",   "several_reductions",
    "decomposed",       "body",
    "mixed_kinds",      "shared_loops",
    "conditional",
    "several_blocks",  // a block is made of the nest of one
    "parallel_loop",    "open_reduction",
    "scattered",
    "access",  // copies are indexed by the block's axes
    "bound_loops",      "several_outputs",
    "window",  // the part used is a box that one loop moves along
    "folded",           "ordered_loop",
};

}  // namespace

Judge find_judge(const std::string& code) {
  // "schedule.<primitive>.<reason>"
  const std::string rest = code.substr(code.find('.') + 1);
  const std::string reason = rest.substr(rest.find('.') + 1);
  for (const Row& row : kRows) {
    if (rest == row.code) return row.judge;
  }
  for (const Row& row : kRows) {
    if ("*." + reason == row.code) return row.judge;
  }
  for (const char* name : kStructural) {
    if (reason == name) return not_applicable;
  }
  for (const char* name : kForms) {
    if (reason == name) return form;
  }
  return nullptr;
}

}  // namespace tilewright::fuzz
