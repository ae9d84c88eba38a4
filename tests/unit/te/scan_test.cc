#include "tilewright/te/scan.h"

#include <catch2/catch.hpp>

#include "support/expect_error.h"
#include "tilewright/ir/text.h"
#include "unit/te/more_programs.h"

namespace tilewright::testing {
namespace {

using te::Expr;
using te::Tensor;
using te::Var;

void check_values(const Program& program, const Program::Tensors* given = nullptr) {
  for (const Sizes& sizes : program.sizes) {
    Program::Tensors tensors = given ? *given : make_arguments(program.func, sizes);
    Program::Tensors wanted = tensors;
    ir::InterpOptions options;
    options.check_init = true;
    interpret_on(program.func, tensors, {}, options);
    program.reference(wanted);
    for (size_t t = 0; t < tensors.size(); ++t) {
      INFO("tensor " << t);
      REQUIRE(first_difference(tensors[t], wanted[t], program.tolerance) == "");
    }
  }
}

}  // namespace

TEST_CASE("the other programs: values, text and well-formedness", "[te]") {
  const std::vector<Program> again = more_programs();
  size_t index = 0;
  for (const Program& program : more_programs()) {
    INFO(program.name);
    CHECK(ir::verify(program.func) == std::vector<std::string>{});
    check_values(program);
    CHECK(ir::structural_equal(ir::parse_func(ir::to_text(program.func)), program.func));
    CHECK(ir::to_text(program.func) == ir::to_text(again[index++].func));
  }
}

TEST_CASE("canonical texts do not depend on names", "[te]") {
  const auto make = [](const std::string& state, const std::string& loop, double start) {
    Var n = te::var(state + "n");
    Tensor x = te::placeholder({n}, kFloat32, state + "x");
    Tensor s = te::scan(n, {}, Expr(start),
                        [&](const Var& t, const te::ScanValue& before, const std::vector<Var>& i) {
                          return before(i) + x(t);
                        },
                        {state});
    return te::extern_op(
        {{{n}, kFloat32}}, {s},
        [&](ir::IRBuilder& b, const std::vector<ir::Buffer>& in,
            const std::vector<ir::Buffer>& out) {
          b.loop(loop, n,
                 [&](const Var& i) { b.store(out[0], {n - 1 - i}, ir::load(in[0], {i})); });
        },
        state + "r");
  };
  CHECK(te::canonical_text(make("a", "i", 0)) == te::canonical_text(make("b", "j", 0)));
  CHECK(te::canonical_hash(make("a", "i", 0)) == te::canonical_hash(make("b", "j", 0)));
  CHECK(te::canonical_hash(make("a", "i", 0)) != te::canonical_hash(make("b", "j", 1)));
}

TEST_CASE("an IIR filter runs along the last dimension", "[te]") {
  const int64_t rows = 3, cols = 8;
  Tensor x = te::placeholder({rows, cols}, kFloat32, "X");
  te::Scan scan(cols, "iir");
  const te::ScanValue y = scan.state({rows}, 0.0f, {"y", 1});
  const te::ScanValue z = scan.state({rows}, 0.0f, {"z", 1});
  scan.update(y, [&](Var i) { return x(i, scan.step()) - y(i) + z(i); });
  scan.update(z, [&](Var i) { return y(i); });
  const std::vector<Tensor> out = scan.finish();
  const Program program = programs::make("iir", {x, out[0], out[1]}, [=](Program::Tensors& t) {
    for (int64_t r = 0; r < rows; ++r) {
      double y1 = 0, y2 = 0;
      for (int64_t c = 0; c < cols; ++c) {
        const double value = t[0]({r, c}) - y1 + y2;
        y2 = y1;
        y1 = value;
        t[1].set({r, c}, y1);
        t[2].set({r, c}, y2);
      }
    }
  });
  check_values(program);
  CHECK(ir::to_pretty(program.func).find("for t in 0..8 ordered") != std::string::npos);
}

TEST_CASE("scans are refused with a reason", "[te]") {
  Tensor x = te::placeholder({4}, kFloat32, "X");
  const auto code = [](const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.code();
    }
    return std::string();
  };
  const auto state_of = [](te::Scan& scan) { return scan.state({4}, 0.0f, {"s"}); };
  struct Case {
    const char* code;
    std::function<void()> run;
  };
  const std::vector<Case> cases = {
      {"te.scan_update",
       [&] {
         te::Scan scan(4);
         state_of(scan);
         scan.finish();
       }},
      {"te.scan_update",
       [&] {
         te::Scan scan(4);
         scan.finish();
       }},
      {"te.scan_update",
       [&] {
         te::Scan scan(4), other(4);
         state_of(scan);
         scan.update(state_of(other), [&](Var i) { return x(i); });
       }},
      {"te.scan_update",
       [&] {
         te::Scan scan(4);
         const te::ScanValue s = state_of(scan);
         scan.update(s, [&](Var i) { return x(i); });
         scan.update(s, [&](Var i) { return x(i); });
       }},
      {"te.scan_axis",
       [&] {
         te::Scan(4).state({4}, 0.0f, {"s", 2});
       }},
      {"te.scan_dtype",
       [&] {
         te::Scan scan(4);
         scan.update(scan.state({4}, te::constant(kInt32, 0), {"s"}), [&](Var i) { return x(i); });
       }},
      {"te.out_of_range",
       [&] {
         te::Scan scan(4);
         const te::ScanValue s = state_of(scan);
         scan.update(s, [&](Var i) { return s(i + 1); });
       }},
      {"te.out_of_range",
       [&] {
         te::Scan scan(5);
         scan.update(state_of(scan), [&](Var) { return x(scan.step()); });
       }},
      {"te.rank_mismatch",
       [&] {
         te::Scan scan(4);
         const te::ScanValue s = state_of(scan);
         scan.update(s, [&](Var i) { return s(i, i); });
       }},
      {"te.unbound_variable",
       [&] {
         te::Scan scan(4);
         const te::ScanValue s = state_of(scan);
         te::compute({4}, [&](Var i) { return s(i); });
       }},
      {"te.unbound_variable",
       [&] {
         te::Scan scan(4);
         te::compute({4}, [&](Var i) { return x(i) + te::cast(kFloat32, scan.step()); });
       }},
      {"te.bad_shape", [&] { te::Scan(-1); }},
  };
  for (size_t c = 0; c < cases.size(); ++c) {
    INFO("case " << c);
    CHECK(code(cases[c].run) == cases[c].code);
  }
}

}  // namespace tilewright::testing
