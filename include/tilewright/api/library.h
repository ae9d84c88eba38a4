#pragma once

#include <string>
#include <vector>

#include "tilewright/api/build.h"

/// \file
/// From a program to a file that other programs call, with or without Tilewright.

namespace tilewright {

enum class LibraryFormat : uint8_t {
  kSharedLibrary,  ///< linked; needs libc and libm alone
  kObject,         ///< relocatable; linking it needs the object of runtime/standalone.h as well
  kLlvm,           ///< LLVM IR as text
  kAsm,            ///< assembly as text
};

/// "so", "obj", "llvm", "asm".
std::string to_string(LibraryFormat format);
/// Inverse of `to_string`. Throws Error library.format, naming the nearest word.
LibraryFormat parse_library_format(std::string_view word);

struct LibraryOptions {
  LibraryFormat format = LibraryFormat::kSharedLibrary;
  BuildOptions build = {};
  /// Object files and libraries that define the C functions which te::extern_call names, for a shared library.
  std::vector<std::string> link_with = {};
};

/// One function of a library.
struct LibraryFunction {
  LibraryFunction(Program p) : program(std::move(p)) {}  // NOLINT
  LibraryFunction(Program p, std::vector<std::string> r, double count)
      : program(std::move(p)), records(std::move(r)), operation_count(count) {}

  Program program;
  std::vector<std::string> records = {};  ///< ids of the tuning records behind its schedule
  double operation_count = 0;  ///< arithmetic operations of one call; 0: counted here if possible
};

/// What was written.
struct LibraryFiles {
  std::string library;
  std::string header;         ///< the C header; "" for the text formats
  runtime::LibraryInfo info;  ///< the manifest; empty for the text formats
};

/// Compiles functions into a file at `path`, with the C header beside it (libmm.so: libmm.h). Files are
/// written under another name and renamed, so a reader never sees half of one and a library in use is
/// replaced, not overwritten.
///
/// A shared library exports, for each function, `tw_<name>` (see runtime/abi.h) and a manifest, and depends
/// on libc and libm only. `runtime::Module::load` loads it.
///
/// Throws Error codegen.extern for a C function that none of `link_with` defines, library.path when the path cannot be written, codegen.no_linker when a shared library is
/// asked for and there is no linker, and what `lowered` and code generation throw.
LibraryFiles compile_library(const std::vector<LibraryFunction>& functions, const std::string& path,
                             const Target& target = Target::host(),
                             const LibraryOptions& options = {});

}  // namespace tilewright
