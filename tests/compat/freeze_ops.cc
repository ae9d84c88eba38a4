#include "compat/frozen.h"
#include "tilewright/api/operator.h"
#include "tilewright/ops/definition.h"
#include "tilewright/ops/templates.h"
#include "tilewright/record/tuning_record.h"

namespace tilewright::testing {
namespace {

using schedule::Schedule;

struct OpCase {
  std::string name, op;
  ops::TextValues values;
};

// Several panels of k with a remainder, transposed and batched operands, both layouts, groups, 16 bits.
std::vector<OpCase> op_cases() {
  return {
      {"matmul", "matmul", {{"m", "40"}, {"n", "50"}, {"k", "300"}}},
      {"matmul_transposed",
       "matmul",
       {{"m", "20"}, {"n", "24"}, {"k", "30"}, {"trans_a", "1"}, {"trans_b", "1"}}},
      {"matmul_batched", "matmul", {{"m", "12"}, {"n", "20"}, {"k", "16"}, {"batch", "2"}}},
      {"matmul_f16", "matmul", {{"m", "12"}, {"n", "20"}, {"k", "16"}, {"dtype", "f16"}}},
      {"conv2d", "conv2d", {{"ci", "4"}, {"co", "20"}, {"h", "9"}, {"w", "11"}, {"kernel", "3"}}},
      {"conv2d_nhwc",
       "conv2d",
       {{"ci", "4"}, {"co", "20"}, {"h", "9"}, {"w", "11"}, {"kernel", "3"}, {"layout", "NHWC"}}},
      {"conv2d_grouped",
       "conv2d",
       {{"ci", "4"}, {"co", "8"}, {"h", "9"}, {"w", "11"}, {"kernel", "3"}, {"groups", "2"}}},
  };
}

// Templates ask for registers and lanes: those of one machine, so that every machine freezes the same.
Target fixed_target() {
  return Target::parse("cpu -arch=x86_64 -features=+avx2,+fma -vector-bits=256 -cores=2");
}

Schedule by_template(const ops::OpInstance& op, const ops::NamedTemplate& row, uint64_t seed) {
  Schedule sch(op.func, seed);
  sch.set_sketch(row.name);
  row.apply(sch, fixed_target(), 2);
  return sch;
}

}  // namespace

NamedSchedules schedules_by_template() {
  NamedSchedules all;
  for (const OpCase& row : op_cases()) {
    const ops::OpInstance op = ops::instantiate(row.op, row.values);
    for (const ops::NamedTemplate& named : ops::templates_for(row.op)) {
      for (uint64_t seed : {3, 8}) {
        all.emplace_back(fmt::format("{}_{}_seed{}", row.name, named.name, seed),
                         by_template(op, named, seed));
      }
    }
  }
  return all;
}

std::string records_to_freeze() {
  std::string lines;
  for (const OpCase& row : op_cases()) {
    const ops::OpInstance op = ops::instantiate(row.op, row.values);
    for (const ops::NamedTemplate& named : ops::templates_for(row.op)) {
      record::TuningRecord r;
      r.id = record::make_id("r", row.name + named.name);
      r.time = "2026-01-31T12:00:00Z";
      r.task = task_key(op);
      r.task_key = r.task.key();
      r.target = record::describe(fixed_target());
      r.exec.threads = 2;
      r.trace = by_template(op, named, 3).sealed_trace();
      r.result.status = record::Status::kOk;
      r.result.samples_secs = {0.001, 0.001};
      r.result.min_secs = r.result.median_secs = 0.001;
      r.search = {"u-1", 3, 1, "random", 0.004};
      r.versions = {{"tilewright", TW_VERSION}};
      lines += r.to_line() + "\n";
    }
  }
  return lines;
}

}  // namespace tilewright::testing
