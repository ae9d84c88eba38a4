// What generated sketches give for expressions that no template knows, after 64 trials from an empty log, against the
// default schedule; and for a matmul and a convolution written as plain expressions against the best of their templates.
// One thread, in pairs, all in one run.
//
//   sketch_bench [--json] [--secs S] [--trials N] [--seed N]

#include <cstdio>
#include <cstdlib>

#include "kernels/compare_kernels.h"
#include "tilewright/api/build.h"
#include "tilewright/ops/definition.h"
#include "tilewright/record/best.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/api/tune_te.h"
#include "tilewright/tuner/space/generated.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;
using runtime::NDArray;
using te::Tensor;
using te::Var;

struct Options {
  bool json = false;
  double secs = 1;
  int64_t trials = 64;
  uint64_t seed = 1;
};

// A tensor expression, and what it is run on.
struct Expression {
  std::string name;
  std::vector<te::Arg> args;
  std::vector<NDArray> inputs;
  std::vector<int64_t> output;
  std::map<std::string, int64_t> sizes = {};
  float tolerance = 0;
};

// Z[b, i, j] = sum over k of X[b, i, k] * Y[b, k, j]; transposed: of X[b, k, i] * Y[b, j, k].
Expression batched_product(bool transposed) {
  const int64_t b = 7, m = 61, k = 53, n = 67;
  const std::vector<int64_t> x_shape = {b, transposed ? k : m, transposed ? m : k};
  const std::vector<int64_t> y_shape = {b, transposed ? n : k, transposed ? k : n};
  Tensor x = te::placeholder({x_shape.begin(), x_shape.end()}, kFloat32, "X");
  Tensor y = te::placeholder({y_shape.begin(), y_shape.end()}, kFloat32, "Y");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor z = te::compute(
      {b, m, n},
      [&](Var p, Var i, Var j) {
        return te::sum(transposed ? x(p, rk, i) * y(p, j, rk) : x(p, i, rk) * y(p, rk, j), {rk});
      },
      "Z");
  return {transposed ? "bki,bjk->bij 7x61x53x67" : "bik,bkj->bij 7x61x53x67",
          {x, y, z},
          {small_integers(x_shape, 1), small_integers(y_shape, 2)},
          {b, m, n}};
}

Tensor blur(const Tensor& image, int64_t h, int64_t w, const char* name) {
  return te::compute(
      {h - 2, w - 2},
      [&](Var i, Var j) {
        te::Expr sum = image(i, j);
        for (int64_t tap = 1; tap < 9; ++tap) sum = sum + image(i + tap / 3, j + tap % 3);
        return sum * 0.125F;
      },
      name);
}

Expression stencil_chain() {
  const int64_t h = 1000, w = 1003;
  Tensor image = te::placeholder({h, w}, kFloat32, "A");
  Tensor smooth = blur(image, h, w, "smooth");
  Tensor gradient = te::compute(
      {h - 4, w - 4},
      [&](Var i, Var j) {
        return ir::abs(smooth(i + 1, j + 2) - smooth(i + 1, j)) +
               ir::abs(smooth(i + 2, j + 1) - smooth(i, j + 1));
      },
      "gradient");
  Tensor out = blur(gradient, h - 4, w - 4, "out");
  return {
      "blur, gradient, blur 1000x1003", {image, out}, {small_integers({h, w}, 1)}, {h - 6, w - 6}};
}

Expression layernorm() {
  const int64_t rows = 256, width = 768;
  te::Expr n = te::var("n");
  Tensor x = te::placeholder({n, width}, kFloat32, "X");
  Tensor gamma = te::placeholder({width}, kFloat32, "gamma");
  Tensor beta = te::placeholder({width}, kFloat32, "beta");
  te::ReduceAxis rk = te::reduce_axis(width, "k"), rl = te::reduce_axis(width, "l");
  const float share = 1.0F / static_cast<float>(width);
  Tensor sum = te::compute(
      {n}, [&](Var i) { return te::sum(x(i, rk), {rk}); }, "sum");
  Tensor mean = te::compute(
      {n}, [&](Var i) { return sum(i) * share; }, "mean");
  Tensor squares = te::compute(
      {n}, [&](Var i) { return te::sum((x(i, rl) - mean(i)) * (x(i, rl) - mean(i)), {rl}); },
      "squares");
  Tensor y = te::compute(
      {n, width},
      [&](Var i, Var j) {
        return (x(i, j) - mean(i)) * ir::rsqrt(squares(i) * share + 1e-5F) * gamma(j) + beta(j);
      },
      "Y");
  return {
      "layernorm nx768, n=256",
      {x, gamma, beta, y},
      {small_integers({rows, width}, 1), small_integers({width}, 2), small_integers({width}, 3)},
      {rows, width},
      {{"n", rows}},
      1e-4F};
}

