#!/usr/bin/env python3
"""The error codes that the sources raise, and those that the catalogue describes.

usage: error_codes.py [ROOT]

Prints what is missing on either side, exits 1 when there is something.

A code is a literal such as "te.bad_name", or is put together by `refuse("what", …)` inside a
schedule primitive: schedule.<primitive>.what. Which primitives reach a refusal is read off the
calls between the functions of src/schedule: `run_split` calls `require_serial`, which refuses with
"loop_kind", so schedule.split.loop_kind exists. The reading is by names and over-approximates:
tests/golden/errors/unreached.txt lists codes that never come, and why.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PREFIXES = [
    "build",
    "call",
    "choose",
    "cli",
    "codegen",
    "cost_model",
    "device",
    "dtype",
    "fault",
    "fuzz",
    "interp",
    "ir",
    "library",
    "log",
    "lower",
    "measure",
    "module",
    "ndarray",
    "ops",
    "record",
    "reduce",
    "schedule",
    "script",
    "search",
    "size",
    "stage",
    "target",
    "te",
    "testing",
    "time",
    "trace",
    "tune",
]

LITERAL = re.compile(rf'"((?:{"|".join(PREFIXES)})\.[a-z_]+(?:\.[a-z_]+)?)"')

# Literals of that form which are no codes: a field of JSON records, the status of success, printed
# Python.
NOT_CODES = {"target.kind", "call.ok", "te.cast", "te.constant"}

FOLDERS = ("src", "tuner", "python/bindings")
SUFFIXES = {".cc", ".h", ".def"}
CATALOGUE = "src/support/error_catalogue"
UNREACHED = "tests/golden/errors/unreached.txt"
TABLE = "src/schedule/primitive_table.cc"


def strip_comments(text: str) -> str:
    """The text with comments blanked out; strings stay."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(lambda m: " " if m[0].startswith("/") else m[0], text)


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of the sources that may raise an error, the catalogue itself left out."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and not name.startswith(CATALOGUE):
                yield name, strip_comments(path.read_text())


def literal_codes(text: str) -> set[str]:
    """The codes written out in `text`; those a code is only compared with are not raised there."""
    compared = set(re.findall(rf"[=!]=\s*{LITERAL.pattern}", text))
    found = re.findall(LITERAL.pattern, re.sub(rf"[=!]=\s*{LITERAL.pattern}", "", text))
    return {
        code for code in found if code not in NOT_CODES and (code not in compared or code in found)
    }


@dataclass
class Unit:
    """A function, or a class with all its methods."""

    name: str
    file: str
    local: bool  # in an anonymous namespace
    body: str = ""
    refusals: set[str] = field(default_factory=set)


