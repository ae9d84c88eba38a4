#include "schedule/dependence.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

struct Uses {
  std::vector<Buffer> read, written;
};

void add_once(std::vector<Buffer>& list, const Buffer& buffer) {
  for (const Buffer& known : list) {
    if (known.same_as(buffer)) return;
  }
  list.push_back(buffer);
}

Uses uses_of(const Stmt& stmt) {
  Uses uses;
  walk_stmts(stmt, [&](const Stmt& s) {
    const auto* realize = s.as<BlockRealizeNode>();
    if (!realize) return;
    for (const Region& region : realize->block->reads) add_once(uses.read, region.buffer);
    for (const Region& region : realize->block->writes) add_once(uses.written, region.buffer);
  });
  return uses;
}

int64_t param_index(const PrimFunc& func, const Buffer& buffer) {
  for (size_t i = 0; i < func->params.size(); ++i) {
    if (func->params[i].buffer.same_as(buffer)) return static_cast<int64_t>(i);
  }
  return -1;
}

// Parameters may share memory when one is declared an alias of the other.
bool may_alias(const PrimFunc& func, const Buffer& a, const Buffer& b) {
  int64_t i = param_index(func, a), j = param_index(func, b);
  if (i < 0 || j < 0 || i == j) return false;
  int64_t of_i = func->params[i].alias_of, of_j = func->params[j].alias_of;
  return of_i == j || of_j == i || (of_i >= 0 && of_i == of_j);
}

class EarlierLater {
 public:
  EarlierLater(const arith::Analyzer& facts, const LoopBody& late, const LoopBody& early,
               const Expr& extent)
      : late_(late),
        early_(early),
        extent_(extent),
        time_("t", late.var.dtype()),
        gap_("d", late.var.dtype()),
        late_facts_(facts),
        early_facts_(facts),
        both_(facts) {
    late_facts_.bind_extent(late.var, extent);
    early_facts_.bind_extent(early.var, extent);
    both_.bind_extent(time_, extent);
    Expr one = make_int(extent.dtype(), 1);
    both_.bind(gap_, {one, extent - one});
    both_.assume(time_ + gap_ < extent);
  }

  // Are `late`'s accesses apart from those `early` made in earlier iterations?
  bool apart(const Buffer& buffer, bool late_reads, bool late_writes, bool early_reads,
             bool early_writes) {
    auto late = arith::accessed_region(late_facts_, late_.body, buffer, late_reads, late_writes);
    auto early =
        arith::accessed_region(early_facts_, early_.body, buffer, early_reads, early_writes);
    if (!late || !early) return true;
    for (size_t d = 0; d < late->ranges.size(); ++d) {
      Range x = at(late->ranges[d], late_.var, time_ + gap_);
      Range y = at(early->ranges[d], early_.var, time_);
      if (both_.can_prove(x.min >= y.min + y.extent) ||
          both_.can_prove(y.min >= x.min + x.extent)) {
        return true;
      }
    }
    return same_tiles(*late, *early);
  }

 private:
  static Range at(const Range& range, const Var& var, const Expr& value) {
    return {substitute(range.min, {{var, value}}), substitute(range.extent, {{var, value}})};
  }

  // Both walk through the same aligned tiles, no tile twice.
  bool same_tiles(const Region& late, const Region& early) {
    std::vector<Expr> tiles;
    for (size_t d = 0; d < late.ranges.size(); ++d) {
      Range y = at(early.ranges[d], early_.var, late_.var);
      const int64_t* size = as_const_int(late.ranges[d].extent);
      if (!size || *size < 1 || !is_const_int(y.extent, *size)) return false;
      if (!late_facts_.can_prove_equal(late.ranges[d].min, y.min)) return false;
      Expr unit = make_int(y.min.dtype(), *size);
      if (!late_facts_.can_prove_equal(floor_mod(y.min, unit), make_int(y.min.dtype(), 0))) {
        return false;
      }
      tiles.push_back(late_facts_.simplify(floor_div(y.min, unit)));
    }
    return arith::analyze_map(late_facts_, {{late_.var, extent_}}, tiles, {}, make_bool(true))
        .injective.value_or(false);
  }

  const LoopBody& late_;
  const LoopBody& early_;
  Expr extent_;
  Var time_, gap_;
  arith::Analyzer late_facts_, early_facts_, both_;
};

}  // namespace

