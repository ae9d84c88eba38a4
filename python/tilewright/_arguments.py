"""Says what is wrong with the arguments of a call.

The compiled module answers such a call with its whole signature; what a person needs is the name
that was misspelled, or the one argument of a wrong type, and what it may be.
"""

import difflib
import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """One parameter of a compiled function, as its signature says it."""

    name: str
    kinds: str  # "int | SampledInt | None"
    required: bool


def _parameters(doc: str) -> list[Parameter] | None:
    """The parameters in the first line of `doc`, without self; None where it is no signature."""
    line = doc.partition("\n")[0]
    match = re.match(r"\w+\((.*)\) -> ", line)
    if not match:
        return None
    parts, depth, start = [], 0, 0
    text = match[1] + ","
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    result = []
    for part in parts:
        if not part or part.startswith(("self", "*")):
            continue
        name, _, kinds = part.partition(": ")
        kinds, default, _ = kinds.partition(" = ")
        kinds = re.sub(r"\b[a-z_]+(?:\.[a-z_]+)*\.", "", kinds)
        kinds = re.sub(r"(?:SupportsInt \| )?SupportsIndex", "int", kinds)
        result.append(Parameter(name, kinds, not default))
    return result


def _accepts(kinds: str, value: object) -> bool:
    """Whether a value may be of one of the kinds, as far as their names tell."""
    names = set(re.findall(r"\w+", kinds))
    if names & {"object", "Any", "ExprLike", "Callable", "Sequence", "Mapping"}:
        return not isinstance(value, int | float) or bool(names & {"object", "Any", "ExprLike"})
    integer = "int" in names and hasattr(value, "__index__")
    return integer or any(kind.__name__ in names for kind in type(value).__mro__[:-1])


def fault(name: str, doc: str, args: tuple[Any, ...], named: dict[str, Any]) -> str | None:
    """What is wrong with a call of the function `name`; None where that does not show."""
    parameters = _parameters(doc)
    if not parameters:
        return None
    names = [parameter.name for parameter in parameters]
    listed = f"the arguments of {name} are {', '.join(names)}"
    for key in named:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1)
            meant = f" (did you mean '{near[0]}'?)" if near else ""
            return f"{name}: there is no argument '{key}'{meant}; {listed}"
    if len(args) > len(names):
        return f"{name}: {len(args)} arguments are given; {listed}"
    given = dict(zip(names, args, strict=False)) | named
    for parameter in parameters:
        if parameter.required and parameter.name not in given:
            return f"{name}: the argument '{parameter.name}' is missing; {listed}"
    for parameter in parameters:
        if parameter.name in given and not _accepts(parameter.kinds, given[parameter.name]):
            value = given[parameter.name]
            return (
                f"{name}: '{parameter.name}' must be {parameter.kinds}, "
                f"got {value!r} ({type(value).__name__})"
            )
    return None


def explained(
    function: Callable[..., Any], method: bool = False, name: str | None = None
) -> Callable[..., Any]:
    """The compiled function, whose TypeErrors name the argument at fault."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as error:
            if not re.search(r"incompatible (function|constructor) arguments", str(error)):
                raise
            called = name or function.__name__
            text = fault(called, function.__doc__ or "", args[method:], named)
            raise TypeError(text or str(error)) from None

    return call


def explain_methods(cls: type) -> None:
    """Makes the TypeErrors of a compiled class name the argument at fault.

    Those of its constructor and its public methods.
    """
    for name, method in list(vars(cls).items()):
        if type(method).__name__ != "instancemethod":
            continue
        if name == "__init__":
            setattr(cls, name, explained(method, method=True, name=cls.__name__))
        elif not name.startswith("_"):
            setattr(cls, name, explained(method, method=True))
