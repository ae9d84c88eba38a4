#include <llvm/IR/Constants.h>

#include <unordered_set>

#include "codegen/llvm/abi_layout.h"
#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"

/// \file
/// Parallel loops. The loop becomes a function of its own over a share [begin, end), called through a
/// closure by the hook of the call struct. The values it captures are its parameters, so that pointers
/// keep their promise not to alias.

namespace tilewright::codegen {
namespace {

constexpr int64_t kRecordBytes = 64;  // of a failed assert, one a slot

// Fields of a closure after the captured values.
enum ClosureField : unsigned { kCall, kWorkspace, kSlotBytes, kRecords, kCount, kNext, kNumFields };

}  // namespace

std::vector<llvm::Value*> FunctionEmitter::Captures::values() const {
  std::vector<Value*> all;
  for (const auto& [var, binding] : vars) all.push_back(binding.value);
  for (const auto& [buffer, binding] : buffers) all.push_back(binding.pointer);
  return all;
}

FunctionEmitter::Captures FunctionEmitter::find_captures(const ir::ForNode& loop) const {
  Captures captures;
  std::unordered_set<const void*> seen;
  const auto use_var = [&](const ir::Expr& expr) {
    const auto* var = expr.as<ir::VarNode>();
    if (!var || !vars_.contains(var) || !seen.insert(var).second) return;
    captures.vars.emplace_back(var, vars_.at(var));
  };
  const auto use_buffer = [&](const ir::Buffer& buffer) {
    if (!buffers_.contains(buffer.get()) || !seen.insert(buffer.get()).second) return;
    captures.buffers.emplace_back(buffer.get(), buffers_.at(buffer.get()));
  };
  ir::walk_exprs(loop.body, [&](const ir::Expr& expr) {
    use_var(expr);
    if (const auto* load = expr.as<ir::LoadNode>()) use_buffer(load->buffer);
  });
  bool allocates = false;
  ir::walk_stmts(loop.body, [&](const ir::Stmt& stmt) {
    if (const auto* store = stmt.as<ir::StoreNode>()) use_buffer(store->buffer);
    allocates = allocates || stmt.as<ir::AllocNode>();
  });
  // Offsets in the workspace are expressions over what the entry knows.
  if (allocates) {
    for (const ir::Param& param : func_->params) {
      if (param.var.defined() && entry_vars_.contains(param.var)) use_var(param.var);
    }
    use_var(slots_var_);
  }
  return captures;
}

llvm::Function* FunctionEmitter::outline(const ir::ForNode& loop, const Captures& captures,
                                         ir::Expr& slot_bytes, std::vector<AssertText>& asserts) {
  std::vector<llvm::Type*> types;
  for (Value* value : captures.values()) types.push_back(value->getType());
  const unsigned first = static_cast<unsigned>(types.size());
  for (llvm::Type* type :
       std::initializer_list<llvm::Type*>{m_.ptr(), m_.ptr(), m_.ptr(), m_.i64(), m_.i64()}) {
    types.push_back(type);
  }
  llvm::Function* function = m_.make_function(func_->name + "." + loop.var.name(),
                                              llvm::FunctionType::get(m_.i32(), types, false));
  function->addFnAttr(llvm::Attribute::NoInline);
  FunctionEmitter inner(m_, function, func_, slots_var_);
  unsigned next = 0;
  for (const auto& [var, outer] : captures.vars) {
    VarBinding bound = outer;
    bound.value = function->getArg(next++);
    bound.value->setName(var->name);
    bound.depth = 0;
    if (outer.wide) bound.wide = inner.b_.CreateSExt(bound.value, m_.i64());
    inner.vars_[var] = bound;
  }
  for (const auto& [buffer, outer] : captures.buffers) {
    if (outer.exclusive) function->addParamAttr(next, llvm::Attribute::NoAlias);
    llvm::Argument* pointer = function->getArg(next++);
    pointer->setName(buffer->name);
    inner.buffers_[buffer] = {pointer, outer.align_bytes, outer.exclusive};
  }
  inner.entry_vars_ = entry_vars_;
  inner.call_.call = function->getArg(first);
  inner.call_.workspace = function->getArg(first + 1);
  inner.call_.failure = function->getArg(first + 2);
  Value* begin = function->getArg(first + 3);
  Value* end = function->getArg(first + 4);
  inner.emit_loop(begin, end, /*nonempty=*/false, loop.var.name(), [&](Value* index) {
    inner.bind_index(loop, index);
    inner.emit(loop.body);
  });
  inner.b_.CreateRet(b_.getInt32(TW_OK));
  slot_bytes = inner.workspace_.peak;
  asserts = std::move(inner.asserts_);
  return function;
}

llvm::Function* FunctionEmitter::make_share(llvm::Function* body, llvm::StructType* closure_type,
                                            size_t num_captures, const Sharing& sharing) {
  auto* type = llvm::FunctionType::get(m_.i32(), {m_.ptr(), m_.i64(), m_.i64(), m_.i32()}, false);
  llvm::Function* share = m_.make_function(body->getName().str() + ".share", type);
  llvm::BasicBlock* block = llvm::BasicBlock::Create(m_.context, "entry", share);
  llvm::IRBuilder<> b(block);
  Value* closure = share->getArg(0);
  const auto field = [&](size_t index) {
    return b.CreateStructGEP(closure_type, closure, static_cast<unsigned>(index));
  };
  const auto value = [&](size_t index) {
    return b.CreateLoad(closure_type->getElementType(static_cast<unsigned>(index)), field(index));
  };
  std::vector<Value*> arguments;
  for (size_t i = 0; i < num_captures; ++i) arguments.push_back(value(i));
  Value* slot = b.CreateZExt(share->getArg(3), m_.i64());
  arguments.push_back(value(num_captures + kCall));
  arguments.push_back(b.CreateGEP(m_.i8(), value(num_captures + kWorkspace),
                                  b.CreateMul(slot, value(num_captures + kSlotBytes))));
  arguments.push_back(b.CreateGEP(m_.i8(), value(num_captures + kRecords),
                                  b.CreateMul(slot, b.getInt64(kRecordBytes))));
  arguments.insert(arguments.end(), {share->getArg(1), share->getArg(2)});
  if (!sharing.dynamic) {
    b.CreateRet(b.CreateCall(body, arguments));
    return share;
  }
  // Takes chunks from the closure's counter until none is left.
  Value* count = value(num_captures + kCount);
  Value* chunk = b.getInt64(static_cast<uint64_t>(sharing.chunk));
  const auto block_named = [&](const char* name) {
    return llvm::BasicBlock::Create(m_.context, name, share);
  };
  llvm::BasicBlock *take = block_named("take"), *run = block_named("run"),
                   *done = block_named("done");
  b.CreateBr(take);
  b.SetInsertPoint(take);
  llvm::PHINode* status = b.CreatePHI(m_.i32(), 2);
  status->addIncoming(b.getInt32(TW_OK), block);
  Value* begin = b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, field(num_captures + kNext), chunk,
                                   llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
  Value* go_on =
      b.CreateAnd(b.CreateICmpEQ(status, b.getInt32(TW_OK)), b.CreateICmpSLT(begin, count));
  b.CreateCondBr(go_on, run, done);
  b.SetInsertPoint(run);
  Value* end = b.CreateAdd(begin, chunk);
  arguments[arguments.size() - 2] = begin;
  arguments[arguments.size() - 1] = b.CreateSelect(b.CreateICmpSLT(end, count), end, count);
  status->addIncoming(b.CreateCall(body, arguments), run);
  b.CreateBr(take);
  b.SetInsertPoint(done);
  b.CreateRet(status);
  return share;
}

// One thread calls the share itself; more go through the hook.
llvm::Value* FunctionEmitter::run_shares(Value* count, Value* slots, llvm::Function* share,
                                         Value* closure) {
  llvm::BasicBlock *serial = new_block("serial"), *threads = new_block("threads"),
                   *join = new_block("joined");
  b_.CreateCondBr(b_.CreateICmpSLE(slots, b_.getInt64(1)), serial, threads);
  b_.SetInsertPoint(serial);
  Value* serial_status = b_.CreateCall(share, {closure, b_.getInt64(0), count, b_.getInt32(0)});
  b_.CreateBr(join);

  b_.SetInsertPoint(threads);
  const auto field = [&](size_t offset) {
    return b_.CreateLoad(m_.ptr(), b_.CreateConstGEP1_64(m_.i8(), call_.call, offset));
  };
  auto* type =
      llvm::FunctionType::get(m_.i32(), {m_.ptr(), m_.i64(), m_.i32(), m_.ptr(), m_.ptr()}, false);
  Value* hook = field(call_field::kParallelFor);
  Value* standard = m_.external("tw_default_parallel_for", type, /*hidden=*/true).getCallee();
  hook = select(b_.CreateICmpEQ(hook, llvm::ConstantPointerNull::get(m_.ptr())), standard, hook);
  Value* status = b_.CreateCall(
      type, hook,
      {field(call_field::kParallelUser), count, b_.CreateTrunc(slots, m_.i32()), share, closure});
  b_.CreateBr(join);

  b_.SetInsertPoint(join);
  llvm::PHINode* result = b_.CreatePHI(m_.i32(), 2);
  result->addIncoming(serial_status, serial);
  result->addIncoming(status, threads);
  return result;
}

void FunctionEmitter::emit_parallel(const ir::ForNode& loop) {
  const Captures captures = find_captures(loop);
  ir::Expr slot_bytes;
  std::vector<AssertText> asserts;
  llvm::Function* body = outline(loop, captures, slot_bytes, asserts);
  const Sharing sharing = sharing_of(loop);

  Value* count = index_value(loop.extent);
  Value* slots = call_.slots;
  Value* records = llvm::ConstantPointerNull::get(m_.ptr());
  const ir::Expr outer_offset = workspace_.offset;
  if (!asserts.empty()) {
    const ir::Expr size = slots_var_ * ir::make_int(kInt64, kRecordBytes);
    records = workspace_address(size);
    workspace_.offset = outer_offset + size;
    b_.CreateMemSet(records, b_.getInt8(0), b_.CreateMul(slots, b_.getInt64(kRecordBytes)),
                    llvm::Align(kRecordBytes));
  }
  Value* region = llvm::ConstantPointerNull::get(m_.ptr());
  if (!ir::is_const_int(slot_bytes, 0)) region = workspace_address(slots_var_ * slot_bytes);
  workspace_.offset = outer_offset;

  std::vector<Value*> fields = captures.values();
  const size_t num_captures = fields.size();
  fields.resize(num_captures + kNumFields);
  fields[num_captures + kCall] = call_.call;
  fields[num_captures + kWorkspace] = region;
  fields[num_captures + kSlotBytes] = emit(slot_bytes);
  fields[num_captures + kRecords] = records;
  fields[num_captures + kCount] = count;
  fields[num_captures + kNext] = b_.getInt64(0);
  std::vector<llvm::Type*> types;
  for (Value* value : fields) types.push_back(value->getType());
  auto* closure_type = llvm::StructType::get(m_.context, types);
  llvm::IRBuilder<> at_entry(entry_block_->getTerminator());
  Value* closure = at_entry.CreateAlloca(closure_type, nullptr, loop.var.name() + ".closure");
  for (unsigned i = 0; i < fields.size(); ++i) {
    b_.CreateStore(fields[i], b_.CreateStructGEP(closure_type, closure, i));
  }

  llvm::Function* share = make_share(body, closure_type, num_captures, sharing);
  // A dynamic loop hands out slots; the iterations come from the counter.
  Value* shares = sharing.dynamic ? slots : count;
  Value* status = run_shares(shares, slots, share, closure);
  run_if(b_.CreateICmpNE(status, b_.getInt32(TW_OK)), [&] {
    report_no_threads(status);
    if (!asserts.empty()) report_failures(records, slots, asserts);
    return_status(status);
  });
}

FunctionEmitter::Sharing FunctionEmitter::sharing_of(const ir::ForNode& loop) {
  Sharing sharing;
  if (const auto it = loop.annotations.find("parallel_schedule"); it != loop.annotations.end()) {
    const auto* word = std::get_if<std::string>(&it->second);
    sharing.dynamic = word && *word == "dynamic";
  }
  if (const auto it = loop.annotations.find("parallel_chunk"); it != loop.annotations.end()) {
    if (const auto* chunk = std::get_if<int64_t>(&it->second)) {
      sharing.chunk = std::max<int64_t>(*chunk, 1);
    }
  }
  return sharing;
}

}  // namespace tilewright::codegen
