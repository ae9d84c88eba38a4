#include "schedule/block_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// The layout with vars, physical indices and one stride a physical dimension spelt out. In a stride, the first
// layout variable stands for the compact stride of that dimension (see flatten_buffers).
Layout spelt_out(const Buffer& buffer) {
  const LayoutNode* old = buffer->layout.get();
  std::vector<Var> vars = old ? old->vars : std::vector<Var>();
  std::vector<Expr> physical = old ? old->physical : std::vector<Expr>();
  std::vector<Expr> strides = old ? old->strides : std::vector<Expr>();
  if (vars.empty()) {
    for (int d = 0; d < buffer->rank(); ++d) vars.emplace_back(fmt::format("i{}", d), kInt64);
    physical.assign(vars.begin(), vars.end());
  }
  if (strides.empty()) strides.assign(physical.size(), vars[0]);
  return Layout(new LayoutNode(std::move(vars), std::move(physical), std::move(strides),
                               old ? old->elem_offset : Expr(),
                               old ? old->fold_moduli : std::vector<int64_t>(),
                               old ? old->versions : 1, old ? old->swizzle : 0));
}

size_t dimensions(const Buffer& buffer) {
  const bool mapped = buffer->layout && !buffer->layout->physical.empty();
  return mapped ? buffer->layout->physical.size() : buffer->shape.size();
}

}  // namespace

/// storage_align(block, axis, factor, offset, write_index): one step along physical dimension `axis` of the buffer
/// that the block writes is the smallest number of elements s, at least the compact one, with
/// s % factor == offset.
///
///   storage_align(B, 0, 32, 4)    rows of B[8, 40] begin 68 elements apart: 68 % 32 == 4
///
/// Dimensions are those of the buffer's layout, where transform_layout has given it one; a transform_layout
/// afterwards lays the elements out anew, without gaps. A negative axis counts from the end. Errors:
/// schedule.storage_align.axis, .factor, .parameter, .write_index.
Outputs run_storage_align(Invocation& in) {
  const BlockRealizeNode& writer = in.block(0);
  Buffer buffer = require_written_buffer(in, writer);
  require_intermediate(in, writer, buffer);
  const int64_t rank = static_cast<int64_t>(dimensions(buffer));
  const int64_t factor = in.int_attr("factor"), offset = in.int_attr("offset");
  int64_t axis = in.int_attr("axis");
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) {
    in.refuse("axis", writer.block->id,
              fmt::format("'{}' has {} dimensions in storage; there is no number {}", buffer->name,
                          rank, in.int_attr("axis")),
              "count the dimensions from 0, or from -1 for the last");
  }
  constexpr int64_t kLargest = int64_t{1} << 20;
  if (factor < 1 || factor > kLargest || offset < 0 || offset >= factor) {
    in.refuse("factor", writer.block->id,
              fmt::format("a stride that leaves {} when divided by {}", offset, factor),
              fmt::format("the factor is in 1..{} and the offset in 0..factor-1", kLargest));
  }
  Layout layout = spelt_out(buffer);
  std::vector<Expr> strides = layout->strides;
  const Var& compact = layout->vars[0];
  strides[axis] = compact + floor_mod(make_int(kInt64, offset) - compact, make_int(kInt64, factor));
  Buffer aligned = with_layout(
      buffer,
      Layout(new LayoutNode(layout->vars, layout->physical, std::move(strides), layout->elem_offset,
                            layout->fold_moduli, layout->versions, layout->swizzle)));
  std::vector<Buffer> allocs;
  for (const Buffer& b : in.func->allocs) allocs.push_back(b.same_as(buffer) ? aligned : b);
  in.finish(replace_buffers(in.func->body, {{buffer, aligned}}), std::move(allocs));
  return {};
}

}  // namespace tilewright::schedule
