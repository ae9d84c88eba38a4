#include <algorithm>

#include "lower/fresh_copy.h"
#include "lower/lane_rewriter.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// A longer loop is cut into a serial loop over vectors of two registers.
constexpr int64_t kMaxLanes = 64;

/// Bits of the widest element that the body reads or writes.
int widest_bits(const Stmt& body) {
  int bits = 8;
  auto note = [&](const Buffer& buffer) { bits = std::max<int>(bits, buffer->dtype.bits); };
  walk_stmts(body, [&](const Stmt& s) {
    if (auto* store = s.as<StoreNode>()) note(store->buffer);
  });
  walk_exprs(body, [&](const Expr& e) {
    if (auto* load = e.as<LoadNode>()) note(load->buffer);
  });
  return bits;
}

class Vectorize final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  Vectorize(const PrimFunc& func, const Target& target)
      : BoundMutator(func),
        next_(next_free_id(func)),
        next_id_([this] { return next_++; }),
        target_(target),
        strip_lanes_(2 * target.vector_lanes(32)) {}

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    if (node.for_kind != ForKind::kVectorized) return BoundMutator::mutate_node(node, self);
    const int64_t* extent = as_const_int(node.extent);
    if (!extent) {
      fail("lower.vectorize_extent",
           "loop {} can't be vectorized: its extent is not constant; split it by a constant factor "
           "and vectorize the inner loop",
           describe_loop(node));
    }
    if (*extent <= 0) return nop();
    if (*extent == 1) {
      return mutate(substitute(node.body, {{node.var, make_int(node.var.dtype(), 0)}}));
    }
    if (*extent > kMaxLanes) return strip_mine(node, *extent);
    const int64_t native = target_.vector_lanes(widest_bits(node.body));
    // LLVM splits vectors of 2^n registers well, but takes others apart lane by lane.
    const bool power_of_two = (*extent & (*extent - 1)) == 0;
    if (*extent > native && !power_of_two && native > 1) return in_registers(node, *extent, native);
    return LaneRewriter(analyzer_, node, static_cast<int>(*extent), next_id_).run();
  }

 private:
  /// `lanes` iterations of the loop from `start` on.
  Stmt vector_loop(const ForNode& node, const Expr& start, int64_t lanes, const Stmt& body) {
    Var lane(node.var.name(), node.var.dtype());
    return make_for(next_id_(), lane, make_int(node.var.dtype(), lanes),
                    substitute(body, {{node.var, start + lane}}), ForKind::kVectorized);
  }

  /// One vector after the other, each of at most `native` lanes.
  Stmt in_registers(const ForNode& node, int64_t extent, int64_t native) {
    std::vector<Stmt> parts;
    for (int64_t start = 0; start < extent; start += native) {
      Stmt body = start == 0 ? node.body : fresh_copy(node.body, next_id_);
      parts.push_back(mutate(vector_loop(node, make_int(node.var.dtype(), start),
                                         std::min(native, extent - start), body)));
    }
    return seq(std::move(parts));
  }

  Stmt strip_mine(const ForNode& node, int64_t extent) {
    const DType dtype = node.var.dtype();
    const int64_t whole = extent / strip_lanes_, rest = extent % strip_lanes_;
    Var strip(node.var.name() + "_o", dtype);
    Stmt main =
        make_for(next_id_(), strip, make_int(dtype, whole),
                 vector_loop(node, strip * make_int(dtype, strip_lanes_), strip_lanes_, node.body));
    std::vector<Stmt> parts = {mutate(main)};
    if (rest > 0) {
      Stmt copy = fresh_copy(node.body, next_id_);
      parts.push_back(mutate(vector_loop(node, make_int(dtype, whole * strip_lanes_), rest, copy)));
    }
    return seq(std::move(parts));
  }

  int64_t next_;
  const std::function<int64_t()> next_id_;
  const Target& target_;
  const int64_t strip_lanes_;
};

}  // namespace

PrimFunc vectorize(const PrimFunc& func, const Target& target, const LowerOptions&) {
  return with_body(func, Vectorize(func, target).mutate(func->body));
}

}  // namespace tilewright::lower
