#include "tilewright/runtime/ndarray.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "expect_error.h"

using namespace tilewright;
using namespace tilewright::runtime;
using tilewright::testing::code_of;
using tilewright::testing::error_of;

namespace {

NDArray iota(std::vector<int64_t> shape) {
  NDArray array = NDArray::empty(std::move(shape), kInt32);
  std::iota(array.data_as<int32_t>(), array.data_as<int32_t>() + array.num_elements(), 0);
  return array;
}

}  // namespace

TEST_CASE("new arrays are compact, aligned and shared by copies") {
  const NDArray array = NDArray::empty({4, 6}, kFloat32);
  CHECK(array.shape() == std::vector<int64_t>{4, 6});
  CHECK(array.strides() == std::vector<int64_t>{6, 1});
  CHECK(array.num_elements() == 24);
  CHECK(array.size_bytes() == 96);
  CHECK(array.is_compact());
  CHECK(reinterpret_cast<uintptr_t>(array.data()) % 64 == 0);
  CHECK(array.describe() == "float32 (4, 6)");
  const NDArray copy = array;
  array.data_as<float>()[3] = 7;
  CHECK(copy.data_as<float>()[3] == 7);
  CHECK_FALSE(NDArray().defined());
  CHECK(code_of([] { NDArray().shape(); }) == "ndarray.undefined");
}

TEST_CASE("zeros, rank 0, no elements") {
  const int64_t extent = GENERATE(0, 1, 63, 300000);
  const NDArray array = NDArray::zeros({extent, 7}, kInt64);
  CHECK(reinterpret_cast<uintptr_t>(array.data()) % 64 == 0);
  int64_t total = 0;
  for (int64_t i = 0; i < array.num_elements(); ++i) total |= array.data_as<int64_t>()[i];
  CHECK(total == 0);
  const NDArray scalar = NDArray::zeros({}, kFloat64);
  CHECK(scalar.num_elements() == 1);
  CHECK(scalar.rank() == 0);
  CHECK(shape_text(scalar.shape()) == "()");
}

TEST_CASE("a huge zero array costs memory only where it is touched") {
  const NDArray array = NDArray::zeros({65537, 32771}, kUInt8);
  CHECK(array.num_elements() == int64_t{2147713027});
  uint8_t* last_row = array.data_as<uint8_t>() + int64_t{65536} * 32771;
  for (int j = 0; j < 32771; ++j) last_row[j] = static_cast<uint8_t>(j % 251);
  CHECK(array.view({32771}, {}, int64_t{65536} * 32771).data_as<uint8_t>()[32770] == 32770 % 251);
  CHECK(array.data_as<uint8_t>()[0] == 0);
}

TEST_CASE("shapes that cannot be") {
  CHECK(error_of([] {
          NDArray::empty({2, -1}, kInt8);
        }) == "ndarray.shape: shape (2, -1) has a negative extent");
  CHECK(code_of([] { NDArray::empty({INT64_MAX, 2}, kInt8); }) == "ndarray.shape");
  CHECK(code_of([] { NDArray::empty({INT64_MAX / 2}, kInt64); }) == "ndarray.shape");
  CHECK(code_of([] { NDArray::empty({INT64_MAX - 1}, kInt8); }) == "device.out_of_memory");
  CHECK(NDArray::empty({INT64_MAX, INT64_MAX, 0}, kInt64).num_elements() == 0);
  const std::vector<float> three(3);
  CHECK(code_of([&] { NDArray::copy_of<float>({4}, kFloat32, three); }) == "ndarray.shape");
}

TEST_CASE("views share elements and stay inside") {
  const NDArray array = iota({4, 6});
  const NDArray transposed = array.view({6, 4}, {1, 6});
  CHECK_FALSE(transposed.is_compact());
  CHECK(transposed.describe() == "int32 (6, 4) strides (1, 6)");
  const NDArray compact = transposed.to_host();
  CHECK(compact.is_compact());
  CHECK(compact.data_as<int32_t>()[1] == 6);
  CHECK(compact.data_as<int32_t>()[23] == 23);
  const NDArray reversed = array.view({24}, {-1}, 23 * 4).to_host();
  CHECK(reversed.data_as<int32_t>()[0] == 23);
  CHECK(reversed.data_as<int32_t>()[23] == 0);
  CHECK(array.view({3}, {0}, 20).to_host().data_as<int32_t>()[2] == 5);
  CHECK(array.view({4, 1, 6}, {6, 99, 1}).is_compact());
  CHECK(array.view({0}, {1}, 96).num_elements() == 0);
  CHECK(array.view({96}, {}, 0, kUInt8).data_as<uint8_t>()[4] == 1);
  CHECK(code_of([&] { array.view({25}, {}); }) == "ndarray.view");
  CHECK(code_of([&] { array.view({24}, {}, 4); }) == "ndarray.view");
  CHECK(code_of([&] { array.view({24}, {-1}, 0); }) == "ndarray.view");
  CHECK(code_of([&] { array.view({4}, {1, 1}); }) == "ndarray.view");
  CHECK(code_of([&] { array.view({3}, {INT64_MAX}); }) == "ndarray.shape");
}

