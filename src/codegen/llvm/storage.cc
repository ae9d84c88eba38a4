#include <llvm/IR/Constants.h>

#include "codegen/llvm/abi_layout.h"
#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/error.h"

/// \file
/// Storage of allocated buffers. Small ones live on the stack (register buffers then become SSA values);
/// the others share one workspace, laid out as a stack: a buffer begins where the buffers alive around it
/// end. Inside a parallel loop each slot has its own part. Nothing is allocated while code runs.

namespace tilewright::codegen {
namespace {

constexpr int64_t kAlignBytes = TW_WORKSPACE_ALIGNMENT;
constexpr int64_t kMaxLocalBytes = int64_t{64} << 10;   // local and register buffers
constexpr int64_t kMaxGlobalBytes = int64_t{4} << 10;   // buffers other threads may see
constexpr int64_t kMaxStackBytes = int64_t{256} << 10;  // one function

ir::Expr rounded_up(const ir::Expr& size_bytes) {
  const ir::Expr unit = ir::make_int(kInt64, kAlignBytes);
  return ir::floor_div(size_bytes + ir::make_int(kInt64, kAlignBytes - 1), unit) * unit;
}

}  // namespace

ir::Expr FunctionEmitter::entry_size(const ir::BufferNode& buffer) const {
  ir::Expr size = ir::make_int(kInt64, buffer.dtype.bytes());
  for (const ir::Expr& extent : buffer.shape) {
    size = size * ir::substitute(ir::cast(kInt64, extent), entry_vars_);
  }
  for (const ir::Var& var : ir::free_vars(size)) {
    const auto it = entry_vars_.find(var);
    if (it == entry_vars_.end() || !it->second.same_as(var)) {
      fail("codegen.alloc_size",
           "{}: the size of buffer '{}' depends on '{}', which is not known when the function is "
           "entered; give the buffer its largest size",
           func_->name, buffer.name, var.name());
    }
  }
  return size;
}

bool FunctionEmitter::fits_stack(const ir::BufferNode& buffer, const ir::Expr& size_bytes) const {
  const int64_t* size = ir::as_const_int(size_bytes);
  if (!size) return false;
  const int64_t limit = buffer.scope == ir::Scope::kGlobal ? kMaxGlobalBytes : kMaxLocalBytes;
  return *size <= limit && stack_bytes_ + *size <= kMaxStackBytes;
}

llvm::Value* FunctionEmitter::workspace_address(const ir::Expr& size_bytes) {
  const ir::Expr end = workspace_.offset + rounded_up(size_bytes);
  workspace_.peak = ir::max(workspace_.peak, end);
  return at_depth(
      0, [&] { return b_.CreateGEP(m_.i8(), call_.workspace, emit_here(workspace_.offset)); });
}

void FunctionEmitter::emit_alloc(const ir::AllocNode& node) {
  const ir::BufferNode& buffer = *node.buffer;
  const bool known = buffer.scope == ir::Scope::kGlobal || buffer.scope == ir::Scope::kLocal ||
                     buffer.scope == ir::Scope::kRegister;
  if (!known) {
    fail("codegen.scope",
         "{}: buffer '{}' has a scope that target cpu does not have; use global, local "
         "or register",
         func_->name, buffer.name);
  }
  const ir::Expr size = entry_size(buffer);
  if (fits_stack(buffer, size)) {
    const int64_t bytes = *ir::as_const_int(size);
    stack_bytes_ += bytes;
    llvm::Type* element = memory_type(m_.context, buffer.dtype.element());
    llvm::Type* type = llvm::ArrayType::get(
        element, static_cast<uint64_t>(std::max<int64_t>(bytes / buffer.dtype.bytes(), 1)));
    llvm::IRBuilder<> at_entry(entry_block_->getTerminator());
    llvm::AllocaInst* storage = at_entry.CreateAlloca(type, nullptr, buffer.name);
    storage->setAlignment(llvm::Align(kAlignBytes));
    bind_buffer(node.buffer, {storage, kAlignBytes, true});
    return emit(node.body);
  }
  const ir::Expr outer_offset = workspace_.offset;
  Value* pointer = workspace_address(size);
  pointer->setName(buffer.name);
  bind_buffer(node.buffer, {pointer, kAlignBytes, true});
  workspace_.offset = outer_offset + rounded_up(size);
  emit(node.body);
  workspace_.offset = outer_offset;
}

}  // namespace tilewright::codegen
