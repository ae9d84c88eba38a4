#include "tilewright/tuner/cost_model/roofline.h"

#include <algorithm>

#include "tilewright/ir/ops.h"

namespace tilewright::tuner {
namespace {

// Of all parameters; negative when a shape is symbolic.
double parameter_bytes(const ir::PrimFunc& func) {
  double bytes = 0;
  for (const ir::Param& param : func->params) {
    if (!param.buffer) continue;
    double size = static_cast<double>(param.buffer->dtype.bytes());
    for (const ir::Expr& extent : param.buffer->shape) {
      const int64_t* value = ir::as_const_int(extent);
      if (!value) return -1;
      size *= static_cast<double>(*value);
    }
    bytes += size;
  }
  return bytes;
}

int widest_float_bits(const ir::PrimFunc& func) {
  int bits = 32;
  for (const ir::Param& param : func->params) {
    if (param.buffer && param.buffer->dtype == kFloat64) bits = 64;
  }
  return bits;
}

}  // namespace

double peak_gflops(const MachineSpeeds& speeds, const Target& target) {
  return 2e-9 * speeds.fma_per_sec * target.vector_lanes(32);
}

std::optional<double> roofline_secs(const ir::PrimFunc& func, double operations,
                                    const Target& target, const MachineSpeeds& speeds,
                                    int threads) {
  const double bytes = parameter_bytes(func);
  if (!(operations > 0) || bytes < 0) return std::nullopt;
  const double cores = std::max(1, std::min(threads, target.cores));
  const double lanes = target.vector_lanes(widest_float_bits(func));
  const double compute = operations / (2 * speeds.fma_per_sec * lanes * cores);
  double rate = std::min(speeds.dram_bytes_per_sec, speeds.dram_core_bytes_per_sec * cores);
  if (bytes <= static_cast<double>(target.l2_bytes) * cores) {
    rate = speeds.l2_bytes_per_sec * cores;
  } else if (bytes <= static_cast<double>(target.l3_bytes)) {
    rate = speeds.l3_bytes_per_sec * cores;
  }
  return std::max(compute, bytes / rate);
}

}  // namespace tilewright::tuner
