#include <algorithm>

#include "ir/ops_util.h"

namespace tilewright::ir {

using namespace detail;

namespace {

// Checks and normalises the indices of an access; gives the lanes of the access.
int check_indices(const char* what, const Buffer& buffer, std::vector<Expr>& indices) {
  if (!buffer) fail("ir.null_expr", "{}: the buffer is missing", what);
  // One index into any buffer is a flat offset (level flat).
  if (indices.size() != buffer->shape.size() && indices.size() != 1) {
    fail("ir.rank", "{}: {} has {} dimension(s) but {} index(es) were given", what, buffer->name,
         buffer->rank(), indices.size());
  }
  int lanes = 1;
  for (Expr& index : indices) {
    index = as_index(fmt::format("{} of {}: index", what, buffer->name), std::move(index));
    lanes = std::max<int>(lanes, index.dtype().lanes);
  }
  for (const Expr& index : indices) {
    if (index.dtype().lanes != 1 && index.dtype().lanes != lanes) {
      fail("ir.dtype", "{} of {}: index {} has {} lanes where another has {}", what, buffer->name,
           shown(index), index.dtype().lanes, lanes);
    }
  }
  return lanes;
}

}  // namespace

Expr load(const Buffer& buffer, std::vector<Expr> indices) {
  const int lanes = check_indices("load", buffer, indices);
  return Expr(new LoadNode(buffer->dtype.with_lanes(lanes), buffer, std::move(indices)));
}

Stmt store(const Buffer& buffer, std::vector<Expr> indices, Expr value, Expr predicate) {
  const int lanes = check_indices("store", buffer, indices);
  const std::string what = "store to " + buffer->name;
  require(value, what);
  if (Expr adapted = adapt_literal(value, buffer->dtype); adapted.defined()) value = adapted;
  if (value.dtype().element() != buffer->dtype) {
    fail("ir.dtype", "{}: the buffer is {} but the value is {}; use cast({}, ...)", what,
         to_string(buffer->dtype), shown(value), to_string(buffer->dtype));
  }
  value = with_lanes(what, std::move(value), lanes);
  if (predicate.defined()) {
    if (!predicate.dtype().is_bool()) {
      fail("ir.dtype", "{}: the predicate must be bool, got {}", what, shown(predicate));
    }
    predicate = with_lanes(what, std::move(predicate), lanes);
  }
  return Stmt(new StoreNode(buffer, std::move(indices), std::move(value), std::move(predicate)));
}

namespace {

void flatten_into(std::vector<Stmt>& out, std::vector<Stmt> stmts) {
  for (Stmt& stmt : stmts) {
    if (const SeqNode* inner = stmt.as<SeqNode>()) {
      flatten_into(out, inner->stmts);
    } else if (stmt) {
      out.push_back(std::move(stmt));
    }
  }
}

}  // namespace

Stmt seq(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  flatten_into(flat, std::move(stmts));
  if (flat.size() == 1) return flat[0];
  return Stmt(new SeqNode(std::move(flat)));
}

Stmt nop() { return Stmt(new SeqNode({})); }

Stmt if_then(Expr condition, Stmt then_body, Stmt else_body) {
  require(condition, "if");
  if (condition.dtype() != kBool) {
    fail("ir.dtype", "if: the condition must be a scalar bool, got {}", shown(condition));
  }
  if (is_true(condition)) return then_body;
  if (is_false(condition)) return else_body ? else_body : nop();
  return Stmt(new IfNode(std::move(condition), std::move(then_body), std::move(else_body)));
}

Stmt let_stmt(const Var& var, Expr value, Stmt body) {
  require(value, "let");
  if (Expr adapted = adapt_literal(value, var.dtype().element()); adapted.defined()) {
    value = with_lanes("let", std::move(adapted), var.dtype().lanes);
  }
  if (value.dtype() != var.dtype()) {
    fail("ir.dtype", "let: variable {} is {} but its value is {}", var.name(),
         to_string(var.dtype()), shown(value));
  }
  return Stmt(new LetStmtNode(var, std::move(value), std::move(body)));
}

Stmt evaluate(Expr value) {
  require(value, "evaluate");
  return Stmt(new EvaluateNode(std::move(value)));
}

Stmt make_for(int64_t id, const Var& var, Expr extent, Stmt body, ForKind kind, Attrs annotations,
              ThreadAxis thread) {
  const std::string what = "loop " + var.name();
  require(extent, what);
  if (!var.dtype().is_int() || !extent.dtype().is_integer() || !extent.dtype().is_scalar()) {
    fail("ir.dtype", "{}: variable and extent must be scalar integers, got {} and {}", what,
         to_string(var.dtype()), shown(extent));
  }
  extent = cast(var.dtype(), std::move(extent));
  return Stmt(new ForNode(id, var, std::move(extent), kind, thread, std::move(annotations),
                          std::move(body)));
}

Buffer make_buffer(std::string name, DType dtype, std::vector<Expr> shape, Scope scope) {
  if (!dtype.is_scalar() || dtype.is_handle()) {
    fail("ir.dtype", "buffer {}: elements cannot have dtype {}", name, to_string(dtype));
  }
  for (Expr& extent : shape) extent = as_index("shape of " + name, std::move(extent));
  return Buffer(new BufferNode(std::move(name), dtype, std::move(shape), scope));
}

PrimFunc with_body(const PrimFunc& func, Stmt body, Level level) {
  return PrimFunc(new PrimFuncNode(func->name, func->params, func->assumptions, func->allocs,
                                   std::move(body), level, func->attrs));
}

PrimFunc with_body(const PrimFunc& func, Stmt body) {
  return with_body(func, std::move(body), func->level);
}

PrimFunc with_allocs(const PrimFunc& func, std::vector<Buffer> allocs) {
  return PrimFunc(new PrimFuncNode(func->name, func->params, func->assumptions, std::move(allocs),
                                   func->body, func->level, func->attrs));
}

Stmt with_body(const ForNode* loop, Stmt body) {
  return Stmt(new ForNode(loop->id, loop->var, loop->extent, loop->for_kind, loop->thread,
                          loop->annotations, std::move(body)));
}

}  // namespace tilewright::ir
