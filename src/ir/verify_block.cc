#include <algorithm>

#include "ir/verify.h"

namespace tilewright::ir {

void Verifier::check_realize(const BlockRealizeNode& n) {
  const BlockNode& b = *n.block;
  if (n.iter_values.size() != b.iter_vars.size()) {
    fault("{} iteration values for {} variables", n.iter_values.size(), b.iter_vars.size());
    return;
  }
  for (size_t i = 0; i < n.iter_values.size(); ++i) {
    const Var& var = b.iter_vars[i].var;
    if (absent(n.iter_values[i], "an iteration value") || !var.defined()) continue;
    if (n.iter_values[i].dtype() != var.dtype()) {
      fault("variable {} of {} is given {}", var.name(), to_string(var.dtype()),
            to_string(n.iter_values[i].dtype()));
    }
    visit(n.iter_values[i]);
  }
  for (const Conjunct& conjunct : n.guard) check_condition(conjunct.cond, "guard");
}

void Verifier::visit_node(const BlockNode& n) {
  check_id(n.id, "the block");
  for (const IterVar& iter : n.iter_vars) {
    if (!iter.var.defined() || !iter.var.dtype().is_int() || !iter.var.dtype().is_scalar()) {
      fault("an iteration variable that is no integer");
      return;
    }
    if (absent(iter.dom.min, "a domain's start") || absent(iter.dom.extent, "a domain's extent")) {
      return;
    }
    if (iter.dom.min.dtype() != iter.var.dtype() || iter.dom.extent.dtype() != iter.var.dtype()) {
      fault("variable {} of {} over a domain of {} and {}", iter.var.name(),
            to_string(iter.var.dtype()), to_string(iter.dom.min.dtype()),
            to_string(iter.dom.extent.dtype()));
    }
    visit(iter.dom.min);
    visit(iter.dom.extent);
  }
  // Inside, the block stands for one point of its domain: how loops reach it is not its business.
  std::vector<const Node*> newly_hidden;
  for (const ForNode* loop : loops_) {
    if (hidden_.insert(loop->var.get()).second) newly_hidden.push_back(loop->var.get());
  }
  for (const IterVar& iter : n.iter_vars) bind(iter.var, true);
  if (n.where.defined()) check_condition(n.where, "where");
  check_regions(n);
  if (n.init) check_init(n);
  check_body(n.body, "the block");
  check_reduction(n);
  for (const IterVar& iter : n.iter_vars) unbind(iter.var);
  for (const Node* var : newly_hidden) hidden_.erase(var);
}

void Verifier::check_reduction(const BlockNode& n) {
  bool updates = false;
  if (n.body) {
    walk_stmts(n.body, [&](const Stmt& stmt) {
      const UpdateNode* update = stmt.as<UpdateNode>();
      if (!update || !update->reducer) return;
      updates = true;
      if (n.reducer && !structural_equal(n.reducer, update->reducer)) {
        fault("its reducer is {} but it updates by {}", n.reducer->name, update->reducer->name);
      }
    });
  }
  if (n.reducer && !updates) fault("it has reducer {} but no update", n.reducer->name);
  if (!n.reducer && updates) fault("it has an update but no reducer");
  if (!n.reducer && n.init) fault("it has an init but no reducer");
  if (n.block_kind != BlockKind::kCompute || n.reducer) return;
  for (const IterVar& iter : n.iter_vars) {
    if (iter.kind == IterKind::kReduce) {
      fault("reduce variable {} but no reducer", iter.var.name());
    }
  }
}

void Verifier::check_init(const BlockNode& n) {
  VarSet reduce;
  for (const IterVar& iter : n.iter_vars) {
    if (iter.kind == IterKind::kReduce) reduce.insert(iter.var);
  }
  bool reads_reduce = false;
  walk_exprs(n.init, [&](const Expr& e) { reads_reduce |= e.as<VarNode>() && reduce.count(e); });
  if (reads_reduce) fault("its init reads a reduce variable");
  walk_stmts(n.init, [&](const Stmt& stmt) {
    if (stmt.as<UpdateNode>() || stmt.as<BlockRealizeNode>()) {
      fault("its init has an update or a block");
    }
  });
  visit(n.init);
}

void Verifier::check_region(const Region& region, const char* what) {
  if (!region.buffer) {
    fault("{} a null buffer", what);
    return;
  }
  if (!buffers_.count(region.buffer.get())) {
    fault("{} {}, which is not declared here", what, region.buffer->name);
  }
  if (region.ranges.size() != region.buffer->shape.size()) {
    fault("{} {} of rank {} as a region of rank {}", what, region.buffer->name,
          region.buffer->shape.size(), region.ranges.size());
  }
  for (const Range& range : region.ranges) {
    if (absent(range.min, "a region's start") || absent(range.extent, "a region's extent")) return;
    if (!range.min.dtype().is_int() || !range.extent.dtype().is_int()) {
      fault("{} {} by indices that are no integers", what, region.buffer->name);
    }
    visit(range.min);
    visit(range.extent);
  }
}

void Verifier::check_regions(const BlockNode& n) {
  for (const Region& region : n.reads) check_region(region, "reads");
  for (const Region& region : n.writes) check_region(region, "writes");
  if (!n.body) return;
  auto declared = [](const std::vector<Region>& list, const Buffer& buffer) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Region& r) { return r.buffer.same_as(buffer); });
  };
  std::vector<const LoadNode*> addresses;  // visited after the call they are an argument of
  walk_exprs(n.body, [&](const Expr& e) {
    const CallNode* call = e.as<CallNode>();
    if (call && call->intrinsic == Intrinsic::kCallExtern) {
      // Of what a C function is given, the regions say what is read and what is written.
      for (const Expr& arg : call->args) {
        const LoadNode* place = arg.as<LoadNode>();
        if (!place || !place->buffer) continue;
        addresses.push_back(place);
        if (declared(n.reads, place->buffer) || declared(n.writes, place->buffer)) continue;
        fault("it gives {} to a function but does not declare it", place->buffer->name);
      }
    }
    const LoadNode* load = e.as<LoadNode>();
    const bool address = std::find(addresses.begin(), addresses.end(), load) != addresses.end();
    if (load && load->buffer && !address && !declared(n.reads, load->buffer)) {
      fault("it reads {} but does not declare it", load->buffer->name);
    }
  });
  walk_stmts(n.body, [&](const Stmt& stmt) {
    std::vector<Buffer> written;
    if (const StoreNode* store = stmt.as<StoreNode>()) written = {store->buffer};
    if (const UpdateNode* update = stmt.as<UpdateNode>()) written = update->buffers;
    for (const Buffer& buffer : written) {
      if (buffer && !declared(n.writes, buffer)) {
        fault("it writes {} but does not declare it", buffer->name);
      }
    }
  });
}

}  // namespace tilewright::ir
