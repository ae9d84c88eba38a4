#include "codegen/llvm/entry.h"

#include <fmt/format.h>

#include "codegen/llvm/abi_layout.h"
#include "codegen/llvm/contract.h"
#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "codegen/size_text.h"
#include "tilewright/ir/ops.h"

/// \file
/// One function of the library is five in LLVM: `F.body` works on raw pointers and sizes; `F.bind` checks
/// the arguments of a call and writes those pointers and sizes to an array; `tw_F` and
/// `tw_F_workspace` call them; the bodies of parallel loops are functions too.

namespace tilewright::codegen {
namespace {

class EntryEmitter {
 public:
  EntryEmitter(ModuleEmitter& module, const ir::PrimFunc& func)
      : m_(module), func_(func), slots_("slots", kInt64) {}

  void emit() {
    emit_body();
    emit_bind();
    emit_workspace_query();
    emit_entry();
  }

 private:
  using Value = llvm::Value;
  bool uses_workspace() const { return !ir::is_const_int(workspace_bytes_, 0); }

  // A parameter's type in the body and in the array of bound values.
  llvm::Type* param_type(const ir::Param& param) {
    return param.buffer ? m_.ptr() : register_type(m_.context, param.var.dtype());
  }

  void emit_body();
  void emit_bind();
  void emit_workspace_query();
  void emit_entry();
  void check_threads(FunctionEmitter& e);
  Value* workspace(FunctionEmitter& e, Value* bytes, Value*& allocated);
  void free_workspace(FunctionEmitter& e, Value* allocated);
  Value* field(llvm::IRBuilder<>& b, uint64_t offset, llvm::Type* type) {
    return b.CreateLoad(type, b.CreateConstGEP1_64(m_.i8(), call_, offset));
  }
  Value* slot_count(llvm::IRBuilder<>& b);
  /// Reads the bound values and makes the size variables known to `e`.
  std::vector<Value*> bound_values(FunctionEmitter& e, Value* bound);
  Value* bound_array(llvm::IRBuilder<>& b) {
    return b.CreateAlloca(
        llvm::ArrayType::get(m_.i64(), std::max<size_t>(func_->params.size(), 1)));
  }

