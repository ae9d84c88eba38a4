#include "calls.h"
#include "casters.h"
#include "evaluator.h"
#include "tilewright/api/library.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using runtime::Function;

// Compiled in this process (with its sources) or loaded from a library (without).
struct CompiledModule {
  runtime::Module module;
  std::optional<CompiledKernel> kernel;
};

Target target_or_host(const std::optional<TargetLike>& target) {
  return target ? target->target : Target::host();
}

using Dump = std::function<void(const std::string&, const ir::PrimFunc&)>;

BuildOptions build_options(bool checked, bool contract_fma, int opt_level, bool verify_each,
                           std::vector<std::string> skip_passes, std::optional<Dump> dump_after) {
  if (opt_level < 0 || opt_level > 3) {
    fail("build.opt_level", "opt_level must be 0, 1, 2 or 3, got {}", opt_level);
  }
  BuildOptions options;
  options.checked = checked;
  options.contract_fma = contract_fma;
  options.opt_level = opt_level;
  options.verify_each = verify_each;
  options.skip_passes = std::move(skip_passes);
  if (dump_after) {
    options.dump_after = [dump = *dump_after](std::string_view pass, const ir::PrimFunc& func) {
      dump(std::string(pass), func);
    };
  }
  return options;
}

// Addresses as ints, or functions of ctypes.
std::map<std::string, void*> to_addresses(const std::map<std::string, py::object>& externs) {
  std::map<std::string, void*> result;
  for (const auto& [symbol, value] : externs) {
    py::object address = value;
    if (!PyLong_Check(value.ptr())) {
      const py::module_ ctypes = py::module_::import("ctypes");
      address = ctypes.attr("cast")(value, ctypes.attr("c_void_p")).attr("value");
    }
    result[symbol] = reinterpret_cast<void*>(py::cast<uintptr_t>(address));
  }
  return result;
}

CompiledModule build_module(const std::vector<Program>& programs, const Target& target,
                            const BuildOptions& options) {
  const py::gil_scoped_release release;
  CompiledModule result;
  result.kernel = build(programs, target, options);
  result.module = result.kernel->module();
  return result;
}

std::vector<Program> to_programs(py::handle source) {
  std::vector<Program> programs;
  for (const py::object& item : one_or_many(source)) {
    programs.push_back(py::cast<ProgramLike>(item).get());
  }
  return programs;
}

std::string source_of(const CompiledModule& module, const std::string& kind) {
  if (!module.kernel) {
    fail("build.no_source",
         "a loaded library holds machine code alone; build the program to see its source");
  }
  return module.kernel->get_source(kind);
}

void bind_class(py::module_& m) {
  py::class_<CompiledModule>(
      m, "Module",
      "Compiled functions. `module(a, b)` calls the only one; `module[\"name\"]` takes one "
      "of several.")
      .def_property_readonly("function_names",
                             [](const CompiledModule& c) { return c.module.function_names(); })
      .def(
          "__getitem__",
          [](const CompiledModule& c, const std::string& name) { return c.module.get(name); },
          py::arg("name"), "Raises CallError (module.unknown_function) naming the nearest one.")
      .def_property_readonly(
          "function", [](const CompiledModule& c) { return c.module.get(); }, "The only function.")
      .def_property_readonly(
          "signature", [](const CompiledModule& c) { return c.module.get().info().signature(); })
      .def_property_readonly(
          "target", [](const CompiledModule& c) { return c.module.info().target; },
          "Text of the target it was compiled for.")
      .def(
          "__call__",
          [](const CompiledModule& c, const py::args& inputs, const py::object& out,
             const py::object& threads, const py::kwargs& others) {
            return call(c.module.get(), inputs, out, threads, others);
          },
          py::arg("out") = py::none(), py::arg("threads") = py::none(),
          "Calls the only function; see Function.__call__.")
      .def("get_source", &source_of, py::arg("kind") = "ir",
           "kind: 'ir' (as scheduled), 'lowered' (plain loops), 'llvm' or 'asm'. Raises BuildError "
           "(build.source_kind, build.no_source).")
      .def(
          "time_evaluator",
          [](const CompiledModule& c, int number, int repeat, double min_repeat_ms, int warmup,
             bool flush_cache, const py::object& threads) {
            return make_evaluator(c.module.get(), number, repeat, min_repeat_ms, warmup,
                                  flush_cache, threads);
          },
          py::arg("number") = 1, py::arg("repeat") = 5, py::arg("min_repeat_ms") = 0.0,
          py::arg("warmup") = 1, py::arg("flush_cache") = false, py::arg("threads") = py::none(),
          "See Function.time_evaluator.")
      .def("__repr__", [](const CompiledModule& c) {
        std::string text = "<Module";
        for (const std::string& name : c.module.function_names()) {
          text += " " + c.module.get(name).info().signature();
        }
        return text + ">";
      });
}

