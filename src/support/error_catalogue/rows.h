#pragma once

#include <span>
#include <string_view>

/// \file
/// How the catalogue is written down. A row is one code. Reasons that several primitives share are written once, with
/// "{primitive}" where the primitive's name belongs, and each primitive lists those it can refuse with.

namespace tilewright::error_catalogue {

struct Row {
  std::string_view code;
  std::string_view title;
  std::string_view meaning;
  std::string_view remedy;
  std::string_view example = {};
};

struct SharedReason {
  std::string_view reason;
  std::string_view title;
  std::string_view meaning;
  std::string_view remedy;
};

struct SharedUse {
  std::string_view primitive;  ///< "any": every primitive that changes the program
  std::string_view reasons;    ///< names of shared reasons, divided by spaces
};

std::span<const Row> expression_rows();    ///< te.*, ir.*, interp.*, dtype.*
std::span<const Row> reduction_rows();     ///< te.* about reductions and reducers
std::span<const Row> loop_rows();          ///< schedule.* of the loop primitives
std::span<const Row> block_rows();         ///< schedule.* of the block primitives
std::span<const Row> joined_block_rows();  ///< schedule.* of compute_with, merge, tensorize
std::span<const Row>
pipelining_rows();                    ///< schedule.* of prefetch, software_pipeline, rolling_buffer
std::span<const Row> storage_rows();  ///< schedule.* of the storage primitives
std::span<const Row> sampling_rows();  ///< schedule.* of hints, queries, sampling; trace.*
std::span<const Row> lowering_rows();  ///< lower.*, codegen.*
std::span<const Row> build_rows();     ///< build.*, library.*, target.*, module.*
std::span<const Row> call_rows();      ///< call.*, ndarray.*, device.*, size.*, time.*
std::span<const Row>
tool_rows();  ///< ops.*, testing.*, measure.*, record.*, log.*, fuzz.*, internal
std::span<const SharedReason> shared_reasons();
std::span<const SharedUse> shared_uses();

}  // namespace tilewright::error_catalogue
