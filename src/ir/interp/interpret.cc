#include <algorithm>

#include "ir/interp/compiler.h"
#include "ir/interp/machine.h"
#include "ir/scalar.h"
#include "tilewright/ir/interpreter.h"

namespace tilewright::ir {
namespace {

using interp::BufferState;
using interp::Cell;
using interp::LaneState;
using interp::Machine;
using interp::ParamInfo;
using interp::Program;

Cell scalar_cell(const InterpArg& arg, DType dtype) {
  if (!dtype.is_float()) return Cell::of(scalar::wrap(dtype, arg.int_value));
  if (dtype.bits == 64) return Cell::of(arg.float_value);
  return Cell::of(static_cast<float>(scalar::round_to(dtype, arg.float_value)));
}

void bind_tensor(const Program& program, const ParamInfo& param, const InterpTensor& tensor,
                 BufferState& buffer, LaneState& lane) {
  interp::set_shape(buffer, tensor.shape);
  const bool is_flattened = buffer.decl->flat && param.rank == 1;
  if (tensor.shape.size() != param.rank) {
    if (!is_flattened) {
      fail("interp.argument", "argument '{}' of '{}' has shape {}, but must have {} dimensions",
           param.name, program.name, interp::list_text(tensor.shape), param.rank);
    }
    interp::set_shape(buffer, {buffer.count});
  }
  if (!tensor.data && buffer.count > 0) {
    fail("interp.argument", "argument '{}' of '{}' has no data", param.name, program.name);
  }
  buffer.data = static_cast<std::byte*>(tensor.data);
  if (buffer.track_written) buffer.written.assign(static_cast<size_t>(buffer.count), 0);
  for (const auto& [dim, reg] : param.binds) lane.registers[reg] = Cell::of(buffer.shape[dim]);
}

void bind_arguments(const Program& program, const std::vector<InterpArg>& args, Machine& machine,
                    LaneState& lane) {
  std::string names;
  size_t expected = 0;
  for (const ParamInfo& param : program.params) {
    if (param.role == ParamRole::kShape) continue;
    names += (expected++ ? ", " : "") + param.name;
  }
  if (args.size() != expected) {
    fail("interp.argument", "'{}' takes {} arguments ({}), not {}", program.name, expected, names,
         args.size());
  }
  size_t next = 0;
  for (const ParamInfo& param : program.params) {
    if (param.role == ParamRole::kShape) continue;
    const InterpArg& arg = args[next++];
    if (param.buffer < 0) {
      lane.registers[param.var.reg] = scalar_cell(arg, param.var.dtype);
    } else {
      bind_tensor(program, param, arg.tensor, machine.buffer(param.buffer), lane);
    }
  }
}

}  // namespace

void interpret(const PrimFunc& func, const std::vector<InterpArg>& args,
               const InterpOptions& options) {
  const Program program = interp::Compiler(options).compile(func);
  Machine machine(program, options);
  LaneState lane = machine.make_lane();
  bind_arguments(program, args, machine, lane);
  if (machine.run(lane) == interp::Stop::kBarrier) {
    fail(
        "interp.unsupported",
        "'{}' has a barrier, which needs threads that run together; serial interpretation runs one "
        "after the other (interpret the program before its barriers were inserted)",
        program.name);
  }
}

namespace {

using Bindings = std::vector<std::pair<Var, int64_t>>;

// Integer expressions are walked directly, which is far cheaper than compiling a program to run once.
class Evaluator {
 public:
  explicit Evaluator(const Bindings& values) : values_(values) {}

  int64_t eval(const Expr& e) {
    switch (e->kind) {
      case NodeKind::kIntImm: return static_cast<const IntImmNode&>(*e).value;
      case NodeKind::kVar: return lookup(static_cast<const VarNode&>(*e));
      case NodeKind::kBinary: return eval(static_cast<const BinaryNode&>(*e), e);
      case NodeKind::kUnary: return eval(static_cast<const UnaryNode&>(*e));
      case NodeKind::kCast: {
        const auto& node = static_cast<const CastNode&>(*e);
        if (node.value.dtype().is_float() || e.dtype().is_float()) break;
        return scalar::wrap(e.dtype(), eval(node.value));
      }
      case NodeKind::kSelect: {
        const auto& node = static_cast<const SelectNode&>(*e);
        return eval(node.condition) ? eval(node.true_value) : eval(node.false_value);
      }
      case NodeKind::kIfThenElse: {
        const auto& node = static_cast<const IfThenElseNode&>(*e);
        return eval(node.condition) ? eval(node.true_value) : eval(node.false_value);
      }
      default: break;
    }
    return run(e);
  }

