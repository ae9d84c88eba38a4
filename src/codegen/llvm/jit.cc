#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/DynamicLibrary.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "codegen/llvm/compile.h"
#include "codegen/llvm/target_machine.h"
#include "tilewright/codegen/extern_symbols.h"
#include "tilewright/runtime/abi.h"
#include "tilewright/support/error.h"

namespace tilewright::codegen {
namespace {

template <typename T>
T check(llvm::Expected<T> value, const char* what) {
  if (!value) fail("codegen.jit", "{}: {}", what, llvm::toString(value.takeError()));
  return std::move(*value);
}

void check(llvm::Error error, const char* what) {
  if (error) fail("codegen.jit", "{}: {}", what, llvm::toString(std::move(error)));
}

template <typename F>
llvm::orc::ExecutorSymbolDef address_of(F* function) {
  return {llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

// What generated code may call, so that it does not depend on what the process makes visible.
llvm::orc::SymbolMap library_functions(llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, auto* function) {
    symbols[jit.mangleAndIntern(name)] = address_of(function);
  };
  using F1 = float(float);
  using D1 = double(double);
  using F2 = float(float, float);
  using D2 = double(double, double);
  using F3 = float(float, float, float);
  using D3 = double(double, double, double);
#define TILEWRIGHT_LIBM(name)           \
  add(#name, static_cast<D1*>(::name)); \
  add(#name "f", static_cast<F1*>(::name##f));
  TILEWRIGHT_LIBM(exp)
  TILEWRIGHT_LIBM(exp2)
  TILEWRIGHT_LIBM(log)
  TILEWRIGHT_LIBM(log2)
  TILEWRIGHT_LIBM(log1p)
  TILEWRIGHT_LIBM(expm1)
  TILEWRIGHT_LIBM(tanh)
  TILEWRIGHT_LIBM(erf)
  TILEWRIGHT_LIBM(sin)
  TILEWRIGHT_LIBM(cos)
  TILEWRIGHT_LIBM(floor)
  TILEWRIGHT_LIBM(ceil)
  TILEWRIGHT_LIBM(trunc)
#undef TILEWRIGHT_LIBM
  add("pow", static_cast<D2*>(::pow));
  add("powf", static_cast<F2*>(::powf));
  add("fma", static_cast<D3*>(::fma));
  add("fmaf", static_cast<F3*>(::fmaf));
  add("memcpy", ::memcpy);
  add("memmove", ::memmove);
  add("memset", ::memset);
  add("snprintf", ::snprintf);
  add("printf", ::printf);
  add("posix_memalign", ::posix_memalign);
  add("free", ::free);
  add("tw_default_parallel_for", ::tw_default_parallel_for);
  return symbols;
}

// The C functions that the code calls: given by address, or visible in this process.
llvm::orc::SymbolMap extern_functions(llvm::orc::LLJIT& jit, const std::vector<ir::PrimFunc>& funcs,
                                      const std::map<std::string, void*>& given) {
  llvm::orc::SymbolMap symbols;
  for (const ir::PrimFunc& func : funcs) {
    for (const std::string& name : extern_symbols(func)) {
      const auto found = given.find(name);
      void* address = found != given.end()
                          ? found->second
                          : llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name);
      if (!address) {
        fail("codegen.extern",
             "'{}' calls the C function '{}', which is not a symbol of this process; give its "
             "address "
             "(BuildOptions::externs, in Python build(..., externs={{\"{}\": function}}))",
             func->name, name, name);
      }
      symbols[jit.mangleAndIntern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
  }
  return symbols;
}

std::unique_ptr<llvm::orc::LLJIT> make_jit(const Target& target, const LlvmOptions& options) {
  llvm::TargetMachine& machine = target_machine(target, options);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(machine.getTargetTriple()));
  builder.setDataLayout(machine.createDataLayout());
  // Objects without constructors or thread-local data need no platform.
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  return check(builder.create(), "cannot start the JIT");
}

}  // namespace

std::shared_ptr<runtime::Module> jit(const std::vector<ir::PrimFunc>& funcs, const Target& target,
                                     const LlvmOptions& options) {
  llvm::LLVMContext context;
  BuiltModule built = build_module(context, funcs, target, options, /*ahead_of_time=*/false);
  const auto object = generate(*built.module, target, options, FileKind::kObject);
  std::shared_ptr<llvm::orc::LLJIT> engine = make_jit(target, options);
  llvm::orc::JITDylib& library = engine->getMainJITDylib();
  check(library.define(llvm::orc::absoluteSymbols(library_functions(*engine))),
        "cannot define library functions");
  if (auto externs = extern_functions(*engine, funcs, options.externs); !externs.empty()) {
    check(library.define(llvm::orc::absoluteSymbols(std::move(externs))),
          "cannot define extern functions");
  }
  const auto prefix = engine->getDataLayout().getGlobalPrefix();
  library.addGenerator(check(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix),
                             "no process symbols"));
  const llvm::StringRef bytes(object.data(), object.size());
  check(engine->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(bytes, "tilewright")),
        "cannot add the object");

  std::vector<runtime::Function> functions;
  for (const runtime::FunctionInfo& info : built.info.functions) {
    const auto find = [&](const std::string& name) {
      return check(engine->lookup(name), "cannot link the object");
    };
    const auto entry = find("tw_" + info.name).toPtr<tw_entry_fn>();
    const auto workspace = info.has_workspace
                               ? find("tw_" + info.name + "_workspace").toPtr<tw_workspace_fn>()
                               : nullptr;
    functions.emplace_back(entry, info, engine, workspace, target.features);
  }
  return std::make_shared<runtime::Module>(
      runtime::Module::from_functions(std::move(built.info), std::move(functions)));
}

}  // namespace tilewright::codegen
