#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "ir/interp/arithmetic.h"
#include "ir/interp/program.h"

namespace tilewright::ir::interp {

struct Dim {
  int64_t extent = 0;
  int64_t stride = 0;  ///< in elements
};

/// A buffer while it lives.
struct BufferState {
  const BufferDecl* decl = nullptr;
  std::byte* data = nullptr;
  std::vector<Dim> dims;       ///< what indices are checked against; one when the buffer is flat
  std::vector<int64_t> shape;  ///< as declared, for messages
  int64_t count = 0;           ///< elements
  std::vector<std::byte> storage;  ///< empty for arguments

  // Shadow memory, one entry an element. Events are RaceDetector's; empty until the first access.
  bool track_written = false;
  std::vector<uint8_t> written;
  std::vector<uint32_t> writer, reader;
};

int element_bytes(Storage storage);

/// Element count of a shape. Throws Error "interp.extent" on a negative extent or an overflow.
int64_t checked_count(const std::string& buffer, const std::vector<int64_t>& shape, int bytes);

/// Sets shape, dims and count.
void set_shape(BufferState& state, std::vector<int64_t> shape);

/// Fresh storage for `shape`: NaN in floats and 0x7F bytes in the rest when `poison`, else zeros.
void allocate(BufferState& state, std::vector<int64_t> shape, bool poison);

/// Index text of the element at `offset`: "[1, 2]".
std::string index_text(const BufferState& state, int64_t offset);
std::string list_text(const std::vector<int64_t>& values);

template <typename T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <typename T>
void write_as(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

template <Storage S>
Cell load_element(const std::byte* data, int64_t i) {
  if constexpr (S == Storage::kBool) return Cell::of<uint64_t>(read_as<uint8_t>(data + i) != 0);
  if constexpr (S == Storage::kS8) return Cell::of<int64_t>(read_as<int8_t>(data + i));
  if constexpr (S == Storage::kS16) return Cell::of<int64_t>(read_as<int16_t>(data + 2 * i));
  if constexpr (S == Storage::kS32) return Cell::of<int64_t>(read_as<int32_t>(data + 4 * i));
  if constexpr (S == Storage::kU8) return Cell::of<uint64_t>(read_as<uint8_t>(data + i));
  if constexpr (S == Storage::kU16) return Cell::of<uint64_t>(read_as<uint16_t>(data + 2 * i));
  if constexpr (S == Storage::kU32) return Cell::of<uint64_t>(read_as<uint32_t>(data + 4 * i));
  if constexpr (S == Storage::kF16) return Cell::of(float16_value(read_as<uint16_t>(data + 2 * i)));
  if constexpr (S == Storage::kBF16) {
    return Cell::of(bfloat16_value(read_as<uint16_t>(data + 2 * i)));
  }
  if constexpr (S == Storage::kF32) return Cell{read_as<uint32_t>(data + 4 * i)};
  return Cell{read_as<uint64_t>(data + 8 * i)};
}

template <Storage S>
void store_element(std::byte* data, int64_t i, Cell value) {
  constexpr bool one = S == Storage::kS8 || S == Storage::kU8;
  constexpr bool two = S == Storage::kS16 || S == Storage::kU16;
  constexpr bool four = S == Storage::kS32 || S == Storage::kU32 || S == Storage::kF32;
  if constexpr (S == Storage::kBool) {
    write_as<uint8_t>(data + i, value.bits != 0);
  } else if constexpr (one) {
    write_as(data + i, static_cast<uint8_t>(value.bits));
  } else if constexpr (two) {
    write_as(data + 2 * i, static_cast<uint16_t>(value.bits));
  } else if constexpr (four) {
    write_as(data + 4 * i, static_cast<uint32_t>(value.bits));
  } else if constexpr (S == Storage::kF16) {
    write_as(data + 2 * i, float16_bits(value.get<float>()));
  } else if constexpr (S == Storage::kBF16) {
    write_as(data + 2 * i, bfloat16_bits(value.get<float>()));
  } else {
    write_as(data + 8 * i, value.bits);
  }
}

Cell load_element(Storage storage, const std::byte* data, int64_t i);
void store_element(Storage storage, std::byte* data, int64_t i, Cell value);

}  // namespace tilewright::ir::interp
