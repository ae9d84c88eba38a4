// Loads and stores of every shape, masks, lazy choices, storage.

#include <catch2/catch.hpp>

#include "flat.h"
#include "support/expect_error.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::Expr;

namespace {

constexpr int64_t kCanary = 16;

// An array of `count` elements between canary bytes.
struct Guarded {
  Guarded(DType dtype, int64_t count) : tensor(dtype, {count}), size(tensor.bytes.size()) {
    tensor.bytes.assign(size + 2 * kCanary, 0x5A);
  }
  runtime::NDArray array() {
    return runtime::NDArray::from_view(tensor.bytes.data(), tensor.shape, {}, tensor.dtype, nullptr,
                                       false, kCanary);
  }
  bool intact() const {
    for (int64_t i = 0; i < kCanary; ++i) {
      if (tensor.bytes[size_t(i)] != 0x5A || tensor.bytes[size + size_t(kCanary + i)] != 0x5A) {
        return false;
      }
    }
    return true;
  }
  HostTensor contents() const {
    HostTensor result(tensor.dtype, tensor.shape);
    std::copy_n(tensor.bytes.begin() + kCanary, size, result.bytes.begin());
    return result;
  }
  HostTensor tensor;
  size_t size;
};

}  // namespace

TEST_CASE("half-precision compares into bool and uint8 with a vector tail") {
  const int n = GENERATE(12, 13, 31);
  const int lanes = GENERATE(2, 4, 8, 16);
  const ir::Buffer x = ir::make_buffer("X", kFloat16, {i64(n)});
  const ir::Buffer w = ir::make_buffer("W", kBool, {i64(n)});
  const ir::Buffer y = ir::make_buffer("Y", kBool, {i64(n)});
  const ir::Buffer z = ir::make_buffer("Z", kUInt8, {i64(n)});
  const ir::Buffer v = ir::make_buffer("V", kBool, {i64(n)});
  const ir::Var i("i");
  const Expr at = ir::ramp(i * i64(lanes), i64(1), lanes);
  const Expr inside = at < ir::broadcast(i64(n), lanes);
  const Expr value = masked_load(x, at, inside);
  const Expr zero = ir::make_float(kFloat16.with_lanes(lanes), 0),
             two = ir::make_float(kFloat16.with_lanes(lanes), 2);
  const auto byte = [&](int64_t number) { return ir::make_int(kUInt8.with_lanes(lanes), number); };
  const ir::Stmt body =
      ir::seq({ir::store(y, {at}, value == zero, inside),
               ir::store(z, {at}, ir::select(value == zero, byte(0), byte(1)), inside),
               ir::store(v, {at}, (value == zero) && (value < two), inside),
               ir::store(w, {at}, masked_load(y, at, inside), inside)});
  const ir::PrimFunc func = flat({input(x), output(y), output(z), output(v), output(w)},
                                 ir::make_for(0, i, i64((n + lanes - 1) / lanes), body));
  HostTensor source(kFloat16, {n});
  for (int j = 0; j < n; ++j) source.put(size_t(j), j % 4);
  Guarded gy(kBool, n), gz(kUInt8, n), gv(kBool, n), gw(kBool, n);
  const std::vector<runtime::Arg> args = {view(source), gy.array(), gz.array(), gv.array(),
                                          gw.array()};
  compile(func).call(args);
  for (int j = 0; j < n; ++j) {
    const int equal = j % 4 == 0;
    REQUIRE(gy.contents().get_int(size_t(j)) == equal);
    REQUIRE(gz.contents().get_int(size_t(j)) == 1 - equal);
    REQUIRE(gv.contents().get_int(size_t(j)) == equal);
    REQUIRE(gw.contents().get_int(size_t(j)) == equal);
  }
  CHECK((gy.intact() && gz.intact() && gv.intact() && gw.intact()));
}

