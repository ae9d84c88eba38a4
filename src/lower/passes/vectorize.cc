#include "lower/fresh_copy.h"
#include "lower/lane_rewriter.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// A longer loop is cut into a serial loop over vectors of two registers.
constexpr int64_t kMaxLanes = 64;

class Vectorize final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  Vectorize(const PrimFunc& func, const Target& target)
      : BoundMutator(func),
        next_(next_free_id(func)),
        next_id_([this] { return next_++; }),
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
    return LaneRewriter(analyzer_, node, static_cast<int>(*extent), next_id_).run();
  }

 private:
  Stmt strip_mine(const ForNode& node, int64_t extent) {
    const DType dtype = node.var.dtype();
    const int64_t whole = extent / strip_lanes_, rest = extent % strip_lanes_;
    auto vector_loop = [&](const Expr& start, int64_t lanes, const Stmt& body) {
      Var lane(node.var.name(), dtype);
      return make_for(next_id_(), lane, make_int(dtype, lanes),
                      substitute(body, {{node.var, start + lane}}), ForKind::kVectorized);
    };
    Var strip(node.var.name() + "_o", dtype);
    Stmt main =
        make_for(next_id_(), strip, make_int(dtype, whole),
                 vector_loop(strip * make_int(dtype, strip_lanes_), strip_lanes_, node.body));
    std::vector<Stmt> parts = {mutate(main)};
    if (rest > 0) {
      Stmt copy = fresh_copy(node.body, next_id_);
      parts.push_back(mutate(vector_loop(make_int(dtype, whole * strip_lanes_), rest, copy)));
    }
    return seq(std::move(parts));
  }

  int64_t next_;
  const std::function<int64_t()> next_id_;
  const int64_t strip_lanes_;
};

}  // namespace

PrimFunc vectorize(const PrimFunc& func, const Target& target, const LowerOptions&) {
  return with_body(func, Vectorize(func, target).mutate(func->body));
}

}  // namespace tilewright::lower
