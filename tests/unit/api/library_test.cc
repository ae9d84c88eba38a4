#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/expect_error.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tw-library-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(path_)) {
      result.push_back(entry.path().filename().string());
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::string path_;
};

std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

ir::PrimFunc add(double value, const std::string& name) {
  const te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n, 4}, kFloat32, "A");
  te::Tensor b = te::compute(
      {n, 4}, [&](te::Var i, te::Var j) { return a(i, j) + ir::make_float(kFloat32, value); }, "B");
  return te::create_prim_func({a, b}, name);
}

TEST_CASE("A library has its functions, its manifest and its header", "[library]") {
  const Folder folder;
  LibraryFunction first(default_schedule(add(1, "add_one")));
  first.records = {"r-1", "r-2"};
  first.operation_count = 4000;
  const LibraryFiles files =
      compile_library({first, Program(add(2, "add_two"))}, folder.file("libadd.so"));
  CHECK(folder.names() == std::vector<std::string>{"libadd.h", "libadd.so"});
  CHECK(files.header == folder.file("libadd.h"));

  const Module module = load(files.library);
  CHECK(module.function_names() == std::vector<std::string>{"add_one", "add_two"});
  CHECK(module.info().functions[0].records == std::vector<std::string>{"r-1", "r-2"});
  CHECK(module.info().functions[0].operation_count == 4000);
  CHECK(module.info().functions[1].operation_count == 0);  // its sizes are symbolic
  CHECK(runtime::to_manifest(module.info()) == runtime::to_manifest(files.info));
  const std::vector<Arg> inputs = {NDArray::zeros({3, 4}, kFloat32)};
  CHECK(module.get("add_one").invoke(inputs).at(0).data_as<float>()[11] == 1);
  CHECK(module.get("add_two").invoke(inputs).at(0).data_as<float>()[11] == 2);

  const std::string header = read(files.header);
  for (const char* part : {"int32_t tw_add_one(const tw_call* call);", "typedef struct tw_call",
                           "input A: float32 (n, 4)", "extern const char tw_manifest[];"}) {
    INFO(part);
    CHECK(header.find(part) != std::string::npos);
  }
}

TEST_CASE("The header alone is enough for a C compiler", "[library]") {
  const Folder folder;
  compile_library({Program(add(1, "f"))}, folder.file("liba.so"));
  compile_library({Program(add(1, "g"))}, folder.file("libb.so"));
  std::ofstream(folder.file("main.c"))
      << "#include \"liba.h\"\n#include \"libb.h\"\n#include \"liba.h\"\n"
         "int main(void) { return tw_f(0) != tw_g(0) || TW_ABI_VERSION != 1; }\n";
  for (const char* compiler : {"cc -std=c99", "c++ -std=c++17 -x c++"}) {
    INFO(compiler);
    CHECK(std::system(fmt::format("{} -Wall -Wextra -pedantic -Werror -fsyntax-only {}", compiler,
                                  folder.file("main.c"))
                          .c_str()) == 0);
  }
}

TEST_CASE("Object files and texts need no linker", "[library]") {
  const Folder folder;
  LibraryOptions options;
  options.format = LibraryFormat::kObject;
  const LibraryFiles object =
      compile_library({Program(add(1, "f"))}, folder.file("f.o"), Target::host(), options);
  CHECK(read(object.library).substr(0, 4) ==
        "\x7f"
        "ELF");
  CHECK(object.header == folder.file("f.h"));
  options.format = LibraryFormat::kLlvm;
  compile_library({Program(add(1, "f"))}, folder.file("f.ll"), Target::host(), options);
  CHECK(read(folder.file("f.ll")).find("define") != std::string::npos);
  options.format = LibraryFormat::kAsm;
  CHECK(
      compile_library({Program(add(1, "f"))}, folder.file("f.s"), Target::host(), options).header ==
      "");
  CHECK(read(folder.file("f.s")).find("tw_f:") != std::string::npos);
  CHECK(folder.names() == std::vector<std::string>{"f.h", "f.ll", "f.o", "f.s"});
  CHECK(parse_library_format("obj") == LibraryFormat::kObject);
  expect_error("library.format", {"'lvm'", "'llvm'"}, [] { parse_library_format("lvm"); });
}

TEST_CASE("A library that is loaded is replaced, not overwritten", "[library]") {
  const Folder folder;
  const std::string path = folder.file("libf.so");
  const auto call = [](const Function& function) {
    const std::vector<Arg> inputs = {NDArray::zeros({1, 4}, kFloat32)};
    return function.invoke(inputs).at(0).data_as<float>()[0];
  };
  compile_library({Program(add(1, "f"))}, path);
  const Function old_one = load(path).get();
  compile_library({Program(add(2, "f"))}, path);
  const Function new_one = load(path).get();
  CHECK(call(old_one) == 1);
  CHECK(call(new_one) == 2);
  CHECK(call(old_one) == 1);
}

TEST_CASE("Paths that cannot be written are refused and nothing is left", "[library]") {
  const Folder folder;
  const auto compile_to = [](const std::string& path) {
    return [path] { compile_library({Program(add(1, "f"))}, path); };
  };
  fs::create_directory(folder.file("folder"));
  std::ofstream(folder.file("plain")) << "x";
  expect_error("library.path", {"is a folder"}, compile_to(folder.file("folder")));
  expect_error("library.path", {"does not exist"}, compile_to(folder.file("none/lib.so")));
  expect_error("library.path", {"is no folder"}, compile_to(folder.file("plain/lib.so")));
  expect_error("library.path", {"no name"}, compile_to(""));
  expect_error("build.undefined", {}, [&] { compile_library({}, folder.file("x.so")); });
  CHECK(folder.names() == std::vector<std::string>{"folder", "plain"});
  CHECK(read(folder.file("plain")) == "x");
}

}  // namespace
}  // namespace tilewright
