"""Tilewright: a compute/schedule language with an auto-tuner.

import tilewright as tw
from tilewright import te

A = te.placeholder((1024,), "float32", "A")
B = te.compute((1024,), lambda i: A[i] * 2 + 1, "B")
sch = tw.Schedule(te.create_prim_func([A, B]))
outer, inner = sch[B].split(sch[B].axis[0], 32)
sch[B].vectorize(inner)
sch.show()
b = tw.build(sch)(a)
"""

from _tilewright import (
    BlockRef,
    BuildError,
    CallError,
    DType,
    Expr,
    ExpressionError,
    Function,
    Instruction,
    InternalError,
    LibraryFiles,
    Loop,
    MismatchError,
    Module,
    Operator,
    PrimFunc,
    SampledInt,
    Schedule,
    ScheduleError,
    Stage,
    Target,
    Tensor,
    TilewrightError,
    TimeResult,
    Trace,
    TuneProgress,
    TuneResult,
    TuningRecord,
    Var,
    __version__,
    apply_best,
    build,
    cast,
    compile_library,
    default_schedule,
    error_codes,
    explain,
    get_source,
    if_then_else,
    load,
    logical_and,
    logical_not,
    logical_or,
    lower,
    parse,
    primitives,
    record_schedule,
    select,
    structural_equal,
    task_key,
    tune,
)
from _tilewright import maximum as max
from _tilewright import minimum as min
from _tilewright import parse as parse_func

from tilewright import composite, ir, ops, te, testing
from tilewright._arguments import explain_methods, explained

explain_methods(Schedule)
explain_methods(Stage)
build = explained(build)
compile_library = explained(compile_library)

__all__ = [
    "BlockRef",
    "BuildError",
    "CallError",
    "DType",
    "Expr",
    "ExpressionError",
    "Function",
    "Instruction",
    "InternalError",
    "LibraryFiles",
    "Loop",
    "MismatchError",
    "Module",
    "Operator",
    "PrimFunc",
    "SampledInt",
    "Schedule",
    "ScheduleError",
    "Stage",
    "Target",
    "Tensor",
    "TilewrightError",
    "TimeResult",
    "Trace",
    "TuneProgress",
    "TuneResult",
    "TuningRecord",
    "Var",
    "__version__",
    "apply_best",
    "build",
    "cast",
    "compile_library",
    "composite",
    "default_schedule",
    "error_codes",
    "explain",
    "get_source",
    "if_then_else",
    "ir",
    "load",
    "logical_and",
    "logical_not",
    "logical_or",
    "lower",
    "max",
    "min",
    "ops",
    "parse",
    "parse_func",
    "primitives",
    "record_schedule",
    "select",
    "structural_equal",
    "task_key",
    "te",
    "testing",
    "tune",
]
