#include <catch2/catch.hpp>

#include "sample_ir.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::ir;
using tilewright::testing::SampleMatmul;

TEST_CASE("the text form of a matmul", "[text]") {
  SampleMatmul s;
  s.allocs.push_back(Buffer(new BufferNode("T", kFloat32, {make_int(kInt64, 8)}, Scope::kLocal, {},
                                           {}, 64, {AllocAt::Kind::kLoop, 2})));
  CHECK(to_text(s.func()) == R"(func "matmul" scheduled {
  param A: float32[m, 64] global input
  param B: float32[64, 32] global input
  param C: float32[m, 32] global output
  param m: int64 shape
  assume m >= 1
  alloc T: float32[8] local align(64) at #2
  body {
    for io: int64 #1 in 0..(m + 7) // 8 parallel {
      for ii: int64 #2 in 0..8 serial {
        for j: int64 #3 in 0..32 vectorized {
          for k: int64 #4 in 0..64 serial {
            block "C" #5 compute (
                spatial vi: int64 in 0 +: m = io * 8 + ii,
                spatial vj: int64 in 0 +: 32 = j,
                reduce vk: int64 in 0 +: 64 = k)
                guard(io * 8 + ii < m: guard #1)
                reads A[vi, vk], B[vk, vj]
                writes C[vi, vj]
                reducer sum(float32)
                origin "C"
              init {
                C[vi, vj] = float32(0x0p+0)
              }
              body {
                update C[vi, vj] by sum(float32) with A[vi, vk] * B[vk, vj]
              }
          }
        }
      }
    }
  }
}
)");
}

TEST_CASE("the pretty form of a matmul", "[text]") {
  SampleMatmul s;
  s.allocs.push_back(Buffer(new BufferNode("T", kFloat32, {make_int(kInt64, 8)}, Scope::kLocal, {},
                                           {}, 64, {AllocAt::Kind::kLoop, 2})));
  PrintOptions options;
  CHECK(to_pretty(s.func(), options) ==
        R"(func matmul(A: float32[m, 64], B: float32[64, 32], C: float32[m, 32] output,
    m: int64 shape):
  assume m >= 1
  for io in 0..(m + 7)//8 parallel:
    for ii in 0..8:
      alloc T: float32[8] local
      for j in 0..32 vectorized:
        for k in 0..64:
          block C(vi = io*8 + ii, vj = j, reduce vk = k) if io*8 + ii < m:
            init:
              C[vi, vj] = 0.0
            C[vi, vj] += A[vi, vk]*B[vk, vj]
)");
  options.underline_id = 3;
  CHECK_THAT(to_pretty(s.func(), options), Catch::Contains("\n      for j in 0..32 vectorized:\n"
                                                           "      ^^^^^^^^^^^^^^^^^^^^^^^^^^\n"));
  options.underline_id = 5;
  options.show_ids = true;
  const std::string text = to_pretty(s.func(), options);
  CHECK_THAT(text, Catch::Contains("for j in 0..32 vectorized:  # id 3\n"));
  CHECK_THAT(text, Catch::Contains(" < m:  # id 5\n          ^^^^^^"));
}

TEST_CASE("lines of the pretty form stay short", "[text]") {
  SampleMatmul s;
  s.guard.push_back({s.io * 8 + s.ii < 123456789, 1, Tail::kPeel});
  s.guard.push_back({s.j < 31, 3, Tail::kPad});
  const std::string text = to_pretty(s.func());
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    INFO(text);
    CHECK(end - start <= 80);
    start = end + 1;
  }
  CHECK_THAT(text, Catch::Contains("and io*8 + ii < 123456789 (peel) and j < 31 (pad):"));
}

TEST_CASE("expressions print with the parentheses they need", "[text]") {
  Var x("x"), y("y"), f("f", kFloat32);
  Var b("b", kBool);
  const std::pair<Expr, const char*> rows[] = {
      {(x + y) * 2, "(x + y)*2"},
      {x + y * 2, "x + y*2"},
      {x - (y - 1), "x - (y - 1)"},
      {x - y - 1, "x - y - 1"},
      {floor_div(x * 2, y), "x*2//y"},
      {x * floor_div(2, y), "x*(2//y)"},
      {-x, "-x"},
      {-(x + y), "-(x + y)"},
      {!b && (x < y), "!b && x < y"},
      {(x < y) == b, "(x < y) == b"},
      {(x & 3) == 0, "(x & 3) == 0"},
      {f * 0.5 + 1, "f*0.5 + 1.0"},
      {max(x, y), "max(x, y)"},
      {trunc_div(x, y), "trunc_div(x, y)"},
      {cast(kInt8, f), "cast(int8, f)"},
      {-(-x), "-(-x)"},
  };
  for (const auto& [e, want] : rows) CHECK(to_pretty(e) == want);
}

