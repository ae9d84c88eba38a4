#include "tilewright/tuner/cost_model/nest_analysis.h"

#include <algorithm>
#include <cmath>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"
#include "tuner/cost_model/block_cost.h"

namespace tilewright::tuner {
namespace {

using namespace ir;  // NOLINT

// The blocks that take most of the time are described one by one, the others only in sums.
constexpr size_t kDescribed = 3;

struct Column {
  const char* name;
  double (*value)(const BlockCost&);
  bool logarithm;
};
constexpr Column kColumns[] = {
    {"secs", [](const BlockCost& c) { return c.secs; }, true},
    {"cycles", [](const BlockCost& c) { return c.cycles; }, true},
    {"iterations", [](const BlockCost& c) { return c.iterations; }, true},
    {"vector_ops", [](const BlockCost& c) { return c.vector_ops; }, true},
    {"loads", [](const BlockCost& c) { return c.loads; }, true},
    {"stores", [](const BlockCost& c) { return c.stores; }, true},
    {"loads_per_op", [](const BlockCost& c) { return c.loads / std::max(1.0, c.vector_ops); },
     false},
    {"accumulators", [](const BlockCost& c) { return c.accumulators; }, false},
    {"registers", [](const BlockCost& c) { return c.registers; }, false},
    {"lanes", [](const BlockCost& c) { return c.lanes; }, false},
    {"unrolled", [](const BlockCost& c) { return c.unrolled; }, true},
    {"chain", [](const BlockCost& c) { return c.chain; }, false},
    {"guards", [](const BlockCost& c) { return c.guards; }, false},
    {"inner_extent", [](const BlockCost& c) { return c.inner_extent; }, true},
    {"waste", [](const BlockCost& c) { return c.waste; }, false},
    {"gathers", [](const BlockCost& c) { return c.gathers; }, true},
    {"l1_bytes", [](const BlockCost& c) { return c.l1_bytes; }, true},
    {"l2_bytes", [](const BlockCost& c) { return c.l2_bytes; }, true},
    {"l3_bytes", [](const BlockCost& c) { return c.l3_bytes; }, true},
    {"parallel", [](const BlockCost& c) { return c.parallel; }, false},
    {"launches", [](const BlockCost& c) { return c.launches; }, true},
};

class CollectBlocks final : public Visitor {
 public:
  using Visitor::visit;
  CollectBlocks(const PrimFunc& func, const Target& target, const MachineSpeeds& speeds,
                int threads)
      : target_(target), speeds_(speeds), threads_(threads) {
    arith::bind_function_facts(facts_, func);
  }
  std::vector<BlockCost> costs;

 protected:
  using Visitor::visit_node;
  void visit_node(const ForNode& node) override {
    arith::Analyzer outer(facts_);
    facts_.bind_extent(node.var, node.extent);
    loops_.push_back({&node, extent_of(outer, node.extent)});
    visit(node.body);
    loops_.pop_back();
    facts_ = std::move(outer);
  }
  void visit_node(const BlockRealizeNode& node) override {
    costs.push_back(cost_of(node, loops_, facts_, target_, speeds_, threads_));
  }

 private:
  const Target& target_;
  const MachineSpeeds& speeds_;
  const int threads_;
  arith::Analyzer facts_;
  std::vector<LoopShape> loops_;
};

double workspace_bytes(const PrimFunc& func) {
  const arith::Analyzer facts;
  double bytes = 0;
  for (const Buffer& buffer : func->allocs) {
    double size = static_cast<double>(buffer->dtype.bytes());
    for (const Expr& extent : buffer->shape) size *= std::max(1.0, extent_of(facts, extent));
    bytes += size;
  }
  return bytes;
}

float scaled(double value, bool logarithm) {
  return static_cast<float>(logarithm ? std::log2(std::max(value, 1e-12) + 1e-12) : value);
}

}  // namespace

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result = {"prior_secs", "blocks", "workspace_bytes", "other_secs"};
    for (size_t i = 0; i < kDescribed; ++i) {
      for (const Column& column : kColumns) {
        result.push_back("block" + std::to_string(i) + "_" + column.name);
      }
    }
    return result;
  }();
  return names;
}

NestFeatures analyze_nest(const PrimFunc& func, const Target& target, const MachineSpeeds& speeds,
                          int threads) {
  CollectBlocks blocks(func, target, speeds, threads);
  blocks.visit(func->body);
  std::vector<BlockCost>& costs = blocks.costs;
  std::stable_sort(costs.begin(), costs.end(),
                   [](const BlockCost& a, const BlockCost& b) { return a.secs > b.secs; });
  NestFeatures result;
  double rest = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    result.prior_secs += costs[i].secs;
    if (i >= kDescribed) rest += costs[i].secs;
  }
  result.values = {scaled(result.prior_secs, true), static_cast<float>(costs.size()),
                   scaled(workspace_bytes(func), true), scaled(rest, true)};
  for (size_t i = 0; i < kDescribed; ++i) {
    for (const Column& column : kColumns) {
      const BlockCost none{.iterations = 0, .unrolled = 0};
      result.values.push_back(
          scaled(column.value(i < costs.size() ? costs[i] : none), column.logarithm));
    }
  }
  return result;
}

}  // namespace tilewright::tuner
