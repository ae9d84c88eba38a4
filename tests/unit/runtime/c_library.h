#pragma once

#include <string>

namespace tilewright::testing {

/// A folder of this process under the system's temporary folder, removed at exit.
const std::string& scratch_folder();

/// Runs a shell command; throws with its output when it fails.
std::string run_command(const std::string& command);

/// Compiles `data/<source>` with `cc -shared` and `flags` to `<scratch>/<output>`; returns the path.
std::string build_c_library(const std::string& source, const std::string& output,
                            const std::string& flags = "");

/// True while this process has the file mapped.
bool is_mapped(const std::string& path);

}  // namespace tilewright::testing
