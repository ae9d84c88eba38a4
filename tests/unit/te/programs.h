#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/host_tensor.h"
#include "tilewright/te/te.h"

/// \file
/// Twelve programs that between them use the whole language, each with a plain C++ reference. Header
/// only, so that the tests of later layers schedule and compile the same programs. The Python tests write
/// the same programs again and compare the IR.

namespace tilewright::testing {

struct Program {
  using Tensors = std::vector<HostTensor>;
  std::string name;
  std::vector<te::Arg> args;
  ir::PrimFunc func;
  std::vector<Sizes> sizes;  ///< instances to run; one without sizes for a static program
  /// Fills the output tensors (in the place of their arguments) from the inputs.
  std::function<void(Tensors& tensors)> reference;
  double tolerance = 0;  ///< 0: exact on small integers
};

namespace programs {

using te::Expr;
using te::Tensor;
using te::Var;

inline Program make(std::string name, std::vector<te::Arg> args,
                    std::function<void(Program::Tensors&)> reference, double tolerance = 0,
                    std::vector<Sizes> sizes = {{}}, const std::vector<Expr>& assumptions = {}) {
  Program p;
  p.func = te::create_prim_func(args, name, assumptions);
  p.name = std::move(name);
  p.args = std::move(args);
  p.reference = std::move(reference);
  p.tolerance = tolerance;
  p.sizes = std::move(sizes);
  return p;
}

inline Program vector_add() {
  Tensor a = te::placeholder({1024}, kFloat32, "A"), b = te::placeholder({1024}, kFloat32, "B");
  Tensor c = te::compute(
      {1024}, [&](Var i) { return a(i) + b(i); }, "C");
  return make("vector_add", {a, b, c}, [](Program::Tensors& t) {
    for (size_t i = 0; i < t[2].size(); ++i) t[2].put(i, t[0].get(i) + t[1].get(i));
  });
}

inline Program matmul() {
  const int64_t m = 20, n = 24, k = 17;
  Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {m, n}, [&](Var i, Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return make("matmul", {a, b, c}, [=](Program::Tensors& t) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t r = 0; r < k; ++r) sum += t[0]({i, r}) * t[1]({r, j});
        t[2].set({i, j}, sum);
      }
    }
  });
}

inline Program batched_matmul() {
  const int64_t batch = 3, m = 8, n = 10, k = 12;
  Tensor a = te::placeholder({batch, m, k}, kFloat32, "A");
  Tensor b = te::placeholder({batch, k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {batch, m, n}, [&](Var s, Var i, Var j) { return te::sum(a(s, i, rk) * b(s, rk, j), {rk}); },
      "C", {}, {"b", "i", "j"});
  return make("batched_matmul", {a, b, c}, [=](Program::Tensors& t) {
    for (int64_t s = 0; s < batch; ++s) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t r = 0; r < k; ++r) sum += t[0]({s, i, r}) * t[1]({s, r, j});
          t[2].set({s, i, j}, sum);
        }
      }
    }
  });
}

inline Program conv2d() {
  const int64_t ci = 3, co = 4, h = 10, w = 9, kernel = 3;
  Tensor data = te::placeholder({1, ci, h, w}, kFloat32, "data");
  Tensor weight = te::placeholder({co, ci, kernel, kernel}, kFloat32, "weight");
  auto zero_outside = te::constant_exterior(data, 0.0f);
  Tensor pad =
      te::compute({1, ci, h + 2, w + 2},
                  [&](Var n, Var c, Var y, Var x) { return zero_outside(n, c, y - 1, x - 1); },
                  "pad", {}, {"n", "c", "h", "w"});
  te::ReduceAxis rc = te::reduce_axis(ci, "rc"), ry = te::reduce_axis(kernel, "ry"),
                 rx = te::reduce_axis(kernel, "rx");
  Tensor conv = te::compute(
      {1, co, h, w},
      [&](Var n, Var o, Var y, Var x) {
        return te::sum(pad(n, rc, y + ry, x + rx) * weight(o, rc, ry, rx), {rc, ry, rx});
      },
      "conv", {}, {"n", "co", "h", "w"});
  return make("conv2d", {data, weight, conv}, [=](Program::Tensors& t) {
    for (int64_t o = 0; o < co; ++o) {
      for (int64_t y = 0; y < h; ++y) {
        for (int64_t x = 0; x < w; ++x) {
          double sum = 0;
          for (int64_t c = 0; c < ci; ++c) {
            for (int64_t dy = 0; dy < kernel; ++dy) {
              for (int64_t dx = 0; dx < kernel; ++dx) {
                const int64_t sy = y + dy - 1, sx = x + dx - 1;
                if (sy < 0 || sy >= h || sx < 0 || sx >= w) continue;
                sum += t[0]({0, c, sy, sx}) * t[1]({o, c, dy, dx});
              }
            }
          }
          t[2].set({0, o, y, x}, sum);
        }
      }
    }
  });
}

