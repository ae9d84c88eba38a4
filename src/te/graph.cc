#include "te/graph.h"

#include <unordered_set>

#include "tilewright/ir/visitor.h"

namespace tilewright::te::detail {
namespace {

class Collector {
 public:
  explicit Collector(Graph& graph) : graph_(graph) {}

  // Explicit stack: a chain of computes may be long.
  void collect(const ir::Buffer& output) {
    std::vector<std::pair<ir::Buffer, size_t>> stack{{output, 0}};
    while (!stack.empty()) {
      auto& [buffer, next] = stack.back();
      const Operation* op = key_of(buffer.get()).first;
      if (next == 0 && done_.count(op)) {
        stack.pop_back();
        continue;
      }
      if (op->kind == Operation::Kind::kPlaceholder) {
        graph_.placeholders.push_back(buffer);
        done_.insert(op);
        stack.pop_back();
        continue;
      }
      const std::vector<ir::Buffer>& inputs = inputs_of(*op);
      if (next < inputs.size()) {
        const ir::Buffer input = inputs[next++];
        stack.emplace_back(input, 0);
        continue;
      }
      if (done_.insert(op).second) finish(*op);
      stack.pop_back();
    }
  }

 private:
  void finish(const Operation& op) {
    graph_.operations.push_back(&op);
    for (const Expr& e : expressions_of(op)) {
      for (const Var& var : ir::free_vars(e)) {
        const VarDefinition* definition = definition_of(var.node());
        if (definition && definition->role == VarRole::kScalar && scalars_.insert(var).second) {
          graph_.scalars.push_back(var);
        }
      }
    }
  }

  Graph& graph_;
  std::unordered_set<const Operation*> done_;
  ir::VarSet scalars_;
};

}  // namespace

ValueKey key_of(const ir::BufferNode* buffer) {
  if (const InnerDefinition* inner = inner_definition_of(buffer)) {
    return {inner->op, inner->value_index};
  }
  const TensorDefinition* definition = definition_of(buffer);
  internal_check(definition != nullptr, "buffer '{}' is no tensor", buffer->name);
  return {definition->op.get(), definition->value_index};
}

namespace {

void add_formula(const ComputeOp& op, std::vector<Expr>& result) {
  result.insert(result.end(), op.shape.begin(), op.shape.end());
  for (const Range& dom : op.reduce_domains) {
    result.push_back(dom.min);
    result.push_back(dom.extent);
  }
  result.insert(result.end(), op.values.begin(), op.values.end());
  if (op.where.defined()) result.push_back(op.where);
}

void add_extern(const ExternOp& op, std::vector<Expr>& result) {
  for (const auto& buffers : {op.outputs, op.temporaries}) {
    for (const ir::Buffer& buffer : buffers) {
      result.insert(result.end(), buffer->shape.begin(), buffer->shape.end());
    }
  }
  ir::walk_exprs(op.body, [&](const Expr& e) {
    const auto* var = e.as<ir::VarNode>();
    if (definition_of(var)) result.push_back(e);
  });
}

}  // namespace

std::vector<Expr> expressions_of(const Operation& op) {
  std::vector<Expr> result;
  switch (op.kind) {
    case Operation::Kind::kPlaceholder: break;
    case Operation::Kind::kCompute: add_formula(static_cast<const ComputeOp&>(op), result); break;
    case Operation::Kind::kScan: {
      const auto& scan = static_cast<const ScanOp&>(op);
      for (int64_t stage : scan.order) {
        add_formula(*scan.stages[static_cast<size_t>(stage)].formula, result);
      }
      break;
    }
    case Operation::Kind::kExtern: add_extern(static_cast<const ExternOp&>(op), result); break;
  }
  return result;
}

const std::vector<ir::Buffer>& inputs_of(const Operation& op) {
  static const std::vector<ir::Buffer> none;
  switch (op.kind) {
    case Operation::Kind::kPlaceholder: break;
    case Operation::Kind::kCompute: return static_cast<const ComputeOp&>(op).inputs;
    case Operation::Kind::kScan: return static_cast<const ScanOp&>(op).inputs;
    case Operation::Kind::kExtern: return static_cast<const ExternOp&>(op).inputs;
  }
  return none;
}

Graph collect_graph(const std::vector<Tensor>& outputs) {
  Graph graph;
  Collector collector(graph);
  for (const Tensor& output : outputs) collector.collect(output.buffer());
  return graph;
}

}  // namespace tilewright::te::detail
