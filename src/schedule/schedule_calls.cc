#include "tilewright/schedule/schedule.h"

/// \file
/// The methods of Schedule that are primitives: each is one Call by name, run by `apply`.

namespace tilewright::schedule {

BlockRef Schedule::get_block(std::string_view name) {
  return std::get<BlockRef>(must({"get_block", {}, {{"name", std::string(name)}}})[0]);
}

namespace {

std::vector<Loop> as_loops(const std::vector<Schedule::Result>& results) {
  std::vector<Loop> loops;
  for (const auto& result : results) loops.push_back(std::get<Loop>(result));
  return loops;
}

}  // namespace

std::vector<Loop> Schedule::get_loops(BlockRef block) {
  return as_loops(must({"get_loops", {block}, {}}));
}

std::vector<Loop> Schedule::split(Loop loop, std::vector<Factor> factors, std::string_view tail) {
  Value::List list;
  for (const Factor& factor : factors) list.push_back(factor ? record_int(*factor) : Value());
  return as_loops(must({"split", {loop}, {{"factors", list}, {"tail", std::string(tail)}}}));
}

Loop Schedule::fuse(const std::vector<Loop>& loops) {
  return as_loops(must({"fuse", {loops.begin(), loops.end()}, {}}))[0];
}

void Schedule::reorder(const std::vector<Loop>& order) {
  must({"reorder", {order.begin(), order.end()}, {}});
}

std::vector<Loop> Schedule::tile(Loop x, Loop y, Int x_factor, Int y_factor,
                                 std::string_view tail) {
  std::vector<Loop> xs = split_factor(x, x_factor, tail);
  std::vector<Loop> ys = split_factor(y, y_factor, tail);
  std::vector<Loop> order = {xs[0], ys[0], xs[1], ys[1]};
  reorder(order);
  return order;
}

void Schedule::unroll(Loop loop) { must({"unroll", {loop}, {}}); }
void Schedule::vectorize(Loop loop) { must({"vectorize", {loop}, {}}); }

void Schedule::parallel(Loop loop, std::string_view schedule, Int chunk) {
  must({"parallel", {loop}, {{"schedule", std::string(schedule)}, {"chunk", record_int(chunk)}}});
}

Loop Schedule::add_unit_loop(BlockRef block) {
  return as_loops(must({"add_unit_loop", {block}, {}}))[0];
}
Loop Schedule::add_unit_loop(Loop loop) { return as_loops(must({"add_unit_loop", {loop}, {}}))[0]; }

std::vector<Loop> Schedule::loop_partition(Loop loop, std::vector<Factor> extents) {
  Value::List list;
  for (const Factor& extent : extents) list.push_back(extent ? record_int(*extent) : Value());
  return as_loops(must({"loop_partition", {loop}, {{"extents", list}}}));
}

Loop Schedule::merge(const std::vector<Loop>& loops) {
  return as_loops(must({"merge", {loops.begin(), loops.end()}, {}}))[0];
}

BlockRef Schedule::specialize(BlockRef block, std::string_view condition) {
  return std::get<BlockRef>(
      must({"specialize", {block}, {{"condition", std::string(condition)}}})[0]);
}

void Schedule::compute_at(BlockRef block, Loop loop, std::string_view tail) {
  must({"compute_at", {block, loop}, {{"tail", std::string(tail)}}});
}
void Schedule::reverse_compute_at(BlockRef block, Loop loop) {
  must({"reverse_compute_at", {block, loop}, {}});
}
void Schedule::compute_inline(BlockRef block) { must({"compute_inline", {block}, {}}); }
void Schedule::reverse_compute_inline(BlockRef block) {
  must({"reverse_compute_inline", {block}, {}});
}

void Schedule::compute_with(BlockRef block, Loop loop) {
  must({"compute_with", {block, loop}, {}});
}

BlockRef Schedule::decompose_reduction(BlockRef block, Loop loop) {
  return std::get<BlockRef>(must({"decompose_reduction", {block, loop}, {}})[0]);
}

BlockRef Schedule::rfactor(Loop loop, int64_t factor_axis) {
  return std::get<BlockRef>(must({"rfactor", {loop}, {{"factor_axis", factor_axis}}})[0]);
}

BlockRef Schedule::cache_read(BlockRef consumer, std::string_view buffer, std::string_view scope) {
  return std::get<BlockRef>(
      must({"cache_read",
            {consumer},
            {{"buffer", std::string(buffer)}, {"scope", std::string(scope)}}})[0]);
}

BlockRef Schedule::cache_write(BlockRef block, std::string_view scope, int64_t write_index) {
  return std::get<BlockRef>(must(
      {"cache_write", {block}, {{"scope", std::string(scope)}, {"write_index", write_index}}})[0]);
}

void Schedule::set_scope(BlockRef block, std::string_view scope, int64_t write_index) {
  must({"set_scope", {block}, {{"scope", std::string(scope)}, {"write_index", write_index}}});
}

void Schedule::transform_layout(BlockRef writer, std::string_view map, int64_t write_index) {
  must({"transform_layout", {writer}, {{"map", std::string(map)}, {"write_index", write_index}}});
}

BlockRef Schedule::pack(BlockRef consumer, std::string_view buffer, std::string_view map,
                        const std::vector<std::pair<int64_t, Int>>& pad, std::string_view scope) {
  Value::List pads;
  for (const auto& [dim, multiple] : pad) pads.push_back(Value::List{dim, record_int(multiple)});
  return std::get<BlockRef>(must({"pack",
                                  {consumer},
                                  {{"buffer", std::string(buffer)},
                                   {"map", std::string(map)},
                                   {"pad", pads},
                                   {"scope", std::string(scope)}}})[0]);
}

void Schedule::store_at(BlockRef writer, Loop loop, int64_t write_index) {
  must({"store_at", {writer, loop}, {{"write_index", write_index}}});
}

void Schedule::storage_align(BlockRef writer, int64_t axis, Int factor, Int offset,
                             int64_t write_index) {
  must({"storage_align",
        {writer},
        {{"axis", axis},
         {"factor", record_int(factor)},
         {"offset", record_int(offset)},
         {"write_index", write_index}}});
}

BlockRef Schedule::reindex(BlockRef block, std::string_view buffer) {
  return std::get<BlockRef>(must({"reindex", {block}, {{"buffer", std::string(buffer)}}})[0]);
}

void Schedule::pad_einsum(BlockRef block, const std::vector<Int>& padding) {
  Value::List list;
  for (const Int& multiple : padding) list.push_back(record_int(multiple));
  must({"pad_einsum", {block}, {{"padding", list}}});
}

BlockRef Schedule::decompose_padding(BlockRef block, Loop loop) {
  return std::get<BlockRef>(must({"decompose_padding", {block, loop}, {}})[0]);
}

BlockRef Schedule::blockize(Loop loop) {
  return std::get<BlockRef>(must({"blockize", {loop}, {}})[0]);
}

void Schedule::tensorize(Loop loop, std::string_view instruction) {
  must({"tensorize", {loop}, {{"instruction", std::string(instruction)}}});
}

void Schedule::rolling_buffer(BlockRef writer, int64_t write_index) {
  must({"rolling_buffer", {writer}, {{"write_index", write_index}}});
}

void Schedule::double_buffer(BlockRef writer, int64_t write_index) {
  must({"double_buffer", {writer}, {{"write_index", write_index}}});
}

void Schedule::software_pipeline(Loop loop, const std::vector<int64_t>& stages) {
  must({"software_pipeline", {loop}, {{"stages", Value::List(stages.begin(), stages.end())}}});
}

void Schedule::prefetch(BlockRef reader, std::string_view buffer, Loop loop, Int distance) {
  must({"prefetch",
        {reader, loop},
        {{"buffer", std::string(buffer)}, {"distance", record_int(distance)}}});
}

void Schedule::annotate(Loop loop, std::string_view key, Value value) {
  must({"annotate", {loop}, {{"key", std::string(key)}, {"value", std::move(value)}}});
}
void Schedule::annotate(BlockRef block, std::string_view key, Value value) {
  must({"annotate", {block}, {{"key", std::string(key)}, {"value", std::move(value)}}});
}

namespace {

std::vector<Int> as_ints(const std::vector<Schedule::Result>& results) {
  std::vector<Int> ints;
  for (const auto& result : results) ints.push_back(std::get<Int>(result));
  return ints;
}

template <typename T>
Value::List as_list(const std::vector<T>& items) {
  return Value::List(items.begin(), items.end());
}

}  // namespace

std::vector<Int> Schedule::sample_perfect_tile(Loop loop, int n, int64_t max_innermost,
                                               std::string_view name) {
  return as_ints(must({"sample_perfect_tile",
                       {loop},
                       {{"n", n}, {"max_innermost", max_innermost}, {"name", std::string(name)}}}));
}

std::vector<Int> Schedule::sample_tile(Loop loop, int n, const std::vector<int64_t>& candidates,
                                       std::string_view name) {
  return as_ints(
      must({"sample_tile",
            {loop},
            {{"n", n}, {"candidates", as_list(candidates)}, {"name", std::string(name)}}}));
}

std::optional<Loop> Schedule::sample_compute_location(BlockRef block, std::string_view name) {
  for (const Result& result :
       must({"sample_compute_location", {block}, {{"name", std::string(name)}}})) {
    if (const Loop* loop = std::get_if<Loop>(&result)) return *loop;
  }
  return std::nullopt;
}

Int Schedule::sample_categorical(const std::vector<int64_t>& candidates,
                                 const std::vector<double>& weights, std::string_view name) {
  return as_ints(must({"sample_categorical",
                       {},
                       {{"candidates", as_list(candidates)},
                        {"weights", as_list(weights)},
                        {"name", std::string(name)}}}))[0];
}

}  // namespace tilewright::schedule
