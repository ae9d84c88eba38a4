#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "lower.balanced",
     .title = "the tiles of a balanced split cannot be made",
     .meaning = "Balanced tiles are carried out after the schedule is finished: each tile is one "
                "inner loop of its "
                "own length. Here a block does not cover a tile by one inner loop, or an index "
                "needs the start of "
                "each tile to be a multiple of the factor.",
     .remedy = "Use tail='guard' or tail='peel' for this split."},
    {.code = "lower.shift_inwards",
     .title = "the last tile cannot be moved inwards",
     .meaning = "Moving the last tile back computes some points twice, which a reduction would add "
                "twice; it also "
                "needs room for one whole tile.",
     .remedy = "Use tail='guard' or tail='peel'; an assumption such as n >= 8 gives a symbolic "
               "size the room."},
    {.code = "lower.pad",
     .title = "the surplus iterations of a padded split cannot be run",
     .meaning = "tail='pad' drops the condition and computes the surplus. That is right only when "
                "everything indexed "
                "by the loop has room for it (buffers made by the schedule, never arguments), and "
                "when surplus terms "
                "of a reduction leave its result as it is.",
     .remedy = "Read the operands through packed copies padded in that dimension and write through "
               "cache_write, or "
               "use tail='guard' or 'peel'.",
     .example = R"py(sch.split(j, 16, tail="pad")  # lower.pad: C is an argument
copy = sch.cache_write(sch.get_block(C))  # C_global has room
sch.pack(sch.get_block(C), B, "(k, n) -> (n // 16, k, n % 16)", pad={1: 16}))py"},
    {.code = "lower.register_index",
     .title = "an element of a register buffer is not known at compile time",
     .meaning = "Buffers of scope register become scalars and vectors, so each access must name "
                "its element by "
                "constants once the loops around it are unrolled or vectorized. The message names "
                "the loops that "
                "still run.",
     .remedy = "Unroll or vectorize these loops, or use scope 'local'."},
    {.code = "lower.register_lanes",
     .title = "elements of a register buffer are accessed as different vectors",
     .meaning = "A vector register holds one group of neighbouring elements; here two accesses cut "
                "the buffer into "
                "groups differently.",
     .remedy = "Vectorize all loops over the buffer by one factor, starting at the same element."},
    {.code = "lower.unroll_extent",
     .title = "an unrolled loop has no constant extent",
     .meaning = "Unrolling writes the body once an iteration.",
     .remedy = "split the loop by a constant factor and unroll the inner loop."},
    {.code = "lower.unroll_size",
     .title = "unrolling gives too much code",
     .meaning = "The unrolled loops together would make more statements than any machine runs "
                "well, and the compiler "
                "would need minutes.",
     .remedy = "split the loop and unroll only the inner part."},
    {.code = "lower.vectorize_extent",
     .title = "a vectorized loop has no constant extent",
     .meaning =
         "The iterations of a vectorized loop become the lanes of vectors, whose number is fixed.",
     .remedy = "split the loop by a constant factor and vectorize the inner loop."},
    {.code = "lower.vectorize",
     .title = "a statement inside of a vectorized loop has no form with lanes",
     .meaning = "Loops, allocations and calls with effects inside of a vectorized loop, or whose "
                "extent depends on "
                "it, cannot be run for all lanes at once.",
     .remedy = "Vectorize a loop further in, or move what the message names out of the loop."},
    {.code = "lower.layout",
     .title = "a physical dimension of a layout has no upper bound",
     .meaning = "The place of an element is computed from the extents of the physical dimensions, "
                "so each must have "
                "one.",
     .remedy = "Build the layout map of quotients and remainders of the dimensions by constants."},
    {.code = "lower.swizzle",
     .title = "a swizzled layout on a CPU",
     .meaning = "Swizzles spread neighbouring elements over the memory banks of a GPU; a CPU has "
                "no use for them.",
     .remedy = "Leave the swizzle out for target cpu."},
    {.code = "lower.versions",
     .title = "a buffer has several versions that nothing chooses among",
     .meaning =
         "Double-buffered buffers have versions, and each access must say which one it means.",
     .remedy = "Remove double_buffer from the schedule for this target."},
    {.code = "lower.extern_layout",
     .title = "a buffer given to an extern function has a layout of its own",
     .meaning = "The function is given the address of an element and expects the elements to lie "
                "row by row.",
     .remedy = "Copy the buffer by cache_read or cache_write first."},
    {.code = "lower.target",
     .title = "there is no lowering for this kind of target",
     .meaning = "This version lowers programs for CPUs.",
     .remedy = "Use target 'cpu'."},
    {.code = "lower.level",
     .title = "the function has been lowered already",
     .meaning = "lower takes a function of blocks, as scheduled, and gives one of flat loops.",
     .remedy = "Lower the schedule, or use the function as it is."},
    {.code = "lower.unknown_pass",
     .title = "there is no pass of that name to skip",
     .meaning = "LowerOptions.skip lists passes of the pipeline by name.",
     .remedy = "Use the name suggested."},
    // ---- codegen ----
    {.code = "codegen.alloc_size",
     .title = "the size of a buffer is not known when the function is entered",
     .meaning = "Memory for intermediate buffers is counted once, at the entry; this extent "
                "depends on a loop.",
     .remedy = "Give the buffer its largest size."},
    {.code = "codegen.barrier",
     .title = "a barrier on target cpu",
     .meaning = "Barriers join the threads of a GPU block; CPU threads meet at the end of a "
                "parallel loop.",
     .remedy = "Leave the barrier out for target cpu."},
    {.code = "codegen.thread_loop",
     .title = "a loop is bound to threads that the target does not have",
     .meaning = "Block and thread indices belong to GPUs.",
     .remedy = "Use parallel and vectorize for target cpu."},
    {.code = "codegen.scope",
     .title = "a buffer has a storage scope that the target does not have",
     .meaning = "shared, warp and fragment are memories of a GPU.",
     .remedy = "Use global, local or register for target cpu."},
    {.code = "codegen.extern",
     .title = "nothing defines a C function that the program calls",
     .meaning = "An extern function is looked up among the symbols of the process, or in the "
                "objects that a library "
                "is linked with.",
     .remedy =
         "Load the library that defines it first, or name its object file in link_with=[...]."},
    {.code = "codegen.intrinsic",
     .title = "an intrinsic is not defined on this dtype",
     .meaning = "Mathematical functions take floats, bit operations take integers.",
     .remedy = "Convert the argument with cast."},
    {.code = "codegen.jit",
     .title = "LLVM could not load the code it made",
     .meaning = "The text behind the colon is LLVM's. Mostly a symbol that the code calls is not "
                "in the process.",
     .remedy = "Load the library that defines the symbol before building."},
    {.code = "codegen.level",
     .title = "the back end was given a function that is not lowered",
     .meaning = "Code is made from flat loops.",
     .remedy = "Call lower first, or build, which does."},
    {.code = "codegen.link",
     .title = "a shared library could not be linked",
     .meaning = "Linking needs a temporary folder, a linker and a place to write; the message "
                "holds what the system "
                "or the linker said.",
     .remedy = "Correct what it names: permissions, free space, the path."},
    {.code = "codegen.no_linker",
     .title = "there is no linker on this machine",
     .meaning = "A shared library is linked by ld.lld, ld or cc, found on PATH.",
     .remedy = "Install one (Debian: apt-get install binutils), or write an object file or a "
               "static archive."},
    {.code = "codegen.name",
     .title = "a function's name cannot be a symbol, or is taken",
     .meaning = "The function `name` is exported as tw_name, and tw_name_workspace beside it; the "
                "symbols of one "
                "library differ.",
     .remedy = "Give the functions different names of letters, digits and _."},
    {.code = "codegen.opt_level",
     .title = "opt_level is not 0 to 3",
     .meaning = "opt_level says how much LLVM optimises: 0 for quick compilation, 3 for speed.",
     .remedy = "Give 0, 1, 2 or 3."},
    {.code = "codegen.size_expression",
     .title = "an extent is no integer arithmetic",
     .meaning = "The manifest of a library states the shapes of its arguments as sums, products, "
                "quotients, "
                "remainders, minima and maxima of sizes.",
     .remedy = "Write the shape with these operators."},
    {.code = "codegen.source_kind",
     .title = "there is no source of that kind",
     .meaning = "The CPU back end shows its code as LLVM IR or assembly.",
     .remedy = "Ask for 'llvm' or 'asm'."},
    {.code = "codegen.target",
     .title = "this LLVM makes no code for the target",
     .meaning = "The triple names an architecture that the installed LLVM does not know, or the "
                "kind of target has no "
                "back end here.",
     .remedy =
         "Use a target of kind cpu with an architecture that LLVM has, such as x86_64 or aarch64."},
    {.code = "codegen.unbound_size",
     .title = "a size is no whole dimension of any tensor",
     .meaning = "The entry of a function reads sizes off the shapes of its arguments; n * 2 alone "
                "does not give n.",
     .remedy = "Make the size a scalar argument, or the whole dimension of a tensor."},
};

}  // namespace

std::span<const Row> lowering_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