def closing(text: str, at: int, pair: str) -> int:
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for m in re.compile(
        r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|[' + re.escape(pair) + "]"
    ).finditer(text, at):
        if m[0] == pair[0]:
            depth += 1
        elif m[0] == pair[1]:
            depth -= 1
            if depth == 0:
                return m.start()
    return len(text)


def refusals_in(body: str) -> set[str]:
    """The reasons in the first arguments of the calls of `refuse`."""
    found = set()
    for m in re.finditer(r"\brefuse\(", body):
        end = closing(body, m.end() - 1, "()")
        first = re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", body[m.end() : end])[0]
        found |= set(re.findall(r'"([a-z][a-z_]*)"', first))
        # A reason put together from the code of lowering: "lower.pad" gives "pad_tail".
        if '"_tail"' in first:
            found |= {"pad_tail", "balanced_tail", "shift_inwards_tail"}
    return found


def without_trials(body: str) -> str:
    """`body` without what it only tries: a refusal that is caught and not thrown on is none."""
    at = 0
    while m := re.compile(r"\btry\s*\{").search(body, at):
        at = closing(body, m.end() - 1, "{}") + 1
        handler = re.compile(r"\s*catch\s*\(const Refusal\s*&[^)]*\)\s*\{").match(body, at)
        if not handler:
            continue
        end = closing(body, handler.end() - 1, "{}") + 1
        if "throw" not in body[handler.end() : end]:
            body = body[: m.start()] + body[end:]
            at = m.start()
    return body


def units_of(file: str, text: str) -> list[Unit]:
    """The functions and classes defined in a file, without those nested in them."""
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    units: list[Unit] = []

    def walk(begin: int, end: int, local: bool) -> None:
        at = head = begin
        while at < end:
            brace = text.find("{", at, end)
            if brace < 0:
                return
            header = re.split(r"[;}]", text[head:brace])[-1]
            close = closing(text, brace, "{}")
            if m := re.search(r"\bnamespace\b\s*([\w:]*)\s*$", header):
                walk(brace + 1, close, local or not m[1])
            elif m := re.search(r"\b(?:class|struct)\s+(\w+)[^()]*$", header):
                add(m[1], text[brace:close], local)
            elif m := re.search(r"([\w:~]+)\s*\(", header):
                name = m[1].split("::")
                add(
                    name[0] if len(name) > 1 and name[0] != "Invocation" else name[-1],
                    text[brace:close],
                    local,
                )
            elif m := re.search(r"(\w+)\s*(?:\[\w*\])?\s*=\s*$", header):
                add(m[1], text[brace:close], local)
            at = head = close + 1

    def add(name: str, body: str, local: bool) -> None:
        body = without_trials(body)
        for unit in units:
            if unit.name == name:
                unit.body += body
                unit.refusals |= refusals_in(body)
                return
        units.append(Unit(name, file, local, body, refusals_in(body)))

    walk(0, len(text), False)
    return units


# Methods of Invocation that refuse, told apart from equal names by the object they are called on.
ON_INVOCATION = re.compile(r"\b(?:in|in_|invocation|after)\s*\.\s*(\w+)\s*\(")
METHODS = {
    "loop",
    "block",
    "finish",
    "attr",
    "int_attr",
    "text_attr",
    "list_attr",
    "facts",
    "facts_at",
}


def calls_of(unit: Unit, units: list[Unit]) -> Iterator[Unit]:
    words = set(re.findall(r"\b([A-Za-z_]\w*)\b", unit.body)) - METHODS
    words |= {m for m in ON_INVOCATION.findall(unit.body) if m in METHODS}
    # `finish` checks loops only where blocks or buffers were moved.
    if unit.name == "finish":
        words.discard("require_loops_independent")
    if re.search(r"moves_blocks\s*=\s*true", unit.body):
        words.add("require_loops_independent")
    for other in units:
        if other.name in words and (other.file == unit.file or not other.local):
            yield other


def primitive_codes(texts: dict[str, str]) -> set[str]:
    """schedule.<primitive>.<what> for every refusal that a row of the table reaches."""
    units: list[Unit] = []
    for file, text in texts.items():
        if file.startswith("src/schedule/"):
            units += units_of(file, text)
    edges = {id(u): list(calls_of(u, units)) for u in units if u.file != TABLE}
    codes = set()
    rows = re.findall(
        r'\{"(\w+)",\s*\d+,\s*"([^"]*)",.*?(run_\w+)\}', texts.get(TABLE, ""), re.DOTALL
    )
    for primitive, operands, run in rows:
        whats = set()
        if operands.strip():
            whats |= {"foreign_handle"}
            whats |= {"unknown_loop"} if set("l?") & set(operands) else set()
            whats |= {"unknown_block"} if set("b?") & set(operands) else set()
        todo = [u for u in units if u.name == run]
        seen = set()
        while todo:
            unit = todo.pop()
            if id(unit) in seen or unit.file == TABLE or unit.name == "Schedule":
                continue
            seen.add(id(unit))
            whats |= unit.refusals
            todo += edges[id(unit)]
        # Handles are checked before the primitive runs.
        whats -= {"unknown_loop", "unknown_block"} - (
            ({"unknown_loop"} if set("l?") & set(operands) else set())
            | ({"unknown_block"} if set("b?") & set(operands) else set())
        )
        codes |= {f"schedule.{primitive}.{what}" for what in whats}
    return codes


def raised(root: Path) -> set[str]:
    """Every code that the sources can raise."""
    texts = dict(sources(root))
    codes = primitive_codes(texts) | {"internal"}
    for text in texts.values():
        codes |= literal_codes(text)
    return codes


def catalogue(root: Path) -> set[str]:
    """The codes that the catalogue describes."""
    described: set[str] = set()
    for path in sorted((root / CATALOGUE).glob("*.cc")):
        text = path.read_text()
        described |= set(re.findall(r'\.code = "([^"]+)"', text))
        for primitive, whats in re.findall(
            r'\.primitive = "(\w+)",\s*\.reasons =((?:\s*"[^"]*")+)', text
        ):
            described |= {
                f"schedule.{primitive}.{w}"
                for w in "".join(re.findall(r'"([^"]*)"', whats)).split()
            }
    return described


def without_text(root: Path) -> set[str]:
    """The codes of tests/golden/errors/unreached.txt."""
    return set(re.findall(r"^([a-z_.]+): ", (root / UNREACHED).read_text(), re.MULTILINE))


def complaints(root: Path) -> list[str]:
    """One line per code that is missing in the catalogue, or described there and raised nowhere."""
    codes = raised(root)
    described = catalogue(root)
    # What ends every primitive is described once, as schedule.any.<reason>.
    every = {code.rpartition(".")[2] for code in described if code.startswith("schedule.any.")}
    codes |= {
        f"schedule.any.{what}" for what in every if any(c.endswith(f".{what}") for c in codes)
    }
    codes -= {
        c for c in codes - described if c.startswith("schedule.") and c.rpartition(".")[2] in every
    }
    listed = without_text(root)
    lines = [
        f"{code}: raised in the sources, but not in {CATALOGUE}"
        for code in sorted(codes - described - listed)
    ]
    lines += [
        f"{code}: described in {CATALOGUE}, but raised nowhere"
        for code in sorted(described - codes)
    ]
    lines += [f"{code}: in {UNREACHED}, but nothing hints at it" for code in sorted(listed - codes)]
    return lines


def main() -> int:
    lines = complaints(
        Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    )
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