TEST_CASE("copies between layouts") {
  const NDArray from = iota({3, 5});
  const NDArray whole = NDArray::zeros({5, 4}, kInt32);
  const NDArray to = whole.view({3, 5}, {1, 4});
  to.copy_from(from);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) CHECK(whole.data_as<int32_t>()[j * 4 + i] == i * 5 + j);
  }
  CHECK(whole.data_as<int32_t>()[3] == 0);
  CHECK(error_of([&] {
          to.copy_from(iota({5, 3}));
        }) == "ndarray.copy: cannot copy int32 (5, 3) into int32 (3, 5) strides (1, 4)");
  CHECK(code_of([&] { to.as_read_only().copy_from(from); }) == "ndarray.copy");
  CHECK(code_of([&] { to.copy_from(NDArray::empty({3, 5}, kFloat32)); }) == "ndarray.copy");
}

TEST_CASE("a view over foreign memory keeps its owner") {
  auto memory = std::make_shared<std::vector<float>>(12, 2.0f);
  const std::weak_ptr<std::vector<float>> watch = memory;
  NDArray array = NDArray::from_view(memory->data(), {2, 3}, {6, 2}, kFloat32, memory, true, 4);
  memory.reset();
  CHECK_FALSE(watch.expired());
  CHECK(array.read_only());
  CHECK(array.dl_tensor()->byte_offset == 4);
  CHECK(array.data_as<float>() == watch.lock()->data() + 1);
  NDArray row = array.view({3}, {2}, 24);
  array = NDArray();
  CHECK(row.read_only());
  CHECK(row.data_as<float>()[0] == 2.0f);
  row = NDArray();
  CHECK(watch.expired());
}

TEST_CASE("every dtype has its DLPack code") {
  for (DType dtype : {kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                      kFloat16, kBFloat16, kFloat32, kFloat64, kHandle, kFloat32.with_lanes(8)}) {
    CHECK(from_dl(to_dl(dtype)) == dtype);
  }
  CHECK(to_dl(kBool).code == 6);
  CHECK(to_dl(kBFloat16).code == 4);
  CHECK(from_dl({TW_DL_UINT, 1, 1}) == kBool);
  for (tw_dl_data_type bad : {tw_dl_data_type{TW_DL_COMPLEX, 64, 1},
                              {TW_DL_FLOAT, 8, 1},
                              {TW_DL_INT, 4, 1},
                              {42, 32, 1},
                              {TW_DL_INT, 32, 0}}) {
    CHECK(code_of([&] { from_dl(bad); }) == "ndarray.dtype");
  }
}

TEST_CASE("DLPack exchange moves ownership once") {
  NDArray array = iota({2, 3});
  const void* data = array.data();
  SECTION("versioned, with the read-only flag") {
    tw_dl_managed_tensor_versioned* out = array.as_read_only().to_dlpack_versioned();
    CHECK(out->version_major == 1);
    CHECK((out->flags & TW_DL_FLAG_READ_ONLY) != 0);
    array = NDArray();
    const NDArray back = NDArray::from_dlpack(out);
    CHECK(back.read_only());
    CHECK(back.data() == data);
    CHECK(back.data_as<int32_t>()[5] == 5);
  }
  SECTION("legacy") {
    tw_dl_managed_tensor* out = array.view({3, 2}, {1, 3}).to_dlpack();
    array = NDArray();
    const NDArray back = NDArray::from_dlpack(out);
    CHECK(back.strides() == std::vector<int64_t>{1, 3});
    CHECK(back.data_as<int32_t>()[3] == 3);
    CHECK(code_of([&] { back.as_read_only().to_dlpack(); }) == "ndarray.read_only");
  }
  SECTION("a refused tensor stays with the producer") {
    tw_dl_managed_tensor_versioned* out = array.to_dlpack_versioned();
    out->version_major = 2;
    CHECK(code_of([&] { NDArray::from_dlpack(out); }) == "ndarray.dlpack_version");
    out->version_major = 1;
    out->dl_tensor.dtype.code = TW_DL_COMPLEX;
    CHECK(code_of([&] { NDArray::from_dlpack(out); }) == "ndarray.dtype");
    out->deleter(out);
  }
}
