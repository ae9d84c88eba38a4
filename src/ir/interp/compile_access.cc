#include "ir/interp/compiler.h"

namespace tilewright::ir::interp {
namespace {

Op load_op(Storage storage) {
  switch (storage) {
#define TW_VM_MEMORY(suffix, s) \
  case Storage::s: {            \
    return Op::kLoad##suffix;   \
  }
#include "ir/interp/opcodes.def"
  }
  return Op::kLoadAny;
}

Op store_op(Storage storage) {
  switch (storage) {
#define TW_VM_MEMORY(suffix, s) \
  case Storage::s: {            \
    return Op::kStore##suffix;  \
  }
#include "ir/interp/opcodes.def"
  }
  return Op::kStoreAny;
}

}  // namespace

uint32_t Compiler::buffer_index(const Buffer& buffer) const {
  const auto found = live_buffers_.find(buffer.get());
  if (found == live_buffers_.end()) {
    malformed(fmt::format("buffer '{}' is used outside its allocation", buffer->name));
  }
  return found->second;
}

Access Compiler::make_access(const Buffer& buffer, const std::vector<Expr>& indices, int lanes) {
  Access access;
  access.buffer = buffer_index(buffer);
  access.scope = scope_;
  access.rank = static_cast<uint32_t>(indices.size());
  const bool flat = program_.buffers[access.buffer].flat;
  const size_t rank = flat ? 1 : buffer->shape.size();
  if (indices.size() != rank) {
    malformed(
        fmt::format("buffer '{}' needs {} indices, not {}", buffer->name, rank, indices.size()));
  }
  std::vector<LaneReg> registers;
  for (const Expr& index : indices) {
    const DType type = index.dtype();
    if (!type.is_integer() || (type.lanes != 1 && type.lanes != lanes)) {
      malformed(fmt::format("index of dtype {} into buffer '{}' for a value of {} lanes",
                            to_string(type), buffer->name, lanes));
    }
    registers.push_back({expr(index), type.lanes == 1 ? 0u : 1u});
  }
  if (lanes > 1 && (registers.empty() || (flat && registers[0].step == 0))) {
    malformed(
        fmt::format("access of {} lanes to buffer '{}' by a scalar offset", lanes, buffer->name));
  }
  access.first = static_cast<uint32_t>(program_.indices.size());
  program_.indices.insert(program_.indices.end(), registers.begin(), registers.end());
  return access;
}

// `masked`: the lanes in force within a lazy vector choice limit the access too.
void Compiler::set_predicate(Access& access, const Expr& predicate, int lanes, bool masked) {
  if (predicate) {
    const DType type = predicate.dtype();
    if (!type.is_bool() || (type.lanes != 1 && type.lanes != lanes)) {
      malformed(
          fmt::format("predicate of dtype {} for an access of {} lanes", to_string(type), lanes));
    }
    access.predicate = {expr(predicate), type.lanes == 1 ? 0u : 1u};
  }
  if (!masked || mask_.reg == kNoReg) return;
  // An access of other lanes than the choice happens if any lane of the choice does.
  const bool same = mask_.lanes == lanes;
  Reg mask = mask_.reg;
  if (!same) {
    mask = allocate(1);
    emit(Op::kAnyLane, mask_.lanes, mask, mask_.reg);
  }
  if (access.predicate.reg != kNoReg) {
    const Reg own = widen(access.predicate.reg, access.predicate.step ? lanes : 1, lanes);
    mask = emit_value(Op::kBitAnd, lanes, own, widen(mask, same ? lanes : 1, lanes));
    access.predicate = {mask, 1};
  } else {
    access.predicate = {mask, same ? 1u : 0u};
  }
}

Reg Compiler::emit_load(const Access& access, DType type) {
  const bool plain = type.lanes == 1 && access.predicate.reg == kNoReg && !checked_;
  program_.accesses.push_back(access);
  const Op op = plain ? load_op(program_.buffers[access.buffer].storage) : Op::kLoadAny;
  return emit_value(op, type.lanes, 0, 0, static_cast<uint32_t>(program_.accesses.size() - 1));
}

void Compiler::emit_store(const Access& access, Reg value, DType type) {
  const bool plain = type.lanes == 1 && access.predicate.reg == kNoReg && !checked_;
  program_.accesses.push_back(access);
  const Op op = plain ? store_op(program_.buffers[access.buffer].storage) : Op::kStoreAny;
  emit(op, type.lanes, 0, value, 0, static_cast<uint32_t>(program_.accesses.size() - 1));
}

}  // namespace tilewright::ir::interp
