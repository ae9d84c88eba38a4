"""
The compiled part of tilewright; use it through that package.
"""
from __future__ import annotations
import collections.abc
import numpy
import typing
import typing_extensions
__all__: list[str] = ['BlockRef', 'Boundary', 'Buffer', 'BuildError', 'BuilderBody', 'CallError', 'DType', 'Expr', 'ExpressionError', 'Function', 'IRBuilder', 'Instruction', 'InternalError', 'LibraryFiles', 'Loop', 'MismatchError', 'Module', 'Operator', 'Param', 'ParamInfo', 'PrimFunc', 'ReduceAxis', 'Reducer', 'SampledInt', 'Scan', 'ScanValue', 'Schedule', 'ScheduleError', 'Stage', 'Target', 'Tensor', 'TilewrightError', 'TimeEvaluator', 'TimeResult', 'Trace', 'TuneProgress', 'TuneResult', 'TuningRecord', 'Var', 'abs', 'all', 'any', 'apply_best', 'apply_template', 'argmax', 'argmin', 'assert_allclose', 'assume', 'build', 'canonical_hash', 'canonical_text', 'cast', 'ceil', 'ceil_div', 'compile_library', 'compute', 'constant', 'constant_exterior', 'cos', 'create_prim_func', 'default_schedule', 'erf', 'error_codes', 'exp', 'exp2', 'explain', 'expm1', 'extern', 'extern_call', 'floor', 'floor_div', 'floor_mod', 'fmax', 'fmin', 'get_source', 'if_then_else', 'interpret', 'isinf', 'isnan', 'let', 'load', 'log', 'log1p', 'log2', 'logical_and', 'logical_not', 'logical_or', 'lower', 'make_operator', 'max', 'maximum', 'min', 'minimum', 'mirror_image', 'mirror_interior', 'op_help', 'op_names', 'op_templates', 'operation_count', 'parse', 'placeholder', 'pow', 'primitives', 'prod', 'record_schedule', 'reduce', 'reduce_axis', 'reducer', 'repeat_edge', 'repeat_image', 'round', 'rsqrt', 'scalar', 'scan', 'select', 'sigmoid', 'sin', 'size_var', 'sqrt', 'structural_equal', 'sum', 'tanh', 'task_key', 'trunc', 'trunc_div', 'trunc_mod', 'tune', 'var']
class TilewrightError(Exception):
    """
    Base of all errors of Tilewright. `code` is a stable identifier such as 'te.out_of_range'; the text names the object, the offending value and the legal choices. tw.explain(error) (or sch.explain(error)) adds what the code means and what to do instead.
    """
    code: typing.ClassVar[str] = ''
class ExpressionError(TilewrightError):
    """
    A tensor expression, a program or an operator that cannot be (codes te.*, ir.*, interp.*, dtype.*, ops.*).
    """
class ScheduleError(TilewrightError):
    """
    A refused schedule primitive (codes schedule.*, stage.*). The schedule is as it was. `primitive` names the step, `reason` is one sentence, `legal` lists the legal values where they can be listed, `counter_example` is an iteration that would go wrong and `hint` the nearest legal step, both maybe empty. sch.explain(error) gives the whole text.
    """
    counter_example: typing.ClassVar[str] = ''
    hint: typing.ClassVar[str] = ''
    legal: typing.ClassVar[list] = list()
    primitive: typing.ClassVar[str] = ''
    reason: typing.ClassVar[str] = ''
class BuildError(TilewrightError):
    """
    A program that cannot be compiled, or a library that cannot be written (codes build.*, lower.*, codegen.*, library.*, target.*).
    """
class CallError(TilewrightError):
    """
    Wrong arguments of a compiled function, or a library that cannot be loaded (codes call.*, ndarray.*, module.*, ...). No output has been written.
    """
class MismatchError(TilewrightError, AssertionError):
    """
    tw.testing found compiled code that computes something else than the program means (codes testing.mismatch, testing.canary, testing.input). Also an AssertionError.
    """
class InternalError(TilewrightError):
    """
    A broken invariant of Tilewright itself: a bug, please report.
    """
class DType:
    """
    An element type: bool, int8..int64, uint8..uint64, float16, bfloat16, float32, float64. Equal to its name: `A.dtype == "float32"`.
    """
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __hash__(self) -> int:
        ...
    def __init__(self, dtype: DType | str | numpy.dtype[typing.Any] | type) -> None:
        """
        From a name, a NumPy dtype or scalar type. Raises ExpressionError (dtype.unknown).
        """
    def __repr__(self) -> str:
        ...
    def __str__(self) -> str:
        ...
    def to_numpy(self) -> typing.Any:
        """
        The numpy.dtype of the same elements; bfloat16 needs the package ml_dtypes.
        """
    @property
    def bits(self) -> int:
        ...
    @property
    def is_float(self) -> bool:
        ...
    @property
    def is_integer(self) -> bool:
        """
        Signed or unsigned, not bool.
        """
    @property
    def lanes(self) -> int:
        ...
    @property
    def name(self) -> str:
        ...
class Expr:
    """
    A scalar expression. Operators take expressions and Python or NumPy numbers, which become literals of the other side's dtype. `//` and `%` round towards minus infinity (integers), `/` is for floats, `&`, `|` and `~` are logical on bools. Comparisons give expressions; `e.same_as(f)` compares identity.
    """
    __array_ufunc__ = None
    def __abs__(self) -> Expr:
        ...
    def __add__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __and__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __bool__(self) -> bool:
        ...
    def __eq__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __float__(self) -> float:
        ...
    def __floordiv__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __ge__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __gt__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __hash__(self) -> int:
        ...
    def __init__(self, value: Expr | int | float) -> None:
        """
        A literal: int is int32 or int64 as the value needs, float is float32.
        """
    def __int__(self) -> int:
        ...
    def __invert__(self) -> Expr:
        ...
    def __le__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __lshift__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __lt__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __mod__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __mul__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __ne__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __neg__(self) -> Expr:
        ...
    def __or__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __pos__(self) -> Expr:
        ...
    def __pow__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __radd__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rand__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __repr__(self) -> str:
        ...
    def __rfloordiv__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rlshift__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rmod__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rmul__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __ror__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rpow__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rrshift__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rshift__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rsub__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rtruediv__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __rxor__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __str__(self) -> str:
        ...
    def __sub__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __truediv__(self, arg0: Expr | int | float) -> Expr:
        ...
    def __xor__(self, arg0: Expr | int | float) -> Expr:
        ...
    def astype(self, dtype: DType | str | numpy.dtype[typing.Any] | type) -> Expr:
        """
        The value converted: float to int truncates, saturates, and NaN gives 0.
        """
    def same_as(self, other: Expr) -> bool:
        ...
    @property
    def dtype(self) -> DType:
        ...
class Var(Expr):
    """
    A variable: an axis of a compute, a size or a scalar argument.
    """
    @property
    def name(self) -> str:
        ...
class ReduceAxis(Var):
    """
    An axis that a reducer folds away.
    """
    @property
    def dom(self) -> tuple[typing.Any, typing.Any]:
        """
        (first, extent).
        """
class Tensor:
    """
    A multi-dimensional value of a tensor expression: a placeholder, or an output of a compute. `A[i, j]` is the expression of one element. Compares by identity.
    """
    __iter__ = None
    def __call__(self, *args: Expr | int | float) -> Expr:
        ...
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __getitem__(self, indices: typing.Any) -> Expr:
        """
        Raises ExpressionError (te.rank_mismatch, te.index_dtype).
        """
    def __hash__(self) -> int:
        ...
    def __repr__(self) -> str:
        ...
    @property
    def dtype(self) -> DType:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def ndim(self) -> int:
        ...
    @property
    def shape(self) -> tuple:
        """
        A tuple of ints and, for symbolic sizes, expressions.
        """
    @property
    def value_index(self) -> int:
        """
        Which output of its compute it is.
        """
class Boundary:
    """
    A tensor that may be read at any integer index; a rule says what lies outside. Nothing is stored: each read becomes an expression on the tensor.
    """
    def __call__(self, *args: Expr | int | float) -> Expr:
        ...
    def __getitem__(self, indices: typing.Any) -> Expr:
        ...
