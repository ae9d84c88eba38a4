#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

using namespace tilewright;
using namespace tilewright::ir;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Rebuilds an expression through the folding builders, so that constants come out.
class Fold final : public Mutator {
 public:
  using Mutator::mutate_node;

 protected:
  Expr mutate_node(const BinaryNode& n, const Expr&) override {
    return binary(n.op, mutate(n.a), mutate(n.b));
  }
  Expr mutate_node(const UnaryNode& n, const Expr&) override { return unary(n.op, mutate(n.a)); }
  Expr mutate_node(const SelectNode& n, const Expr&) override {
    return select(mutate(n.condition), mutate(n.true_value), mutate(n.false_value));
  }
  Expr mutate_node(const CallNode& n, const Expr&) override {
    return call(n.intrinsic, {mutate(n.args[0])});
  }
};

// The index after folding `values` in order, starting from the identity.
int64_t reduced_index(const Reducer& r, const std::vector<double>& values) {
  std::vector<Expr> state = r->identity;
  for (size_t i = 0; i < values.size(); ++i) {
    VarMap map{{r->lhs[0], state[0]},
               {r->lhs[1], state[1]},
               {r->rhs[0], make_int(kInt64, static_cast<int64_t>(i))},
               {r->rhs[1], make_float(kFloat32, values[i])}};
    for (int j = 0; j < 2; ++j) state[j] = Fold().mutate(substitute(r->results[j], map));
  }
  REQUIRE(as_const_int(state[0]));
  return *as_const_int(state[0]);
}

}  // namespace

TEST_CASE("argmax and argmin break ties as numpy does", "[reducers]") {
  const Reducer most = reducers::argmax(kInt64, kFloat32),
                least = reducers::argmin(kInt64, kFloat32);
  CHECK(reduced_index(most, {1, 3, 3, 2}) == 1);
  CHECK(reduced_index(least, {1, 0, 0, 2}) == 1);
  CHECK(reduced_index(most, {1, kNan, 5, kNan}) == 1);
  CHECK(reduced_index(least, {1, 2, kNan, -5}) == 2);
  CHECK(reduced_index(most, {-kInf, -kInf}) == 0);
  CHECK(reduced_index(least, {kInf, kInf, kInf}) == 0);
  CHECK(reduced_index(most, {-0.0, 0.0}) == 0);
}

TEST_CASE("argmax does not depend on the order of combining", "[reducers]") {
  const Reducer most = reducers::argmax(kInt64, kFloat32);
  // Combining (index, value) pairs the other way around gives the same pair.
  const std::vector<double> values{2, kNan, kNan, 7, 7, -kInf};
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) {
      auto combine = [&](size_t a, size_t b) {
        VarMap map{{most->lhs[0], make_int(kInt64, static_cast<int64_t>(a))},
                   {most->lhs[1], make_float(kFloat32, values[a])},
                   {most->rhs[0], make_int(kInt64, static_cast<int64_t>(b))},
                   {most->rhs[1], make_float(kFloat32, values[b])}};
        return *as_const_int(Fold().mutate(substitute(most->results[0], map)));
      };
      INFO(i << " " << j);
      CHECK(combine(i, j) == combine(j, i));
    }
  }
}

TEST_CASE("identities and dtypes of the built-in reducers", "[reducers]") {
  CHECK(to_text(reducers::max(kFloat32)->identity[0]) == "float32(-inf)");
  CHECK(to_text(reducers::min(kInt8)->identity[0]) == "int8(127)");
  CHECK(to_text(reducers::prod(kFloat16)->identity[0]) == "float16(0x1p+0)");
  CHECK(is_false(reducers::any()->identity[0]));
  CHECK(is_true(reducers::all()->identity[0]));
  CHECK(reducers::sum(kInt32)->associative);
  CHECK_THROWS_AS(reducers::max(kBool), Error);
  CHECK_THROWS_AS(reducers::argmax(kFloat32, kFloat32), Error);
  CHECK(structural_equal(reducers::sum(kInt32), reducers::sum(kInt32)));
  CHECK_FALSE(structural_equal(reducers::sum(kInt32), reducers::sum(kInt64)));
  CHECK_FALSE(structural_equal(reducers::argmax(kInt64, kInt32), reducers::argmin(kInt64, kInt32)));
}
