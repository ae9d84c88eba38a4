#include "tuner/measure/runner_data.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "tilewright/support/error.h"

namespace tilewright::tuner {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kGuard = 4096;
constexpr unsigned char kGuardByte = 0xC3;

std::vector<int64_t> evaluate_shape(const runtime::ParamInfo& param, const RunnerTask& task) {
  runtime::SizeMap sizes(task.sizes.begin(), task.sizes.end());
  std::vector<int64_t> shape;
  for (const runtime::SizeExpr& extent : param.shape) {
    const std::optional<int64_t> value = extent.evaluate(sizes);
    if (!value) {
      fail("measure.sizes", "argument {}: extent {} needs a value for its size", param.name,
           extent.text());
    }
    shape.push_back(*value);
  }
  return shape;
}

// A scalar argument: the value of the size it names, else 1.
runtime::Arg scalar(const runtime::ParamInfo& param, const RunnerTask& task) {
  const auto size = task.sizes.find(param.name);
  if (size != task.sizes.end()) return size->second;
  if (param.dtype.is_float()) return 1.0;
  return int64_t{1};
}

}  // namespace

GuardedArray::GuardedArray(int64_t size_bytes, int64_t offset_bytes) : size_bytes_(size_bytes) {
  const int64_t used = 2 * kGuard + offset_bytes + size_bytes;
  region_bytes_ = static_cast<size_t>((used + kPage - 1) / kPage * kPage);
  void* region =
      mmap(nullptr, region_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) throw std::bad_alloc();
  region_ = static_cast<unsigned char*>(region);
  data_ = region_ + kGuard + offset_bytes;
  std::memset(region_, kGuardByte, static_cast<size_t>(data_ - region_));
  std::memset(data_ + size_bytes_, kGuardByte,
              region_bytes_ - static_cast<size_t>(data_ - region_ + size_bytes_));
}

GuardedArray::~GuardedArray() { munmap(region_, region_bytes_); }

void GuardedArray::protect() { mprotect(region_, region_bytes_, PROT_READ); }

void GuardedArray::poison(unsigned char byte) {
  std::memset(data_, byte, static_cast<size_t>(size_bytes_));
}

bool GuardedArray::guards_intact() const {
  const auto clean = [](unsigned char byte) { return byte == kGuardByte; };
  return std::all_of(region_, data_, clean) &&
         std::all_of(data_ + size_bytes_, region_ + region_bytes_, clean);
}

ArgumentSet::ArgumentSet(const runtime::FunctionInfo& info, const RunnerTask& task)
    : data_(task.data) {
  int stream = 0;
  for (const runtime::ParamInfo& param : info.params) {
    const int number = stream++;
    if (!param.is_tensor) {
      args_.push_back(scalar(param, task));
      continue;
    }
    Array array{param.name, param.dtype, evaluate_shape(param, task), 1, param.is_written(),
                -1,         nullptr};
    for (int64_t extent : array.shape) array.elements *= extent;
    array.memory = std::make_unique<GuardedArray>(array.elements * param.dtype.bytes(),
                                                  64 * (1 + 5 * number % 60));
    if (param.role == runtime::ParamRole::kInout) array.inout_stream = number;
    has_inout_ |= array.inout_stream >= 0;
    if (!array.written) {
      fill(array.memory->data(), array.dtype, array.elements, data_, number);
      array.memory->protect();
    }
    args_.push_back(
        runtime::NDArray::from_view(array.memory->data(), array.shape, {}, array.dtype));
    arrays_.push_back(std::move(array));
  }
}

void ArgumentSet::reset(unsigned char byte) {
  for (Array& array : arrays_) {
    if (array.inout_stream >= 0) {
      fill(array.memory->data(), array.dtype, array.elements, data_, array.inout_stream);
    } else if (array.written) {
      array.memory->poison(byte);
    }
  }
}

int64_t ArgumentSet::output_elements() const {
  int64_t count = 0;
  for (const Array& array : arrays_) count += array.written ? array.elements : 0;
  return count;
}

int64_t ArgumentSet::output_bytes() const {
  int64_t bytes = 0;
  for (const Array& array : arrays_) bytes += array.written ? array.memory->size_bytes() : 0;
  return bytes;
}

std::vector<char> ArgumentSet::outputs() const {
  std::vector<char> bytes;
  for (const Array& array : arrays_) {
    if (!array.written) continue;
    const char* data = static_cast<const char*>(array.memory->data());
    bytes.insert(bytes.end(), data, data + array.memory->size_bytes());
  }
  return bytes;
}

void ArgumentSet::damage_last_output() {
  for (auto array = arrays_.rbegin(); array != arrays_.rend(); ++array) {
    const int64_t size = array->memory->size_bytes(), element = array->dtype.bytes();
    if (!array->written || size == 0) continue;
    auto* bytes = static_cast<unsigned char*>(array->memory->data()) + size - element;
    for (int64_t i = 0; i < element; ++i) bytes[i] = static_cast<unsigned char>(~bytes[i]);
    return;
  }
}

std::string ArgumentSet::check_outputs(const char* expected, const CheckSpec& check) const {
  for (const Array& array : arrays_) {
    if (array.written) {
      std::string fault =
          compare(array.memory->data(), expected, array.dtype, array.shape, check, array.name);
      if (!fault.empty()) return fault;
      expected += array.memory->size_bytes();
    }
    if (!array.memory->guards_intact()) {
      return fmt::format("memory outside of {} was written", array.name);
    }
  }
  return "";
}

}  // namespace tilewright::tuner
