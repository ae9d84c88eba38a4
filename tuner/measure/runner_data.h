#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/runtime/function.h"
#include "tuner/measure/protocol.h"

namespace tilewright::tuner {

/// Fills `count` elements with the data of parameter number `stream`.
void fill(void* data, DType dtype, int64_t count, const DataSpec& spec, int stream);

/// Compares whole arrays. Empty when they agree, else one line that counts the differences and shows the
/// first, with its index in `shape`.
std::string compare(const void* got, const void* expected, DType dtype,
                    const std::vector<int64_t>& shape, const CheckSpec& check,
                    const std::string& name);

/// One array of a call with a guard band on each side, in pages of its own.
class GuardedArray {
 public:
  /// `offset_bytes` shifts the array within its page, so that arrays do not all start at the same cache set.
  GuardedArray(int64_t size_bytes, int64_t offset_bytes);
  ~GuardedArray();
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  void* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }
  /// From now on a write ends the process.
  void protect();
  /// Sets every byte of the array itself.
  void poison(unsigned char byte);
  /// False when a byte before or behind the array has changed.
  bool guards_intact() const;

 private:
  unsigned char* region_ = nullptr;
  size_t region_bytes_ = 0;
  unsigned char* data_ = nullptr;
  int64_t size_bytes_ = 0;
};

/// The arguments of a kernel for one task: inputs filled and write-protected, outputs poisoned on demand.
class ArgumentSet {
 public:
  /// Throws Error "measure.sizes" when a shape has a size without a value.
  ArgumentSet(const runtime::FunctionInfo& info, const RunnerTask& task);

  const std::vector<runtime::Arg>& args() const { return args_; }
  /// Overwrites every output with a pattern that is no result, and gives inout arrays their contents.
  void reset(unsigned char byte);
  /// True when a call changes its inputs, so that every call needs a `reset`.
  bool has_inout() const { return has_inout_; }
  /// Elements of all outputs.
  int64_t output_elements() const;
  int64_t output_bytes() const;
  /// Inverts the last element of the last output, as a kernel with a wrong tail would leave it.
  void damage_last_output();
  /// Outputs and inout arrays one after the other.
  std::vector<char> outputs() const;
  /// Compares with what `outputs` gave for the reference and looks at the guard bands; empty: fine.
  std::string check_outputs(const char* expected, const CheckSpec& check) const;

 private:
  struct Array {
    std::string name;
    DType dtype;
    std::vector<int64_t> shape;
    int64_t elements = 0;
    bool written = false;
    int inout_stream = -1;
    std::unique_ptr<GuardedArray> memory;
  };
  DataSpec data_;
  std::vector<Array> arrays_;
  std::vector<runtime::Arg> args_;
  bool has_inout_ = false;
};

}  // namespace tilewright::tuner
