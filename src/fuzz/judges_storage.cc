#include <algorithm>
#include <set>

#include "fuzz/judges.h"
#include "schedule/block_rules.h"
#include "schedule/layout_map.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

/// \file
/// Judges of the primitives that say where buffers live, how they are laid out, and what is copied or asked for.

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Element;
using schedule::Enumeration;
using schedule::StatementInstance;
using schedule::Tree;
using schedule::Value;

Buffer written_buffer(const Case& c) {
  const auto index = std::get<int64_t>(c.error.attrs.at("write_index").data);
  return Tree(c.func).block(c.id(0))->block->writes.at(static_cast<size_t>(index)).buffer;
}

namespace {

std::string text_of(const Case& c, const char* attr) {
  return std::get<std::string>(c.error.attrs.at(attr).data);
}

Buffer buffer_named(const Case& c, const std::string& name) {
  for (const Param& param : c.func->params) {
    if (param.buffer && param.buffer->name == name) return param.buffer;
  }
  for (const Buffer& buffer : c.func->allocs) {
    if (buffer->name == name) return buffer;
  }
  return {};
}

}  // namespace

// A buffer of one iteration: all that is read of it has been written in the same iteration.
Ruling judge_store_at(const Case& c) {
  const int64_t loop = c.id(1);
  const std::vector<Buffer> moved = {written_buffer(c)};
  for (const Enumeration& e : c.instances()) {
    std::map<Element, std::optional<Iteration>> last;  // the iteration that wrote it
    for (const StatementInstance& instance : e.instances) {
      const std::optional<Iteration> at = iteration_of(e, instance, loop);
      const auto finds = [&](const Element& element) {
        const auto writer = last.find(element);
        return writer == last.end() || (at && writer->second == at);
      };
      for (const Element& element : instance.reads) {
        if (is_of(e, element, moved) && !finds(element)) return Ruling::kIllegal;
      }
      for (const Element& element : instance.writes) {
        if (!is_of(e, element, moved)) continue;
        if (instance.updates && !finds(element)) return Ruling::kIllegal;
        last[element] = at;
      }
    }
  }
  // A block outside, even one that never runs, would speak of a buffer that is not there.
  const Tree tree(c.func);
  for (const BlockRealizeNode* realize : tree.blocks_under(-1)) {
    const bool uses = schedule::block_reads(realize->block, moved[0]) ||
                      schedule::block_writes(realize->block, moved[0]);
    if (uses && !tree.encloses(loop, realize->block->id)) return Ruling::kNotApplicable;
  }
  return Ruling::kLegal;
}

// A later iteration must read something else than this one.
Ruling judge_prefetch(const Case& c) {
  const std::vector<Buffer> buffers = {buffer_named(c, text_of(c, "buffer"))};
  const auto distance = std::get<int64_t>(c.error.attrs.at("distance").data);
  for (const Enumeration& e : c.instances()) {
    std::map<Iteration, std::set<Element>> read;
    for (const StatementInstance& instance : e.instances) {
      const auto at = iteration_of(e, instance, c.id(1));
      if (instance.block != c.id(0) || !at) continue;
      for (const Element& element : instance.reads) {
        if (is_of(e, element, buffers)) read[*at].insert(element);
      }
    }
    for (const auto& [at, elements] : read) {
      Iteration later = at;
      later.back() += distance;
      const auto ahead = read.find(later);
      if (ahead != read.end() && ahead->second != elements) return Ruling::kLegal;
    }
  }
  return Ruling::kNotApplicable;
}

// A result indexed by the axes is copied out: no two points may go to one element. Accesses of several indices, or of
// other things than the axes, are not what the primitive is for.
Ruling judge_reindex(const Case& c) {
  if (c.error.reason.find("different points") == std::string::npos) return Ruling::kForm;
  const std::vector<Buffer> buffers = {buffer_named(c, text_of(c, "buffer"))};
  const auto& iters = Tree(c.func).block(c.id(0))->block->iter_vars;
  for (const Enumeration& e : c.instances()) {
    std::map<Element, std::vector<int64_t>> owner;
    for (const StatementInstance& instance : e.instances) {
      if (instance.block != c.id(0) || instance.is_init) continue;
      std::vector<int64_t> point;
      for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind == IterKind::kSpatial) point.push_back(instance.point[i]);
      }
      for (const Element& element : instance.writes) {
        if (!is_of(e, element, buffers)) continue;
        if (owner.try_emplace(element, point).first->second != point) return Ruling::kIllegal;
      }
    }
  }
  return Ruling::kLegal;
}

namespace {

// The block's loads along the axis, with a constant beyond its end.
class PadLoads final : public Mutator {
 public:
  using Mutator::mutate;
  using Mutator::mutate_node;
  PadLoads(const IterVar& axis, const Reducer& reducer, int fill)
      : axis_(axis), reducer_(reducer), fill_(fill) {}

