#include <fmt/format.h>

#include "codegen/llvm/abi_layout.h"
#include "codegen/llvm/contract.h"
#include "codegen/size_text.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/fault.h"

namespace tilewright::codegen {
namespace {

uint32_t dlpack_word(DType dtype) {
  uint32_t code = TW_DL_INT;
  if (dtype.is_uint()) code = TW_DL_UINT;
  if (dtype.is_float()) code = dtype.is_bfloat16() ? TW_DL_BFLOAT : TW_DL_FLOAT;
  if (dtype.is_bool()) code = TW_DL_BOOL;
  return code | static_cast<uint32_t>(dtype.bits) << 8 | uint32_t{1} << 16;
}

}  // namespace

void ContractEmitter::check_tensor(size_t number, const ir::Param& param, Value* argument) {
  const ir::BufferNode& buffer = *param.buffer;
  const std::string& name = buffer.name;
  Value* kind = field(argument, 0, m_.i32());
  Value* none = b_.CreateICmpEQ(kind, b_.getInt32(TW_ARG_NONE));
  Value* is_tensor = b_.CreateOr(none, b_.CreateICmpEQ(kind, b_.getInt32(TW_ARG_TENSOR)));
  require(is_tensor, TW_ERR_KIND, argument_text(name, "expected a tensor, got a scalar"));
  Tensor tensor{&param, field(argument, offsetof(tw_arg, value), m_.ptr()), {}};
  Value* null = b_.CreateICmpEQ(tensor.pointer, llvm::ConstantPointerNull::get(m_.ptr()));
  require(b_.CreateNot(b_.CreateOr(none, null)), TW_ERR_NULL,
          argument_text(name, "is missing (null)"));

  Value* device = field(tensor.pointer, tensor_field::kDeviceType, m_.i32());
  Text wrong_device =
      argument_text(name, fmt::format("expected device type {}, got %d", int{TW_DL_CPU}));
  wrong_device.arguments.push_back(device);
  require(b_.CreateICmpEQ(device, b_.getInt32(TW_DL_CPU)), TW_ERR_DEVICE, wrong_device);
  check_dtype(buffer, tensor);

  Value* rank = field(tensor.pointer, tensor_field::kNdim, m_.i32());
  Text wrong_rank = argument_text(name, fmt::format("expected rank {}, got %d", buffer.rank()));
  wrong_rank.arguments.push_back(rank);
  require(b_.CreateICmpEQ(rank, b_.getInt32(static_cast<uint32_t>(buffer.rank()))), TW_ERR_RANK,
          wrong_rank);

  Value* extents = field(tensor.pointer, tensor_field::kShape, m_.ptr());
  if (buffer.rank() > 0) {
    require(b_.CreateICmpNE(extents, llvm::ConstantPointerNull::get(m_.ptr())), TW_ERR_NULL,
            argument_text(name, "shape pointer is null"));
  }
  tensor.count = b_.getInt64(1);
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    tensor.shape.push_back(field(extents, i * sizeof(int64_t), m_.i64()));
    tensor.count = b_.CreateMul(tensor.count, tensor.shape.back());
  }
  check_shape(buffer, tensor);
  check_strides(param, tensor);
  check_data(param, tensor, argument);
  pointers_[number] = b_.CreateGEP(m_.i8(), field(tensor.pointer, tensor_field::kData, m_.ptr()),
                                   field(tensor.pointer, tensor_field::kByteOffset, m_.i64()));
  tensors_.push_back(tensor);
}

// void tw.dtype_name(char* text /* 32 bytes */, uint32_t dlpack_type)
llvm::Function* ContractEmitter::dtype_name() {
  if (llvm::Function* known = m_.module->getFunction("tw.dtype_name")) return known;
  llvm::Function* function = m_.make_function(
      "tw.dtype_name", llvm::FunctionType::get(b_.getVoidTy(), {m_.ptr(), m_.i32()}, false));
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(m_.context, "entry", function));
  Value* word = function->getArg(1);
  constexpr uint64_t kNameBytes = 8;
  std::string names;
  for (const char* name : {"int", "uint", "float", "handle", "bfloat", "complex", "bool", "code"}) {
    names += fmt::format("{:{}}", name, kNameBytes);
  }
  for (char& c : names) c = c == ' ' ? '\0' : c;
  names.resize(names.size() - 1);
  Value* code = b.CreateAnd(word, 0xFF);
  Value* row = b.CreateSelect(b.CreateICmpULT(code, b.getInt32(7)), code, b.getInt32(7));
  Value* name = b.CreateGEP(m_.i8(), m_.text(names),
                            b.CreateMul(b.CreateZExt(row, m_.i64()), b.getInt64(kNameBytes)));
  Value* bits = b.CreateAnd(b.CreateLShr(word, 8), 0xFF);
  Value* lanes = b.CreateLShr(word, 16);
  Value* plain_bool = b.CreateICmpEQ(word, b.getInt32(dlpack_word(kBool)));
  Value* scalar = b.CreateICmpEQ(lanes, b.getInt32(1));
  Value* format = b.CreateSelect(scalar, m_.text("%s%u"), m_.text("%s%ux%u"));
  format = b.CreateSelect(plain_bool, m_.text("%s"), format);
  b.CreateCall(m_.snprintf(), {function->getArg(0), b.getInt64(32), format, name, bits, lanes});
  b.CreateRetVoid();
  return function;
}

