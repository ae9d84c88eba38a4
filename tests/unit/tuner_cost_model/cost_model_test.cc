#include <catch2/catch.hpp>
#include <cmath>

#include "support/expect_error.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/support/rng.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/cost_model/cost_model.h"

namespace tilewright::tuner {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

Target machine() {
  return Target::parse(
      "cpu -arch=x86_64 -features=+avx2,+fma -vector-bits=256 -cores=4 -l1=32k "
      "-l2=512k -l3=8m");
}

ir::PrimFunc matmul(int64_t size) {
  te::Tensor a = te::placeholder({size, size}, kFloat32, "A");
  te::Tensor b = te::placeholder({size, size}, kFloat32, "B");
  const te::ReduceAxis k = te::reduce_axis(size, "k");
  te::Tensor c = te::compute(
      {size, size}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), k); }, "C");
  return te::create_prim_func({a, b, c});
}

// A register tile of 6 x 16, optionally in panels of k.
ir::PrimFunc tiled(int64_t size, int64_t rows, int64_t columns) {
  Schedule sch(matmul(size));
  const BlockRef c = sch.get_block("C");
  const BlockRef copy = sch.cache_write(c, "register");
  const std::vector<Loop> l = sch.get_loops(c);
  const std::vector<Loop> i = sch.split_factor(l[0], rows),
                          j = sch.split(l[1], {std::nullopt, columns / 8, 8});
  sch.reorder({i[0], j[0], l[2], i[1], j[1], j[2]});
  sch.reverse_compute_at(copy, j[0]);
  sch.unroll(i[1]);
  sch.unroll(j[1]);
  sch.vectorize(j[2]);
  return sch.func();
}

double feature(const NestFeatures& features, const std::string& name) {
  const std::vector<std::string>& names = feature_names();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return features.values[i];
  }
  FAIL("no feature " << name);
  return 0;
}

NestFeatures analyze(const ir::PrimFunc& func, int threads = 1) {
  return analyze_nest(func, machine(), {}, threads);
}

}  // namespace

TEST_CASE("cost model: features are shares and ratios") {
  const NestFeatures f = analyze(tiled(96, 6, 16));
  CHECK(f.values.size() == feature_names().size());
  CHECK(feature(f, "blocks") == 2);
  CHECK(feature(f, "block0_accumulators") == 12);
  CHECK(feature(f, "block0_free_registers") == 16 - 12 - 1 - 2);
  CHECK(feature(f, "block0_lanes") == 8);
  CHECK(feature(f, "block0_share") + feature(f, "block1_share") == Approx(1));
  CHECK(feature(f, "block0_fma") > feature(f, "block0_load"));
  CHECK(feature(f, "block0_fma") <= 1);
  // What happens in one body is the same whatever the size.
  const NestFeatures larger = analyze(tiled(192, 6, 16));
  for (const char* name : {"block0_fma", "block0_load", "block0_chain", "block0_issue"}) {
    CHECK(feature(f, name) == Approx(feature(larger, name)));
  }
}

TEST_CASE("cost model: the prior ranks what everybody knows") {
  const double plain = analyze(matmul(256)).prior_secs;
  const double narrow = analyze(tiled(256, 1, 8)).prior_secs;
  const double good = analyze(tiled(256, 6, 16)).prior_secs;
  const double spilled = analyze(tiled(256, 16, 32)).prior_secs;
  CHECK(good < narrow);
  CHECK(narrow < plain);
  CHECK(good < spilled);
}

TEST_CASE("cost model: threads share the work of a parallel loop") {
  Schedule sch(matmul(256));
  sch.parallel(sch.get_loops(sch.get_block("C"))[0]);
  const double one = analyze(sch.func(), 1).prior_secs, four = analyze(sch.func(), 4).prior_secs;
  CHECK(four < 0.4 * one);
  CHECK(four > 0.2 * one);
}

TEST_CASE("cost model: a symbolic program has features too") {
  const te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) + a(i); }, "C");
  const NestFeatures f = analyze(te::create_prim_func({a, c}));
  CHECK(f.prior_secs > 0);
  for (float value : f.values) CHECK(std::isfinite(value));
}

TEST_CASE("cost model: trees learn what the prior has wrong") {
  // Truth: twice the prior for narrow tiles, the prior for wide ones.
  std::vector<NestFeatures> features;
  std::vector<double> truth;
  for (int64_t rows : {1, 2, 3, 4, 6, 8}) {
    for (int64_t columns : {8, 16, 24, 32}) {
      features.push_back(analyze(tiled(192, rows, columns)));
      truth.push_back(features.back().prior_secs * (columns == 8 ? 4 : 1));
    }
  }
  const auto error = [&](CostModel& model) {
    const std::vector<double> predicted = model.predict(features);
    double sum = 0;
    for (size_t i = 0; i < truth.size(); ++i) sum += std::abs(std::log(predicted[i] / truth[i]));
    return sum / static_cast<double>(truth.size());
  };
  const auto xgb = make_xgb_model(), prior = make_prior_model();
  CHECK(error(*xgb) == Approx(error(*prior)));  // nothing learnt yet
  for (size_t i = 0; i < truth.size(); ++i) {
    xgb->learn(features[i], truth[i]);
    prior->learn(features[i], truth[i]);
  }
  CHECK(error(*xgb) < 0.25 * error(*prior));
  const auto again = make_xgb_model();
  for (size_t i = 0; i < truth.size(); ++i) again->learn(features[i], truth[i]);
  CHECK(again->predict(features) == xgb->predict(features));
}

TEST_CASE("cost model: corrections that do not hold for others are not made") {
  // Times that differ from the prior by chance alone: what trees find in one part holds for no other.
  std::vector<NestFeatures> features;
  const auto noise = make_xgb_model();
  Rng rng(3);
  for (int64_t rows : {1, 2, 3, 4, 6, 8}) {
    for (int64_t columns : {8, 16, 24, 32}) {
      features.push_back(analyze(tiled(192, rows, columns)));
      noise->learn(features.back(), features.back().prior_secs * (rng.below(2) == 0 ? 1 : 3));
    }
  }
  const std::vector<double> predicted = noise->predict(features);
  double largest = 0, least = 1e9;
  for (size_t i = 0; i < features.size(); ++i) {
    largest = std::max(largest, predicted[i] / features[i].prior_secs);
    least = std::min(least, predicted[i] / features[i].prior_secs);
  }
  CHECK(largest / least < 1.7);
}

TEST_CASE("cost model: by name") {
  for (const std::string& name : cost_model_names())
    CHECK(make_cost_model(name, 1)->name() == name);
  testing::expect_error("cost_model.unknown", {"prio", "prior"},
                        [] { make_cost_model("prio", 1); });
}

}  // namespace tilewright::tuner
