// merge, compute_with, and what reorder and parallel make of loops that several blocks share.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const std::string& block) {
  return sch.get_loops(sch.get_block(block));
}

// B[i, j] = 2 A[i, j];  C[i, j] = B[i + y, j + x] (kept inside); D[i, j] = A + 1.
ir::PrimFunc shifted(int64_t y, int64_t x, bool symbolic = false) {
  te::Expr h = 9, w = 7;
  if (symbolic) {
    h = te::var("h");
    w = te::var("w");
  }
  te::Tensor a = te::placeholder({h, w}, kFloat32, "A");
  te::Tensor b = te::compute({h, w}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B", {},
                             {"i", "j"});
  auto edge = te::repeat_edge(b);
  te::Tensor c =
      te::compute({h, w}, [&](te::Var i, te::Var j) { return edge(i + y, j + x) + b(i, j); }, "C",
                  {}, {"i", "j"});
  te::Tensor d = te::compute({h, w}, [&](te::Var i, te::Var j) { return a(i, j) + 1.0f; }, "D", {},
                             {"i", "j"});
  return te::create_prim_func({a, c, d}, "shifted");
}

const std::vector<Sizes> kSizes = {
    {{"h", 5}, {"w", 6}}, {{"h", 1}, {"w", 1}}, {{"h", 0}, {"w", 3}}};

}  // namespace

TEST_CASE("merge and compute_with: readers of the same place, behind and ahead", "[schedule]") {
  for (bool symbolic : {false, true}) {
    for (int64_t y : {-1, 0, 1}) {
      for (int64_t x : {-1, 0, 1}) {
        INFO(y << " " << x);
        const std::vector<Sizes> sizes = symbolic ? kSizes : std::vector<Sizes>{{}};
        Schedule sch(shifted(y, x, symbolic));
        const auto b = loops_of(sch, "B"), c = loops_of(sch, "C");
        if (y > 0) {
          refusal(sch, "schedule.merge.dependence", [&](Schedule& s) { s.merge({b[0], c[0]}); });
          refusal(sch, "schedule.compute_with.dependence",
                  [&](Schedule& s) { s.compute_with(s.get_block("C"), b[0]); });
          continue;
        }
        Schedule one = sch;
        one.merge({b[0], c[0]});
        check_schedule(one, sizes);
        if (y == 0 && x > 0) {
          refusal(sch, "schedule.compute_with.dependence",
                  [&](Schedule& s) { s.compute_with(s.get_block("C"), b[1]); });
          continue;
        }
        // With y < 0 the row above is complete, whatever is read in it.
        if (y == 0 || x <= 0) {
          sch.compute_with(sch.get_block("C"), b[1]);
          CHECK(loops_of(sch, "C") == b);
          check_schedule(sch, sizes);
          if (y == 0 && x == 0) {
            Schedule parallel = sch;
            parallel.reorder({b[1], b[0]});
            parallel.parallel(b[1]);
            check_schedule(parallel, sizes);
          } else {
            const Loop carrying = y < 0 ? b[0] : b[1];
            refusal(sch, "schedule.parallel.dependence",
                    [&](Schedule& s) { s.parallel(carrying); });
          }
          if (y < 0 && x < 0) {
            refusal(sch, "schedule.reorder.dependence", [&](Schedule& s) {
              s.reorder({b[1], b[0]});
            });
          }
        }
      }
    }
  }
}

TEST_CASE("merge: several loops, with splits of each tail policy", "[schedule]") {
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards", "auto"}) {
    INFO(tail);
    Schedule sch(shifted(0, 0));
    std::vector<Loop> outer;
    for (const char* name : {"B", "C", "D"}) {
      outer.push_back(sch.split_factor(loops_of(sch, name)[0], 4, tail)[0]);
    }
    const Loop merged = sch.merge(outer);
    check_schedule(sch);
    sch.merge({loops_of(sch, "D")[1], loops_of(sch, "B")[1]});
    check_schedule(sch);
    sch.parallel(merged);
    sch.vectorize(sch.split_factor(loops_of(sch, "C").back(), 4)[1]);
    check_schedule(sch);
  }
}

TEST_CASE("compute_with: reductions", "[schedule]") {
  {
    Schedule sch(programs::softmax().func);
    sch.compute_with(sch.get_block("row_exp"), loops_of(sch, "row_max")[0]);
    sch.compute_with(sch.get_block("row_sum"), loops_of(sch, "row_max")[0]);
    check_schedule(sch, programs::softmax());
    refusal(sch, "schedule.compute_with.dependence",
            [](Schedule& s) { s.compute_with(s.get_block("row_exp"), loops_of(s, "row_max")[1]); });
    sch.compute_with(sch.get_block("row_sum"), loops_of(sch, "row_exp")[1]);
    check_schedule(sch, programs::softmax());
    sch.decompose_reduction(sch.get_block("row_sum"), loops_of(sch, "row_sum")[1]);
    check_schedule(sch, programs::softmax());
    sch.parallel(loops_of(sch, "row_sum")[0]);
    check_schedule(sch, programs::softmax());
  }
  for (const Program& program : {programs::layernorm(), programs::conv2d(), programs::stencil()}) {
    // Whatever is accepted is right.
    Schedule base(program.func);
    const auto names = base.block_names();
    for (size_t a = 0; a < names.size(); ++a) {
      for (size_t b = 0; b < names.size(); ++b) {
        for (size_t l = 0; a != b && l < loops_of(base, names[b]).size(); ++l) {
          Schedule sch(program.func);
          const Loop loop = loops_of(sch, names[b])[l];
          const schedule::BlockRef block = sch.get_block(names[a]);
          if (!sch.apply({"compute_with", {block, loop}, {}})) continue;
          INFO(program.name << ": " << names[a] << " with " << names[b] << " " << l);
          check_schedule(sch, program);
        }
      }
    }
  }
}

TEST_CASE("merge and compute_with: refusals", "[schedule]") {
  Schedule sch(shifted(0, 0));
  const auto b = loops_of(sch, "B"), c = loops_of(sch, "C"), d = loops_of(sch, "D");
  const auto refused = [&](const std::string& code, const std::function<void(Schedule&)>& f) {
    refusal(sch, "schedule." + code, f);
  };
  refused("merge.count", [&](Schedule& s) { s.merge({b[0]}); });
  refused("merge.duplicate", [&](Schedule& s) { s.merge({b[0], b[0]}); });
  refused("merge.not_siblings", [&](Schedule& s) { s.merge({b[0], c[1]}); });
  refused("compute_with.inside", [&](Schedule& s) { s.compute_with(s.get_block("B"), b[1]); });
  sch.parallel(d[0]);
  refused("merge.loop_kind", [&](Schedule& s) { s.merge({b[0], d[0]}); });
  const Loop part = sch.split_factor(b[0], 4)[0];
  refused("merge.extent", [&](Schedule& s) { s.merge({part, c[0]}); });
  refused("compute_with.depth",
          [&](Schedule& s) { s.compute_with(s.get_block("C"), loops_of(s, "B")[2]); });

  Schedule chain(programs::layernorm().func);
  const auto total = loops_of(chain, "row_sum"), out = loops_of(chain, "layernorm");
  refusal(chain, "schedule.merge.between", [&](Schedule& s) { s.merge({total[0], out[0]}); });
}

}  // namespace tilewright::testing
