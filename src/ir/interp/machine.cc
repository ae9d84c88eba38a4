#include "ir/interp/machine.h"

#include <algorithm>

#include "tilewright/support/error.h"

namespace tilewright::ir::interp {
namespace {

uint64_t raw_bits(Storage storage, Cell cell) {
  switch (storage) {
    case Storage::kF16: return float16_bits(cell.get<float>());
    case Storage::kBF16: return bfloat16_bits(cell.get<float>());
    default: return cell.bits;
  }
}

// Reads the bits of one value as another type of the same width.
Cell bitcast(Storage from, Storage to, Cell cell) {
  std::byte bytes[8];
  write_as(bytes, raw_bits(from, cell));
  return load_element(to, bytes, 0);
}

}  // namespace

Machine::Machine(const Program& program, const InterpOptions& options)
    : program_(program), options_(options), races_(program.loops) {
  buffers_.resize(program.buffers.size());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].decl = &program.buffers[i];
    buffers_[i].track_written = options.check_init && program.buffers[i].starts_unset;
  }
}

LaneState Machine::make_lane() {
  LaneState lane;
  lane.registers.resize(program_.temporaries);
  lane.registers.insert(lane.registers.end(), program_.constants.begin(), program_.constants.end());
  for (BufferState& buffer : buffers_) lane.buffers.push_back(&buffer);
  return lane;
}

// One case of the machine's switch for each row of opcodes.def. Lane loops run at least once.
#define TW_VM_LANES(body)                       \
  {                                             \
    [[maybe_unused]] const uint32_t imm = in.c; \
    uint32_t l = 0;                             \
    do {                                        \
      body;                                     \
    } while (++l < in.lanes);                   \
    break;                                      \
  }
#define TW_VM_UNARY(op, result, operand, expression)                     \
  case Op::op:                                                           \
    TW_VM_LANES({                                                        \
      const operand a = r[in.a + l].get<operand>();                      \
      r[in.dst + l] = Cell::of<result>(static_cast<result>(expression)); \
    })
#define TW_VM_BINARY(op, result, operand, expression)                    \
  case Op::op:                                                           \
    TW_VM_LANES({                                                        \
      const operand a = r[in.a + l].get<operand>();                      \
      const operand b = r[in.b + l].get<operand>();                      \
      r[in.dst + l] = Cell::of<result>(static_cast<result>(expression)); \
    })
#define TW_VM_TERNARY(op, result, operand, expression)                   \
  case Op::op:                                                           \
    TW_VM_LANES({                                                        \
      const operand a = r[in.a + l].get<operand>();                      \
      const operand b = r[in.b + l].get<operand>();                      \
      const operand c = r[in.c + l].get<operand>();                      \
      r[in.dst + l] = Cell::of<result>(static_cast<result>(expression)); \
    })
#define TW_VM_MEMORY(suffix, storage)                                \
  case Op::kLoad##suffix: {                                          \
    const Access& access = accesses[in.c];                           \
    const BufferState& buffer = *lane.buffers[access.buffer];        \
    const int64_t offset = scalar_offset(access, buffer);            \
    if (offset < 0) [[unlikely]]                                     \
      out_of_bounds(lane, access, 0, false);                         \
    r[in.dst] = load_element<Storage::storage>(buffer.data, offset); \
    break;                                                           \
  }                                                                  \
  case Op::kStore##suffix: {                                         \
    const Access& access = accesses[in.c];                           \
    const BufferState& buffer = *lane.buffers[access.buffer];        \
    const int64_t offset = scalar_offset(access, buffer);            \
    if (offset < 0) [[unlikely]]                                     \
      out_of_bounds(lane, access, 0, true);                          \
    store_element<Storage::storage>(buffer.data, offset, r[in.a]);   \
    break;                                                           \
  }

Stop Machine::run(LaneState& lane) {
  const Instr* const code = program_.code.data();
  const Access* const accesses = program_.accesses.data();
  const LaneReg* const indices = program_.indices.data();
  Cell* const r = lane.registers.data();
  uint32_t pc = lane.pc;

  // Offset of a scalar access, or -1 outside the buffer.
  const auto scalar_offset = [&](const Access& access, const BufferState& buffer) -> int64_t {
    const LaneReg* index = indices + access.first;
    const Dim* dim = buffer.dims.data();
    int64_t offset = 0;
    for (uint32_t d = 0; d < access.rank; ++d) {
      const uint64_t value = r[index[d].reg].bits;
      if (value >= static_cast<uint64_t>(dim[d].extent)) return -1;
      offset += static_cast<int64_t>(value) * dim[d].stride;
    }
    return offset;
  };

  for (;;) {
    const Instr& in = code[pc++];
    switch (in.op) {
#include "ir/interp/opcodes.def"
      case Op::kLoadAny: load_any(lane, in, r); break;
      case Op::kStoreAny: store_any(lane, in, r); break;
      case Op::kMove: TW_VM_LANES(r[in.dst + l] = r[in.a + l])
      case Op::kBroadcast: {
        std::fill_n(r + in.dst, in.lanes, Cell(r[in.a]));
        break;
      }
      case Op::kRamp: TW_VM_LANES(r[in.dst + l] = Cell{r[in.a].bits + l * r[in.b].bits})
      case Op::kSelect: TW_VM_LANES(r[in.dst + l] = r[in.a + l].bits ? r[in.b + l] : r[in.c + l])
      case Op::kAnyLane: {
        const auto is_set = [](Cell cell) { return cell.bits != 0; };
        r[in.dst] = Cell::of<uint64_t>(std::any_of(r + in.a, r + in.a + in.lanes, is_set));
        break;
      }
      case Op::kBitcast:
        for (uint32_t l = 0; l < in.lanes; ++l) {
          r[in.dst + l] =
              bitcast(static_cast<Storage>(in.b), static_cast<Storage>(in.c), r[in.a + l]);
        }
        break;
      case Op::kJump: pc = in.c; break;
      case Op::kJumpIfZero:
        if (r[in.a].bits == 0) pc = in.c;
        break;
      case Op::kLoopEnter:
        r[in.dst].bits = 0;
        if (r[in.a].get<int64_t>() <= 0) pc = in.c;
        break;
      case Op::kLoopNext:
        if (++steps_ > options_.max_steps) too_many_steps();
        if (++r[in.dst].bits < r[in.a].bits) pc = in.c;
        break;
      case Op::kForkEnter: races_.enter(in.c); break;
      case Op::kForkIter: races_.iterate(r[in.a].get<int64_t>()); break;
      case Op::kForkLeave: races_.leave(); break;
      case Op::kAlloc: run_alloc(lane, program_.allocs[in.c]); break;
      case Op::kCheckDim: check_dim(lane, program_.dim_checks[in.c]); break;
      case Op::kAssert:
        if (r[in.a].bits == 0) {
          const Message& message = program_.messages[in.c];
          throw Error(message.code, message_text(lane, message));
        }
        break;
      case Op::kPrint: print(lane, program_.messages[in.c]); break;
      case Op::kCallExtern: call_extern(lane, program_.extern_calls[in.c]); break;
      case Op::kBarrier: lane.pc = pc; return Stop::kBarrier;
      case Op::kHalt: lane.pc = pc - 1; return Stop::kDone;
    }
  }
}

}  // namespace tilewright::ir::interp