  ModuleEmitter& m_;
  const ir::PrimFunc& func_;
  ir::Var slots_;
  ir::Expr workspace_bytes_;
  bool has_parallel_loop_ = false;
  llvm::Function* body_ = nullptr;
  llvm::Function* bind_ = nullptr;
  Value* call_ = nullptr;
};

// Code that runs once a call: its compilation costs more than it.
void compile_quickly(llvm::Function* function) {
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::OptimizeNone);
}

bool may_share(const ir::PrimFunc& func, size_t number) {
  if (func->params[number].alias_of >= 0) return true;
  for (const ir::Param& other : func->params) {
    if (other.alias_of == static_cast<int64_t>(number)) return true;
  }
  return false;
}

void EntryEmitter::emit_body() {
  std::vector<llvm::Type*> types;
  for (const ir::Param& param : func_->params) types.push_back(param_type(param));
  const auto num_params = static_cast<unsigned>(types.size());
  types.insert(types.end(), {m_.ptr(), m_.ptr(), m_.i64()});
  body_ = m_.make_function(func_->name + ".body", llvm::FunctionType::get(m_.i32(), types, false));
  body_->addFnAttr(llvm::Attribute::NoInline);
  FunctionEmitter e(m_, body_, func_, slots_);
  for (unsigned i = 0; i < num_params; ++i) {
    const ir::Param& param = func_->params[i];
    llvm::Argument* argument = body_->getArg(i);
    argument->setName(param_name(param));
    if (param.buffer) {
      const bool exclusive = !may_share(func_, i);
      if (exclusive) body_->addParamAttr(i, llvm::Attribute::NoAlias);
      e.bind_buffer(param.buffer, {argument, required_alignment(*param.buffer), exclusive});
    } else {
      e.bind_var(param.var, argument, param.role == ir::ParamRole::kShape);
      if (!param.var.dtype().is_float()) e.add_entry_var(param.var);
    }
  }
  CallValues values;
  values.call = body_->getArg(num_params);
  values.workspace = body_->getArg(num_params + 1);
  values.slots = body_->getArg(num_params + 2);
  e.set_call(values);
  e.bind_var(slots_, values.slots, true);
  e.add_entry_var(slots_);
  e.emit(func_->body);
  e.builder().CreateRet(e.builder().getInt32(TW_OK));
  workspace_bytes_ = e.workspace_peak();
  ir::walk_stmts(func_->body, [&](const ir::Stmt& stmt) {
    const auto* loop = stmt.as<ir::ForNode>();
    has_parallel_loop_ = has_parallel_loop_ || (loop && loop->for_kind == ir::ForKind::kParallel);
  });
}

void EntryEmitter::emit_bind() {
  auto* type = llvm::FunctionType::get(m_.i32(), {m_.ptr(), m_.ptr(), m_.i1()}, false);
  bind_ = m_.make_function(func_->name + ".bind", type);
  compile_quickly(bind_);
  FunctionEmitter e(m_, bind_, func_, slots_);
  CallValues values;
  values.call = bind_->getArg(0);
  e.set_call(values);
  ContractEmitter contract(m_, e, func_, bind_->getArg(0), bind_->getArg(2));
  contract.check_call();
  contract.check_params();
  contract.check_assumptions();
  contract.check_aliases();
  llvm::IRBuilder<>& b = e.builder();
  for (size_t i = 0; i < func_->params.size(); ++i) {
    const ir::Param& param = func_->params[i];
    Value* value = param.buffer ? contract.pointers()[i] : e.emit(param.var);
    b.CreateStore(value, b.CreateConstGEP1_64(m_.i64(), bind_->getArg(1), i));
  }
  b.CreateRet(b.getInt32(TW_OK));
}

llvm::Value* EntryEmitter::slot_count(llvm::IRBuilder<>& b) {
  Value* threads = b.CreateSExt(field(b, call_field::kNumThreads, m_.i32()), m_.i64());
  threads = b.CreateSelect(b.CreateICmpSLT(threads, b.getInt64(1)), b.getInt64(1), threads);
  Value* most = b.getInt64(TW_MAX_THREADS);
  return b.CreateSelect(b.CreateICmpSGT(threads, most), most, threads);
}

std::vector<llvm::Value*> EntryEmitter::bound_values(FunctionEmitter& e, Value* bound) {
  llvm::IRBuilder<>& b = e.builder();
  std::vector<Value*> values;
  for (size_t i = 0; i < func_->params.size(); ++i) {
    const ir::Param& param = func_->params[i];
    values.push_back(b.CreateLoad(param_type(param), b.CreateConstGEP1_64(m_.i64(), bound, i)));
    if (!param.buffer) e.bind_var(param.var, values.back(), true);
  }
  e.bind_var(slots_, slot_count(b), true);
  return values;
}

void EntryEmitter::emit_workspace_query() {
  if (!uses_workspace()) return;
  llvm::Function* query = m_.make_function("tw_" + func_->name + "_workspace",
                                           llvm::FunctionType::get(m_.i64(), {m_.ptr()}, false),
                                           llvm::GlobalValue::ExternalLinkage);
  compile_quickly(query);
  FunctionEmitter e(m_, query, func_, slots_);
  llvm::IRBuilder<>& b = e.builder();
  call_ = query->getArg(0);
  Value* bound = bound_array(b);
  Value* status = b.CreateCall(bind_, {call_, bound, b.getTrue()});
  e.run_if(b.CreateICmpNE(status, b.getInt32(TW_OK)),
           [&] { e.return_status(b.CreateNeg(b.CreateSExt(status, m_.i64()))); });
  bound_values(e, bound);
  b.CreateRet(e.emit(workspace_bytes_));
}

// Asked for once per library, before anything is written: a thread library stays where it is.
void EntryEmitter::check_threads(FunctionEmitter& e) {
  llvm::IRBuilder<>& b = e.builder();
  constexpr const char* kFlag = "tw.threads_tested";
  llvm::GlobalVariable* flag = m_.module->getGlobalVariable(kFlag, true);
  auto* body_type =
      llvm::FunctionType::get(m_.i32(), {m_.ptr(), m_.i64(), m_.i64(), m_.i32()}, false);
  if (!flag) {
    flag = m_.make_global(kFlag, b.getInt32(0), llvm::GlobalValue::InternalLinkage, false);
    llvm::Function* nothing = m_.make_function("tw.nothing", body_type);
    llvm::IRBuilder<> inner(llvm::BasicBlock::Create(m_.context, "entry", nothing));
    inner.CreateRet(inner.getInt32(TW_OK));
  }
  const auto ordering = llvm::AtomicOrdering::Monotonic;
  Value* slots = slot_count(b);
  Value* hook = field(b, call_field::kParallelFor, m_.ptr());
  llvm::LoadInst* tested = b.CreateAlignedLoad(m_.i32(), flag, llvm::Align(4));
  tested->setAtomic(ordering);
  Value* untested =
      b.CreateAnd(b.CreateICmpSGT(slots, b.getInt64(1)), b.CreateICmpEQ(tested, b.getInt32(0)));
  Value* standard = b.CreateICmpEQ(hook, llvm::ConstantPointerNull::get(m_.ptr()));
  e.run_if(b.CreateAnd(untested, standard), [&] {
    auto* type = llvm::FunctionType::get(m_.i32(),
                                         {m_.ptr(), m_.i64(), m_.i32(), m_.ptr(), m_.ptr()}, false);
    Value* null = llvm::ConstantPointerNull::get(m_.ptr());
    Value* status = b.CreateCall(
        m_.external("tw_default_parallel_for", type, true),
        {null, slots, b.CreateTrunc(slots, m_.i32()), m_.module->getFunction("tw.nothing"), null});
    e.run_if(b.CreateICmpNE(status, b.getInt32(TW_OK)), [&] {
      e.write_error_text(
          {func_->name + ": %lld threads asked, but no thread library is available", {slots}});
      e.return_status(status);
    });
    b.CreateAlignedStore(b.getInt32(1), flag, llvm::Align(4))->setAtomic(ordering);
  });
}

// The caller's workspace or one for the length of the call; `allocated` is the latter, or null.
llvm::Value* EntryEmitter::workspace(FunctionEmitter& e, Value* bytes, Value*& allocated) {
  llvm::IRBuilder<>& b = e.builder();
  Value* null = llvm::ConstantPointerNull::get(m_.ptr());
  Value* given = field(b, call_field::kWorkspace, m_.ptr());
  Value* needed = b.CreateICmpSGT(bytes, b.getInt64(0));
  Value* is_given = b.CreateICmpNE(given, null);
  e.run_if(b.CreateAnd(needed, is_given), [&] {
    Value* size = field(b, call_field::kWorkspaceSize, m_.i64());
    e.run_if(b.CreateICmpSLT(size, bytes), [&] {
      e.write_error_text(
          {func_->name + ": needs %lld bytes of workspace, got %lld", {bytes, size}});
      e.return_status(b.getInt32(TW_ERR_WORKSPACE));
    });
  });
  // Kept in memory over the branches below.
  Value* place = b.CreateAlloca(m_.ptr());
  b.CreateStore(null, place);
  Value* hook = field(b, call_field::kAlloc, m_.ptr());
  e.run_if(b.CreateAnd(needed, b.CreateNot(is_given)), [&] {
    Value* standard = b.CreateICmpEQ(hook, null);
    Value* align = b.getInt64(TW_WORKSPACE_ALIGNMENT);
    e.run_if(standard, [&] {
      auto* type = llvm::FunctionType::get(m_.i32(), {m_.ptr(), m_.i64(), m_.i64()}, false);
      b.CreateCall(m_.external("posix_memalign", type), {place, align, bytes});
    });
    e.run_if(b.CreateNot(standard), [&] {
      auto* type = llvm::FunctionType::get(m_.ptr(), {m_.ptr(), m_.i64(), m_.i64()}, false);
      b.CreateStore(
          b.CreateCall(type, hook, {field(b, call_field::kAllocUser, m_.ptr()), bytes, align}),
          place);
    });
    e.run_if(b.CreateICmpEQ(b.CreateLoad(m_.ptr(), place), null), [&] {
      e.write_error_text({func_->name + ": cannot allocate %lld bytes of workspace", {bytes}});
      e.return_status(b.getInt32(TW_ERR_OUT_OF_MEMORY));
    });
  });
  allocated = b.CreateLoad(m_.ptr(), place);
  return b.CreateSelect(is_given, given, allocated);
}

void EntryEmitter::free_workspace(FunctionEmitter& e, Value* allocated) {
  llvm::IRBuilder<>& b = e.builder();
  Value* null = llvm::ConstantPointerNull::get(m_.ptr());
  e.run_if(b.CreateICmpNE(allocated, null), [&] {
    Value* standard = b.CreateICmpEQ(field(b, call_field::kAlloc, m_.ptr()), null);
    e.run_if(standard, [&] {
      auto* type = llvm::FunctionType::get(b.getVoidTy(), {m_.ptr()}, false);
      b.CreateCall(m_.external("free", type), {allocated});
    });
    Value* release = field(b, call_field::kFree, m_.ptr());
    e.run_if(b.CreateAnd(b.CreateNot(standard), b.CreateICmpNE(release, null)), [&] {
      auto* type = llvm::FunctionType::get(b.getVoidTy(), {m_.ptr(), m_.ptr()}, false);
      b.CreateCall(type, release, {field(b, call_field::kAllocUser, m_.ptr()), allocated});
    });
  });
}

void EntryEmitter::emit_entry() {
  llvm::Function* entry =
      m_.make_function("tw_" + func_->name, llvm::FunctionType::get(m_.i32(), {m_.ptr()}, false),
                       llvm::GlobalValue::ExternalLinkage);
  compile_quickly(entry);
  FunctionEmitter e(m_, entry, func_, slots_);
  llvm::IRBuilder<>& b = e.builder();
  call_ = entry->getArg(0);
  CallValues values;
  values.call = call_;
  e.set_call(values);
  Value* bound = bound_array(b);
  Value* status = b.CreateCall(bind_, {call_, bound, b.getFalse()});
  e.run_if(b.CreateICmpNE(status, b.getInt32(TW_OK)), [&] { e.return_status(status); });
  std::vector<Value*> arguments = bound_values(e, bound);
  if (has_parallel_loop_) check_threads(e);
  Value* space = llvm::ConstantPointerNull::get(m_.ptr());
  Value* allocated = nullptr;
  if (uses_workspace()) {
    Value* bytes = e.emit(workspace_bytes_);
    space = workspace(e, bytes, allocated);
  }
  arguments.insert(arguments.end(), {call_, space, slot_count(b)});
  status = b.CreateCall(body_, arguments);
  if (allocated) free_workspace(e, allocated);
  b.CreateRet(status);
}

}  // namespace

void emit_entry(ModuleEmitter& module, const ir::PrimFunc& func) {
  EntryEmitter(module, func).emit();
}

}  // namespace tilewright::codegen
