"""Boundary conditions agree with numpy.pad."""

import numpy as np
import pytest
import tilewright as tw
from tilewright import te

RULES = {
    "constant": lambda a, dims=None: te.constant_exterior(a, 7.0, dims),
    "edge": te.repeat_edge,
    "symmetric": te.mirror_image,
    "reflect": te.mirror_interior,
    "wrap": te.repeat_image,
}


def numpy_pad(x, width, mode):
    options = {"constant_values": 7.0} if mode == "constant" else {}
    return np.pad(x, width, mode=mode, **options)


def padded(source, shape, before):
    return te.compute(
        tuple(e + 2 * before for e in shape), lambda i, j: source[i - before, j - before], "padded"
    )


@pytest.mark.parametrize("mode", RULES)
@pytest.mark.parametrize("shape", [(5, 4), (1, 3), (2, 1)])
@pytest.mark.parametrize("symbolic", [False, True])
def test_like_numpy(mode, shape, symbolic):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    sizes = (te.var("m"), te.var("n")) if symbolic else shape
    a = te.placeholder(sizes, "float32", "A")
    out = padded(RULES[mode](a), sizes, 6)
    kernel = tw.build(tw.default_schedule(te.create_prim_func([a, out])))
    np.testing.assert_array_equal(kernel(x), numpy_pad(x, 6, mode))


@pytest.mark.parametrize("rows", RULES)
@pytest.mark.parametrize("columns", RULES)
def test_another_rule_in_each_dimension(rows, columns):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = te.placeholder((3, 4), "float32", "A")
    out = padded(RULES[columns](RULES[rows](a, [0]), [1]), (3, 4), 3)
    result = tw.build(te.create_prim_func([a, out]))(x)
    inner = numpy_pad(x, ((3, 3), (0, 0)), rows)
    expected = numpy_pad(inner, ((0, 0), (3, 3)), columns)
    if columns == "constant":
        expected[:, :3] = expected[:, -3:] = 7.0
    np.testing.assert_array_equal(result, expected)


def test_of_a_compute_and_under_a_reduction():
    x = np.arange(10, dtype=np.float32)
    a = te.placeholder((10,), "float32", "A")
    b = te.compute((10,), lambda i: a[i] * 2.0, "B")
    edge, k = te.repeat_edge(b), te.reduce_axis(5, "k")
    out = te.compute((10,), lambda i: te.sum(edge[i + k - 2], k), "out")
    result = tw.build(te.create_prim_func([a, out]))(x)
    wide = np.pad(2 * x, 2, mode="edge")
    np.testing.assert_array_equal(result, sum(wide[s : s + 10] for s in range(5)))


def test_a_dimension_without_a_rule_is_checked():
    a = te.placeholder((3, 4), "float32", "A")
    with pytest.raises(tw.ExpressionError) as caught:
        padded(te.repeat_edge(a, [0]), (3, 4), 1)
    assert caught.value.code == "te.out_of_range"
    with pytest.raises(tw.ExpressionError) as caught:
        te.repeat_edge(a, [2])
    assert caught.value.code == "te.rank_mismatch"
