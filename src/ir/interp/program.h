#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tilewright/ir/stmt.h"

/// \file
/// Bytecode of the interpreter. A register is an offset into one flat array of 64-bit cells; a vector of
/// n lanes takes n consecutive cells. Constants lie behind the temporaries and are never written.

namespace tilewright::ir::interp {

/// How one element lies in memory. kI64 serves both signednesses.
enum class Storage : uint8_t {
  kBool,
  kS8,
  kS16,
  kS32,
  kU8,
  kU16,
  kU32,
  kI64,
  kF16,
  kBF16,
  kF32,
  kF64
};
Storage storage_of(DType dtype);

/// One lane of a register: an integer extended to 64 bits, a float or a double.
struct Cell {
  uint64_t bits = 0;

  template <typename T>
  T get() const {
    if constexpr (std::is_same_v<T, float>) {
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    } else if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<double>(bits);
    } else {
      return static_cast<T>(bits);
    }
  }
  template <typename T>
  static Cell of(T value) {
    if constexpr (std::is_same_v<T, float>) {
      return {std::bit_cast<uint32_t>(value)};
    } else if constexpr (std::is_same_v<T, double>) {
      return {std::bit_cast<uint64_t>(value)};
    } else {
      return {static_cast<uint64_t>(value)};
    }
  }
};

enum class Op : uint16_t {
#define TW_VM_UNARY(op, ...) op,
#define TW_VM_BINARY(op, ...) op,
#define TW_VM_TERNARY(op, ...) op,
#define TW_VM_MEMORY(suffix, storage) kLoad##suffix, kStore##suffix,
#define TW_VM_OTHER(op) op,
#include "ir/interp/opcodes.def"
};

using Reg = uint32_t;
inline constexpr Reg kNoReg = UINT32_MAX;
/// Set in a register number until the number of temporaries is known: the rest counts constants.
inline constexpr Reg kConstantBit = 1u << 31;

struct Instr {
  Op op;
  uint16_t lanes = 1;
  uint32_t dst = 0, a = 0, b = 0, c = 0;
};

/// A register holding an index, a step of 0 makes all lanes read the same cell.
struct LaneReg {
  Reg reg = kNoReg;
  uint32_t step = 0;
};

struct Access {
  uint32_t buffer = 0;
  uint32_t first = 0;  ///< of `rank` entries of Program::indices
  uint32_t rank = 0;
  LaneReg predicate;  ///< kNoReg: always
  bool is_update = false;
  int32_t scope = -1;  ///< of Program::scopes, for messages
};

struct BufferDecl {
  std::string name;
  DType dtype;
  Storage storage;
  bool flat = false;          ///< accessed by one offset
  bool starts_unset = false;  ///< check_init applies: an intermediate or an output
};

struct ValueReg {
  Reg reg = kNoReg;
  DType dtype;
};

struct Alloc {
  uint32_t buffer = 0;
  std::vector<Reg> extents;
};

struct DimCheck {
  Reg expected = kNoReg;
  uint32_t buffer = 0;
  uint32_t dim = 0;
  std::string text;  ///< of the shape expression
};

struct Message {
  std::string code;  ///< of the Error
  std::string text;
  std::vector<ValueReg> values;
};

struct ExternCall {
  std::string symbol;
  struct Arg {
    int32_t access = -1;  ///< of Program::accesses: the address of that element; -1: `value`
    ValueReg value;
  };
  std::vector<Arg> args;
};

struct Loop {
  std::string name;
  ForKind kind = ForKind::kSerial;
};

/// What encloses an instruction, a linked list from the inside out: a loop and its variable, or a block.
struct DebugScope {
  int32_t parent = -1;
  std::string name;
  Reg var = kNoReg;
};

/// How a parameter gets its value.
struct ParamInfo {
  std::string name;
  ParamRole role = ParamRole::kInput;
  int32_t buffer = -1;  ///< index in Program::buffers, or -1 for a scalar
  ValueReg var;         ///< for a scalar
  std::vector<std::pair<uint32_t, Reg>>
      binds;  ///< dimensions that give shape variables their values
  uint32_t rank = 0;
};

struct Program {
  std::vector<Instr> code;
  std::vector<Cell> constants;
  uint32_t temporaries = 0;
  std::vector<BufferDecl> buffers;
  std::vector<Access> accesses;
  std::vector<LaneReg> indices;
  std::vector<Alloc> allocs;
  std::vector<DimCheck> dim_checks;
  std::vector<Message> messages;
  std::vector<ExternCall> extern_calls;
  std::vector<Loop> loops;
  std::vector<DebugScope> scopes;
  std::vector<ParamInfo> params;
  std::string name;
  ValueReg result;  ///< of a program made from an expression
};

}  // namespace tilewright::ir::interp
