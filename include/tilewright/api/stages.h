#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/schedule/schedule.h"
#include "tilewright/te/tensor.h"

/// \file
/// A schedule seen stage by stage: each call is one primitive of `schedule::Schedule` on the block that
/// computes a tensor. Nothing is kept here but handles, so both ways of writing mix.

namespace tilewright {

/// One block of a schedule.
class Stage {
 public:
  using Loop = schedule::Loop;
  using BlockRef = schedule::BlockRef;
  using Int = schedule::Int;

  Stage(schedule::Schedule& sch, BlockRef block);

  BlockRef block() const { return block_; }
  /// Axis number `i` of the tensor, in a scan the steps among them: its loop as created. After a split or fuse the loop is gone,
  /// and a primitive on it says so. Throws Error stage.axis when there is no such axis.
  Loop axis(int i) const;
  /// The same for the axes that are reduced over.
  Loop reduce_axis(int i = 0) const;
  /// All of them, in the order of the tensor's dimensions resp. of the reducer's axes.
  const std::vector<Loop>& axes() const { return axes_; }
  const std::vector<Loop>& reduce_axes() const { return reduce_axes_; }
  /// All loops around the block as they are now, outermost first.
  std::vector<Loop> loops() const { return sch_->get_loops(block_); }

  /// {outer, inner}; `inner` has the extent `factor`.
  std::array<Loop, 2> split(Loop loop, Int factor, std::string_view tail = "guard") const;
  /// {outer, inner}; `outer` has the extent `nparts`.
  std::array<Loop, 2> split_nparts(Loop loop, Int nparts, std::string_view tail = "guard") const;
  std::vector<Loop> split(Loop loop, std::vector<schedule::Factor> factors,
                          std::string_view tail = "guard") const;
  Loop fuse(const std::vector<Loop>& loops) const { return sch_->fuse(loops); }
  void reorder(const std::vector<Loop>& order) const { sch_->reorder(order); }
  /// {x_outer, y_outer, x_inner, y_inner}.
  std::array<Loop, 4> tile(Loop x, Loop y, Int x_factor, Int y_factor,
                           std::string_view tail = "guard") const;
  void vectorize(Loop loop) const { sch_->vectorize(loop); }
  void unroll(Loop loop) const { sch_->unroll(loop); }
  void parallel(Loop loop, std::string_view schedule = "static", Int chunk = 0) const {
    sch_->parallel(loop, schedule, chunk);
  }
  Loop add_unit_loop() const { return sch_->add_unit_loop(block_); }

  void compute_at(Loop loop) const { sch_->compute_at(block_, loop); }
  void reverse_compute_at(Loop loop) const { sch_->reverse_compute_at(block_, loop); }
  void compute_inline() const { sch_->compute_inline(block_); }
  void reverse_compute_inline() const { sch_->reverse_compute_inline(block_); }
  Stage decompose_reduction(Loop loop) const;
  Stage rfactor(Loop loop, int64_t factor_axis = 0) const;

  /// The stage that copies `tensor`, which this one reads.
  Stage cache_read(const te::Tensor& tensor, std::string_view scope = "global") const;
  Stage cache_write(std::string_view scope = "global", int64_t write_index = 0) const;
  Stage pack(const te::Tensor& tensor, std::string_view map,
             const std::vector<std::pair<int64_t, Int>>& pad = {},
             std::string_view scope = "global") const;
  void set_scope(std::string_view scope, int64_t write_index = 0) const {
    sch_->set_scope(block_, scope, write_index);
  }
  void transform_layout(std::string_view map, int64_t write_index = 0) const {
    sch_->transform_layout(block_, map, write_index);
  }
  void annotate(std::string_view key, schedule::Value value) const {
    sch_->annotate(block_, key, std::move(value));
  }
  void annotate(Loop loop, std::string_view key, schedule::Value value) const {
    sch_->annotate(loop, key, std::move(value));
  }

 private:
  Loop loop_of(const std::vector<Loop>& loops, int i, const char* what) const;

  schedule::Schedule* sch_;
  BlockRef block_;
  std::vector<Loop> axes_, reduce_axes_;
};

/// The stages of a schedule by tensor or by block name: `stages[C].split(...)`. The schedule must outlive it.
class Stages {
 public:
  explicit Stages(schedule::Schedule& sch) : sch_(&sch) {}
  /// Throws Error or ScheduleException when no block computes the tensor (it is an argument, or inlined).
  Stage operator[](const te::Tensor& tensor) const {
    const bool scan = tensor.op().kind == te::Operation::Kind::kScan;
    return (*this)[scan ? tensor.name() : tensor.op().name];
  }
  Stage operator[](std::string_view block_name) const {
    return Stage(*sch_, sch_->get_block(block_name));
  }

 private:
  schedule::Schedule* sch_;
};

}  // namespace tilewright
