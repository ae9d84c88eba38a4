#include "schedule/instruction_check.h"

#include <cmath>
#include <cstring>

#include "schedule/rewrite.h"
#include "schedule/tree.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/half.h"
#include "tilewright/support/rng.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr int kRounds = 12;
constexpr int64_t kMostElements = int64_t{1} << 22;

template <typename... Args>
[[noreturn]] void malformed(const TensorInstruction& instruction,
                            fmt::format_string<Args...> format, Args&&... args) {
  fail("schedule.instruction.malformed", "instruction '{}': {}", instruction.name,
       fmt::format(format, std::forward<Args>(args)...));
}

bool writes(const ParamRole role) {
  return role == ParamRole::kOutput || role == ParamRole::kInout;
}

// "'A' (float32[4, 8], read)"
std::string described(const Param& param) {
  std::string shape;
  for (const Expr& extent : param.buffer->shape) {
    shape += (shape.empty() ? "" : ", ") + to_pretty(extent);
  }
  return fmt::format("'{}' ({}[{}], {})", param.buffer->name, to_string(param.buffer->dtype), shape,
                     writes(param.role) ? "written" : "read");
}

void check_params(const TensorInstruction& instruction) {
  const auto& a = instruction.reference->params;
  const auto& b = instruction.implementation->params;
  if (a.size() != b.size()) {
    malformed(instruction, "the reference has {} parameters, the implementation {}", a.size(),
              b.size());
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].buffer || !b[i].buffer) {
      malformed(instruction, "parameter {} is no buffer; only buffers can be passed", i);
    }
    const Buffer &x = a[i].buffer, &y = b[i].buffer;
    bool same =
        x->dtype == y->dtype && x->rank() == y->rank() && writes(a[i].role) == writes(b[i].role);
    int64_t elements = 1;
    for (int d = 0; same && d < x->rank(); ++d) {
      const int64_t *m = as_const_int(x->shape[d]), *n = as_const_int(y->shape[d]);
      same = m && n && *m == *n && *m >= 1 && *m <= kMostElements;
      if (same) elements *= *m;
      same = same && elements <= kMostElements;
    }
    if (!same) {
      malformed(instruction,
                "{} of the reference and {} of the implementation must agree in dtype, in being "
                "read or written and in shape, which is constant",
                described(a[i]), described(b[i]));
    }
  }
}

void check_reference(const TensorInstruction& instruction) {
  const PrimFunc& func = instruction.reference;
  const Tree tree(func);
  const auto blocks = tree.blocks_under(-1);
  if (blocks.size() != 1 || blocks[0]->block->block_kind != BlockKind::kCompute ||
      !blocks[0]->guard.empty() || blocks[0]->block->where.defined()) {
    malformed(instruction, "the reference must be one nest around one block without conditions");
  }
  for (const ForNode* loop : tree.loops()) {
    if (!as_const_int(loop->extent)) {
      malformed(instruction, "the extent of loop '{}' of the reference is not constant",
                loop->var.name());
    }
  }
  if (accumulates(instruction) && !blocks[0]->block->reducer) {
    malformed(instruction, "it accumulates (a result is inout), but the reference is no reduction");
  }
  for (const Param& param : func->params) {
    const auto region =
        arith::accessed_region(arith::Analyzer(), func->body, param.buffer, true, true);
    bool whole = region.has_value();
    for (int d = 0; whole && d < param.buffer->rank(); ++d) {
      whole = is_const_int(region->ranges[d].min, 0) &&
              structural_equal(region->ranges[d].extent, param.buffer->shape[d]);
    }
    if (!whole) {
      malformed(instruction,
                "the reference does not access every element of '{}', so the implementation might "
                "access elements that a program does not have",
                param.buffer->name);
    }
  }
}

void check_implementation(const TensorInstruction& instruction) {
  const PrimFunc& func = instruction.implementation;
  Reducer reducer;
  walk_stmts(func->body, [&](const Stmt& stmt) {
    if (const auto* loop = stmt.as<ForNode>()) {
      if (loop->for_kind == ForKind::kParallel || loop->for_kind == ForKind::kThread) {
        malformed(instruction, "loop '{}' of the implementation runs on several threads",
                  loop->var.name());
      }
    }
    const auto* update = stmt.as<UpdateNode>();
    if (!update) return;
    if (reducer && !structural_equal(reducer, update->reducer)) {
      malformed(instruction, "the implementation updates by more than one reducer");
    }
    reducer = update->reducer;
  });
}

struct Tensor {
  std::vector<uint8_t> data;
  std::vector<int64_t> shape;
};

void put(uint8_t* to, DType dtype, int64_t value) {
  if (dtype.is_bfloat16() || (dtype.is_float() && dtype.bits == 16)) {
    const double number = static_cast<double>(value);
    const uint16_t bits = dtype.is_bfloat16() ? bfloat16_bits(number) : float16_bits(number);
    std::memcpy(to, &bits, sizeof bits);
  } else if (dtype.is_float() && dtype.bits == 32) {
    const float number = static_cast<float>(value);
    std::memcpy(to, &number, sizeof number);
  } else if (dtype.is_float()) {
    const double number = static_cast<double>(value);
    std::memcpy(to, &number, sizeof number);
  } else {
    std::memcpy(to, &value, static_cast<size_t>(dtype.bytes()));
  }
}

