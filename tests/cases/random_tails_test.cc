// The cases about splits again: every tail policy, drawn for each split, and symbolic sizes.

#include <set>

#include "case_support.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing {
namespace {

using schedule::Factor;
using schedule::Int;

constexpr const char* kTails[] = {"guard", "peel", "balanced", "pad", "shift_inwards", "auto"};
constexpr int kDraws = 24;  // schedules a case and kind of size

// Draws tails and keeps count: what can always be done must never be refused.
class Tails {
 public:
  explicit Tails(uint64_t seed) : rng_(seed) {}

  int below(uint64_t n) { return static_cast<int>(rng_.below(n)); }

  // Splits by a drawn tail; where that is refused, by a guard.
  std::vector<Loop> split(Schedule& sch, Loop loop, std::vector<Factor> factors) {
    const std::string tail = kTails[rng_.below(std::size(kTails))];
    std::vector<Loop> loops;
    const bool no = refused(sch, [&] { loops = sch.split(loop, factors, tail); });
    if (no) {
      CHECK((tail == "balanced" || tail == "pad" || tail == "shift_inwards"));
      loops = sch.split(loop, factors, "guard");
    } else {
      done_.insert(tail);
    }
    INFO(tail);
    return loops;
  }

  void check_all_done(const std::set<std::string>& but = {}) const {
    for (const char* tail : kTails) {
      INFO(tail);
      CHECK(done_.count(tail) + but.count(tail) == 1);
    }
  }

 private:
  Rng rng_;
  std::set<std::string> done_;
};

using Sizes = std::map<std::string, int64_t>;

// One kernel, many sizes; the interpreter on the program before the first step is the reference.
void check_sizes(const Schedule& sch, const std::vector<Sizes>& sizes) {
  INFO(sch.show());
  try {
    const CompiledKernel kernel = build(sch);
    for (const Sizes& instance : sizes) {
      CheckOptions options;
      options.sizes = instance;
      options.threads = {1};
      assert_allclose(kernel, sch.original(), options);
    }
    CHECK(true);
  } catch (const Error& error) {
    FAIL_CHECK(error.what());
  }
}

std::vector<Sizes> one_size(const char* name, std::initializer_list<int64_t> values) {
  std::vector<Sizes> sizes;
  for (int64_t value : values) sizes.push_back({{name, value}});
  return sizes;
}

}  // namespace

TEST_CASE("K01_random_tails_and_symbolic_sizes", "[cases]") {
  Tails tails(1);
  for (bool symbolic : {false, true}) {
    for (int draw = 0; draw < kDraws; ++draw) {
      const te::Expr n = symbolic ? te::Expr(te::var("n")) : te::Expr(15);
      te::Tensor f = te::compute(
          {n}, [&](te::Var i) { return te::cast(kInt32, i) * 3 + 1; }, "f");
      te::Tensor g = te::compute(
          {n}, [&](te::Var i) { return f(i); }, "g");
      Schedule sch(te::create_prim_func({g}));
      const BlockRef block = sch.get_block("g");
      const std::vector<Loop> outer = tails.split(sch, sch.get_loops(block)[0], {std::nullopt, 2});
      const std::vector<Loop> inner = tails.split(sch, outer[1], {std::nullopt, 4});
      if (tails.below(2)) sch.reorder({inner[0], inner[1], outer[0]});
      if (tails.below(2)) {
        sch.compute_inline(sch.get_block("f"));
      } else {
        refused(sch, [&] { sch.compute_at(sch.get_block("f"), outer[0]); });
      }
      if (tails.below(2)) refused(sch, [&] { sch.vectorize(inner[1]); });
      check_sizes(sch, symbolic ? one_size("n", {16, 15, 1, 0, 33}) : std::vector<Sizes>{{}});
    }
  }
  tails.check_all_done({"pad"});  // g belongs to the caller
}

TEST_CASE("K02_random_tails_and_symbolic_sizes", "[cases]") {
  Tails tails(2);
  for (bool symbolic : {false, true}) {
    for (int draw = 0; draw < kDraws; ++draw) {
      const te::Expr rows = symbolic ? te::Expr(te::var("R")) : te::Expr(7);
      const te::Expr columns = symbolic ? te::Expr(te::var("C")) : te::Expr(11);
      te::Tensor x = te::placeholder({rows + 4, columns + 4}, kInt32, "X");
      const te::ReduceAxis dr = te::reduce_axis(5, "dr"), dc = te::reduce_axis(5, "dc");
      te::Tensor s = te::compute(
          {rows, columns},
          [&](te::Var r, te::Var c) {
            return te::sum(x(r + dr, c + dc), {dr, dc});
          },
          "S");
      te::Tensor b = te::compute(
          {rows, columns}, [&](te::Var r, te::Var c) { return te::floor_div(s(r, c), 25); }, "B");
      Schedule sch(te::create_prim_func({x, b}));
      const std::vector<Loop> loops = sch.get_loops(sch.get_block("B"));
      const std::vector<Loop> parts =
          tails.split(sch, loops[1], {std::nullopt, Int(2 + tails.below(3))});
      if (tails.below(2)) sch.set_scope(sch.get_block("S"), "local");
      const Loop places[] = {parts[1], parts[0], loops[0]};
      const char* tail = tails.below(4) ? "guard" : "pad";
      const Loop place = places[tails.below(3)];
      if (refused(sch, [&] { sch.compute_at(sch.get_block("S"), place, tail); })) {
        CHECK(std::string(tail) == "pad");
      }
      check_sizes(sch, symbolic ? std::vector<Sizes>{{{"R", 5}, {"C", 13}},
                                                     {{"R", 1}, {"C", 1}},
                                                     {{"R", 0}, {"C", 4}},
                                                     {{"R", 6}, {"C", 12}}}
                                : std::vector<Sizes>{{}});
    }
  }
}