void bind_library(py::module_& m) {
  py::class_<LibraryFiles>(m, "LibraryFiles", "What compile_library wrote.")
      .def_readonly("library", &LibraryFiles::library)
      .def_readonly("header", &LibraryFiles::header, "The C header; '' for the text formats.");
  m.def(
      "compile_library",
      [](const py::object& programs, const py::object& path,
         const std::optional<TargetLike>& target, const std::string& format, bool checked,
         bool contract_fma, int opt_level, std::vector<std::string> link_with) {
        std::vector<LibraryFunction> functions;
        for (const Program& program : to_programs(programs)) functions.emplace_back(program);
        LibraryOptions options;
        options.format = parse_library_format(format);
        options.link_with = std::move(link_with);
        options.build = build_options(checked, contract_fma, opt_level, false, {}, std::nullopt);
        const Target made_for = target_or_host(target);
        const auto file = py::cast<std::string>(py::module_::import("os").attr("fspath")(path));
        const py::gil_scoped_release release;
        return compile_library(functions, file, made_for, options);
      },
      py::arg("programs"), py::arg("path"), py::arg("target") = py::none(), py::kw_only(),
      py::arg("format") = "so", py::arg("checked") = false, py::arg("contract_fma") = true,
      py::arg("opt_level") = 2, py::arg("link_with") = std::vector<std::string>(),
      "Compiles one program or a list into a file, with the C header beside it. format: 'so', "
      "'obj', 'llvm', "
      "'asm'. A .so needs libc and libm alone; tw.load loads it. link_with: object files and "
      "libraries with the C functions that te.extern_call names. Raises BuildError (library.path, "
      "library.format, codegen.no_linker, codegen.extern).");
  m.def(
      "load",
      [](const py::object& path, bool global_symbols) {
        const auto file = py::cast<std::string>(py::module_::import("os").attr("fspath")(path));
        return CompiledModule{runtime::Module::load(file, {global_symbols}), std::nullopt};
      },
      py::arg("path"), py::kw_only(), py::arg("global_symbols") = false,
      "Loads a compiled library. Raises CallError: module.not_found, module.not_loadable, "
      "module.no_manifest, "
      "module.abi_version.");
}

}  // namespace

void bind_module(py::module_& m) {
  bind_class(m);
  bind_library(m);
  m.def(
      "build",
      [](const py::object& programs, const std::optional<TargetLike>& target, bool checked,
         bool contract_fma, int opt_level, bool verify_each, std::vector<std::string> skip_passes,
         std::optional<Dump> dump_after, const std::map<std::string, py::object>& externs) {
        BuildOptions options = build_options(checked, contract_fma, opt_level, verify_each,
                                             std::move(skip_passes), std::move(dump_after));
        options.externs = to_addresses(externs);
        return build_module(to_programs(programs), target_or_host(target), options);
      },
      py::arg("programs"), py::arg("target") = py::none(), py::kw_only(),
      py::arg("checked") = false, py::arg("contract_fma") = true, py::arg("opt_level") = 2,
      py::arg("verify_each") = false, py::arg("skip_passes") = std::vector<std::string>(),
      py::arg("dump_after") = py::none(), py::arg("externs") = std::map<std::string, py::object>(),
      "Compiles a Schedule or PrimFunc, or a list of them with different names, for this "
      "process.\n\n"
      "checked: data-dependent indices and divisions are tested while the code runs. contract_fma: "
      "a*b+c may be "
      "rounded once. dump_after(pass, func) is called after each pass. externs: addresses of the C "
      "functions that te.extern_call names, as ints or functions of ctypes, which must outlive the "
      "code. Raises BuildError.");
  m.def(
      "lower",
      [](const ProgramLike& program, const std::optional<TargetLike>& target, bool checked,
         std::vector<std::string> skip_passes, std::optional<Dump> dump_after) {
        return lowered(
            program.get(), target_or_host(target),
            build_options(checked, true, 2, false, std::move(skip_passes), std::move(dump_after)));
      },
      py::arg("program"), py::arg("target") = py::none(), py::kw_only(), py::arg("checked") = false,
      py::arg("skip_passes") = std::vector<std::string>(), py::arg("dump_after") = py::none(),
      "The program as plain loops, vectors and flat accesses: what code generation sees. Raises "
      "BuildError.");
  m.def(
      "get_source",
      [](const ProgramLike& program, const std::string& kind,
         const std::optional<TargetLike>& target) {
        return get_source(program.get(), kind, target_or_host(target));
      },
      py::arg("program"), py::arg("kind") = "ir", py::arg("target") = py::none(),
      "Source for any target without building; kinds as Module.get_source.");
  py::object schedule = m.attr("Schedule");
  py::setattr(schedule, "__call__",
              py::cpp_function(
                  [](const schedule::Schedule& sch, const py::args& inputs, const py::object& out,
                     const py::object& threads, const py::kwargs& others) {
                    const CompiledModule compiled =
                        build_module({Program(sch)}, Target::host(), {});
                    return call(compiled.module.get(), inputs, out, threads, others);
                  },
                  py::name("__call__"), py::is_method(schedule), py::arg("out") = py::none(),
                  py::arg("threads") = py::none(),
                  "Compiles and calls; keep tw.build(sch) for more than one call."));
}

}  // namespace tilewright::python