double get(const uint8_t* from, DType dtype) {
  if (dtype.is_bfloat16() || (dtype.is_float() && dtype.bits == 16)) {
    uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return dtype.is_bfloat16() ? bfloat16_value(bits) : float16_value(bits);
  }
  if (dtype.is_float() && dtype.bits == 32) {
    float number = 0;
    std::memcpy(&number, from, sizeof number);
    return number;
  }
  if (dtype.is_float()) {
    double number = 0;
    std::memcpy(&number, from, sizeof number);
    return number;
  }
  int64_t value = 0;
  std::memcpy(&value, from, static_cast<size_t>(dtype.bytes()));
  const int unused = 64 - dtype.bits;
  if (dtype.is_int())
    value = static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
  return dtype.is_uint() ? static_cast<double>(static_cast<uint64_t>(value))
                         : static_cast<double>(value);
}

// Small integers, which floats add and multiply exactly; in every second round integers of the whole range.
std::vector<Tensor> random_arguments(const PrimFunc& func, Rng& rng, bool whole_range) {
  std::vector<Tensor> result;
  for (const Param& param : func->params) {
    const DType dtype = param.buffer->dtype;
    Tensor tensor;
    size_t elements = 1;
    for (const Expr& extent : param.buffer->shape) {
      tensor.shape.push_back(*as_const_int(extent));
      elements *= static_cast<size_t>(tensor.shape.back());
    }
    const size_t bytes = static_cast<size_t>(dtype.bytes());
    tensor.data.resize(elements * bytes);
    for (size_t i = 0; i < elements; ++i) {
      int64_t value = rng.between(dtype.is_uint() ? 0 : -8, 8);
      if (dtype.is_integer() && whole_range) value = static_cast<int64_t>(rng.next());
      if (dtype.is_bool()) value = static_cast<int64_t>(rng.below(2));
      put(&tensor.data[i * bytes], dtype, value);
    }
    result.push_back(std::move(tensor));
  }
  return result;
}

void run(const PrimFunc& func, std::vector<Tensor>& tensors) {
  std::vector<InterpArg> args;
  for (Tensor& tensor : tensors) {
    InterpArg arg;
    arg.tensor = {tensor.data.data(), tensor.shape};
    args.push_back(arg);
  }
  interpret(func, args);
}

std::string place_of(const Tensor& tensor, size_t element) {
  std::string text;
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    const size_t extent = static_cast<size_t>(tensor.shape[d]);
    text = fmt::format("{}{}{}", element % extent, text.empty() ? "" : ", ", text);
    element /= extent;
  }
  return text;
}

void compare(const TensorInstruction& instruction, const std::vector<Tensor>& wanted,
             const std::vector<Tensor>& got) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Buffer& buffer = instruction.reference->params[i].buffer;
    const size_t bytes = static_cast<size_t>(buffer->dtype.bytes());
    for (size_t e = 0; e * bytes < wanted[i].data.size(); ++e) {
      const uint8_t *a = &wanted[i].data[e * bytes], *b = &got[i].data[e * bytes];
      const double x = get(a, buffer->dtype), y = get(b, buffer->dtype);
      const bool same = buffer->dtype.is_float() ? x == y || (std::isnan(x) && std::isnan(y))
                                                 : std::memcmp(a, b, bytes) == 0;
      if (same) continue;
      fail("schedule.instruction.mismatch",
           "instruction '{}': on random integers the reference gives {}[{}] = {}, the "
           "implementation {}; one of them does not do what is meant",
           instruction.name, buffer->name, place_of(wanted[i], e), x, y);
    }
  }
}

void execute(const TensorInstruction& instruction) {
  const PrimFunc reference = matched_reference(instruction);
  Rng rng(0x7e57);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Tensor> wanted = random_arguments(reference, rng, round % 2 == 1);
    std::vector<Tensor> got = wanted;
    run(reference, wanted);
    try {
      run(instruction.implementation, got);
    } catch (const Error& error) {
      if (error.code() == "interp.unsupported") return;
      malformed(instruction, "the implementation does not run: {}", error.what());
    }
    compare(instruction, wanted, got);
  }
}

}  // namespace

bool accumulates(const TensorInstruction& instruction) {
  for (const Param& param : instruction.implementation->params) {
    if (param.role == ParamRole::kInout) return true;
  }
  return false;
}

PrimFunc matched_reference(const TensorInstruction& instruction) {
  const PrimFunc& f = instruction.reference;
  if (!accumulates(instruction)) return f;
  Stmt body = map_blocks(f->body, [](const BlockRealizeNode& realize, const Stmt&) {
    return with_block(realize, with_body(realize.block, Stmt(), realize.block->body));
  });
  std::vector<Param> params = f->params;
  for (Param& param : params) {
    if (param.role == ParamRole::kOutput) param.role = ParamRole::kInout;
  }
  return PrimFunc(new PrimFuncNode(f->name, std::move(params), f->assumptions, f->allocs, body,
                                   f->level, f->attrs));
}

void check_instruction(const TensorInstruction& instruction) {
  if (instruction.name.empty()) malformed(instruction, "it has no name");
  for (const PrimFunc& func : {instruction.reference, instruction.implementation}) {
    if (!func) malformed(instruction, "reference and implementation must both be given");
    if (func->level != Level::kScheduled) {
      malformed(instruction, "function '{}' is at level {}, not {}", func->name,
                spelling(func->level), spelling(Level::kScheduled));
    }
    if (!func->allocs.empty()) {
      malformed(instruction, "function '{}' has the buffer '{}' of its own", func->name,
                func->allocs[0]->name);
    }
    const std::vector<std::string> faults = verify(func);
    if (!faults.empty()) malformed(instruction, "'{}' is no program: {}", func->name, faults[0]);
  }
  check_params(instruction);
  check_reference(instruction);
  check_implementation(instruction);
  execute(instruction);
}

}  // namespace tilewright::schedule
