#include "ir/verify.h"

#include <algorithm>

namespace tilewright::ir {

std::vector<std::string> Verifier::run() {
  context_.push_back("function " + func_->name);
  if (func_->name.empty()) fault("the name is empty");
  check_params();
  check_assumptions();
  check_allocs();
  check_body(func_->body, "the function");
  if (scheduled()) {
    for (const Buffer& b : func_->allocs) check_alloc_place(b);
  }
  return std::move(faults_);
}

std::string Verifier::place() const { return context_.back(); }

// ---- Parameters ---------------------------------------------------------------------------------

void Verifier::check_params() {
  // Scalars first: shapes of earlier parameters may name later ones.
  for (const Param& p : func_->params) {
    if (p.var.defined()) bind(p.var, true);
  }
  for (size_t i = 0; i < func_->params.size(); ++i) check_param(func_->params[i], i);
}

void Verifier::check_param(const Param& p, size_t index) {
  if (p.var.defined() == static_cast<bool>(p.buffer)) {
    fault("parameter {} must be a buffer or a scalar, not both or none", index);
    return;
  }
  if (p.var.defined()) {
    const DType dtype = p.var.dtype();
    if (!dtype.is_scalar() || dtype.is_handle()) {
      fault("scalar parameter {} has dtype {}", p.var.name(), to_string(dtype));
    }
    if (p.role != ParamRole::kInput && p.role != ParamRole::kShape) {
      fault("scalar parameter {} cannot have role {}", p.var.name(), spelling(p.role));
    }
    if (p.role != ParamRole::kShape) return;
    if (!dtype.is_int()) fault("shape variable {} is not an integer", p.var.name());
    const bool named =
        std::any_of(func_->params.begin(), func_->params.end(), [&](const Param& other) {
          return other.buffer && std::any_of(other.buffer->shape.begin(), other.buffer->shape.end(),
                                             [&](const Expr& e) { return uses_var(e, p.var); });
        });
    if (!named) fault("shape variable {} occurs in no parameter's shape", p.var.name());
    return;
  }
  if (p.role == ParamRole::kShape) fault("buffer {} cannot have role shape", p.buffer->name);
  if (!buffers_.insert(p.buffer.get()).second) {
    fault("buffer {} is a parameter twice", p.buffer->name);
  }
  if (p.role == ParamRole::kInput || p.role == ParamRole::kConstant) {
    read_only_.insert(p.buffer.get());
  }
  const auto count = static_cast<int64_t>(func_->params.size());
  if (p.alias_of < -1 || p.alias_of >= count || p.alias_of == static_cast<int64_t>(index) ||
      (p.alias_of >= 0 && !func_->params[p.alias_of].buffer)) {
    fault("buffer {} aliases parameter {}, which is not another buffer", p.buffer->name,
          p.alias_of);
  }
  check_buffer(*p.buffer);
  for (const Expr& extent : p.buffer->shape) {
    check_closed(extent, "the shape of " + p.buffer->name, {});
  }
}

void Verifier::check_assumptions() {
  for (const Expr& assumption : func_->assumptions) {
    if (absent(assumption, "an assumption")) continue;
    if (assumption.dtype() != kBool) fault("assumption {} is not bool", to_pretty(assumption));
    check_closed(assumption, "an assumption", {});
    visit(assumption);
  }
}

void Verifier::check_closed(const Expr& e, const std::string& what,
                            const std::vector<const Node*>& extra) {
  if (!e.defined()) return;
  std::vector<const Node*> known = extra;
  for (const Param& p : func_->params) {
    if (p.var.defined()) known.push_back(p.var.get());
  }
  walk_exprs(e, [&](const Expr& sub) {
    if (sub.as<LoadNode>()) fault("{} reads a buffer: {}", what, to_pretty(e));
    if (const LetNode* let = sub.as<LetNode>()) known.push_back(let->var.get());
    const VarNode* var = sub.as<VarNode>();
    if (var && std::find(known.begin(), known.end(), var) == known.end()) {
      fault("{} reads {}, which is not known there", what, var->name);
    }
  });
}

// ---- Buffers ------------------------------------------------------------------------------------

void Verifier::check_buffer(const BufferNode& b) {
  if (!b.dtype.is_scalar() || b.dtype.is_handle()) {
    fault("buffer {} has elements of dtype {}", b.name, to_string(b.dtype));
  }
  for (const Expr& extent : b.shape) {
    if (absent(extent, "an extent of a buffer")) continue;
    if (!extent.dtype().is_int() || !extent.dtype().is_scalar()) {
      fault("buffer {} has the extent {} of dtype {}", b.name, to_pretty(extent),
            to_string(extent.dtype()));
    }
    if (const int64_t* value = as_const_int(extent); value && *value < 0) {
      fault("buffer {} has the negative extent {}", b.name, *value);
    }
  }
  for (const Pad& pad : b.pad) {
    if (pad.dim < 0 || pad.dim >= b.rank() || pad.multiple < 1) {
      fault("buffer {}: pad of dimension {} to multiples of {}", b.name, pad.dim, pad.multiple);
    }
    if (pad.value.defined() && pad.value.dtype() != b.dtype) {
      fault("buffer {}: pad value {} has dtype {}", b.name, to_pretty(pad.value),
            to_string(pad.value.dtype()));
    }
  }
  if (b.align < 0 || (b.align & (b.align - 1)) != 0) {
    fault("buffer {}: alignment {} is not a power of two", b.name, b.align);
  }
  if (b.layout) check_layout(b);
}

void Verifier::check_layout(const BufferNode& b) {
  const LayoutNode& l = *b.layout;
  if (!l.vars.empty() && l.vars.size() != b.shape.size()) {
    fault("buffer {}: layout over {} dimensions of {}", b.name, l.vars.size(), b.shape.size());
  }
  if (l.vars.empty() && !l.physical.empty() && b.rank() != 0) {
    fault("buffer {}: layout has physical indices but no variables", b.name);
  }
  std::vector<const Node*> vars;
  for (const Var& var : l.vars) {
    vars.push_back(var.get());
    if (!var.dtype().is_int()) fault("buffer {}: layout variable {}", b.name, var.name());
  }
  auto check = [&](const std::vector<Expr>& list, const char* what) {
    for (const Expr& e : list) {
      if (absent(e, what)) continue;
      if (!e.dtype().is_int())
        fault("buffer {}: {} {} is not an integer", b.name, what, to_pretty(e));
    }
  };
  check(l.physical, "physical index");
  check(l.strides, "stride");
  for (const Expr& e : l.physical) check_closed(e, "the layout of " + b.name, vars);
  const size_t dims = l.physical.empty() ? b.shape.size() : l.physical.size();
  if (!l.strides.empty() && l.strides.size() != dims) {
    fault("buffer {}: {} strides for {} physical dimensions", b.name, l.strides.size(), dims);
  }
  if (!l.fold_moduli.empty() && l.fold_moduli.size() != b.shape.size()) {
    fault("buffer {}: {} folds for {} dimensions", b.name, l.fold_moduli.size(), b.shape.size());
  }
  for (int64_t modulus : l.fold_moduli) {
    if (modulus < 0) fault("buffer {}: fold modulus {}", b.name, modulus);
  }
  if (l.versions < 1) fault("buffer {}: {} versions", b.name, l.versions);
  if (l.swizzle < 0) fault("buffer {}: swizzle {}", b.name, l.swizzle);
}

void Verifier::check_allocs() {
  if (!scheduled() && !func_->allocs.empty()) {
    fault("buffer {} is in the list of allocations at level {}; Alloc statements say it there",
          func_->allocs[0]->name, spelling(func_->level));
  }
  for (const Buffer& b : func_->allocs) {
    if (!b) {
      fault("an allocation is null");
      continue;
    }
    if (!buffers_.insert(b.get()).second) fault("buffer {} is declared twice", b->name);
    check_buffer(*b);
    uses_[b.get()];
  }
}

// After the walk, when all loops and uses are known.
void Verifier::check_alloc_place(const Buffer& b) {
  if (!b) return;
  std::vector<const Node*> known;
  switch (b->alloc_at.kind) {
    case AllocAt::Kind::kParam:
      fault("buffer {} is allocated but says it is a parameter", b->name);
      break;
    case AllocAt::Kind::kRoot: break;
    case AllocAt::Kind::kLoop: {
      auto it = all_loops_.find(b->alloc_at.loop);
      if (it == all_loops_.end()) {
        fault("buffer {} is allocated at loop #{}, which does not exist", b->name,
              b->alloc_at.loop);
        return;
      }
      known = it->second.vars;
      for (const std::vector<int64_t>& use : uses_[b.get()]) {
        if (std::find(use.begin(), use.end(), b->alloc_at.loop) != use.end()) continue;
        fault("buffer {} is used outside of loop {}, where it is allocated", b->name,
              it->second.loop->var.name());
        break;
      }
    }
  }
  for (const Expr& extent : b->shape) check_closed(extent, "the shape of " + b->name, known);
}

// ---- Entry points -------------------------------------------------------------------------------

std::vector<std::string> verify(const PrimFunc& f) {
  if (!f) return {"the function is null"};
  return Verifier(f).run();
}

void verify_or_die(const PrimFunc& f, std::string_view after) {
  const std::vector<std::string> faults = verify(f);
  if (faults.empty()) return;
  std::string text = fmt::format("the IR is malformed after {}:", after);
  for (const std::string& fault : faults) text += "\n  " + fault;
  throw InternalError(text);
}

}  // namespace tilewright::ir
