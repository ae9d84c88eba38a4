"""Calls of compiled functions: K26 from Python, arrays, threads, timing."""

import array
import gc
import multiprocessing
import threading

import numpy as np
import pytest
import tilewright as tw
from tilewright import te

M, K, N = 4, 6, 5


def matmul_func():
    a = te.placeholder((M, K), "float32", "A")
    b = te.placeholder((K, N), "float32", "B")
    k = te.reduce_axis(K, "k")
    c = te.compute((M, N), lambda i, j: te.sum(a[i, k] * b[k, j], k), "C")
    return te.create_prim_func([a, b, c], "matmul")


@pytest.fixture(scope="module", params=["jit", "library"])
def matmul(request, tmp_path_factory):
    sch = tw.default_schedule(matmul_func())
    if request.param == "jit":
        return tw.build(sch)
    path = tmp_path_factory.mktemp("lib") / "libmm.so"
    files = tw.compile_library(sch, path)
    assert files.header.endswith("libmm.h")
    return tw.load(path)


A = (np.arange(M * K, dtype=np.float32) % 7 - 3).reshape(M, K)
B = (np.arange(K * N, dtype=np.float32) % 5 - 2).reshape(K, N)


def right_call(matmul):
    np.testing.assert_array_equal(matmul(A, B), A @ B)


