#include <algorithm>
#include <numeric>

#include "schedule/block_rules.h"
#include "schedule/copy_nest.h"
#include "schedule/decision_refs.h"
#include "schedule/filled_box.h"
#include "schedule/layout_map.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Storage that becomes SSA values is for bodies whose indices unrolling makes constant; opaque ones stay as they are.
void require_memory(const Invocation& in, const BlockRealizeNode& user, Scope scope) {
  if (scope == Scope::kGlobal || scope == Scope::kLocal) return;
  if (user.block->block_kind == BlockKind::kCompute) return;
  in.refuse("opaque_block", user.block->id,
            fmt::format("{} is opaque, so its elements need places in memory, which scope '{}' "
                        "does not have",
                        quoted(user), spelling(scope)),
            "use scope 'global' or 'local'");
}

struct Padding {
  std::vector<Expr> shape;  // rounded up
  std::vector<Pad> pads;
};

Padding read_padding(const Invocation& in, const BlockRealizeNode& consumer, const Buffer& buffer) {
  Padding result{buffer->shape, {}};
  arith::Analyzer facts = in.facts();
  for (const Value& item : in.list_attr("pad")) {
    const auto* pair = std::get_if<Value::List>(&item.data);
    const bool two = pair && pair->size() == 2;
    const int64_t* dim_value = two ? std::get_if<int64_t>(&(*pair)[0].data) : nullptr;
    const int64_t* multiple_value = two ? std::get_if<int64_t>(&(*pair)[1].data) : nullptr;
    if (!dim_value || !multiple_value) {
      fail("trace.attribute", "attribute 'pad' of an instruction 'pack' lists pairs of integers");
    }
    int64_t dim = *dim_value, multiple = *multiple_value;
    if (dim < 0 || dim >= buffer->rank() || multiple < 1) {
      in.refuse(
          "pad", consumer.block->id,
          fmt::format("pad [{}, {}] of '{}': the dimension is in 0..{} and the multiple at least 1",
                      dim, multiple, buffer->name, buffer->rank() - 1),
          "write pad as {dimension: multiple}");
    }
    Expr unit = make_int(kInt64, multiple);
    result.shape[dim] = facts.simplify(ceil_div(buffer->shape[dim], unit) * unit);
    result.pads.push_back({dim, multiple, make_zero(buffer->dtype)});
  }
  return result;
}

// The map with the decisions it refers to replaced by their values.
std::string map_text(const Invocation& in, const BlockRealizeNode& at) {
  try {
    return insert_values(in.text_attr("map"), *in.made);
  } catch (const Error& error) {
    if (error.code() != "trace.decision") throw;
    in.refuse("map", at.block->id,
              fmt::format("the map '{}' refers to a decision that was not sampled before",
                          in.text_attr("map")),
              "sample it first, and write $name for one number or $name[0] for one of several");
  }
}

// A multiple of all constants that a layout divides by.
Expr whole_tiles(const LayoutNode& layout) {
  int64_t multiple = 1;
  for (const Expr& index : layout.physical) {
    walk_exprs(index, [&](const Expr& e) {
      const auto* node = e.as<BinaryNode>();
      const bool divides =
          node && (node->op == BinaryOp::kFloorDiv || node->op == BinaryOp::kFloorMod);
      const int64_t* by = divides ? as_const_int(node->b) : nullptr;
      if (by && *by > 0 && multiple < (int64_t{1} << 20)) multiple = std::lcm(multiple, *by);
    });
  }
  return make_int(kInt64, multiple);
}

Layout require_layout(const Invocation& in, const BlockRealizeNode& at, const Buffer& buffer,
                      const std::vector<Expr>& shape) {
  auto layout = parse_layout_map(map_text(in, at), shape.size());
  if (!layout) {
    in.refuse("map", at.block->id, layout.error(),
              "write a map such as \"(m, k) -> (m // 8, k, m % 8)\"");
  }
  arith::Analyzer facts = in.facts();
  std::vector<std::pair<Var, Expr>> domain;
  for (size_t d = 0; d < shape.size(); ++d) {
    // Different elements of a longer dimension that all tiles divide are so in a shorter one as well.
    const Expr extent = as_const_int(shape[d]) ? shape[d] : shape[d] * whole_tiles(**layout);
    facts.bind_extent((*layout)->vars[d], extent);
    domain.emplace_back((*layout)->vars[d], extent);
  }
  arith::MapFacts map = arith::analyze_map(facts, domain, (*layout)->physical, {}, make_bool(true));
  if (map.injective.value_or(false)) return *layout;
  in.refuse(
      "map", at.block->id,
      fmt::format("the map {} of '{}' is not proved to send different elements to different places",
                  in.text_attr("map"), buffer->name),
      "build it from quotient and remainder of each dimension by one constant, such as m // 8 and "
      "m % 8");
}

