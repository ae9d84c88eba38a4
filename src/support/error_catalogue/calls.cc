#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "call.abi",
     .title = "the call was made for another version of the call interface",
     .meaning = "The caller filled a tw_call of another size or version than the library was "
                "compiled with.",
     .remedy =
         "Compile caller and library with one version; in C set struct_size and abi_version."},
    {.code = "call.arg_count",
     .title = "a wrong number of arguments",
     .meaning = "A function takes its inputs, or its inputs and outputs, in the order of its "
                "parameters. Sizes are no "
                "arguments; they follow from the shapes.",
     .remedy = "Pass as many as the message says; it shows the signature.",
     .example = R"py(f(a)  # call.arg_count: f takes A and B
c = f(a, b))py"},
    {.code = "call.kind",
     .title = "a scalar was passed for a tensor, or the reverse",
     .meaning = "Tensor parameters take arrays with a buffer or DLPack interface (NumPy, PyTorch, "
                "...), scalar "
                "parameters take numbers.",
     .remedy = "Pass an array for a tensor; an array of rank 0 for a tensor of shape ().",
     .example = R"py(f([1.0, 2.0])  # call.kind: a list
f(np.array([1.0, 2.0], np.float32)))py"},
    {.code = "call.null",
     .title = "a tensor argument is missing, or has no data",
     .meaning =
         "A null tensor, or one whose data pointer is null although it has elements, was passed.",
     .remedy = "Pass an array that holds data."},
    {.code = "call.device",
     .title = "an array lies on another device than the function runs on",
     .meaning = "A function compiled for CPU reads memory of the host.",
     .remedy = "Copy the array to the host first."},
    {.code = "call.dtype",
     .title = "an array has another dtype than the parameter",
     .meaning = "Elements are read as they lie in memory, so nothing can be converted at the call.",
     .remedy = "Convert the array first: a.astype(np.float32).",
     .example = R"py(f(np.zeros((4, 6)))  # call.dtype: float64
f(np.zeros((4, 6), np.float32)))py"},
    {.code = "call.rank",
     .title = "an array has another number of dimensions than the parameter",
     .meaning = "Shapes are matched dimension by dimension; there is no broadcasting at the call.",
     .remedy = "Reshape the array."},
    {.code = "call.shape",
     .title = "an array has another shape than the parameter",
     .meaning = "Constant extents must agree, and a symbolic size has one value for the whole "
                "call: \"n=8\" in the "
                "message is the value it got from an earlier argument.",
     .remedy = "Pass arrays whose shapes agree with the signature."},
    {.code = "call.stride",
     .title = "the elements of an array do not lie as the function expects",
     .meaning = "Parameters are compact and row-major unless they were declared with any strides. "
                "Views, transposed "
                "and Fortran-ordered arrays are not.",
     .remedy = "Pass np.ascontiguousarray(a)."},
    {.code = "call.alignment",
     .title = "the data of an array is not aligned",
     .meaning =
         "The address of the first element is no multiple of what the function was compiled for.",
     .remedy = "Pass a copy of the array (arrays of Tilewright and NumPy are aligned)."},
    {.code = "call.read_only",
     .title = "a read-only array was passed as an output",
     .meaning = "The function writes this parameter.",
     .remedy = "Pass a writable array, or leave the output out: the call makes one."},
    {.code = "call.range",
     .title = "a number does not fit the dtype of a scalar parameter",
     .meaning = "Scalars are never rounded or wrapped silently.",
     .remedy = "Pass a number in the range of the dtype that the message names."},
    {.code = "call.assumption",
     .title = "an assumption of the function does not hold",
     .meaning = "The function was compiled to rely on a fact about sizes, such as n % 4 == 0. It "
                "is checked at every "
                "call, and the message shows the sizes of this one.",
     .remedy = "Call with sizes for which it holds, or build without the assumption."},
    {.code = "call.alias",
     .title = "an output overlaps another argument in memory",
     .meaning = "The order in which elements are written is the schedule's, so an output may share "
                "memory only with "
                "an argument that it was declared an alias of.",
     .remedy = "Pass an output of its own memory."},
    {.code = "call.output_shape",
     .title = "the shape of an output does not follow from the inputs",
     .meaning = "Outputs that are not passed are made by the call; a size that only the output has "
                "is unknown then.",
     .remedy = "Pass the output: f(a, out=c) in Python."},
    {.code = "call.no_threads",
     .title = "several threads were asked for, but there is no thread library",
     .meaning =
         "Parallel loops run on OpenMP, which is opened when it is needed, or on the caller's own "
         "parallel_for.",
     .remedy = "Install libgomp or libomp, or call with threads=1."},
    {.code = "call.threads",
     .title = "threads is no number from 1 to 1024",
     .meaning = "threads is the number of threads of this call.",
     .remedy = "Give a whole number from 1 to 1024, or leave it out for one a core."},
    {.code = "call.keyword",
     .title = "a call has an unknown keyword argument",
     .meaning = "The inputs of a compiled function go by position, in the order of its parameters.",
     .remedy = "Write f(a, b); out= and threads= are the only keywords."},
    {.code = "call.workspace",
     .title = "the workspace given to the call is too small",
     .meaning = "Intermediate buffers live in a workspace, which the caller of the C interface may "
                "provide.",
     .remedy = "Ask tw_<name>_workspace for the size, or pass none: the entry then allocates it."},
    {.code = "call.out_of_memory",
     .title = "memory for intermediate buffers could not be allocated",
     .meaning = "The call needs a workspace of the size that the message tells.",
     .remedy = "Use smaller sizes, or a schedule with smaller intermediate buffers (compute_at)."},
    {.code = "call.cpu_feature",
     .title = "the library uses instructions that this CPU lacks",
     .meaning = "It was compiled for a target with features such as avx512f; each entry checks for "
                "them before it "
                "runs.",
     .remedy = "Compile the library for this machine (target 'cpu'), or with fewer -features."},
    {.code = "call.check",
     .title = "a check of the program failed while it ran",
     .meaning = "A checked build found an index out of range or a division by zero, or an assert "
                "of the program "
                "failed. Outputs may be partly written.",
     .remedy = "Correct the data or the index that the message names."},
    {.code = "call.internal",
     .title = "the compiled code met a state that cannot be",
     .meaning = "A fault of Tilewright.",
     .remedy = "Please report it, with the program and its trace."},
    {.code = "call.undefined",
     .title = "a function that was never given a value is called",
     .meaning = "A default-made Function holds no code.",
     .remedy = "Assign the result of build or of a module's get_function first."},
    {.code = "call.unknown_status",
     .title = "an entry returned a status that this runtime does not know",
     .meaning = "The library is newer than the runtime, or a function was called that is no entry "
                "of Tilewright.",
     .remedy = "Use a runtime of the library's version."},
    // ---- arrays ----
    {.code = "ndarray.undefined",
     .title = "an array that was never given a value is used",
     .meaning = "A default-made NDArray has no elements and no dtype.",
     .remedy = "Make it with NDArray::empty or from_values."},
    {.code = "ndarray.shape",
     .title = "a shape, its strides or the number of values do not fit",
     .meaning = "Extents are at least 0, there is one stride a dimension, the whole spans at most "
                "2^63 bytes, and as "
                "many values are given as the shape has elements.",
     .remedy = "Correct the shape that the message shows."},
    {.code = "ndarray.view",
     .title = "a view leaves its array, or lacks strides",
     .meaning = "Every element of a view lies inside of the array that it looks at.",
     .remedy = "Give a smaller shape, smaller strides or another offset."},
    {.code = "ndarray.copy",
     .title = "arrays cannot be copied into each other",
     .meaning = "Source and destination have one dtype and one shape, the destination is writable, "
                "and their devices "
                "are in this build.",
     .remedy = "Make the destination with the shape and dtype of the source."},
    {.code = "ndarray.dtype",
     .title = "an array has a dtype that is not supported",
     .meaning = "Arrays hold bool, integers of 8 to 64 bits, float16, bfloat16, float32 or "
                "float64, one lane each. "
                "bfloat16 in NumPy comes from the package ml_dtypes.",
     .remedy = "Convert the array, or install the package that the message names."},
    {.code = "ndarray.read_only",
     .title = "a read-only array cannot be exported in the old form of DLPack",
     .meaning = "DLPack before 1.0 has no flag that says so, and the receiver would write.",
     .remedy = "Export a copy, or use a consumer of DLPack 1.0."},
    {.code = "ndarray.dlpack_version",
     .title = "a DLPack tensor of an unknown major version",
     .meaning = "A new major version may lay out memory differently.",
     .remedy = "Use a library that speaks DLPack 1."},
    {.code = "device.out_of_memory",
     .title = "memory could not be allocated",
     .meaning = "The device has not so many bytes free.",
     .remedy = "Free arrays, or use smaller ones."},
    {.code = "size.syntax",
     .title = "a size expression of a manifest cannot be read",
     .meaning = "Shapes in a manifest are numbers, size names, + - * // % min max and parentheses.",
     .remedy = "Build the library again, or correct the expression."},
    {.code = "size.arithmetic",
     .title = "a size expression divides by zero or overflows",
     .meaning = "With the sizes of this call an extent of a shape has no value.",
     .remedy = "Call with other sizes."},
    {.code = "time.bad_option",
     .title = "an option of the timer is out of range",
     .meaning = "number and repeat count calls and are at least 1; warmup and min_repeat_ms are at "
                "least 0; with "
                "flush_cache each call is a sample of its own.",
     .remedy = "Give values as the message says."},
};

}  // namespace

std::span<const Row> call_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
