#include <cstring>

#include "tilewright/api/testing.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kCanary = -77;

// A signalling NaN whose payload is not zero: exponent bits set, quiet bit clear.
uint64_t tagged_nan(DType dtype, int tag) {
  const int mantissa_bits = dtype.is_bfloat16() ? 7
                            : dtype.bits == 16  ? 10
                            : dtype.bits == 32  ? 23
                                                : 52;
  const uint64_t infinity = (uint64_t{1} << (dtype.bits - 1)) - (uint64_t{1} << mantissa_bits);
  const uint64_t payloads = (uint64_t{1} << (mantissa_bits - 1)) - 1;
  return infinity + 1 + static_cast<uint64_t>(tag) % payloads;
}

void write_canary(DType dtype, int tag, void* element) {
  const uint64_t bits = dtype.is_float() ? tagged_nan(dtype, tag) : static_cast<uint64_t>(kCanary);
  std::memcpy(element, &bits, static_cast<size_t>(dtype.bytes()));
}

bool is_canary(DType dtype, int tag, const void* element) {
  uint8_t wanted[8];
  write_canary(dtype, tag, wanted);
  return std::memcmp(element, wanted, static_cast<size_t>(dtype.bytes())) == 0;
}

}  // namespace

GuardedArray::GuardedArray(std::vector<int64_t> shape, DType dtype, int canary_elements, int tag)
    : canary_bytes_(int64_t{canary_elements} * dtype.bytes()), tag_(tag) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  const int64_t size_bytes = count * dtype.bytes();
  memory_ =
      std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(size_bytes + 2 * canary_bytes_));
  for (size_t at = 0; at < memory_->size(); at += static_cast<size_t>(dtype.bytes())) {
    write_canary(dtype, tag, memory_->data() + at);
  }
  array_ = runtime::NDArray::from_view(memory_->data(), std::move(shape), {}, dtype, memory_, false,
                                       static_cast<uint64_t>(canary_bytes_));
  poison();
}

void GuardedArray::poison() const {
  const int value = array_.dtype().is_float() ? 0xFF : 0x7F;
  if (array_.size_bytes() > 0) {
    std::memset(array_.data(), value, static_cast<size_t>(array_.size_bytes()));
  }
}

bool GuardedArray::canaries_intact() const {
  const DType dtype = array_.dtype();
  const auto end = static_cast<int64_t>(memory_->size());
  for (int64_t at = 0; at < canary_bytes_; at += dtype.bytes()) {
    if (!is_canary(dtype, tag_, memory_->data() + at)) return false;
    if (!is_canary(dtype, tag_, memory_->data() + end - dtype.bytes() - at)) return false;
  }
  return true;
}

}  // namespace tilewright::testing
