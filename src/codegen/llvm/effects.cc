#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/abi_layout.h"
#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/support/error.h"

/// \file
/// Statements with an effect beside memory: asserts, print and prefetch, and the texts they make.

namespace tilewright::codegen {
namespace {

constexpr size_t kRecordValues = 7;
constexpr uint64_t kPrintBytes = 1024;

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '%') result += c;
  }
  return result;
}

}  // namespace

void FunctionEmitter::return_status(Value* status) {
  b_.CreateRet(status);
  b_.SetInsertPoint(new_block("unreachable"));
}

void FunctionEmitter::append_value(Text& text, Value* value, DType dtype) {
  if (dtype.lanes > 1) {
    for (int lane = 0; lane < dtype.lanes; ++lane) {
      text.format += lane == 0 ? "[" : ", ";
      append_value(text, b_.CreateExtractElement(value, static_cast<uint64_t>(lane)),
                   dtype.element());
    }
    text.format += "]";
  } else if (dtype.is_bool()) {
    text.format += "%s";
    text.arguments.push_back(select(value, m_.text("true"), m_.text("false")));
  } else if (dtype.is_float()) {
    text.format += "%.9g";
    text.arguments.push_back(cast(value, dtype, kFloat64));
  } else if (dtype.is_handle()) {
    text.format += "%s";
    text.arguments.push_back(value);
  } else {
    text.format += dtype.is_int() ? "%lld" : "%llu";
    text.arguments.push_back(cast(value, dtype, dtype.is_int() ? kInt64 : kUInt64));
  }
}

FunctionEmitter::Text FunctionEmitter::format_text(const std::string& message,
                                                   const std::vector<ir::Expr>& values) {
  Text text;
  size_t begin = 0;
  for (const ir::Expr& value : values) {
    const size_t hole = message.find("{}", begin);
    if (hole == std::string::npos) {
      text.format += escaped(message.substr(begin)) + " ";
      begin = message.size();
    } else {
      text.format += escaped(message.substr(begin, hole - begin));
      begin = hole + 2;
    }
    append_value(text, emit(value), value.dtype());
  }
  text.format += escaped(message.substr(begin));
  return text;
}

void FunctionEmitter::write_error_text(const Text& text) {
  const auto field = [&](size_t offset, llvm::Type* type) {
    return b_.CreateLoad(type, b_.CreateConstGEP1_64(m_.i8(), call_.call, offset));
  };
  Value* buffer = field(call_field::kErrorText, m_.ptr());
  Value* size = field(call_field::kErrorTextSize, m_.i64());
  Value* absent = b_.CreateICmpEQ(buffer, llvm::ConstantPointerNull::get(m_.ptr()));
  std::vector<Value*> arguments = {buffer, select(absent, b_.getInt64(0), size),
                                   m_.text(text.format)};
  arguments.insert(arguments.end(), text.arguments.begin(), text.arguments.end());
  b_.CreateCall(m_.snprintf(), arguments);
}

void FunctionEmitter::emit_assert(const ir::AssertNode& node) {
  Value* condition = emit(node.condition);
  if (condition->getType()->isVectorTy()) condition = b_.CreateAndReduce(condition);
  run_if(b_.CreateNot(condition), [&] {
    Text text = format_text(func_->name + ": " + node.message, node.values);
    if (call_.failure) {
      // A record holds so many values; a text with more goes without.
      if (text.arguments.size() > kRecordValues)
        text = {escaped(func_->name + ": " + node.message), {}};
      record_failure(text);
    } else {
      write_error_text(text);
    }
    return_status(b_.getInt32(static_cast<uint32_t>(node.status)));
  });
}

// Slots must not write the error text at the same time; each keeps the number of the assert and its
// values in its own record.
void FunctionEmitter::record_failure(const Text& text) {
  AssertText assert_text{text.format, {}};
  Value* record = call_.failure;
  for (size_t i = 0; i < text.arguments.size(); ++i) {
    Value* value = text.arguments[i];
    assert_text.argument_types.push_back(value->getType());
    b_.CreateStore(value, b_.CreateConstGEP1_64(m_.i64(), record, i + 1));
  }
  asserts_.push_back(std::move(assert_text));
  b_.CreateStore(b_.getInt64(asserts_.size()), record);
}

