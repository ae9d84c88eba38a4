"""Scans, extern computations, IRBuilder and assumptions in Python."""

import ctypes

import numpy as np
import pytest
import tilewright as tw
from tilewright import te


def code_of(run):
    with pytest.raises(tw.TilewrightError) as caught:
        run()
    return caught.value.code


def test_cumulative_sum():
    n = te.var("n")
    x = te.placeholder((n, 3), "float32", "X")
    s = te.scan(n, (3,), 0.0, lambda t, before, i: before[i] + x[t, i], "cumsum")
    func = te.create_prim_func([x, s])
    for size in (0, 1, 6):
        values = np.arange(size * 3, dtype=np.float32).reshape(size, 3)
        np.testing.assert_array_equal(tw.build(func)(values), np.cumsum(values, axis=0))
    sch = tw.Schedule(func)
    steps, axis = sch["cumsum"].axis
    with pytest.raises(tw.ScheduleError) as caught:
        sch.parallel(steps)
    assert caught.value.code == "schedule.parallel.ordered_loop"
    sch.reorder(axis, steps)
    sch.parallel(axis)
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(tw.build(sch)(values), np.cumsum(values, axis=0))


def test_rnn_cell():
    n, m = te.var("n"), 4
    x = te.placeholder((n, m), "float32", "X")
    w = te.placeholder((m, m), "float32", "W")
    h0 = te.placeholder((m,), "float32", "H0")
    k = te.reduce_axis(m, "k")
    scan = te.Scan(n, "rnn")
    h = scan.state((m,), h0, "h")
    z = scan.compute((m,), lambda i: te.sum(w[i, k] * h[k], k), "z")
    scan.update(h, lambda i: te.tanh(z[i] + x[scan.step, i]))
    (out,) = scan.finish()
    kernel = tw.build(te.create_prim_func([x, w, h0, out]))
    rng = np.random.default_rng(0)
    xs, ws, state = (rng.standard_normal(s).astype(np.float32) for s in ((5, m), (m, m), (m,)))
    result = kernel(xs, ws, state)
    for t in range(5):
        state = np.tanh(ws @ state + xs[t])
        np.testing.assert_allclose(result[t], state, rtol=1e-5, atol=1e-6)


def test_scan_errors():
    scan = te.Scan(4)
    state = scan.state((3,), 0.0)
    assert code_of(scan.finish) == "te.scan_update"
    assert code_of(lambda: te.compute((3,), lambda i: state[i])) == "te.unbound_variable"


def histogram(n, bins):
    def body(b, ins, outs):
        with b.loop("i", bins) as i:
            b.store(outs[0], i, 0)
        with b.loop("i", n) as i:
            bin_ = b.let("bin", te.cast("int64", ins[0][i]))
            with b.when(te.logical_and(bin_ >= 0, bin_ < bins)):
                b.store(outs[0], bin_, outs[0][bin_] + 1)

    return body


def test_extern_body():
    n = te.var("n")
    x = te.placeholder((n,), "int32", "X")
    counts = te.extern((5,), [x], histogram(n, 5), "int32", "counts")
    twice = te.compute((5,), lambda i: counts[i] * 2, "twice")
    values = np.array([0, 3, 3, 9, -1, 4, 3], np.int32)
    expected = 2 * np.array([1, 0, 0, 3, 1], np.int32)
    sch = tw.default_schedule(te.create_prim_func([x, twice]))
    np.testing.assert_array_equal(tw.build(sch)(values), expected)
    tw.testing.assert_allclose(sch, inputs={"X": values}, expected={"twice": expected})
    with pytest.raises(tw.ScheduleError) as caught:
        sch = tw.Schedule(te.create_prim_func([x, twice]))
        sch.compute_inline(sch.get_block("counts"))
    assert caught.value.code == "schedule.compute_inline.opaque_block"


def test_extern_errors():
    x = te.placeholder((4,), "int32", "X")
    assert code_of(lambda: te.extern((4,), [x], lambda b, i, o: None, "int32")) == "te.extern_body"

    def writes_input(b, ins, outs):
        b.store(ins[0], 0, 1)

    assert code_of(lambda: te.extern((4,), [x], writes_input, "int32")) == "te.extern_undeclared"


def test_extern_call():
    n = te.var("n")
    x = te.placeholder((n,), "float32", "X")
    y = te.extern_call((n,), [x], "reverse_floats", n, "float32", "y")
    func = te.create_prim_func([x, y])

    def reverse(source, target, size):
        assert size == len(source)
        target[:] = source[::-1]

    pointer = ctypes.POINTER(ctypes.c_float)

    @ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int64)
    def native(source, target, size):
        for i in range(size):
            target[i] = source[size - 1 - i]

    values = np.arange(5, dtype=np.float32)
    kernel = tw.build(func, externs={"reverse_floats": native})
    np.testing.assert_array_equal(kernel(values, threads=1), values[::-1])
    result = tw.testing.interpret(func, inputs={"X": values}, externs={"reverse_floats": reverse})
    np.testing.assert_array_equal(result["y"], values[::-1])
    assert code_of(lambda: tw.testing.interpret(func, inputs={"X": values})) == "interp.extern"
    assert code_of(lambda: tw.build(func)) == "codegen.extern"


