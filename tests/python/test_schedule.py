"""Schedules: primitives, the sugar of stages, traces and errors."""

import copy
import gc
import json
import pickle

import numpy as np
import programs
import pytest
import tilewright as tw
from tilewright import te


def two_stages(n=64):
    a = te.placeholder((n, n), "float32", "A")
    b = te.compute((n, n), lambda i, j: a[i, j] * 2, "B")
    c = te.compute((n, n), lambda i, j: b[i, j] + 1, "C")
    return a, b, c, te.create_prim_func([a, c], "two_stages")


def check(sch):
    tw.testing.assert_allclose(sch)
    again = tw.Schedule.replay(sch.original, tw.Trace.from_json(sch.trace.to_json()))
    assert again.func.structural_equal(sch.func)
    assert again.trace == sch.trace
    assert again.trace.hash == sch.trace.hash


def small_matmul():
    a = te.placeholder((16, 16), "float32", "A")
    b = te.placeholder((16, 16), "float32", "B")
    k = te.reduce_axis(16, "k")
    c = te.compute((16, 16), lambda i, j: te.sum(a[i, k] * b[k, j], k), "C")
    return c, tw.Schedule(te.create_prim_func([a, b, c]))


def matmul_schedule():
    sch = tw.Schedule(programs.matmul().func)
    block = sch.get_block("C")
    return sch, block, sch.get_loops(block)


@pytest.mark.parametrize(
    "arguments",
    [{"factor": 6}, {"nparts": 3}, {"factors": [None, 2, 3]}, {"factor": 64}],
    ids=str,
)
@pytest.mark.parametrize("tail", ["guard", "peel", "balanced"])
def test_split(arguments, tail):
    sch, _, (i, _, _) = matmul_schedule()
    if tail == "balanced" and "factors" in arguments:
        with pytest.raises(tw.ScheduleError, match="two factors"):
            sch.split(i, **arguments, tail=tail)
        return
    loops = sch.split(i, **arguments, tail=tail)
    assert len(loops) == len(arguments.get("factors", [0, 0]))
    check(sch)


def test_split_takes_the_factor_second():
    sch, _, (i, _, _) = matmul_schedule()
    outer, inner = sch.split(i, 5)
    assert [sch.loop_extent(x) for x in (outer, inner)] == [4, 5]


@pytest.mark.parametrize("arguments", [{}, {"factor": 2, "nparts": 2}])
def test_split_wants_one_of_three(arguments):
    sch, _, (i, _, _) = matmul_schedule()
    with pytest.raises(tw.ScheduleError) as caught:
        sch.split(i, **arguments)
    assert caught.value.code == "schedule.split.arguments"


def test_loops():
    sch, block, (i, j, k) = matmul_schedule()
    io, jo, ii, ji = sch.tile(i, j, 5, 8)
    sch.reorder(io, jo, k, ii, ji)
    sch.unroll(ii)
    sch.vectorize(ji)
    sch.parallel(sch.fuse(io, jo), schedule="dynamic", chunk=1)
    assert len(sch.get_loops(block)) == 4
    check(sch)


def test_list_form_of_varargs():
    sch, _, (i, j, k) = matmul_schedule()
    sch.reorder([k, j, i])
    check(sch)


def test_stage_sugar_is_the_same_program():
    _, b, c, func = two_stages()
    plain = tw.Schedule(func)
    consumer = plain.get_block("C")
    io, _ = plain.split(plain.get_loops(consumer)[0], 8)
    plain.compute_at(plain.get_block("B"), io)
    plain.vectorize(plain.get_loops(consumer)[-1])
    plain.parallel(io)

    sch = tw.Schedule(func)
    stage = sch[c]
    y, x = stage.axis
    yo, _ = stage.split(y, 8)
    sch[b].compute_at(sch[c], yo)
    stage.vectorize(x)
    stage.parallel(yo)
    assert sch.func.structural_equal(plain.func)
    assert repr(stage) == "<Stage C>"
    check(sch)


def test_stage_keeps_its_schedule_alive():
    _, _, c, func = two_stages()
    stage = tw.Schedule(func)[c]
    stage.vectorize(stage.axis[1])
    assert len(stage.loops) == 2


def test_stage_axes_of_a_reduction():
    sch, _, _ = matmul_schedule()
    stage = sch["C"]
    assert len(stage.axis) == 2
    assert len(stage.reduce_axis) == 1
    ko, _ = stage.split(stage.reduce_axis[0], 4)
    partial = stage.rfactor(ko)
    assert len(partial.axis) == 3
    check(sch)


def test_inline_and_cache():
    a, b, c, func = two_stages()
    sch = tw.Schedule(func)
    sch[b].compute_inline()
    copy = sch[c].cache_read(a)
    copy.compute_at(sch[c].axis[0])
    out = sch[c].cache_write()
    out.reverse_compute_at(sch[c].loops[0])
    check(sch)


def test_show_prints_each_step(capsys):
    sch, _, (i, _, _) = matmul_schedule()
    sch.show()
    before = capsys.readouterr().out
    sch.split(i, 5)
    sch.show()
    after = capsys.readouterr().out
    assert before != after
    assert before.strip() and str(sch).strip() == after.strip()
    sch.func.show()
    assert capsys.readouterr().out.strip()


def test_copies_are_independent():
    sch, _, (i, _, _) = matmul_schedule()
    other = sch.copy()
    other.split(i, 5)
    assert len(sch.get_loops(sch.get_block("C"))) == 3
    assert len(other.get_loops(other.get_block("C"))) == 4


