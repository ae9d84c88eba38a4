#include "ir/interp/memory.h"

#include <fmt/ranges.h>

#include <limits>
#include <new>

#include "tilewright/support/error.h"

namespace tilewright::ir::interp {

int element_bytes(Storage storage) {
  switch (storage) {
    case Storage::kBool:
    case Storage::kS8:
    case Storage::kU8: return 1;
    case Storage::kS16:
    case Storage::kU16:
    case Storage::kF16:
    case Storage::kBF16: return 2;
    case Storage::kS32:
    case Storage::kU32:
    case Storage::kF32: return 4;
    default: return 8;
  }
}

std::string list_text(const std::vector<int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

int64_t checked_count(const std::string& buffer, const std::vector<int64_t>& shape, int bytes) {
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0) {
      fail("interp.extent", "buffer '{}' has a negative extent: shape {}", buffer,
           list_text(shape));
    }
    empty |= extent == 0;
  }
  if (empty) return 0;
  int64_t count = 1;
  int64_t size = 0;
  bool overflow = false;
  for (int64_t extent : shape) overflow |= __builtin_mul_overflow(count, extent, &count);
  overflow |= __builtin_mul_overflow(count, int64_t{bytes}, &size);
  if (overflow) {
    fail("interp.extent", "the size of buffer '{}' overflows 64 bits: shape {}", buffer,
         list_text(shape));
  }
  return count;
}

void set_shape(BufferState& state, std::vector<int64_t> shape) {
  state.count = checked_count(state.decl->name, shape, element_bytes(state.decl->storage));
  state.dims.clear();
  if (state.decl->flat) {
    state.dims.push_back({state.count, 1});
  } else {
    state.dims.resize(shape.size());
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      state.dims[d] = {shape[d], stride};
      if (state.count > 0) stride *= shape[d];
    }
  }
  state.shape = std::move(shape);
}

namespace {

template <typename T>
void fill(std::vector<std::byte>& bytes, T value) {
  for (size_t i = 0; i < bytes.size(); i += sizeof(T)) write_as(bytes.data() + i, value);
}

}  // namespace

void allocate(BufferState& state, std::vector<int64_t> shape, bool poison) {
  set_shape(state, std::move(shape));
  const Storage storage = state.decl->storage;
  const size_t bytes = static_cast<size_t>(state.count) * element_bytes(storage);
  try {
    // Every byte is written, so a size no machine has is refused before asking for it.
    if (bytes > (size_t{1} << 40)) throw std::bad_alloc();
    state.storage.assign(bytes, std::byte(poison ? 0x7F : 0));
    if (state.track_written) state.written.assign(static_cast<size_t>(state.count), 0);
  } catch (const std::exception&) {
    fail("interp.extent", "no memory for buffer '{}' of shape {}", state.decl->name,
         list_text(state.shape));
  }
  state.writer.clear();
  state.reader.clear();
  state.data = state.storage.data();
  if (!poison) return;
  switch (storage) {
    case Storage::kF16: fill<uint16_t>(state.storage, 0x7E00); break;
    case Storage::kBF16: fill<uint16_t>(state.storage, 0x7FC0); break;
    case Storage::kF32: fill(state.storage, std::numeric_limits<float>::quiet_NaN()); break;
    case Storage::kF64: fill(state.storage, std::numeric_limits<double>::quiet_NaN()); break;
    default: break;
  }
}

std::string index_text(const BufferState& state, int64_t offset) {
  std::vector<int64_t> index;
  for (const Dim& dim : state.dims) {
    index.push_back(offset / dim.stride);
    offset %= dim.stride;
  }
  return list_text(index);
}

Cell load_element(Storage storage, const std::byte* data, int64_t i) {
  switch (storage) {
#define TW_VM_MEMORY(suffix, s)               \
  case Storage::s: {                          \
    return load_element<Storage::s>(data, i); \
  }
#include "ir/interp/opcodes.def"
  }
  return {};
}

void store_element(Storage storage, std::byte* data, int64_t i, Cell value) {
  switch (storage) {
#define TW_VM_MEMORY(suffix, s)                       \
  case Storage::s: {                                  \
    return store_element<Storage::s>(data, i, value); \
  }
#include "ir/interp/opcodes.def"
  }
}

}  // namespace tilewright::ir::interp
