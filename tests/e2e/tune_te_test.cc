#include <catch2/catch.hpp>

#include "command.h"
#include "tilewright/api/build.h"
#include "tilewright/record/best.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/api/tune_te.h"

namespace tilewright {
namespace {

using runtime::NDArray;
using schedule::Schedule;

TEST_CASE("tune in C++: tensor expressions, a template, and the best schedule built") {
  const testing::Workplace place;
  const te::Tensor a = te::placeholder({32, 64}, kFloat32, "A");
  const te::ReduceAxis k = te::reduce_axis(64, "k");
  const te::Tensor b = te::compute(
      {32}, [&](te::Var i) { return te::sum(a(i, k), k); }, "B");
  const auto rows = [](Schedule& sch, const Target&, int) {
    const auto loops = sch.get_loops(sch.get_block("B"));
    const auto factor = sch.sample_categorical({2, 4, 8}, {}, "rows");
    const auto parts = sch.split_factor(loops[0], factor);
    sch.reorder({parts[0], loops[1], parts[1]});
    sch.unroll(parts[1]);
  };
  tuner::TuneOptions options;
  options.max_trials = 8;
  options.seed = 1;
  options.log_path = place.file("a.jsonl");
  tuner::WorkerOptions workers;
  workers.program_folder = TW_BIN_DIR;
  const tuner::TuneResult result =
      tuner::tune({a, b}, {{"rows", rows}}, options, Target::host(), 1, workers);
  CHECK(result.stop == tuner::StopReason::kExhausted);
  CHECK(result.valid >= 3);
  CHECK(result.failed == 0);
  REQUIRE(result.best);
  CHECK(result.roofline_secs > 0);

  const tuner::TuneTask task = tuner::te_task({a, b}, Target::host(), 1);
  const record::BestResult best = record::apply_best(
      task.measure.func, record::read_log(options.log_path), {task.key.key(), Target::host(), {}});
  REQUIRE(best.applied);
  const NDArray input = NDArray::zeros({32, 64}, kFloat32);
  for (int64_t i = 0; i < 32 * 64; ++i) input.data_as<float>()[i] = static_cast<float>(i % 64);
  CHECK(build(best.applied->schedule)(input)[0].data_as<float>()[31] == 63 * 32);
}

}  // namespace
}  // namespace tilewright
