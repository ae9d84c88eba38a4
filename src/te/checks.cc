#include "te/checks.h"

#include <cctype>

#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te::detail {

void check_name(const std::string& what, const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  bool good = !name.empty() && letter(name[0]);
  for (unsigned char c : name) good = good && (letter(c) || std::isdigit(c));
  if (!good) {
    fail("te.bad_name",
         "{}: '{}' is not a name; use letters, digits and '_', not starting with a digit", what,
         name);
  }
}

void check_dtype(const std::string& what, DType dtype) {
  if (dtype.is_handle() || !dtype.is_scalar()) {
    fail("te.bad_dtype", "{}: dtype {} can't be stored in a tensor; use a scalar number type", what,
         to_string(dtype));
  }
}

const char* role_name(const ir::VarNode* var) {
  const VarDefinition* definition = definition_of(var);
  if (!definition) return "variable";
  switch (definition->role) {
    case VarRole::kSize: return "size";
    case VarRole::kScalar: return "scalar";
    case VarRole::kAxis: return "axis";
    case VarRole::kReduceAxis: return "reduce axis";
    case VarRole::kStep: return "step";
  }
  return "variable";
}

void check_assumption(const Expr& e) {
  if (!e.defined() || e.dtype() != kBool) {
    fail("te.bad_assumption", "an assumption is {}; write a condition over sizes, such as n >= 1",
         e.defined() ? fmt::format("{}, of dtype {}", shown(e), to_string(e.dtype())) : "null");
  }
  if (Expr other = non_size_part(e); other.defined()) {
    fail("te.bad_assumption", "assumption {} depends on {}; only sizes (te::var) are allowed",
         shown(e), shown(other));
  }
  if (ir::is_false(arith::Analyzer().simplify(e))) {
    fail("te.bad_assumption", "assumption {} never holds", shown(e));
  }
}

std::string shown(const Expr& e) {
  std::string text = ir::to_pretty(e);
  if (text.size() > 100) text = text.substr(0, 97) + "...";
  return text;
}

std::string shown(const std::vector<Expr>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + shown(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Expr as_int64(const std::string& code, const std::string& what, const Expr& e) {
  if (!e.defined()) fail(code, "{}: the expression is missing (null)", what);
  if (!e.dtype().is_integer() || !e.dtype().is_scalar()) {
    fail(code, "{}: {} has dtype {}, an integer is needed; convert it with cast(int64, ...)", what,
         shown(e), to_string(e.dtype()));
  }
  return ir::cast(kInt64, e);
}

Expr non_size_part(const Expr& e) {
  Expr found;
  ir::walk_exprs(e, [&](const Expr& sub) {
    if (found.defined()) return;
    if (const auto* var = sub.as<ir::VarNode>()) {
      const VarDefinition* definition = definition_of(var);
      if (!definition || definition->role != VarRole::kSize) found = sub;
    } else if (sub.as<ir::LoadNode>() || sub.as<ir::ReduceNode>()) {
      found = sub;
    }
  });
  return found;
}

std::vector<Expr> checked_shape(const std::string& what, std::vector<Expr> shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::string dim = fmt::format("{}: dimension {} of the shape", what, d);
    shape[d] = as_int64("te.bad_shape", dim, shape[d]);
    if (const int64_t* extent = ir::as_const_int(shape[d]); extent && *extent < 0) {
      fail("te.bad_shape", "{} is {}; an extent is 0 or more", dim, *extent);
    }
    if (Expr other = non_size_part(shape[d]); other.defined()) {
      const auto* var = other.as<ir::VarNode>();
      fail("te.bad_shape", "{}, {}, depends on {}{}; a shape holds constants and sizes (te::var)",
           dim, shown(shape[d]), var ? std::string(role_name(var)) + " " : "", shown(other));
    }
  }
  return shape;
}

void check_size(const std::string& what, const std::vector<Expr>& shape, DType dtype) {
  for (const Expr& extent : shape) {
    if (ir::is_const_int(extent, 0)) return;
  }
  int64_t bytes = dtype.bytes();
  for (const Expr& extent : shape) {
    const int64_t* value = ir::as_const_int(extent);
    if (value && __builtin_mul_overflow(bytes, *value, &bytes)) {
      fail("te.shape_overflow", "{}: shape {} of {} needs more than 2^63 bytes", what, shown(shape),
           to_string(dtype));
    }
  }
}

void bind_sizes(arith::Analyzer& analyzer, const Expr& expr) {
  for (const Var& var : ir::free_vars(expr)) {
    const VarDefinition* definition = definition_of(var.node());
    if (definition && definition->role == VarRole::kSize) {
      analyzer.assume(var >= ir::make_int(kInt64, 0));
    }
  }
}

}  // namespace tilewright::te::detail
