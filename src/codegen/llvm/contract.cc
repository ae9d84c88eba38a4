#include "codegen/llvm/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/llvm/abi_layout.h"
#include "codegen/size_text.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::codegen {

ContractEmitter::ContractEmitter(ModuleEmitter& module, FunctionEmitter& emitter,
                                 const ir::PrimFunc& func, Value* call, Value* query)
    : m_(module), e_(emitter), b_(emitter.builder()), func_(func), call_(call), query_(query) {}

llvm::Value* ContractEmitter::field(Value* base, uint64_t offset, llvm::Type* type) {
  Value* place = offset == 0 ? base : b_.CreateConstGEP1_64(m_.i8(), base, offset);
  return b_.CreateLoad(type, place);
}

void ContractEmitter::require(Value* holds, int status, const Text& text) {
  if (has_fault(Fault::contract_skips_shape) && status == TW_ERR_SHAPE) return;
  e_.run_if(b_.CreateNot(holds), [&] {
    e_.write_error_text(text);
    e_.return_status(b_.getInt32(static_cast<uint32_t>(status)));
  });
}

ContractEmitter::Text ContractEmitter::argument_text(const std::string& name,
                                                     const std::string& what) const {
  return {fmt::format("{}: argument {}: {}", func_->name, name, what), {}};
}

void ContractEmitter::check_call() {
  Value* null = llvm::ConstantPointerNull::get(m_.ptr());
  e_.run_if(b_.CreateICmpEQ(call_, null), [&] { e_.return_status(b_.getInt32(TW_ERR_ABI)); });
  Value* size = field(call_, call_field::kStructSize, m_.i32());
  Value* version = field(call_, call_field::kAbiVersion, m_.i32());
  Value* long_enough = b_.CreateICmpUGE(size, b_.getInt32(sizeof(tw_call)));
  Value* fits = b_.CreateAnd(long_enough, b_.CreateICmpEQ(version, b_.getInt32(TW_ABI_VERSION)));
  e_.run_if(b_.CreateNot(fits), [&] {
    // The error text is a field that a shorter struct may lack.
    e_.run_if(long_enough, [&] {
      e_.write_error_text(
          {fmt::format("{}: call has ABI version %u and size %u, expected version {} "
                       "and size at least {}",
                       func_->name, TW_ABI_VERSION, sizeof(tw_call)),
           {version, size}});
    });
    e_.return_status(b_.getInt32(TW_ERR_ABI));
  });
  if (m_.ahead_of_time && !m_.target.features.empty()) check_cpu();

  size_t expected = 0;
  for (const ir::Param& param : func_->params) expected += param.role != ir::ParamRole::kShape;
  Value* count = field(call_, call_field::kNumArgs, m_.i32());
  require(b_.CreateICmpEQ(count, b_.getInt32(static_cast<uint32_t>(expected))), TW_ERR_ARG_COUNT,
          {fmt::format("{}: expected {} argument{}, got %d", func_->name, expected,
                       expected == 1 ? "" : "s"),
           {count}});
  if (expected == 0) return;
  Value* args = field(call_, call_field::kArgs, m_.ptr());
  require(b_.CreateICmpNE(args, null), TW_ERR_NULL,
          {fmt::format("{}: the array of arguments is null", func_->name), {}});
}

// Tested once per library: the answer cannot change.
void ContractEmitter::check_cpu() {
  constexpr const char* kFlag = "tw.cpu_tested";
  llvm::GlobalVariable* flag = m_.module->getGlobalVariable(kFlag, true);
  if (!flag) {
    flag = m_.make_global(kFlag, b_.getInt32(0), llvm::GlobalValue::InternalLinkage, false);
  }
  const auto ordering = llvm::AtomicOrdering::Monotonic;
  llvm::LoadInst* tested = b_.CreateAlignedLoad(m_.i32(), flag, llvm::Align(4));
  tested->setAtomic(ordering);
  e_.run_if(b_.CreateICmpEQ(tested, b_.getInt32(0)), [&] {
    const auto& features = m_.target.features;
    const auto test = m_.external("tw_missing_cpu_feature",
                                  llvm::FunctionType::get(m_.i32(), {m_.ptr()}, false), true);
    Value* missing = b_.CreateCall(test, {m_.text(fmt::format("{}", fmt::join(features, ",")))});
    std::vector<llvm::Constant*> names;
    for (const std::string& feature : features) names.push_back(m_.text(feature));
    auto* type = llvm::ArrayType::get(m_.ptr(), names.size());
    llvm::GlobalVariable* table =
        m_.make_global("tw.features", llvm::ConstantArray::get(type, names),
                       llvm::GlobalValue::InternalLinkage, true);
    e_.run_if(b_.CreateICmpSGE(missing, b_.getInt32(0)), [&] {
      Value* name = b_.CreateLoad(m_.ptr(), b_.CreateGEP(m_.ptr(), table, {missing}));
      e_.write_error_text({func_->name + ": needs CPU feature %s, which this CPU lacks", {name}});
      e_.return_status(b_.getInt32(TW_ERR_CPU_FEATURE));
    });
    b_.CreateAlignedStore(b_.getInt32(1), flag, llvm::Align(4))->setAtomic(ordering);
  });
}