 private:
  int64_t lookup(const VarNode& var) const {
    for (const auto& [bound, value] : values_) {
      if (bound.get() == &var) return scalar::wrap(var.dtype, value);
    }
    fail("interp.argument", "variable '{}' has no value", var.name);
  }

  int64_t eval(const UnaryNode& node) {
    const int64_t a = eval(node.a);
    switch (node.op) {
      case UnaryOp::kNot: return !a;
      case UnaryOp::kBitNot: return scalar::wrap(node.dtype, ~a);
      case UnaryOp::kNeg: break;
    }
    return scalar::wrap(node.dtype, static_cast<int64_t>(0 - static_cast<uint64_t>(a)));
  }

  int64_t eval(const BinaryNode& node, const Expr& self) {
    const DType type = node.a.dtype();
    if (type.is_float()) return run(self);
    const int64_t a = eval(node.a);
    const int64_t b = eval(node.b);
    const uint64_t ua = static_cast<uint64_t>(a);
    const uint64_t ub = static_cast<uint64_t>(b);
    const auto wrapped = [&](uint64_t v) { return scalar::wrap(type, static_cast<int64_t>(v)); };
    switch (node.op) {
      case BinaryOp::kAdd: return wrapped(ua + ub);
      case BinaryOp::kSub: return wrapped(ua - ub);
      case BinaryOp::kMul: return wrapped(ua * ub);
      case BinaryOp::kFloorDiv: return wrapped(scalar::floor_div(type, a, b));
      case BinaryOp::kFloorMod: return scalar::floor_mod(type, a, b);
      case BinaryOp::kTruncDiv: return wrapped(scalar::trunc_div(type, a, b));
      case BinaryOp::kTruncMod: return scalar::trunc_mod(type, a, b);
      case BinaryOp::kMin: return scalar::less(type, a, b) ? a : b;
      case BinaryOp::kMax: return scalar::less(type, a, b) ? b : a;
      case BinaryOp::kAnd:
      case BinaryOp::kBitAnd: return a & b;
      case BinaryOp::kOr:
      case BinaryOp::kBitOr: return a | b;
      case BinaryOp::kBitXor: return a ^ b;
      case BinaryOp::kEq: return a == b;
      case BinaryOp::kNe: return a != b;
      case BinaryOp::kLt: return scalar::less(type, a, b);
      case BinaryOp::kLe: return !scalar::less(type, b, a);
      case BinaryOp::kGt: return scalar::less(type, b, a);
      case BinaryOp::kGe: return !scalar::less(type, a, b);
      default: return run(self);
    }
  }

  int64_t run(const Expr& e) const {
    if (e.dtype().is_float() || e.dtype().lanes != 1) {
      fail("interp.argument", "evaluate_int of an expression of dtype {}", to_string(e.dtype()));
    }
    std::vector<Var> vars;
    for (const auto& entry : values_) vars.push_back(entry.first);
    const InterpOptions options;
    const Program program = interp::Compiler(options).compile(e, vars);
    Machine machine(program, options);
    LaneState lane = machine.make_lane();
    for (size_t i = 0; i < values_.size(); ++i) {
      const DType type = values_[i].first.dtype();
      lane.registers[i] = Cell::of(scalar::wrap(type, values_[i].second));
    }
    machine.run(lane);
    return lane.registers[program.result.reg].get<int64_t>();
  }

  const Bindings& values_;
};

}  // namespace

int64_t evaluate_int(const Expr& expr, const std::vector<std::pair<Var, int64_t>>& values) {
  if (expr.dtype().lanes != 1) {
    fail("interp.argument", "evaluate_int of an expression of dtype {}", to_string(expr.dtype()));
  }
  return Evaluator(values).eval(expr);
}

}  // namespace tilewright::ir
