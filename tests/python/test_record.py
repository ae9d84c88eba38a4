"""tw.record_schedule and `tilewright log add`: schedules made by hand in a log."""

import json
import os
import subprocess
import sys
from pathlib import Path

import _tilewright
import pytest
import tilewright as tw
from test_tune import matmul
from tilewright import te

TILEWRIGHT = Path(_tilewright.__file__).resolve().parent.parent / "bin" / "tilewright"

SCRIPT = """
import tilewright as tw
from test_record import by_hand

def hand():
    return by_hand(tw.ops.matmul(m=32, n=32, k=32).func)

def broken():
    sch = tw.Schedule(tw.ops.matmul(m=32, n=32, k=32).func)
    for loop in sch.get_loops(sch.get_block("C")):
        sch.unroll(loop)
    return sch

def program():
    return tw.ops.matmul(m=32, n=32, k=32).func
"""


def by_hand(func: tw.PrimFunc) -> tw.Schedule:
    sch = tw.Schedule(func)
    _, j, k = sch.get_loops(sch.get_block("C"))
    inner = sch.split(j, factor=8)[1]
    sch.reorder(k, inner)
    sch.vectorize(inner)
    return sch


@pytest.mark.parametrize("given", ["function", "tensors", "operator"])
def test_a_schedule_made_by_hand_is_measured_and_found_again(given: str, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    op, tensors = tw.ops.matmul(m=32, n=32, k=32), matmul()
    func = op.func if given == "operator" else te.create_prim_func(tensors, "mm")
    program = {"function": None, "tensors": tensors, "operator": op}[given]
    sch = by_hand(func)
    record = tw.record_schedule(sch, log, program=program, threads=1)
    assert record.status == "ok" and record.reason == ""
    assert record.median_secs is not None and record.baseline_secs is not None
    assert record.threads == 1 and record.id in repr(record)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["id"] for line in lines] == [record.id]
    assert lines[0]["search"]["origin"] == "manual"
    assert lines[0]["result"]["check"]["elements"] == 32 * 32
    best = tw.apply_best(program or func, log, threads=1)
    assert best.func.text().replace("main", "mm", 1) == sch.func.text()
    assert tw.task_key(program or func) == record.task_key


def test_a_schedule_that_fails_is_recorded_with_its_reason(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    sch = tw.Schedule(te.create_prim_func(matmul(), "mm"))
    for loop in sch.get_loops(sch.get_block("C")):
        sch.unroll(loop)
    record = tw.record_schedule(sch, log, threads=1)
    assert record.status == "build_error" and "unroll" in record.reason
    assert record.median_secs is None
    assert len(log.read_text().splitlines()) == 1


def test_a_schedule_of_another_program_is_refused(tmp_path: Path) -> None:
    sch = by_hand(te.create_prim_func(matmul(16), "mm"))
    with pytest.raises(tw.TilewrightError, match="another program") as caught:
        tw.record_schedule(sch, tmp_path / "a.jsonl", program=matmul(32), threads=1)
    assert caught.value.code == "record.program"
    assert not (tmp_path / "a.jsonl").exists()


def log_add(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "hand.py").write_text(SCRIPT)
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    modules = os.pathsep.join([*sys.path, os.path.dirname(__file__)])
    return subprocess.run(
        [str(TILEWRIGHT), *arguments],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": modules},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.skipif(not TILEWRIGHT.exists(), reason="the command tilewright is not built")
def test_the_command_adds_schedules_of_operators_and_functions(tmp_path: Path) -> None:
    op = ["--op", "matmul", "--m", "32", "--n", "32", "--k", "32", "--threads", "1"]
    added = log_add(tmp_path, "log", "add", "a.jsonl", "--script", "hand.py:hand", *op)
    assert added.returncode == 0, added.stderr
    assert added.stdout.startswith("a.jsonl: r-") and "1024 outputs" in added.stdout
    compiled = log_add(tmp_path, "compile", *op, "--log", "a.jsonl", "-o", "libmm.so")
    assert compiled.returncode == 0 and "record r-" in compiled.stdout, compiled.stderr
    plain = log_add(tmp_path, "log", "add", "b.jsonl", "--script", "hand.py:hand", "--threads", "1")
    assert plain.returncode == 0, plain.stderr
    func = tw.ops.matmul(m=32, n=32, k=32).func
    assert len(tw.apply_best(func, tmp_path / "b.jsonl", threads=1).trace) > 0
    failed = log_add(tmp_path, "log", "add", "a.jsonl", "--script", "hand.py:broken", *op)
    assert failed.returncode == 1 and "build_error" in failed.stdout
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 2


@pytest.mark.skipif(not TILEWRIGHT.exists(), reason="the command tilewright is not built")
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["add"], 2, "file"),
        (["add", "a.jsonl"], 2, "--script F:FN is missing"),
        (["add", "a.jsonl", "--script", "hand.py:program"], 2, "gives no Schedule"),
        (["add", "none/a.jsonl", "--script", "hand.py:hand"], 2, "does not exist"),
        (["add", "a.jsonl", "--script", "hand.py:hand", "--op", "matmul"], 1, "another program"),
        (["add", "a.jsonl", "--script", "hand.py:hand", "--thread", "1"], 2, "--threads"),
    ],
)
def test_bad_use_of_log_add(arguments: list[str], code: int, says: str, tmp_path: Path) -> None:
    result = log_add(tmp_path, "log", *arguments)
    assert result.returncode == code, result.stderr
    assert says in result.stderr
    assert not (tmp_path / "a.jsonl").exists()