TEST_CASE("strided, reversed, repeated and indexed accesses") {
  const DType dtype = GENERATE(kFloat32, kInt8, kFloat64, kBool);
  const int lanes = GENERATE(4, 8, 5);
  const bool masked = GENERATE(false, true);
  const int64_t n = 40;
  const ir::Buffer x = ir::make_buffer("x", dtype, {i64(n * 3)});
  const ir::Buffer p = ir::make_buffer("p", kInt32, {i64(n)});
  const ir::Buffer y = ir::make_buffer("y", dtype, {i64(n * 9)});
  const ir::Var i("i");
  const Expr base = i * i64(lanes);
  const Expr at = ir::ramp(base, i64(1), lanes);
  const Expr inside = masked ? at < ir::broadcast(i64(n - 3), lanes) : Expr();
  const Expr index = masked ? masked_load(p, at, inside) : ir::load(p, {at});
  const auto get = [&](const Expr& where) { return masked_load(x, where, inside); };
  const Expr back = ir::broadcast(i64(n - 1), lanes) - at;
  const ir::Stmt body = ir::seq({
      ir::store(y, {at}, get(at * ir::broadcast(i64(3), lanes)), inside),
      ir::store(y, {ir::broadcast(i64(n), lanes) + at}, get(back), inside),
      ir::store(y, {ir::broadcast(i64(2 * n), lanes) + at},
                get(ir::cast(kInt64.with_lanes(lanes), index)), inside),
      ir::store(y, {ir::broadcast(i64(3 * n), lanes) + at}, get(ir::broadcast(i + i64(1), lanes)),
                inside),
      ir::store(y, {ir::broadcast(i64(4 * n), lanes) + back}, get(at), inside),
      ir::store(y, {ir::ramp(i64(5 * n) + base * i64(2), i64(2), lanes)}, get(at), inside),
      ir::store(y, {ir::broadcast(i64(7 * n), lanes) + ir::cast(kInt64.with_lanes(lanes), index)},
                get(at), inside),
  });
  const ir::PrimFunc func =
      flat({input(x), input(p), output(y)}, ir::make_for(0, i, i64(n / lanes), body));
  Rng rng(9);
  HostTensor source = random_integers(dtype, {n * 3}, rng, -100, 100);
  HostTensor order(kInt32, {n});
  for (int64_t j = 0; j < n; ++j) order.put_int(size_t(j), (j * 7 + 3) % n);
  HostTensor expected(dtype, {n * 9}), actual(dtype, {n * 9});
  for (size_t j = 0; j < actual.size(); ++j) {
    expected.put_int(j, 1);
    actual.put_int(j, 1);
  }
  interpret_on(func, {&source, &order, &expected});
  call(compile(func), {&source, &order, &actual});
  CHECK(first_mismatch(expected, actual) == -1);
}

TEST_CASE("lazy choices load only what they take") {
  // x has 8 elements; the side not taken would read far outside of it.
  const int64_t far = int64_t{1} << 40;
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(8)});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(16)});
  const ir::Var i("i");
  const Expr at = ir::ramp(i64(0), i64(1), 16);
  const Expr inside = at < ir::broadcast(i64(8), 16);
  const ir::PrimFunc vector =
      flat({input(x), output(y)},
           ir::store(y, {at},
                     ir::if_then_else(inside, ir::load(x, {at}),
                                      ir::make_float(kFloat32.with_lanes(16), -1))));
  const ir::PrimFunc scalar_form = flat(
      {input(x), output(y)},
      ir::make_for(
          0, i, i64(16),
          ir::store(y, {i},
                    ir::if_then_else(i < i64(8),
                                     ir::load(x, {i + ir::select(i < i64(8), i64(0), i64(far))}),
                                     ir::make_float(kFloat32, -1)))));
  for (const ir::PrimFunc& func : {vector, scalar_form}) {
    HostTensor a(kFloat32, {8}), b(kFloat32, {16});
    for (int j = 0; j < 8; ++j) a.put(size_t(j), j + 1);
    call(compile(func), {&a, &b});
    for (int j = 0; j < 16; ++j) CHECK(b.get(size_t(j)) == (j < 8 ? j + 1 : -1));
  }
}

