#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    // ---- te: tensors and computes ----
    {.code = "te.bad_name",
     .title = "a name is not an identifier",
     .meaning = "Tensors, computes, axes, sizes and functions have names, which appear in printed "
                "programs, in "
                "messages and in compiled symbols. A name is made of letters, digits and '_' and "
                "does not start with "
                "a digit.",
     .remedy = "Give a name such as \"row_max\".",
     .example = R"py(te.placeholder((4,), "float32", "row max")  # te.bad_name
te.placeholder((4,), "float32", "row_max"))py"},
    {.code = "te.bad_dtype",
     .title = "values of this dtype cannot be stored in a tensor",
     .meaning = "A tensor holds scalars: bool, int and uint of 8 to 64 bits, float16, bfloat16, "
                "float32 or float64. "
                "Vector types such as float32x8 and handles exist inside of programs only.",
     .remedy = "Use the scalar dtype; lanes come from vectorize."},
    {.code = "te.bad_shape",
     .title =
         "an extent of a shape is negative, no integer, or depends on something else than sizes",
     .meaning = "The extents of a shape are integers of at least 0, or integer expressions over "
                "sizes (te.var), so "
                "that a call can compute them from its arguments before anything runs. Axes, "
                "scalars and elements of "
                "tensors cannot be part of an extent.",
     .remedy = "Write the extent with constants and te.var sizes.",
     .example = R"py(te.placeholder((4, -3), "float32", "A")  # te.bad_shape
n = te.var("n")
te.placeholder((4, n), "float32", "A"))py"},
    {.code = "te.shape_overflow",
     .title = "a tensor would need more than 2^63 bytes",
     .meaning = "Sizes in bytes and strides are 64-bit integers. The constant part of this shape "
                "alone exceeds them.",
     .remedy = "Look for an extent that was meant to be smaller, or split the tensor."},
    {.code = "te.rank_mismatch",
     .title = "the number of indices, axes or names differs from the number of dimensions",
     .meaning = "A tensor is read with exactly one index a dimension, and the function of a "
                "compute takes one axis a "
                "dimension of its shape.",
     .remedy = "Give as many indices (or parameters of the function) as the shape has dimensions.",
     .example = R"py(te.compute((4, 8), lambda i: A[i, 0], "C")  # te.rank_mismatch
te.compute((4, 8), lambda i, j: A[i, j], "C"))py"},
    {.code = "te.index_dtype",
     .title = "an index is not an integer",
     .meaning = "Elements are addressed by scalar integers, which are computed in int64.",
     .remedy = "Convert the index: te.cast(\"int64\", x)."},
    {.code = "te.out_of_range",
     .title = "a read provably leaves its tensor",
     .meaning = "The ranges of the axes show that this index reaches below 0 or beyond the extent; "
                "the message names "
                "the element and values of the axes that reach it. Indices that depend on data are "
                "not judged here: "
                "checked builds test them when they run.",
     .remedy = "Shrink the shape of the compute, or read through a boundary condition "
               "(te.constant_exterior, "
               "te.repeat_edge, te.mirror_image, te.mirror_interior), or below te.if_then_else.",
     .example = R"py(te.compute((16,), lambda i: A[i + 1], "C")  # te.out_of_range: A has 16
padded = te.repeat_edge(A)
te.compute((16,), lambda i: padded[i + 1], "C"))py"},
    {.code = "te.unbound_variable",
     .title = "an expression uses a variable that has no value here",
     .meaning = "An expression may use the axes of its own compute, the reduce axes of a reduction "
                "around it, sizes "
                "(te.var) and scalars (te.scalar). This one uses an axis of another compute or a "
                "variable made by "
                "hand.",
     .remedy = "Use the parameters of the function given to te.compute; make a te.scalar for a "
               "value passed at the "
               "call."},
    {.code = "te.unreduced_axis",
     .title = "a reduce axis is used outside of a reduction",
     .meaning = "A reduce axis has values only inside of te.sum, te.max, te.reduce, ... over it.",
     .remedy = "Put the expression into a reduction over the axis, such as te.sum(expr, k).",
     .example = R"py(te.compute((8,), lambda i: A[i, k], "C")  # te.unreduced_axis
te.compute((8,), lambda i: te.sum(A[i, k], k), "C"))py"},
    {.code = "te.foreign_buffer",
     .title = "an expression reads a buffer that is no tensor",
     .meaning = "A compute reads tensors: placeholders and results of other computes. This load "
                "was built on a raw "
                "buffer, so nobody would fill it.",
     .remedy = "Read a tensor, A[i, j]."},
    {.code = "te.division_by_zero",
     .title = "an integer is divided by zero",
     .meaning = "The divisor of this integer division or modulo is the constant 0, or provably 0 "
                "for all values of "
                "the axes. Divisors that depend on data are no error: the result is then 0, and "
                "checked builds report "
                "it.",
     .remedy = "Correct the divisor, or choose with te.if_then_else before dividing."},
    {.code = "te.effect",
     .title = "an expression has an effect",
     .meaning = "The value of a compute must be a pure expression, since it may be computed again, "
                "moved or not at "
                "all. Calls that print, prefetch or stop the program have no place in it.",
     .remedy = "Leave the call out, or write an opaque block, whose body runs as it stands."},
    {.code = "te.truth_value",
     .title = "an expression was used as a Python condition",
     .meaning = "if, and, or, not and chained comparisons ask for a truth value while the program "
                "is still being "
                "written; an expression has one only when the program runs.",
     .remedy = "Use te.if_then_else or te.select to choose, and te.logical_and, te.logical_or, "
               "te.logical_not to "
               "combine conditions.",
     .example = R"py(te.compute((8,), lambda i: A[i] if i < 4 else 0.0, "C")  # te.truth_value
te.compute((8,), lambda i: te.if_then_else(i < 4, A[i], 0.0), "C"))py"},
    {.code = "te.null_tensor",
     .title = "a tensor that was never given a value is used",
     .meaning = "A default-made te::Tensor is empty; it names no placeholder and no compute.",
     .remedy = "Assign the result of te::placeholder or te::compute before reading it."},
    {.code = "te.expression_too_large",
     .title = "an expression is too large or nested too deep",
     .meaning =
         "A part that is used several times counts each time, so x = x + x in a loop doubles "
         "the expression with every step. The limits are 100,000 operations and 2,000 levels.",
     .remedy =
         "Make a tensor of the part that is used again (te.compute), or write a long sum as a "
         "reduction."},
    {.code = "te.null_expr",
     .title = "an expression is missing",
     .meaning = "The function of a compute, or the source of a reduction, gave nothing: a "
                "default-made Expr, an empty "
                "list, or a Python function without return.",
     .remedy = "Return the expression from the function."},
    {.code = "te.mixed_outputs",
     .title = "the outputs of one compute are of different kinds",
     .meaning = "A compute with several outputs fills them in one loop nest. Either all of them "
                "are element-wise "
                "expressions, or all are the values of one and the same reduction, such as the "
                "index and the value of "
                "argmax.",
     .remedy =
         "Write two computes over the same shape; compute_with joins their loops in the schedule."},
    {.code = "te.nested_reduce",
     .title = "a reduction stands inside of another expression",
     .meaning = "A reduction fills an accumulator in a loop of its own, so it must be the whole "
                "value of a compute.",
     .remedy = "Make two computes: one that is the reduction, and one that reads its result. "
               "compute_at brings them "
               "together in the schedule.",
     .example =
         R"py(# te.nested_reduce
te.compute((8,), lambda i: te.sum(A[i, k], k) / 24, "mean")
total = te.compute((8,), lambda i: te.sum(A[i, k], k), "total")
te.compute((8,), lambda i: total[i] / 24, "mean"))py"},
    {.code = "te.bad_constant",
     .title = "a number is no value of the dtype",
     .meaning =
         "Constants are never rounded or wrapped silently: 256 is no uint8, 0.5 is no int32.",
     .remedy = "Choose a dtype that holds the number, or convert at run time with te.cast."},
    {.code = "te.empty_boundary",
     .title = "a boundary condition repeats elements of an empty tensor",
     .meaning = "repeat_edge, mirror_image and mirror_interior read an element of the tensor for "
                "every index outside; "
                "a tensor with an extent of 0 has none.",
     .remedy = "Use te.constant_exterior, which needs no element."},
    {.code = "te.bad_range",
     .title = "the range of a reduce axis is no range of integers over sizes",
     .meaning = "The ends of a reduce axis are integers, or integer expressions over sizes; the "
                "end is not below the "
                "begin.",
     .remedy = "Write the range with constants and te.var sizes; leave terms out with where= on "
               "the reduction.",
     .example = R"py(te.reduce_axis((0, i + 1), "k")  # te.bad_range
k = te.reduce_axis(n, "k")
te.compute((n,), lambda i: te.sum(A[i, k], k, where=k <= i), "C"))py"},
    // ---- te: scans and extern blocks ----
    {.code = "te.scan_axis",
     .title = "the step of a scan cannot be that dimension",
     .meaning = "The result of a scan has one dimension more than its state, for the steps; axis "
                "says which one.",
     .remedy = "Give a number from 0 to the rank of the state."},
    {.code = "te.scan_dtype",
     .title = "a state of a scan and its values differ in dtype",
     .meaning = "A state has one dtype, which its first value and each update have as well. "
                "Nothing is converted "
                "silently.",
     .remedy = "Convert with te.cast, or give the state another dtype."},
    {.code = "te.scan_update",
     .title = "a state of a scan has no update, or not exactly one",
     .meaning = "Each state begins with one plain value and is updated once a step by one formula; "
                "then the scan is "
                "finished.",
     .remedy = "Update each state once, and make a new scan for other states."},
    {.code = "te.extern_body",
     .title = "the body of an extern block cannot be one",
     .meaning = "The body is plain statements that write every declared output; it becomes one "
                "block itself.",
     .remedy = "Write all outputs, and use loops and stores instead of blocks."},
    {.code = "te.extern_undeclared",
     .title = "an extern block touches a buffer that it does not declare",
     .meaning = "The schedule relies on what the block declares to read and write.",
     .remedy = "List the buffer among the inputs or outputs."},
    // ---- te: functions ----
    {.code = "te.bad_argument",
     .title = "something that is no argument is listed among the arguments",
     .meaning =
         "The arguments of a function are its tensors and te.scalar variables. Sizes (te.var) are "
         "read off the "
         "shapes of the tensors at each call, and axes or expressions have no value outside.",
     .remedy = "List placeholders, outputs and scalars only."},
    {.code = "te.duplicate_argument",
     .title = "an argument is listed twice",
     .meaning = "Each tensor and each scalar is one argument of the function.",
     .remedy = "Remove the second mention."},
    {.code = "te.missing_argument",
     .title = "the program reads a placeholder or scalar that is not among the arguments",
     .meaning = "Everything that the outputs depend on must be passed at the call.",
     .remedy = "Add it to the list given to te.create_prim_func.",
     .example = R"py(te.create_prim_func([A, C])  # te.missing_argument: C reads B as well
te.create_prim_func([A, B, C]))py"},
    {.code = "te.no_output",
     .title = "no argument is the result of a compute",
     .meaning = "A function computes those of its arguments that are results of te.compute. All "
                "the arguments listed "
                "are inputs.",
     .remedy = "List the outputs too, after the inputs: te.create_prim_func([A, B, C])."},
    {.code = "te.unbound_size",
     .title = "a size is no dimension of any argument",
     .meaning = "A size (te.var) gets its value at the call from the shape of an argument that has "
                "it as a whole "
                "dimension. No argument has this one.",
     .remedy = "Make it the extent of a dimension of an argument, or use a te.scalar where it is a "
               "value only."},
    {.code = "te.bad_assumption",
     .title = "an assumption is no condition over sizes, or never holds",
     .meaning = "Assumptions are facts about sizes that schedules may rely on and every call "
                "checks. They are bool "
                "expressions over te.var sizes, and at least one size must satisfy all of them.",
     .remedy = "Write conditions such as n >= 1 or n % 8 == 0.",
     .example = R"py(te.create_prim_func([A, C], assumptions=[n])  # te.bad_assumption
te.create_prim_func([A, C], assumptions=[n >= 1]))py"},
    // ---- ir ----
    {.code = "ir.dtype",
     .title = "dtypes do not fit an operation",
     .meaning = "Nothing is converted silently: both sides of an operation have one dtype, '/' is "
                "for floats, '//' "
                "and '%' are for integers, conditions are bool. A constant takes the dtype of the "
                "other side.",
     .remedy = "Convert one side with cast, or use the operator that the message names.",
     .example = R"py(te.compute((8,), lambda i: A[i] / 2, "C")  # ir.dtype when A is int32
te.compute((8,), lambda i: A[i] // 2, "C"))py"},
    {.code = "ir.division_by_zero",
     .title = "an integer is divided by the constant 0",
     .meaning = "Integer division and modulo by a constant 0 have no value.",
     .remedy = "Correct the divisor."},
    {.code = "ir.null_expr",
     .title = "an operand or a buffer is missing",
     .meaning = "A default-made Expr or Buffer was used to build a larger expression or statement.",
     .remedy = "Give it a value first; test with defined()."},
    {.code = "ir.argument",
     .title = "an intrinsic got arguments that it does not take",
     .meaning =
         "Each intrinsic function has a fixed number of arguments, and some take constants only.",
     .remedy = "Call it with the arguments that the message lists."},
    {.code = "ir.rank",
     .title = "a buffer is accessed with a wrong number of indices",
     .meaning = "Accesses are n-dimensional: one index a dimension, whatever the layout of the "
                "buffer in memory.",
     .remedy = "Give one index a dimension."},
    {.code = "ir.malformed",
     .title = "a program built by hand breaks a rule of the IR",
     .meaning = "The builder and the parser give programs that the verifier accepts: every "
                "variable is bound before "
                "it is used, every buffer is a parameter or allocated, regions cover what a block "
                "touches, dtypes "
                "agree. The message lists what is wrong, one line a fault.",
     .remedy = "Correct the faults listed."},
    {.code = "ir.builder",
     .title = "bodies of the builder are opened and closed out of order",
     .meaning = "Every loop, condition and block that is opened is closed once, an else follows "
                "its if directly, and "
                "a function is finished when all are closed.",
     .remedy = "Correct the order of calls."},
    {.code = "ir.parse",
     .title = "a text is no program",
     .meaning = "The text of a program has one form, the one PrimFunc.text gives. The message "
                "tells line and column "
                "and what was expected there.",
     .remedy = "Correct the text at that place, or start from the text of an existing program."},
    // ---- interp ----
    {.code = "interp.argument",
     .title = "the interpreter was given other arguments than the function takes",
     .meaning = "The interpreter runs a function on arrays, one a parameter, with the rank and the "
                "extents of the "
                "parameter; sizes must agree between the arguments.",
     .remedy = "Pass one array a parameter, in their order and with their shapes."},
    {.code = "interp.assert",
     .title = "an assert of the program failed",
     .meaning = "The program holds an assert statement whose condition was false for these "
                "arguments. Its text is the "
                "message.",
     .remedy = "Pass arguments for which it holds, or correct the program."},
    {.code = "interp.assumption",
     .title = "an assumption of the function does not hold",
     .meaning =
         "Assumptions are checked before a function runs, since its schedule relies on them.",
     .remedy = "Call it with sizes that satisfy the assumption, or build the function without it."},
    {.code = "interp.extent",
     .title = "a buffer has a negative extent or does not fit into memory",
     .meaning = "With these arguments an extent of an intermediate buffer is negative, or its size "
                "is more than the "
                "memory there is.",
     .remedy = "Interpret the function at smaller sizes."},
    {.code = "interp.extern",
     .title = "the interpreter cannot run an extern function",
     .meaning =
         "The program calls a C function, which only compiled code can do; without a reference the "
         "interpreter cannot check it either.",
     .remedy =
         "Register a reference that does the same (externs in the options of the interpreter)."},
    {.code = "interp.malformed",
     .title = "the interpreter met a program that is not well-formed",
     .meaning = "The program holds a variable without a value, or a node that has no meaning where "
                "it stands.",
     .remedy = "Run PrimFunc.verify(), which lists the faults."},
    {.code = "interp.out_of_bounds",
     .title = "an access leaves its buffer",
     .meaning = "The interpreter checks every access. The message names the element, the shape and "
                "the values of the "
                "loops around it.",
     .remedy = "An index that depends on data must stay within the tensor: clamp it, or read below "
               "if_then_else. If "
               "only the scheduled program does this, it is a fault of Tilewright."},
    {.code = "interp.race",
     .title = "two iterations of a concurrent loop touch the same element",
     .meaning =
         "With check_races the interpreter remembers which iteration of every parallel and "
         "vectorized loop "
         "touched an element. Two iterations touched this one and at least one of them wrote.",
     .remedy = "Make another loop parallel, or give each iteration a buffer of its own "
               "(compute_at, store_at, "
               "rfactor). A schedule made by primitives never races; if one does, it is a fault of "
               "Tilewright."},
    {.code = "interp.steps",
     .title = "the program runs longer than the interpreter was allowed to",
     .meaning = "InterpOptions.max_steps bounds the iterations, so that tests end.",
     .remedy = "Use smaller sizes, or raise the limit."},
    {.code = "interp.uninitialized",
     .title = "an element is read before anything was written to it",
     .meaning = "The interpreter keeps track of the elements of every buffer that have a value.",
     .remedy = "Write the element first; outputs have no values at the call. If only the scheduled "
               "program does this, "
               "it is a fault of Tilewright."},
    {.code = "interp.unsupported",
     .title = "the interpreter cannot run this program",
     .meaning = "Barriers, extern blocks without a body and dtypes without values have no meaning "
                "to the interpreter, "
                "which runs one thread.",
     .remedy =
         "Interpret the program before it is bound to threads, or give the extern block a body."},
    {.code = "dtype.unknown",
     .title = "a text names no dtype",
     .meaning = "Dtypes are bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 and "
                "float64, with xN "
                "behind them for N lanes.",
     .remedy = "Write one of these, such as \"float32\"."},
};

}  // namespace

std::span<const Row> expression_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
