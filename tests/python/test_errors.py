"""Python exceptions of errors: class by code, attributes, and what explain says."""

import numpy as np
import pytest
import tilewright as tw
from tilewright import te


def doubled():
    a = te.placeholder((8,), "float32", "A")
    return te.create_prim_func([a, te.compute((8,), lambda i: a[i] * 2, "C")])


def bad_name():
    te.placeholder((4,), "float32", "row max")


def bad_dtype():
    a = te.placeholder((4,), "int32", "A")
    te.compute((4,), lambda i: a[i] / 2, "C")


def bad_factor():
    sch = tw.Schedule(doubled())
    sch.split(sch.get_loops(sch.get_block("C"))[0], factor=0)


def split_arguments():
    sch = tw.Schedule(doubled())
    sch.split(sch.get_loops(sch.get_block("C"))[0], factor=2, nparts=2)


def bad_opt_level():
    tw.build(doubled(), opt_level=7)


def bad_target():
    tw.Target("cpuu")


def wrong_dtype():
    tw.build(doubled())(np.zeros(8))


def no_library():
    tw.load("no/such/library.so")


def bad_trace():
    tw.Trace.from_json("[]")


TABLE = [
    (bad_name, "te.bad_name", tw.ExpressionError),
    (bad_dtype, "ir.dtype", tw.ExpressionError),
    (bad_factor, "schedule.split.factor", tw.ScheduleError),
    (split_arguments, "schedule.split.arguments", tw.ScheduleError),
    (bad_opt_level, "build.opt_level", tw.BuildError),
    (bad_target, "target.unknown_kind", tw.BuildError),
    (wrong_dtype, "call.dtype", tw.CallError),
    (no_library, "module.not_found", tw.CallError),
    (bad_trace, "trace.parse", tw.TilewrightError),
]


@pytest.mark.parametrize(
    ("provoke", "code", "kind"), TABLE, ids=lambda x: getattr(x, "__name__", x)
)
def test_class_and_explanation(provoke, code, kind):
    with pytest.raises(kind) as caught:
        provoke()
    assert caught.value.code == code
    assert isinstance(caught.value, tw.TilewrightError)
    text = tw.explain(caught.value)
    assert text.startswith(str(caught.value))
    assert f"\n{code}: " in text
    assert "\nInstead: " in text
    assert tw.explain(code) in text
    assert tw.Schedule(doubled()).explain(caught.value) == text


def test_a_refusal_is_explained_with_its_loop_nest():
    sch = tw.Schedule(doubled())
    with pytest.raises(tw.ScheduleError) as caught:
        sch.split(sch.get_loops(sch.get_block("C"))[0], factor=0)
    error = caught.value
    assert error.primitive == "split"
    assert error.hint
    text = sch.explain(error)
    for part in (error.reason.split(" of ")[0], "for i in 0..8:", "^^^", error.hint.split(",")[0]):
        assert part in text


def test_every_code_is_explained_in_80_columns():
    codes = tw.error_codes()
    assert len(codes) > 300
    for code in codes:
        text = tw.explain(code)
        assert text.startswith(f"{code}: ")
        assert all(len(line) <= 80 for line in text.splitlines()), text


def test_an_unknown_code_names_the_nearest():
    with pytest.raises(tw.ScheduleError, match=r"did you mean 'schedule.split.factor'\?") as caught:
        tw.explain("schedule.split.facter")
    assert caught.value.code == "schedule.unknown_code"
    with pytest.raises(TypeError, match="an error of Tilewright"):
        tw.explain(3)


def test_help_points_to_explain():
    assert "explain" in tw.TilewrightError.__doc__
    assert "sch.explain(error)" in tw.ScheduleError.__doc__
