"""Traces: printed as Python and run again, of every version that is frozen."""

import json
import re
from pathlib import Path

import programs
import pytest
import tilewright as tw
from tilewright import te

COMPAT = Path(__file__).parents[1] / "compat"


def run_printed(source, func, *instructions):
    """The schedule that printed code makes."""
    scope = {}
    exec(compile(source, "printed", "exec"), scope)
    return scope["make_schedule"](func, *instructions)


def frozen():
    """A test parameter for each frozen trace of each version."""
    parameters = []
    for path in sorted(COMPAT.glob("v*/traces.jsonl")):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            name = f"{path.parent.name}-{row['name']}"
            parameters.append(pytest.param(path.parent, row, id=name))
    return parameters


def instructions_of(folder):
    rows = []
    for path in sorted(folder.glob("instructions/*.reference.tw")):
        name = path.name.removesuffix(".reference.tw")
        code = path.with_name(name + ".implementation.tw")
        rows.append((name, tw.parse(path.read_text()), tw.parse(code.read_text())))
    return rows


@pytest.mark.parametrize("fix_decisions", [False, True], ids=["sampled", "fixed"])
@pytest.mark.parametrize(("folder", "row"), frozen())
def test_printed_python_makes_the_program(folder, row, fix_decisions):
    func = tw.parse((folder / "programs" / f"{row['program']}.tw").read_text())
    wanted = tw.parse((folder / "scheduled" / f"{row['name']}.tw").read_text())
    trace = tw.Trace.from_json(json.dumps(row["trace"]))
    source = trace.to_python(fix_decisions=fix_decisions)
    more = [instructions_of(folder)] if "instructions" in source else []
    sch = run_printed(source, func, *more)
    assert sch.func.structural_equal(wanted), source
    if not fix_decisions:
        assert sch.trace.decisions == trace.decisions


def test_every_primitive_is_frozen():
    rows = [param.values[1] for param in frozen()]
    used = {step[0] for row in rows for step in row["trace"]["insts"]}
    assert used == {name for name, _, _ in tw.primitives()}


@pytest.mark.parametrize("make", programs.ALL, ids=lambda make: make.__name__)
def test_printed_default_schedules(make):
    sch = tw.default_schedule(make().func)
    again = run_printed(sch.trace.to_python(), sch.original)
    assert again.trace == sch.trace
    assert again.func.structural_equal(sch.func)


@pytest.mark.parametrize("op", ["matmul", "conv2d"])
@pytest.mark.parametrize("seed", range(3))
def test_printed_templates(op, seed):
    sizes = {"m": 40, "n": 50, "k": 300} if op == "matmul" else {"ci": 4, "co": 20, "h": 9, "w": 11}
    instance = getattr(tw.ops, op)(**sizes)
    for name in tw.ops.templates(op):
        sch = tw.Schedule(instance.func, seed=seed)
        tw.ops.apply_template(instance, name, sch)
        again = run_printed(sch.trace.to_python(), sch.original)
        assert again.func.structural_equal(sch.func)
        assert again.trace.decisions == sch.trace.decisions


def test_edit_and_replay():
    sch = tw.Schedule(programs.matmul().func)
    i, j, k = sch.get_loops(sch.get_block("C"))
    io, ii = sch.split(i, 5)
    sch.reorder(io, j, k, ii)
    source = sch.trace.to_python()
    assert "sch.split(l0, 5)" in source
    edited = run_printed(source.replace("sch.split(l0, 5)", "sch.split(l0, 4)"), sch.original)
    assert edited.loop_extent(edited.get_loops(edited.get_block("C"))[0]) == 5
    tw.testing.assert_allclose(edited)


def test_cpp_is_printed_too():
    sch = tw.Schedule(programs.matmul().func)
    sch.split(sch.get_loops(sch.get_block("C"))[0], 5, tail="peel")
    source = sch.trace.to_cpp(function="my_schedule")
    assert "my_schedule(const tilewright::ir::PrimFunc& func)" in source
    assert 'sch.split_factor(loops[0], 5, "peel");' in source


def test_newer_versions_are_named():
    text = '{"ver":1,"sketch":"","insts":[["split",99,["l0"],{},[]]],"decisions":[]}'
    trace = tw.Trace.from_json(text)
    for use in (trace.migrated, trace.to_python, trace.to_cpp):
        with pytest.raises(tw.TilewrightError, match="version 99 of primitive 'split'") as caught:
            use()
        assert caught.value.code == "trace.version"


def test_migrated_traces_replay_alike():
    folder = COMPAT / "v1"
    for param in frozen():
        if param.values[0] != folder:
            continue
        row = param.values[1]
        trace = tw.Trace.from_json(json.dumps(row["trace"]))
        func = tw.parse((folder / "programs" / f"{row['program']}.tw").read_text())
        now = trace.migrated()
        assert now.hash == trace.hash
        assert now.migrated() == now
        old, new = (tw.Schedule.replay(func, t) for t in (trace, now))
        assert old.func.structural_equal(new.func)


def test_maps_take_decisions():
    sch = tw.Schedule(programs.matmul().func)
    block = sch.get_block("C")
    rows = sch.sample_categorical([4], name="rows")
    sch.pack(block, "A", "(m, k) -> (m // $rows, k, m % $rows)", pad={0: rows})
    tw.testing.assert_allclose(sch)
    with pytest.raises(tw.ScheduleError, match="was not sampled"):
        sch.pack(block, "B", "(k, n) -> (n // $columns, k, n % $columns)")


def test_apply_is_the_primitive_by_name():
    sch = tw.Schedule(programs.matmul().func)
    block = sch.get_block("C")
    i, _, _ = sch.get_loops(block)
    outer, inner = sch.apply("split", [i], factors=[None, 5], tail="guard")
    sch.apply("parallel", [outer], schedule="static", chunk=0)
    plain = tw.Schedule(programs.matmul().func)
    po, _ = plain.split(plain.get_loops(plain.get_block("C"))[0], 5)
    plain.parallel(po)
    assert sch.func.structural_equal(plain.func)
    with pytest.raises(tw.ScheduleError):
        sch.apply("vectorize", [outer])
    with pytest.raises(TypeError, match="loops and blocks"):
        sch.apply("unroll", [3])
    with pytest.raises(tw.TilewrightError, match="split"):
        sch.apply("splitt", [inner])


def test_tensor_expressions_of_a_printed_schedule():
    a = te.placeholder((16,), "float32", "A")
    b = te.compute((16,), lambda i: a[i] + 1, "B")
    sch = tw.Schedule(te.create_prim_func([a, b]))
    sch[b].vectorize(sch[b].split(sch[b].axis[0], 8)[1])
    again = run_printed(sch.trace.to_python(), sch.original)
    assert again.trace == sch.trace


def test_the_page_about_traces(capsys):
    page = COMPAT.parents[1] / "docs" / "traces.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    scope = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), scope)
    assert "multi_level_tile" not in capsys.readouterr().out