Buffer shared_buffer(const Invocation& in, const Stmt& a, const Stmt& b) {
  Uses x = uses_of(a), y = uses_of(b);
  auto meet = [&](const std::vector<Buffer>& left, const std::vector<Buffer>& right) {
    for (const Buffer& l : left) {
      for (const Buffer& r : right) {
        if (l.same_as(r) || may_alias(in.func, l, r)) return l;
      }
    }
    return Buffer();
  };
  Buffer found = meet(x.written, y.written);
  if (!found) found = meet(x.written, y.read);
  if (!found) found = meet(x.read, y.written);
  return found;
}

Buffer shared_with_earlier(const Invocation& in, const arith::Analyzer& facts, const LoopBody& late,
                           const LoopBody& early, const Expr& extent,
                           const std::function<bool(const Buffer&)>& is_private) {
  if (is_const_int(extent, 1)) return {};  // no iteration is earlier than another
  Uses x = uses_of(late.body), y = uses_of(early.body);
  std::optional<EarlierLater> proof;
  auto meet = [&](const std::vector<Buffer>& left, const std::vector<Buffer>& right,
                  bool left_writes, bool right_writes) {
    for (const Buffer& l : left) {
      if (is_private(l)) continue;
      for (const Buffer& r : right) {
        if (may_alias(in.func, l, r)) return l;
        if (!l.same_as(r)) continue;
        if (!proof) proof.emplace(facts, late, early, extent);
        if (!proof->apart(l, !left_writes, left_writes, !right_writes, right_writes)) return l;
      }
    }
    return Buffer();
  };
  Buffer found = meet(x.written, y.written, true, true);
  if (!found) found = meet(x.written, y.read, true, false);
  if (!found) found = meet(x.read, y.written, false, true);
  return found;
}

namespace {

// The block with the steps of a reduction as plain stores, where it reads what it writes elsewhere too: steps meet at
// one accumulator, which the axes say, and a box around that and all it reads would hide the rest.
Stmt plain_stores(const BlockRealizeNode& realize) {
  const auto* update = realize.block->body.as<UpdateNode>();
  if (!update || !orders_itself(realize.block)) return Stmt(&realize);
  std::vector<Stmt> stores;
  for (size_t j = 0; j < update->buffers.size(); ++j) {
    stores.push_back(ir::store(update->buffers[j], update->indices, update->values[j]));
  }
  const BlockNode& b = *realize.block;
  Block plain(new BlockNode(b.id, b.name, b.block_kind, b.iter_vars, b.where, b.reads, b.writes, {},
                            {}, ir::seq(std::move(stores)), b.annotations, b.origin));
  return with_block(realize, std::move(plain));
}

// The loops between `loop` and the block, around the block alone.
Stmt alone_inside(const Invocation& in, const ForNode& loop, const BlockRealizeNode& realize,
                  const std::vector<const ForNode*>& free) {
  std::vector<const ForNode*> path = in.tree.loops_around(realize.block->id);
  Stmt body = plain_stores(realize);
  for (auto it = path.rbegin(); it != path.rend() && *it != &loop; ++it) {
    body = ir::with_body(*it, body);
  }
  for (auto it = free.rbegin(); it != free.rend(); ++it) {
    if (*it != &loop) body = ir::with_body(*it, body);
  }
  return body;
}

bool share_written(const Block& a, const Block& b) {
  auto touches = [](const Block& writer, const Block& other) {
    return std::any_of(writer->writes.begin(), writer->writes.end(), [&](const Region& region) {
      return block_reads(other, region.buffer) || block_writes(other, region.buffer);
    });
  };
  return touches(a, b) || touches(b, a);
}

Buffer written_by(const BlockRealizeNode& one, const BlockRealizeNode& other) {
  const auto& writes = one.block->writes.empty() ? other.block->writes : one.block->writes;
  return writes[0].buffer;
}

bool has_aliases(const PrimFunc& func) {
  return std::any_of(func->params.begin(), func->params.end(),
                     [](const Param& param) { return param.alias_of >= 0; });
}

}  // namespace

