#include "fuzz/judges.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/rewrite.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Enumeration;

namespace {

// The terms of each reduction from the last to the first, where the order is free.
PrimFunc reversed_reductions(const PrimFunc& func) {
  const auto reverse = [](const BlockRealizeNode& realize, const Stmt& self) {
    const Reducer& reducer = realize.block->reducer;
    if (!reducer || !reducer->associative || !reducer->commutative) return self;
    std::vector<Expr> values = realize.iter_values;
    for (size_t i = 0; i < values.size(); ++i) {
      const IterVar& iter = realize.block->iter_vars[i];
      if (iter.kind != IterKind::kReduce) continue;
      values[i] = iter.dom.min + iter.dom.min + iter.dom.extent - 1 - values[i];
    }
    return Stmt(new BlockRealizeNode(values, realize.guard, realize.block));
  };
  return ir::with_body(func, schedule::map_blocks(func->body, reverse));
}

}  // namespace

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
  // Sums of floats too large to be exact are right in any order, and so are no measure.
  if (!difference(reversed_reductions(original), /*check_init=*/false).empty()) sizes_.clear();
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
    return judge(Case(reference, call, error, error.func));
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
    {"*.fold", judge_fold},
    {"*.rolling", judge_after},
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

// What a primitive is not made for, though the program that it stands for may be right. Counted apart, and listed in
// docs/legality.md.
struct Form {
  const char* reason;
  const char* why;
};
const Form kForms[] = {
    {"access",
     "copies (reindex, pad_einsum) are indexed by the axes of the block: one index, each axis "
     "alone"},
    {"body",
     "one store or update, where a block of several statements has no single value to move or pad"},
    {"bound_loops", "pad_einsum makes loops longer that belong to one axis alone"},
    {"conditional", "a block inside a branch of specialize is not taken out of it"},
    {"decomposed", "the init belongs to another block already"},
    {"dependent_extent",
     "loops whose length depends on another one are not exchanged, grouped or delayed"},
    {"extent_too_large", "copies of a body and lanes of a vector have a limit"},
    {"folded", "a buffer that keeps only a part is not filled or delayed as a whole"},
    {"init_placement", "an init outside of all its loops has no place in the nest asked for"},
    {"masked", "a block with a condition of its own writes no whole part"},
    {"mixed_kinds", "a loop that feeds spatial and reduction axes has no one kind"},
    {"not_injective", "inlining is for blocks that store one expression, not for reductions"},
    {"opaque_block", "bodies that are not looked into are not taken apart"},
    {"open_reduction", "blockize takes a reduction whole or decomposed"},
    {"ordered_loop", "steps of a scan keep their place"},
    {"parallel_loop", "the loops of a block run one after another"},
    {"producer", "reverse_compute_inline has one producer"},
    {"scattered", "blockize makes a box of each axis (of reverse_compute_at it is decided)"},
    {"several_blocks", "blockize makes a block of the nest of one"},
    {"several_outputs", "outputs of one reduction share their index"},
    {"several_reductions", "rfactor takes one reduction apart"},
    {"several_writers",
     "a buffer that several blocks write (an init and its updates, parts of a loop) moves with "
     "none"},
    {"shared_loops", "copies of a whole result stand behind the outermost loop of its block"},
    {"symbolic_extent", "vectors, unrolled copies and perfect tiles have constant lengths"},
    {"vectorized_place", "nothing is moved into a vector"},
    {"window", "what rolls is a box that one loop moves along one dimension"},
    {"write_index", "the block stores at its own axes"},
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
  for (const Form& row : kForms) {
    if (reason == row.reason) return form;
  }
  return nullptr;
}

std::string legality_forms() {
  std::string table = "| reason | form |\n|---|---|\n";
  for (const Form& row : kForms) table += fmt::format("| `{}` | {} |\n", row.reason, row.why);
  return table;
}

}  // namespace tilewright::fuzz
