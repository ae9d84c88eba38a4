// The hand-written Goto nest against OpenBLAS' sgemm, one thread, packing inside the clock.
//
//   goto_bench [--json] [--secs S] [MxNxK...]

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/goto_matmul.h"
#include "paired.h"
#include "tilewright/api/build.h"

#ifdef TW_HAVE_OPENBLAS
extern "C" {
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
void openblas_set_num_threads(int threads);
char* openblas_get_config(void);
char* openblas_get_corename(void);
}
#endif

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;
using runtime::NDArray;

struct Shape {
  int m, n, k;
};

NDArray small_integers(std::vector<int64_t> shape, int salt) {
  NDArray array = NDArray::empty(std::move(shape), kFloat32);
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    array.data_as<float>()[i] = static_cast<float>((i * 7 + salt) % 11 - 5);
  }
  return array;
}

int64_t count_differences(const NDArray& a, const NDArray& b) {
  int64_t count = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    count += a.data_as<float>()[i] != b.data_as<float>()[i];
  }
  return count;
}

#ifdef TW_HAVE_OPENBLAS
ordered_json measure(const Shape& s, double secs) {
  const ir::PrimFunc func = kernels::matmul_program(s.m, s.n, s.k);
  const CompiledKernel kernel =
      build(kernels::goto_matmul(func, kernels::goto_blocking(Target::host(), s.n, s.k)));
  const NDArray a = small_integers({s.m, s.k}, 1), b = small_integers({s.k, s.n}, 2),
                ours = NDArray::zeros({s.m, s.n}, kFloat32),
                theirs = NDArray::zeros({s.m, s.n}, kFloat32);
  runtime::CallOptions one_thread;
  one_thread.num_threads = 1;
  const std::vector<runtime::Arg> args = {a, b, ours};
  runtime::PreparedCall call(kernel.function(), args, one_thread);
  const auto run_blas = [&] {
    cblas_sgemm(101, 111, 111, s.m, s.n, s.k, 1.0F, a.data_as<float>(), s.k, b.data_as<float>(),
                s.n, 0.0F, theirs.data_as<float>(), s.n);
  };
  const Paired paired = run_paired([&] { call.run(); }, run_blas, 21, secs);
  // Products and sums of small integers are exact, whatever their order.
  const int64_t wrong = count_differences(ours, theirs);
  const double operations = 2.0 * s.m * s.n * s.k;
  return {{"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"pairs", paired.ratios.size()},
          {"ratio", median(paired.ratios)},
          {"ratio_quartiles", {quantile(paired.ratios, 0.25), quantile(paired.ratios, 0.75)}},
          {"ms", median(paired.ours_secs) * 1e3},
          {"openblas_ms", median(paired.theirs_secs) * 1e3},
          {"gflops", operations / median(paired.ours_secs) * 1e-9},
          {"openblas_gflops", operations / median(paired.theirs_secs) * 1e-9},
          {"wrong_elements", wrong}};
}
#endif

int run(int argc, char** argv) {
  bool json = false;
  double secs = 2;
  std::vector<Shape> shapes;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    Shape s{};
    if (arg == "--json") {
      json = true;
    } else if (arg == "--secs" && i + 1 < argc) {
      secs = std::atof(argv[++i]);
    } else if (std::sscanf(arg.c_str(), "%dx%dx%d", &s.m, &s.n, &s.k) == 3 && s.m > 0 && s.n > 0 &&
               s.k > 0) {
      shapes.push_back(s);
    } else {
      std::fprintf(stderr,
                   "goto_bench: bad argument '%s'\nusage: goto_bench [--json] [--secs S] "
                   "[MxNxK...]\n",
                   arg.c_str());
      return 2;
    }
  }
  if (shapes.empty()) shapes = {{512, 512, 512}, {1024, 1024, 1024}, {1000, 127, 640}};
#ifdef TW_HAVE_OPENBLAS
  openblas_set_num_threads(1);
  ordered_json rows = ordered_json::array();
  for (const Shape& s : shapes) {
    rows.push_back(measure(s, secs));
    if (json) continue;
    const ordered_json& row = rows.back();
    std::printf(
        "%4dx%4dx%4d  ratio %.3f (%.3f .. %.3f)  %8.3f ms %6.1f GFLOP/s  OpenBLAS %8.3f ms "
        "%6.1f GFLOP/s%s\n",
        s.m, s.n, s.k, row["ratio"].get<double>(), row["ratio_quartiles"][0].get<double>(),
        row["ratio_quartiles"][1].get<double>(), row["ms"].get<double>(),
        row["gflops"].get<double>(), row["openblas_ms"].get<double>(),
        row["openblas_gflops"].get<double>(), row["wrong_elements"] == 0 ? "" : "  WRONG RESULT");
  }
  const ordered_json report = {{"bench", "goto"},
                               {"openblas", openblas_get_config()},
                               {"openblas_core", openblas_get_corename()},
                               {"target", Target::host().to_string()},
                               {"rows", rows}};
  if (json) std::printf("%s\n", report.dump().c_str());
  for (const ordered_json& row : rows) {
    if (row["wrong_elements"] != 0) return 1;
  }
  return 0;
#else
  (void)secs;
  std::fprintf(stderr, "goto_bench: built without OpenBLAS (libopenblas-dev)\n");
  return 1;
#endif
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "goto_bench: %s\n", error.what());
    return 1;
  }
}
