#include <algorithm>
#include <iostream>

#include "ir/interp/machine.h"
#include "tilewright/support/error.h"

namespace tilewright::ir::interp {

// ---- Accesses that are not the plain scalar ones ----------------------------------------------------

int64_t Machine::lane_offset(const LaneState& lane, const Access& access, uint32_t l,
                             bool is_write) const {
  const LaneReg* index = program_.indices.data() + access.first;
  const BufferState& buffer = *lane.buffers[access.buffer];
  int64_t offset = 0;
  for (uint32_t d = 0; d < access.rank; ++d) {
    const uint64_t value = lane.registers[index[d].reg + l * index[d].step].bits;
    if (value >= static_cast<uint64_t>(buffer.dims[d].extent)) {
      out_of_bounds(lane, access, l, is_write);
    }
    offset += static_cast<int64_t>(value) * buffer.dims[d].stride;
  }
  return offset;
}

void Machine::load_any(const LaneState& lane, const Instr& in, Cell* registers) {
  const Access& access = program_.accesses[in.c];
  BufferState& buffer = *lane.buffers[access.buffer];
  const LaneReg predicate = access.predicate;
  for (uint32_t l = 0; l < in.lanes; ++l) {
    if (predicate.reg != kNoReg && registers[predicate.reg + l * predicate.step].bits == 0) {
      registers[in.dst + l] = Cell{};
      continue;
    }
    const int64_t offset = lane_offset(lane, access, l, false);
    if (buffer.track_written && !buffer.written[offset]) uninitialized(lane, access, offset);
    if (options_.check_races) races_.read(buffer, offset, access.is_update);
    registers[in.dst + l] = load_element(buffer.decl->storage, buffer.data, offset);
  }
}

void Machine::store_any(const LaneState& lane, const Instr& in, const Cell* registers) {
  const Access& access = program_.accesses[in.c];
  BufferState& buffer = *lane.buffers[access.buffer];
  const LaneReg predicate = access.predicate;
  for (uint32_t l = 0; l < in.lanes; ++l) {
    if (predicate.reg != kNoReg && registers[predicate.reg + l * predicate.step].bits == 0)
      continue;
    const int64_t offset = lane_offset(lane, access, l, true);
    if (options_.check_races) races_.write(buffer, offset, access.is_update);
    if (buffer.track_written) buffer.written[offset] = 1;
    store_element(buffer.decl->storage, buffer.data, offset, registers[in.a + l]);
  }
}

void Machine::run_alloc(LaneState& lane, const Alloc& alloc) {
  std::vector<int64_t> shape;
  for (Reg extent : alloc.extents) shape.push_back(lane.registers[extent].get<int64_t>());
  allocate(*lane.buffers[alloc.buffer], std::move(shape), options_.poison);
}

void Machine::check_dim(const LaneState& lane, const DimCheck& check) const {
  const BufferState& buffer = *lane.buffers[check.buffer];
  const int64_t expected = lane.registers[check.expected].get<int64_t>();
  const int64_t actual = buffer.shape[check.dim];
  if (actual == expected) return;
  const std::string value = std::to_string(expected);
  fail("interp.argument", "argument '{}' of '{}': dimension {} is {}, but must be {}{}",
       buffer.decl->name, program_.name, check.dim, actual,
       check.text == value ? "" : check.text + " = ", value);
}

// What the function writes is not known: all it is given counts as written.
void Machine::call_extern(LaneState& lane, const ExternCall& call) const {
  std::vector<ExternArg> args;
  for (const ExternCall::Arg& from : call.args) {
    ExternArg arg;
    arg.dtype = from.value.dtype;
    if (from.access >= 0) {
      const Access& access = program_.accesses[static_cast<size_t>(from.access)];
      BufferState& buffer = *lane.buffers[access.buffer];
      const int64_t offset = buffer.count == 0 ? 0 : lane_offset(lane, access, 0, true);
      arg.tensor = {buffer.data + offset * element_bytes(buffer.decl->storage),
                    {buffer.count - offset}};
      if (buffer.track_written) std::fill(buffer.written.begin() + offset, buffer.written.end(), 1);
    } else if (arg.dtype.is_float()) {
      const Cell cell = lane.registers[from.value.reg];
      arg.float_value = arg.dtype.bits == 64 ? cell.get<double>() : cell.get<float>();
    } else {
      arg.int_value = lane.registers[from.value.reg].get<int64_t>();
    }
    args.push_back(std::move(arg));
  }
  options_.externs.at(call.symbol)(args);
}

// ---- Messages -------------------------------------------------------------------------------------

std::string Machine::where_text(const LaneState& lane, int32_t scope) const {
  std::string loops;
  std::string block;
  for (; scope >= 0; scope = program_.scopes[scope].parent) {
    const DebugScope& entry = program_.scopes[scope];
    if (entry.var == kNoReg) {
      if (block.empty()) block = fmt::format(" in block '{}'", entry.name);
      continue;
    }
    const int64_t value = lane.registers[entry.var].get<int64_t>();
    loops = fmt::format("{} = {}{}{}", entry.name, value, loops.empty() ? "" : ", ", loops);
  }
  return block + (loops.empty() ? "" : " at " + loops);
}

void Machine::out_of_bounds(const LaneState& lane, const Access& access, uint32_t l,
                            bool is_write) const {
  const BufferState& buffer = *lane.buffers[access.buffer];
  std::vector<int64_t> index;
  for (uint32_t d = 0; d < access.rank; ++d) {
    const LaneReg& entry = program_.indices[access.first + d];
    index.push_back(lane.registers[entry.reg + l * entry.step].get<int64_t>());
  }
  fail("interp.out_of_bounds", "{} of buffer '{}' out of bounds: index {}, shape {}{}{}",
       is_write ? "write" : "read", buffer.decl->name, list_text(index), list_text(buffer.shape),
       buffer.decl->flat ? " (flat offset)" : "", where_text(lane, access.scope));
}

void Machine::uninitialized(const LaneState& lane, const Access& access, int64_t offset) const {
  const BufferState& buffer = *lane.buffers[access.buffer];
  fail("interp.uninitialized", "read of buffer '{}' at {} (shape {}) before any write{}",
       buffer.decl->name, index_text(buffer, offset), list_text(buffer.shape),
       where_text(lane, access.scope));
}

void Machine::too_many_steps() const {
  fail("interp.steps", "'{}' ran more than {} loop iterations", program_.name, options_.max_steps);
}

std::string value_text(const Cell* cells, DType dtype) {
  if (dtype.lanes > 1) {
    std::string text;
    for (int l = 0; l < dtype.lanes; ++l) {
      text += (l ? ", " : "[") + value_text(cells + l, dtype.element());
    }
    return text + "]";
  }
  if (dtype.is_bool()) return cells->bits ? "true" : "false";
  if (dtype.is_uint()) return fmt::format("{}", cells->bits);
  if (dtype.is_float() && dtype.bits == 64) return fmt::format("{}", cells->get<double>());
  if (dtype.is_float()) return fmt::format("{}", cells->get<float>());
  return fmt::format("{}", cells->get<int64_t>());
}

// Values replace "{}" in order; those left over follow, separated by blanks.
std::string Machine::message_text(const LaneState& lane, const Message& message) const {
  std::string text;
  size_t from = 0;
  for (const ValueReg& value : message.values) {
    const std::string shown = value_text(lane.registers.data() + value.reg, value.dtype);
    const size_t hole = from == std::string::npos ? from : message.text.find("{}", from);
    if (hole == std::string::npos) {
      if (from != std::string::npos) text += message.text.substr(from);
      from = std::string::npos;
      text += (text.empty() ? "" : " ") + shown;
    } else {
      text += message.text.substr(from, hole - from) + shown;
      from = hole + 2;
    }
  }
  if (from != std::string::npos) text += message.text.substr(from);
  return text;
}

void Machine::print(const LaneState& lane, const Message& message) const {
  std::ostream& stream = options_.print_stream ? *options_.print_stream : std::cerr;
  stream << message_text(lane, message) << '\n';
}

}  // namespace tilewright::ir::interp
