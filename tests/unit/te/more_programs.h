#pragma once

#include <algorithm>
#include <vector>

#include "unit/te/programs.h"

/// \file
/// Programs beyond the twelve: recurrences, statements, masks, data as indices and the other dtypes.

namespace tilewright::testing {

namespace programs {

inline Program cumsum() {
  const int64_t cols = 5;
  Var n = te::var("n");
  Tensor x = te::placeholder({n, cols}, kFloat32, "X");
  Tensor s = te::scan(n, {cols}, 0.0f,
                      [&](const Var& t, const te::ScanValue& before, const std::vector<Var>& i) {
                        return before(i) + x(t, i[0]);
                      },
                      {"cumsum"});
  return make("cumsum", {x, s},
              [=](Program::Tensors& t) {
                for (int64_t j = 0; j < cols; ++j) {
                  double sum = 0;
                  for (int64_t i = 0; i < t[0].shape[0]; ++i) t[1].set({i, j}, sum += t[0]({i, j}));
                }
              },
              0, {{{"n", 7}}, {{"n", 1}}, {{"n", 0}}});
}

/// Each state reads the other, and its own neighbour. Small integers stay exact for the few steps.
inline Program two_states() {
  const int64_t steps = 4, width = 6;
  Tensor x = te::placeholder({width}, kFloat64, "X");
  te::Scan scan(steps, "pair");
  const te::ScanValue a = scan.state({width}, [&](Var i) { return x(i); }, {"a"});
  const te::ScanValue b = scan.state({width}, 1.0, {"b", 1, kFloat64});
  const te::ScanValue both = scan.compute(
      {width}, [&](Var i) { return a(i) + b(i); }, "both");
  scan.update(b, [&](Var i) { return both(i) + a(ir::floor_mod(i + 1, width)); });
  scan.update(a, [&](Var i) { return both(i) - b(i) + te::cast(kFloat64, scan.step()); });
  const std::vector<Tensor> out = scan.finish();
  return make("two_states", {x, out[0], out[1]}, [=](Program::Tensors& t) {
    std::vector<double> now_a(width), now_b(width, 1.0);
    for (int64_t i = 0; i < width; ++i) now_a[i] = t[0]({i});
    for (int64_t s = 0; s < steps; ++s) {
      std::vector<double> next_a(width), next_b(width);
      for (int64_t i = 0; i < width; ++i) {
        next_b[i] = now_a[i] + now_b[i] + now_a[(i + 1) % width];
        next_a[i] = now_a[i] + static_cast<double>(s);
        t[1].set({s, i}, next_a[i]);
        t[2].set({i, s}, next_b[i]);
      }
      now_a = next_a;
      now_b = next_b;
    }
  });
}

/// h' = W h + x[t], with integers: a recurrent cell without its rounding.
inline Program rnn() {
  const int64_t width = 4;
  Var n = te::var("n");
  Tensor x = te::placeholder({n, width}, kInt32, "X"),
         w = te::placeholder({width, width}, kInt32, "W");
  te::ReduceAxis k = te::reduce_axis(width, "k");
  te::Scan scan(n, "rnn");
  const te::ScanValue h = scan.state({width}, te::constant(kInt32, 0), {"h"});
  const te::ScanValue z = scan.compute(
      {width}, [&](Var i) { return te::sum(w(i, k) * h(k), {k}); }, "z");
  scan.update(h, [&](Var i) { return te::max(z(i), -50) + x(scan.step(), i); });
  const Tensor out = scan.finish()[0];
  return make(
      "rnn", {x, w, out},
      [=](Program::Tensors& t) {
        std::vector<int32_t> h(width, 0);
        for (int64_t s = 0; s < t[0].shape[0]; ++s) {
          std::vector<int32_t> next(width);
          for (int64_t i = 0; i < width; ++i) {
            uint32_t sum = 0;
            for (int64_t j = 0; j < width; ++j) {
              sum += static_cast<uint32_t>(t[1]({i, j})) * static_cast<uint32_t>(h[j]);
            }
            next[i] = std::max(static_cast<int32_t>(sum), -50) + static_cast<int32_t>(t[0]({s, i}));
          }
          h = next;
          for (int64_t i = 0; i < width; ++i) t[2].set({s, i}, h[i]);
        }
      },
      0, {{{"n", 5}}, {{"n", 0}}});
}

/// How often each of five values occurs, then the counts doubled.
inline Program histogram() {
  const int64_t bins = 5;
  Var n = te::var("n");
  Tensor x = te::placeholder({n}, kUInt8, "X");
  Tensor counts = te::extern_op(
      {{{bins}, kInt32}}, {x},
      [&](ir::IRBuilder& b, const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
        b.loop("i", bins, [&](const Var& i) { b.store(out[0], {i}, 0); });
        b.loop("i", n, [&](const Var& i) {
          const Var bin = b.let("bin", te::cast(kInt64, ir::load(in[0], {i})));
          b.store(out[0], {bin}, ir::load(out[0], {bin}) + 1);
        });
      },
      "counts")[0];
  Tensor twice = te::compute(
      {bins}, [&](Var i) { return counts(i) * 2; }, "twice");
  return make("histogram", {x, twice},
              [=](Program::Tensors& t) {
                std::vector<int> found(bins);
                for (size_t i = 0; i < t[0].size(); ++i) ++found[static_cast<size_t>(t[0].get(i))];
                for (int64_t i = 0; i < bins; ++i) t[1].set({i}, 2 * found[static_cast<size_t>(i)]);
              },
              0, {{{"n", 9}}, {{"n", 0}}});
}

/// Insertion sort of what a compute makes, through a temporary.
inline Program sorted() {
  const int64_t size = 11;
  Tensor x = te::placeholder({size}, kFloat32, "X");
  Tensor y = te::compute(
      {size}, [&](Var i) { return x(i) * -3.0f; }, "Y");
  Tensor s = te::extern_op(
      {{{size}, kFloat32}}, {y},
      [&](ir::IRBuilder& b, const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
        const ir::Buffer rank = b.temporary("rank", kInt64, {size});
        b.loop("i", size, [&](const Var& i) {
          b.store(rank, {i}, ir::make_int(kInt64, 0));
          b.loop("j", size, [&](const Var& j) {
            const Expr mine = ir::load(in[0], {i}), other = ir::load(in[0], {j});
            b.when(other < mine || (other == mine && j < i),
                   [&] { b.store(rank, {i}, ir::load(rank, {i}) + 1); });
          });
        });
        b.loop("i", size,
               [&](const Var& i) { b.store(out[0], {ir::load(rank, {i})}, ir::load(in[0], {i})); });
      },
      "sorted")[0];
  return make("sorted", {x, s}, [](Program::Tensors& t) {
    std::vector<double> values;
    for (size_t i = 0; i < t[0].size(); ++i) values.push_back(-3 * t[0].get(i));
    std::sort(values.begin(), values.end());
    for (size_t i = 0; i < values.size(); ++i) t[1].put(i, values[i]);
  });
}

inline Program masked_select() {
  Var n = te::var("n");
  Tensor a = te::placeholder({n, 6}, kFloat32, "A"), m = te::placeholder({n, 6}, kBool, "M");
  Tensor out = te::compute(
      {n, 6},
      [&](Var i, Var j) {
        return te::select(m(i, j) && j <= i, te::if_then_else(j > 0, a(i, te::max(j - 1, 0)), 7.0f),
                          a(i, j));
      },
      "picked");
  return make("masked_select", {a, m, out},
              [](Program::Tensors& t) {
                for (int64_t i = 0; i < t[0].shape[0]; ++i) {
                  for (int64_t j = 0; j < 6; ++j) {
                    const bool shifted = t[1]({i, j}) != 0 && j <= i;
                    t[2].set({i, j}, !shifted ? t[0]({i, j}) : j > 0 ? t[0]({i, j - 1}) : 7);
                  }
                }
              },
              0, {{{"n", 8}}, {{"n", 0}}});
}

/// Rows of a table chosen by data, which the interpreter's small integers keep inside.
inline Program gather() {
  const int64_t rows = 5, cols = 3;
  Var n = te::var("n");
  Tensor table = te::placeholder({rows, cols}, kFloat32, "T"),
         at = te::placeholder({n}, kUInt8, "I");
  Tensor out = te::compute(
      {n, cols}, [&](Var i, Var j) { return table(te::assume(at(i), 0, rows), j) + 1.0f; }, "rows");
  return make("gather", {table, at, out},
              [=](Program::Tensors& t) {
                for (int64_t i = 0; i < t[1].shape[0]; ++i) {
                  const auto row = static_cast<int64_t>(t[1]({i}));
                  for (int64_t j = 0; j < cols; ++j) t[2].set({i, j}, t[0]({row, j}) + 1);
                }
              },
              0, {{{"n", 7}}, {{"n", 0}}});
}

/// b = a + a, c = max(b, 3), d = c - a, element by element.
inline Program chain(DType dtype, const std::string& name) {
  const int64_t size = 37;
  Tensor a = te::placeholder({size}, dtype, "A");
  Tensor b = te::compute(
      {size}, [&](Var i) { return a(i) + a(i); }, "B");
  Tensor c = te::compute(
      {size}, [&](Var i) { return te::max(b(i), te::constant(dtype, 3)); }, "C");
  Tensor d = te::compute(
      {size}, [&](Var i) { return c(i) - a(i); }, "D");
  return make(name, {a, d}, [](Program::Tensors& t) {
    for (size_t i = 0; i < t[0].size(); ++i) {
      t[1].put(i, std::max(2 * t[0].get(i), 3.0) - t[0].get(i));
    }
  });
}

inline Program bool_chain() {
  const int64_t size = 21;
  Tensor a = te::placeholder({size}, kBool, "A"), b = te::placeholder({size}, kBool, "B");
  Tensor c = te::compute(
      {size}, [&](Var i) { return a(i) && !b(i); }, "C");
  Tensor d = te::compute(
      {size}, [&](Var i) { return c(i) || (a(i) == b(i)); }, "D");
  return make("bool_chain", {a, b, d}, [](Program::Tensors& t) {
    for (size_t i = 0; i < t[0].size(); ++i) {
      const bool x = t[0].get(i) != 0, y = t[1].get(i) != 0;
      t[2].put(i, (x && !y) || x == y);
    }
  });
}

}  // namespace programs

inline std::vector<Program> more_programs() {
  using namespace programs;
  return {cumsum(),
          two_states(),
          rnn(),
          histogram(),
          sorted(),
          masked_select(),
          gather(),
          chain(kUInt8, "uint8_chain"),
          chain(kInt16, "int16_chain"),
          chain(kFloat64, "float64_chain"),
          chain(kFloat16, "float16_chain"),
          chain(kBFloat16, "bfloat16_chain"),
          bool_chain()};
}

}  // namespace tilewright::testing
