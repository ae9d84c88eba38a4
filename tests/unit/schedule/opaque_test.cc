#include <catch2/catch.hpp>

#include "tilewright/ir/builder.h"
#include "unit/schedule/check_schedule.h"
#include "unit/te/more_programs.h"

/// \file
/// Scans, opaque and extern blocks under every primitive: what is legal keeps the values, the rest is refused.

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using te::Expr;
using te::Tensor;
using te::Var;
using Buffers = std::vector<ir::Buffer>;

struct Attempt {
  std::string code;  ///< "": legal
  std::function<void(Schedule&)> run;
};

/// The code of the first step that is refused, "" when none is; the steps before it stay.
std::string code_of(Schedule& sch, const std::function<void(Schedule&)>& run) {
  const Schedule before = sch;
  try {
    run(sch);
  } catch (const schedule::ScheduleException& error) {
    UNSCOPED_INFO(error.what());
    sch = before;
    return error.code();
  }
  return "";
}

/// Each attempt on a fresh schedule; legal ones keep the values.
void attempt(const Program& program, const std::vector<Attempt>& attempts) {
  for (size_t a = 0; a < attempts.size(); ++a) {
    INFO(program.name << ", attempt " << a);
    Schedule sch(program.func);
    const std::string wanted = attempts[a].code.empty() ? "" : "schedule." + attempts[a].code;
    const std::string code = code_of(sch, attempts[a].run);
    CHECK(code == wanted);
    if (code.empty() && wanted.empty()) check_schedule(sch, program);
  }
}

/// Each step reads the neighbour of its element.
Program shifted_scan() {
  const int64_t cols = 6;
  Var n = te::var("n");
  Tensor x = te::placeholder({n, cols}, kFloat32, "X");
  Tensor y = te::compute(
      {n, cols}, [&](Var i, Var j) { return x(i, j) * 2.0f; }, "Y");
  Tensor s = te::scan(n, {cols}, 1.0f,
                      [&](const Var& t, const te::ScanValue& before, const std::vector<Var>& i) {
                        return before(ir::floor_mod(i[0] + 1, cols)) - y(t, i[0]);
                      },
                      {"S"});
  Tensor z = te::compute(
      {n, cols}, [&](Var i, Var j) { return s(i, j) + 1.0f; }, "Z");
  return programs::make("shifted", {x, z}, {}, 0, {{{"n", 6}}, {{"n", 1}}, {{"n", 0}}});
}

Program pointwise_scan() {
  Program p = programs::cumsum();
  p.sizes = {{{"n", 7}}, {{"n", 0}}};
  return p;
}

/// One step multiplies the whole state by a matrix, in one block with a reduction.
Program matrix_scan() {
  const int64_t width = 5;
  Var n = te::var("n");
  Tensor w = te::placeholder({width, width}, kInt32, "W"), x = te::placeholder({n}, kInt32, "X");
  te::ReduceAxis k = te::reduce_axis(width, "k");
  te::Scan scan(n, "power");
  const te::ScanValue h = scan.state({width}, te::constant(kInt32, 1), {"h"});
  scan.update(h, [&](Var i) { return te::sum(w(i, k) * h(k), {k}); });
  const Tensor out = scan.finish()[0];
  Tensor y = te::compute(
      {n, width}, [&](Var i, Var j) { return out(i, j) + x(i); }, "y");
  return programs::make("power", {w, x, y}, {}, 0, {{{"n", 4}}, {{"n", 0}}});
}

/// Y doubles X, "turn" reverses Y through a temporary, Z adds one.
Program reversal() {
  const int64_t size = 10;
  Tensor x = te::placeholder({size}, kFloat32, "X");
  Tensor y = te::compute(
      {size}, [&](Var i) { return x(i) * 2.0f; }, "Y");
  Tensor r = te::extern_op(
      {{{size}, kFloat32}}, {y},
      [&](ir::IRBuilder& b, const Buffers& in, const Buffers& out) {
        const ir::Buffer kept = b.temporary("kept", kFloat32, {size});
        b.loop("i", size, [&](const Var& i) { b.store(kept, {i}, ir::load(in[0], {i})); });
        b.loop("i", size, [&](const Var& i) { b.store(out[0], {i}, ir::load(kept, {9 - i})); });
      },
      "turn")[0];
  Tensor z = te::compute(
      {size}, [&](Var i) { return r(i) + 1.0f; }, "Z");
  return programs::make("reversal", {x, z}, {});
}

