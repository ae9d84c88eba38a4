#include <catch2/catch.hpp>
#include <set>

#include "tilewright/te/te.h"
#include "tilewright/tuner/search/search.h"

namespace tilewright::tuner {
namespace {

using schedule::Schedule;

ir::PrimFunc doubled() {
  te::Tensor a = te::placeholder({64}, kFloat32, "A");
  te::Tensor c = te::compute(
      {64}, [&](te::Var i) { return a(i) + a(i); }, "C");
  return te::create_prim_func({a, c}, "doubled");
}

Space space_of(std::vector<Sketch> sketches) {
  return Space(doubled(), Target::host(), 1, std::move(sketches));
}

void split_by_choice(Schedule& sch, const std::vector<int64_t>& factors) {
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], sch.sample_categorical(factors, {}, "f"));
}

std::vector<std::string> hashes(Search& search, size_t most = 1000) {
  std::vector<std::string> result;
  while (result.size() < most) {
    std::optional<Candidate> candidate = search.ask();
    if (!candidate) break;
    result.push_back(candidate->trace.hash);
  }
  return result;
}

TEST_CASE("a small space is searched to its end without repetition") {
  const auto search = make_random_search(space_of({{"one",
                                                    [](Schedule& s, const Target&, int) {
                                                      split_by_choice(s, {2, 4, 8});
                                                    }},
                                                   {"two",
                                                    [](Schedule& s, const Target&, int) {
                                                      split_by_choice(s, {16, 32});
                                                    }}}),
                                         1);
  const std::vector<std::string> found = hashes(*search);
  CHECK(found.size() == 5);
  CHECK(std::set<std::string>(found.begin(), found.end()).size() == 5);
  CHECK_FALSE(search->ask());
}

TEST_CASE("decisions that give the same program count once") {
  const auto search =
      make_random_search(space_of({{"same",
                                    [](Schedule& sch, const Target&, int) {
                                      sch.sample_categorical({1, 2, 3, 4}, {}, "unused");
                                    }}}),
                         1);
  CHECK(hashes(*search).size() == 1);
}

TEST_CASE("the seed decides") {
  const auto run = [](uint64_t seed) {
    const auto search = make_random_search(space_of({{"s",
                                                      [](Schedule& s, const Target&, int) {
                                                        split_by_choice(s, {2, 4, 8, 16, 32});
                                                      }}}),
                                           seed);
    return hashes(*search);
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("no sketch and no legal point end the search") {
  CHECK(hashes(*make_random_search(space_of({}), 1)).empty());
  const auto search = make_random_search(
      space_of({{"bad", [](Schedule& sch, const Target&, int) { sch.get_block("nothing"); }}}), 1);
  CHECK(hashes(*search).empty());
  CHECK(search->rejected().size() == 1);
}

}  // namespace
}  // namespace tilewright::tuner
