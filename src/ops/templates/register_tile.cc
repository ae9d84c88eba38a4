#include "ops/templates/register_tile.h"

#include "tilewright/ir/visitor.h"

namespace tilewright::ops::detail {

using schedule::Loop;

int64_t accumulator_bits(const schedule::Schedule& sch, const std::string& block) {
  int64_t bits = 32;
  ir::walk_stmts(sch.func()->body, [&](const ir::Stmt& stmt) {
    const auto* realize = stmt.as<ir::BlockRealizeNode>();
    if (realize && realize->block->name == block) {
      bits = realize->block->writes.at(0).buffer->dtype.bits;
    }
  });
  return bits;
}

bool has_block(const schedule::Schedule& sch, const std::string& name) {
  std::vector<std::string> names = sch.block_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

void schedule_elementwise(schedule::Schedule& sch, const std::string& block, int64_t lanes,
                          int threads) {
  std::vector<Loop> loops = sch.get_loops(sch.get_block(block));
  std::erase_if(loops, [&](Loop loop) { return sch.loop_extent_or(loop, 0) == 1; });
  if (loops.empty()) return;
  Loop inner = loops.back();
  if (sch.loop_extent_or(inner, 0) > lanes) {
    std::vector<Loop> parts = sch.split_factor(inner, lanes);
    inner = parts[1];
    if (loops.size() == 1) loops[0] = parts[0];
  }
  sch.vectorize(inner);
  if (threads > 1 && !(loops[0] == inner)) sch.parallel(loops[0]);
}

}  // namespace tilewright::ops::detail
