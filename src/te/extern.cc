#include "tilewright/te/extern.h"

#include <algorithm>
#include <utility>

#include "te/checks.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te {
namespace {

bool holds(const std::vector<ir::Buffer>& list, const ir::Buffer& buffer) {
  return std::any_of(list.begin(), list.end(),
                     [&](const ir::Buffer& other) { return other.same_as(buffer); });
}

ir::VarSet bound_in(const ir::Stmt& body) {
  ir::VarSet bound;
  ir::walk_stmts(body, [&](const ir::Stmt& stmt) {
    if (const auto* loop = stmt.as<ir::ForNode>()) bound.insert(loop->var);
    if (const auto* let = stmt.as<ir::LetStmtNode>()) bound.insert(let->var);
  });
  ir::walk_exprs(body, [&](const Expr& e) {
    if (const auto* let = e.as<ir::LetNode>()) bound.insert(let->var);
  });
  return bound;
}

class BodyCheck {
 public:
  explicit BodyCheck(const ExternOp& op) : op_(op), what_(fmt::format("extern '{}'", op.name)) {}

  void run() {
    check_statements();
    check_expressions();
    for (const ir::Buffer& output : op_.outputs) {
      if (holds(written_, output)) continue;
      fail("te.extern_body", "{} declares the output '{}' but never writes it", what_,
           output->name);
    }
  }

 private:
  void check_statements() {
    ir::walk_stmts(op_.body, [&](const ir::Stmt& stmt) {
      if (stmt.as<ir::BlockRealizeNode>() || stmt.as<ir::UpdateNode>()) {
        fail("te.extern_body",
             "{}: its body has a block; it is plain statements, and becomes one block itself",
             what_);
      }
      if (const auto* store = stmt.as<ir::StoreNode>()) write(store->buffer);
      const auto* effect = stmt.as<ir::EvaluateNode>();
      const auto* call = effect ? effect->value.as<ir::CallNode>() : nullptr;
      if (!call || call->intrinsic != ir::Intrinsic::kCallExtern) return;
      for (const Expr& arg : call->args) {
        const auto* place = arg.as<ir::LoadNode>();
        if (place && !holds(op_.inputs, place->buffer)) write(place->buffer);
      }
    });
  }

  void write(const ir::Buffer& buffer) {
    if (holds(op_.inputs, buffer)) {
      fail("te.extern_undeclared", "{} writes '{}', which it declares as an input", what_,
           buffer->name);
    }
    require_known(buffer, "writes");
    written_.push_back(buffer);
  }

  void require_known(const ir::Buffer& buffer, const char* how) {
    if (holds(op_.outputs, buffer) || holds(op_.temporaries, buffer) || holds(op_.inputs, buffer)) {
      return;
    }
    fail("te.extern_undeclared",
         "{} {} '{}', which is none of its inputs, outputs and temporaries; list it among the "
         "inputs",
         what_, how, buffer->name);
  }

  void check_expressions() {
    const ir::VarSet bound = bound_in(op_.body);
    ir::walk_exprs(op_.body, [&](const Expr& e) {
      if (const auto* load = e.as<ir::LoadNode>()) require_known(load->buffer, "reads");
      const auto* var = e.as<ir::VarNode>();
      if (!var || bound.count(e)) return;
      const VarDefinition* definition = definition_of(var);
      if (definition &&
          (definition->role == VarRole::kSize || definition->role == VarRole::kScalar)) {
        return;
      }
      fail("te.unbound_variable",
           "{}: {} '{}' is not bound there; use the variables of its loops, te::var for sizes and "
           "te::scalar for scalar arguments",
           what_, detail::role_name(var), var->name);
    });
  }

  const ExternOp& op_;
  const std::string what_;
  std::vector<ir::Buffer> written_;
};

ExternOp* declare(Ref<const Operation>& owner, std::vector<ExternOutput> outputs,
                  const std::vector<Tensor>& inputs, const std::string& name) {
  detail::check_name("an extern computation", name);
  const std::string what = fmt::format("extern '{}'", name);
  auto* op = new ExternOp(name);
  owner = Ref<const Operation>(op);
  if (outputs.empty()) fail("te.extern_body", "{} has no output", what);
  for (size_t v = 0; v < outputs.size(); ++v) {
    ExternOutput& out = outputs[v];
    if (out.name.empty()) out.name = outputs.size() == 1 ? name : fmt::format("{}_v{}", name, v);
    detail::check_name(what + ": an output", out.name);
    detail::check_dtype(what, out.dtype);
    out.shape = detail::checked_shape(what, std::move(out.shape));
    detail::check_size(what, out.shape, out.dtype);
    Ref<const RefCounted> definition(new InnerDefinition(op, static_cast<int64_t>(v)));
    op->outputs.push_back(ir::Buffer(new ir::BufferNode(
        out.name, out.dtype, out.shape, ir::Scope::kGlobal, {}, {}, 0, {}, std::move(definition))));
  }
  for (const Tensor& input : inputs) {
    if (!input.defined()) fail("te.null_tensor", "{}: an input is a null tensor", what);
    if (!holds(op->inputs, input.buffer())) op->inputs.push_back(input.buffer());
  }
  return op;
}

std::vector<Tensor> results_of(const ExternOp* op, const Ref<const Operation>& owner) {
  std::vector<Tensor> results;
  for (size_t v = 0; v < op->outputs.size(); ++v) {
    const ir::BufferNode& inner = *op->outputs[v];
    Ref<const RefCounted> definition(new TensorDefinition(owner, static_cast<int64_t>(v)));
    results.emplace_back(
        ir::Buffer(new ir::BufferNode(inner.name, inner.dtype, inner.shape, ir::Scope::kGlobal, {},
                                      {}, 0, {}, std::move(definition))));
  }
  return results;
}

}  // namespace

std::vector<Tensor> extern_op(std::vector<ExternOutput> outputs, std::vector<Tensor> inputs,
                              const ExternBody& body, std::string name) {
  Ref<const Operation> owner;
  ExternOp* op = declare(owner, std::move(outputs), inputs, name);
  ir::IRBuilder builder(name);
  std::vector<ir::Buffer> sources;
  for (const Tensor& input : inputs) sources.push_back(input.buffer());
  body(builder, sources, op->outputs);
  op->body = builder.take();
  op->temporaries = builder.temporaries();
  BodyCheck(*op).run();
  return results_of(op, owner);
}

std::vector<Tensor> extern_call(std::vector<ExternOutput> outputs, std::vector<Tensor> inputs,
                                std::string symbol, std::vector<Expr> sizes, std::string name) {
  detail::check_name("the symbol of an extern call", symbol);
  Ref<const Operation> owner;
  ExternOp* op = declare(owner, std::move(outputs), inputs, name);
  op->is_call = true;
  std::vector<Expr> args;
  const auto add_address = [&](const ir::Buffer& buffer) {
    args.push_back(
        ir::load(buffer, std::vector<Expr>(buffer->shape.size(), ir::make_int(kInt64, 0))));
  };
  for (const Tensor& input : inputs) add_address(input.buffer());
  for (const ir::Buffer& output : op->outputs) add_address(output);
  args.insert(args.end(), sizes.begin(), sizes.end());
  ir::IRBuilder builder(name);
  builder.call_extern(std::move(symbol), std::move(args));
  op->body = builder.take();
  BodyCheck(*op).run();
  return results_of(op, owner);
}

}  // namespace tilewright::te
