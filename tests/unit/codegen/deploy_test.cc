// Ahead of time: object, shared library, header.

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "flat.h"
#include "support/expect_error.h"
#include "tilewright/codegen/c_header.h"
#include "tilewright/codegen/link.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

namespace fs = std::filesystem;

// y = exp(x) + 1 in parallel, so that libm and the parallel loop are needed.
ir::PrimFunc program() {
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(1000)});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(1000)});
  const ir::Var i("i");
  return flat(
      {input(x), output(y)},
      ir::make_for(0, i, i64(1000),
                   ir::store(y, {i}, ir::exp(ir::load(x, {i})) + ir::make_float(kFloat32, 1)),
                   ir::ForKind::kParallel),
      {}, "expp1");
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> line;
  while (fgets(line.data(), line.size(), pipe)) text += line.data();
  CHECK(pclose(pipe) == 0);
  return text;
}

struct Folder {
  Folder() : path(fs::temp_directory_path() / fmt::format("tw_deploy_{}", getpid())) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

std::string write_object(const Folder& folder) {
  const std::vector<char> bytes = codegen::emit_object({program()}, Target::host());
  const std::string name = (folder.path / "k.o").string();
  std::ofstream(name, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  return name;
}

}  // namespace

TEST_CASE("a shared library depends on libc and libm only and runs") {
  const Folder folder;
  const std::string object = write_object(folder);
  const std::string library = (folder.path / "libk.so").string();
  codegen::link_shared({object}, library);
  const std::string needed = output_of("readelf -d " + library + " | grep NEEDED");
  CHECK(needed.find("libc.so.6") != std::string::npos);
  CHECK(needed.find("libm.so.6") != std::string::npos);
  CHECK(std::count(needed.begin(), needed.end(), '\n') == 2);
  const std::string exported =
      output_of("nm -D --defined-only " + library + " | cut -d' ' -f3 | sort");
  CHECK(exported == "tw_expp1\ntw_manifest\n");

  const runtime::Module module = runtime::Module::load(library);
  CHECK(module.info().versions.at("llvm") == codegen::llvm_version());
  HostTensor x(kFloat32, {1000}), y(kFloat32, {1000});
  for (int i = 0; i < 1000; ++i) x.put(size_t(i), i / 1000.0);
  for (int threads : {1, 2, 4}) {
    call(module.get("expp1"), {&x, &y}, threads);
    CHECK(y.get(999) == Approx(std::exp(0.999) + 1));
  }
  const std::string header = codegen::emit_c_header(module.info(), "libk");
  CHECK(header.find("int32_t tw_expp1(const tw_call* call);") != std::string::npos);
  CHECK(header.find(" *   0  input x: float32 (1000), compact row-major, aligned to 4 bytes") !=
        std::string::npos);
  const std::string source = (folder.path / "use.c").string();
  std::ofstream(folder.path / "libk.h") << header;
  std::ofstream(source) << "#include \"libk.h\"\nint main(void) { return tw_expp1(0) == 0; }\n";
  output_of("cc -std=c99 -Wall -Werror -fsyntax-only -I" TW_SOURCE_DIR "/include " + source);
}

TEST_CASE("linking what cannot be linked") {
  const Folder folder;
  expect_error("codegen.link", {"libk.so", "missing.o"}, [&] {
    codegen::link_shared({(folder.path / "missing.o").string()},
                         (folder.path / "libk.so").string());
  });
  const std::string object = write_object(folder);
  expect_error("codegen.link", {"no/such/libk.so"},
               [&] { codegen::link_shared({object}, (folder.path / "no/such/libk.so").string()); });
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("several functions in one library, compiled by several threads") {
  const Folder folder;
  std::vector<ir::PrimFunc> funcs;
  for (const char* name : {"first", "second"}) {
    const ir::PrimFunc func = program();
    funcs.push_back(flat(func->params, func->body, {}, name));
  }
  std::vector<std::thread> threads;
  std::vector<std::vector<char>> objects(4);
  for (size_t i = 0; i < objects.size(); ++i) {
    threads.emplace_back([&, i] {
      codegen::LlvmOptions options;
      options.loop_strength_reduction = i % 2 == 0;
      objects[i] = codegen::emit_object(funcs, Target::host(), options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(objects[0] == objects[2]);
  CHECK(objects[1] == objects[3]);
  const std::string object = (folder.path / "k.o").string();
  std::ofstream(object, std::ios::binary)
      .write(objects[0].data(), std::streamsize(objects[0].size()));
  const std::string library = (folder.path / "libk.so").string();
  codegen::link_shared({object}, library);
  const runtime::Module module = runtime::Module::load(library);
  HostTensor x(kFloat32, {1000}), y(kFloat32, {1000});
  for (size_t i = 0; i < 1000; ++i) x.put(i, 0);
  for (const std::string& name : module.function_names()) {
    call(module.get(name), {&x, &y}, 2);
    CHECK(y.get(500) == 2);
  }
  CHECK(module.function_names() == std::vector<std::string>{"first", "second"});
  expect_error("codegen.name", {"tw_first"}, [&] {
    codegen::emit_object({funcs[0], funcs[0]}, Target::host());
  });
}

TEST_CASE("no linker") {
  const Folder folder;
  const std::string object = write_object(folder);
  const std::string library = (folder.path / "libk.so").string();
  expect_error("codegen.no_linker", {"no-such-ld", "binutils"},
               [&] { codegen::link_shared({object}, library, {"no-such-ld"}); });
  codegen::link_shared({object}, library, {"no-such-ld", "cc"});
  CHECK(runtime::Module::load(library).function_names() == std::vector<std::string>{"expp1"});
}

TEST_CASE("the same function gives the same bytes") {
  CHECK(codegen::emit_object({program()}, Target::host()) ==
        codegen::emit_object({program()}, Target::host()));
}

TEST_CASE("other architectures and vector widths") {
  const Target arm = Target::parse("cpu -arch=aarch64 -features=+neon");
  CHECK(codegen::emit_text({program()}, arm, "asm").find("fadd") != std::string::npos);
  const Target wide = Target::parse("cpu -arch=x86_64 -features=+avx512f -vector-bits=512");
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(16)});
  const ir::Expr at = ir::ramp(i64(0), i64(1), 16);
  const ir::PrimFunc func =
      flat({output(y)}, ir::store(y, {at}, ir::load(y, {at}) + ir::load(y, {at})));
  CHECK(codegen::emit_text({func}, wide, "asm").find("%zmm") != std::string::npos);
}
