#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "ir/interp/memory.h"
#include "ir/interp/program.h"
#include "ir/interp/races.h"
#include "tilewright/ir/interpreter.h"

namespace tilewright::ir::interp {

/// Everything that distinguishes one thread of execution. It can be left at a barrier and taken up again;
/// several of them over one Machine are the lanes of a thread block.
struct LaneState {
  uint32_t pc = 0;
  std::vector<Cell> registers;
  std::vector<BufferState*>
      buffers;  ///< by index in Program::buffers; private ones may differ by lane
};

enum class Stop : uint8_t {
  kDone,
  kBarrier,  ///< the lane stands just behind a barrier
};

/// Runs a program. Holds the memory that lanes share and the shadow state of the checks.
class Machine {
 public:
  Machine(const Program& program, const InterpOptions& options);
  Machine(const Machine&) = delete;

  /// A lane at the first instruction, with constants in place and all buffers shared.
  LaneState make_lane();
  BufferState& buffer(size_t index) { return buffers_[index]; }
  /// Runs until the end or the next barrier.
  Stop run(LaneState& lane);

 private:
  int64_t lane_offset(const LaneState& lane, const Access& access, uint32_t l, bool is_write) const;
  void load_any(const LaneState& lane, const Instr& in, Cell* registers);
  void store_any(const LaneState& lane, const Instr& in, const Cell* registers);
  void run_alloc(LaneState& lane, const Alloc& alloc);
  void check_dim(const LaneState& lane, const DimCheck& check) const;
  [[noreturn]] void out_of_bounds(const LaneState& lane, const Access& access, uint32_t l,
                                  bool is_write) const;
  [[noreturn]] void uninitialized(const LaneState& lane, const Access& access,
                                  int64_t offset) const;
  [[noreturn]] void too_many_steps() const;
  std::string message_text(const LaneState& lane, const Message& message) const;
  std::string where_text(const LaneState& lane, int32_t scope) const;
  void print(const LaneState& lane, const Message& message) const;
  void call_extern(LaneState& lane, const ExternCall& call) const;

  const Program& program_;
  const InterpOptions& options_;
  std::vector<BufferState> buffers_;
  RaceDetector races_;
  int64_t steps_ = 0;
};

/// A value of `dtype` as text; several lanes in brackets.
std::string value_text(const Cell* cells, DType dtype);

}  // namespace tilewright::ir::interp
