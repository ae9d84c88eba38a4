#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/expect_error.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using runtime::NDArray;

ir::PrimFunc calling(const std::string& symbol) {
  const te::Var n = te::var("n");
  te::Tensor x = te::placeholder({n}, kFloat32, "X");
  te::Tensor y = te::extern_call({{{n}, kFloat32}}, {x}, symbol, {n}, "Y")[0];
  return te::create_prim_func({x, y}, "calling");
}

}  // namespace

TEST_CASE("A library is linked with the C functions it calls", "[library]") {
  std::string name = (fs::temp_directory_path() / "tw-extern-XXXXXX").string();
  const std::string folder = mkdtemp(name.data());

  const std::string path = folder + "/libcalling.so";
  testing::expect_error("codegen.extern", {"'tw_no_such_function'"}, [&] {
    compile_library({LibraryFunction(calling("tw_no_such_function"))}, path);
  });
  CHECK_FALSE(fs::exists(path));
  fs::remove_all(folder);
}

TEST_CASE("A call that breaks an assumption ends with the reason", "[build]") {
  const te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor b = te::compute(
      {n}, [&](te::Var i) { return a(i) + 1.0f; }, "B");
  const CompiledKernel kernel = build(Program(
      te::create_prim_func({a, b, te::assume(te::floor_mod(n, 8) == 0), te::assume(n <= 64)})));
  CHECK_NOTHROW(kernel(NDArray::empty({16}, kFloat32)));
  testing::expect_error("call.assumption", {"n % 8 == 0"},
                        [&] { kernel(NDArray::empty({12}, kFloat32)); });
  testing::expect_error("call.assumption", {"n <= 64"},
                        [&] { kernel(NDArray::empty({72}, kFloat32)); });
}

TEST_CASE("Assumptions are a part of the task", "[record]") {
  const te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor b = te::compute(
      {n}, [&](te::Var i) { return a(i) + 1.0f; }, "B");
  const record::TaskKey plain = task_key({b}), eight = task_key({b}, {te::floor_mod(n, 8) == 0});
  CHECK(plain.key() != eight.key());
  CHECK(eight.assumptions == std::vector<std::string>{"n%8 == 0"});
}

TEST_CASE("Checked code tests the range that data is assumed to have", "[build]") {
  const te::Var n = te::var("n"), rows = te::var("rows");
  te::Tensor table = te::placeholder({rows}, kFloat32, "T"), at = te::placeholder({n}, kInt32, "I");
  te::Tensor out = te::compute(
      {n}, [&](te::Var i) { return table(te::assume(at(i), 0, rows)); }, "O");
  const ir::PrimFunc func = te::create_prim_func({table, at, out});
  BuildOptions options;
  options.checked = true;
  const CompiledKernel kernel = build(Program(func), Target::host(), options);
  const NDArray values = NDArray::empty({3}, kFloat32), index = NDArray::empty({2}, kInt32);
  for (int i = 0; i < 3; ++i) values.data_as<float>()[i] = static_cast<float>(i);
  index.data_as<int32_t>()[0] = 2;
  index.data_as<int32_t>()[1] = 1;
  CHECK(kernel(values, index)[0].data_as<float>()[0] == 2);
  index.data_as<int32_t>()[1] = 3;
  testing::expect_error("call.check", {"the value 3"}, [&] { kernel(values, index); });
}

}  // namespace tilewright
