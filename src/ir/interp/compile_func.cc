#include <algorithm>

#include "ir/interp/compiler.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::ir::interp {
namespace {

using InitMap = std::unordered_map<const Node*, std::vector<Stmt>>;

// Finds for each block with an init the statement its init nest goes before.
class InitPlacer final : public Visitor {
 public:
  InitPlacer(InitMap& inits, int64_t next_id) : inits_(inits), next_id_(next_id) {}

 protected:
  using Visitor::visit_node;

  void visit_node(const ForNode& node) override {
    loops_.push_back(&node);
    visit_children(node);
    loops_.pop_back();
  }

  void visit_node(const BlockRealizeNode& node) override {
    if (node.block->init) {
      const size_t first = outermost_reduce_loop(loops_, node);
      const std::vector<const ForNode*> path(loops_.begin() + static_cast<ptrdiff_t>(first),
                                             loops_.end());
      const Node* place = path.empty() ? static_cast<const Node*>(&node) : path.front();
      inits_[place].push_back(make_init_nest(path, node, [this] { return next_id_++; }));
    }
    visit_children(node);
  }

 private:
  InitMap& inits_;
  int64_t next_id_;
  std::vector<const ForNode*> loops_;
};

}  // namespace

uint32_t Compiler::declare_buffer(const Buffer& buffer, bool starts_unset) {
  if (buffer->dtype.lanes != 1) {
    malformed(
        fmt::format("buffer '{}' of vector dtype {}", buffer->name, to_string(buffer->dtype)));
  }
  BufferDecl decl;
  decl.name = buffer->name;
  decl.dtype = buffer->dtype;
  decl.storage = storage_of(buffer->dtype);
  decl.flat = flat_;
  decl.starts_unset = starts_unset;
  program_.buffers.push_back(std::move(decl));
  const auto index = static_cast<uint32_t>(program_.buffers.size() - 1);
  live_buffers_[buffer.get()] = index;
  return index;
}

// The extents are evaluated where the buffer begins to live.
uint32_t Compiler::emit_alloc(const Buffer& buffer) {
  Alloc alloc;
  for (const Expr& extent : buffer->shape) alloc.extents.push_back(expr(extent));
  alloc.buffer = declare_buffer(buffer, true);
  program_.allocs.push_back(std::move(alloc));
  emit(Op::kAlloc, 1, 0, 0, 0, static_cast<uint32_t>(program_.allocs.size() - 1));
  return program_.allocs.back().buffer;
}

// `open` holds the shape variables that have no value yet.
void Compiler::bind_shape_vars(ParamInfo& info, const Buffer& buffer,
                               std::unordered_set<const Node*>& open) {
  for (size_t d = 0; d < buffer->shape.size(); ++d) {
    const Node* extent = buffer->shape[d].get();
    if (!open.erase(extent)) continue;
    info.binds.emplace_back(static_cast<uint32_t>(d), registers_.at(extent));
  }
}

void Compiler::declare_params(const PrimFunc& func) {
  std::unordered_set<const Node*> open;
  for (const Param& param : func->params) {
    if (!param.var) continue;
    bind(param.var, allocate(1));
    if (param.role == ParamRole::kShape) open.insert(param.var.get());
  }
  for (const Param& param : func->params) {
    ParamInfo info;
    info.role = param.role;
    if (param.buffer) {
      info.name = param.buffer->name;
      info.rank = static_cast<uint32_t>(param.buffer->shape.size());
      const bool unset = param.role == ParamRole::kOutput && param.alias_of < 0;
      info.buffer = static_cast<int32_t>(declare_buffer(param.buffer, unset));
      bind_shape_vars(info, param.buffer, open);
    } else {
      info.name = param.var.name();
      info.var = {registers_.at(param.var.get()), param.var.dtype()};
    }
    program_.params.push_back(std::move(info));
  }
  for (const Param& param : func->params) {
    if (param.var && open.count(param.var.get())) {
      malformed(fmt::format("no tensor parameter has shape variable '{}' as an extent",
                            param.var.name()));
    }
  }
}

void Compiler::check_shapes(const PrimFunc& func) {
  for (size_t p = 0; p < func->params.size(); ++p) {
    const Buffer& buffer = func->params[p].buffer;
    if (!buffer) continue;
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      const Temporaries scope(*this);
      DimCheck check;
      check.expected = expr(buffer->shape[d]);
      check.buffer = static_cast<uint32_t>(program_.params[p].buffer);
      check.dim = static_cast<uint32_t>(d);
      check.text = to_pretty(buffer->shape[d]);
      program_.dim_checks.push_back(std::move(check));
      emit(Op::kCheckDim, 1, 0, 0, 0, static_cast<uint32_t>(program_.dim_checks.size() - 1));
    }
  }
  for (const Expr& assumption : func->assumptions) {
    const Temporaries scope(*this);
    std::string text =
        fmt::format("'{}' assumes {}, which does not hold for", func->name, to_pretty(assumption));
    std::vector<ValueReg> values;
    for (const Var& var : free_vars(assumption)) {
      text += fmt::format("{} {} = {{}}", values.empty() ? "" : ",", var.name());
      values.push_back({expr(var), var.dtype()});
    }
    const Reg holds = expr(assumption);
    emit(Op::kAssert, 1, 0, holds, 0, add_message("interp.assumption", std::move(text), values));
  }
}

void Compiler::place_inits(const PrimFunc& func) {
  InitPlacer(inits_, next_free_id(func)).visit(func->body);
}

void Compiler::place_allocs(const PrimFunc& func) {
  std::unordered_set<int64_t> loop_ids;
  walk_stmts(func->body, [&](const Stmt& s) {
    if (const auto* loop = s.as<ForNode>()) loop_ids.insert(loop->id);
  });
  for (const Buffer& buffer : func->allocs) {
    if (buffer->alloc_at.kind != AllocAt::Kind::kLoop) {
      emit_alloc(buffer);
    } else if (loop_ids.count(buffer->alloc_at.loop)) {
      loop_allocs_[buffer->alloc_at.loop].push_back(buffer);
    } else {
      malformed(fmt::format("buffer '{}' is allocated in loop {}, which does not exist",
                            buffer->name, buffer->alloc_at.loop));
    }
  }
}

Program Compiler::compile(const PrimFunc& func) {
  program_.name = func->name;
  flat_ = func->level != Level::kScheduled;
  declare_params(func);
  check_shapes(func);
  place_inits(func);
  place_allocs(func);
  stmt(func->body);
  return finish();
}

Program Compiler::compile(const Expr& e, const std::vector<Var>& vars) {
  for (const Var& var : vars) bind(var, allocate(1));
  program_.result = {expr(e), e.dtype()};
  return finish();
}

}  // namespace tilewright::ir::interp
