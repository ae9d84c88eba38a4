#include "codegen/size_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/support/error.h"

namespace tilewright::codegen {
namespace {

using ir::BinaryOp;

// Binding strength in the notation of manifests; 0 for what is written as a call.
int strength(BinaryOp op) {
  switch (op) {
    case BinaryOp::kMin:
    case BinaryOp::kMax: return 0;
    case BinaryOp::kMul:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod: return 5;
    case BinaryOp::kAdd:
    case BinaryOp::kSub: return 4;
    case BinaryOp::kAnd: return 2;
    case BinaryOp::kOr: return 1;
    default: break;
  }
  if (ir::is_comparison(op)) return 3;
  fail("codegen.size_expression", "a size may not use the operator '{}'", ir::spelling(op));
}

const char* symbol(BinaryOp op) {
  if (op == BinaryOp::kFloorDiv) return "//";
  if (op == BinaryOp::kFloorMod) return "%";
  return ir::spelling(op);
}

std::string text_of(const ir::Expr& expr, int around) {
  if (const auto* imm = expr.as<ir::IntImmNode>()) {
    if (expr.dtype().is_bool()) return imm->value ? "true" : "false";
    return std::to_string(imm->value);
  }
  if (const auto* var = expr.as<ir::VarNode>()) return var->name;
  if (const auto* cast = expr.as<ir::CastNode>()) return text_of(cast->value, around);
  if (const auto* unary = expr.as<ir::UnaryNode>()) {
    return fmt::format("{}{}", unary->op == ir::UnaryOp::kNeg ? "-" : "!", text_of(unary->a, 6));
  }
  const auto* node = expr.as<ir::BinaryNode>();
  if (!node) fail("codegen.size_expression", "a size may use only integer arithmetic");
  const int own = strength(node->op);
  if (own == 0) {
    return fmt::format("{}({}, {})", node->op == BinaryOp::kMin ? "min" : "max",
                       text_of(node->a, 0), text_of(node->b, 0));
  }
  const std::string text =
      fmt::format("{} {} {}", text_of(node->a, own), symbol(node->op), text_of(node->b, own + 1));
  return own < around ? "(" + text + ")" : text;
}

}  // namespace

std::string size_text(const ir::Expr& expr) { return text_of(expr, 0); }

const std::string& param_name(const ir::Param& param) {
  return param.buffer ? param.buffer->name : param.var.name();
}

int64_t required_alignment(const ir::BufferNode& buffer) {
  return std::max<int64_t>(buffer.align, buffer.dtype.bytes());
}

}  // namespace tilewright::codegen
