#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/enumerate.h"
#include "tilewright/api/testing.h"
#include "tilewright/fuzz/legality.h"
#include "tilewright/runtime/ndarray.h"

namespace tilewright::fuzz {

using Sizes = std::map<std::string, int64_t>;

/// What the original program computes, to compare rewritten ones with.
class Reference {
 public:
  /// `data` says which values the inputs have.
  Reference(const ir::PrimFunc& original, std::vector<Sizes> sizes, double tolerance,
            testing::CheckOptions data = {});

  const std::vector<Sizes>& sizes() const { return sizes_; }
  double tolerance() const { return tolerance_; }
  /// "" when `func` computes the same in the interpreter at all sizes, without races and (with `check_init`) without
  /// reading what was never written; else what is wrong.
  std::string difference(const ir::PrimFunc& func, bool check_init = true) const;

 private:
  std::vector<Sizes> sizes_;
  double tolerance_;
  testing::CheckOptions data_;
  std::vector<std::map<std::string, runtime::NDArray>> results_;
};

/// A refused call and everything a judge may look at.
class Case {
 public:
  /// `program`: the one to look at, as a rule the one before the call.
  Case(const Reference& r, const schedule::Schedule::Call& made, const schedule::ScheduleError& e,
       ir::PrimFunc program)
      : reference(r), call(made), error(e), func(std::move(program)) {}

  const Reference& reference;
  const schedule::Schedule::Call& call;
  const schedule::ScheduleError& error;
  ir::PrimFunc func;

  /// The instances of `func`, one list for each of the sizes. Throws TooLarge when one is not complete.
  const std::vector<schedule::Enumeration>& instances() const;
  /// The variables of `func` at one of the sizes.
  schedule::SizeValues size_values(const Sizes& sizes) const;
  int64_t id(size_t operand) const { return error.inputs.at(operand); }

 private:
  mutable std::vector<schedule::Enumeration> instances_;
};
struct TooLarge {};

Ruling judge_refusal(const Reference& reference, const schedule::Schedule::Call& call,
                     const schedule::ScheduleError& error);

/// A program to call primitives on.
struct SmallProgram {
  ir::PrimFunc func;
  std::vector<Sizes> sizes = {{}};
  double tolerance = 0;
};
/// The kinds of programs of the language, with extents of at most 8.
const std::vector<SmallProgram>& small_programs();

/// Null: no judge for the code.
using Judge = Ruling (*)(const Case&);
Judge find_judge(const std::string& code);

inline Ruling legal_if(bool legal) { return legal ? Ruling::kLegal : Ruling::kIllegal; }

/// The iteration of the loop that an instance belongs to: where the loops down to it stand; nothing outside.
using Iteration = std::vector<int64_t>;
std::optional<Iteration> iteration_of(const schedule::Enumeration& e,
                                      const schedule::StatementInstance& instance, int64_t loop);
/// Is it an element of one of the buffers (by name)?
bool is_of(const schedule::Enumeration& e, const schedule::Element& element,
           const std::vector<ir::Buffer>& buffers);

/// The buffer that the call's `write_index` names.
ir::Buffer written_buffer(const Case& c);

// judges_loops.cc
Ruling judge_after(const Case&);
Ruling judge_iterations(const Case&);
Ruling judge_too_few(const Case&);
Ruling judge_shift_inwards(const Case&);
Ruling judge_pad(const Case&);
Ruling judge_reorder(const Case&);
Ruling judge_mixed_fuse(const Case&);

// judges_blocks.cc
Ruling judge_compute_at_order(const Case&);
Ruling judge_consumer_outside(const Case&);
Ruling judge_reverse_compute_at(const Case&);
Ruling judge_reverse_inline_index(const Case&);
Ruling judge_decompose(const Case&);
Ruling judge_shared_loops(const Case&);
Ruling judge_several_writers(const Case&);

// judges_nests.cc
Ruling judge_merge(const Case&);
Ruling judge_compute_with(const Case&);
Ruling judge_partition(const Case&);
Ruling judge_pipeline(const Case&);

// judges_storage.cc
Ruling judge_store_at(const Case&);
Ruling judge_prefetch(const Case&);
Ruling judge_reindex(const Case&);
Ruling judge_neutral(const Case&);
Ruling judge_layout(const Case&);

// judges_rolling.cc
Ruling judge_rolling(const Case&);
Ruling judge_fold(const Case&);

}  // namespace tilewright::fuzz