TEST_CASE("allocations on the stack and in the workspace") {
  const int64_t n = GENERATE(16, 100000);
  const ir::Var size("n");
  const bool symbolic = GENERATE(false, true);
  const Expr extent = symbolic ? Expr(size) : i64(n);
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {extent});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {extent});
  const ir::Buffer first = ir::make_buffer("t0", kFloat32, {extent});
  const ir::Buffer second = ir::make_buffer("t1", kFloat64, {extent + i64(1)});
  const auto copy = [&](const ir::Buffer& to, const ir::Buffer& from) {
    const ir::Var i("i");
    return ir::make_for(0, i, extent, ir::store(to, {i}, ir::cast(to->dtype, ir::load(from, {i}))));
  };
  const ir::Stmt body = alloc(
      first,
      ir::seq({copy(first, x), alloc(second, ir::seq({copy(second, first), copy(y, second)}))}));
  std::vector<ir::Param> params = {input(x), output(y)};
  if (symbolic) params.push_back(scalar(size, ir::ParamRole::kShape));
  const runtime::Function function = compile(flat(params, body));
  Rng rng(1);
  HostTensor a = random_integers(kFloat32, {n}, rng), b(kFloat32, {n});
  call(function, {&a, &b});
  CHECK(first_mismatch(a, b) == -1);
  const std::vector<runtime::Arg> args = {view(a), view(b)};
  const auto up = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  const bool on_stack = !symbolic && n == 16;
  CHECK(function.workspace_bytes(args) == (on_stack ? 0 : up(4 * n) + up(8 * (n + 1))));
}

TEST_CASE("print and prefetch") {
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(4)});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(4)});
  const ir::Var i("i");
  const auto effect = [](ir::Intrinsic what, std::vector<Expr> args) {
    return ir::evaluate(ir::call(what, std::move(args)));
  };
  const Expr text(new ir::StringImmNode("x[{}] = {}, 100% {}"));
  const ir::Stmt body =
      ir::seq({effect(ir::Intrinsic::kPrefetch,
                      {ir::load(x, {i}), ir::make_int(kInt32, 0), ir::make_int(kInt32, 3)}),
               effect(ir::Intrinsic::kPrint, {text, i, ir::load(x, {i}), i < i64(1)}),
               ir::store(y, {i}, ir::load(x, {i}))});
  const runtime::Function function =
      compile(flat({input(x), output(y)}, ir::make_for(0, i, i64(2), body)));
  HostTensor a(kFloat32, {4}), b(kFloat32, {4});
  for (int j = 0; j < 4; ++j) a.put(size_t(j), j + 0.5);
  std::string printed;
  runtime::CallOptions options;
  options.num_threads = 1;
  options.print_user = &printed;
  options.print = [](void* user, const char* piece) { *static_cast<std::string*>(user) += piece; };
  const std::vector<runtime::Arg> args = {view(a), view(b)};
  function.call(args, options);
  CHECK(printed == "x[0] = 0.5, 100% true\nx[1] = 1.5, 100% false\n");
}

TEST_CASE("a size that is not known at entry is an error") {
  const ir::Var i("i");
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(8)});
  const ir::Buffer t = ir::make_buffer("t", kFloat32, {i + i64(1)});
  const ir::PrimFunc func = flat(
      {output(y)}, ir::make_for(0, i, i64(8),
                                alloc(t, ir::seq({ir::store(t, {i}, ir::make_float(kFloat32, 1)),
                                                  ir::store(y, {i}, ir::load(t, {i}))}))));
  expect_error("codegen.alloc_size", {"'t'", "'i'"}, [&] { compile(func); });
}

TEST_CASE("more than 2^31 elements") {
  const int64_t rows = 65537, columns = 32771;
  const ir::Buffer a = ir::make_buffer("A", kUInt8, {i64(rows), i64(columns)});
  const ir::Buffer y = ir::make_buffer("y", kUInt8, {i64(columns)});
  const ir::Var row("row", kInt32), j("j");
  const int lanes = GENERATE(1, 7);
  const Expr column = ramp_from(j * i64(lanes), lanes);
  const Expr base = ir::cast(kInt64, row) * i64(columns) + j * i64(lanes);
  const ir::PrimFunc func =
      flat({input(a), scalar(row), output(y)},
           ir::make_for(0, j, i64(columns / lanes),
                        ir::store(y, {column}, ir::load(a, {ramp_from(base, lanes)}))));
  static const runtime::NDArray source = [&] {
    runtime::NDArray zeros = runtime::NDArray::zeros({rows, columns}, kUInt8);
    for (int64_t k = 0; k < columns; ++k) {
      zeros.data_as<uint8_t>()[(rows - 1) * columns + k] = static_cast<uint8_t>(k % 251);
    }
    return zeros;
  }();
  HostTensor result(kUInt8, {columns});
  const std::vector<runtime::Arg> args = {source, rows - 1, view(result)};
  compile(func).call(args);
  bool right = true;
  for (int64_t k = 0; k < columns / lanes * lanes; ++k)
    right = right && result.get_int(size_t(k)) == k % 251;
  CHECK(right);
}
