"""Building: sources, targets, options, operators, and the cost of importing."""

import json
import subprocess
import sys

import numpy as np
import programs
import pytest
import tilewright as tw
from tilewright import te


@pytest.fixture(scope="module")
def kernel():
    return tw.build(tw.default_schedule(programs.matmul().func))


@pytest.mark.parametrize(
    ("kind", "part"),
    [("ir", "block"), ("lowered", "func"), ("llvm", "define"), ("asm", "matmul")],
)
def test_get_source(kernel, kind, part):
    assert part in kernel.get_source(kind)
    assert part in tw.get_source(tw.default_schedule(programs.matmul().func), kind)


def test_get_source_of_an_unknown_kind(kernel):
    with pytest.raises(tw.BuildError) as caught:
        kernel.get_source("llmv")
    assert caught.value.code == "build.source_kind"
    assert "llvm" in str(caught.value)


def test_a_loaded_library_has_no_source(tmp_path):
    files = tw.compile_library(programs.vector_add().func, tmp_path / "libadd.so")
    with pytest.raises(tw.BuildError) as caught:
        tw.load(files.library).get_source()
    assert caught.value.code == "build.no_source"


@pytest.mark.parametrize("format", ["obj", "llvm", "asm"])
def test_other_formats(tmp_path, format):
    path = tmp_path / f"add.{format}"
    tw.compile_library(programs.vector_add().func, path, format=format)
    assert path.stat().st_size > 0


def test_unwritable_library(tmp_path):
    with pytest.raises(tw.BuildError) as caught:
        tw.compile_library(programs.vector_add().func, tmp_path)
    assert caught.value.code == "library.path"


def test_lower():
    flat = tw.lower(tw.default_schedule(programs.matmul().func))
    assert flat.level == "flat"
    assert tw.parse(flat.text()).structural_equal(flat)
    passes = []
    tw.lower(programs.matmul().func, dump_after=lambda name, func: passes.append((name, func)))
    assert len(passes) > 5
    assert all(isinstance(func, tw.PrimFunc) for _, func in passes)


def test_dump_after_may_raise():
    def stop(name, func):
        raise KeyError(name)

    with pytest.raises(KeyError):
        tw.build(programs.matmul().func, dump_after=stop)


def test_unknown_pass():
    with pytest.raises(tw.BuildError):
        tw.build(programs.matmul().func, skip_passes=["no_such_pass"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cqu", "target.unknown_kind"),
        ("cpu -features=+avx9", "target.unknown_feature"),
        ("cpu -core=2", "target.unknown_option"),
        ("cpu -cores=x", "target.bad_value"),
    ],
)
def test_bad_targets(text, code):
    with pytest.raises(tw.BuildError) as caught:
        tw.Target(text)
    assert caught.value.code == code


def test_target():
    target = tw.Target("cpu -cores=2")
    assert target.kind == "cpu"
    assert target.cores == 2
    assert tw.Target(str(target)) == target
    assert target.vector_lanes(32) >= 4


def test_foreign_target():
    with pytest.raises(tw.BuildError) as caught:
        tw.build(programs.vector_add().func, "cpu -arch=aarch64")
    assert caught.value.code == "build.foreign_target"


def test_checked_mode():
    x = te.placeholder((8,), "float32", "x")
    at = te.placeholder((4,), "int32", "at")
    y = te.compute((4,), lambda i: x[at[i]], "y")
    kernel = tw.build(te.create_prim_func([x, at, y]), checked=True)
    values = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(kernel(values, np.array([7, 0, 3, 3], np.int32)), [7, 0, 3, 3])
    with pytest.raises(tw.CallError) as caught:
        kernel(values, np.array([8, 0, 3, 3], np.int32))
    assert caught.value.code == "call.check"


