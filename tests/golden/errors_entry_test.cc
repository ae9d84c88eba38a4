// Whole texts of the errors of calls that only another caller, another library or another CPU meets: the compiled entry
// is called through functions that change what it is given, or that stand for it.

#include "golden/errors_support.h"
#include "tilewright/api/build.h"
#include "tilewright/te/te.h"

namespace tilewright::testing {
namespace {

using runtime::Function;
using te::Tensor;
using te::Var;

// Means of rows: a buffer for each iteration of a parallel loop, which needs a workspace.
Function row_means() {
  const Tensor x = te::placeholder({4, 20000}, kFloat32, "x");
  const Tensor y = te::compute(
      {4, 20000}, [&](Var i, Var j) { return x(i, j) * 2.0f; }, "y");
  const te::ReduceAxis k = te::reduce_axis(20000, "k");
  const Tensor z = te::compute(
      {4}, [&](Var i) { return te::sum(y(i, k), {k}); }, "z");
  schedule::Schedule sch(te::create_prim_func({x, z}, "rows"));
  const schedule::Loop i = sch.get_loops(sch.get_block("z"))[0];
  sch.compute_at(sch.get_block("y"), i);
  sch.parallel(i);
  return build(Program(sch)).function();
}

tw_entry_fn compiled = nullptr;  // what the functions below call

int32_t by_an_old_caller(const tw_call* call) {
  tw_call changed = *call;
  changed.abi_version = TW_ABI_VERSION + 1;
  return compiled(&changed);
}

int32_t with_little_workspace(const tw_call* call) {
  alignas(64) static char space[1024];
  tw_call changed = *call;
  changed.workspace = space;
  changed.workspace_size = sizeof space;
  return compiled(&changed);
}

int32_t without_memory(const tw_call* call) {
  tw_call changed = *call;
  changed.workspace = nullptr;
  changed.alloc = [](void*, int64_t, int64_t) -> void* { return nullptr; };
  return compiled(&changed);
}

int32_t that_fails(const tw_call*) { return TW_ERR_INTERNAL; }
int32_t of_a_later_version(const tw_call*) { return TW_ERR_INTERNAL + 1; }

}  // namespace

TEST_CASE("texts of errors: compiled entries", "[golden]") {
  const Function rows = row_means();
  compiled = rows.entry();
  const std::vector<runtime::Arg> args = {runtime::NDArray::zeros({4, 20000}, kFloat32),
                                          runtime::NDArray::zeros({4}, kFloat32)};
  const auto call = [&](tw_entry_fn entry, const std::vector<std::string>& features = {}) {
    return [&args, &rows, entry, features] {
      Function(entry, rows.info(), nullptr, nullptr, features).call(args);
    };
  };
  check_triggers({
      {"call.abi", call(by_an_old_caller)},
      {"call.workspace", call(with_little_workspace)},
      {"call.out_of_memory", call(without_memory)},
      {"call.cpu_feature", call(compiled, {"avx9000"})},
      {"call.internal", call(that_fails)},
      {"call.unknown_status", call(of_a_later_version)},
  });
}

}  // namespace tilewright::testing