def test_a_library_needs_the_function(tmp_path):
    x = te.placeholder((4,), "float32", "X")
    y = te.extern_call((4,), [x], "not_defined_anywhere", (), "float32", "y")
    func = te.create_prim_func([x, y], "calls")
    with pytest.raises(tw.BuildError) as caught:
        tw.compile_library(func, tmp_path / "libcalls.so")
    assert caught.value.code == "codegen.extern"
    assert "not_defined_anywhere" in str(caught.value)


def test_builder():
    b = tw.ir.IRBuilder("sums")
    n = b.size("n")
    x, y, total = b.input("X", n), b.output("Y", n), b.output("T", ())
    with b.loop("i", n, "ordered") as i, b.block("Y", [("vi", n, i, "ordered")]) as (vi,):
        b.store(y, vi, x[vi] + tw.if_then_else(vi > 0, y[vi - 1], 0.0))
    with b.loop("k", n) as k, b.block("T", [("vk", n, k, "reduce")]) as (vk,):
        b.update("sum", total, (), x[vk])
    func = b.finish()
    assert func.verify() == []
    assert tw.parse_func(func.text()).structural_equal(func)
    values = np.arange(6, dtype=np.float32)
    sums, whole = tw.build(func)(values)
    np.testing.assert_array_equal(sums, np.cumsum(values))
    assert whole == values.sum()


def test_builder_if_and_errors():
    b = tw.ir.IRBuilder("signs")
    x, y = b.input("X", 6), b.output("Y", 6)
    kept = b.temporary("kept", 6)
    with b.block("all", kind="opaque"), b.loop("i", 6) as i:
        with b.when(x[i] < 0.0):
            b.store(kept, i, -1.0)
        with b.otherwise():
            b.store(kept, i, 1.0)
        b.store(y, i, kept[i])
    values = np.array([1, -2, 3, -4, 0, -6], np.float32)
    np.testing.assert_array_equal(
        tw.build(b.finish())(values), np.where(values < 0, -1, 1).astype(np.float32)
    )
    with pytest.raises(KeyError), b.loop("i", 3):
        raise KeyError
    with pytest.raises(tw.TilewrightError):
        b.otherwise().__enter__()
    with pytest.raises(tw.TilewrightError):
        b.loop("i", 3, "sideways")


def test_wrong_region():
    b = tw.ir.IRBuilder("part")
    x, y = b.input("X", 8), b.output("Y", 8)
    regions = {"reads": lambda: [(x, (0, 4))], "writes": lambda: [(y, (0, 8))]}
    with b.block("half", kind="opaque", **regions), b.loop("i", 5) as i:
        b.store(y, i, x[i])
    assert code_of(lambda: tw.Schedule(b.finish())) == "schedule.regions"


def test_assumed_sizes():
    n = te.var("n")
    a = te.placeholder((n,), "float32", "A")
    c = te.compute((n,), lambda i: a[i] + 1.0, "C")
    func = te.create_prim_func([a, c, te.assume(n % 8 == 0)])
    sch = tw.Schedule(func)
    sch["C"].vectorize(sch["C"].split(sch["C"].axis[0], 8)[1])
    kernel = tw.build(sch)
    np.testing.assert_array_equal(kernel(np.zeros(16, np.float32)), np.ones(16, np.float32))
    with pytest.raises(tw.CallError) as caught:
        kernel(np.zeros(12, np.float32))
    assert caught.value.code == "call.assumption"
    assert "n % 8 == 0" in str(caught.value) and "12" in str(caught.value)
    assert code_of(lambda: te.assume(a[0] > 1.0)) == "te.bad_assumption"


def test_assumed_range_of_data():
    n, rows = te.var("n"), te.var("rows")
    table = te.placeholder((rows,), "float32", "T")
    index = te.placeholder((n,), "int32", "I")
    out = te.compute((n,), lambda i: table[te.assume(index[i], 0, rows)], "out")
    func = te.create_prim_func([table, index, out])
    values, good = np.arange(3, dtype=np.float32), np.array([2, 0, 2, 1], np.int32)
    np.testing.assert_array_equal(tw.build(func)(values, good), values[good])
    bad = np.array([0, 3], np.int32)
    with pytest.raises(tw.CallError) as caught:
        tw.build(func, checked=True)(values, bad)
    assert caught.value.code == "call.check"
    assert "the value 3" in str(caught.value)
    inputs = {"T": values, "I": bad}
    assert code_of(lambda: tw.testing.interpret(func, inputs=inputs)) == "interp.assumption"
