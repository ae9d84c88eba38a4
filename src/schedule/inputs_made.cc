#include "schedule/inputs_made.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/filled_box.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/lower/tail_check.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// What is read as far as the block's domain goes: guards keep it there.
std::optional<Region> domain_region(const arith::Analyzer& facts, const Block& block,
                                    const Buffer& buffer) {
  std::vector<Expr> values;
  std::vector<NestLoop> loops;
  for (const IterVar& iter : block->iter_vars) {
    loops.push_back({Var(iter.var.name(), iter.var.dtype()), iter.dom.extent});
    values.push_back(iter.dom.min + loops.back().var);
  }
  return arith::accessed_region(facts, nest(loops, Stmt(new BlockRealizeNode(values, {}, block))),
                                buffer, true, false);
}

// A condition on the loops that both are in may keep the writer from running where the reader does.
void require_runs(const Invocation& in, const BlockRealizeNode& writer,
                  const std::vector<const ForNode*>& writer_loops, const BlockRealizeNode& reader,
                  const std::vector<const ForNode*>& loops, size_t common) {
  for (const Conjunct& conjunct : writer.guard) {
    bool shared = false;
    VarSet shared_vars;
    for (size_t i = 0; i < common; ++i) {
      shared |= uses_var(conjunct.cond, loops[i]->var);
      shared_vars.insert(loops[i]->var);
    }
    const bool own =
        std::any_of(writer_loops.begin(), writer_loops.end(), [&](const ForNode* loop) {
          return shared_vars.count(loop->var) == 0 && uses_var(conjunct.cond, loop->var);
        });
    // With loops of its own it says where the writer's domain ends.
    if (!shared || own || lower::is_guarded_by(reader, conjunct.cond)) continue;
    in.refuse("inputs_not_made", reader.block->id,
              fmt::format("{} runs only where {}, which is not said of {}", quoted(writer),
                          to_pretty(conjunct.cond), quoted(reader)),
              fmt::format("move {} after {}", quoted(writer), quoted(reader)));
  }
}

bool inside(const arith::Analyzer& facts, const Range& part, const Range& domain,
            const Range& whole, const Expr& extent) {
  const Expr zero = make_int(kInt64, 0);
  const Expr part_end = part.min + part.extent, domain_end = domain.min + domain.extent;
  const Expr whole_end = whole.min + whole.extent;
  const auto begins = [&](const Expr& low) { return facts.can_prove(low >= whole.min); };
  const auto ends = [&](const Expr& high) { return facts.can_prove(high <= whole_end); };
  const bool low = begins(part.min) || begins(domain.min) || begins(max(part.min, domain.min)) ||
                   facts.can_prove(whole.min <= zero);
  const bool high = ends(part_end) || ends(domain_end) || ends(min(part_end, domain_end)) ||
                    facts.can_prove(whole_end >= extent);
  return low && high;
}

void require_made(const Invocation& in, const PrimFunc& next, int64_t block_id) {
  const Tree tree(next);
  const BlockRealizeNode* reader = tree.block(block_id);
  if (!reader) return;
  const std::vector<const ForNode*> loops = tree.loops_around(block_id);
  for (const Region& region : reader->block->reads) {
    const Buffer& buffer = region.buffer;
    if (is_param(next, buffer) || block_writes(reader->block, buffer)) continue;
    const std::vector<const BlockRealizeNode*> writers = writers_of(tree, buffer);
    if (writers.empty()) continue;
    size_t common = loops.size();
    for (const BlockRealizeNode* writer : writers) {
      const std::vector<const ForNode*> around = tree.loops_around(writer->block->id);
      size_t n = 0;
      while (n < common && n < around.size() && around[n] == loops[n]) ++n;
      common = n;
    }
    arith::Analyzer facts = in.facts({loops.begin(), loops.begin() + static_cast<int64_t>(common)});
    for (const BlockRealizeNode* writer : writers) {
      require_runs(in, *writer, tree.loops_around(writer->block->id), *reader, loops, common);
    }
    const Stmt& place = common == 0 ? next->body : loops[common - 1]->body;
    const auto made = arith::accessed_region(facts, place, buffer, false, true);
    const auto read =
        arith::accessed_region(facts, lone_nest(loops, common, *reader), buffer, true, false);
    const auto domain = domain_region(facts, reader->block, buffer);
    if (!made || !read || !domain) continue;
    const bool exact =
        fill_together(in, tree, writers, common, *made, tree.conditions_around(block_id));
    if (!exact) {
      in.refuse("inputs_not_made", block_id,
                fmt::format("it is not known which elements of '{}' {} has made by then",
                            buffer->name, quoted(*writers.front())),
                fmt::format("move {} after {}, or choose a loop further out",
                            quoted(*writers.front()), quoted(*reader)));
    }
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      if (inside(facts, read->ranges[d], domain->ranges[d], made->ranges[d], buffer->shape[d])) {
        continue;
      }
      in.refuse("inputs_not_made", block_id,
                fmt::format("{} would read more of '{}' than {} makes by then", quoted(*reader),
                            buffer->name, quoted(*writers.front())),
                fmt::format("move {} after {}, or choose a loop further out",
                            quoted(*writers.front()), quoted(*reader)));
    }
  }
}

}  // namespace

void require_inputs_made(const Invocation& in, const PrimFunc& next, int64_t block_id) {
  try {
    require_made(in, next, block_id);
  } catch (Refusal& refusal) {
    refusal.error.after = next;
    throw;
  }
}

}  // namespace tilewright::schedule
