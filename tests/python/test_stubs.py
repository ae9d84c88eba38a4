"""The committed stub is what pybind11-stubgen writes for the module, and mypy accepts both."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUB = ROOT / "python" / "_tilewright.pyi"


def run(command, **environment):
    return subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def test_stub_is_up_to_date(tmp_path):
    result = run(["pybind11_stubgen", "_tilewright", "-o", str(tmp_path)])
    assert result.returncode == 0, result.stderr
    assert (tmp_path / STUB.name).read_text() == STUB.read_text(), (
        "write it anew: ./dev run pybind11-stubgen _tilewright -o python"
    )


@pytest.mark.slow
def test_stub_agrees_with_the_module():
    options = ["--mypy-config-file", "pyproject.toml", "--allowlist", "python/stubtest_allow.txt"]
    result = run(["mypy.stubtest", *options, "_tilewright"], MYPYPATH="python")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_package_is_typed():
    result = run(["mypy", "--no-error-summary", "python/tilewright"])
    assert result.returncode == 0, result.stdout + result.stderr