/// Rows are reversed one by one, each in an opaque block over its own row.
Program rows_reversed(bool shared_scratch) {
  ir::IRBuilder b("rows");
  const Var n = b.size("n");
  const ir::Buffer x = b.input("X", kFloat32, {n, 4}), y = b.output("Y", kFloat32, {n, 4});
  const ir::Buffer scratch = b.temporary("scratch", kFloat32, {4});
  b.loop("r", n, [&](const Var& r) {
    b.block(
        "row", {{"vr", n, r}},
        [&](const std::vector<Var>& v) {
          if (shared_scratch) {
            b.loop("j", 4, [&](const Var& j) { b.store(scratch, {j}, ir::load(x, {v[0], j})); });
          }
          b.loop("j", 4, [&](const Var& j) {
            b.store(y, {v[0], j},
                    shared_scratch ? ir::load(scratch, {3 - j}) : ir::load(x, {v[0], 3 - j}));
          });
        },
        ir::BlockKind::kOpaque);
  });
  Program p;
  p.name = shared_scratch ? "rows_scratch" : "rows";
  p.func = b.finish();
  p.sizes = {{{"n", 5}}, {{"n", 0}}};
  return p;
}

Loop at(Schedule& sch, const std::string& block, size_t depth) {
  return sch.get_loops(sch.get_block(block))[depth];
}

}  // namespace

TEST_CASE("the steps of a scan keep their order", "[schedule][scan]") {
  attempt(shifted_scan(),
          {{"parallel.ordered_loop", [](Schedule& s) { s.parallel(at(s, "S", 0)); }},
           {"vectorize.ordered_loop",
            [](Schedule& s) {
              const auto parts = s.split_factor(at(s, "S", 0), 2);
              s.vectorize(parts[1]);
            }},
           {"rfactor.not_a_reduction", [](Schedule& s) { s.rfactor(at(s, "S", 0)); }},
           {"reorder.dependence",
            [](Schedule& s) {
              s.reorder({at(s, "S", 1), at(s, "S", 0)});
            }},
           {"fuse.loop_kind",
            [](Schedule& s) {
              s.fuse({at(s, "S", 0), at(s, "S", 1)});
            }},
           {"compute_at.ordered_loop",
            [](Schedule& s) { s.compute_at(s.get_block("S"), at(s, "Z", 0)); }},
           {"compute_inline.ordered_loop", [](Schedule& s) { s.compute_inline(s.get_block("S")); }},
           {"reverse_compute_inline.ordered_loop",
            [](Schedule& s) { s.reverse_compute_inline(s.get_block("Z")); }},
           {"reverse_compute_at.ordered_loop",
            [](Schedule& s) { s.reverse_compute_at(s.get_block("S"), at(s, "Y", 0)); }},
           {"decompose_reduction.not_a_reduction",
            [](Schedule& s) { s.decompose_reduction(s.get_block("S"), at(s, "S", 0)); }},
           {"split.pad_tail", [](Schedule& s) { s.split_factor(at(s, "S", 0), 4, "pad"); }},
           {"split.shift_inwards",
            [](Schedule& s) { s.split_factor(at(s, "S", 0), 1000, "shift_inwards"); }}});
  // The parts of the steps keep their order too.
  Schedule sch(shifted_scan().func);
  const auto parts = sch.split_factor(at(sch, "S", 0), 2);
  CHECK(code_of(sch, [&](Schedule& s) {
          s.reorder({parts[1], parts[0]});
        }) == "schedule.reorder.ordered_loop");
  CHECK(code_of(sch, [&](Schedule& s) {
          s.reorder({at(s, "S", 2), parts[1]});
        }) == "schedule.reorder.dependence");
}

