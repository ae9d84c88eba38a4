#include <fmt/format.h>

#include "tilewright/api/build.h"
#include "tilewright/api/testing.h"
#include "tilewright/fuzz/fuzz.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {
namespace {

using schedule::Schedule;
using schedule::Trace;
using testing::CheckOptions;
using Arrays = std::map<std::string, runtime::NDArray>;

Verdict fault(std::string kind, std::string message) {
  return {std::move(kind), std::move(message), {}};
}

Verdict check_replay(const Schedule& sch) {
  const Trace sealed = sch.sealed_trace();
  const std::string json = sealed.to_json();
  try {
    const Trace read = Trace::from_json(json);
    if (!(read == sealed)) return fault("replay", "the trace changes on its way through JSON");
    const auto again = Schedule::try_replay(sch.original(), read, sch.instructions());
    if (!again) {
      return fault("replay", fmt::format("the trace is refused when it is replayed: {}: {}",
                                         again.error().code, again.error().reason));
    }
    if (!ir::structural_equal(again->func(), sch.func())) {
      return fault("replay", "the replayed trace gives another program:\n" + again->show());
    }
    if (!(again->sealed_trace() == sealed)) {
      return fault("replay", "the replayed schedule records another trace");
    }
  } catch (const Error& error) {
    return fault("replay", error.code() + ": " + error.what());
  }
  return {};
}

Verdict check_text(const ir::PrimFunc& func, const char* which) {
  const std::string text = ir::to_text(func);
  try {
    if (!ir::structural_equal(ir::parse_func(text), func)) {
      return fault("text",
                   fmt::format("the {} program, printed and parsed, is another one", which));
    }
  } catch (const Error& error) {
    return fault("text", fmt::format("the {} program cannot be parsed after printing: {}: {}",
                                     which, error.code(), error.what()));
  }
  return {};
}

std::string instance_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}={} ", name, value);
  return text.empty() ? "" : "with " + text.substr(0, text.size() - 1) + ": ";
}

CheckOptions options_for(const Subject& subject, const Sizes& sizes) {
  CheckOptions options;
  options.sizes = sizes;
  options.seed = subject.seed;
  options.rtol = options.atol = subject.tolerance;
  return options;
}

// Runs the interpreter on a program that was made from the subject's.
Verdict check_interpreted(const ir::PrimFunc& func, const Arrays& wanted,
                          const CheckOptions& options, const std::string& kind) {
  Arrays got;
  try {
    got = testing::interpret(func, options);
  } catch (const Error& error) {
    return fault(error.code() == "interp.race" ? "race" : kind, error.code() + ": " + error.what());
  }
  for (const auto& [name, value] : wanted) {
    const std::string text = testing::difference(got.at(name), value, options.rtol, options.atol);
    if (!text.empty()) {
      return fault(kind, fmt::format("the interpreter on the {} program: output '{}': {}", kind,
                                     name, text));
    }
  }
  return {};
}

Verdict check_instance(const Subject& subject, const Schedule& sch, const ir::PrimFunc& flat,
                       const CompiledKernel& kernel, const Sizes& sizes) {
  CheckOptions options = options_for(subject, sizes);
  Arrays wanted;
  try {
    wanted = testing::interpret(sch.original(), options);
  } catch (const Error& error) {
    // Sizes that the program is not made for: excluded by its assumptions, or its own reads go outside (a boundary
    // condition of an empty tensor). No schedule is to blame.
    if (error.code() == "interp.assumption" || error.code() == "interp.out_of_bounds") return {};
    return fault("error " + error.code(),
                 std::string("the interpreter on the unscheduled program: ") + error.what());
  }
  options.check_init = options.check_races = true;
  Verdict verdict = check_interpreted(sch.func(), wanted, options, "scheduled");
  if (verdict.faulty() || !flat.defined()) return verdict;
  options.check_races = false;
  verdict = check_interpreted(flat, wanted, options, "lowered");
  if (verdict.faulty() || !kernel.defined()) return verdict;
  options.interpret_steps = false;
  options.expected = wanted;
  try {
    testing::assert_allclose(kernel, sch.original(), options);
  } catch (const Error& error) {
    return fault("compiled", error.code() + ": " + error.what());
  }
  return {};
}

Verdict check_parts(const Subject& subject, const Schedule& sch, CheckDepth depth) {
  Verdict verdict = check_replay(sch);
  if (verdict.faulty()) return verdict;
  verdict = check_text(sch.func(), "scheduled");
  if (verdict.faulty()) return verdict;
  ir::PrimFunc flat;
  CompiledKernel kernel;
  std::string late;
  try {
    BuildOptions build_options;
    // Small programs spend more time in LLVM's back end than running.
    build_options.opt_level = sch.trace().instructions.size() % 4 == 0 ? 2 : 0;
    if (depth == CheckDepth::kCompile) {
      kernel = build(Program(sch), Target::host(), build_options);
      flat = kernel.lowered_funcs()[0];
    } else {
      flat = lowered(Program(sch));
    }
  } catch (const Error& error) {
    if (!error.code().starts_with("lower.")) {
      return fault("error " + error.code(), std::string("building: ") + error.what());
    }
    late = error.code();
  }
  if (flat.defined()) {
    verdict = check_text(flat, "lowered");
    if (verdict.faulty()) return verdict;
  }
  for (const Sizes& sizes : subject.sizes) {
    verdict = check_instance(subject, sch, flat, kernel, sizes);
    if (!verdict.faulty()) continue;
    verdict.message = instance_text(sizes) + verdict.message;
    return verdict;
  }
  verdict.refused_late = late;
  return verdict;
}

}  // namespace

Subject make_subject(const ProgramSpec& spec, uint64_t data_seed) {
  return {build_program(spec), spec.sizes, spec.tolerance, spec, data_seed};
}

Verdict check(const Subject& subject, const Schedule& sch, CheckDepth depth) {
  try {
    return check_parts(subject, sch, depth);
  } catch (const Error& error) {
    return fault("error " + error.code(), error.what());
  } catch (const std::exception& error) {
    return fault("error std", error.what());
  }
}

}  // namespace tilewright::fuzz