def test_operators():
    assert {"matmul", "conv2d"} <= set(dir(tw.ops))
    op = tw.ops.matmul(m=8, n=9, k=10, trans_b=True)
    assert op.args["trans_b"] == "1"
    assert op.operation_count == 2 * 8 * 9 * 10
    a, b = np.ones((8, 10), np.float32), np.ones((9, 10), np.float32)
    np.testing.assert_array_equal(tw.default_schedule(op.func)(a, b), a @ b.T)
    conv = tw.ops.conv2d(ci=2, h=6, w=6, co=3, kernel=(3, 3), dtype=np.float32)
    assert conv.args["kernel"] == "3x3"
    assert "--" not in tw.ops.help("conv2d")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: tw.ops.make_operator("matmull"), "ops.unknown_op"),
        (lambda: tw.ops.matmul(mm=3), "ops.unknown_parameter"),
        (lambda: tw.ops.matmul(m=0), "ops.bad_value"),
        (lambda: tw.ops.matmul(dtype="complex64"), "ops.bad_value"),
        (lambda: tw.ops.conv2d(h=2, w=2, kernel=9, pad=0), "ops.bad_value"),
    ],
)
def test_bad_operators(make, code):
    with pytest.raises(tw.ExpressionError) as caught:
        make()
    assert caught.value.code == code


def test_unknown_operator_attribute():
    with pytest.raises(AttributeError, match="matmul"):
        _ = tw.ops.nothing


def test_best_of_a_missing_log(tmp_path):
    with pytest.raises(tw.TilewrightError) as caught:
        tw.apply_best(tw.ops.matmul(m=8, n=8, k=8), tmp_path / "none.jsonl")
    assert caught.value.code == "log.missing"


def test_an_empty_log_gives_the_default_schedule(tmp_path):
    log = tmp_path / "empty.jsonl"
    log.write_text("")
    op = tw.ops.matmul(m=8, n=8, k=8)
    with pytest.warns(UserWarning, match="default schedule"):
        sch = tw.apply_best(op, log)
    assert sch.func.structural_equal(tw.default_schedule(op.func).func)


def test_templates_compute_the_operator():
    op = tw.ops.matmul(m=40, n=50, k=300)
    lanes = tw.Target.host().vector_lanes(32)
    sch = tw.Schedule(op.func)
    sch.preset_decisions({"nr": 2 * lanes, "mr": 4, "kc": 128, "pack_a": 1, "pack_b": 1})
    tw.ops.apply_template(op, tw.ops.templates("matmul")[0], sch, threads=1)
    tw.testing.assert_allclose(sch)
    assert sch.trace.decisions["mr"] == 4
    with pytest.raises(tw.ExpressionError) as caught:
        tw.ops.apply_template(op, "none", sch)
    assert caught.value.code == "ops.unknown_template"


def test_assert_allclose_finds_a_wrong_program():
    x = te.placeholder((5,), "float32", "x")
    y = te.compute((5,), lambda i: x[i] + 1, "y")
    z = te.compute((5,), lambda i: x[i] + te.select(i < 4, te.constant("float32", 1), 2.0), "y")
    with pytest.raises(AssertionError) as caught:
        tw.testing.assert_allclose(te.create_prim_func([x, z]), te.create_prim_func([x, y]))
    assert isinstance(caught.value, tw.MismatchError)
    assert caught.value.code == "testing.mismatch"


def test_interpret():
    program = programs.matmul()
    a, b = program.make_inputs({})
    outputs = tw.testing.interpret(program.func, inputs={"A": a, "B": b})
    np.testing.assert_array_equal(outputs["C"], a @ b)


def test_import_time_is_printed():
    """Printed, not asserted: the machine that runs the tests may be busy."""
    script = (
        "import json, time; t0 = time.perf_counter(); import numpy; t1 = time.perf_counter();"
        "import tilewright; t2 = time.perf_counter();"
        "print(json.dumps({'numpy_secs': t1 - t0, 'tilewright_adds_secs': t2 - t1}))"
    )
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    print(json.loads(result.stdout))
