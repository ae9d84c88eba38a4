#include <catch2/catch.hpp>

#include "expect_error.h"
#include "tilewright/runtime/function_info.h"

using namespace tilewright;
using namespace tilewright::runtime;
using tilewright::testing::code_of;
using tilewright::testing::error_of;

namespace {

LibraryInfo example() {
  LibraryInfo info;
  info.target = "cpu -arch=x86_64";
  info.features = {"avx2", "fma"};
  info.versions = {{"tilewright", "0.1.0"}};
  FunctionInfo f;
  f.name = "gemm";
  f.has_workspace = true;
  f.assumptions = {"m % 8 == 0"};
  f.records = {"r-1"};
  ParamInfo a{.name = "A", .role = ParamRole::kInput, .dtype = kFloat16, .alignment_bytes = 2};
  a.shape = {SizeExpr::parse("m"), SizeExpr(512)};
  ParamInfo alpha{.name = "alpha", .is_tensor = false, .dtype = kFloat32};
  ParamInfo m{.name = "m", .role = ParamRole::kShape, .is_tensor = false, .dtype = kInt64};
  ParamInfo w{.name = "W", .role = ParamRole::kConstant, .dtype = kInt8, .any_strides = true};
  w.shape = {SizeExpr(3)};
  ParamInfo acc{.name = "acc", .role = ParamRole::kInout, .dtype = kBool};
  ParamInfo c{.name = "C", .role = ParamRole::kOutput, .dtype = kBFloat16, .device = "cuda"};
  c.shape = {SizeExpr::parse("(m + 7)//8"), SizeExpr::parse("8")};
  c.alias_of = "acc";
  f.params = {a, alpha, m, w, acc, c};
  info.functions = {f};
  return info;
}

}  // namespace

TEST_CASE("a manifest reads back as it was written") {
  const std::string text = to_manifest(example());
  CHECK(text.find('\n') == std::string::npos);
  const LibraryInfo info = parse_manifest(text);
  CHECK(to_manifest(info) == text);
  REQUIRE(info.find("gemm"));
  const FunctionInfo& f = *info.find("gemm");
  CHECK(f.has_workspace);
  CHECK(f.params[0].alignment_bytes == 2);
  CHECK(f.params[1].is_tensor == false);
  CHECK(f.params[3].any_strides);
  CHECK(f.params[5].alias_of == "acc");
  CHECK(f.params[5].device == "cuda");
  CHECK(f.params[5].shape[0].evaluate({{"m", 9}}) == 2);
  CHECK(f.size_names() == std::vector<std::string>{"m"});
  CHECK(f.signature() ==
        "gemm(A: float16 (m, 512), alpha: float32, m: int64, W: int8 (3,), acc: bool () inout) -> "
        "C: bfloat16 ((m + 7)//8, 8)");
  CHECK_FALSE(info.find("main"));
}

TEST_CASE("manifests of other versions and broken ones") {
  CHECK(code_of([] { parse_manifest("{\"abi\":2,\"functions\":[]}"); }) == "module.abi_version");
  CHECK(parse_manifest("{\"abi\":1,\"functions\":[],\"later\":1}").functions.empty());
  for (const char* text : {"", "{", "[]", "{\"abi\":1}", "{\"abi\":\"x\",\"functions\":[]}",
                           "{\"abi\":1,\"functions\":[{\"name\":3,\"params\":[]}]}",
                           "{\"abi\":1,\"functions\":[{\"name\":\"f\",\"params\":[{\"name\":\"a\","
                           "\"role\":\"guest\",\"dtype\":\"int8\",\"shape\":[]}]}]}"}) {
    INFO(text);
    CHECK(code_of([&] { parse_manifest(text); }) == "module.bad_manifest");
  }
}
