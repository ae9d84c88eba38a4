"""The command `tune --script`: programs and templates given by a Python file."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import _tilewright
import pytest
import tilewright as tw
from test_tune import matmul, records

TUNE = Path(_tilewright.__file__).resolve().parent.parent / "bin" / "tune"

pytestmark = pytest.mark.skipif(not TUNE.exists(), reason="the command tune is not built")

SCRIPT = """
import tilewright as tw
from tilewright import te
from test_tune import matmul, tiled

def tensors():
    return matmul()

def template():
    sch = tw.Schedule(te.create_prim_func(matmul(), "mm"))
    tiled(sch, tw.Target.host(), 1)
    return sch

def templates():
    first, second = template(), tw.Schedule(te.create_prim_func(matmul(), "mm"))
    i, j, k = second.get_loops(second.get_block("C"))
    second.vectorize(second.split(j, factor=second.sample_categorical([4, 8], name="width"))[1])
    return [first, second]

def different():
    return [tw.Schedule(te.create_prim_func(matmul(n))) for n in (16, 32)]

def broken():
    return 1 / 0

def number():
    return 7
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "my_op.py").write_text(textwrap.dedent(SCRIPT))
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    modules = os.pathsep.join([*sys.path, os.path.dirname(__file__)])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": modules}
    return subprocess.run(
        [str(TUNE), "--threads", "1", "--seed", "1", "--json", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_decisions_of_a_template_are_searched(tmp_path: Path) -> None:
    result = run(tmp_path, "--script", "my_op.py:template", "--trials", "9")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout.splitlines()[-1])
    assert summary["op"] == "template" and summary["script"] == "my_op.py:template"
    assert summary["stop"] == "exhausted" and summary["log"] == "tune_template.jsonl"
    tried = records(tmp_path / "tune_template.jsonl")
    rows = {r["trace"]["decisions"][0][1] for r in tried if r["trace"]["sketch"] == "script"}
    assert rows == {1, 2, 4}
    assert "my_op.py:template" in result.stdout


def test_several_templates_of_one_program(tmp_path: Path) -> None:
    result = run(tmp_path, "--script", "my_op.py:templates", "--trials", "9", "--log", "a.jsonl")
    assert result.returncode == 0, result.stderr
    tried = records(tmp_path / "a.jsonl")
    assert {r["trace"]["sketch"] for r in tried} >= {"script0", "script1"}


def test_tensors_have_the_key_of_their_expressions(tmp_path: Path) -> None:
    result = run(tmp_path, "--script", "my_op.py:tensors", "--trials", "1", "--log", "a.jsonl")
    assert result.returncode == 0, result.stderr
    assert records(tmp_path / "a.jsonl")[0]["task"]["key"] == tw.task_key(matmul())


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("broken", "ZeroDivisionError"),
        ("number", "gives a int"),
        ("different", "schedules of different programs"),
        ("missing", "has no function 'missing'; it has: "),
    ],
)
def test_errors_of_the_script_are_shown(tmp_path: Path, function: str, says: str) -> None:
    result = run(tmp_path, "--script", f"my_op.py:{function}", "--trials", "1")
    assert result.returncode == 2
    assert says in result.stderr
    assert result.stderr.splitlines()[-1].startswith("tune: error: --script: ")
    assert not list(tmp_path.glob("*.jsonl"))


def test_scripts_in_a_task_file(tmp_path: Path) -> None:
    (tmp_path / "net.txt").write_text(
        "--script my_op.py:template weight=2\n--op matmul --m 16 --n 16 --k 16\n"
    )
    result = run(tmp_path, "--tasks", "net.txt", "--trials", "4")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout.splitlines()[-1])
    assert [task["op"] for task in summary["tasks"]] == ["template", "matmul"]
    assert summary["tasks"][0]["weight"] == 2
