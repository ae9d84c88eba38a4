#include <algorithm>

#include "ir/interp/compiler.h"

namespace tilewright::ir::interp {

Compiler::Compiler(const InterpOptions& options)
    : options_(options), checked_(options.check_init || options.check_races) {}

void Compiler::malformed(const std::string& what) const {
  fail("interp.malformed", "cannot interpret{}: {}",
       program_.name.empty() ? "" : " '" + program_.name + "'", what);
}

Reg Compiler::allocate(int lanes) {
  const Reg reg = top_;
  top_ += static_cast<Reg>(lanes);
  internal_check(top_ < kConstantBit, "too many registers in '{}'", program_.name);
  program_.temporaries = std::max(program_.temporaries, top_);
  return reg;
}

Reg Compiler::constant(Cell cell, int lanes) {
  auto [entry, is_new] = constant_registers_.try_emplace({cell.bits, lanes}, 0);
  if (is_new) {
    entry->second = static_cast<Reg>(program_.constants.size()) | kConstantBit;
    program_.constants.insert(program_.constants.end(), lanes, cell);
  }
  return entry->second;
}

uint32_t Compiler::emit(Op op, int lanes, Reg dst, uint32_t a, uint32_t b, uint32_t c) {
  program_.code.push_back({op, static_cast<uint16_t>(lanes), dst, a, b, c});
  return here() - 1;
}

Reg Compiler::emit_value(Op op, int lanes, uint32_t a, uint32_t b, uint32_t c) {
  const Reg dst = allocate(lanes);
  emit(op, lanes, dst, a, b, c);
  return dst;
}

Reg Compiler::normalize(Reg reg, DType type) {
  const auto in_place = [&](Op op) {
    emit(op, type.lanes, reg, reg);
    return reg;
  };
  switch (storage_of(type)) {
    case Storage::kBool: return in_place(Op::kWrapBool);
    case Storage::kS8: return in_place(Op::kWrapS8);
    case Storage::kS16: return in_place(Op::kWrapS16);
    case Storage::kS32: return in_place(Op::kWrapS32);
    case Storage::kU8: return in_place(Op::kWrapU8);
    case Storage::kU16: return in_place(Op::kWrapU16);
    case Storage::kU32: return in_place(Op::kWrapU32);
    case Storage::kF16: return in_place(Op::kRoundF16);
    case Storage::kBF16: return in_place(Op::kRoundBF16);
    case Storage::kI64:
    case Storage::kF32:
    case Storage::kF64: break;
  }
  return reg;
}

uint32_t Compiler::add_message(std::string code, std::string text,
                               const std::vector<ValueReg>& values) {
  program_.messages.push_back({std::move(code), std::move(text), values});
  return static_cast<uint32_t>(program_.messages.size() - 1);
}

int32_t Compiler::push_scope(std::string name, Reg var) {
  program_.scopes.push_back({scope_, std::move(name), var});
  return static_cast<int32_t>(program_.scopes.size() - 1);
}

// Constants get their place behind the temporaries. Jump targets and table indices lie below
// kConstantBit, so every field that has the bit is a register.
void Compiler::relocate() {
  const auto fix = [this](Reg& reg) {
    if (reg != kNoReg && (reg & kConstantBit)) reg = (reg & ~kConstantBit) + program_.temporaries;
  };
  for (Instr& in : program_.code) {
    for (uint32_t* field : {&in.dst, &in.a, &in.b, &in.c}) fix(*field);
  }
  for (LaneReg& index : program_.indices) fix(index.reg);
  for (Access& access : program_.accesses) fix(access.predicate.reg);
  for (DebugScope& scope : program_.scopes) fix(scope.var);
  for (DimCheck& check : program_.dim_checks) fix(check.expected);
  for (Alloc& alloc : program_.allocs)
    std::for_each(alloc.extents.begin(), alloc.extents.end(), fix);
  for (Message& message : program_.messages) {
    for (ValueReg& value : message.values) fix(value.reg);
  }
  for (ExternCall& call : program_.extern_calls) {
    for (ExternCall::Arg& arg : call.args) fix(arg.value.reg);
  }
  fix(program_.result.reg);
}

Program Compiler::finish() {
  emit(Op::kHalt, 1, 0);
  relocate();
  return std::move(program_);
}

}  // namespace tilewright::ir::interp