class Reducer:
    """
    How terms are combined; call it to reduce an expression.
    """
    def __call__(self, source: typing.Any, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None) -> typing.Any:
        """
        Folds an expression, or a tuple of them for a tuple reducer.
        """
    @property
    def associative(self) -> bool:
        ...
    @property
    def commutative(self) -> bool:
        ...
    @property
    def name(self) -> str:
        ...
class Param:
    """
    A parameter of a PrimFunc.
    """
    def __repr__(self) -> str:
        ...
    @property
    def dtype(self) -> DType:
        ...
    @property
    def is_tensor(self) -> bool:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def role(self) -> str:
        """
        'input', 'constant', 'output', 'inout' or 'shape'.
        """
    @property
    def shape(self) -> tuple:
        """
        Ints and, for symbolic sizes, expressions; () for a scalar.
        """
class PrimFunc:
    """
    A function: parameters, and loops around blocks (or, lowered, plain loops). Immutable.
    """
    def __copy__(self) -> PrimFunc:
        ...
    def __deepcopy__(self, memo: dict) -> PrimFunc:
        ...
    def __getstate__(self) -> tuple[str]:
        ...
    def __repr__(self) -> str:
        ...
    def __setstate__(self, arg0: tuple) -> None:
        ...
    def __str__(self) -> str:
        ...
    def show(self) -> None:
        """
        Prints the loop nest for people.
        """
    def structural_equal(self, other: PrimFunc) -> bool:
        """
        Equal up to ids and the names of variables and buffers.
        """
    def structural_hash(self) -> int:
        """
        Agrees with structural_equal; the same in every run and on every machine.
        """
    def text(self) -> str:
        """
        The exact text, which tw.parse reads back: hexadecimal floats, dtypes, ids.
        """
    def verify(self) -> list[str]:
        """
        Faults of a malformed function, one line each; empty when well-formed.
        """
    @property
    def level(self) -> str:
        """
        'scheduled', 'flat' or 'device'.
        """
    @property
    def name(self) -> str:
        ...
    @property
    def params(self) -> list[Param]:
        ...
class Buffer:
    """
    Storage of a function that is built statement by statement. `buffer[i, j]` is the expression that reads one element.
    """
    __iter__ = None
    def __getitem__(self: typing_extensions.Buffer, indices: typing.Any) -> Expr:
        ...
    def __repr__(self: typing_extensions.Buffer) -> str:
        ...
    @property
    def dtype(self) -> DType:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def shape(self) -> tuple:
        ...
class BuilderBody:
    """
    A body of an IRBuilder, for `with`.
    """
    def __enter__(self) -> typing.Any:
        ...
    def __exit__(self, arg0: typing.Any, arg1: typing.Any, arg2: typing.Any) -> None:
        ...
class IRBuilder:
    """
    Builds a function statement by statement, for what is not a tensor expression.
    
        b = tw.ir.IRBuilder("cumsum")
        n = b.size("n")
        x, y = b.input("X", n), b.output("Y", n)
        with b.loop("i", n) as i:
            with b.block("Y", [("vi", n, i, "ordered")]) as (vi,):
                before = tw.if_then_else(vi > 0, y[vi - 1], 0.0)
                b.store(y, vi, before + x[vi])
        func = b.finish()
    """
    def __init__(self, name: str, level: str = 'scheduled') -> None:
        ...
    def assume(self, condition: Expr | int | float) -> None:
        """
        A promise of the caller about sizes, checked at entry.
        """
    def block(self, name: str, axes: collections.abc.Sequence = (), kind: str = 'compute', reads: typing.Any = None, writes: typing.Any = None) -> BuilderBody:
        """
        `with b.block("C", [("vi", n, i), ("vk", m, k, "reduce")]) as (vi, vk):`, each axis with its name, extent, value and kind ('spatial', 'reduce', 'ordered', 'opaque').
        
        What it reads and writes is found out; a block of kind 'opaque' or 'extern' may declare it by functions of the axes: writes=lambda vi: [(C, (vi, 1), (0, n))].
        """
    def call_extern(self, symbol: str, *args: Expr | int | float) -> None:
        """
        Calls `void symbol(...)`: of elements the address is passed, of numbers the value.
        """
    def finish(self) -> PrimFunc:
        """
        The function. Raises ExpressionError (ir.malformed) with every fault.
        """
    def inout(self, name: str, shape: Expr | int | collections.abc.Sequence[Expr | int], dtype: DType | str | numpy.dtype[typing.Any] | type = 'float32') -> typing_extensions.Buffer:
        """
        A tensor argument.
        """
    def input(self, name: str, shape: Expr | int | collections.abc.Sequence[Expr | int], dtype: DType | str | numpy.dtype[typing.Any] | type = 'float32') -> typing_extensions.Buffer:
        """
        A tensor argument.
        """
    def let(self, name: str, value: Expr | int | float) -> Var:
        """
        A name for a value, known until the innermost open body ends.
        """
    def loop(self, name: str, extent: Expr | int | float, kind: str = 'serial') -> BuilderBody:
        """
        `with b.loop("i", n) as i:`. kind: 'serial', 'ordered', 'parallel', 'vectorized' or 'unrolled'.
        """
    def otherwise(self) -> BuilderBody:
        """
        `with b.otherwise():`, right after a `with b.when(...)`.
        """
    def output(self, name: str, shape: Expr | int | collections.abc.Sequence[Expr | int], dtype: DType | str | numpy.dtype[typing.Any] | type = 'float32') -> typing_extensions.Buffer:
        """
        A tensor argument.
        """
    def print(self, text: str, *args: Expr | int | float) -> None:
        """
        Prints the text with the values in the place of its "{}".
        """
    def scalar(self, name: str, dtype: DType | str | numpy.dtype[typing.Any] | type) -> Var:
        """
        A scalar argument.
        """
    def size(self, name: str) -> Var:
        """
        A symbolic extent, bound from the first tensor whose shape names it.
        """
    def store(self, buffer: typing_extensions.Buffer, indices: typing.Any, value: Expr | int | float) -> None:
        ...
    def temporary(self, name: str, shape: Expr | int | collections.abc.Sequence[Expr | int], dtype: DType | str | numpy.dtype[typing.Any] | type = 'float32', scope: str = 'global') -> typing_extensions.Buffer:
        """
        An intermediate buffer of the function.
        """
    def update(self, reducer: str, buffer: typing_extensions.Buffer, indices: typing.Any, value: Expr | int | float) -> None:
        """
        One step of a reduction by 'sum', 'prod', 'max', 'min', 'any' or 'all'; only in a block.
        """
    def when(self, condition: Expr | int | float) -> BuilderBody:
        """
        `with b.when(condition):`.
        """
class ScanValue:
    """
    A value inside of a scan: a state as it was before the step, or an intermediate value of the step. Only formulas of its scan may read it.
    """
    __iter__ = None
    def __getitem__(self, indices: typing.Any) -> Expr:
        ...
    @property
    def dtype(self) -> DType:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def shape(self) -> tuple:
        ...
class Scan:
    """
    A recurrence over the steps 0 .. steps-1 with any number of states and intermediate values.
    
        scan = te.Scan(n, "rnn")
        h = scan.state((m,), 0.0, "h")
        z = scan.compute((m,), lambda i: te.sum(w[i, k] * h[k], k), "z")
        scan.update(h, lambda i: te.tanh(z[i] + x[scan.step, i]))
        (out,) = scan.finish()            # out[t, i]: h after step t
    """
    def __init__(self, steps: Expr | int | float, name: str = 'scan') -> None:
        ...
    def compute(self, shape: Expr | int | collections.abc.Sequence[Expr | int], function: collections.abc.Callable, name: str = 'value') -> ScanValue:
        """
        An intermediate value of each step.
        """
    def finish(self) -> tuple:
        """
        The results, a tuple of one tensor per state. Raises ExpressionError (te.scan_update).
        """
    def state(self, shape: Expr | int | collections.abc.Sequence[Expr | int], init: typing.Any = 0.0, name: str = 'state', axis: typing.SupportsInt | typing.SupportsIndex = 0, dtype: DType | str | numpy.dtype[typing.Any] | type | None = None) -> ScanValue:
        """
        A state of `shape`, before the first step `init`: a number, a tensor, or a function of the indices. `axis` is where the step stands among the result's dimensions.
        """
    def update(self, state: ScanValue, function: collections.abc.Callable) -> None:
        """
        The state after the step; exactly one each.
        """
    @property
    def step(self) -> Var:
        """
        The number of the step.
        """