TEST_CASE("what the parser refuses, and where", "[text]") {
  auto error_of = [](const std::string& text) -> std::string {
    try {
      parse_func(text);
    } catch (const Error& e) {
      CHECK(e.code() == "ir.parse");
      return e.what();
    }
    return "nothing was thrown";
  };
  auto in_body = [&](const std::string& stmt) {
    return error_of("func \"f\" flat {\n  param A: int64[8] global output\n  body {\n" + stmt +
                    "\n  }\n}");
  };
  CHECK(error_of("") == "line 1, column 1: expected 'func', got the end");
  CHECK(error_of("func \"f\" low {}") == "line 1, column 10: expected a level, got 'low'");
  CHECK(error_of("func \"f").find("quotes are not closed") != std::string::npos);
  CHECK(error_of("func \"f\" flat { body { } } x") ==
        "line 1, column 28: expected the end, got 'x'");
  CHECK(error_of("func \"f\" flat { param n: int64 shape param n: int64 shape body { } }")
            .find("'n' is defined twice") != std::string::npos);
  CHECK(in_body("A[0] = q") == "line 4, column 8: 'q' is not defined");
  CHECK(in_body("Q[0] = 1") == "line 4, column 1: 'Q' is not a buffer in scope");
  CHECK(in_body("A[0] = 1 + int32(1)") ==
        "line 4, column 10: '+' has operands of dtypes int64 and int32");
  CHECK(in_body("A[0] = int8(200)") == "line 4, column 13: 200 does not fit int8");
  CHECK(in_body("A[0] = (1") == "line 5, column 3: expected ')', got '}'");
  CHECK(in_body("A[0] = 1 $") == "line 4, column 10: unexpected character '$'");
  CHECK(in_body("A[0] = pow(1)") == "line 4, column 8: pow takes 2 arguments, got 1");
  CHECK(in_body("A[0] = broadcast(1, 0)") == "line 4, column 21: lanes must be 1 to 65535");
  CHECK(in_body("A[0] = 99999999999999999999") ==
        "line 4, column 8: expected an integer of 64 bits, got '99999999999999999999'");
  CHECK(in_body("update A[0] by avg(int64) with 1").find("no reducer 'avg'") != std::string::npos);
  CHECK(in_body("for i: int64 #1 in 1..8 serial { }") == "line 4, column 20: a loop begins at 0");
  CHECK(in_body("for i: int64 #1 in 0..8 fast { }") ==
        "line 4, column 25: expected a loop kind, got 'fast'");
  CHECK(in_body("A[0] = float33(1)") == "line 4, column 8: 'float33' is not defined");
  // A name ends with its scope.
  CHECK(in_body("let x: int64 = 1 { A[0] = x }\nA[1] = x") ==
        "line 5, column 8: 'x' is not defined");
  CHECK(in_body("A[0] = " + std::string(5000, '(')).find("nested deeper") != std::string::npos);
  CHECK(in_body(std::string(5000, '-')).find("expected a statement") != std::string::npos);
}

TEST_CASE("comments, scopes and names written by hand", "[text]") {
  PrimFunc f = parse_func(R"(
    func "f" flat {  ; doubles
      param `for`: int64[8] global output
      body {
        for i: int64 #1 in 0..4 serial { `for`[i] = i ; one }
        }
        for i: int64 #2 in 0..4 serial { `for`[i + 4] = `for`[i] * 2 }
      }
    })");
  CHECK(verify(f) == std::vector<std::string>{});
  CHECK(f->params[0].buffer->name == "for");
  CHECK(structural_equal(f, parse_func(to_text(f))));
}

TEST_CASE("modules survive printing and parsing", "[text]") {
  IRModule module;
  module.funcs = {SampleMatmul().func(), SampleMatmul().func()};
  module.entry = "matmul";
  module.prepack = "pack \"x\"";
  module.target = "cpu -vector-bits=256";
  module.constants["W"] = std::string("\0\xff\x10", 3);
  IRModule again = parse_module(to_text(module));
  CHECK(again.entry == module.entry);
  CHECK(again.prepack == module.prepack);
  CHECK(again.target == module.target);
  CHECK(again.constants == module.constants);
  REQUIRE(again.funcs.size() == 2);
  CHECK(structural_equal(again.funcs[1], module.funcs[1]));
}