schedule::Schedule tuned(const tuner::TuneTask& task, std::vector<tuner::Sketch> sketches,
                         const Options& options) {
  tuner::TuneOptions tuning;
  tuning.max_trials = options.trials;
  tuning.seed = options.seed;
  const tuner::TuneResult result =
      tuner::tune(task, std::move(sketches), tuning, {.program_folder = TW_BIN_DIR});
  if (!result.best) fail("bench.tune", "no schedule of '{}' was valid", task.key.key());
  return record::apply(task.measure.func, *result.best).schedule;
}

std::vector<tuner::Sketch> generated(const tuner::TuneTask& task) {
  return tuner::generated_sketches(task.measure.func, task.measure.target, 1);
}

ordered_json expression_row(const Expression& e, const Options& options) {
  tuner::TuneTask task = tuner::te_task(e.args, Target::host(), 1);
  task.measure.sizes = e.sizes;
  const CompiledKernel ours = build(Program(tuned(task, generated(task), options)));
  const CompiledKernel theirs = build(Program(schedule::default_schedule(task.measure.func)));
  return compare_kernels(e.name + " / default", ours.function(), theirs.function(), e.inputs,
                         e.output, options.secs, e.tolerance);
}

// Both start from the operator's expression; only one knows the operator.
ordered_json operator_row(const std::string& name, const ops::OpInstance& op, bool both,
                          const std::vector<NDArray>& inputs, const std::vector<int64_t>& output,
                          const Options& options) {
  const tuner::TuneTask task = tuner::operator_task(op, Target::host(), 1);
  std::vector<tuner::Sketch> sketches = generated(task);
  if (both) {
    for (tuner::Sketch& sketch : tuner::operator_sketches(op))
      sketches.push_back(std::move(sketch));
  }
  const CompiledKernel ours = build(Program(tuned(task, std::move(sketches), options)));
  const CompiledKernel theirs = build(Program(tuned(task, tuner::operator_sketches(op), options)));
  return compare_kernels(name, ours.function(), theirs.function(), inputs, output, options.secs);
}

std::vector<ordered_json> operator_rows(const Options& options) {
  const ops::OpInstance matmul =
      ops::instantiate("matmul", {{"m", "512"}, {"n", "512"}, {"k", "512"}});
  const ops::OpInstance conv2d = ops::instantiate("conv2d", {});
  const std::vector<NDArray> squares = {small_integers({512, 512}, 1),
                                        small_integers({512, 512}, 2)};
  const std::vector<NDArray> image = {small_integers({1, 64, 56, 56}, 1),
                                      small_integers({64, 64, 3, 3}, 2)};
  std::vector<ordered_json> rows;
  for (const bool both : {false, true}) {
    const std::string what = both ? ", both / template" : ", generated / template";
    rows.push_back(operator_row("matmul 512" + what, matmul, both, squares, {512, 512}, options));
    rows.push_back(operator_row("conv2d" + what, conv2d, both, image, {1, 64, 56, 56}, options));
  }
  return rows;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--json") {
      options.json = true;
    } else if (arg == "--secs" && i + 1 < argc) {
      options.secs = std::atof(argv[++i]);
    } else if (arg == "--trials" && i + 1 < argc) {
      options.trials = std::atoll(argv[++i]);
    } else if (arg == "--seed" && i + 1 < argc) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      fail("bench.usage",
           "bad argument '{}'\nusage: sketch_bench [--json] [--secs S] [--trials N] [--seed N]",
           arg);
    }
  }
  return options;
}

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  ordered_json rows = ordered_json::array();
  for (const Expression& e :
       {batched_product(false), batched_product(true), stencil_chain(), layernorm()}) {
    rows.push_back(expression_row(e, options));
  }
  for (ordered_json& row : operator_rows(options)) rows.push_back(std::move(row));
  return report_rows("sketch", options.trials, options.seed, rows, options.json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sketch_bench: %s\n", error.what());
    return 1;
  }
}
