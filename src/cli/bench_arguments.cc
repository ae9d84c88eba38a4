#include "cli/bench_arguments.h"

#include <algorithm>
#include <cstring>

#include "cli/parsing.h"
#include "tilewright/support/half.h"
#include "tilewright/support/rng.h"
#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

void write_element(DType dtype, char* element, Rng& rng) {
  const auto put = [&](auto value) { std::memcpy(element, &value, sizeof(value)); };
  if (!dtype.is_float()) {
    const bool no_sign = dtype.is_uint() || dtype.is_bool();
    const int64_t value = rng.between(no_sign ? 0 : -4, dtype.is_bool() ? 1 : 4);
    std::memcpy(element, &value, static_cast<size_t>(dtype.bytes()));
    return;
  }
  const double value = 2 * rng.unit() - 1;
  if (dtype.bits == 64) {
    put(value);
  } else if (dtype.bits == 32) {
    put(static_cast<float>(value));
  } else {
    put(dtype.is_bfloat16() ? bfloat16_bits(value) : float16_bits(value));
  }
}

runtime::NDArray random_array(std::vector<int64_t> shape, DType dtype, Rng& rng) {
  const runtime::NDArray array = runtime::NDArray::empty(std::move(shape), dtype);
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    write_element(dtype, array.data_as<char>() + i * dtype.bytes(), rng);
  }
  return array;
}

}  // namespace

std::vector<runtime::Arg> make_bench_arguments(const runtime::FunctionInfo& info,
                                               const runtime::SizeMap& sizes) {
  const std::vector<std::string> names = info.size_names();
  for (const auto& [name, value] : sizes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    bad_use("--size: {} has no size '{}'{}", info.name, name, suggestion(names, name));
  }
  for (const std::string& name : names) {
    if (!sizes.contains(name))
      bad_use("{} needs a value of size {}: --size {}=N", info.name, name, name);
  }
  Rng rng(1);
  std::vector<runtime::Arg> args;
  for (const runtime::ParamInfo& param : info.params) {
    if (!param.is_tensor) {
      const auto size = sizes.find(param.name);
      if (param.dtype.is_float()) {
        args.emplace_back(1.0);
      } else {
        args.emplace_back(size == sizes.end() ? int64_t{1} : size->second);
      }
      continue;
    }
    std::vector<int64_t> shape;
    for (const runtime::SizeExpr& extent : param.shape) shape.push_back(*extent.evaluate(sizes));
    args.emplace_back(random_array(std::move(shape), param.dtype, rng));
  }
  return args;
}

}  // namespace tilewright::cli
