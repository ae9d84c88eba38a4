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

// Shares and ratios, so that what is learnt of one size holds for others.
struct Context {
  const Target& target;
  double total_secs;
};
struct Column {
  const char* name;
  double (*value)(const BlockCost&, const Context&);
};
double share(double part, double whole) { return whole > 0 ? part / whole : 0; }
double log_of(double value) { return std::log2(std::max(value, 1.0)); }
constexpr Column kColumns[] = {
    {"share", [](const BlockCost& c, const Context& x) { return share(c.secs, x.total_secs); }},
    {"compute", [](const BlockCost& c, const Context&) { return share(c.compute_secs, c.secs); }},
    {"l1", [](const BlockCost& c, const Context&) { return share(c.l1_secs, c.secs); }},
    {"l2", [](const BlockCost& c, const Context&) { return share(c.l2_secs, c.secs); }},
    {"l3", [](const BlockCost& c, const Context&) { return share(c.l3_secs, c.secs); }},
    {"entry", [](const BlockCost& c, const Context&) { return share(c.entry_cycles, c.cycles); }},
    {"fma", [](const BlockCost& c, const Context&) { return share(c.fma_cycles, c.body_cycles); }},
    {"load",
     [](const BlockCost& c, const Context&) { return share(c.load_cycles, c.body_cycles); }},
    {"store",
     [](const BlockCost& c, const Context&) { return share(c.store_cycles, c.body_cycles); }},
    {"shuffle",
     [](const BlockCost& c, const Context&) { return share(c.shuffle_cycles, c.body_cycles); }},
    {"issue",
     [](const BlockCost& c, const Context&) { return share(c.issue_cycles, c.body_cycles); }},
    {"chain", [](const BlockCost& c, const Context&) { return share(c.chain, c.body_cycles); }},
    {"body_cycles", [](const BlockCost& c, const Context&) { return log_of(c.body_cycles); }},
    {"accumulators", [](const BlockCost& c, const Context&) { return c.accumulators; }},
    {"free_registers",
     [](const BlockCost& c, const Context& x) { return x.target.vector_registers - c.registers; }},
    {"lanes", [](const BlockCost& c, const Context&) { return c.lanes; }},
    {"unrolled", [](const BlockCost& c, const Context&) { return log_of(c.unrolled); }},
    {"inner_extent", [](const BlockCost& c, const Context&) { return log_of(c.inner_extent); }},
    {"waste", [](const BlockCost& c, const Context&) { return c.waste; }},
    {"guards", [](const BlockCost& c, const Context&) { return c.guards; }},
    {"parallel", [](const BlockCost& c, const Context&) { return c.parallel; }},
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

}  // namespace

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result = {"blocks", "workspace", "others"};
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
  // A second-level cache as the unit of the workspace.
  const double cache = target.l2_bytes > 0 ? static_cast<double>(target.l2_bytes) : 512e3;
  const Context context{target, result.prior_secs};
  std::vector<double> values = {static_cast<double>(costs.size()),
                                std::log2(workspace_bytes(func) / cache + 1e-3),
                                share(rest, result.prior_secs)};
  const BlockCost none{.iterations = 0};
  for (size_t i = 0; i < kDescribed; ++i) {
    const BlockCost& cost = i < costs.size() ? costs[i] : none;
    for (const Column& column : kColumns) values.push_back(column.value(cost, context));
  }
  result.values.assign(values.begin(), values.end());
  return result;
}

}  // namespace tilewright::tuner
