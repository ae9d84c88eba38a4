#pragma once

#include <string_view>

namespace tilewright::runtime {

/// The bytes of a relocatable ELF object for this machine's arch that defines, hidden,
/// `tw_default_parallel_for` and `tw_missing_cpu_feature` and needs libc alone: what a library made
/// ahead of time is linked with. In the CMake target `tw_standalone`.
std::string_view standalone_object();

/// The text of tilewright/runtime/abi.h: what the header of a deployed library begins with, so that it needs
/// no other file.
std::string_view abi_header();

}  // namespace tilewright::runtime