TEST_CASE("K03_random_tails_and_symbolic_sizes", "[cases]") {
  Tails tails(3);
  for (bool symbolic : {false, true}) {
    for (int draw = 0; draw < kDraws; ++draw) {
      const te::Expr rows = symbolic ? te::Expr(te::var("J")) : te::Expr(1 + 2 * (draw % 2));
      const te::Expr terms = symbolic ? te::Expr(te::var("K")) : te::Expr(10);
      te::Tensor x = te::placeholder({terms}, kInt32, "X");
      const te::ReduceAxis k = te::reduce_axis(terms, "k");
      te::Tensor y = te::compute(
          {rows}, [&](te::Var j) { return te::sum(x(k) + te::cast(kInt32, j), k); }, "Y");
      Schedule sch(te::create_prim_func({x, y}));
      const BlockRef block = sch.get_block("Y");
      const std::vector<Loop> loops = sch.get_loops(block);
      const std::vector<Loop> parts = tails.below(2)
                                          ? tails.split(sch, loops[0], {Int(20), std::nullopt})
                                          : tails.split(sch, loops[0], {std::nullopt, Int(8)});
      if (tails.below(2)) tails.split(sch, loops[1], {std::nullopt, Int(4)});
      const int at = tails.below(3);
      if (at < 2) sch.decompose_reduction(block, parts[static_cast<size_t>(at)]);
      if (tails.below(2)) refused(sch, [&] { sch.parallel(parts[0]); });
      check_sizes(sch, symbolic ? std::vector<Sizes>{{{"J", 3}, {"K", 10}},
                                                     {{"J", 1}, {"K", 0}},
                                                     {{"J", 21}, {"K", 5}},
                                                     {{"J", 0}, {"K", 3}}}
                                : std::vector<Sizes>{{}});
    }
  }
}

TEST_CASE("K04_random_tails_and_symbolic_sizes", "[cases]") {
  Tails tails(4);
  for (bool symbolic : {false, true}) {
    for (int draw = 0; draw < kDraws; ++draw) {
      const te::Expr rows = symbolic ? te::Expr(te::var("I")) : te::Expr(3);
      const te::Expr terms = symbolic ? te::Expr(te::var("L")) : te::Expr(7);
      te::Tensor a = te::placeholder({rows, 4, terms}, kInt32, "A");
      const te::ReduceAxis l = te::reduce_axis(terms, "l"), k = te::reduce_axis(4, "k");
      te::Tensor b = te::compute(
          {rows, 4}, [&](te::Var i, te::Var j) { return te::sum(a(i, j, l), l); }, "B");
      te::Tensor c = te::compute(
          {rows}, [&](te::Var i) { return te::sum(b(i, k), k); }, "C");
      Schedule sch(te::create_prim_func({a, b, c}));
      const BlockRef block = sch.get_block("B");
      const BlockRef copy = sch.cache_write(block, "local");
      const std::vector<Loop> loops = sch.get_loops(block);
      const std::vector<Loop> parts = tails.split(sch, loops[2], {std::nullopt, 4});
      if (tails.below(2)) sch.transform_layout(block, "(i, j) -> (j, i)");
      if (tails.below(2)) sch.reorder({loops[1], loops[0], parts[0]});
      const std::vector<Loop> now = sch.get_loops(block);
      sch.decompose_reduction(block, parts[0]);
      if (tails.below(2)) {
        refused(sch,
                [&] { sch.reverse_compute_at(copy, now[static_cast<size_t>(tails.below(2))]); });
      }
      check_sizes(sch, symbolic ? std::vector<Sizes>{{{"I", 3}, {"L", 7}},
                                                     {{"I", 1}, {"L", 0}},
                                                     {{"I", 0}, {"L", 5}},
                                                     {{"I", 5}, {"L", 8}}}
                                : std::vector<Sizes>{{}});
    }
  }
}

TEST_CASE("K08_random_tails_and_symbolic_sizes", "[cases]") {
  Tails tails(8);
  const std::initializer_list<int64_t> sizes = {130, 1, 0, 7, 8, 9, 127, 128, 129, 135, 136, 140};
  for (bool symbolic : {false, true}) {
    for (int draw = 0; draw < kDraws; ++draw) {
      const te::Expr n =
          symbolic ? te::Expr(te::var("n")) : te::Expr(std::data(sizes)[draw % sizes.size()]);
      te::Tensor a = te::placeholder({n}, kFloat32, "A");
      te::Tensor c = te::compute(
          {n}, [&](te::Var i) { return te::max(a(i), 0.0f); }, "C");
      Schedule sch(te::create_prim_func({a, c}));
      const Loop i = sch.get_loops(sch.get_block("C"))[0];
      const std::vector<Loop> outer = tails.split(sch, i, {std::nullopt, 128});
      const std::vector<Loop> inner = tails.split(sch, outer[1], {std::nullopt, 8});
      switch (tails.below(3)) {
        case 0: sch.unroll(inner[1]); break;
        case 1: refused(sch, [&] { sch.vectorize(inner[1]); }); break;
        default: refused(sch, [&] { sch.parallel(outer[0]); });
      }
      check_sizes(sch, symbolic ? one_size("n", sizes) : std::vector<Sizes>{{}});
    }
  }
}

}  // namespace tilewright::testing
