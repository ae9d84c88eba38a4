"""Expressions: operators, literals, dtypes, and the errors of writing them."""

import numpy as np
import pytest
import tilewright as tw
from tilewright import te

DTYPES = [
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


@pytest.fixture
def a():
    return te.placeholder((8,), "float32", "A")


@pytest.mark.parametrize(
    "use",
    [
        lambda c: bool(c),
        lambda c: c and c,
        lambda c: c or c,
        lambda c: not c,
        lambda c: 1 if c else 2,
        lambda c: [1 for _ in range(1) if c],
    ],
)
def test_truth_value_explains_itself(a, use):
    i = te.var("i")
    with pytest.raises(tw.ExpressionError) as caught:
        use(i < 4)
    assert caught.value.code == "te.truth_value"
    for name in ("tw.select", "tw.logical_and", "tw.if_then_else", "a & b", "i < 4"):
        assert name in str(caught.value)


def test_chained_comparison_is_refused():
    i = te.var("i")
    with pytest.raises(tw.ExpressionError, match="logical_and"):
        _ = 0 <= i < 4


def test_constants_have_a_truth_value():
    assert bool(te.constant("int64", 3) < 4)
    assert int(te.constant("int32", 3) + 4) == 7
    assert float(te.constant("float32", 0.5)) == 0.5


def test_division_of_integers():
    i = te.var("i")
    with pytest.raises(tw.ExpressionError) as caught:
        i / 2
    assert "floor_div" in str(caught.value)
    assert str(i // 2) == "i//2"
    assert str(i % 2) == "i%2"


@pytest.mark.parametrize("x", [7, -7])
@pytest.mark.parametrize("y", [2, -2])
def test_floor_semantics(x, y):
    e = te.constant("int32", x)
    assert int(e // y) == x // y
    assert int(e % y) == x % y
    assert int(te.trunc_div(e, y)) == int(x / y)
    assert int(te.trunc_mod(e, y)) == x - y * int(x / y)


@pytest.mark.parametrize(
    "literal", [2, 2.5, np.float32(2.5), np.float64(2.5), np.int64(2), np.float16(2.5)]
)
def test_literals_on_both_sides(a, literal):
    i = te.var("i")
    for value in (a[i] + literal, literal + a[i], a[i] * literal, literal * a[i], literal - a[i]):
        assert isinstance(value, tw.Expr)
        assert value.dtype == "float32"


def test_literal_takes_the_other_side_dtype(a):
    assert (a[0] * 0.1).dtype == "float32"
    d = te.placeholder((8,), "float64", "D")
    b = te.compute((8,), lambda i: d[i] + 0.1, "B")
    ones = np.ones(8)
    np.testing.assert_array_equal(tw.build(te.create_prim_func([d, b]))(ones), np.full(8, 1.1))


@pytest.mark.parametrize("bad", [None, "x", [1], object(), 1j, np.ones(3)])
def test_operands_that_are_no_numbers(a, bad):
    with pytest.raises(TypeError):
        a[0] + bad
    with pytest.raises(TypeError):
        bad + a[0]


def test_big_integers_are_refused(a):
    with pytest.raises(tw.ExpressionError, match="int64"):
        te.var("i") + 2**70


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name):
    pytest.importorskip("ml_dtypes")
    dtype = tw.DType(name)
    assert dtype == name
    assert str(dtype) == name
    assert tw.DType(dtype.to_numpy()) == dtype
    x = te.placeholder((5,), name, "x")
    y = te.compute((5,), lambda i: x[i], "y")
    values = np.array([0, 1, 2, 3, 4]).astype(dtype.to_numpy())
    result = tw.build(te.create_prim_func([x, y]))(values)
    assert result.dtype == dtype.to_numpy()
    np.testing.assert_array_equal(result, values)


@pytest.mark.parametrize("name", ["flaot32", "complex64", "int128", ""])
def test_unknown_dtype(name):
    with pytest.raises(tw.ExpressionError) as caught:
        tw.DType(name)
    assert caught.value.code == "dtype.unknown"


def test_dtype_from_numpy_types():
    assert tw.DType(np.float32) == "float32"
    assert tw.DType(np.dtype("int8")) == "int8"
    assert {tw.DType("int8"): 1}[tw.DType(np.int8)] == 1
    with pytest.raises(TypeError):
        tw.DType(3)


def test_tensor_is_not_iterable(a):
    with pytest.raises(TypeError):
        list(a)
    assert a.shape == (8,)
    assert a.ndim == 1
    assert repr(a) == "Tensor('A', (8,), float32)"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda a: a[0, 1], "te.rank_mismatch"),
        (lambda a: te.compute((8,), lambda i, j: a[i]), "te.rank_mismatch"),
        (lambda a: te.compute((9,), lambda i: a[i]), "te.out_of_range"),
        (lambda a: te.compute((8,), lambda i: a[i] + te.var("q")), "ir.dtype"),
        (lambda a: te.compute((-1,), lambda i: a[0]), "te.bad_shape"),
        (lambda a: te.create_prim_func([a]), "te.no_output"),
        (lambda a: te.placeholder((4,), "float32", "not a name"), "te.bad_name"),
        (lambda a: te.sum(a[0], []), "te.no_axes"),
        (lambda a: tw.parse("func"), "ir.parse"),
        (lambda a: te.argmax(a[0], [te.reduce_axis(2), te.reduce_axis(3)]), "te.no_index"),
    ],
)
def test_error_codes(a, make, code):
    with pytest.raises(tw.ExpressionError) as caught:
        make(a)
    assert caught.value.code == code


