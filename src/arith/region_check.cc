#include "tilewright/arith/region_check.h"

#include "arith/regions.h"
#include "tilewright/ir/text.h"

namespace tilewright::arith {
namespace {

using namespace ir;  // NOLINT

std::string text_of(const Buffer& buffer, const std::vector<Range>& ranges) {
  std::string text = buffer->name + "[";
  for (size_t d = 0; d < ranges.size(); ++d) {
    text += fmt::format("{}{} .. {}", d ? ", " : "", to_pretty(ranges[d].min),
                        to_pretty(Analyzer().simplify(ranges[d].min + ranges[d].extent)));
  }
  return text + "]";
}

class RegionCheck final : public Visitor {
 public:
  explicit RegionCheck(const PrimFunc& func) { bind_function_facts(facts_, func); }
  std::vector<std::string> faults;

 protected:
  using Visitor::visit_node;
  void visit_node(const BlockNode& block) override {
    if (block.block_kind != BlockKind::kOpaque || !block.body) return;
    Analyzer facts(facts_);
    for (const IterVar& iter : block.iter_vars) facts.bind(iter.var, iter.dom);
    AccessCollector collector(facts, nullptr);
    collector.visit(block.body);
    for (const BufferAccesses& found : collector.accesses()) {
      check(block, collector, facts, found.buffer, found.reads, block.reads, "reads");
      check(block, collector, facts, found.buffer, found.writes, block.writes, "writes");
    }
  }

 private:
  void check(const BlockNode& block, const AccessCollector& collector, const Analyzer& facts,
             const Buffer& buffer, const AccessBox& box, const std::vector<Region>& declared,
             const char* how) {
    if (!box.any) return;
    const std::vector<Range> used = collector.ranges(buffer, box);
    std::string texts;
    for (const Region& region : declared) {
      if (!region.buffer.same_as(buffer)) continue;
      if (holds(facts, region, used)) return;
      texts += (texts.empty() ? "" : ", ") + text_of(buffer, region.ranges);
    }
    faults.push_back(fmt::format("block '{}' {} {}, but declares {}", block.name, how,
                                 text_of(buffer, used), texts.empty() ? "nothing of it" : texts));
  }

  static bool holds(const Analyzer& facts, const Region& region, const std::vector<Range>& used) {
    for (size_t d = 0; d < used.size(); ++d) {
      const Range& range = region.ranges[d];
      const Expr& extent = region.buffer->shape[d];
      // Nothing lies outside of the buffer, whatever the indices are.
      if (is_const_int(range.min, 0) && facts.can_prove_equal(range.extent, extent)) continue;
      if (!facts.can_prove(used[d].min >= range.min) ||
          !facts.can_prove(used[d].min + used[d].extent <= range.min + range.extent)) {
        return false;
      }
    }
    return true;
  }

  Analyzer facts_;
};

}  // namespace

std::vector<std::string> region_faults(const PrimFunc& func) {
  RegionCheck check(func);
  check.visit(func->body);
  return std::move(check.faults);
}

}  // namespace tilewright::arith
