"""Programs that meet errors which only Python raises; test_error_texts.py has their whole texts."""

from collections.abc import Callable

import numpy as np
import tilewright as tw
from tilewright import te


def _doubled() -> tw.PrimFunc:
    a = te.placeholder((8,), "float32", "A")
    return te.create_prim_func([a, te.compute((8,), lambda i: a[i] * 2, "C")], "doubled")


def _loop() -> tuple[tw.Schedule, tw.Loop]:
    sch = tw.Schedule(_doubled())
    return sch, sch.get_loops(sch.get_block("C"))[0]


def split_arguments() -> None:
    sch, loop = _loop()
    sch.split(loop, factor=2, nparts=2)


def bad_integer() -> None:
    sch, loop = _loop()
    sch.split(loop, factor=2**64)


def truth_value() -> None:
    a = te.placeholder((8,), "float32", "A")
    te.compute((8,), lambda i: a[i] if i < 4 else 0.0, "C")


def no_index() -> None:
    a = te.placeholder((4, 8), "float32", "A")
    i, j = te.reduce_axis(4, "i"), te.reduce_axis(8, "j")
    te.compute((1,), lambda _: te.argmax(a[i, j], axis=[i, j]), "best")


def keyword() -> None:
    tw.build(_doubled())(np.zeros(8, "float32"), thread=2)


def threads() -> None:
    tw.build(_doubled())(np.zeros(8, "float32"), threads=0)


PROGRAMS: dict[str, Callable[[], None]] = {
    "schedule.split.arguments": split_arguments,
    "schedule.bad_integer": bad_integer,
    "te.truth_value": truth_value,
    "te.no_index": no_index,
    "call.keyword": keyword,
    "call.threads": threads,
}