BAD_CALLS = {
    "A float64": (lambda f: f(A.astype(np.float64), B), "call.dtype", ["A", "float32", "float64"]),
    "A (6, 4)": (lambda f: f(A.T.copy(), B), "call.shape", ["A", "(4, 6)", "(6, 4)"]),
    "A (24,)": (lambda f: f(A.ravel(), B), "call.rank", ["A", "2", "1"]),
    "B (5, 6)": (lambda f: f(A, B.T.copy()), "call.shape", ["B", "(6, 5)", "(5, 6)"]),
    "B missing": (lambda f: f(A), "call.arg_count", ["2 inputs", "A, B", "got 1"]),
    "no argument": (lambda f: f(), "call.arg_count", ["2 inputs", "got 0"]),
    "an extra argument": (lambda f: f(A, B, B), "call.arg_count", ["2 inputs", "got 3", "out="]),
    "B None": (lambda f: f(A, None), "call.kind", ["B", "None"]),
    "B a list": (lambda f: f(A, B.tolist()), "call.kind", ["B", "list"]),
    "B a number": (lambda f: f(A, 7), "call.kind", ["B", "int"]),
    "A strided": (lambda f: f(np.asfortranarray(A), B), "call.stride", ["A", "(6, 1)"]),
    "A complex": (lambda f: f(A.astype(np.complex64), B), "call.dtype", ["A", "complex64"]),
    "A objects": (lambda f: f(A.astype(object), B), "call.", ["A"]),
    "A big-endian": (lambda f: f(A.astype(">f4"), B), "call.dtype", ["A", ">f4"]),
    "threads": (lambda f: f(A, B, threads=0), "call.threads", ["0"]),
    "two outputs": (
        lambda f: f(A, B, out=(np.zeros((M, N), np.float32),) * 2),
        "call.arg_count",
        ["1 output", "got 2"],
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_k26_wrong_arguments(matmul, name):
    use, code, parts = BAD_CALLS[name]
    with pytest.raises(tw.CallError) as caught:
        use(matmul)
    assert caught.value.code.startswith(code)
    for part in ["matmul" if name != "threads" else "", *parts]:
        assert part in str(caught.value)
    right_call(matmul)


def test_k26_wrong_outputs(matmul):
    wrong = np.full((N, M), 7, np.float32)
    with pytest.raises(tw.CallError) as caught:
        matmul(A, B, out=wrong)
    assert caught.value.code == "call.shape"
    assert "C" in str(caught.value)
    assert (wrong == 7).all()
    right_call(matmul)

    locked = np.full((M, N), 7, np.float32)
    locked.setflags(write=False)
    with pytest.raises(tw.CallError) as caught:
        matmul(A, B, out=locked)
    assert caught.value.code == "call.read_only"
    assert (locked == 7).all()
    right_call(matmul)


def test_k26_read_only_inputs_are_fine(matmul):
    a, b = A.copy(), B.copy()
    a.setflags(write=False)
    b.setflags(write=False)
    np.testing.assert_array_equal(matmul(a, b), A @ B)


def test_out_is_written_and_returned(matmul):
    out = np.zeros((M, N), np.float32)
    assert matmul(A, B, out=out) is out
    np.testing.assert_array_equal(out, A @ B)


def test_out_may_not_be_an_input():
    x = te.placeholder((8,), "float32", "x")
    y = te.compute((8,), lambda i: x[i] + 1, "y")
    kernel = tw.build(te.create_prim_func([x, y]))
    values = np.zeros(8, np.float32)
    with pytest.raises(tw.CallError) as caught:
        kernel(values, out=values)
    assert caught.value.code == "call.alias"
    assert (values == 0).all()


def test_outputs_outlive_the_kernel():
    def result():
        return tw.build(matmul_func())(A, B)

    c = result()
    gc.collect()
    np.testing.assert_array_equal(c, A @ B)
    assert c.flags.writeable
    c[0, 0] = 5


def test_no_copies_are_made():
    x = te.placeholder((1 << 20,), "float32", "x")
    y = te.compute((1 << 20,), lambda i: x[i], "y")
    kernel = tw.build(tw.default_schedule(te.create_prim_func([x, y])))
    source = np.arange(1 << 20, dtype=np.float32)
    out = np.empty_like(source)
    address = out.ctypes.data
    assert kernel(source, out=out).ctypes.data == address


def test_other_buffers():
    x = te.placeholder((4,), "float32", "x")
    y = te.compute((4,), lambda i: x[i] + 1, "y")
    kernel = tw.build(te.create_prim_func([x, y]))
    values = array.array("f", [1, 2, 3, 4])
    np.testing.assert_array_equal(kernel(values), [2, 3, 4, 5])
    out = array.array("f", [0] * 4)
    kernel(memoryview(values), out=out)
    assert list(out) == [2, 3, 4, 5]
    with pytest.raises(tw.CallError, match="read-only"):
        kernel(values, out=memoryview(out).toreadonly())


def test_several_outputs_are_a_tuple():
    x = te.placeholder((3, 5), "float32", "x")
    k = te.reduce_axis(5)
    index, value = te.compute((3,), lambda i: te.argmax(x[i, k], k), "top")
    kernel = tw.build(te.create_prim_func([x, index, value]))
    values = np.random.default_rng(1).random((3, 5), dtype=np.float32)
    i, v = kernel(values)
    np.testing.assert_array_equal(i, values.argmax(axis=1))
    np.testing.assert_array_equal(v, values.max(axis=1))
    out = (np.zeros(3, np.int64), np.zeros(3, np.float32))
    assert kernel(values, out=out) is out
    np.testing.assert_array_equal(out[0], i)


@pytest.mark.parametrize("threads", [None, 1, 2, 3, 8])
def test_threads_give_the_same(threads):
    x = te.placeholder((100, 37), "float32", "x")
    y = te.compute((100, 37), lambda i, j: x[i, j] * 3 + 1, "y")
    kernel = tw.build(tw.default_schedule(te.create_prim_func([x, y])))
    values = np.random.default_rng(2).random((100, 37), dtype=np.float32)
    np.testing.assert_array_equal(kernel(values, threads=threads), kernel(values, threads=1))


def test_calls_from_many_python_threads(matmul):
    failures = []

    def work():
        for _ in range(50):
            if not np.array_equal(matmul(A, B, threads=2), A @ B):
                failures.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_symbolic_sizes():
    n = te.var("n")
    x = te.placeholder((n, 3), "float32", "x")
    y = te.placeholder((n,), "float32", "y")
    z = te.compute((n, 3), lambda i, j: x[i, j] + y[i], "z")
    kernel = tw.build(tw.default_schedule(te.create_prim_func([x, y, z])))
    assert "n" in kernel.signature
    for size in (5, 1, 0, 64):
        a, b = np.ones((size, 3), np.float32), np.arange(size, dtype=np.float32)
        np.testing.assert_array_equal(kernel(a, b), a + b[:, None])
    with pytest.raises(tw.CallError) as caught:
        kernel(np.ones((5, 3), np.float32), np.ones(4, np.float32))
    assert caught.value.code == "call.shape"


def test_functions_of_a_module():
    def add(amount):
        x = te.placeholder((4,), "float32", "x")
        y = te.compute((4,), lambda i: x[i] + amount, "y")
        return te.create_prim_func([x, y], f"add_{amount}")

    module = tw.build([add(1), add(2)])
    assert module.function_names == ["add_1", "add_2"]
    zero = np.zeros(4, np.float32)
    function = module["add_2"]
    assert function.name == "add_2"
    assert [p.name for p in function.params] == ["x", "y"]
    assert function.params[0].shape == (4,)
    with pytest.raises(tw.CallError) as caught:
        module["add_3"]
    assert caught.value.code == "module.unknown_function"
    with pytest.raises(tw.CallError):
        module(zero)
    del module
    gc.collect()
    np.testing.assert_array_equal(function(zero), zero + 2)


def test_time_evaluator(matmul):
    result = matmul.time_evaluator(number=3, repeat=4)(A, B)
    assert len(result.samples_secs) == 4
    assert 0 < result.min_secs <= result.median_secs
    assert result.number == 3
    with pytest.raises(tw.CallError):
        matmul.time_evaluator(number=0)(A, B)
    with pytest.raises(tw.CallError):
        matmul.time_evaluator()(A)


@pytest.mark.parametrize("content", [None, b"", b"no library", b"\x7fELF"])
def test_load_of_what_is_no_library(tmp_path, content):
    path = tmp_path / "libx.so"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(tw.CallError) as caught:
        tw.load(path)
    assert caught.value.code.startswith("module.")


def test_unknown_keywords_and_odd_thread_counts(matmul):
    for use, parts in [
        (lambda: matmul(A=A, B=B), ["'A'", "position"]),
        (lambda: matmul(A, B, output=None), ["'output'", "out"]),
        (lambda: matmul(A, B, threads=2**70), ["1024"]),
        (lambda: matmul(A, B, threads=10**6), ["1024"]),
        (lambda: matmul(A, B, threads=1.5), ["1.5"]),
        (lambda: matmul(A, B, threads=True), ["True"]),
    ]:
        with pytest.raises(tw.CallError) as caught:
            use()
        for part in parts:
            assert part in str(caught.value)
    right_call(matmul)


def _row_sums(values):
    return _row_sums.kernel(values)


def test_a_parallel_kernel_works_in_a_forked_process():
    a = te.placeholder((64, 100), "float32", "A")
    k = te.reduce_axis(100, "k")
    c = te.compute((64,), lambda i: te.sum(a[i, k], k), "C")
    sch = tw.Schedule(te.create_prim_func([a, c], "row_sums"))
    sch[c].parallel(sch[c].axis[0])
    _row_sums.kernel = tw.build(sch)
    values = np.arange(6400, dtype=np.float32).reshape(64, 100) % 7
    np.testing.assert_array_equal(_row_sums.kernel(values, threads=2), values.sum(1))
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        results = pool.map_async(_row_sums, [values] * 4).get(timeout=120)
    for result in results:
        np.testing.assert_array_equal(result, values.sum(1))


def test_a_library_that_was_cut_short_is_refused(tmp_path):
    path = tmp_path / "libmm.so"
    tw.compile_library(tw.default_schedule(matmul_func()), path)
    whole = path.read_bytes()
    for size in (10, 64, 1000, 4000, 12000, len(whole) // 2):
        cut = tmp_path / f"cut{size}.so"
        cut.write_bytes(whole[:size])
        with pytest.raises(tw.TilewrightError) as caught:
            tw.load(cut)
        assert caught.value.code == "module.not_loadable"