void ContractEmitter::check_dtype(const ir::BufferNode& buffer, const Tensor& tensor) {
  if (has_fault(Fault::contract_skips_dtype)) return;
  Value* word = field(tensor.pointer, tensor_field::kDtype, m_.i32());
  Value* right = b_.CreateICmpEQ(word, b_.getInt32(dlpack_word(buffer.dtype)));
  e_.run_if(b_.CreateNot(right), [&] {
    Value* text = b_.CreateAlloca(llvm::ArrayType::get(m_.i8(), 32));
    b_.CreateCall(dtype_name(), {text, word});
    Text wrong = argument_text(buffer.name,
                               fmt::format("expected dtype {}, got %s", to_string(buffer.dtype)));
    wrong.arguments.push_back(text);
    e_.write_error_text(wrong);
    e_.return_status(b_.getInt32(TW_ERR_DTYPE));
  });
}

void ContractEmitter::add_numbers(Text& text, const std::vector<Value*>& numbers) {
  text.format += "(";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text.format += i == 0 ? "%lld" : ", %lld";
    text.arguments.push_back(numbers[i]);
  }
  text.format += numbers.size() == 1 ? ",)" : ")";
}

// (k=6, 5): what is expected, where `named` with the names of symbolic sizes.
void ContractEmitter::add_extents(Text& text, const std::vector<ir::Expr>& extents, bool named) {
  text.format += "(";
  for (size_t i = 0; i < extents.size(); ++i) {
    if (i > 0) text.format += ", ";
    if (const int64_t* constant = ir::as_const_int(extents[i])) {
      text.format += std::to_string(*constant);
      continue;
    }
    std::string expression;
    for (char c : size_text(extents[i])) expression += c == '%' ? "%%" : std::string(1, c);
    const bool known = is_bound(extents[i]);
    if (named || !known) text.format += expression;
    if (!known) continue;
    text.format += named ? "=%lld" : "%lld";
    text.arguments.push_back(e_.cast(e_.emit(extents[i]), extents[i].dtype(), kInt64));
  }
  text.format += extents.size() == 1 ? ",)" : ")";
}

void ContractEmitter::check_shape(const ir::BufferNode& buffer, Tensor& tensor) {
  // The text names what was known before this tensor; its own new sizes appear by name alone.
  Text wrong = argument_text(buffer.name, "expected shape ");
  add_extents(wrong, buffer.shape, true);
  wrong.format += ", got ";
  add_numbers(wrong, tensor.shape);
  Value* right = b_.getTrue();
  const auto also = [&](Value* condition) { right = b_.CreateAnd(right, condition); };
  bool complete = true;
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    const ir::Expr& extent = buffer.shape[i];
    also(b_.CreateICmpSGE(tensor.shape[i], b_.getInt64(0)));
    if (!is_bound(extent) && extent.as<ir::VarNode>()) {
      bind_size(extent, tensor.shape[i]);
      if (extent.dtype() != kInt64) {
        also(b_.CreateICmpEQ(e_.cast(e_.emit(extent), extent.dtype(), kInt64), tensor.shape[i]));
      }
    } else if (is_bound(extent)) {
      also(b_.CreateICmpEQ(e_.cast(e_.emit(extent), extent.dtype(), kInt64), tensor.shape[i]));
    } else {
      complete = false;
    }
  }
  if (!complete) deferred_.push_back(tensors_.size());
  require(right, TW_ERR_SHAPE, wrong);
}

llvm::Value* ContractEmitter::compact_stride(const Tensor& tensor, size_t dim) {
  Value* stride = b_.getInt64(1);
  for (size_t i = dim + 1; i < tensor.shape.size(); ++i) {
    stride = b_.CreateMul(stride, tensor.shape[i]);
  }
  return stride;
}