def test_an_error_in_a_compute_names_it_and_keeps_the_line(a):
    with pytest.raises(tw.ExpressionError) as caught:
        te.compute((8,), lambda i: a[i] + i, "broken")
    assert caught.value.__notes__ == ["in compute 'broken'"]
    assert "test_expr.py" in str(caught.traceback[-1].path)


@pytest.mark.parametrize("result", [None, "x", object()])
def test_function_that_returns_no_expression(result):
    with pytest.raises(TypeError, match="compute 'C'"):
        te.compute((8,), lambda i: result, "C")


def test_exceptions_of_the_function_pass_through():
    def broken(i):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        te.compute((8,), broken)


def test_varargs_and_defaults(a):
    for function in (lambda *i: a[i], lambda i, scale=2: a[i] * scale):
        assert te.compute((8,), function).shape == (8,)


def test_user_reducer():
    x = te.placeholder((10,), "int32", "x")
    k = te.reduce_axis(10)
    biggest = te.reducer(
        lambda p, q: te.maximum(p, q), te.constant("int32", -1), "biggest", True, True
    )
    y = te.compute((), lambda: biggest(x[k], k), "y")
    values = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], np.int32)
    assert tw.build(te.create_prim_func([x, y]))(values) == 9


def test_tuple_reducer():
    x = te.placeholder((4, 10), "float32", "x")
    k = te.reduce_axis(10)
    sums = te.reducer(lambda p, q: (p[0] + q[0], p[1] + q[1]), (0.0, 0.0), "sums", True, True)
    total, squares = te.compute((4,), lambda i: sums((x[i, k], x[i, k] * x[i, k]), k), "s")
    values = np.arange(40, dtype=np.float32).reshape(4, 10) % 7
    a, b = tw.build(te.create_prim_func([x, total, squares]))(values)
    np.testing.assert_array_equal(a, values.sum(axis=1))
    np.testing.assert_array_equal(b, (values * values).sum(axis=1))


def test_a_false_declaration_is_refuted():
    x = te.placeholder((10,), "int32", "x")
    k = te.reduce_axis(10)
    minus = te.reducer(lambda p, q: p - q, te.constant("int32", 0), "minus", True, True)
    with pytest.raises(tw.ExpressionError) as caught:
        minus(x[k], k)
    assert caught.value.code in ("te.not_associative", "te.not_commutative")


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "erf", "sigmoid", "floor", "round"])
def test_maths(name):
    x = te.placeholder((50,), "float32", "x")
    y = te.compute((50,), lambda i: getattr(te, name)(x[i]), "y")
    values = np.linspace(0.01, 4, 50, dtype=np.float32)
    wide = values.astype(np.float64)
    if name == "sigmoid":
        expected = 1 / (1 + np.exp(-wide))
    elif name == "erf":
        from math import erf

        expected = np.array([erf(v) for v in wide])
    else:
        expected = getattr(np, name)(wide)
    result = tw.build(te.create_prim_func([x, y]))(values)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("boundary", "mode"),
    [(te.repeat_edge, "edge"), (te.mirror_image, "symmetric"), (te.mirror_interior, "reflect")],
)
def test_boundaries(boundary, mode):
    x = te.placeholder((6,), "float32", "x")
    outside = boundary(x)
    y = te.compute((10,), lambda i: outside[i - 2], "y")
    values = np.arange(6, dtype=np.float32)
    np.testing.assert_array_equal(
        tw.build(te.create_prim_func([x, y]))(values), np.pad(values, 2, mode=mode)
    )


def test_scalar_argument():
    x = te.placeholder((4,), "float32", "x")
    alpha = te.scalar("alpha", "float32")
    y = te.compute((4,), lambda i: x[i] * alpha, "y")
    kernel = tw.build(te.create_prim_func([x, alpha, y]))
    for value in (2, 2.0, np.float32(2), np.int64(2)):
        np.testing.assert_array_equal(kernel(np.ones(4, np.float32), value), np.full(4, 2.0))
    with pytest.raises(tw.CallError) as caught:
        kernel(np.ones(4, np.float32), "2")
    assert caught.value.code == "call.kind"