bool ContractEmitter::is_bound(const ir::Expr& expr) const {
  for (const ir::Var& var : ir::free_vars(expr)) {
    if (!bound_.contains(var.get())) return false;
  }
  return true;
}

void ContractEmitter::bind_size(const ir::Expr& var, Value* extent) {
  e_.bind_var(var, e_.cast(extent, kInt64, var.dtype()), /*is_index=*/true);
  bound_.insert(var.get());
}

void ContractEmitter::check_params() {
  Value* args = field(call_, call_field::kArgs, m_.ptr());
  uint64_t offset = 0;
  pointers_.assign(func_->params.size(), nullptr);
  for (size_t i = 0; i < func_->params.size(); ++i) {
    const ir::Param& param = func_->params[i];
    if (param.role == ir::ParamRole::kShape) continue;
    Value* argument = b_.CreateConstGEP1_64(m_.i8(), args, offset);
    offset += sizeof(tw_arg);
    if (param.buffer) {
      check_tensor(i, param, argument);
    } else {
      check_scalar(param, argument);
    }
  }
  for (size_t number : deferred_) check_shape(*tensors_[number].param->buffer, tensors_[number]);
  for (const ir::Param& param : func_->params) {
    if (param.var && !bound_.contains(param.var.get())) {
      fail("codegen.unbound_size",
           "{}: size '{}' is not a whole dimension of any tensor; make it a scalar argument",
           func_->name, param.var.name());
    }
  }
}

void ContractEmitter::check_assumptions() {
  for (const ir::Expr& assumption : func_->assumptions) {
    Text text{fmt::format("{}: assumption ", func_->name), {}};
    for (char c : size_text(assumption)) text.format += c == '%' ? "%%" : std::string(1, c);
    text.format += " does not hold (";
    const char* separator = "";
    for (const ir::Var& var : ir::free_vars(assumption)) {
      text.format += fmt::format("{}{} = %lld", separator, var.name());
      text.arguments.push_back(e_.cast(e_.emit(var), var.dtype(), kInt64));
      separator = ", ";
    }
    text.format += ")";
    require(e_.emit(assumption), TW_ERR_ASSUMPTION, text);
  }
}

void ContractEmitter::check_aliases() {
  const auto index_of = [&](const Tensor& tensor) { return tensor.param - func_->params.data(); };
  const auto is_written = [](const Tensor& tensor) {
    return tensor.param->role == ir::ParamRole::kOutput ||
           tensor.param->role == ir::ParamRole::kInout;
  };
  for (size_t i = 0; i < tensors_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Tensor *later = &tensors_[i], *earlier = &tensors_[j];
      if (!is_written(*later) && !is_written(*earlier)) continue;
      if (!is_written(*later)) std::swap(later, earlier);
      Value* apart = b_.CreateOr(b_.CreateICmpULE(later->end, earlier->begin),
                                 b_.CreateICmpULE(earlier->end, later->begin));
      Value* empty = b_.CreateOr(b_.CreateICmpEQ(later->begin, later->end),
                                 b_.CreateICmpEQ(earlier->begin, earlier->end));
      Value* fine = b_.CreateOr(b_.CreateOr(apart, empty), query_);
      if (later->param->alias_of == index_of(*earlier) ||
          earlier->param->alias_of == index_of(*later)) {
        fine = b_.CreateOr(fine, b_.CreateICmpEQ(later->begin, earlier->begin));
      }
      require(fine, TW_ERR_ALIAS,
              argument_text(param_name(*later->param),
                            "overlaps argument " + param_name(*earlier->param)));
    }
  }
}

}  // namespace tilewright::codegen