inline Program depthwise() {
  const int64_t channels = 4, size = 9, kernel = 3, out = 4;
  Tensor data = te::placeholder({1, channels, size, size}, kFloat32, "data");
  Tensor weight = te::placeholder({channels, kernel, kernel}, kFloat32, "weight");
  te::ReduceAxis ry = te::reduce_axis(kernel, "ry"), rx = te::reduce_axis(kernel, "rx");
  Tensor conv = te::compute(
      {1, channels, out, out},
      [&](Var n, Var c, Var y, Var x) {
        return te::sum(data(n, c, y * 2 + ry, x * 2 + rx) * weight(c, ry, rx), {ry, rx});
      },
      "depthwise", {}, {"n", "c", "h", "w"});
  return make("depthwise", {data, weight, conv}, [=](Program::Tensors& t) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < out; ++y) {
        for (int64_t x = 0; x < out; ++x) {
          double sum = 0;
          for (int64_t dy = 0; dy < kernel; ++dy) {
            for (int64_t dx = 0; dx < kernel; ++dx) {
              sum += t[0]({0, c, 2 * y + dy, 2 * x + dx}) * t[1]({c, dy, dx});
            }
          }
          t[2].set({0, c, y, x}, sum);
        }
      }
    }
  });
}

inline Program softmax() {
  const int64_t rows = 8, cols = 16;
  Tensor a = te::placeholder({rows, cols}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(cols, "k");
  Tensor highest = te::compute(
      {rows}, [&](Var i) { return te::max(a(i, k), {k}); }, "row_max");
  Tensor e = te::compute(
      {rows, cols}, [&](Var i, Var j) { return te::exp(a(i, j) - highest(i)); }, "row_exp");
  Tensor total = te::compute(
      {rows}, [&](Var i) { return te::sum(e(i, k), {k}); }, "row_sum");
  Tensor out = te::compute(
      {rows, cols}, [&](Var i, Var j) { return e(i, j) / total(i); }, "softmax");
  return make(
      "softmax", {a, out},
      [=](Program::Tensors& t) {
        for (int64_t i = 0; i < rows; ++i) {
          double top = -1e30, sum = 0;
          for (int64_t j = 0; j < cols; ++j) top = std::max(top, t[0]({i, j}));
          for (int64_t j = 0; j < cols; ++j) sum += std::exp(t[0]({i, j}) - top);
          for (int64_t j = 0; j < cols; ++j) t[1].set({i, j}, std::exp(t[0]({i, j}) - top) / sum);
        }
      },
      1e-5);
}

inline Program argmax() {
  const int64_t rows = 6, cols = 20;
  Tensor a = te::placeholder({rows, cols}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(cols, "k");
  std::vector<Tensor> best = te::compute(
      {rows}, [&](Var i) { return te::argmax(k, a(i, k), {k}); }, "argmax");
  return make("argmax", {a, best[0], best[1]}, [=](Program::Tensors& t) {
    for (int64_t i = 0; i < rows; ++i) {
      int64_t at = 0;
      for (int64_t j = 1; j < cols; ++j) {
        if (t[0]({i, j}) > t[0]({i, at})) at = j;
      }
      t[1].set({i}, static_cast<double>(at));
      t[2].set({i}, t[0]({i, at}));
    }
  });
}

inline Program stencil() {
  const int64_t h = 14, w = 11;
  Tensor a = te::placeholder({h, w}, kFloat32, "A");
  auto a_edge = te::repeat_edge(a);
  Tensor bx = te::compute(
      {h, w}, [&](Var y, Var x) { return a_edge(y, x - 1) + a_edge(y, x) + a_edge(y, x + 1); },
      "blur_x", {}, {"y", "x"});
  auto bx_edge = te::repeat_edge(bx);
  Tensor by = te::compute(
      {h, w}, [&](Var y, Var x) { return bx_edge(y - 1, x) + bx_edge(y, x) + bx_edge(y + 1, x); },
      "blur_y", {}, {"y", "x"});
  Tensor out = te::compute({h, w}, [&](Var y, Var x) { return a(y, x) * 18.0f - by(y, x); },
                           "sharpen", {}, {"y", "x"});
  return make("stencil", {a, out}, [=](Program::Tensors& t) {
    const auto clamp = [](int64_t i, int64_t n) {
      return std::max<int64_t>(0, std::min(i, n - 1));
    };
    for (int64_t y = 0; y < h; ++y) {
      for (int64_t x = 0; x < w; ++x) {
        double sum = 0;
        for (int64_t dy = -1; dy <= 1; ++dy) {
          for (int64_t dx = -1; dx <= 1; ++dx) sum += t[0]({clamp(y + dy, h), clamp(x + dx, w)});
        }
        t[1].set({y, x}, 18 * t[0]({y, x}) - sum);
      }
    }
  });
}

inline Program triangular_sum() {
  const int64_t n = 12;
  Tensor a = te::placeholder({n, n}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(n, "k");
  Tensor out = te::compute(
      {n}, [&](Var i) { return te::sum(a(i, k), {k}, k <= i); }, "lower");
  return make("triangular_sum", {a, out}, [=](Program::Tensors& t) {
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t j = 0; j <= i; ++j) sum += t[0]({i, j});
      t[1].set({i}, sum);
    }
  });
}

inline Program layernorm() {
  const int64_t cols = 32;
  Var n = te::var("n");
  Tensor x = te::placeholder({n, cols}, kFloat32, "X");
  Tensor gamma = te::placeholder({cols}, kFloat32, "gamma");
  Tensor beta = te::placeholder({cols}, kFloat32, "beta");
  te::ReduceAxis k = te::reduce_axis(cols, "k");
  const double inverse = 1.0 / cols;
  Tensor total = te::compute(
      {n}, [&](Var i) { return te::sum(x(i, k), {k}); }, "row_sum");
  Tensor mean = te::compute(
      {n}, [&](Var i) { return total(i) * inverse; }, "mean");
  Tensor squares = te::compute(
      {n}, [&](Var i) { return te::sum((x(i, k) - mean(i)) * (x(i, k) - mean(i)), {k}); },
      "squares");
  Tensor out = te::compute(
      {n, cols},
      [&](Var i, Var j) {
        return (x(i, j) - mean(i)) / te::sqrt(squares(i) * inverse + 1e-5) * gamma(j) + beta(j);
      },
      "layernorm");
  return make(
      "layernorm", {x, gamma, beta, out},
      [=](Program::Tensors& t) {
        for (int64_t i = 0; i < t[0].shape[0]; ++i) {
          double mu = 0, var = 0;
          for (int64_t j = 0; j < cols; ++j) mu += t[0]({i, j}) / cols;
          for (int64_t j = 0; j < cols; ++j) var += std::pow(t[0]({i, j}) - mu, 2) / cols;
          for (int64_t j = 0; j < cols; ++j) {
            t[3].set({i, j}, (t[0]({i, j}) - mu) / std::sqrt(var + 1e-5) * t[1]({j}) + t[2]({j}));
          }
        }
      },
      1e-5, {{{"n", 7}}, {{"n", 1}}, {{"n", 0}}});
}

inline Program int8_dot() {
  const int64_t m = 8, n = 10, k = 64;
  Tensor a = te::placeholder({m, k}, kInt8, "A"), b = te::placeholder({n, k}, kInt8, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {m, n},
      [&](Var i, Var j) {
        return te::sum(te::cast(kInt32, a(i, rk)) * te::cast(kInt32, b(j, rk)), {rk});
      },
      "C");
  return make("int8_dot", {a, b, c}, [=](Program::Tensors& t) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t r = 0; r < k; ++r) sum += t[0]({i, r}) * t[1]({j, r});
        t[2].set({i, j}, sum);
      }
    }
  });
}

inline Program mixed_precision() {
  const int64_t m = 9, n = 7, k = 33;
  Tensor a = te::placeholder({m, k}, kFloat16, "A"), b = te::placeholder({k, n}, kFloat16, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {m, n},
      [&](Var i, Var j) {
        return te::sum(te::cast(kFloat32, a(i, rk)) * te::cast(kFloat32, b(rk, j)), {rk});
      },
      "C");
  return make("mixed_precision", {a, b, c}, [=](Program::Tensors& t) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t r = 0; r < k; ++r) sum += t[0]({i, r}) * t[1]({r, j});
        t[2].set({i, j}, sum);
      }
    }
  });
}

}  // namespace programs

/// All twelve.
inline std::vector<Program> all_programs() {
  using namespace programs;
  return {vector_add(), matmul(),  batched_matmul(), conv2d(),    depthwise(), softmax(),
          argmax(),     stencil(), triangular_sum(), layernorm(), int8_dot(),  mixed_precision()};
}

}  // namespace tilewright::testing