TEST_CASE("what is legal around a scan keeps its values", "[schedule][scan]") {
  attempt(shifted_scan(), {{"",
                            [](Schedule& s) {
                              s.split_factor(at(s, "S", 0), 4);
                              s.vectorize(s.split_factor(at(s, "S", 2), 4)[1]);
                            }},
                           {"", [](Schedule& s) { s.parallel(at(s, "S", 1)); }},
                           {"",
                            [](Schedule& s) {
                              s.compute_at(s.get_block("Y"), at(s, "S", 0));
                              s.reverse_compute_at(s.get_block("Z"), at(s, "S", 0));
                              s.vectorize(at(s, "Z", 1));
                            }},
                           {"",
                            [](Schedule& s) {
                              const auto parts = s.split_factor(at(s, "S", 0), 4);
                              s.compute_at(s.get_block("Y"), parts[0]);
                              s.reverse_compute_at(s.get_block("Z"), parts[0]);
                            }},
                           {"",
                            [](Schedule& s) {
                              s.compute_inline(s.get_block("Y"));
                              s.cache_write(s.get_block("S"));
                              s.cache_read(s.get_block("S"), "X", "local");
                              s.transform_layout(s.get_block("S"), "(t, i) -> (t, i // 4, i % 4)");
                            }},
                           {"",
                            [](Schedule& s) {
                              s.unroll(s.split_factor(at(s, "S", 0), 2)[1]);
                              s.set_scope(s.get_block("S"), "local");
                            }},
                           {"", [](Schedule& s) { s.split_factor(at(s, "S", 0), 4, "peel"); }},
                           {"", [](Schedule& s) { s.split_factor(at(s, "S", 0), 4, "auto"); }}});
}

TEST_CASE("elements that do not meet may run all their steps apart", "[schedule][scan]") {
  attempt(pointwise_scan(), {{"",
                              [](Schedule& s) {
                                const auto loops = s.get_loops(s.get_block("cumsum"));
                                s.reorder({loops[1], loops[0]});
                                s.parallel(loops[1]);
                              }},
                             {"",
                              [](Schedule& s) {
                                const auto loops = s.get_loops(s.get_block("cumsum"));
                                const auto parts = s.split_factor(loops[1], 2);
                                s.reorder({parts[0], loops[0], parts[1]});
                                s.parallel(parts[0]);
                                s.vectorize(parts[1]);
                              }},
                             {"parallel.ordered_loop", [](Schedule& s) {
                                const auto loops = s.get_loops(s.get_block("cumsum"));
                                s.reorder({loops[1], loops[0]});
                                s.parallel(loops[0]);
                              }}});
}

TEST_CASE("a reduction in a step stays inside of it", "[schedule][scan]") {
  attempt(matrix_scan(),
          {{"",
            [](Schedule& s) {
              s.reorder({at(s, "h", 2), at(s, "h", 1)});
            }},
           {"reorder.dependence",
            [](Schedule& s) {
              s.reorder({at(s, "h", 2), at(s, "h", 0)});
            }},
           {"reorder.dependence",
            [](Schedule& s) {
              s.reorder({at(s, "h", 1), at(s, "h", 0)});
            }},
           {"", [](Schedule& s) { s.decompose_reduction(s.get_block("h"), at(s, "h", 1)); }},
           {"", [](Schedule& s) { s.vectorize(at(s, "h", 1)); }},
           {"parallel.reduce_loop", [](Schedule& s) { s.parallel(at(s, "h", 2)); }}});
  attempt(programs::rnn(), {{"", [](Schedule& s) { s.split_factor(at(s, "h", 0), 2); }},
                            {"", [](Schedule& s) { s.vectorize(at(s, "z", 1)); }},
                            {"compute_at.ordered_loop",
                             [](Schedule& s) { s.compute_at(s.get_block("z"), at(s, "h", 1)); }}});
}

