"""The twelve programs of tests/unit/te/programs.h, written again in Python."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tilewright as tw
from tilewright import te


@dataclass
class Program:
    """A function, and what NumPy gives for its inputs."""

    func: tw.PrimFunc
    reference: Callable[..., Any]
    tolerance: float = 0.0
    sizes: list[dict[str, int]] = field(default_factory=lambda: [{}])

    def make_inputs(self, sizes: dict[str, int], seed: int = 0) -> list[np.ndarray]:
        """Small integers, which floats hold exactly."""
        rng = np.random.default_rng(seed)
        inputs = []
        for param in self.func.params:
            if param.role != "input":
                continue
            shape = [e if isinstance(e, int) else sizes[e.name] for e in param.shape]
            inputs.append(rng.integers(-4, 5, shape).astype(param.dtype.to_numpy()))
        return inputs


def vector_add() -> Program:
    a = te.placeholder((1024,), "float32", "A")
    b = te.placeholder((1024,), "float32", "B")
    c = te.compute((1024,), lambda i: a[i] + b[i], "C")
    return Program(te.create_prim_func([a, b, c], "vector_add"), lambda x, y: x + y)


def matmul() -> Program:
    m, n, k = 20, 24, 17
    a = te.placeholder((m, k), "float32", "A")
    b = te.placeholder((k, n), "float32", "B")
    rk = te.reduce_axis(k, "k")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, rk] * b[rk, j], rk), "C")
    return Program(te.create_prim_func([a, b, c], "matmul"), lambda x, y: x @ y)


def batched_matmul() -> Program:
    batch, m, n, k = 3, 8, 10, 12
    a_in = te.placeholder((batch, m, k), "float32", "A")
    b_in = te.placeholder((batch, k, n), "float32", "B")
    rk = te.reduce_axis(k, "k")
    c = te.compute((batch, m, n), lambda b, i, j: te.sum(a_in[b, i, rk] * b_in[b, rk, j], rk), "C")
    return Program(te.create_prim_func([a_in, b_in, c], "batched_matmul"), lambda x, y: x @ y)


def numpy_conv(data: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """NCHW, 3x3, pad 1."""
    h, w = data.shape[2:]
    padded = np.pad(data, ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((1, weight.shape[0], h, w), np.float32)
    for dy in range(3):
        for dx in range(3):
            window = padded[:, :, dy : dy + h, dx : dx + w]
            out += np.einsum("nchw,oc->nohw", window, weight[:, :, dy, dx])
    return out


def conv2d() -> Program:
    ci, co, height, width, kernel = 3, 4, 10, 9, 3
    data = te.placeholder((1, ci, height, width), "float32", "data")
    weight = te.placeholder((co, ci, kernel, kernel), "float32", "weight")
    zero_outside = te.constant_exterior(data, 0.0)
    pad = te.compute(
        (1, ci, height + 2, width + 2),
        lambda n, c, h, w: zero_outside[n, c, h - 1, w - 1],
        "pad",
    )
    rc, ry, rx = (
        te.reduce_axis(ci, "rc"),
        te.reduce_axis(kernel, "ry"),
        te.reduce_axis(kernel, "rx"),
    )
    conv = te.compute(
        (1, co, height, width),
        lambda n, co, h, w: te.sum(
            pad[n, rc, h + ry, w + rx] * weight[co, rc, ry, rx], [rc, ry, rx]
        ),
        "conv",
    )
    return Program(te.create_prim_func([data, weight, conv], "conv2d"), numpy_conv)


def numpy_depthwise(data: np.ndarray, weight: np.ndarray) -> np.ndarray:
    out = np.zeros((1, data.shape[1], 4, 4), np.float32)
    for dy in range(3):
        for dx in range(3):
            out += (
                data[:, :, dy : dy + 8 : 2, dx : dx + 8 : 2] * weight[None, :, dy, dx, None, None]
            )
    return out


def depthwise() -> Program:
    channels, size, kernel, out = 4, 9, 3, 4
    data = te.placeholder((1, channels, size, size), "float32", "data")
    weight = te.placeholder((channels, kernel, kernel), "float32", "weight")
    ry, rx = te.reduce_axis(kernel, "ry"), te.reduce_axis(kernel, "rx")
    conv = te.compute(
        (1, channels, out, out),
        lambda n, c, h, w: te.sum(data[n, c, h * 2 + ry, w * 2 + rx] * weight[c, ry, rx], [ry, rx]),
        "depthwise",
    )
    return Program(te.create_prim_func([data, weight, conv], "depthwise"), numpy_depthwise)


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax() -> Program:
    rows, cols = 8, 16
    a = te.placeholder((rows, cols), "float32", "A")
    k = te.reduce_axis(cols, "k")
    highest = te.compute((rows,), lambda i: te.max(a[i, k], k), "row_max")
    e = te.compute((rows, cols), lambda i, j: te.exp(a[i, j] - highest[i]), "row_exp")
    total = te.compute((rows,), lambda i: te.sum(e[i, k], k), "row_sum")
    out = te.compute((rows, cols), lambda i, j: e[i, j] / total[i], "softmax")
    return Program(te.create_prim_func([a, out], "softmax"), numpy_softmax, 1e-5)


def argmax() -> Program:
    rows, cols = 6, 20
    a = te.placeholder((rows, cols), "float32", "A")
    k = te.reduce_axis(cols, "k")
    index, value = te.compute((rows,), lambda i: te.argmax(a[i, k], k), "argmax")
    return Program(
        te.create_prim_func([a, index, value], "argmax"),
        lambda x: (x.argmax(axis=1), x.max(axis=1)),
    )


def numpy_stencil(x: np.ndarray) -> np.ndarray:
    h, w = x.shape
    padded = np.pad(x, 1, mode="edge")
    return 18 * x - sum(padded[dy : dy + h, dx : dx + w] for dy in range(3) for dx in range(3))


def stencil() -> Program:
    height, width = 14, 11
    a = te.placeholder((height, width), "float32", "A")
    a_edge = te.repeat_edge(a)
    bx = te.compute(
        (height, width), lambda y, x: a_edge[y, x - 1] + a_edge[y, x] + a_edge[y, x + 1], "blur_x"
    )
    bx_edge = te.repeat_edge(bx)
    by = te.compute(
        (height, width),
        lambda y, x: bx_edge[y - 1, x] + bx_edge[y, x] + bx_edge[y + 1, x],
        "blur_y",
    )
    out = te.compute((height, width), lambda y, x: a[y, x] * 18.0 - by[y, x], "sharpen")
    return Program(te.create_prim_func([a, out], "stencil"), numpy_stencil)


def triangular_sum() -> Program:
    n = 12
    a = te.placeholder((n, n), "float32", "A")
    k = te.reduce_axis(n, "k")
    out = te.compute((n,), lambda i: te.sum(a[i, k], k, where=k <= i), "lower")
    return Program(
        te.create_prim_func([a, out], "triangular_sum"), lambda x: np.tril(x).sum(axis=1)
    )


def numpy_layernorm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    mean, var = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * gamma + beta


def layernorm() -> Program:
    cols = 32
    n = te.var("n")
    x = te.placeholder((n, cols), "float32", "X")
    gamma = te.placeholder((cols,), "float32", "gamma")
    beta = te.placeholder((cols,), "float32", "beta")
    k = te.reduce_axis(cols, "k")
    inverse = 1.0 / cols
    total = te.compute((n,), lambda i: te.sum(x[i, k], k), "row_sum")
    mean = te.compute((n,), lambda i: total[i] * inverse, "mean")
    squares = te.compute(
        (n,), lambda i: te.sum((x[i, k] - mean[i]) * (x[i, k] - mean[i]), k), "squares"
    )
    out = te.compute(
        (n, cols),
        lambda i, j: (
            (x[i, j] - mean[i]) / te.sqrt(squares[i] * inverse + 1e-5) * gamma[j] + beta[j]
        ),
        "layernorm",
    )
    return Program(
        te.create_prim_func([x, gamma, beta, out], "layernorm"),
        numpy_layernorm,
        1e-5,
        [{"n": 7}, {"n": 1}, {"n": 0}],
    )


def int8_dot() -> Program:
    m, n, k = 8, 10, 64
    a = te.placeholder((m, k), "int8", "A")
    b = te.placeholder((n, k), "int8", "B")
    rk = te.reduce_axis(k, "k")
    c = te.compute(
        (m, n),
        lambda i, j: te.sum(te.cast("int32", a[i, rk]) * te.cast("int32", b[j, rk]), rk),
        "C",
    )
    return Program(
        te.create_prim_func([a, b, c], "int8_dot"),
        lambda x, y: x.astype(np.int32) @ y.astype(np.int32).T,
    )


def mixed_precision() -> Program:
    m, n, k = 9, 7, 33
    a = te.placeholder((m, k), "float16", "A")
    b = te.placeholder((k, n), "float16", "B")
    rk = te.reduce_axis(k, "k")
    c = te.compute(
        (m, n),
        lambda i, j: te.sum(a[i, rk].astype("float32") * b[rk, j].astype(np.float32), rk),
        "C",
    )
    return Program(
        te.create_prim_func([a, b, c], "mixed_precision"),
        lambda x, y: x.astype(np.float32) @ y.astype(np.float32),
    )


ALL = [
    vector_add,
    matmul,
    batched_matmul,
    conv2d,
    depthwise,
    softmax,
    argmax,
    stencil,
    triangular_sum,
    layernorm,
    int8_dot,
    mixed_precision,
]
