#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// The closed table of hints: the loops whose code generation reads it, and its integer range.
struct AnnotationKey {
  std::string_view name;
  ForKind kind;
  int64_t low, high;
};
constexpr AnnotationKey kKeys[] = {
    {"parallel_chunk", ForKind::kParallel, 1, int64_t{1} << 32},
};

Attrs with_entry(Attrs attrs, const std::string& key, AttrValue value) {
  attrs[key] = std::move(value);
  return attrs;
}

}  // namespace

/// annotate(loop or block, key, value): a hint that changes speed, never results. Keys: "parallel_chunk" on a parallel
/// loop (iterations handed out at once). Unknown keys, values out of range and places where the hint would have no
/// effect are errors: schedule.annotate.key, .value, .place.
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
  if (!loop || loop->for_kind != row->kind) {
    in.refuse(
        "place", at,
        fmt::format("annotation '{}' has an effect on {} loops only", key, spelling(row->kind)),
        fmt::format("make the loop {} first", spelling(row->kind)));
  }
  const int64_t* value = std::get_if<int64_t>(&in.attr("value").data);
  if (!value || *value < row->low || *value > row->high) {
    in.refuse("value", at,
              fmt::format("annotation '{}' takes an integer from {} to {}, got {}", key, row->low,
                          row->high, value ? std::to_string(*value) : "another type"),
              fmt::format("give a value in that range, such as {}", row->low));
  }
  in.finish(replace_stmt(in.func->body, loop,
                         with_annotations(*loop, with_entry(loop->annotations, key, *value))));
  return {};
}

}  // namespace tilewright::schedule
