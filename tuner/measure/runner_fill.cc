#include <cmath>
#include <cstring>

#include "tilewright/support/half.h"
#include "tilewright/support/rng.h"
#include "tuner/measure/runner_data.h"

namespace tilewright::tuner {
namespace {

template <typename T, typename Next>
void fill_with(void* data, int64_t count, Next next) {
  T* to = static_cast<T*>(data);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(next());
}

template <typename T, typename Convert>
void fill_bits(void* data, int64_t count, double (*next)(Rng&, const DataSpec&), Rng& rng,
               const DataSpec& spec, Convert convert) {
  T* to = static_cast<T*>(data);
  for (int64_t i = 0; i < count; ++i) to[i] = convert(next(rng, spec));
}

double signed_whole(Rng& rng, const DataSpec& spec) {
  return static_cast<double>(rng.between(-spec.magnitude, spec.magnitude));
}

double real(Rng& rng, const DataSpec& spec) {
  return spec.integers ? signed_whole(rng, spec) : 2 * rng.unit() - 1;
}

}  // namespace

void fill(void* data, DType dtype, int64_t count, const DataSpec& spec, int stream) {
  Rng rng(spec.seed * 1000003 + static_cast<uint64_t>(stream));
  const auto whole = [&] { return rng.between(-spec.magnitude, spec.magnitude); };
  const auto natural = [&] { return rng.between(0, spec.magnitude); };
  const auto number = [&] { return real(rng, spec); };
  if (dtype.is_bool()) return fill_with<uint8_t>(data, count, [&] { return rng.below(2); });
  if (dtype.is_bfloat16()) {
    return fill_bits<uint16_t>(data, count, real, rng, spec, bfloat16_bits);
  }
  if (dtype.is_float()) {
    if (dtype.bits == 16) return fill_bits<uint16_t>(data, count, real, rng, spec, float16_bits);
    if (dtype.bits == 64) return fill_with<double>(data, count, number);
    return fill_with<float>(data, count, number);
  }
  switch (dtype.bits * (dtype.is_uint() ? -1 : 1)) {
    case 8: return fill_with<int8_t>(data, count, whole);
    case 16: return fill_with<int16_t>(data, count, whole);
    case 32: return fill_with<int32_t>(data, count, whole);
    case 64: return fill_with<int64_t>(data, count, whole);
    case -8: return fill_with<uint8_t>(data, count, natural);
    case -16: return fill_with<uint16_t>(data, count, natural);
    case -32: return fill_with<uint32_t>(data, count, natural);
    default: return fill_with<uint64_t>(data, count, natural);
  }
}

}  // namespace tilewright::tuner
