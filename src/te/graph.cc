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
      const auto* compute = static_cast<const ComputeOp*>(op);
      if (next < compute->inputs.size()) {
        const ir::Buffer input = compute->inputs[next++];
        stack.emplace_back(input, 0);
        continue;
      }
      if (done_.insert(op).second) finish(*compute);
      stack.pop_back();
    }
  }

 private:
  void finish(const ComputeOp& op) {
    graph_.computes.push_back(&op);
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
  const TensorDefinition* definition = definition_of(buffer);
  internal_check(definition != nullptr, "buffer '{}' is no tensor", buffer->name);
  return {definition->op.get(), definition->value_index};
}

std::vector<Expr> expressions_of(const ComputeOp& op) {
  std::vector<Expr> result = op.shape;
  for (const Range& dom : op.reduce_domains) {
    result.push_back(dom.min);
    result.push_back(dom.extent);
  }
  result.insert(result.end(), op.values.begin(), op.values.end());
  if (op.where.defined()) result.push_back(op.where);
  return result;
}

Graph collect_graph(const std::vector<Tensor>& outputs) {
  Graph graph;
  Collector collector(graph);
  for (const Tensor& output : outputs) collector.collect(output.buffer());
  return graph;
}

}  // namespace tilewright::te::detail
