#pragma once

#include <catch2/catch.hpp>

#include "support/host_tensor.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/lower.h"
#include "tilewright/schedule/schedule.h"

namespace tilewright::testing {

/// An AVX2 machine, whatever this one is.
inline Target test_target() {
  Target target;
  target.arch = "x86_64";
  target.features = {"avx2", "fma"};
  target.vector_bits = 256;
  return target;
}

/// Lowers with the verifier run after each pass.
inline ir::PrimFunc lowered(const ir::PrimFunc& func, std::vector<std::string> skip = {}) {
  lower::LowerOptions options;
  options.verify_each = true;
  options.skip = std::move(skip);
  return lower::lower(func, test_target(), options);
}

/// The difference between what `reference` and the lowered `func` compute on random integers; "" when
/// there is none. The interpreter checks every access against the bounds.
inline std::string lowering_difference(const ir::PrimFunc& reference, const ir::PrimFunc& func,
                                       const Sizes& sizes = {}, double tolerance = 0,
                                       const std::map<std::string, double>& scalars = {},
                                       const std::vector<std::string>& skip = {}) {
  std::vector<HostTensor> wanted = make_arguments(reference, sizes), got = wanted;
  interpret_on(reference, wanted, scalars);
  interpret_on(lowered(func, skip), got, scalars);
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string difference = first_difference(got[i], wanted[i], tolerance);
    if (!difference.empty()) return "argument " + std::to_string(i) + ": " + difference;
  }
  return "";
}

inline std::string lowering_difference(const ir::PrimFunc& func, const Sizes& sizes = {}) {
  return lowering_difference(func, func, sizes);
}

}  // namespace tilewright::testing