void ContractEmitter::check_strides(const ir::Param& param, Tensor& tensor) {
  const ir::BufferNode& buffer = *param.buffer;
  const size_t rank = tensor.shape.size();
  const bool any = param.strides_any && buffer.layout && buffer.layout->strides.size() == rank;
  if (rank == 0) return;
  Value* strides = field(tensor.pointer, tensor_field::kStrides, m_.ptr());
  Value* given = b_.CreateICmpNE(strides, llvm::ConstantPointerNull::get(m_.ptr()));
  std::vector<Value*> expected;
  for (size_t i = 0; i < rank; ++i) expected.push_back(compact_stride(tensor, i));
  if (!any) {
    Value* elements = b_.CreateICmpNE(tensor.count, b_.getInt64(0));
    e_.run_if(b_.CreateAnd(given, elements), [&] {
      std::vector<Value*> actual;
      Value* right = b_.getTrue();
      for (size_t i = 0; i < rank; ++i) {
        actual.push_back(field(strides, i * sizeof(int64_t), m_.i64()));
        Value* ignored = b_.CreateICmpSLE(tensor.shape[i], b_.getInt64(1));
        Value* same = b_.CreateICmpEQ(actual[i], expected[i]);
        right = b_.CreateAnd(right, b_.CreateOr(ignored, same));
      }
      Text wrong = argument_text(buffer.name, "expected compact strides ");
      add_numbers(wrong, expected);
      wrong.format += ", got ";
      add_numbers(wrong, actual);
      require(right, TW_ERR_STRIDE, wrong);
    });
    return;
  }
  // Null strides mean compact ones; read them from a copy on the stack then.
  Value* copy = b_.CreateAlloca(llvm::ArrayType::get(m_.i64(), rank));
  for (size_t i = 0; i < rank; ++i) {
    b_.CreateStore(expected[i], b_.CreateConstGEP1_64(m_.i64(), copy, i));
  }
  strides = b_.CreateSelect(given, strides, copy);
  std::vector<Value*> actual;
  for (size_t i = 0; i < rank; ++i) {
    actual.push_back(field(strides, i * sizeof(int64_t), m_.i64()));
    const ir::Expr& stride = buffer.layout->strides[i];
    if (stride.as<ir::VarNode>() && !is_bound(stride)) bind_size(stride, actual[i]);
  }
  Value* right = b_.CreateICmpEQ(tensor.count, b_.getInt64(0));
  Value* same = b_.getTrue();
  for (size_t i = 0; i < rank; ++i) {
    const ir::Expr& stride = buffer.layout->strides[i];
    Value* ignored = b_.CreateICmpSLE(tensor.shape[i], b_.getInt64(1));
    Value* equal = b_.CreateICmpEQ(actual[i], e_.cast(e_.emit(stride), stride.dtype(), kInt64));
    same = b_.CreateAnd(same, b_.CreateOr(ignored, equal));
  }
  Text wrong = argument_text(buffer.name, "expected strides ");
  add_extents(wrong, buffer.layout->strides, true);
  wrong.format += ", got ";
  add_numbers(wrong, actual);
  require(b_.CreateOr(right, same), TW_ERR_STRIDE, wrong);
  tensor.strides = std::move(actual);
}

void ContractEmitter::check_data(const ir::Param& param, Tensor& tensor, Value* argument) {
  const ir::BufferNode& buffer = *param.buffer;
  Value* empty = b_.CreateICmpEQ(tensor.count, b_.getInt64(0));
  Value* skipped = b_.CreateOr(empty, query_);
  Value* data = field(tensor.pointer, tensor_field::kData, m_.i64());
  require(b_.CreateOr(skipped, b_.CreateICmpNE(data, b_.getInt64(0))), TW_ERR_NULL,
          argument_text(buffer.name, "data pointer is null"));
  tensor.begin = b_.CreateAdd(data, field(tensor.pointer, tensor_field::kByteOffset, m_.i64()));
  const auto align = static_cast<uint64_t>(required_alignment(buffer));
  Value* low = b_.CreateAnd(tensor.begin, b_.getInt64(align - 1));
  require(b_.CreateOr(skipped, b_.CreateICmpEQ(low, b_.getInt64(0))), TW_ERR_ALIGNMENT,
          argument_text(buffer.name, fmt::format("expected data aligned to {} bytes", align)));
  if (param.role == ir::ParamRole::kOutput || param.role == ir::ParamRole::kInout) {
    Value* flags = field(argument, offsetof(tw_arg, flags), m_.i32());
    Value* read_only = b_.CreateICmpNE(b_.CreateAnd(flags, TW_ARG_READ_ONLY), b_.getInt32(0));
    require(b_.CreateOr(b_.CreateNot(read_only), query_), TW_ERR_READ_ONLY,
            argument_text(buffer.name, "is written, but the array is read-only"));
  }
  // The bytes between the lowest and the highest address.
  Value* bytes = b_.getInt64(static_cast<uint64_t>(buffer.dtype.bytes()));
  Value* begin = tensor.begin;
  Value* last = begin;
  for (size_t i = 0; i < tensor.strides.size(); ++i) {
    Value* steps = b_.CreateSub(tensor.shape[i], b_.getInt64(1));
    Value* reach = b_.CreateMul(b_.CreateMul(steps, tensor.strides[i]), bytes);
    Value* back = b_.CreateICmpSLT(reach, b_.getInt64(0));
    begin = b_.CreateAdd(begin, b_.CreateSelect(back, reach, b_.getInt64(0)));
    last = b_.CreateAdd(last, b_.CreateSelect(back, b_.getInt64(0), reach));
  }
  tensor.end = tensor.strides.empty() ? b_.CreateAdd(begin, b_.CreateMul(tensor.count, bytes))
                                      : b_.CreateAdd(last, bytes);
  tensor.end = b_.CreateSelect(empty, begin, tensor.end);
  tensor.begin = begin;
}

}  // namespace tilewright::codegen
