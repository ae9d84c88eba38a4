#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "build.undefined",
     .title = "there is no function to build",
     .meaning = "The function is empty (default-made), or the list of functions has no element.",
     .remedy = "Pass the function that te.create_prim_func gave, or a schedule of it."},
    {.code = "build.malformed",
     .title = "the function is not well-formed",
     .meaning = "The verifier found faults, listed one a line. Functions made by te and changed by "
                "primitives are "
                "always well-formed; those built by hand or parsed may not be.",
     .remedy = "Correct the faults listed."},
    {.code = "build.foreign_target",
     .title = "this machine cannot run code for the target",
     .meaning = "build makes code to be run here and now; the target asks for another architecture "
                "or for CPU "
                "features that this machine lacks.",
     .remedy = "Build for target 'cpu', or use compile_library, which writes a file for the other "
               "machine."},
    {.code = "build.opt_level",
     .title = "opt_level is not 0 to 3",
     .meaning = "opt_level says how much LLVM optimises.",
     .remedy = "Give 0, 1, 2 or 3."},
    {.code = "build.source_kind",
     .title = "there is no source of that kind",
     .meaning = "A program can be shown as ir, lowered, llvm or asm.",
     .remedy = "Use one of the kinds that the message lists."},
    {.code = "build.no_source",
     .title = "a loaded library has no source",
     .meaning = "A library file holds machine code and its manifest.",
     .remedy = "Call get_source on the program or schedule that it was built from."},
    {.code = "library.format",
     .title = "there is no library format of that name",
     .meaning = "A library is written as a shared library, a static archive or an object file.",
     .remedy = "Use the format suggested."},
    {.code = "library.path",
     .title = "the library cannot be written there",
     .meaning = "The folder does not exist, is no folder, or may not be written to; or the path "
                "names a folder.",
     .remedy = "Make the folder, or choose another path."},
    // ---- targets ----
    {.code = "target.unknown_kind",
     .title = "the text names no kind of target",
     .meaning = "A target is a kind (cpu, cuda, opencl) followed by options: \"cpu -arch=x86_64 "
                "-features=avx2\".",
     .remedy = "Begin with a kind; \"cpu\" alone is this machine."},
    {.code = "target.unknown_option",
     .title = "this kind of target has no such option",
     .meaning = "Each kind of target has its own options.",
     .remedy = "Use the option suggested."},
    {.code = "target.unknown_feature",
     .title = "the architecture has no CPU feature of that name",
     .meaning = "Features are named as LLVM names them, such as avx2, fma, avx512f or neon.",
     .remedy = "Use the name suggested."},
    {.code = "target.duplicate_option",
     .title = "a target option is given twice",
     .meaning = "Each option has one value.",
     .remedy = "Remove one of them."},
    {.code = "target.bad_value",
     .title = "a target option has a value that it cannot have",
     .meaning =
         "The message tells what is expected: a range of numbers, an architecture, a power of two.",
     .remedy = "Give such a value."},
    // ---- loading ----
    {.code = "module.not_found",
     .title = "there is no library file at that path",
     .meaning = "The path does not exist or a folder on the way cannot be entered.",
     .remedy = "Check the path; relative ones start at the working directory."},
    {.code = "module.not_loadable",
     .title = "the file cannot be loaded as a shared library",
     .meaning = "It is for another architecture, damaged, no regular file, or needs symbols that "
                "are not there; the "
                "text behind the colon is the dynamic linker's.",
     .remedy = "Build the library for this machine, as a shared library."},
    {.code = "module.no_manifest",
     .title = "the file is not a library of Tilewright",
     .meaning = "Libraries of Tilewright carry a manifest, which says what functions they hold and "
                "how to call them.",
     .remedy = "Load a file that compile_library or `tilewright compile` wrote."},
    {.code = "module.bad_manifest",
     .title = "the library's manifest cannot be read",
     .meaning =
         "The manifest is JSON of a documented form; this one is damaged or was written by hand.",
     .remedy = "Build the library again."},
    {.code = "module.abi_version",
     .title = "the library was made for another call interface",
     .meaning =
         "The layout of calls has a version, and the library's differs from that of this runtime.",
     .remedy = "Build the library again with this version of Tilewright."},
    {.code = "module.bad_symbol",
     .title = "the library lacks a function that its manifest lists",
     .meaning = "Every function of the manifest must be an exported symbol. Linking with other "
                "objects, or stripping, "
                "may have removed it.",
     .remedy = "Link the objects again and keep the symbols that begin with tw_."},
    {.code = "module.undefined",
     .title = "a module that was never loaded is used",
     .meaning = "A default-made Module holds no library.",
     .remedy = "Assign the result of load or build first."},
    {.code = "module.unknown_function",
     .title = "the library has no function of that name",
     .meaning = "Functions are listed in the library's manifest; without a name there must be "
                "exactly one.",
     .remedy = "Use one of the names that the message lists."},
};

}  // namespace

std::span<const Row> build_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
