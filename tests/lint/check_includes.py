#!/usr/bin/env python3
"""Checks that includes follow the arrows between layers and outside libraries stay at home.

usage: check_includes.py [ROOT]

Prints one line per bad include, exits 1 when there is one. The table is the one of src/README.md;
arrows are transitive, so a layer may include what its dependencies may include.
"""

import re
import sys
from pathlib import Path

# layer -> layers it may use directly. `support` is open to all.
ARROWS: dict[str, list[str]] = {
    "support": [],
    "ir": ["support"],
    "arith": ["ir"],
    "te": ["ir", "arith"],
    "target": ["support"],
    "schedule": ["ir", "arith", "target", "lower"],
    "lower": ["ir", "arith", "target"],
    "runtime": ["support"],
    "codegen": ["lower", "ir", "target"],
    "record": ["support", "schedule", "target"],
    "ops": ["te", "schedule"],
    "api": ["ops", "te", "schedule", "lower", "codegen", "runtime", "record"],
    "fuzz": ["api"],
    "tuner_log": ["record"],
    "tuner_space": ["schedule", "arith", "ir", "target"],
    "tuner_cost_model": ["tuner_space", "tuner_log"],
    "tuner_search": ["tuner_space", "tuner_cost_model"],
    "tuner_runner": ["runtime"],
    "tuner_measure": ["tuner_runner", "tuner_log", "codegen", "lower", "schedule", "runtime"],
    "tuner": ["tuner_search", "tuner_measure"],
    "tuner_api": ["tuner", "api", "ops"],
    "tuner_cli": ["tuner_api", "cli"],
    "cli": ["api", "fuzz", "tuner_api"],
    "python": ["tuner_api"],
}

# Single headers a layer may include against the arrows: the call ABI of generated code, the
# contract it writes into a manifest, the loaded module that the JIT returns, and the object that
# libraries made ahead of time are linked with.
EXCEPTIONS = {
    ("codegen", f"tilewright/runtime/{header}.h")
    for header in ("abi", "function_info", "module", "standalone")
}

# (include prefix, path prefixes where it may appear, what to say)
OUTSIDE = [
    (("llvm/", "llvm-c/"), ("src/codegen/llvm/",), "LLVM headers belong in src/codegen/llvm"),
    (("xgboost/",), ("tuner/cost_model/",), "XGBoost headers belong in tuner/cost_model"),
    (("CLI/",), ("src/cli/", "tuner/"), "CLI11 belongs in the commands"),
    (("pybind11/", "Python.h"), ("python/bindings/",), "pybind11 belongs in python/bindings"),
    (("catch2/",), ("tests/",), "Catch2 belongs in tests"),
    (("omp.h",), ("benchmarks/", "tests/"), "OpenMP is opened at run time, never linked"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
FOLDERS = ("include", "src", "tuner", "python", "tests", "benchmarks", "docs")


def closure(layer: str) -> set[str]:
    """The layers that `layer` may include, itself included."""
    seen: set[str] = set()
    todo = [layer, "support"]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += ARROWS[name]
    return seen


def tuner_layer(parts: list[str]) -> str:
    """The tuner layer of the path below tuner/."""
    if len(parts) < 2:
        return "tuner"
    if parts[0] == "measure" and re.match(r"(protocol|runner)", parts[1]):
        return "tuner_runner"
    return f"tuner_{parts[0]}"


def layer_of_header(path: str) -> str | None:
    """The layer an include path belongs to; None when it is none of ours."""
    parts = path.split("/")
    if parts[0] == "tilewright":
        if len(parts) == 2:
            return "api"
        if parts[1] == "tuner":
            return tuner_layer(parts[2:])
        return parts[1]
    if parts[0] == "tuner" and len(parts) > 1:
        return tuner_layer(parts[1:])
    if len(parts) > 1 and parts[0] in ARROWS:
        return parts[0]
    return None


def layer_of_file(path: str) -> str | None:
    """The layer of a source file; None for tests, benchmarks and examples, which may use all."""
    parts = path.split("/")
    if parts[0] == "include":
        return layer_of_header("/".join(parts[1:]))
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[0] == "tuner":
        return tuner_layer(parts[1:])
    if parts[:2] == ["python", "bindings"]:
        return "python"
    return None


def check_text(path: str, text: str) -> list[str]:
    """The complaints about one file, given its path below the root."""
    complaints = []
    layer = layer_of_file(path)
    if layer is not None and layer not in ARROWS:
        return [f"{path}: no layer '{layer}' in tests/lint/check_includes.py"]
    allowed = closure(layer) if layer else set(ARROWS)
    for match in INCLUDE.finditer(text):
        header = match.group(1)
        where = f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
        target = layer_of_header(header)
        if target is not None and target not in ARROWS:
            complaints.append(f"{where}: {header}: there is no layer '{target}'")
        elif target is not None and target not in allowed and (layer, header) not in EXCEPTIONS:
            complaints.append(f"{where}: {header}: {layer} may not include {target}")
        for prefixes, homes, message in OUTSIDE:
            if header.startswith(prefixes) and not path.startswith(homes):
                complaints.append(f"{where}: {header}: {message}")
        if header.startswith("nlohmann/") and path.startswith("include/"):
            complaints.append(f"{where}: {header}: never in a public header")
        private = target is not None and not header.startswith("tilewright/")
        if private and path.startswith("include/"):
            complaints.append(f"{where}: {header}: a public header may not include a private one")
    return complaints


def check_tree(root: Path) -> list[str]:
    complaints = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc", ".def", ".inc") and path.is_file():
                complaints += check_text(path.relative_to(root).as_posix(), path.read_text())
    return complaints


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    complaints = check_tree(root)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
