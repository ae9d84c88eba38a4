#include "lower/bound_mutator.h"
#include "lower/fresh_copy.h"
#include "lower/passes/passes.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// Statements that one unrolled nest may grow to; more costs seconds of compile time and runs no faster.
constexpr int64_t kMaxStatements = 4096;

class Unroll final : public Mutator {
 public:
  using Mutator::mutate;
  explicit Unroll(const PrimFunc& func)
      : next_(next_free_id(func)), next_id_([this] { return next_++; }) {}

 protected:
  using Mutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    if (node.for_kind != ForKind::kUnrolled) return mutate_children(node, self);
    const int64_t* extent = as_const_int(node.extent);
    if (!extent) {
      fail("lower.unroll_extent",
           "loop {} can't be unrolled: its extent is not constant; split it by a constant factor "
           "and unroll the inner loop",
           describe_loop(node));
    }
    if (const int64_t size = unrolled_size(self); size > kMaxStatements) {
      fail(
          "lower.unroll_size",
          "unrolling loop {} gives {} statements, more than {}; split it and unroll only the inner "
          "loop",
          describe_loop(node), size, kMaxStatements);
    }
    Stmt body = mutate(node.body);
    std::vector<Stmt> copies;
    const int64_t copied = *extent - (has_fault(Fault::unroll_one_less) ? 1 : 0);
    for (int64_t i = 0; i < copied; ++i) {
      Stmt copy = substitute(body, {{node.var, make_int(node.var.dtype(), i)}});
      copies.push_back(i == 0 ? copy : fresh_copy(copy, next_id_));
    }
    return seq(std::move(copies));
  }

 private:
  int64_t next_;
  const std::function<int64_t()> next_id_;
};

}  // namespace

PrimFunc unroll(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, Unroll(func).mutate(func->body));
}

}  // namespace tilewright::lower
