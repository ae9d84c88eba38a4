#include "tilewright/tuner/api/tune_operator.h"

#include <algorithm>

#include "tilewright/api/operator.h"
#include "tilewright/ops/templates.h"
#include "tilewright/support/error.h"

namespace tilewright::tuner {
namespace {

// The same operator with small extents, for proving the reference; null when no small values fit together.
ir::PrimFunc shrunken_instance(const ops::OpInstance& op) {
  const ops::OpDefinition& definition = ops::find_definition(op.op);
  for (int64_t limit : {11, 8, 16, 5}) {
    ops::TextValues values = op.args;
    for (const ops::ParameterSpec& spec : definition.parameters) {
      if (spec.kind != ops::ParameterKind::kInt) continue;
      const int64_t most = spec.name == "batch" ? 2 : limit;
      values[spec.name] =
          std::to_string(std::min<int64_t>(std::stoll(op.args.at(spec.name)), most));
    }
    try {
      return ops::instantiate(definition, values).func;
    } catch (const Error&) {
      // These extents do not fit together with the other parameters; the next limit may.
    }
  }
  return {};
}

}  // namespace

TuneTask operator_task(const ops::OpInstance& op, const Target& target, int threads) {
  TuneTask task;
  task.key = task_key(op);
  task.measure = {op.func, target, {threads, "warm", {}}, shrunken_instance(op), {}};
  task.operation_count = op.operation_count;
  return task;
}

std::vector<Sketch> operator_sketches(const ops::OpInstance& op) {
  std::vector<Sketch> sketches;
  for (const ops::NamedTemplate& row : ops::templates_for(op.op)) {
    sketches.push_back({row.name, row.apply});
  }
  return sketches;
}

}  // namespace tilewright::tuner