namespace {

// The axes at whose single points all accesses of `buffer` by the block lie, each in a dimension of its own.
std::vector<Expr> point_axes(const BlockRealizeNode& realize, const Buffer& buffer) {
  const Block& block = realize.block;
  std::vector<Expr> values;
  for (size_t i = 0; i < block->iter_vars.size(); ++i) {
    const IterVar& iter = block->iter_vars[i];
    if (iter.kind != IterKind::kSpatial) continue;
    bool point = false;
    for (int d = 0; d < buffer->rank() && !point; ++d) {
      point = true;
      for (const auto& regions : {block->reads, block->writes}) {
        for (const Region& region : regions) {
          if (!region.buffer.same_as(buffer)) continue;
          const Range& range = region.ranges[static_cast<size_t>(d)];
          point &= range.min.same_as(iter.var) && is_const_int(range.extent, 1);
        }
      }
    }
    if (point) values.push_back(realize.iter_values[i]);
  }
  return values;
}

// Do instances of the block in different iterations of `loop` touch different points of all that it writes?
bool instances_apart(const Invocation& in, const ForNode& loop, const BlockRealizeNode& realize,
                     const std::vector<const ForNode*>& free) {
  const std::vector<const ForNode*> around = in.tree.loops_around(realize.block->id);
  arith::Analyzer facts = in.facts(around);
  Expr guard = make_bool(true);
  for (const Conjunct& conjunct : realize.guard) guard = guard && conjunct.cond;
  const auto inside = std::find(around.begin(), around.end(), &loop);
  for (const Region& written : realize.block->writes) {
    const std::vector<Expr> values = point_axes(realize, written.buffer);
    std::vector<std::pair<Var, Expr>> domain;
    bool moves = false;
    for (auto node = around.begin(); node != around.end(); ++node) {
      const bool used = std::any_of(values.begin(), values.end(), [&](const Expr& value) {
        return uses_var(value, (*node)->var);
      });
      moves |= used && *node == &loop;
      const bool varies =
          node >= inside || std::find(free.begin(), free.end(), *node) != free.end();
      if (used && varies) domain.emplace_back((*node)->var, (*node)->extent);
    }
    if (!moves || !arith::analyze_map(facts, domain, values, {}, guard).injective.value_or(false)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Carried> carried_dependence(const Invocation& in, const ForNode& loop,
                                          const std::vector<const ForNode*>& free) {
  if (is_const_int(loop.extent, 1)) return std::nullopt;
  std::vector<const BlockRealizeNode*> blocks = in.tree.blocks_under(loop.id);
  const bool ordered = std::any_of(blocks.begin(), blocks.end(), [](const BlockRealizeNode* b) {
    return orders_itself(b->block);
  });
  if (blocks.size() < 2 && !ordered) return std::nullopt;
  auto is_private = [&](const Buffer& buffer) {
    const AllocAt& home = buffer->alloc_at;
    return home.kind == AllocAt::Kind::kLoop && !is_param(in.func, buffer) &&
           (home.loop == loop.id || in.tree.encloses(loop.id, home.loop));
  };
  std::vector<const ForNode*> fixed;
  for (const ForNode* outer : in.tree.loops_around(loop.id)) {
    if (std::find(free.begin(), free.end(), outer) == free.end()) fixed.push_back(outer);
  }
  const bool depends_on_free = std::any_of(free.begin(), free.end(), [&](const ForNode* outer) {
    return outer != &loop && uses_var(loop.extent, outer->var);
  });
  const bool aliases = has_aliases(in.func);
  std::optional<arith::Analyzer> facts;
  for (const BlockRealizeNode* late : blocks) {
    for (const BlockRealizeNode* early : blocks) {
      // The axes of a block say how its instances depend on each other, but for those that read back.
      if (late == early &&
          (!orders_itself(late->block) || instances_apart(in, loop, *late, free))) {
        continue;
      }
      if (!(aliases || share_written(late->block, early->block))) continue;
      // The same iteration number means another range there; nothing is known then.
      if (depends_on_free) return Carried{written_by(*early, *late), early, late};
      if (!facts) facts.emplace(in.facts(fixed));
      Buffer buffer = shared_with_earlier(
          in, *facts, {alone_inside(in, loop, *late, free), loop.var},
          {alone_inside(in, loop, *early, free), loop.var}, loop.extent, is_private);
      if (buffer) return Carried{buffer, early, late};
    }
  }
  return std::nullopt;
}

std::vector<bool> hands_on_inside(const Invocation& in, const std::vector<const ForNode*>& chain) {
  std::vector<bool> result(chain.size(), false);
  for (size_t j = chain.size(); j-- > 1;) {
    result[j - 1] = result[j] || carried_dependence(in, *chain[j]).has_value();
  }
  return result;
}

std::string describe(const Carried& carried) {
  if (carried.one == carried.other) {
    return fmt::format("'{}', which {} reads back", carried.buffer->name, quoted(*carried.one));
  }
  return fmt::format("'{}', through {} and {}", carried.buffer->name, quoted(*carried.one),
                     quoted(*carried.other));
}

}  // namespace tilewright::schedule
