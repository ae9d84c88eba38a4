"""Operators known by name: `tw.ops.matmul(m=512, n=512, k=512)`.

Each operator of the table is a function here; `tw.ops.help("conv2d")` lists its parameters.
Values are ints, pairs, bools, strings or dtypes; what is not given has its default.
"""

from collections.abc import Callable
from functools import partial

from _tilewright import Operator, apply_best, apply_template, make_operator
from _tilewright import op_help as help
from _tilewright import op_names as names
from _tilewright import op_templates as templates

__all__ = [
    "Operator",
    "apply_best",
    "apply_template",
    "help",
    "make_operator",
    "names",
    "templates",
]


def __getattr__(name: str) -> Callable[..., Operator]:
    if name not in names():
        raise AttributeError(f"there is no operator '{name}'; there are: {', '.join(names())}")
    return partial(make_operator, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *names()])
