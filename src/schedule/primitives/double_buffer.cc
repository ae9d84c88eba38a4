#include "schedule/block_rules.h"
#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"

namespace tilewright::schedule {

using namespace ir;

/// double_buffer(block, write_index): the iterations of the loop inside which the buffer lives use two copies of it in
/// turn.
///
///   for i:                           B has two versions; iteration i uses number i % 2
///     for j: B[j] = …
///     for j: C[i, j] = B[j]
///
/// So an iteration can begin to fill its copy while the one before is still read. The program means the same; accesses
/// stay logical, and lowering applies the versions. (software_pipeline makes the room that it needs by itself.)
/// Errors: schedule.double_buffer.not_in_loop, .loop_kind, .scope, .versions, .write_index, .parameter.
Outputs run_double_buffer(Invocation& in) {
  const BlockRealizeNode& writer = in.block(0);
  Buffer buffer = require_written_buffer(in, writer);
  require_intermediate(in, writer, buffer);
  const ForNode* loop =
      buffer->alloc_at.kind == AllocAt::Kind::kLoop ? in.tree.loop(buffer->alloc_at.loop) : nullptr;
  if (!loop) {
    in.refuse("not_in_loop", writer.block->id,
              fmt::format("'{}' is not made anew in each iteration of a loop", buffer->name),
              "compute_at puts its block into the loop of its consumer");
  }
  require_serial(in, *loop);
  if (buffer->scope == Scope::kRegister) {
    in.refuse("scope", writer.block->id,
              fmt::format("'{}' is in registers, which have one version each", buffer->name),
              "use set_scope to store it elsewhere");
  }
  const Layout& old = buffer->layout;
  if (old && old->versions > 1) {
    in.refuse("versions", writer.block->id,
              fmt::format("'{}' has {} versions already", buffer->name, old->versions),
              "leave double_buffer out: the buffer has what it gives");
  }
  Layout layout(old ? new LayoutNode(old->vars, old->physical, old->strides, old->elem_offset,
                                     old->fold_moduli, 2, old->swizzle)
                    : new LayoutNode({}, {}, {}, {}, {}, 2));
  Buffer changed = with_layout(buffer, layout);
  std::vector<Buffer> allocs;
  for (const Buffer& b : in.func->allocs) allocs.push_back(b.same_as(buffer) ? changed : b);
  in.finish(replace_buffers(in.func->body, {{buffer, changed}}), std::move(allocs));
  return {};
}

}  // namespace tilewright::schedule
