#include "tilewright/api/library.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/codegen_options.h"
#include "tilewright/codegen/c_header.h"
#include "tilewright/codegen/extern_symbols.h"
#include "tilewright/support/suggest.h"
#include "tilewright/te/prim_func.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormatWords[] = {"so", "obj", "llvm", "asm"};

// A name beside `path` for the unfinished file, which is removed unless it was renamed.
class PendingFile {
 public:
  explicit PendingFile(const std::string& path, const char* tail = "")
      : path_(path), pending_(fmt::format("{}.{}{}.tmp", path, getpid(), tail)) {}
  ~PendingFile() {
    std::error_code ignored;
    fs::remove(pending_, ignored);
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& name() const { return pending_; }
  void write(std::string_view bytes) const {
    std::ofstream stream(pending_, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) fail("library.path", "cannot write '{}': {}", path_, strerror(errno));
  }
  void rename() const {
    std::error_code error;
    fs::rename(pending_, path_, error);
    if (error) fail("library.path", "cannot write '{}': {}", path_, error.message());
  }

 private:
  std::string path_, pending_;
};

// What is in the way is found before anything is compiled.
void check_path(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (path.empty() || fs::path(path).filename().empty()) {
    fail("library.path", "'{}' is no name of a file", path);
  }
  if (fs::is_directory(path, error)) fail("library.path", "'{}' is a folder", path);
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    fail("library.path", "'{}' is no regular file, and a library would replace it", path);
  }
  const std::string shown = folder.empty() ? "." : folder.string();
  if (!fs::exists(shown, error)) {
    fail("library.path", "cannot write '{}': the folder '{}' does not exist", path, shown);
  }
  if (!fs::is_directory(shown, error)) {
    fail("library.path", "cannot write '{}': '{}' is no folder", path, shown);
  }
  if (access(shown.c_str(), W_OK | X_OK) != 0) {
    fail("library.path", "cannot write '{}': no permission to write in '{}'", path, shown);
  }
}

ir::PrimFunc with_attrs(const LibraryFunction& function) {
  const ir::PrimFunc& func = function.program.func();
  if (!func.defined()) fail("build.undefined", "there is no function to build");
  ir::Attrs attrs = func->attrs;
  if (!function.records.empty()) {
    std::string ids;
    for (const std::string& id : function.records) ids += (ids.empty() ? "" : ",") + id;
    attrs["records"] = ids;
  }
  double count = function.operation_count;
  if (count <= 0 && func->level == ir::Level::kScheduled) {
    count = te::operation_count(func).value_or(0);
  }
  if (count > 0) attrs["operation_count"] = count;
  return ir::PrimFunc(new ir::PrimFuncNode(func->name, func->params, func->assumptions,
                                           func->allocs, func->body, func->level,
                                           std::move(attrs)));
}

// Says which C function is missing where the linker only names a symbol.
void link_library(const std::vector<ir::PrimFunc>& funcs, const std::string& object,
                  const std::string& path, const std::vector<std::string>& link_with) {
  std::vector<std::string> inputs = {object};
  inputs.insert(inputs.end(), link_with.begin(), link_with.end());
  try {
    codegen::link_shared(inputs, path);
  } catch (const Error& error) {
    for (const ir::PrimFunc& func : funcs) {
      for (const std::string& symbol : codegen::extern_symbols(func)) {
        const std::string text = error.what();
        if (text.find("undefined") == std::string::npos || text.find(symbol) == std::string::npos) {
          continue;
        }
        fail("codegen.extern",
             "'{}' calls the C function '{}', which nothing defines that '{}' is linked from; name "
             "the "
             "object file or library (LibraryOptions::link_with, in Python link_with=[...])",
             func->name, symbol, path);
      }
    }
    throw;
  }
}

std::string header_path(const std::string& path) {
  const std::string header = fs::path(path).replace_extension(".h").string();
  return header == path ? path + ".h" : header;
}

}  // namespace

std::string to_string(LibraryFormat format) { return kFormatWords[static_cast<int>(format)]; }

LibraryFormat parse_library_format(std::string_view word) {
  for (size_t i = 0; i < std::size(kFormatWords); ++i) {
    if (word == kFormatWords[i]) return static_cast<LibraryFormat>(i);
  }
  const std::vector<std::string> words(std::begin(kFormatWords), std::end(kFormatWords));
  fail("library.format", "unknown format '{}'{}", word, suggestion(words, word));
}

LibraryFiles compile_library(const std::vector<LibraryFunction>& functions, const std::string& path,
                             const Target& target, const LibraryOptions& options) {
  check_path(path);
  if (header_path(path) == path + ".h") {
    fail("library.path", "'{}' would be the name of the header; name the library lib<name>.so",
         path);
  }
  if (functions.empty()) fail("build.undefined", "there is no function to build");
  std::vector<ir::PrimFunc> flat;
  for (const LibraryFunction& function : functions) {
    flat.push_back(lowered(with_attrs(function), target, options.build));
  }
  const codegen::LlvmOptions llvm = detail::llvm_options(options.build, target);
  LibraryFiles files;
  files.library = path;
  const PendingFile pending(path);
  if (options.format == LibraryFormat::kLlvm || options.format == LibraryFormat::kAsm) {
    pending.write(codegen::emit_text(flat, target, to_string(options.format), llvm));
    pending.rename();
    return files;
  }
  const std::vector<char> object = codegen::emit_object(flat, target, llvm, &files.info);
  files.header = header_path(path);
  const PendingFile header(files.header);
  header.write(codegen::emit_c_header(files.info, fs::path(path).stem().string()));
  if (options.format == LibraryFormat::kObject) {
    pending.write({object.data(), object.size()});
    pending.rename();
  } else {
    const PendingFile part(path, ".o");
    part.write({object.data(), object.size()});
    link_library(flat, part.name(), path, options.link_with);
  }
  header.rename();
  return files;
}

}  // namespace tilewright
