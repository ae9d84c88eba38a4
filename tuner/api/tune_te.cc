#include "tilewright/tuner/api/tune_te.h"

#include "tilewright/api/operator.h"
#include "tilewright/schedule/replay.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/api/probe.h"

namespace tilewright::tuner {
namespace {

TuneTask task_of(const ir::PrimFunc& func, record::TaskKey key, const Target& target, int threads) {
  TuneTask task;
  task.key = std::move(key);
  task.measure.func = func;
  task.measure.target = target;
  task.measure.exec.threads = threads;
  task.operation_count = te::operation_count(func).value_or(0);
  return task;
}

}  // namespace

record::TaskKey func_key(const ir::PrimFunc& func) {
  record::TaskKey key;
  for (const ir::Param& param : func->params) {
    if (param.buffer) key.dtypes.push_back(to_string(param.buffer->dtype));
  }
  key.expr_hash = schedule::Schedule(func).sealed_trace().hash;
  return key;
}

TuneTask te_task(const std::vector<te::Arg>& args, const Target& target, int threads,
                 const std::string& name, const std::vector<ir::Expr>& assumptions) {
  const ir::PrimFunc func = te::create_prim_func(args, name, assumptions);
  std::vector<te::Tensor> outputs;
  for (const te::Arg& arg : args) {
    if (arg.tensor.defined() && arg.tensor.op().kind != te::Operation::Kind::kPlaceholder) {
      outputs.push_back(arg.tensor);
    }
  }
  return task_of(func, task_key(outputs, assumptions), target, threads);
}

TuneTask func_task(const ir::PrimFunc& func, const Target& target, int threads) {
  return task_of(func, func_key(func), target, threads);
}

Sketch sketch_of(const schedule::Trace& trace, const std::string& name) {
  const auto apply = [trace](schedule::Schedule& sch, const Target&, int) {
    schedule::replay_steps(sch, trace);
  };
  return {trace.sketch.empty() ? name : trace.sketch, apply};
}

TuneResult tune(const std::vector<te::Arg>& args, std::vector<Sketch> sketches, TuneOptions options,
                const Target& target, int threads, const WorkerOptions& workers) {
  if (!options.speeds) options.speeds = host_speeds().speeds;
  return tune(te_task(args, target, threads), std::move(sketches), options, workers);
}

}  // namespace tilewright::tuner
