"""The include lint finds planted bad includes, and its table agrees with CMake's."""

import re
from pathlib import Path

import check_includes
import pytest

ROOT = Path(__file__).resolve().parents[2]

BAD = [
    ("src/ir/print.cc", "tilewright/schedule/schedule.h"),
    ("src/schedule/state.cc", "tilewright/te/te.h"),
    ("src/runtime/cpu/device.cc", "tilewright/ir/expr.h"),
    ("src/codegen/c.cc", "tilewright/runtime/ndarray.h"),
    ("src/ops/matmul.cc", "tilewright/tuner/tune.h"),
    ("src/api/build.cc", "tuner/log/writer.h"),
    ("tuner/search/evolve.cc", "tilewright/ops/matmul.h"),
    ("tuner/measure/runner.cc", "tilewright/codegen/build.h"),
    ("include/tilewright/lower/pipeline.h", "tilewright/te/te.h"),
    ("include/tilewright/ir/expr.h", "ir/private.h"),
    ("include/tilewright/record/record.h", "nlohmann/json.hpp"),
    ("src/codegen/build.cc", "llvm/IR/Module.h"),
    ("tests/codegen/x_test.cc", "llvm-c/Core.h"),
    ("tuner/search/evolve.cc", "xgboost/c_api.h"),
    ("src/runtime/cpu/parallel.cc", "omp.h"),
    ("src/ir/print.cc", "tilewright/no_such_layer/x.h"),
    ("src/no_such_layer/x.cc", "vector"),
]

GOOD = [
    ("src/te/lower.cc", "tilewright/support/error.h"),
    ("src/codegen/llvm/jit.cc", "llvm/IR/Module.h"),
    ("src/codegen/llvm/jit.cc", "tilewright/runtime/abi.h"),
    ("src/schedule/trace.cc", "nlohmann/json.hpp"),
    ("tuner/cli/main.cc", "tilewright/ops/matmul.h"),
    ("tuner/cost_model/boosted.cc", "xgboost/c_api.h"),
    ("tests/unit/ir/print_test.cc", "tilewright/te/te.h"),
    ("python/bindings/bind_tuner.cc", "tilewright/tuner/tune.h"),
]


@pytest.mark.parametrize(("path", "header"), BAD)
def test_bad_include_is_found(path: str, header: str) -> None:
    complaints = check_includes.check_text(path, f'#include <vector>\n  # include "{header}"\n')
    assert complaints


@pytest.mark.parametrize(("path", "header"), GOOD)
def test_good_include_passes(path: str, header: str) -> None:
    assert check_includes.check_text(path, f"#include <{header}>\n") == []


def test_planted_file_in_a_tree_is_found(tmp_path: Path) -> None:
    (tmp_path / "src/ir").mkdir(parents=True)
    (tmp_path / "src/ir/bad.cc").write_text('// x\n#include "tilewright/te/te.h"\n')
    assert check_includes.check_tree(tmp_path) == [
        "src/ir/bad.cc:2: tilewright/te/te.h: ir may not include te"
    ]


def test_cmake_has_the_same_arrows() -> None:
    text = "".join((ROOT / folder / "CMakeLists.txt").read_text() for folder in ("src", "tuner"))
    layers = re.findall(r"^tw_layer\((\w+)([^)]*)\)", text, re.MULTILINE)
    assert {name for name, _ in layers} == set(check_includes.ARROWS) - {"python"}
    for name, arguments in layers:
        deps = re.search(r"\bDEPS ([a-z_ ]+)", arguments)
        for dep in deps.group(1).split() if deps else []:
            # Only single headers of these, which the table of exceptions names.
            if (name, dep) not in {("codegen", "runtime"), ("codegen", "standalone")}:
                assert dep in check_includes.closure(name), f"CMake links {name} to {dep}"


def test_the_checkout_is_clean() -> None:
    assert check_includes.check_tree(ROOT) == []
