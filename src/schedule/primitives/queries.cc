#include "schedule/primitive_table.h"

namespace tilewright::schedule {

using namespace ir;

/// get_block(name). Errors: schedule.get_block.unknown, listing the blocks there are.
Outputs run_get_block(Invocation& in) {
  std::string name = in.text_attr("name");
  if (const BlockRealizeNode* realize = in.tree.block_named(name)) {
    return {BlockRef{realize->block->id}};
  }
  std::vector<std::string> names;
  for (const BlockRealizeNode* realize : in.tree.blocks_under(-1)) {
    names.push_back(realize->block->name);
  }
  in.refuse("unknown", -1, fmt::format("there is no block '{}'", name), {}, names);
}

/// get_loops(block): the loops around it, outermost first.
Outputs run_get_loops(Invocation& in) {
  Outputs outputs;
  for (const ForNode* loop : in.tree.loops_around(in.block(0).block->id)) {
    outputs.push_back(Loop{loop->id});
  }
  return outputs;
}

}  // namespace tilewright::schedule