def test_sampled_factors_are_decisions():
    func = programs.matmul().func
    sch = tw.Schedule(func, seed=3)
    i, _, _ = sch.get_loops(sch.get_block("C"))
    factors = sch.sample_perfect_tile(i, 2, max_innermost=8, name="rows")
    assert factors[0] * factors[1] == 20
    assert 1 <= factors[1] <= 8
    sch.split(i, factors=[None, factors[1]])
    width = sch.sample_categorical([4, 8], name="width")
    assert width in (4, 8)
    check(sch)
    preset = tw.Schedule(func)
    preset.preset_decisions({"width": 8})
    assert preset.sample_categorical([4, 8], name="width") == 8


def test_trace_is_json():
    sch, _, (i, _, _) = matmul_schedule()
    sch.split(i, 5)
    trace = sch.trace
    data = json.loads(trace.to_json())
    assert [row[0] for row in data["insts"]] == [step.op for step in trace.instructions]
    assert trace.instructions[-1].op == "split"
    assert trace.hash.startswith("tw1:")
    replayed = tw.Schedule.replay(sch.original, trace.to_json())
    assert replayed.func.structural_equal(sch.func)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"ver": 99}'])
def test_bad_traces(text):
    with pytest.raises(tw.TilewrightError) as caught:
        tw.Trace.from_json(text)
    assert caught.value.code.startswith("trace.")


def test_refusals_leave_the_schedule_as_it_was():
    sch, block, (_, _, k) = matmul_schedule()
    before = sch.func
    with pytest.raises(tw.ScheduleError) as caught:
        sch.vectorize(k)
    error = caught.value
    assert error.code.startswith("schedule.vectorize.")
    assert error.primitive == "vectorize"
    assert error.reason and error.reason in " ".join(str(error).split())
    assert "rfactor" in str(error)
    assert isinstance(error, tw.TilewrightError)
    assert sch.func.structural_equal(before)
    sch.parallel(sch.get_loops(block)[0])
    check(sch)


@pytest.mark.parametrize(
    "use",
    [
        lambda sch: sch.get_block("nothing"),
        lambda sch: sch["nothing"],
        lambda sch: sch.split(sch.get_loops(sch.get_block("C"))[0], 0),
        lambda sch: sch.split(sch.get_loops(sch.get_block("C"))[0], 4, tail="loose"),
        lambda sch: sch.fuse(),
        lambda sch: sch.set_scope(sch.get_block("C"), "nowhere"),
        lambda sch: sch.annotate(sch.get_block("C"), "unknown", 1),
    ],
)
def test_bad_arguments_are_schedule_errors(use):
    sch, _, _ = matmul_schedule()
    before = sch.func
    with pytest.raises(tw.TilewrightError):
        use(sch)
    assert sch.func.structural_equal(before)


@pytest.mark.parametrize(
    "use",
    [
        lambda sch: sch.split(None, 4),
        lambda sch: sch.split(sch.get_block("C"), 4),
        lambda sch: sch.split(sch.get_loops(sch.get_block("C"))[0], "4"),
        lambda sch: sch.split(sch.get_loops(sch.get_block("C"))[0], 4.0),
        lambda sch: sch.reorder(1, 2),
        lambda sch: sch.annotate(sch.get_block("C"), "unroll", object()),
        lambda sch: tw.Schedule(None),
        lambda sch: tw.build(None),
    ],
)
def test_wrong_types_are_type_errors(use):
    sch, _, _ = matmul_schedule()
    with pytest.raises(TypeError):
        use(sch)


def test_a_handle_of_a_loop_that_is_gone():
    sch, _, (i, _, _) = matmul_schedule()
    sch.split(i, 4)
    with pytest.raises(tw.ScheduleError):
        sch.unroll(i)


def test_every_primitive_is_a_method():
    for name, _, _ in tw.primitives():
        assert callable(getattr(tw.Schedule, name)), name


def test_old_names_give_a_hint():
    with pytest.raises(AttributeError, match="create_prim_func"):
        te.create_schedule([])


def test_default_schedule_runs():
    _, _, _, func = two_stages()
    x = np.ones((64, 64), np.float32)
    np.testing.assert_array_equal(tw.default_schedule(func)(x), x * 3)


def test_wrong_keys_and_operands_are_type_errors():
    c, sch = small_matmul()
    for use in [
        lambda: sch[3],
        lambda: sch[None],
        lambda: sch[1.5],
        lambda: sch[b"C"],
        lambda: sch[c, c],
        lambda: sch[sch.func],
        lambda: list(sch),
        lambda: "C" in sch,
        lambda: dict(sch),
        lambda: sch[c].cache_write(5),
        lambda: sch[c].cache_read(1),
        lambda: sch[c].cache_read(None),
        lambda: sch[c].pack(1, 2),
        lambda: sch[c].rfactor("x"),
        lambda: sch[c].decompose_reduction(None),
        lambda: tw.build(None),
        lambda: tw.build(c),
    ]:
        with pytest.raises(TypeError):
            use()
    assert "C" in sch.block_names()


def test_schedules_are_copied_and_pickled():
    c, sch = small_matmul()
    sch[c].split(sch[c].axis[0], 4)
    for again in (copy.copy(sch), copy.deepcopy(sch), pickle.loads(pickle.dumps(sch))):
        assert again.func.structural_equal(sch.func)
        again.parallel(again.get_loops(again.get_block("C"))[0])
        assert not again.func.structural_equal(sch.func)
    func = pickle.loads(pickle.dumps(sch.func))
    assert func.structural_equal(sch.func)


def test_a_stage_keeps_its_schedule():
    def stage():
        c, sch = small_matmul()
        return sch[c]

    kept = stage()
    gc.collect()
    assert len(kept.loops) == 3
