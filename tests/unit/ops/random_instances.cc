#include "unit/ops/random_instances.h"

#include <fmt/format.h>

#include <vector>

namespace tilewright::testing {
namespace {

template <typename T>
T pick(Rng& rng, const std::vector<T>& from) {
  return from[rng.below(from.size())];
}

// Ones and sizes around vectors and register tiles as often as any number.
int64_t size(Rng& rng, int64_t high) {
  static const std::vector<int64_t> marked = {1, 1, 2, 3, 4, 8, 15, 16, 17, 24, 33};
  const int64_t value = rng.below(2) ? pick(rng, marked) : rng.between(1, high);
  return std::min(value, high);
}

std::string dtype(Rng& rng) {
  return pick<std::string>(rng, {"float32", "float32", "float64", "float16", "bfloat16", "int8"});
}

std::string pair(int64_t a, int64_t b) { return fmt::format("{}x{}", a, b); }

}  // namespace

ops::TextValues random_matmul(Rng& rng) {
  // Deep enough for several panels of k from time to time; the interpreter pays for each point.
  const bool deep = rng.below(4) == 0;
  const int64_t m = size(rng, deep ? 20 : 50), n = size(rng, deep ? 20 : 80);
  const int64_t k = deep ? rng.between(120, 300) : size(rng, 40);
  return {{"m", std::to_string(m)},
          {"n", std::to_string(n)},
          {"k", std::to_string(k)},
          {"batch", rng.below(3) ? "1" : "3"},
          {"trans_a", rng.below(2) ? "1" : "0"},
          {"trans_b", rng.below(2) ? "1" : "0"},
          {"dtype", dtype(rng)}};
}

ops::TextValues random_conv2d(Rng& rng) {
  int64_t groups = 1, group_ci = size(rng, 10), group_co = size(rng, 40);
  if (rng.below(2) == 0) {
    groups = rng.between(2, 20);
    const bool depthwise = rng.below(2) == 0;
    group_ci = depthwise ? 1 : rng.between(1, 4);
    group_co = depthwise && rng.below(3) ? 1 : rng.between(1, groups < 6 ? 24 : 6);
  }
  const int64_t kh = rng.between(1, 4), kw = rng.between(1, 4);
  const int64_t dh = rng.between(1, 2), dw = rng.between(1, 2);
  const int64_t ph = rng.below(2) ? kh / 2 : rng.between(0, 2);
  const int64_t pw = rng.below(2) ? kw / 2 : rng.between(0, 2);
  const int64_t h = std::max(size(rng, 12), (kh - 1) * dh + 1 - 2 * ph);
  const int64_t w = std::max(size(rng, 40), (kw - 1) * dw + 1 - 2 * pw);
  return {{"batch", rng.below(3) ? "1" : "2"},
          {"ci", std::to_string(groups * group_ci)},
          {"co", std::to_string(groups * group_co)},
          {"groups", std::to_string(groups)},
          {"h", std::to_string(h)},
          {"w", std::to_string(w)},
          {"kernel", pair(kh, kw)},
          {"stride", pair(rng.between(1, 3), rng.between(1, 3))},
          {"pad", pair(ph, pw)},
          {"dilation", pair(dh, dw)},
          {"layout", rng.below(2) ? "NCHW" : "NHWC"},
          {"dtype", dtype(rng)}};
}

}  // namespace tilewright::testing