 protected:
  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    const bool along = std::any_of(node.indices.begin(), node.indices.end(),
                                   [&](const Expr& index) { return axis_.var.same_as(index); });
    if (!along) return mutate_children(node, self);
    const Expr& identity = reducer_->identity[0];
    const DType dtype = node.buffer->dtype;
    const Expr surplus =
        fill_ == 2 && identity.dtype() == dtype ? identity : make_const(dtype, fill_ == 1 ? 1 : 0);
    return if_then_else(axis_.var < axis_.dom.extent, self, surplus);
  }

 private:
  const IterVar& axis_;
  const Reducer& reducer_;
  int fill_;
};

// The program with some more iterations of the block's reduction axis `i`, in which its inputs are a constant. The
// axis has a loop of its own.
PrimFunc with_surplus(const PrimFunc& func, int64_t block, size_t i, int fill) {
  const Tree tree(func);
  const BlockRealizeNode* realize = tree.block(block);
  const Block& b = realize->block;
  std::vector<IterVar> iters = b->iter_vars;
  const Expr longer = iters[i].dom.extent + 3;
  PadLoads pad(b->iter_vars[i], b->reducer, fill);
  iters[i].dom.extent = longer;
  const Block padded = arith::with_derived_regions(Block(new BlockNode(
      b->id, b->name, b->block_kind, iters, b->where.defined() ? pad.mutate(b->where) : Expr(), {},
      {}, b->reducer, b->init, pad.mutate(b->body), b->annotations, b->origin)));
  Stmt nest(realize);
  const std::vector<const ForNode*> loops = tree.loops_around(block);
  Stmt inner = schedule::with_block(*realize, padded);
  for (size_t d = loops.size(); d-- > 0;) {
    if (!loops[d]->var.same_as(realize->iter_values[i])) continue;
    const Stmt body = schedule::replace_stmt(loops[d]->body, realize, inner);
    return ir::with_body(func, schedule::replace_stmt(func->body, loops[d],
                                                      make_for(loops[d]->id, loops[d]->var, longer,
                                                               body, loops[d]->for_kind)));
  }
  throw TooLarge{};  // no loop of its own: not to be judged so
}

}  // namespace

// Surplus terms, of inputs that are 0, 1 or the identity there, leave the result as it is, whether inputs are below or
// above those.
Ruling judge_neutral(const Case& c) {
  const auto& padding = std::get<Value::List>(c.error.attrs.at("padding").data);
  const auto& iters = Tree(c.func).block(c.id(0))->block->iter_vars;
  std::vector<Reference> references;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    testing::CheckOptions data;
    data.seed = seed;
    (seed % 2 == 0 ? data.low : data.high) = 0;
    references.emplace_back(c.func, c.reference.sizes(), c.reference.tolerance(), data);
  }
  for (const int fill : {0, 1, 2}) {
    bool neutral = true;
    for (size_t i = 0; neutral && i < iters.size(); ++i) {
      if (iters[i].kind != IterKind::kReduce || std::get<int64_t>(padding[i].data) == 1) continue;
      const PrimFunc surplus = with_surplus(c.func, c.id(0), i, fill);
      neutral = std::all_of(references.begin(), references.end(),
                            [&](const Reference& r) { return r.difference(surplus).empty(); });
    }
    if (neutral) return Ruling::kLegal;
  }
  return Ruling::kIllegal;
}

// Different elements go to different places. What is no map over the buffer's dimensions stands for nothing.
Ruling judge_layout(const Case& c) {
  const bool packs = c.error.attrs.count("buffer") > 0;
  const Buffer buffer = packs ? buffer_named(c, text_of(c, "buffer")) : written_buffer(c);
  const auto layout =
      schedule::parse_layout_map(text_of(c, "map"), static_cast<size_t>(buffer->rank()));
  if (!layout) return Ruling::kNotApplicable;
  for (const Sizes& sizes : c.reference.sizes()) {
    std::vector<int64_t> shape;
    for (const Expr& extent : buffer->shape) {
      shape.push_back(evaluate_int(extent, c.size_values(sizes)));
    }
    if (packs) {
      for (const Value& item : std::get<Value::List>(c.error.attrs.at("pad").data)) {
        const auto& pad = std::get<Value::List>(item.data);
        int64_t& extent = shape.at(static_cast<size_t>(std::get<int64_t>(pad[0].data)));
        const auto multiple = std::get<int64_t>(pad[1].data);
        extent = (extent + multiple - 1) / multiple * multiple;
      }
    }
    std::set<std::vector<int64_t>> places;
    std::vector<int64_t> at(shape.size(), 0);
    int64_t volume = 1;
    for (const int64_t extent : shape) volume *= extent;
    for (int64_t n = 0; n < volume; ++n) {
      int64_t rest = n;
      std::vector<std::pair<Var, int64_t>> values;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
        values.emplace_back((*layout)->vars[d], rest % shape[d]);
      }
      std::vector<int64_t> place;
      for (const Expr& index : (*layout)->physical) place.push_back(evaluate_int(index, values));
      if (!places.insert(place).second) return Ruling::kIllegal;
    }
  }
  return Ruling::kLegal;
}

}  // namespace tilewright::fuzz
