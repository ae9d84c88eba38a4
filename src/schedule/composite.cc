#include "tilewright/schedule/composite.h"

#include <algorithm>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::schedule {
namespace {

using ir::BlockRealizeNode;
using ir::ForNode;

// A block's realization and the loops around it.
struct Place {
  const BlockRealizeNode* realize = nullptr;
  std::vector<const ForNode*> loops;
};

class PlaceFinder : public ir::Visitor {
 public:
  explicit PlaceFinder(int64_t id) : id_(id) {}
  using ir::Visitor::visit_node;
  void visit_node(const ForNode& node) override {
    if (place.realize) return;
    place.loops.push_back(&node);
    visit_children(node);
    if (!place.realize) place.loops.pop_back();
  }
  void visit_node(const BlockRealizeNode& node) override {
    if (node.block->id == id_) place.realize = &node;
  }
  Place place;

 private:
  int64_t id_;
};

// 'S' or 'R' for each loop around the block.
std::vector<char> kinds_of_loops(const Schedule& sch, BlockRef block,
                                 const std::vector<Loop>& loops) {
  PlaceFinder finder(block.id);
  finder.visit(sch.func()->body);
  std::vector<char> kinds;
  for (size_t i = 0; i < loops.size(); ++i) {
    const ForNode* node = finder.place.loops[i];
    char kind = 0;
    const auto& axes = finder.place.realize->block->iter_vars;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (!finder.place.realize->iter_values[axis].same_as(node->var)) continue;
      kind = axes[axis].kind == ir::IterKind::kSpatial ? 'S' : 'R';
    }
    if (!kind) {
      fail(
          "schedule.multi_level_tile.loop",
          "multi_level_tile: loop '{}' is not by itself an axis of block '{}'; tile a block before "
          "its loops are split or fused",
          node->var.name(), sch.block_name(block));
    }
    kinds.push_back(kind);
  }
  return kinds;
}

// The factors of one loop, with the outermost open where it was left out.
std::vector<Factor> full_factors(const std::vector<Factor>& given, size_t levels,
                                 const std::string& loop, char kind) {
  std::vector<Factor> factors = given;
  if (factors.size() + 1 == levels) factors.insert(factors.begin(), std::nullopt);
  if (factors.size() != levels) {
    fail("schedule.multi_level_tile.factors",
         "multi_level_tile: loop '{}' is cut into {} levels ('{}'), but {} factors are given; give "
         "one a level, or one fewer to leave the outermost open",
         loop, levels, kind, given.size());
  }
  return factors;
}

size_t rank_of(const Schedule& sch, BlockRef block, std::string_view buffer) {
  PlaceFinder finder(block.id);
  finder.visit(sch.func()->body);
  if (!finder.place.realize) return 0;
  for (const ir::Region& read : finder.place.realize->block->reads) {
    if (read.buffer->name == buffer) return read.buffer->shape.size();
  }
  return 0;
}

// The decision by name, so that a search that changes it changes the layout as well; names that no map can hold, and
// plain numbers, as numbers.
std::string number_in_map(const Int& number) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]";
  const bool is_plain = number.decision.find_first_not_of(kPlain) == std::string::npos;
  if (number.decision.empty() || !is_plain) return std::to_string(number.value);
  return "$" + number.decision;
}

// "(d0, d1) -> (d0 // 6, d1, d0 % 6)" for dimension 0 of 2.
std::string panel_map(size_t rank, size_t dimension, const Int& tile) {
  std::string names, physical;
  for (size_t d = 0; d < rank; ++d) {
    names += fmt::format("{}d{}", d ? ", " : "", d);
    physical += d == dimension ? fmt::format("d{} // {}, ", d, number_in_map(tile))
                               : fmt::format("d{}, ", d);
  }
  return fmt::format("({}) -> ({}d{} % {})", names, physical, dimension, number_in_map(tile));
}

}  // namespace