// cache_read and pack.
Outputs read_through(Invocation& in, const Layout& layout, const Padding& padding,
                     const Buffer& source) {
  const BlockRealizeNode& consumer = in.block(0);
  Scope scope = require_scope(in, in.text_attr("scope"), consumer.block->id);
  require_memory(in, consumer, scope);
  Stmt home = root_child_of(in, consumer.block->id);
  const std::optional<Region> written = require_filled_box(in, consumer, before(in, home), source);
  for (const BlockRealizeNode* writer : writers_of(in.tree, source)) {
    if (contains_block(home, writer->block->id) && !has_fault(Fault::cache_of_shared_loops)) {
      in.refuse("shared_loops", consumer.block->id,
                fmt::format("{} makes '{}' inside the loops of {}", quoted(*writer), source->name,
                            quoted(consumer)),
                "do this before compute_at");
    }
  }
  std::string name =
      unique_buffer_name(in.func, fmt::format("{}_{}", source->name, in.text_attr("scope")));
  Buffer copy(new BufferNode(name, source->dtype, padding.shape, scope, layout, padding.pads));
  CopyNest filled = make_copy(in, copy, padding.shape, unique_block_name(in.tree, name),
                              layout ? "pack" : "cache_read", [&](const std::vector<Expr>& at) {
                                Expr inside = written ? written_part(in, *written, at) : Expr();
                                for (const Pad& pad : padding.pads) {
                                  Expr term = at[pad.dim] < source->shape[pad.dim];
                                  inside = inside.defined() ? inside && term : term;
                                }
                                return load_where(source, at, inside);
                              });
  Stmt redirected = replace_buffers(Stmt(&consumer), {{source, copy}});
  Stmt root = replace_stmt(in.func->body, home.get(),
                           ir::seq({filled.stmt, replace_stmt(home, &consumer, redirected)}));
  std::vector<Buffer> allocs = in.func->allocs;
  allocs.push_back(copy);
  in.finish(root, std::move(allocs));
  return {BlockRef{filled.block_id}};
}

}  // namespace

/// cache_read(block, buffer, scope): the block reads a copy of one of its inputs.
///
///   before                        after cache_read(C, "A", "local")
///   for i: C[i] = A[i] + 1        for i: A_local[i] = A[i]
///                                 for i: C[i] = A_local[i] + 1
///
/// The copy is whole until compute_at moves it; it is one new block, which is returned. Errors:
/// schedule.cache_read.unknown_buffer, .scope, .shared_loops, .opaque_block.
Outputs run_cache_read(Invocation& in) {
  const BlockRealizeNode& consumer = in.block(0);
  Buffer source = require_read_buffer(in, consumer, in.text_attr("buffer"));
  return read_through(in, Layout(), {source->shape, {}}, source);
}

/// pack(block, buffer, map, pad, scope): cache_read into a buffer whose elements lie as `map` says.
///
///   pack(C, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}})
///     A_global has shape [roundup(M, 6), K]; element (m, k) lies at [m // 6][k][m % 6]; rows from M on hold
///     zero.
///
/// The map may refer to decisions, "(m, k) -> (m // $rows, k, m % $rows)", and to sums and products of them in
/// parentheses. Accesses stay logical; the loop order over the physical form is a step of its own (split and reorder
/// the returned block). Errors: schedule.pack.map, .pad, .unknown_buffer, .scope, .shared_loops, .opaque_block.
Outputs run_pack(Invocation& in) {
  const BlockRealizeNode& consumer = in.block(0);
  Buffer source = require_read_buffer(in, consumer, in.text_attr("buffer"));
  if (consumer.block->block_kind == BlockKind::kExtern) require_compute_block(in, consumer);
  Padding padding = read_padding(in, consumer, source);
  Layout layout = require_layout(in, consumer, source, padding.shape);
  return read_through(in, layout, padding, source);
}

namespace {

// All that writes the buffer must do so in one nest: it is copied out behind it.
void require_writers_inside(const Invocation& in, const BlockRealizeNode& writer,
                            const Buffer& target, const Stmt& home) {
  for (const BlockRealizeNode* other : writers_of(in.tree, target)) {
    if (contains_block(home, other->block->id)) continue;
    in.refuse("several_writers", writer.block->id,
              fmt::format("'{}' is written by {} and, in another nest, by {}", target->name,
                          quoted(writer), quoted(*other)),
              "do this before decompose_reduction");
  }
}

}  // namespace

namespace {

// Of a buffer that the caller has filled, the copy would overwrite what the block leaves alone, and the block would not
// find there what it reads.
void require_all_written(const Invocation& in, const BlockRealizeNode& writer, const Buffer& target,
                         const Stmt& home) {
  const auto made = arith::accessed_region(in.facts(), home, target, false, true);
  std::vector<Expr> at;
  for (size_t d = 0; d < target->shape.size(); ++d) at.push_back(Var("at", kInt64));
  const bool all =
      made && writes_fill_box(in, home, *made) && !written_part(in, *made, at).defined();
  if (all && !orders_itself(writer.block)) return;
  in.refuse("several_writers", writer.block->id,
            fmt::format("'{}' comes filled by the caller, and {} {}", target->name, quoted(writer),
                        all ? "reads it" : "is not proved to write all of it"),
            "schedule the block as it is");
}

}  // namespace

