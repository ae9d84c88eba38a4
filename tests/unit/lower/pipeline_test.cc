#include "support/expect_error.h"
#include "tilewright/te/te.h"
#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using te::Tensor;
using te::Var;

namespace {

ir::PrimFunc doubled() {
  Tensor a = te::placeholder({10}, kFloat32, "A");
  Tensor c = te::compute(
      {10}, [&](Var i) { return a(i) * 2.0f; }, "C");
  return te::create_prim_func({a, c});
}

}  // namespace

TEST_CASE("the funnel reports every pass in order") {
  std::vector<std::string> timed, dumped, table;
  for (const lower::PassInfo& row : lower::pass_table()) table.emplace_back(row.name);
  lower::LowerOptions options;
  options.timed = [&](std::string_view pass, double secs) {
    CHECK(secs >= 0);
    timed.emplace_back(pass);
  };
  options.dump_after = [&](std::string_view pass, const ir::PrimFunc&) {
    dumped.emplace_back(pass);
  };
  ir::PrimFunc result = lower::lower(doubled(), test_target(), options);
  CHECK(timed == table);
  CHECK(dumped == table);
  CHECK(result->level == ir::Level::kFlat);
  CHECK(result->allocs.empty());
}

TEST_CASE("lowering refuses unknown passes, other levels and other targets") {
  ir::PrimFunc func = doubled();
  lower::LowerOptions options;
  options.skip = {"vectorise"};
  expect_error("lower.unknown_pass", {"'vectorise'", "vectorize"},
               [&] { lower::lower(func, test_target(), options); });
  expect_error("lower.level", {"level flat"}, [&] { lowered(lowered(func)); });
  Target cuda = test_target();
  cuda.kind = TargetKind::kCuda;
  expect_error("lower.target", {"cuda", "cpu"}, [&] { lower::lower(func, cuda); });
}

TEST_CASE("flat text parses back to the same function") {
  ir::PrimFunc result = lowered(doubled());
  CHECK(ir::structural_equal(ir::parse_func(ir::to_text(result)), result));
}

TEST_CASE("checked mode tests data-dependent indices") {
  Tensor a = te::placeholder({10}, kFloat32, "A"), index = te::placeholder({4}, kInt32, "I");
  Tensor c = te::compute(
      {4}, [&](Var i) { return a(te::cast(kInt64, index(i))); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, index, c});
  lower::LowerOptions options;
  options.checked = true;
  options.verify_each = true;
  ir::PrimFunc checked = lower::lower(func, test_target(), options);
  int asserts = 0;
  ir::walk_stmts(checked->body,
                 [&](const ir::Stmt& s) { asserts += s.as<ir::AssertNode>() != nullptr; });
  CHECK(asserts == 1);
  std::vector<HostTensor> tensors = make_arguments(checked, {});
  for (int i = 0; i < 4; ++i) tensors[1].put(i, i + 1);
  interpret_on(checked, tensors);
  tensors[1].put(2, 10);
  CHECK_THROWS_AS(interpret_on(checked, tensors), Error);
  // Indices that are known to be inside cost nothing.
  ir::PrimFunc plain = lower::lower(doubled(), test_target(), options);
  ir::walk_stmts(plain->body, [&](const ir::Stmt& s) { CHECK(s.as<ir::AssertNode>() == nullptr); });
}