std::vector<std::vector<Loop>> multi_level_tile(Schedule& sch, BlockRef block,
                                                std::string_view structure,
                                                const std::vector<std::vector<Factor>>& factors,
                                                std::string_view tail) {
  if (structure.empty() || structure.find_first_not_of("SR") != std::string_view::npos) {
    fail("schedule.multi_level_tile.structure",
         "multi_level_tile: structure '{}' is not made of the letters S (spatial loops) and R "
         "(reduction loops), such as \"SSRSRS\"",
         structure);
  }
  const std::vector<Loop> loops = sch.get_loops(block);
  const std::vector<char> kinds = kinds_of_loops(sch, block, loops);
  if (factors.size() != loops.size()) {
    fail("schedule.multi_level_tile.factors",
         "multi_level_tile: {} lists of factors for the {} loops of block '{}'; give one a loop",
         factors.size(), loops.size(), sch.block_name(block));
  }
  std::vector<std::vector<Factor>> plan;
  for (size_t i = 0; i < loops.size(); ++i) {
    const auto levels =
        static_cast<size_t>(std::count(structure.begin(), structure.end(), kinds[i]));
    if (levels == 0) {
      fail("schedule.multi_level_tile.structure",
           "multi_level_tile: structure '{}' has no level {} for loop '{}'", structure, kinds[i],
           sch.loop_name(loops[i]));
    }
    plan.push_back(full_factors(factors[i], levels, sch.loop_name(loops[i]), kinds[i]));
  }
  std::vector<std::vector<Loop>> parts;
  for (size_t i = 0; i < loops.size(); ++i) {
    parts.push_back(plan[i].size() == 1 ? std::vector<Loop>{loops[i]}
                                        : sch.split(loops[i], plan[i], tail));
  }
  std::vector<std::vector<Loop>> levels;
  std::vector<Loop> order;
  size_t next_spatial = 0, next_reduce = 0;
  for (char letter : structure) {
    size_t& next = letter == 'S' ? next_spatial : next_reduce;
    std::vector<Loop> level;
    for (size_t i = 0; i < loops.size(); ++i) {
      if (kinds[i] == letter) level.push_back(parts[i][next]);
    }
    ++next;
    order.insert(order.end(), level.begin(), level.end());
    levels.push_back(std::move(level));
  }
  if (!order.empty()) sch.reorder(order);
  return levels;
}

BlockRef stage_in_cache(Schedule& sch, BlockRef consumer, std::string_view buffer, Loop loop,
                        std::string_view scope) {
  const BlockRef copy = sch.cache_read(consumer, buffer, scope);
  sch.compute_at(copy, loop);
  return copy;
}

BlockRef accumulate_in_registers(Schedule& sch, BlockRef block, Loop loop) {
  const BlockRef copy = sch.cache_write(block, "register");
  sch.reverse_compute_at(copy, loop);
  return copy;
}

Loop vectorize_inner(Schedule& sch, BlockRef block, Int lanes, std::string_view tail) {
  const std::vector<Loop> loops = sch.get_loops(block);
  if (loops.empty()) {
    fail("schedule.vectorize_inner.no_loop",
         "vectorize_inner: block '{}' has no loop around it; add_unit_loop gives it one",
         sch.block_name(block));
  }
  Loop inner = loops.back();
  const int64_t extent = sch.loop_extent_or(inner, -1);
  if (extent < 0 || extent > lanes) inner = sch.split_factor(inner, lanes, tail)[1];
  sch.vectorize(inner);
  return inner;
}

void unroll_tile(Schedule& sch, Loop rows, Loop columns, Int lanes) {
  const std::vector<Loop> vectors = sch.split_factor(columns, lanes);
  sch.unroll(rows);
  sch.unroll(vectors[0]);
  sch.vectorize(vectors[1]);
}

Loop parallelize_outer(Schedule& sch, BlockRef block, int count) {
  const std::vector<Loop> loops = sch.get_loops(block);
  if (count < 1 || static_cast<size_t>(count) > loops.size()) {
    fail("schedule.parallelize_outer.count",
         "parallelize_outer: {} loops of the {} around block '{}'; give at least 1", count,
         loops.size(), sch.block_name(block));
  }
  const Loop outer = count == 1 ? loops[0] : sch.fuse({loops.begin(), loops.begin() + count});
  sch.parallel(outer);
  return outer;
}

BlockRef split_reduction(Schedule& sch, Loop loop, Int nparts, std::string_view tail) {
  return sch.rfactor(sch.split_nparts(loop, nparts, tail)[0]);
}

BlockRef stage_panels(Schedule& sch, BlockRef consumer, std::string_view buffer, Loop loop,
                      int dimension, Int tile) {
  const size_t rank = rank_of(sch, consumer, buffer);
  if (dimension < 0 || static_cast<size_t>(dimension) >= rank) {
    fail("schedule.stage_panels.dimension",
         "stage_panels: block '{}' reads no buffer '{}' with a dimension {}",
         sch.block_name(consumer), buffer, dimension);
  }
  const auto dim = static_cast<size_t>(dimension);
  const BlockRef panel =
      sch.pack(consumer, buffer, panel_map(rank, dim, tile), {{dimension, tile}});
  sch.compute_at(panel, loop);
  const std::vector<Loop> loops = sch.get_loops(panel);
  std::vector<Loop> order(loops.end() - static_cast<int64_t>(rank), loops.end());
  const std::vector<Loop> parts = sch.split_factor(order[dim], tile);
  order[dim] = parts[0];
  order.push_back(parts[1]);
  sch.reorder(order);
  sch.unroll(parts[1]);
  return panel;
}

}  // namespace tilewright::schedule
