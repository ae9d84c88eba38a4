// How long scheduling itself takes: each primitive on a conv2d program, a tensor expression to a callable
// function in a warm process, the replay of a trace.
//
//   primitive_bench [--json] [--repeats N]

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/goto_matmul.h"
#include "paired.h"
#include "tilewright/api/build.h"
#include "tilewright/te/te.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;
using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

ir::PrimFunc conv2d() {
  const int64_t channels = 64, size = 56, kernel = 3;
  te::Tensor data = te::placeholder({1, channels, size, size}, kFloat32, "data");
  te::Tensor weight = te::placeholder({channels, channels, kernel, kernel}, kFloat32, "weight");
  auto padded = te::constant_exterior(data, 0.0F);
  te::Tensor pad = te::compute(
      {1, channels, size + 2, size + 2},
      [&](te::Var n, te::Var c, te::Var y, te::Var x) { return padded(n, c, y - 1, x - 1); },
      "pad");
  te::ReduceAxis rc = te::reduce_axis(channels, "rc"), ry = te::reduce_axis(kernel, "ry"),
                 rx = te::reduce_axis(kernel, "rx");
  te::Tensor conv = te::compute(
      {1, channels, size, size},
      [&](te::Var n, te::Var o, te::Var y, te::Var x) {
        return te::sum(pad(n, rc, y + ry, x + rx) * weight(o, rc, ry, rx), {rc, ry, rx});
      },
      "conv");
  return te::create_prim_func({data, weight, conv}, "conv2d");
}

// A schedule of some forty primitives of every kind; `clock` runs each of them.
using Clock = std::function<void(const char* primitive, const std::function<void()>& step)>;

Schedule schedule_conv(const ir::PrimFunc& func, const Clock& clock) {
  Schedule sch(func);
  BlockRef conv, copy, pack, pad;
  std::vector<Loop> l, o, x, c, out, lanes;
  clock("get_block", [&] { conv = sch.get_block("conv"); });
  clock("get_block", [&] { pad = sch.get_block("pad"); });
  clock("cache_write", [&] { copy = sch.cache_write(conv, "register"); });
  clock("get_loops", [&] { l = sch.get_loops(conv); });
  clock("pack", [&] {
    pack = sch.pack(conv, "weight", "(o, c, y, x) -> (o // 16, c, y, x, o % 16)", {{0, 16}});
  });
  clock("split", [&] { o = sch.split(l[1], {std::nullopt, 2, 8}, "pad"); });
  clock("split", [&] { x = sch.split(l[3], {std::nullopt, 6}); });
  clock("split", [&] { c = sch.split(l[4], {std::nullopt, 4}, "peel"); });
  clock("reorder", [&] {
    sch.reorder({l[0], o[0], l[2], x[0], c[0], c[1], l[5], l[6], x[1], o[1], o[2]});
  });
  clock("reverse_compute_at", [&] { sch.reverse_compute_at(copy, x[0]); });
  clock("compute_at", [&] { sch.compute_at(pad, l[2]); });
  clock("transform_layout",
        [&] { sch.transform_layout(pad, "(n, c, y, x) -> (n, y, c // 4, x, c % 4)"); });
  clock("set_scope", [&] { sch.set_scope(pad, "local"); });
  clock("decompose_reduction", [&] { sch.decompose_reduction(conv, c[0]); });
  clock("get_loops", [&] { out = sch.get_loops(copy); });
  clock("split", [&] { lanes = sch.split_factor(out[out.size() - 3], 8); });
  clock("reorder", [&] { sch.reorder({out.back(), lanes[0], lanes[1]}); });
  clock("unroll", [&] { sch.unroll(out.back()); });
  clock("unroll", [&] { sch.unroll(lanes[0]); });
  clock("vectorize", [&] { sch.vectorize(lanes[1]); });
  clock("unroll", [&] { sch.unroll(x[1]); });
  clock("unroll", [&] { sch.unroll(o[1]); });
  clock("vectorize", [&] { sch.vectorize(o[2]); });
  Loop fused;
  clock("fuse", [&] { fused = sch.fuse({l[0], o[0], l[2]}); });
  clock("parallel", [&] { sch.parallel(fused); });
  std::vector<Loop> p;
  clock("get_loops", [&] { p = sch.get_loops(pack); });
  clock("split", [&] { p = sch.split_factor(p[0], 16); });
  clock("parallel", [&] { sch.parallel(p[0]); });
  return sch;
}

