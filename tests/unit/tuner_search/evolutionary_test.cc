#include <catch2/catch.hpp>
#include <set>

#include "support/expect_error.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/search/search.h"

namespace tilewright::tuner {
namespace {

using schedule::Loop;
using schedule::Schedule;

ir::PrimFunc matmul() {
  te::Tensor a = te::placeholder({96, 96}, kFloat32, "A");
  te::Tensor b = te::placeholder({96, 96}, kFloat32, "B");
  const te::ReduceAxis k = te::reduce_axis(96, "k");
  te::Tensor c = te::compute(
      {96, 96}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), k); }, "C");
  return te::create_prim_func({a, b, c});
}

// 8 * 8 * 2 points.
Space tiles() {
  const auto apply = [](Schedule& sch, const Target&, int) {
    const std::vector<Loop> l = sch.get_loops(sch.get_block("C"));
    const std::vector<int64_t> sizes = {1, 2, 3, 4, 6, 8, 12, 16};
    const auto rows = sch.sample_categorical(sizes, {}, "rows");
    const auto columns = sch.sample_categorical(sizes, {}, "columns");
    const auto order = sch.sample_categorical({0, 1}, {}, "order");
    const std::vector<Loop> i = sch.split_factor(l[0], rows), j = sch.split_factor(l[1], columns);
    if (order == 1) sch.reorder({i[0], j[0], l[2], i[1], j[1]});
  };
  return Space(matmul(), Target::host(), 1, {{"tiles", apply}});
}

int64_t value_of(const schedule::Trace& trace, const std::string& name) {
  for (const schedule::Decision& decision : trace.decisions) {
    if (decision.name == name) return std::get<int64_t>(decision.value.data);
  }
  return -1;
}

// A machine that likes 6 rows and 16 columns.
record::Measurement measure(const Candidate& candidate) {
  const auto distance = [&](const char* name, double best) {
    const double value = static_cast<double>(value_of(candidate.trace, name));
    return std::max(value / best, best / value);
  };
  record::Measurement result;
  result.status = record::Status::kOk;
  result.median_secs = 1e-3 * distance("rows", 6) * distance("columns", 16) *
                       (value_of(candidate.trace, "order") == 1 ? 1 : 2);
  return result;
}

struct Run {
  std::vector<std::string> hashes;
  double best_secs = 1e9;
  int trials_to_best = 0;
};

Run run(const std::string& search_name, const std::string& model, uint64_t seed, int trials) {
  const auto search = make_search(search_name, tiles(), model, {seed, trials, {}});
  Run result;
  for (int i = 0; i < trials; ++i) {
    const std::optional<Candidate> candidate = search->ask();
    if (!candidate) break;
    result.hashes.push_back(candidate->trace.hash);
    const record::Measurement measured = measure(*candidate);
    if (*measured.median_secs < result.best_secs) {
      result.best_secs = *measured.median_secs;
      result.trials_to_best = i + 1;
    }
    search->tell(*candidate, measured);
  }
  return result;
}

}  // namespace

TEST_CASE("evolution: finds the best of a space within a quarter of it") {
  for (const char* model : {"prior", "xgb"}) {
    for (uint64_t seed : {1, 2, 3}) {
      INFO(model << " " << seed);
      CHECK(run("evolutionary", model, seed, 40).best_secs <= 1.4e-3);
    }
  }
}

TEST_CASE("evolution: no point twice, and the whole space in the end") {
  for (const std::string& name : search_names()) {
    const Run all = run(name, "xgb", 1, 1000);
    INFO(name);
    CHECK(all.hashes.size() == std::set<std::string>(all.hashes.begin(), all.hashes.end()).size());
    // A tile of one row and one column is the same program in both orders... nearly all differ.
    CHECK(all.hashes.size() > 110);
    CHECK(all.hashes.size() == run(name, "xgb", 2, 1000).hashes.size());
    CHECK(all.best_secs == Approx(1e-3));
  }
}

TEST_CASE("evolution: the seed decides") {
  for (const std::string& model : cost_model_names()) {
    CHECK(run("evolutionary", model, 7, 30).hashes == run("evolutionary", model, 7, 30).hashes);
    CHECK(run("evolutionary", model, 7, 30).hashes != run("evolutionary", model, 8, 30).hashes);
  }
}

TEST_CASE("evolution: candidates carry what was predicted and where they come from") {
  const auto search = make_search("evolutionary", tiles(), "xgb", {1, 60, {}});
  std::set<std::string> origins;
  for (int i = 0; i < 60; ++i) {
    const std::optional<Candidate> candidate = search->ask();
    REQUIRE(candidate);
    CHECK(candidate->predicted.at("prior_secs") > 0);
    CHECK(candidate->predicted.at("model_secs") > 0);
    origins.insert(candidate->origin);
    search->tell(*candidate, measure(*candidate));
  }
  CHECK(origins.count("random") == 1);
  CHECK(origins.count("descent") + origins.count("mutate") + origins.count("crossover") > 0);
}

TEST_CASE("evolution: failures steer away and never end the search") {
  const auto search = make_search("evolutionary", tiles(), "xgb", {1, 0, {}});
  for (int i = 0; i < 40; ++i) {
    const std::optional<Candidate> candidate = search->ask();
    REQUIRE(candidate);
    record::Measurement failed;
    failed.status = record::Status::kCrash;
    search->tell(*candidate, failed);
  }
}

TEST_CASE("searches by name") {
  testing::expect_error("search.unknown", {"evolution", "evolutionary"},
                        [] { make_search("evolution", tiles(), "xgb", {}); });
}

}  // namespace tilewright::tuner
