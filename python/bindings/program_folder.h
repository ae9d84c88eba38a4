#pragma once

#include <string>

namespace tilewright::python {

/// Folder of the worker programs that belong to this module: beside it, in tilewright/bin of an installed package, or
/// in bin/ of the build. Throws Error "measure.worker" naming the folders looked at.
std::string program_folder();

}  // namespace tilewright::python