// Processor time of this thread: what other processes do to the clock is no cost of a primitive.
double processor_secs(const std::function<void()>& step) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  step();
  return now() - start;
}

ordered_json time_primitives(int repeats) {
  const ir::PrimFunc func = conv2d();
  std::map<std::string, std::vector<double>> secs;
  for (int i = 0; i < repeats; ++i) {
    schedule_conv(func, [&](const char* primitive, const std::function<void()>& step) {
      secs[primitive].push_back(processor_secs(step));
    });
  }
  ordered_json rows = ordered_json::object();
  for (const auto& [primitive, values] : secs) {
    rows[primitive] = {{"median_ms", median(values) * 1e3},
                       {"p99_ms", quantile(values, 0.99) * 1e3},
                       {"worst_ms", quantile(values, 1) * 1e3}};
  }
  return rows;
}

ordered_json time_pipeline(int repeats) {
  std::vector<double> default_secs, goto_secs, replay_secs;
  const auto from_te = [] { return kernels::matmul_program(512, 512, 512); };
  for (int i = -1; i < repeats; ++i) {
    const double a =
        time_secs([&] { build(Program(schedule::default_schedule(from_te()))).function(); });
    const double b = time_secs([&] {
      build(Program(
                kernels::goto_matmul(from_te(), kernels::goto_blocking(Target::host(), 512, 512))))
          .function();
    });
    if (i < 0) continue;  // the first one warms the process up
    default_secs.push_back(a);
    goto_secs.push_back(b);
  }
  const ir::PrimFunc func = from_te();
  const schedule::Trace trace = kernels::goto_matmul(func).sealed_trace();
  for (int i = 0; i < 10 * repeats; ++i) {
    replay_secs.push_back(time_secs([&] { Schedule::replay(func, trace); }));
  }
  const ir::PrimFunc conv = conv2d();
  const schedule::Trace conv_trace =
      schedule_conv(conv, [](const char*, const std::function<void()>& step) {
        step();
      }).sealed_trace();
  std::vector<double> conv_replay_secs;
  for (int i = 0; i < 10 * repeats; ++i) {
    conv_replay_secs.push_back(processor_secs([&] { Schedule::replay(conv, conv_trace); }));
  }
  return {{"conv2d_steps", conv_trace.instructions.size()},
          {"conv2d_replay_ms", median(conv_replay_secs) * 1e3},
          {"te_to_callable_default_ms", median(default_secs) * 1e3},
          {"te_to_callable_goto_ms", median(goto_secs) * 1e3},
          {"replay_steps", trace.instructions.size()},
          {"replay_ms", median(replay_secs) * 1e3}};
}

int run(int argc, char** argv) {
  bool json = false;
  int repeats = 10;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--json") {
      json = true;
    } else if (arg == "--repeats" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      repeats = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr,
                   "primitive_bench: bad argument '%s'\nusage: primitive_bench [--json] "
                   "[--repeats N]\n",
                   arg.c_str());
      return 2;
    }
  }
  const ordered_json primitives = time_primitives(repeats * 3), pipeline = time_pipeline(repeats);
  if (json) {
    const ordered_json report = {
        {"bench", "primitive"}, {"primitives", primitives}, {"pipeline", pipeline}};
    std::printf("%s\n", report.dump().c_str());
    return 0;
  }
  for (const auto& [name, row] : primitives.items()) {
    std::printf("%-24s median %7.3f ms  p99 %7.3f ms  worst %7.3f ms\n", name.c_str(),
                row["median_ms"].get<double>(), row["p99_ms"].get<double>(),
                row["worst_ms"].get<double>());
  }
  for (const auto& [name, value] : pipeline.items()) {
    std::printf("%-28s %9.3f\n", name.c_str(), value.get<double>());
  }
  return 0;
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "primitive_bench: %s\n", error.what());
    return 1;
  }
}
