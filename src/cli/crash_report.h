#pragma once

#include <string>

namespace tilewright::cli {

/// What to write when compiled code or the compiler itself crashes: the handler of SIGSEGV, SIGBUS, SIGFPE, SIGILL and
/// SIGABRT writes `content` to the file `path`, says so on stderr, and ends the process with code 1. For the calling
/// thread; installs the handler at the first call. An empty path: nothing is written.
void set_crash_report(std::string path, std::string content);

}  // namespace tilewright::cli
