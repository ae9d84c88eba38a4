#include "tilewright/runtime/size_expr.h"

#include <catch2/catch.hpp>

#include "expect_error.h"

using tilewright::runtime::SizeExpr;
using tilewright::runtime::SizeMap;
using tilewright::testing::code_of;
using tilewright::testing::error_of;

TEST_CASE("size expressions evaluate by the usual precedence") {
  const SizeMap sizes = {{"n", 10}, {"m", -7}, {"batch.size", 3}};
  const auto [text, value] =
      GENERATE(table<std::string, int64_t>({{"42", 42},
                                            {"n", 10},
                                            {"n + 2*3", 16},
                                            {"(n+2)*3", 36},
                                            {"n - 1 - 2", 7},
                                            {"n//3", 3},
                                            {"m//3", -3},
                                            {"m % 3", 2},
                                            {"7 % -3", -2},
                                            {"n//2//2", 2},
                                            {"-n + 1", -9},
                                            {"- -n", 10},
                                            {"min(n, m)", -7},
                                            {"max(n, m) * 2", 20},
                                            {"floor_div(m, 2)", -4},
                                            {"floor_mod(m, 2)", 1},
                                            {"(n + 15)//16*16", 16},
                                            {"batch.size*n", 30},
                                            {"min(max(n, 3), (2))", 2},
                                            {"n-m", 17},
                                            {"9223372036854775807", INT64_MAX}}));
  INFO(text);
  CHECK(SizeExpr::parse(text).evaluate(sizes) == value);
  CHECK(SizeExpr::parse(text).text() == text);
}

TEST_CASE("constants and names are recognised") {
  CHECK(SizeExpr::parse("3*4").constant() == 12);
  CHECK_FALSE(SizeExpr::parse("n").constant());
  CHECK(SizeExpr::parse(" n ").name() == "n");
  CHECK(SizeExpr::parse("n+0").name() == "");
  CHECK(SizeExpr(-5).evaluate({}) == -5);
  CHECK_FALSE(SizeExpr::parse("n + k").evaluate({{"n", 1}}));
}

TEST_CASE("bad size expressions say where") {
  CHECK(error_of([] { SizeExpr::parse("n + "); }) ==
        "size.syntax: size expression 'n + ': expected a number, a name or '(' at position 4");
  for (const char* text : {"", "(n", "n)", "min(n)", "min(n,", "foo(n, m)", "n n", "n / 2", "3n",
                           "99999999999999999999", "+n", "n ** 2", "1.5"}) {
    INFO(text);
    CHECK(code_of([&] { SizeExpr::parse(text); }) == "size.syntax");
  }
  CHECK(code_of([] { SizeExpr::parse(std::string(100000, '(') + "n"); }) == "size.syntax");
  CHECK(code_of([] { SizeExpr::parse(std::string(100000, '-') + "n"); }) == "size.syntax");
}

TEST_CASE("size arithmetic outside int64 is an error") {
  const SizeMap sizes = {{"n", INT64_MAX}, {"z", 0}, {"low", INT64_MIN}};
  for (const char* text : {"n + 1", "n * 2", "low - 1", "-low", "n // z", "n % z", "low // -1"}) {
    INFO(text);
    CHECK(code_of([&] { SizeExpr::parse(text).evaluate(sizes); }) == "size.arithmetic");
  }
  CHECK(SizeExpr::parse("low % -1").evaluate(sizes) == 0);
}
