#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// The closed table of hints: who may carry it, what it holds, and what reads it.
struct AnnotationKey {
  std::string_view name;
  bool on_loop, on_block;
  bool integer;
  int64_t low, high;
};
constexpr AnnotationKey kKeys[] = {
    {"unroll_explicit_max", true, false, true, 0, 4096},
    {"prefetch_distance", true, false, true, 0, 4096},
};

Attrs with_entry(Attrs attrs, const std::string& key, AttrValue value) {
  attrs[key] = std::move(value);
  return attrs;
}

}  // namespace

/// annotate(loop or block, key, value): a hint for the lowering. Unknown keys and values out of range are
/// errors: schedule.annotate.key, .value, .place.
Outputs run_annotate(Invocation& in) {
  const ForNode* loop = in.inputs.empty() ? nullptr : in.tree.loop(in.inputs[0]);
  const BlockRealizeNode* realize = loop ? nullptr : &in.block(0);
  int64_t at = loop ? loop->id : realize->block->id;
  std::string key = in.text_attr("key");
  const AnnotationKey* row = nullptr;
  std::vector<std::string> names;
  for (const AnnotationKey& candidate : kKeys) {
    names.emplace_back(candidate.name);
    if (candidate.name == key) row = &candidate;
  }
  if (!row) in.refuse("key", at, fmt::format("unknown annotation '{}'", key), {}, names);
  if (loop ? !row->on_loop : !row->on_block) {
    in.refuse("place", at,
              fmt::format("annotation '{}' belongs on a {}", key, row->on_loop ? "loop" : "block"));
  }
  const int64_t* value = std::get_if<int64_t>(&in.attr("value").data);
  if (!value || *value < row->low || *value > row->high) {
    in.refuse(
        "value", at,
        fmt::format("annotation '{}' takes an integer from {} to {}", key, row->low, row->high));
  }
  if (loop) {
    in.finish(replace_stmt(in.func->body, loop,
                           with_annotations(*loop, with_entry(loop->annotations, key, *value))));
    return {};
  }
  const Block& b = realize->block;
  Block block(new BlockNode(b->id, b->name, b->block_kind, b->iter_vars, b->where, b->reads,
                            b->writes, b->reducer, b->init, b->body,
                            with_entry(b->annotations, key, *value), b->origin));
  in.finish(replace_stmt(in.func->body, realize, with_block(*realize, block)));
  return {};
}

}  // namespace tilewright::schedule