TEST_CASE("opaque blocks are moved by what they declare or not at all", "[schedule][opaque]") {
  attempt(
      reversal(),
      {{"compute_at.opaque_block",
        [](Schedule& s) { s.compute_at(s.get_block("turn"), at(s, "Z", 0)); }},
       {"compute_inline.opaque_block", [](Schedule& s) { s.compute_inline(s.get_block("turn")); }},
       {"compute_inline.opaque_block", [](Schedule& s) { s.compute_inline(s.get_block("Y")); }},
       {"reverse_compute_inline.opaque_block",
        [](Schedule& s) { s.reverse_compute_inline(s.get_block("Z")); }},
       {"reverse_compute_at.opaque_block",
        [](Schedule& s) {
          s.reverse_compute_at(s.get_block("Z"), s.add_unit_loop(s.get_block("turn")));
        }},
       {"reverse_compute_at.opaque_block",
        [](Schedule& s) { s.reverse_compute_at(s.get_block("turn"), at(s, "Y", 0)); }},
       {"decompose_reduction.opaque_block",
        [](Schedule& s) {
          const Loop unit = s.add_unit_loop(s.get_block("turn"));
          s.decompose_reduction(s.get_block("turn"), unit);
        }},
       {"vectorize.opaque_block",
        [](Schedule& s) { s.vectorize(s.add_unit_loop(s.get_block("turn"))); }},
       {"rfactor.not_a_reduction",
        [](Schedule& s) { s.rfactor(s.add_unit_loop(s.get_block("turn"))); }},
       {"set_scope.opaque_block", [](Schedule& s) { s.set_scope(s.get_block("Y"), "register"); }},
       {"cache_read.opaque_block",
        [](Schedule& s) { s.cache_read(s.get_block("turn"), "Y", "register"); }},
       {"cache_write.opaque_block",
        [](Schedule& s) { s.cache_write(s.get_block("turn"), "register"); }},
       // Legal:
       {"",
        [](Schedule& s) {
          s.cache_read(s.get_block("turn"), "Y");
          s.cache_write(s.get_block("turn"));
          s.set_scope(s.get_block("Y"), "local");
        }},
       {"",
        [](Schedule& s) { s.compute_at(s.get_block("Y"), s.add_unit_loop(s.get_block("turn"))); }},
       {"", [](Schedule& s) {
          s.pack(s.get_block("turn"), "Y", "(i) -> (i % 2, i // 2)");
          s.transform_layout(s.get_block("turn"), "(i) -> (i % 5, i // 5)");
        }}});
}

TEST_CASE("loops over opaque blocks run at once when their regions are apart",
          "[schedule][opaque]") {
  attempt(rows_reversed(false),
          {{"", [](Schedule& s) { s.parallel(at(s, "row", 0)); }},
           {"",
            [](Schedule& s) {
              const auto parts = s.split_factor(at(s, "row", 0), 2);
              s.reorder({parts[1], parts[0]});
              s.parallel(parts[1]);
            }},
           {"vectorize.opaque_block",
            [](Schedule& s) { s.vectorize(s.split_factor(at(s, "row", 0), 2)[1]); }},
           {"split.pad_tail", [](Schedule& s) { s.split_factor(at(s, "row", 0), 2, "pad"); }}});
  attempt(rows_reversed(true),
          {{"parallel.dependence", [](Schedule& s) { s.parallel(at(s, "row", 0)); }},
           {"", [](Schedule& s) { s.unroll(s.split_factor(at(s, "row", 0), 2)[1]); }}});
}

TEST_CASE("a scan of an IRBuilder is held to the same rules", "[schedule][scan]") {
  ir::IRBuilder b("sums");
  const Var n = b.size("n");
  const ir::Buffer x = b.input("X", kFloat32, {n, 3}), y = b.output("Y", kFloat32, {n, 3});
  b.loop("t", n, [&](const Var& t) {
    b.loop("i", 3, [&](const Var& i) {
      b.block("Y", {{"vt", n, t, ir::IterKind::kOrdered}, {"vi", 3, i}},
              [&](const std::vector<Var>& v) {
                b.store(y, {v[0], v[1]},
                        ir::load(x, {v[0], v[1]}) +
                            ir::if_then_else(v[0] > 0, ir::load(y, {v[0] - 1, 2 - v[1]}), 0));
              });
    });
  });
  Program p;
  p.name = "sums";
  p.func = b.finish();
  p.sizes = {{{"n", 5}}, {{"n", 0}}};
  attempt(p, {{"",
               [](Schedule& s) {
                 s.fuse({at(s, "Y", 0), at(s, "Y", 1)});
               }},
              {"parallel.ordered_loop",
               [](Schedule& s) {
                 s.parallel(s.fuse({at(s, "Y", 0), at(s, "Y", 1)}));
               }},
              {"reorder.dependence",
               [](Schedule& s) {
                 s.reorder({at(s, "Y", 1), at(s, "Y", 0)});
               }},
              {"", [](Schedule& s) { s.parallel(at(s, "Y", 1)); }}});
}

TEST_CASE("the default schedule of the other programs keeps their values", "[schedule]") {
  for (const Program& program : more_programs()) {
    INFO(program.name);
    check_schedule(schedule::default_schedule(program.func), program);
  }
}