/// cache_write(block, scope, write_index): the block computes into a buffer of its own, which is then copied
/// out.
///
///   before                           after cache_write(C, "local")
///   for i: for k: C[i] += A[i, k]    for i: for k: C_local[i] += A[i, k]
///                                    for i: C[i] = C_local[i]
///
/// Init and update both go to the new buffer. The returned block is the copy. Readers inside the same loops read
/// the new buffer. Errors: schedule.cache_write.scope, .write_index, .several_writers, .shared_loops,
/// .opaque_block.
Outputs run_cache_write(Invocation& in) {
  in.moves_blocks = true;
  const BlockRealizeNode& writer = in.block(0);
  Buffer target = require_written_buffer(in, writer);
  Stmt home = root_child_of(in, writer.block->id);
  require_writers_inside(in, writer, target, home);
  Scope scope = require_scope(in, in.text_attr("scope"), writer.block->id);
  require_memory(in, writer, scope);
  // All it declares as written counts as written, but elements that the caller put there must stay.
  if (holds_callers_data(in.func, target)) {
    require_compute_block(in, writer);
    require_all_written(in, writer, target, home);
  }
  std::string name =
      unique_buffer_name(in.func, fmt::format("{}_{}", target->name, in.text_attr("scope")));
  if (target->alloc_at.kind == AllocAt::Kind::kLoop && !is_param(in.func, target)) {
    in.refuse("shared_loops", writer.block->id,
              fmt::format("'{}' lives inside a loop that {} shares with others", target->name,
                          quoted(writer)),
              "do this before compute_at or reverse_compute_at; set_scope says where it is stored");
  }
  Buffer cache = make_buffer(name, target->dtype, target->shape, scope);
  Stmt redirected = replace_buffers(home, {{target, cache}});
  if (has_fault(Fault::cache_write_keeps_init) && writer.block->init) {
    redirected = map_blocks(redirected, [&](const BlockRealizeNode& realize, const Stmt& self) {
      return realize.block->id != writer.block->id
                 ? self
                 : with_block(realize,
                              with_body(realize.block, writer.block->init, realize.block->body));
    });
  }
  const std::optional<Region> written = require_filled_box(in, writer, home, target);
  CopyNest copied = make_copy(in, target, target->shape, unique_block_name(in.tree, name),
                              "cache_write", [&](const std::vector<Expr>& at) {
                                const Expr inside =
                                    written ? written_part(in, *written, at) : Expr();
                                return load_where(cache, at, inside);
                              });
  std::vector<Buffer> allocs = in.func->allocs;
  allocs.push_back(cache);
  in.finish(replace_stmt(in.func->body, home.get(), ir::seq({redirected, copied.stmt})),
            std::move(allocs));
  return {BlockRef{copied.block_id}};
}

namespace {

void replace_written(Invocation& in, const Buffer& old, const Buffer& changed) {
  std::vector<Buffer> allocs;
  for (const Buffer& buffer : in.func->allocs) {
    allocs.push_back(buffer.same_as(old) ? changed : buffer);
  }
  in.finish(replace_buffers(in.func->body, {{old, changed}}), std::move(allocs));
}

}  // namespace

/// set_scope(block, scope, write_index): where the buffer that the block writes is stored: "global", "local",
/// "register", … Errors: schedule.set_scope.scope, .parameter, .write_index,
/// .opaque_block.
Outputs run_set_scope(Invocation& in) {
  const BlockRealizeNode& writer = in.block(0);
  Buffer buffer = require_written_buffer(in, writer);
  require_intermediate(in, writer, buffer);
  const Scope scope = require_scope(in, in.text_attr("scope"), writer.block->id);
  for (const BlockRealizeNode* user : in.tree.blocks_under(-1)) {
    if (block_reads(user->block, buffer) || block_writes(user->block, buffer)) {
      require_memory(in, *user, scope);
    }
  }
  replace_written(in, buffer, with_scope(buffer, scope));
  return {};
}

/// transform_layout(block, map, write_index): where the elements of the buffer that the block writes lie.
///
///   transform_layout(B, "(n, c, h) -> (n, c // 8, h, c % 8)")
///
/// The map may refer to decisions as that of pack does. Accesses stay logical. Errors: schedule.transform_layout.map, .parameter,
/// .write_index, .opaque_block.
Outputs run_transform_layout(Invocation& in) {
  const BlockRealizeNode& writer = in.block(0);
  Buffer buffer = require_written_buffer(in, writer);
  require_intermediate(in, writer, buffer);
  require_no_extern_use(in, writer, buffer);
  replace_written(in, buffer,
                  with_layout(buffer, require_layout(in, writer, buffer, buffer->shape)));
  return {};
}

}  // namespace tilewright::schedule
