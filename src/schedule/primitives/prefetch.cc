#include "schedule/block_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/lower/prefetch_key.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr int64_t kMaxDistance = 1024;

void require_reachable(const Invocation& in, const BlockRealizeNode& reader, const Buffer& buffer,
                       const ForNode& loop) {
  if (!in.tree.encloses(loop.id, reader.block->id)) {
    in.refuse("not_around", loop.id,
              fmt::format("{} is not around {}", quoted(loop), quoted(reader)),
              "give one of get_loops(reader)");
  }
  if (loop.for_kind == ForKind::kParallel || loop.for_kind == ForKind::kVectorized) {
    in.refuse("loop_kind", loop.id,
              fmt::format("{} is {}: its next iteration is not this one's successor", quoted(loop),
                          spelling(loop.for_kind)),
              "choose a serial loop");
  }
  const AllocAt& home = buffer->alloc_at;
  if (!is_param(in.func, buffer) && home.kind == AllocAt::Kind::kLoop &&
      (home.loop == loop.id || in.tree.encloses(loop.id, home.loop))) {
    in.refuse("local_buffer", loop.id,
              fmt::format("'{}' lives inside {}; a later iteration has another one", buffer->name,
                          quoted(loop)),
              "choose a loop inside which the buffer outlives the iteration");
  }
  bool moves = false;
  for (const Region& region : reader.block->reads) {
    if (!region.buffer.same_as(buffer)) continue;
    for (size_t i = 0; i < reader.iter_values.size(); ++i) {
      if (!uses_var(reader.iter_values[i], loop.var)) continue;
      for (const Range& range : region.ranges) {
        moves |= uses_var(range.min, reader.block->iter_vars[i].var);
      }
    }
  }
  if (!moves) {
    in.refuse("same_elements", loop.id,
              fmt::format("{} reads the same elements of '{}' in every iteration of {}",
                          quoted(reader), buffer->name, quoted(loop)),
              "choose a loop that moves the access");
  }
}

}  // namespace

/// prefetch(reader, buffer, loop, distance): at the start of each iteration the processor is asked for the first
/// elements of `buffer` that will be read `distance` iterations later.
///
///   for i:                         for i:
///     for j: C[i] += A[i, j]         prefetch A[i + 4, 0]
///                                    for j: C[i] += A[i, j]
///
/// A hint that never changes a result; addresses stay inside the tensor. It stays with the loop (split leaves it on
/// the outermost part) and ends without effect where the loop no longer reads the buffer. Errors:
/// schedule.prefetch.unknown_buffer, .not_around, .loop_kind, .local_buffer, .same_elements, .distance.
Outputs run_prefetch(Invocation& in) {
  const BlockRealizeNode& reader = in.block(0);
  const ForNode& loop = in.loop(1);
  Buffer buffer = require_read_buffer(in, reader, in.text_attr("buffer"));
  int64_t distance = in.int_attr("distance");
  if (distance < 1 || distance > kMaxDistance) {
    in.refuse("distance", loop.id,
              fmt::format("distance {} is not in 1..{}", distance, kMaxDistance),
              "give the number of iterations that memory takes to answer");
  }
  require_reachable(in, reader, buffer, loop);
  Attrs annotations = loop.annotations;
  annotations[std::string(lower::kPrefetchKey) + buffer->name] = distance;
  in.finish(replace_stmt(in.func->body, &loop, with_annotations(loop, std::move(annotations))));
  return {};
}

}  // namespace tilewright::schedule