void FunctionEmitter::report_failures(Value* records, Value* slots,
                                      const std::vector<AssertText>& asserts) {
  llvm::BasicBlock* done = new_block("reported");
  emit_loop(b_.getInt64(0), slots, /*nonempty=*/true, "slot", [&](Value* slot) {
    Value* record = b_.CreateGEP(m_.i64(), records, b_.CreateMul(slot, b_.getInt64(8)));
    Value* number = b_.CreateLoad(m_.i64(), record);
    for (size_t i = 0; i < asserts.size(); ++i) {
      llvm::BasicBlock* found = new_block("failed");
      llvm::BasicBlock* other = new_block("other");
      b_.CreateCondBr(b_.CreateICmpEQ(number, b_.getInt64(i + 1)), found, other);
      b_.SetInsertPoint(found);
      Text text{asserts[i].format, {}};
      for (size_t j = 0; j < asserts[i].argument_types.size(); ++j) {
        Value* place = b_.CreateConstGEP1_64(m_.i64(), record, j + 1);
        text.arguments.push_back(b_.CreateLoad(asserts[i].argument_types[j], place));
      }
      write_error_text(text);
      b_.CreateBr(done);
      b_.SetInsertPoint(other);
    }
  });
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void FunctionEmitter::report_no_threads(Value* status) {
  run_if(b_.CreateICmpEQ(status, b_.getInt32(TW_ERR_NO_THREADS)), [&] {
    write_error_text(
        {escaped(func_->name) + ": %lld threads asked, but no thread library is available",
         {call_.slots}});
  });
}

void FunctionEmitter::emit_evaluate(const ir::EvaluateNode& node) {
  const auto* call = node.value.as<ir::CallNode>();
  if (call && call->intrinsic == ir::Intrinsic::kPrefetch) return prefetch(*call);
  if (call && call->intrinsic == ir::Intrinsic::kPrint) return print(*call);
  if (call && call->intrinsic == ir::Intrinsic::kCallExtern) return call_extern(*call);
  emit(node.value);
}

void FunctionEmitter::prefetch(const ir::CallNode& node) {
  const auto* load = node.args[0].as<ir::LoadNode>();
  internal_check(load && load->indices.size() == 1, "{}: prefetch needs a flat load", func_->name);
  ir::Expr index = load->indices[0];
  if (const auto form = as_ramp(index); form && index.dtype().lanes > 1) index = form->base;
  const auto constant = [&](const ir::Expr& expr) {
    const auto* value = expr.as<ir::IntImmNode>();
    internal_check(value, "{}: prefetch takes constants", func_->name);
    return b_.getInt32(static_cast<uint32_t>(value->value));
  };
  Value* place = address(load->buffer, linearize(index));
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {m_.ptr()},
                     {place, constant(node.args[1]), constant(node.args[2]), b_.getInt32(1)});
}

// void symbol(addresses and scalars...), in C's calling convention.
void FunctionEmitter::call_extern(const ir::CallNode& node) {
  const auto* symbol = node.args[0].as<ir::StringImmNode>();
  std::vector<Value*> arguments;
  std::vector<llvm::Type*> types;
  for (size_t i = 1; i < node.args.size(); ++i) {
    if (const auto* place = node.args[i].as<ir::LoadNode>()) {
      arguments.push_back(address(place->buffer, linearize(place->indices[0])));
    } else {
      // C passes narrow integers widened by its own rules; here they are passed as 64 bits.
      const DType type = node.args[i].dtype();
      const DType passed = type.is_float() ? type : type.is_int() ? kInt64 : kUInt64;
      arguments.push_back(cast(emit(node.args[i]), type, passed));
    }
    types.push_back(arguments.back()->getType());
  }
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  b_.CreateCall(m_.external(symbol->value, type), arguments);
}

// print("text {}", values...): one piece of text with a newline.
void FunctionEmitter::print(const ir::CallNode& node) {
  std::vector<ir::Expr> values = node.args;
  std::string message;
  if (!values.empty() && values[0].as<ir::StringImmNode>()) {
    message = values[0].as<ir::StringImmNode>()->value;
    values.erase(values.begin());
  }
  if (message.empty() || (message.find("{}") == std::string::npos && !values.empty())) {
    for (size_t i = 0; i < values.size(); ++i) message += message.empty() ? "{}" : " {}";
  }
  Text text = format_text(message, values);
  text.format += "\n";
  llvm::IRBuilder<> at_entry(entry_block_->getTerminator());
  Value* buffer =
      at_entry.CreateAlloca(llvm::ArrayType::get(m_.i8(), kPrintBytes), nullptr, "print.text");
  std::vector<Value*> arguments = {buffer, b_.getInt64(kPrintBytes), m_.text(text.format)};
  arguments.insert(arguments.end(), text.arguments.begin(), text.arguments.end());
  b_.CreateCall(m_.snprintf(), arguments);

  const auto field = [&](size_t offset) {
    return b_.CreateLoad(m_.ptr(), b_.CreateConstGEP1_64(m_.i8(), call_.call, offset));
  };
  Value* hook = field(call_field::kPrint);
  Value* standard = b_.CreateICmpEQ(hook, llvm::ConstantPointerNull::get(m_.ptr()));
  run_if(standard, [&] {
    auto* type = llvm::FunctionType::get(m_.i32(), {m_.ptr()}, true);
    b_.CreateCall(m_.external("printf", type), {m_.text("%s"), buffer});
  });
  run_if(b_.CreateNot(standard), [&] {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {m_.ptr(), m_.ptr()}, false);
    b_.CreateCall(type, hook, {field(call_field::kPrintUser), buffer});
  });
}

}  // namespace tilewright::codegen