TEST_CASE("declared regions are held against the body", "[schedule][opaque]") {
  const auto func = [](int64_t declared) {
    ir::IRBuilder b("part");
    const ir::Buffer x = b.input("X", kFloat32, {8}), y = b.output("Y", kFloat32, {8});
    ir::BlockOptions options(ir::BlockKind::kOpaque);
    options.reads = [=](const std::vector<Var>&) {
      return std::vector<ir::Region>{{x, {{0, declared}}}};
    };
    options.writes = [=](const std::vector<Var>&) {
      return std::vector<ir::Region>{{y, {{0, 8}}}};
    };
    b.block(
        "half", {},
        [&](const std::vector<Var>&) {
          b.loop("i", 4, [&](const Var& i) { b.store(y, {i * 2}, ir::load(x, {i + 1})); });
        },
        options);
    return b.finish();
  };
  CHECK_NOTHROW(Schedule(func(5)));
  try {
    Schedule sch(func(4));
    FAIL_CHECK("a wrong region was taken");
  } catch (const Error& error) {
    CHECK(error.code() == "schedule.regions");
    CHECK(std::string(error.what()).find("reads X[1 .. 5], but declares X[0 .. 4]") !=
          std::string::npos);
  }
}

namespace {

extern "C" void tw_test_reverse(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[n - 1 - i];
}

Program c_function() {
  Var n = te::var("n");
  Tensor x = te::placeholder({n}, kFloat32, "X");
  Tensor y = te::compute(
      {n}, [&](Var i) { return x(i) * 2.0f; }, "Y");
  Tensor r = te::extern_call({{{n}, kFloat32}}, {y}, "tw_test_reverse", {n}, "turned")[0];
  Tensor z = te::compute(
      {n}, [&](Var i) { return r(i) + 1.0f; }, "Z");
  return programs::make("c_function", {x, z}, {});
}

CheckOptions with_function(int64_t n) {
  CheckOptions options;
  options.sizes = {{"n", n}};
  options.build.externs = {{"tw_test_reverse", reinterpret_cast<void*>(&tw_test_reverse)}};
  options.externs["tw_test_reverse"] = [](const std::vector<ir::ExternArg>& args) {
    tw_test_reverse(static_cast<const float*>(args[0].tensor.data),
                    static_cast<float*>(args[1].tensor.data), args[2].int_value);
  };
  return options;
}

}  // namespace

TEST_CASE("a C function is called by the code, and held to its memory", "[schedule][extern]") {
  const Program program = c_function();
  const std::vector<Attempt> attempts = {
      {"pack.opaque_block",
       [](Schedule& s) { s.pack(s.get_block("turned"), "Y", "(i) -> (i % 2, i // 2)"); }},
      {"transform_layout.opaque_block",
       [](Schedule& s) { s.transform_layout(s.get_block("Y"), "(i) -> (i % 2, i // 2)"); }},
      {"transform_layout.opaque_block",
       [](Schedule& s) { s.transform_layout(s.get_block("turned"), "(i) -> (i % 2, i // 2)"); }},
      {"compute_inline.opaque_block", [](Schedule& s) { s.compute_inline(s.get_block("Y")); }},
      {"compute_at.opaque_block",
       [](Schedule& s) { s.compute_at(s.get_block("turned"), at(s, "Z", 0)); }},
      {"", [](Schedule&) {}},
      {"",
       [](Schedule& s) {
         s.cache_read(s.get_block("turned"), "Y");
         s.cache_write(s.get_block("turned"));
         s.transform_layout(s.get_block("Y"), "(i) -> (i % 2, i // 2)");
       }},
      {"",
       [](Schedule& s) { s.compute_at(s.get_block("Y"), s.add_unit_loop(s.get_block("turned"))); }},
  };
  for (size_t a = 0; a < attempts.size(); ++a) {
    INFO("attempt " << a);
    Schedule sch(program.func);
    const std::string wanted = attempts[a].code.empty() ? "" : "schedule." + attempts[a].code;
    CHECK(code_of(sch, attempts[a].run) == wanted);
    if (!wanted.empty()) continue;
    CHECK(replay_difference(sch) == "");
    for (int64_t n : {7, 1, 0}) {
      try {
        assert_allclose(sch, with_function(n));
      } catch (const Error& error) {
        FAIL_CHECK(error.code() << ": " << error.what());
      }
    }
  }
  try {
    build(tilewright::Program(Schedule(program.func)));
    FAIL_CHECK("built without the function");
  } catch (const Error& error) {
    // A test binary does not export its functions, so the address must be given.
    CHECK(error.code() == "codegen.extern");
  }
}

}  // namespace tilewright::testing
