#pragma once

#include <cstdint>

namespace tilewright {

/// Deterministic random numbers (splitmix64, Steele et al., OOPSLA 2014). Always passed explicitly.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); bound must be positive.
  uint64_t below(uint64_t bound) { return next() % bound; }
  /// Uniform in [low, high], both included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// An independent generator derived from this one.
  Rng fork() { return Rng(next()); }

 private:
  uint64_t state_;
};

}  // namespace tilewright
