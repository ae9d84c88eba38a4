"""tw.tune: templates in Python, the result, limits, errors and interruption."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tilewright as tw
from tilewright import te


def matmul(n: int = 32) -> list[tw.Tensor]:
    a = te.placeholder((n, n), "float32", "A")
    b = te.placeholder((n, n), "float32", "B")
    k = te.reduce_axis(n, "k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], k), "C")
    return [a, b, c]


def tiled(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
    i, j, k = sch.get_loops(sch.get_block("C"))
    rows = sch.sample_categorical([1, 2, 4], name="rows")
    i0, i1 = sch.split(i, factor=rows)
    j0, j1 = sch.split(j, factor=target.vector_lanes(32))
    sch.reorder(i0, j0, k, i1, j1)
    sch.unroll(i1)
    sch.vectorize(j1)


def records(log: Path) -> list[dict[str, Any]]:
    """The measurements of a log; a comparison of the best ones may follow them."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [line for line in lines if line["kind"] == "measure"]


def test_templates_are_searched_and_the_best_schedule_can_be_built(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    seen: list[str] = []
    result = tw.tune(
        matmul(),
        threads=1,
        trials=3,
        seed=1,
        log=log,
        sketches=[tiled],
        on_progress=lambda p: seen.append(p.phase),
    )
    assert result.trials >= 3 and result.valid >= 3 and result.failed == 0
    assert result.best_secs is not None and result.baseline_secs is not None
    assert result.gflops is not None and result.gflops > 0
    assert result.roofline_share is not None and result.roofline_share > 0
    assert result.stop in ("trials", "exhausted")
    assert seen[0] == "prepare" and seen[-1] == "finals" and seen.count("trials") >= 3
    a = np.random.default_rng(0).standard_normal((32, 32), dtype=np.float32)
    np.testing.assert_allclose(tw.build(result.schedule)(a, a), a @ a, rtol=1e-4, atol=1e-4)
    best = tw.apply_best(matmul(), log, threads=1)
    assert best.trace == result.schedule.trace
    measured = records(log)
    assert len(measured) == result.trials
    assert {r["trace"]["sketch"] for r in measured} <= {"tiled", ""}
    assert measured[0]["task"]["key"] == result.task_key == tw.task_key(matmul())


def test_the_result_prints_as_a_table() -> None:
    result = tw.tune(matmul(), threads=1, trials=1, seed=1, sketches=[tiled])
    text = repr(result)
    assert text.startswith("main\n  best ")
    assert "trials" in text and "GFLOP/s" in text and "seed 1" in text


def test_resume_counts_what_the_log_holds(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    tw.tune(matmul(), threads=1, trials=2, seed=1, log=log, sketches=[tiled])
    again = tw.tune(matmul(), threads=1, trials=3, seed=1, log=log, sketches=[tiled], resume=True)
    assert again.resumed == 2
    hashes = [r["trace"]["hash"] for r in records(log) if r["search"]["origin"] != "default"]
    assert len(hashes) == len(set(hashes)) == 3


def test_operators_and_functions_can_be_tuned() -> None:
    op = tw.ops.matmul(m=16, n=16, k=16)
    assert tw.tune(op, threads=1, trials=2, seed=1).task_key == op.task_key
    func = te.create_prim_func(matmul(), "mm")
    for program in (func, tw.Schedule(func)):
        result = tw.tune(program, threads=1, trials=1, seed=1, sketches=[tiled])
        assert result.best_secs is not None
        assert result.task_key == tw.task_key(func)


def test_symbolic_sizes_get_values() -> None:
    n = te.size_var("n")
    a = te.placeholder((n,), "float32", "A")
    b = te.compute((n,), lambda i: a[i] * 2, "B")

    def vectors(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
        loop = sch.get_loops(sch.get_block("B"))[0]
        width = sch.sample_categorical([4, 8], name="width")
        sch.vectorize(sch.split(loop, factor=width)[1])

    result = tw.tune([a, b], threads=1, trials=2, seed=1, sketches=[vectors], sizes={"n": 1000})
    assert result.valid >= 1 and result.gflops is None


def test_no_trials_gives_the_first_schedule_of_the_search() -> None:
    result = tw.tune(matmul(), threads=1, effort="none", sketches=[tiled])
    assert result.trials == 0 and result.best_secs is None
    assert len(result.schedule.trace) > 0


def test_a_refused_step_makes_a_point_illegal() -> None:
    def bad_at_two(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
        _, j, k = sch.get_loops(sch.get_block("C"))
        rows = sch.sample_categorical([1, 2], name="rows")
        if rows == 2:
            sch.vectorize(k)
        sch.unroll(sch.split(j, factor=rows)[1])

    result = tw.tune(matmul(), threads=1, trials=5, seed=1, sketches=[bad_at_two])
    assert result.stop == "exhausted"
    assert sum(result.rejected.values()) == 1
    assert "schedule.vectorize" in next(iter(result.rejected))


def test_when_every_trial_fails_there_is_no_best_schedule(tmp_path: Path) -> None:
    def unrolls_too_much(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
        i, j, k = sch.get_loops(sch.get_block("C"))
        rows = sch.sample_categorical([16, 32], name="rows")
        for loop in (sch.split(i, factor=rows)[1], j, k):
            sch.unroll(loop)

    log = tmp_path / "a.jsonl"
    program = matmul()
    result = tw.tune(program, threads=1, trials=2, seed=1, log=log, sketches=[unrolls_too_much])
    assert result.valid == 0 and result.failures == {"build_error": 2}
    assert result.best_secs is None
    for best in (lambda: result.schedule, lambda: tw.apply_best(program, log, threads=1)):
        with pytest.raises(tw.TilewrightError, match=r"0 of 2 valid; most often.*unroll") as caught:
            best()
        assert caught.value.code.endswith(".none_valid")
    a = np.ones((32, 32), np.float32)
    np.testing.assert_array_equal(tw.build(te.create_prim_func(program))(a, a), a @ a)
    # Records of another mode are none: the default schedule, with a warning.
    with pytest.warns(UserWarning, match="no record"):
        tw.apply_best(program, log, threads=2)


def test_any_other_exception_goes_through_with_its_traceback() -> None:
    def broken(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
        raise ValueError("my own mistake")

    with pytest.raises(ValueError, match="my own mistake") as caught:
        tw.tune(matmul(), threads=1, trials=2, sketches=[broken])
    assert any(entry.name == "broken" for entry in caught.traceback)

    def show(progress: tw.TuneProgress) -> None:
        raise RuntimeError(str(progress))

    with pytest.raises(RuntimeError, match="reference"):
        tw.tune(matmul(), threads=1, trials=2, sketches=[tiled], on_progress=show)


def test_a_schedule_kept_beyond_the_call_stays_valid() -> None:
    kept: list[tw.Schedule] = []

    def keeps(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
        tiled(sch, target, threads)
        kept.append(sch)

    tw.tune(matmul(), threads=1, effort="none", sketches=[keeps])
    assert all("C" in sch.block_names() for sch in kept)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({}, 'give sizes={"n": ...}'),
        ({"m": 4}, "size 'n' of 'main' has no value"),
        ({"n": -1}, "-1"),
    ],
)
def test_symbolic_sizes_need_values(sizes: dict[str, int], said: str) -> None:
    n = te.var("n")
    a = te.placeholder((n,), "float32", "A")
    c = te.compute((n,), lambda i: a[i] * 2.0, "C")
    with pytest.raises(tw.TilewrightError) as caught:
        tw.tune([a, c], threads=1, trials=1, sizes=sizes)
    assert caught.value.code == "tune.sizes"
    assert said in str(caught.value)
    result = tw.tune([a, c], threads=1, trials=1, sizes={"n": 0})
    assert result.valid == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"effort": "ful"}, "tune.effort"),
        ({"trials": -1}, "tune.limit"),
        ({"budget": 0.0}, "tune.limit"),
        ({"search": "evolution"}, "search.unknown"),
        ({"model": "xgboost"}, "cost_model.unknown"),
        ({"sketches": [], "space": "template"}, "tune.no_sketch"),
        ({"space": "templates"}, "tune.space"),
        ({"sizes": {"n": 8}}, "tune.sizes"),
        ({"log": "/none/a.jsonl"}, "log.unwritable"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], code: str) -> None:
    keywords: dict[str, object] = {"threads": 1, "trials": 1, "sketches": [tiled], **arguments}
    with pytest.raises(tw.TilewrightError) as caught:
        tw.tune(matmul(), **keywords)  # type: ignore[arg-type]
    assert caught.value.code == code


def test_tuning_goes_on_from_steps_made_by_hand(tmp_path: Path) -> None:
    def partial(rows: int | None) -> tw.Schedule:
        sch = tw.Schedule(te.create_prim_func(matmul()))
        i, _, _ = sch.get_loops(sch.get_block("C"))
        factor = rows or sch.sample_categorical([2, 4], name="rows")
        sch.unroll(sch.split(i, factor=factor)[1])
        return sch

    def goes_on(sch: tw.Schedule, target: tw.Target, threads: int) -> None:
        _, _, j, _ = sch.get_loops(sch.get_block("C"))
        sch.split(j, factor=sch.sample_categorical([8, 16], name="columns"))

    fixed = tw.tune(partial(4), threads=1, trials=9, seed=1, sketches=[goes_on])
    assert fixed.stop == "exhausted" and fixed.valid >= 2
    sampled = tw.tune(partial(None), threads=1, trials=9, seed=1, sketches=[goes_on])
    assert sampled.stop == "exhausted" and sampled.valid >= 4
    assert fixed.task_key == sampled.task_key == tw.task_key(te.create_prim_func(matmul()))
    log = tmp_path / "a.jsonl"
    generated = tw.tune(partial(4), threads=1, trials=2, seed=1, log=log)
    assert generated.valid >= 1 and generated.task_key == fixed.task_key
    first = [step.op for step in partial(4).trace.instructions]
    for record in records(log):
        trace = record["trace"]
        if trace["sketch"].startswith("generated"):
            assert [step[0] for step in trace["insts"]][: len(first)] == first


def test_without_a_template_sketches_are_generated(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    result = tw.tune(matmul(), threads=1, trials=4, seed=1, log=log)
    assert result.valid >= 4
    keywords = {"threads": 1, "trials": 20, "seed": 1, "log": log, "search": "random"}
    tw.tune(matmul(), space="both", sketches=[tiled], **keywords)  # type: ignore[arg-type]
    sketches = {str(r["trace"]["sketch"]) for r in records(log)}
    assert "tiled" in sketches and any(name.startswith("generated.") for name in sketches)


def test_a_wrong_program_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected a list of tensors"):
        tw.tune(3)


def test_ctrl_c_ends_the_run_and_the_log_is_whole(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            sys.path.insert(0, sys.argv[1])
            import tilewright as tw
            from test_tune import matmul

            def many(sch, target, threads):
                for number, loop in enumerate(sch.get_loops(sch.get_block("C"))):
                    factor = sch.sample_categorical(list(range(2, 48)), name=f"f{number}")
                    sch.split(loop, factor=factor)

            try:
                tw.tune(matmul(96), threads=1, trials=10**6, search="random", log="a.jsonl",
                        sketches=[many],
                        on_progress=lambda p: print(p, file=sys.stderr, flush=True))
            except KeyboardInterrupt:
                print("interrupted")
            """
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(script), os.path.dirname(__file__)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("trial "):
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out == "interrupted\n"
    assert all(r["result"]["status"] == "ok" for r in records(tmp_path / "a.jsonl"))