class Target:
    """
    What code is generated for: "cpu", "cpu -arch=x86_64 -features=+avx2,+fma -cores=2", ... What is not given is taken from this machine.
    """
    @staticmethod
    def host() -> Target:
        """
        The machine this process runs on.
        """
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __hash__(self) -> int:
        ...
    def __init__(self, text: str = 'cpu') -> None:
        """
        Raises BuildError: target.unknown_kind, target.unknown_option, target.unknown_feature, target.bad_value.
        """
    def __repr__(self) -> str:
        ...
    def __str__(self) -> str:
        ...
    def has_feature(self, name: str) -> bool:
        ...
    def vector_lanes(self, bits: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        Elements of `bits` bits in one vector.
        """
    @property
    def arch(self) -> str:
        ...
    @property
    def cores(self) -> int:
        ...
    @property
    def features(self) -> list[str]:
        ...
    @property
    def kind(self) -> str:
        ...
    @property
    def l1d_bytes(self) -> int:
        """
        0: unknown.
        """
    @property
    def l2_bytes(self) -> int:
        ...
    @property
    def l3_bytes(self) -> int:
        ...
    @property
    def triple(self) -> str:
        ...
    @property
    def vector_bits(self) -> int:
        ...
    @property
    def vector_registers(self) -> int:
        ...
class Instruction:
    """
    One recorded primitive; operands are handle names ('l0', 'b0').
    """
    def __repr__(self) -> str:
        ...
    @property
    def attrs(self) -> dict:
        ...
    @property
    def inputs(self) -> list[str]:
        ...
    @property
    def op(self) -> str:
        ...
    @property
    def outputs(self) -> list[str]:
        ...
    @property
    def version(self) -> int:
        ...
class Trace:
    """
    How a program was made: instructions, and the sampled decisions apart.
    """
    @staticmethod
    def from_json(text: str) -> Trace:
        """
        Raises TilewrightError (trace.parse, trace.version).
        """
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __hash__(self) -> int:
        ...
    def __len__(self) -> int:
        ...
    def __repr__(self) -> str:
        ...
    def __str__(self) -> str:
        ...
    def migrated(self) -> Trace:
        """
        The same steps in the current version of each instruction; replaying does this by itself. Raises TilewrightError (trace.version) for an instruction of a newer version.
        """
    def to_cpp(self, function: str = 'make_schedule', *, fix_decisions: bool = False) -> str:
        """
        The same in C++.
        """
    def to_json(self) -> str:
        """
        One line of JSON.
        """
    def to_python(self, function: str = 'make_schedule', *, fix_decisions: bool = False) -> str:
        """
        Source of a function that applies these steps to a PrimFunc and gives the Schedule. Sampled values are sampled again with the values preset, or plain numbers with fix_decisions=True.
        """
    @property
    def decisions(self) -> dict:
        ...
    @property
    def hash(self) -> str:
        """
        Of the scheduled program it gave.
        """
    @property
    def instructions(self) -> list[Instruction]:
        ...
    @property
    def sketch(self) -> str:
        ...
class Loop:
    """
    Handle of a loop; survives the rewrites of primitives.
    """
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __hash__(self) -> int:
        ...
    def __repr__(self) -> str:
        ...
    @property
    def id(self) -> int:
        ...
class BlockRef:
    """
    Handle of a block.
    """
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __hash__(self) -> int:
        ...
    def __repr__(self) -> str:
        ...
    @property
    def id(self) -> int:
        ...
class SampledInt:
    """
    An integer chosen by a sampling primitive. As an argument of a primitive it keeps its name, so that a search can change it; in arithmetic it is a plain int.
    """
    def __add__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __eq__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __floordiv__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __ge__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __gt__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __hash__(self) -> int:
        ...
    def __index__(self) -> int:
        ...
    def __int__(self) -> int:
        ...
    def __le__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __lt__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __mod__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __mul__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __ne__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __radd__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __repr__(self) -> str:
        ...
    def __rfloordiv__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __rmod__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __rmul__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __rsub__(self, arg0: typing.Any) -> typing.Any:
        ...
    def __sub__(self, arg0: typing.Any) -> typing.Any:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def value(self) -> int:
        ...
class Schedule:
    """
    A program under transformation. Each primitive changes the program without changing its meaning and is recorded, or raises ScheduleError and leaves everything as it was. `sch[C]` is the stage of a tensor, `sch.show()` prints the loop nest, `sch(a, b)` compiles and calls.
    """
    __contains__ = None
    __iter__ = None
    @staticmethod
    @typing.overload
    def replay(func: PrimFunc, trace: Trace, instructions: Schedule | None = None) -> Schedule:
        ...
    @staticmethod
    @typing.overload
    def replay(func: PrimFunc, trace: str, instructions: Schedule | None = None) -> Schedule:
        """
        The schedule that a Trace (or its JSON) makes of `func`. Raises ScheduleError from the step that fails, TilewrightError (trace.*) for a bad trace. A trace holds only the names of tensorize's instructions: `instructions` is a schedule on which they are declared.
        """
    def __call__(self, *args, out: typing.Any = None, threads: typing.Any = None, **kwargs) -> typing.Any:
        """
        Compiles and calls; keep tw.build(sch) for more than one call.
        """
    def __copy__(self) -> Schedule:
        ...
    def __deepcopy__(self, memo: dict) -> Schedule:
        ...
    def __getitem__(self, key: Tensor | str) -> Stage:
        """
        The stage of a tensor, or of a block by name.
        """
    def __getstate__(self) -> tuple[str, str]:
        ...
    def __init__(self, func: PrimFunc, seed: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        `seed` is for the sampling primitives.
        """
    def __repr__(self) -> str:
        ...
    def __setstate__(self, arg0: tuple) -> None:
        ...
    def __str__(self) -> str:
        ...
    @typing.overload
    def add_unit_loop(self, place: BlockRef) -> Loop:
        ...
    @typing.overload
    def add_unit_loop(self, place: Loop) -> Loop:
        """
        A loop of extent 1 around a block or loop.
        """
    @typing.overload
    def annotate(self, place: Loop, key: str, value: typing.Any) -> None:
        ...
    @typing.overload
    def annotate(self, place: BlockRef, key: str, value: typing.Any) -> None:
        """
        A hint from the closed table of keys on a loop or block; an unknown key is an error.
        """
    def apply(self, primitive: str, operands: collections.abc.Sequence = (), **kwargs) -> list:
        """
        A primitive by name, with the attributes its instruction has in a trace, such as sch.apply("split", [loop], factors=[None, 8], tail="guard"); gives its results as a list. The methods are the usual way; this one is for programs that write schedules.
        """
    def block_name(self, block: BlockRef) -> str:
        ...
    def block_names(self) -> list[str]:
        ...
    def blockize(self, loop: Loop) -> BlockRef:
        """
        The nest of one block from `loop` on becomes one block, which keeps name and handle.
        """
    def cache_read(self, consumer: BlockRef, buffer: Tensor | str, scope: str = 'global') -> BlockRef:
        """
        A copy of an input in another buffer, which `consumer` reads; gives the copying block.
        """
    def cache_write(self, block: BlockRef, scope: str = 'global', write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> BlockRef:
        """
        The block writes another buffer, and a new block, the result, copies that out.
        """
    def compute_at(self, block: BlockRef, loop: Loop, tail: str = 'guard') -> None:
        """
        Moves a producer into a loop of its consumers; it computes what one iteration needs.
        
            for i: P[i] = ...            for i:
            for i: C[i] = f(P[i])   ->     P[i] = ...
                                           C[i] = f(P[i])
        """
    def compute_inline(self, block: BlockRef) -> None:
        """
        Puts a producer's expression where it is read; the block disappears.
        """
    def compute_with(self, block: BlockRef, loop: Loop) -> None:
        """
        The loops around the block and those of the nest beside it, down to `loop`, become common.
        
            for i: B[i] = ...            for i:
            for i: C[i] = f(B[i])   ->     B[i] = ...
                                           C[i] = f(B[i])
        """
    def copy(self) -> Schedule:
        """
        Independent of this one from now on; O(1).
        """
    def declare_instruction(self, name: str, reference: PrimFunc, implementation: PrimFunc) -> None:
        """
        Makes an instruction known to this schedule and its copies. The reference is one nest around one block; the implementation has the same parameters and is run against it on random data. Where its result is inout, it stands for the updates of the reduction without their init.
        """
    def decompose_padding(self, block: BlockRef, loop: Loop) -> BlockRef:
        """
        The pad value is filled in by a block of its own before `loop`; gives that block.
        
            P[i] = if_then_else(inside, A[i - 1], 0)   ->   P[i] = 0
                                                            where inside: P[i] = A[i - 1]
        """
    def decompose_reduction(self, block: BlockRef, loop: Loop) -> BlockRef:
        """
        The init of a reduction as a block of its own before `loop`; gives that block.
        """
    def double_buffer(self, writer: BlockRef, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        The iterations of the loop where the buffer lives use two copies of it in turn.
        """
    def explain(self, error: typing.Any) -> str:
        """
        The whole text of an error met on this schedule, or of a code such as 'schedule.split.factor': reason, loop nest with the place underlined, counter-example, legal values, hint, and what the code means and what to do instead.
        """
    def fuse(self, *args: Loop) -> Loop:
        """
        Directly nested loops into one: `for i in 0..4: for j in 0..8` -> `for f in 0..32`.
        """
    def get_block(self, name: Tensor | str) -> BlockRef:
        """
        The block of this name, or the one that computes this tensor.
        """
    def get_consumers(self, block: BlockRef) -> list[BlockRef]:
        ...
    def get_loops(self, block: BlockRef) -> list[Loop]:
        """
        Loops around the block, outermost first.
        """
    def get_producers(self, block: BlockRef) -> list[BlockRef]:
        ...
    def loop_extent(self, loop: Loop) -> int | None:
        """
        None when it is no constant.
        """
    def loop_name(self, loop: Loop) -> str:
        ...
    def loop_partition(self, loop: Loop, extents: collections.abc.Sequence[int | SampledInt | None]) -> list[Loop]:
        """
        Consecutive loops over parts of the range, one per extent; at most one extent is None and takes the rest.
        
            for i in 0..100        ->   for i_0 in 0..1          ([1, None, 1])
                                        for i_1 in 0..98
                                        for i_2 in 0..1
        """
    def merge(self, *args: Loop) -> Loop:
        """
        Loops that stand beside each other and have equal extents into one, whose body runs theirs one after the other.
        """
    def pack(self, consumer: BlockRef, buffer: Tensor | str, map: str, pad: collections.abc.Mapping[typing.SupportsInt | typing.SupportsIndex, int | SampledInt] | None = None, scope: str = 'global') -> BlockRef:
        """
        cache_read with a layout and padding: pad={1: 16} rounds dimension 1 up to a multiple of 16, the surplus elements are zero.
        """
    def pad_einsum(self, block: BlockRef, padding: collections.abc.Sequence[int | SampledInt]) -> None:
        """
        The extents of the block's axes become multiples of `padding`, one number an axis; its inputs are copied into padded buffers, its result is copied out.
        """
    def parallel(self, loop: Loop, schedule: str = 'static', chunk: int | SampledInt = 0) -> None:
        """
        Iterations run on several threads; schedule is 'static' or 'dynamic', chunk 0 is the runtime's choice.
        """
    def prefetch(self, reader: BlockRef, buffer: Tensor | str, loop: Loop, distance: int | SampledInt) -> None:
        """
        Asks for what `reader` will read of `buffer` `distance` iterations of `loop` ahead.
        """
    def preset_decisions(self, decisions: collections.abc.Mapping[str, typing.Any]) -> None:
        """
        Values to use instead of sampling, by name.
        """
    def reindex(self, block: BlockRef, buffer: Tensor | str) -> BlockRef:
        """
        The block accesses `buffer` through a copy indexed by the block's own axes; gives the copying block.
        
            C[i] += A[i * 2 + k]   ->   A_reindex[i, k] = A[i * 2 + k]
                                        C[i] += A_reindex[i, k]
        """
    def reorder(self, *args: Loop) -> None:
        """
        Puts these loops of one nest into this order, outermost first; the others stay where they are.
        """
    def reverse_compute_at(self, block: BlockRef, loop: Loop) -> None:
        """
        Moves a consumer into a loop of its producers.
        """
    def reverse_compute_inline(self, block: BlockRef) -> None:
        """
        Puts an element-wise consumer into its producer; the consumer disappears.
        """
    def rfactor(self, loop: Loop, factor_axis: typing.SupportsInt | typing.SupportsIndex = 0) -> BlockRef:
        """
        A reduction into partial results, one per iteration of `loop`, and their reduction. Gives the block of the partial results; `loop` becomes its spatial axis. Changes the order of the sum.
        
            for k0: for k1: C += A[k0, k1]   ->   for k0: for k1: R[k0] += A[k0, k1]
                                                  for k0: C += R[k0]
        """
    def rolling_buffer(self, writer: BlockRef, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        After compute_at: the block computes only what earlier iterations of the loop have not, and its buffer keeps the part in use.
        """
    def sample_categorical(self, candidates: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], weights: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None, *, name: str) -> SampledInt:
        """
        One of the integers.
        """
    def sample_compute_location(self, block: BlockRef, *, name: str) -> Loop | None:
        """
        Moves a producer to a place sampled among the legal ones; gives the loop, None where it stays or is inlined.
        """
    def sample_perfect_tile(self, loop: Loop, n: typing.SupportsInt | typing.SupportsIndex, max_innermost: typing.SupportsInt | typing.SupportsIndex = 64, *, name: str) -> list[SampledInt]:
        """
        `n` factors whose product is the extent of the loop.
        """
    def sample_tile(self, loop: Loop, n: typing.SupportsInt | typing.SupportsIndex, candidates: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], *, name: str) -> list[SampledInt]:
        """
        Factors that need not divide the extent; the outermost of `n` is left open.
        """
    def set_scope(self, block: BlockRef, scope: str, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        Where the buffer that the block writes is stored: global, local, register.
        """
    def set_sketch(self, name: str) -> None:
        ...
    def show(self) -> None:
        """
        Prints the loop nest as it is now.
        """
    def software_pipeline(self, loop: Loop, stages: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]) -> None:
        """
        Statement number i of the loop's body runs stages[i] iterations late, so that one iteration works on several; what they hand on has room for them.
        """
    def specialize(self, block: BlockRef, condition: str) -> BlockRef:
        """
        A copy of the block's nest for the sizes of which the condition holds, such as "n % 8 == 0"; it is a fact inside the copy. Gives the block of the copy.
        """
    def split(self, loop: Loop, factor: int | SampledInt | None = None, nparts: int | SampledInt | None = None, factors: collections.abc.Sequence[int | SampledInt | None] | None = None, tail: str = 'guard') -> list[Loop]:
        """
        One loop into a nest, outermost first. Factors above the extent are legal.
        
            for i in 0..100        ->   for i0 in 0..4
                                          for i1 in 0..32      (factor=32, i0 * 32 + i1 < 100)
        
        tail says what becomes of the surplus: guard (a condition or lane mask), peel, balanced, pad, shift_inwards, auto.
        """
    def storage_align(self, writer: BlockRef, axis: typing.SupportsInt | typing.SupportsIndex, factor: int | SampledInt, offset: int | SampledInt = 0, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        One step along `axis` of the buffer that the block writes is a number of elements with stride % factor == offset.
        """
    def store_at(self, writer: BlockRef, loop: Loop, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        The buffer lives inside `loop` from now on, also when compute_at moves its writer further in.
        """
    def tensorize(self, loop: Loop, instruction: str) -> None:
        """
        The nest from `loop` on, which computes what the instruction's reference does, becomes its implementation.
        """
    def tile(self, x: Loop, y: Loop, x_factor: int | SampledInt, y_factor: int | SampledInt, tail: str = 'guard') -> list[Loop]:
        """
        Splits both and orders them [x_outer, y_outer, x_inner, y_inner], which is the result.
        """
    def transform_layout(self, writer: BlockRef, map: str, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        Where the elements of an intermediate buffer lie: "(m, k) -> (m // 6, k, m % 6)".
        """
    def unroll(self, loop: Loop) -> None:
        """
        Repeats the body for each iteration.
        """
    def vectorize(self, loop: Loop) -> None:
        """
        Iterations become vector lanes. A loop that feeds a reduction is refused: rfactor it.
        """
    @property
    def func(self) -> PrimFunc:
        """
        The program as it is now.
        """
    @property
    def original(self) -> PrimFunc:
        """
        The program before the first primitive.
        """
    @property
    def trace(self) -> Trace:
        ...
class Stage:
    """
    One block of a schedule: `s = sch[C]; xo, xi = s.split(s.axis[0], 32); s.vectorize(xi)`. Each method is the primitive of that name of Schedule. Keeps nothing but handles, so both ways mix.
    """
    def __repr__(self) -> str:
        ...
    def add_unit_loop(self) -> Loop:
        ...
    def annotate(self, key: str, value: typing.Any) -> None:
        """
        A hint on the block.
        """
    def cache_read(self, buffer: Tensor | str, scope: str = 'global') -> Stage:
        """
        Gives the stage that copies `buffer`, which this one then reads from there.
        """
    def cache_write(self, scope: str = 'global', write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> Stage:
        """
        Gives the stage that copies the result out.
        """
    @typing.overload
    def compute_at(self, loop: Loop, tail: str = 'guard') -> None:
        ...
    @typing.overload
    def compute_at(self, consumer: Stage, loop: Loop, tail: str = 'guard') -> None:
        """
        Moves this stage into a loop of its consumers, which may be named first: sch[P].compute_at(sch[C], loop).
        """
    def compute_inline(self) -> None:
        ...
    def decompose_reduction(self, loop: Loop) -> Stage:
        """
        Gives the stage of the init.
        """
    def fuse(self, *args: Loop) -> Loop:
        ...
    def pack(self, buffer: Tensor | str, map: str, pad: collections.abc.Mapping[typing.SupportsInt | typing.SupportsIndex, int | SampledInt] | None = None, scope: str = 'global') -> Stage:
        """
        Gives the stage that packs `buffer`.
        """
    def parallel(self, loop: Loop, schedule: str = 'static', chunk: int | SampledInt = 0) -> None:
        ...
    def reorder(self, *args: Loop) -> None:
        ...
    def reverse_compute_at(self, loop: Loop) -> None:
        ...
    def reverse_compute_inline(self) -> None:
        ...
    def rfactor(self, loop: Loop, factor_axis: typing.SupportsInt | typing.SupportsIndex = 0) -> Stage:
        """
        Gives the stage of the partial results.
        """
    def set_scope(self, scope: str, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        ...
    def split(self, loop: Loop, factor: int | SampledInt | None = None, nparts: int | SampledInt | None = None, factors: collections.abc.Sequence[int | SampledInt | None] | None = None, tail: str = 'guard') -> list[Loop]:
        ...
    def tile(self, x: Loop, y: Loop, x_factor: int | SampledInt, y_factor: int | SampledInt, tail: str = 'guard') -> list[Loop]:
        ...
    def transform_layout(self, map: str, write_index: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        ...
    def unroll(self, loop: Loop) -> None:
        ...
    def vectorize(self, loop: Loop) -> None:
        ...
    @property
    def axis(self) -> list[Loop]:
        """
        The loops of the tensor's dimensions, as created.
        """
    @property
    def block(self) -> BlockRef:
        ...
    @property
    def loops(self) -> list[Loop]:
        """
        All loops around the block now, outermost first.
        """
    @property
    def reduce_axis(self) -> list[Loop]:
        """
        The loops of the axes that are reduced over, as created.
        """
class ParamInfo:
    """
    A parameter of a compiled function.
    """
    @property
    def alignment_bytes(self) -> int:
        ...
    @property
    def any_strides(self) -> bool:
        ...
    @property
    def dtype(self) -> DType:
        ...
    @property
    def is_tensor(self) -> bool:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def role(self) -> str:
        ...
    @property
    def shape(self) -> tuple:
        """
        Ints, and text in size names where symbolic.
        """
class TimeResult:
    """
    Seconds per call.
    """
    def __repr__(self) -> str:
        ...
    @property
    def mean_secs(self) -> float:
        ...
    @property
    def median_secs(self) -> float:
        ...
    @property
    def min_secs(self) -> float:
        ...
    @property
    def number(self) -> int:
        """
        Calls per sample.
        """
    @property
    def samples_secs(self) -> list[float]:
        """
        In the order measured.
        """
class TimeEvaluator:
    """
    Times a function: call it with the function's inputs.
    """
    def __call__(self, *args) -> TimeResult:
        """
        Raises CallError for wrong arguments and options.
        """
class Function:
    """
    A compiled function. `f(a, b)` takes the inputs in order, as NumPy arrays or anything with the buffer protocol or __dlpack__, without copies, and returns new outputs: one, or a tuple. Several threads may call it at once.
    """
    def __call__(self, *args, out: typing.Any = None, threads: typing.Any = None, **kwargs) -> typing.Any:
        """
        `out` (an array, or a tuple of several) is written into and returned. threads=None: all cores. Raises CallError (call.arg_count, call.dtype, call.shape, call.stride, call.read_only, ...) naming the argument, what is expected and what was given; nothing has been written then.
        """
    def __repr__(self) -> str:
        ...
    def time_evaluator(self, number: typing.SupportsInt | typing.SupportsIndex = 1, repeat: typing.SupportsInt | typing.SupportsIndex = 5, min_repeat_ms: typing.SupportsFloat | typing.SupportsIndex = 0.0, warmup: typing.SupportsInt | typing.SupportsIndex = 1, flush_cache: bool = False, threads: typing.Any = None) -> TimeEvaluator:
        """
        `f.time_evaluator(number=10)(a, b).median_secs`. A sample is the mean of `number` calls, which grows until one takes min_repeat_ms.
        """
    @property
    def assumptions(self) -> list[str]:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def operation_count(self) -> float:
        """
        Arithmetic operations of one call; 0: unknown.
        """
    @property
    def params(self) -> list[ParamInfo]:
        ...
    @property
    def signature(self) -> str:
        ...
class Module:
    """
    Compiled functions. `module(a, b)` calls the only one; `module["name"]` takes one of several.
    """
    def __call__(self, *args, out: typing.Any = None, threads: typing.Any = None, **kwargs) -> typing.Any:
        """
        Calls the only function; see Function.__call__.
        """
    def __getitem__(self, name: str) -> Function:
        """
        Raises CallError (module.unknown_function) naming the nearest one.
        """
    def __repr__(self) -> str:
        ...
    def get_source(self, kind: str = 'ir') -> str:
        """
        kind: 'ir' (as scheduled), 'lowered' (plain loops), 'llvm' or 'asm'. Raises BuildError (build.source_kind, build.no_source).
        """
    def time_evaluator(self, number: typing.SupportsInt | typing.SupportsIndex = 1, repeat: typing.SupportsInt | typing.SupportsIndex = 5, min_repeat_ms: typing.SupportsFloat | typing.SupportsIndex = 0.0, warmup: typing.SupportsInt | typing.SupportsIndex = 1, flush_cache: bool = False, threads: typing.Any = None) -> TimeEvaluator:
        """
        See Function.time_evaluator.
        """
    @property
    def function(self) -> Function:
        """
        The only function.
        """
    @property
    def function_names(self) -> list[str]:
        ...
    @property
    def signature(self) -> str:
        ...
    @property
    def target(self) -> str:
        """
        Text of the target it was compiled for.
        """
class LibraryFiles:
    """
    What compile_library wrote.
    """
    @property
    def header(self) -> str:
        """
        The C header; '' for the text formats.
        """
    @property
    def library(self) -> str:
        ...
class Operator:
    """
    An operator with all its parameters fixed.
    """
    def __repr__(self) -> str:
        ...
    @property
    def args(self) -> dict[str, str]:
        """
        All parameters in canonical spelling.
        """
    @property
    def dtypes(self) -> list[str]:
        """
        Of inputs, then outputs.
        """
    @property
    def func(self) -> PrimFunc:
        """
        Parameters are inputs, then outputs.
        """
    @property
    def inputs(self) -> list[Tensor]:
        ...
    @property
    def layouts(self) -> list[str]:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def operation_count(self) -> float:
        """
        Arithmetic operations of one call.
        """
    @property
    def outputs(self) -> list[Tensor]:
        ...
    @property
    def task_key(self) -> str:
        """
        What tuning records are looked up by.
        """
class TuneResult:
    """
    What tune found. Printed, it is the closing table of the command.
    """
    def __repr__(self) -> str:
        ...
    @property
    def baseline_secs(self) -> float | None:
        """
        The same of the default schedule.
        """
    @property
    def best_secs(self) -> float | None:
        """
        Median seconds of one call; None when no trial was valid.
        """
    @property
    def failed(self) -> int:
        ...
    @property
    def failures(self) -> dict[str, int]:
        """
        Failed trials by status: {'crash': 2}.
        """
    @property
    def gflops(self) -> float | None:
        """
        1e9 operations a second; None when their number is unknown.
        """
    @property
    def log(self) -> str:
        """
        '' when there is none.
        """
    @property
    def reasons(self) -> dict[str, int]:
        """
        The same by text.
        """
    @property
    def rejected(self) -> dict[str, int]:
        """
        Points that no schedule can be made of, by reason; they cost no trial.
        """
    @property
    def resumed(self) -> int:
        """
        Measurements that the log held already.
        """
    @property
    def roofline_share(self) -> float | None:
        """
        The least time that this machine allows, as a share of best_secs.
        """
    @property
    def schedule(self) -> Schedule:
        """
        The best schedule, for tw.build. Raises TilewrightError tune.none_valid when every trial failed; the program itself can still be built.
        """
    @property
    def seed(self) -> int:
        ...
    @property
    def stop(self) -> str:
        """
        Why it ended: 'trials', 'budget' or 'exhausted'.
        """
    @property
    def task_key(self) -> str:
        """
        What the records are looked up by.
        """
    @property
    def trials(self) -> int:
        ...
    @property
    def valid(self) -> int:
        ...
    @property
    def wall_secs(self) -> float:
        ...
class TuneProgress:
    """
    Where a run of tune stands; str() is one line.
    """
    def __repr__(self) -> str:
        ...
    def __str__(self) -> str:
        ...
    @property
    def baseline_secs(self) -> float:
        """
        0: not known yet.
        """
    @property
    def best_secs(self) -> float:
        """
        0: none yet.
        """
    @property
    def elapsed_secs(self) -> float:
        ...
    @property
    def failed(self) -> int:
        ...
    @property
    def improved(self) -> bool:
        """
        The trial that has just ended is the best.
        """
    @property
    def left_secs(self) -> float | None:
        """
        None when there is no telling.
        """
    @property
    def phase(self) -> str:
        """
        'prepare', 'trials' or 'finals'.
        """
    @property
    def trials(self) -> int:
        ...
    @property
    def valid(self) -> int:
        ...
class TuningRecord:
    """
    A measurement as a log holds it.
    """
    def __repr__(self) -> str:
        ...
    @property
    def baseline_secs(self) -> float | None:
        """
        The same of the default schedule.
        """
    @property
    def id(self) -> str:
        ...
    @property
    def median_secs(self) -> float | None:
        """
        Of one call; None when it failed.
        """
    @property
    def reason(self) -> str:
        """
        Why it failed; '' when it is ok.
        """
    @property
    def status(self) -> str:
        """
        'ok', or how the trial failed: 'wrong_result', 'crash', 'run_timeout', ...
        """
    @property
    def task_key(self) -> str:
        """
        What it is looked up by.
        """
    @property
    def threads(self) -> int:
        ...
def abs(x: Expr | int | float) -> Expr:
    """
    Magnitude; of the smallest integer itself.
    """
def all(source: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None) -> Expr:
    """
    True when all bools are. Over no terms: True.
    """
def any(source: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None) -> Expr:
    """
    True when a bool is. Over no terms: False.
    """
def apply_best(program: typing.Any, log: typing.Any, threads: typing.SupportsInt | typing.SupportsIndex | None = None, target: Target | str | None = None) -> Schedule:
    """
    The schedule of the best usable record of a log for this program (an Operator, a list of tensors, a PrimFunc), target and number of threads (None: all cores), else the default schedule with a UserWarning. Raises TilewrightError: choose.none_valid when the log holds trials of just this and all of them failed, log.missing, log.unreadable.
    """
def apply_template(op: Operator, name: str, sch: Schedule, target: Target | str | None = None, threads: typing.SupportsInt | typing.SupportsIndex | None = None) -> None:
    """
    Applies a tuning template of the operator to a fresh schedule.
    """
def argmax(value: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None, index: Expr | int | float | None = None) -> tuple[Expr, Expr]:
    """
    (index, value) of the largest term; `index` is the axis unless given. Ties give the lowest index, the first NaN wins.
    """
def argmin(value: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None, index: Expr | int | float | None = None) -> tuple[Expr, Expr]:
    """
    (index, value) of the smallest term, as `argmax`.
    """
def assert_allclose(program: typing.Any, reference: Schedule | PrimFunc | None = None, *, inputs: collections.abc.Mapping[str, typing.Any] = {}, expected: collections.abc.Mapping[str, typing.Any] = {}, sizes: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] = {}, scalars: collections.abc.Mapping[str, typing.Any] = {}, rtol: typing.SupportsFloat | typing.SupportsIndex = 0.0, atol: typing.SupportsFloat | typing.SupportsIndex = 0.0, seed: typing.SupportsInt | typing.SupportsIndex = 1, threads: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [1, 3]) -> None:
    """
    Compiles the program and compares it with `reference` run by the interpreter, in memory that shows what is read or written wrongly. Inputs not given are random small integers.
    
    Raises MismatchError (an AssertionError) naming the path, the output and the first element that differs; TilewrightError (testing.options) for sizes or inputs that do not fit.
    """
def assume(value: Expr | int | float, begin: Expr | int | float | None = None, end: Expr | int | float | None = None) -> Expr:
    """
    `assume(n % 8 == 0)`: what the caller guarantees about sizes, to be listed among the arguments of create_prim_func; a call that breaks it raises CallError (call.assumption).
    
    `assume(index[i], 0, rows)`: the value, of which the caller guarantees that it lies in [begin, end); for data used as an index. Tested by the interpreter and in checked builds.
    
    Raises ExpressionError (te.bad_assumption).
    """
def build(programs: typing.Any, target: Target | str | None = None, *, checked: bool = False, contract_fma: bool = True, opt_level: typing.SupportsInt | typing.SupportsIndex = 2, verify_each: bool = False, skip_passes: collections.abc.Sequence[str] = [], dump_after: collections.abc.Callable[[str, PrimFunc], None] | None = None, externs: collections.abc.Mapping[str, typing.Any] = {}) -> Module:
    """
    Compiles a Schedule or PrimFunc, or a list of them with different names, for this process.
    
    checked: data-dependent indices and divisions are tested while the code runs. contract_fma: a*b+c may be rounded once. dump_after(pass, func) is called after each pass. externs: addresses of the C functions that te.extern_call names, as ints or functions of ctypes, which must outlive the code. Raises BuildError.
    """
def canonical_hash(outputs: collections.abc.Sequence[Tensor], assumptions: collections.abc.Sequence[Expr | int | float] = ()) -> str:
    """
    Hash of canonical_text.
    """
def canonical_text(outputs: collections.abc.Sequence[Tensor], assumptions: collections.abc.Sequence[Expr | int | float] = ()) -> str:
    """
    A text of the computation alone, independent of names.
    """
def cast(dtype: DType | str | numpy.dtype[typing.Any] | type, value: Expr | int | float) -> Expr:
    """
    The value converted: float to int truncates, saturates, and NaN gives 0.
    """
def ceil(x: Expr | int | float) -> Expr:
    """
    Smallest integral value not below a float.
    """
def ceil_div(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    floor_div(a + b - 1, b).
    """
def compile_library(programs: typing.Any, path: typing.Any, target: Target | str | None = None, *, format: str = 'so', checked: bool = False, contract_fma: bool = True, opt_level: typing.SupportsInt | typing.SupportsIndex = 2, link_with: collections.abc.Sequence[str] = []) -> LibraryFiles:
    """
    Compiles one program or a list into a file, with the C header beside it. format: 'so', 'obj', 'llvm', 'asm'. A .so needs libc and libm alone; tw.load loads it. link_with: object files and libraries with the C functions that te.extern_call names. Raises BuildError (library.path, library.format, codegen.no_linker, codegen.extern).
    """
def compute(shape: Expr | int | collections.abc.Sequence[Expr | int], function: collections.abc.Callable, name: str = 'compute', attrs: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex | typing.SupportsFloat | typing.SupportsIndex | str | collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]] = {}, axis_names: collections.abc.Sequence[str] | None = None) -> typing.Any:
    """
    A tensor of `shape` whose element at (i, j, ...) is `function(i, j, ...)`.
    
    The function gets one Var per dimension and returns an expression, or a tuple of them, which gives a tuple of tensors. A reduction stands at the top of what it returns. The parameters of the function name the loops.
    
        C = te.compute((m, n), lambda i, j: te.sum(A[i, k] * B[k, j], k), name="C")
    
    Raises ExpressionError: te.rank_mismatch, te.bad_shape, te.out_of_range (a read that surely lies outside), te.nested_reduce, te.unreduced_axis, te.unbound_variable, te.division_by_zero, ir.dtype, ...
    """
def constant(dtype: DType | str | numpy.dtype[typing.Any] | type, value: typing.Any) -> Expr:
    """
    A constant of exactly this dtype. Raises ExpressionError (te.bad_constant).
    """
def constant_exterior(tensor: Tensor | Boundary, value: Expr | int | float, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] | None = None) -> Boundary:
    """
    `value` outside (numpy.pad 'constant'), in all dimensions or in those listed. In the others an index must stay inside; a boundary condition in the place of the tensor decides there.
    """
def cos(x: Expr | int | float) -> Expr:
    """
    Cosine of a float in radians.
    """
def create_prim_func(args: collections.abc.Sequence, name: str = 'main', assumptions: collections.abc.Sequence[Expr | int | float] = ()) -> PrimFunc:
    """
    The function that computes the outputs among `args` (placeholders are inputs, computes outputs, scalars inputs), with one loop nest a compute. `assumptions` are bools over sizes that the caller guarantees: [n % 8 == 0]; te.assume(...) among the arguments is the same. Raises ExpressionError (te.missing_argument, te.no_output, ...).
    """
def default_schedule(func: PrimFunc) -> Schedule:
    """
    The schedule used when nothing else is known: producers inlined, outermost loops parallel, innermost vectorised; no tiling.
    """
def erf(x: Expr | int | float) -> Expr:
    """
    Error function of a float.
    """
def error_codes() -> list[str]:
    """
    Every error code, sorted.
    """
def exp(x: Expr | int | float) -> Expr:
    """
    e**x of a float.
    """
def exp2(x: Expr | int | float) -> Expr:
    """
    2**x of a float.
    """
def explain(error: typing.Any) -> str:
    """
    The whole text of an error, or of a code such as 'te.bad_name': what happened, what the code means, what to do instead and, for some, an example.
    """
def expm1(x: Expr | int | float) -> Expr:
    """
    exp(x) - 1 of a float.
    """
def extern(shape: typing.Any, inputs: collections.abc.Sequence[Tensor], body: collections.abc.Callable, dtype: typing.Any = 'float32', name: str = 'extern') -> typing.Any:
    """
    Tensors made by statements: `body(b, inputs, outputs)` writes them with the IRBuilder b. `shape` is one shape, or a list of them for several outputs.
    
        def reverse(b, ins, outs):
            with b.loop("i", n) as i:
                b.store(outs[0], n - 1 - i, ins[0][i])
        y = te.extern((n,), [x], reverse, name="reverse")
    
    Raises ExpressionError: te.extern_undeclared, te.extern_body, te.unbound_variable, ...
    """
def extern_call(shape: typing.Any, inputs: collections.abc.Sequence[Tensor], symbol: str, sizes: typing.Any = (), dtype: typing.Any = 'float32', name: str = 'extern') -> typing.Any:
    """
    Tensors made by the C function `void symbol(inputs..., outputs..., sizes...)`: addresses of row-major tensors, then integers as int64_t and floats as float or double. Give its address to build(externs={symbol: ...}), and a Python function that does the same to testing.interpret(externs={symbol: ...}).
    """
def floor(x: Expr | int | float) -> Expr:
    """
    Largest integral value not above a float.
    """
def floor_div(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Integer quotient rounded to minus infinity, as `//`.
    """
def floor_mod(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Integer remainder with the divisor's sign, as `%`.
    """
def fmax(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Maximum of floats that ignores one NaN (numpy.fmax).
    """
def fmin(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Minimum of floats that ignores one NaN (numpy.fmin).
    """
def get_source(program: Schedule | PrimFunc, kind: str = 'ir', target: Target | str | None = None) -> str:
    """
    Source for any target without building; kinds as Module.get_source.
    """
def if_then_else(condition: Expr | int | float, true_value: Expr | int | float, false_value: Expr | int | float) -> Expr:
    """
    One of two values; only the chosen one is evaluated, so it may guard a read out of range.
    """
def interpret(program: Schedule | PrimFunc, *, inputs: collections.abc.Mapping[str, typing.Any] = {}, sizes: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] = {}, scalars: collections.abc.Mapping[str, typing.Any] = {}, seed: typing.SupportsInt | typing.SupportsIndex = 1, externs: collections.abc.Mapping[str, collections.abc.Callable] = {}) -> dict:
    """
    The outputs of the interpreter, by name. externs: what runs in the place of C functions, by symbol: it gets one-dimensional arrays, which it may write, and numbers.
    """
def isinf(x: Expr | int | float) -> Expr:
    """
    Bool: the float is infinite.
    """
def isnan(x: Expr | int | float) -> Expr:
    """
    Bool: the float is NaN.
    """
def let(var: Var, value: Expr | int | float, body: Expr | int | float) -> Expr:
    """
    `body` with `var` standing for `value`.
    """
def load(path: typing.Any, *, global_symbols: bool = False) -> Module:
    """
    Loads a compiled library. Raises CallError: module.not_found, module.not_loadable, module.no_manifest, module.abi_version.
    """
def log(x: Expr | int | float) -> Expr:
    """
    Natural logarithm of a float.
    """
def log1p(x: Expr | int | float) -> Expr:
    """
    log(1 + x) of a float.
    """
def log2(x: Expr | int | float) -> Expr:
    """
    Logarithm to base 2 of a float.
    """
def logical_and(*args: Expr | int | float) -> Expr:
    """
    True where all conditions are (bools; all are evaluated).
    """
def logical_not(condition: Expr | int | float) -> Expr:
    ...
def logical_or(*args: Expr | int | float) -> Expr:
    """
    True where any condition is (bools; all are evaluated).
    """
def lower(program: Schedule | PrimFunc, target: Target | str | None = None, *, checked: bool = False, skip_passes: collections.abc.Sequence[str] = [], dump_after: collections.abc.Callable[[str, PrimFunc], None] | None = None) -> PrimFunc:
    """
    The program as plain loops, vectors and flat accesses: what code generation sees. Raises BuildError.
    """
def make_operator(name: str, **kwargs) -> Operator:
    """
    The operator with these parameters; those not given have their defaults. Raises ExpressionError (ops.unknown_op, ops.unknown_parameter, ops.bad_value) naming the nearest one.
    """
def max(source: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None) -> Expr:
    """
    Largest term; NaN when one is. Over no terms: -inf or the smallest integer.
    """
def maximum(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Elementwise maximum; NaN where either is (numpy.maximum).
    """
def min(source: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None) -> Expr:
    """
    Smallest term; NaN when one is. Over no terms: +inf or the largest integer.
    """
def minimum(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Elementwise minimum; NaN where either is (numpy.minimum).
    """
def mirror_image(tensor: Tensor | Boundary, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] | None = None) -> Boundary:
    """
    ... 1 0 | 0 1 2 | 2 1 0 | 0 ... (numpy.pad 'symmetric').
    """
def mirror_interior(tensor: Tensor | Boundary, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] | None = None) -> Boundary:
    """
    ... 2 1 | 0 1 2 | 1 0 1 ... (numpy.pad 'reflect').
    """
def op_help(name: str) -> str:
    """
    What an operator computes and its parameters with their defaults.
    """
def op_names() -> list[str]:
    """
    All operators, in alphabetical order.
    """
def op_templates(name: str) -> list[str]:
    """
    The tuning templates of an operator, in the order in which they are tried.
    """
def operation_count(func: PrimFunc) -> float | None:
    """
    Arithmetic operations of one call of a function fresh from create_prim_func; None when a size is symbolic.
    """
def parse(text: str) -> PrimFunc:
    """
    The function of a text made by PrimFunc.text(). Raises ExpressionError (ir.parse) with line and column.
    """
def placeholder(shape: Expr | int | collections.abc.Sequence[Expr | int], dtype: DType | str | numpy.dtype[typing.Any] | type = 'float32', name: str = 'placeholder') -> Tensor:
    """
    An argument tensor. `shape` holds ints or expressions over sizes; (): rank 0. Raises ExpressionError (te.bad_shape, te.shape_overflow, te.bad_name, te.bad_dtype).
    """
def pow(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    x**y of floats.
    """
def primitives() -> list[tuple[str, str, str]]:
    """
    (name, group, what it does) of all schedule primitives.
    """
def prod(source: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None, acc_dtype: DType | str | numpy.dtype[typing.Any] | type | None = None) -> Expr:
    """
    Product, as `sum`. Over no terms: 1.
    """
def record_schedule(schedule: Schedule, log: typing.Any, program: typing.Any = None, threads: typing.SupportsInt | typing.SupportsIndex | None = None, target: Target | str | None = None, *, sizes: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] = {}) -> TuningRecord:
    """
    Measures a schedule made by hand as tune measures its candidates, in worker processes and with its whole output compared with a reference, and appends the record to a log, where apply_best, tune(resume=True) and the command compile find it. A trial that fails is recorded as well: look at `status`.
    
    program: what it is looked up by: an Operator, the list of tensors or the PrimFunc that the schedule was made from (None: its PrimFunc). threads: the kernel is called with (None: all cores). sizes: values of symbolic sizes, by name. Raises TilewrightError: record.program when the schedule is of another program, tune.sizes, log.unwritable, log.write, measure.*.
    """
def reduce(reducer: Reducer, source: typing.Any, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None) -> typing.Any:
    """
    Folds with any reducer: `reducer(source, axis, where)`.
    """
def reduce_axis(dom: typing.Any, name: str = 'k') -> ReduceAxis:
    """
    An axis over [0, dom), or over [begin, end) given as a pair. The ends are ints or expressions over sizes. Raises ExpressionError (te.bad_range).
    """
def reducer(combine: collections.abc.Callable, identity: typing.Any, name: str = 'reducer', associative: bool = False, commutative: bool = False) -> Reducer:
    """
    A reducer: `combine(accumulator, term)` gives the new accumulator, which begins as `identity`. With a tuple as identity, both arguments and the result are tuples.
    
    Only a reducer declared associative and commutative can be reordered, factored or spread over threads. A declaration is attacked with random integer triples at the first use: ExpressionError (te.not_associative, te.not_commutative) shows a counter-example.
    """
def repeat_edge(tensor: Tensor | Boundary, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] | None = None) -> Boundary:
    """
    The nearest element (numpy.pad 'edge').
    """
def repeat_image(tensor: Tensor | Boundary, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] | None = None) -> Boundary:
    """
    ... 1 2 | 0 1 2 | 0 1 2 ... (numpy.pad 'wrap').
    """
def round(x: Expr | int | float) -> Expr:
    """
    Nearest integral value of a float, halves to even.
    """
def rsqrt(x: Expr | int | float) -> Expr:
    """
    1 / sqrt(x) of a float.
    """
def scalar(name: str, dtype: DType | str | numpy.dtype[typing.Any] | type) -> Var:
    """
    A scalar argument of the function, to be listed among the arguments of create_prim_func.
    """
def scan(steps: Expr | int | float, shape: Expr | int | collections.abc.Sequence[Expr | int], init: typing.Any, update: collections.abc.Callable, name: str = 'scan', axis: typing.SupportsInt | typing.SupportsIndex = 0, dtype: DType | str | numpy.dtype[typing.Any] | type | None = None) -> Tensor:
    """
    A recurrence with one state: `update(t, before, i, ...)` gives the state after step t.
    
        s = te.scan(n, (m,), 0.0, lambda t, before, i: before[i] + x[t, i], "cumsum")
    
    Raises ExpressionError: te.scan_update, te.scan_dtype, te.scan_axis, and what compute does.
    """
def select(condition: Expr | int | float, true_value: Expr | int | float, false_value: Expr | int | float) -> Expr:
    """
    One of two values; both are evaluated, so both must be safe to evaluate.
    """
def sigmoid(x: Expr | int | float) -> Expr:
    """
    1 / (1 + exp(-x)) of a float.
    """
def sin(x: Expr | int | float) -> Expr:
    """
    Sine of a float in radians.
    """
def size_var(name: str) -> Var:
    """
    The same as `var`.
    """
def sqrt(x: Expr | int | float) -> Expr:
    """
    Square root of a float.
    """
def structural_equal(a: PrimFunc, b: PrimFunc) -> bool:
    ...
def sum(source: Expr | int | float, axis: ReduceAxis | collections.abc.Sequence[ReduceAxis], where: Expr | int | float | None = None, acc_dtype: DType | str | numpy.dtype[typing.Any] | type | None = None) -> Expr:
    """
    Sum over `axis` of the terms where `where` is true, in the dtype of `source` or in `acc_dtype`. Over no terms: 0.
    """
def tanh(x: Expr | int | float) -> Expr:
    """
    Hyperbolic tangent of a float.
    """
def task_key(program: typing.Any) -> str:
    """
    What tuning records of a program are looked up by: of tensors their canonical text, of a PrimFunc or the program of a Schedule its structure, of an Operator its parameters.
    """
def trunc(x: Expr | int | float) -> Expr:
    """
    A float without its fraction.
    """
def trunc_div(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Integer quotient rounded to zero, as C's `/`.
    """
def trunc_mod(a: Expr | int | float, b: Expr | int | float) -> Expr:
    """
    Integer remainder with the dividend's sign, as C's `%`.
    """
def tune(program: typing.Any, target: Target | str | None = None, threads: typing.SupportsInt | typing.SupportsIndex | None = None, *, trials: typing.SupportsInt | typing.SupportsIndex | None = None, budget: typing.SupportsFloat | typing.SupportsIndex | None = None, effort: str = 'default', seed: typing.SupportsInt | typing.SupportsIndex | None = None, log: typing.Any = None, space: str = '', search: str = 'evolutionary', model: str = 'xgb', sketches: collections.abc.Sequence[collections.abc.Callable] = [], sizes: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] = {}, resume: bool = False, on_progress: collections.abc.Callable | None = None) -> TuneResult:
    """
    Finds a fast schedule by measuring on this machine, in worker processes, and compares every candidate's whole output with a reference.
    
    program: a list of tensors as for te.create_prim_func, a PrimFunc, a Schedule or an Operator. sketches: functions f(sch, target, threads) that take steps on a Schedule, which is fresh or has those of the one given (what they sample is tuned as well), and draw what is to be tuned by sch.sample_*; a refused step makes that point illegal, any other exception ends the run. An Operator has templates of its own. space: 'template', 'generated' (from the loops alone, after the steps of a Schedule given) or 'both'; by default both for an Operator, else sketches where some are given. threads: the kernel is called with (None: all cores). trials, budget (seconds) and effort ('none', 'quick', 'default', 'full') as for the command. seed: the same one chooses alike (None: another one in each run). log: file that measurements are appended to; with resume, what it holds counts as trials and is not measured again. sizes: values of symbolic sizes, by name. on_progress: called with a TuneProgress after each trial; on_progress=print shows a line each.
    
    Ctrl-C ends the run; what is measured is in the log. Raises TilewrightError: tune.no_sketch, tune.space, tune.effort, tune.limit, tune.sizes, search.unknown, cost_model.unknown, log.unwritable, log.write, measure.*.
    """
def var(name: str) -> Var:
    """
    A symbolic size (int64, >= 0) for shapes, extents and values. Two calls give two sizes, also with one name; the value comes from the shapes of the arguments at the call.
    """
__version__: str = '0.1.0'
