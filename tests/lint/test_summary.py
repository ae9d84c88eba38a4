"""The last line of ./dev test counts what really happened."""

import subprocess
import sys
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[1] / "summary.py"

CTEST = """<testsuite>
<testcase name="unit_ir" classname="unit_ir" status="run">
<system-out>SKIPPED: gpu: no device
counts: 5 passed, 0 failed, 1 skipped</system-out></testcase>
<testcase name="cases" classname="cases" status="fail"><failure message="x"/>
<system-out>counts: 2 passed, 3 failed, 0 skipped</system-out></testcase>
<testcase name="crash" classname="crash" status="fail"><failure message="SEGFAULT"/></testcase>
<testcase name="leak" classname="leak" status="fail"><failure message="leak"/>
<system-out>counts: 4 passed, 0 failed, 0 skipped</system-out></testcase>
</testsuite>"""

PYTEST = """<testsuites><testsuite>
<testcase classname="tests.python.test_a" name="test_x"/>
<testcase classname="tests.python.test_a" name="test_y"><skipped message="no ml_dtypes"/></testcase>
</testsuite></testsuites>"""


def run(tmp_path: Path, *texts: str) -> tuple[int, list[str]]:
    paths = []
    for index, text in enumerate(texts):
        paths.append(str(tmp_path / f"{index}.xml"))
        Path(paths[-1]).write_text(text)
    done = subprocess.run([sys.executable, SUMMARY, *paths], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def test_everything_is_added_up(tmp_path: Path) -> None:
    status, lines = run(tmp_path, CTEST, PYTEST)
    assert status == 1
    assert lines[-1] == "12 passed, 5 failed, 2 skipped"
    assert "skipped: gpu: no device" in lines
    assert "skipped: tests.python.test_a.test_y: no ml_dtypes" in lines
    assert {"FAILED: cases", "FAILED: crash", "FAILED: leak"} <= set(lines)


def test_only_passes_succeed(tmp_path: Path) -> None:
    status, lines = run(tmp_path, '<testsuite><testcase classname="a" name="b"/></testsuite>')
    assert (status, lines[-1]) == (0, "1 passed, 0 failed, 0 skipped")


def test_nothing_run_or_a_missing_file_fails(tmp_path: Path) -> None:
    assert run(tmp_path, "<testsuite/>")[0] == 1
    assert run(tmp_path, "cut <testsuite")[0] == 1
