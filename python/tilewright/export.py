"""Prints a program that a Python function defines, for the commands written in C++.

    python3 -m tilewright.export FILE.py:FUNCTION

FUNCTION takes no arguments and gives a list of te tensors (as for te.create_prim_func), a
PrimFunc, a Schedule, or a list of Schedules of one program. The text of the program goes to stdout;
of tensors, after a line `# hash` with what tuning records know them by; of a Schedule, the program
before the first primitive, and after it a line `# trace` with the trace as JSON.
"""

import importlib.util
import pathlib
import sys

import tilewright as tw
from tilewright import te


def load_function(script: str) -> object:
    """The function of `FILE.py:FUNCTION`. Raises SystemExit saying what is missing."""
    file, _, name = script.rpartition(":")
    path = pathlib.Path(file)
    if not file or not name:
        raise SystemExit(f"expected FILE.py:FUNCTION, got '{script}'")
    if not path.is_file():
        raise SystemExit(f"there is no file '{file}'")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"'{file}' is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        names = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        raise SystemExit(f"'{file}' has no function '{name}'; it has: {', '.join(names)}")
    return function


def program_text(result: object, name: str) -> str:
    """What is printed for the result of the function."""
    if isinstance(result, tw.Schedule):
        return schedules_text([result], name)
    if isinstance(result, tw.PrimFunc):
        return result.text()
    if isinstance(result, (list, tuple)) and result:
        if all(isinstance(item, tw.Schedule) for item in result):
            return schedules_text(list(result), name)
        if any(isinstance(item, tw.Tensor) for item in result):
            key = tw.task_key(list(result)).removeprefix("expr/")
            return f"# hash {key}\n" + te.create_prim_func(list(result), name).text()
    raise SystemExit(
        f"'{name}' gives a {type(result).__name__}; expected a list of tensors, a PrimFunc, a "
        "Schedule or a list of Schedules"
    )


def schedules_text(schedules: list[tw.Schedule], name: str) -> str:
    """The program, and a line for the trace of each schedule of it."""
    original = schedules[0].original
    if not all(tw.structural_equal(original, other.original) for other in schedules[1:]):
        raise SystemExit(f"'{name}' gives schedules of different programs")
    traces = "".join(f"# trace {sch.trace.to_json()}\n" for sch in schedules)
    return original.text().rstrip("\n") + "\n" + traces


def main(arguments: list[str]) -> int:
    """Prints the program of the script named by the one argument."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print("usage: python3 -m tilewright.export FILE.py:FUNCTION", file=sys.stderr)
        return 2
    function = load_function(arguments[0])
    assert callable(function)
    print(program_text(function(), arguments[0].rpartition(":")[2]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
