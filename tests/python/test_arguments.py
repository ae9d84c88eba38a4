"""Calls with wrong arguments name the one at fault, and what it may be."""

import pytest
import tilewright as tw
from tilewright import te
from tilewright._arguments import fault


def schedule():
    a = te.placeholder((8, 8), "float32", "A")
    c = te.compute((8, 8), lambda i, j: a[i, j] * 2, "C")
    sch = tw.Schedule(te.create_prim_func([a, c]))
    return sch, sch.get_loops(sch.get_block("C"))


CALLS = {
    "misspelled": (
        lambda sch, at: sch.split(at[0], fator=4),
        "split: there is no argument 'fator' (did you mean 'factor'?); the arguments of split are "
        "loop, factor, nparts, factors, tail",
    ),
    "no such": (
        lambda sch, at: sch.unroll(at[0], explicit=True),
        "unroll: there is no argument 'explicit'; the arguments of unroll are loop",
    ),
    "fraction": (
        lambda sch, at: sch.split(at[0], factor=2.5),
        "split: 'factor' must be int | SampledInt | None, got 2.5 (float)",
    ),
    "name for a handle": (
        lambda sch, at: sch.parallel("i"),
        "parallel: 'loop' must be Loop, got 'i' (str)",
    ),
    "handles the wrong way round": (
        lambda sch, at: sch.compute_at(at[0], sch.get_block("C")),
        f"compute_at: 'block' must be BlockRef, got {schedule()[1][0]!r} (Loop)",
    ),
    "missing": (
        lambda sch, at: sch.split(),
        "split: the argument 'loop' is missing; the arguments of split are "
        "loop, factor, nparts, factors, tail",
    ),
    "too many": (
        lambda sch, at: sch.unroll(at[0], at[1]),
        "unroll: 2 arguments are given; the arguments of unroll are loop",
    ),
    "option of build": (
        lambda sch, at: tw.build(sch, opt_levl=3),
        "build: there is no argument 'opt_levl' (did you mean 'opt_level'?); the arguments of "
        "build are programs, target, checked, contract_fma, opt_level, verify_each, skip_passes, "
        "dump_after, externs",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments(name):
    call, text = CALLS[name]
    with pytest.raises(TypeError) as caught:
        call(*schedule())
    assert str(caught.value) == text


def test_what_is_not_understood_stays_as_it_was():
    sch, loops = schedule()
    with pytest.raises(TypeError, match="incompatible function arguments"):
        sch.split(loops[0], factors=[None, 2.5])
    assert fault("f", "no signature", (1,), {}) is None
    assert fault("f", "f(self: T, n: typing.SupportsIndex) -> None", (3,), {}) is None


def test_legal_calls_and_docstrings_are_those_of_the_module():
    sch, loops = schedule()
    outer, inner = sch.split(loops[1], factor=4)
    sch.vectorize(inner)
    assert [sch.loop_extent(loop) for loop in (outer, inner)] == [2, 4]
    assert (tw.Schedule.split.__doc__ or "").startswith("split(self")
    assert tw.Schedule.split.__name__ == "split"
