// Whole programs: tensor expressions, scheduled by the default rule, lowered and run, against the
// interpreter on the unscheduled program.

#include <catch2/catch.hpp>

#include "flat.h"
#include "tilewright/lower/lower.h"
#include "tilewright/schedule/schedule.h"
#include "unit/te/programs.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

std::string difference(const Program& program, const ir::PrimFunc& scheduled, const Sizes& sizes,
                       const Target& target, int num_threads) {
  std::vector<HostTensor> wanted = make_arguments(program.func, sizes), got = wanted;
  interpret_on(program.func, wanted);
  const ir::PrimFunc func = lower::lower(scheduled, target);
  std::vector<HostTensor*> tensors;
  for (HostTensor& tensor : got) tensors.push_back(&tensor);
  call(compile(func, {}, target), tensors, num_threads);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string text = first_difference(got[i], wanted[i], program.tolerance);
    if (!text.empty()) return fmt::format("argument {}: {}", i, text);
  }
  return "";
}

}  // namespace

TEST_CASE("the programs of the language give the interpreter's results") {
  const Target target = Target::parse(GENERATE("cpu", "cpu -arch=x86_64 -features=+avx2,+fma,+f16c",
                                               "cpu -arch=x86_64 -features=+sse2"));
  for (const Program& program : all_programs()) {
    const schedule::Schedule sch = schedule::default_schedule(program.func);
    for (const Sizes& sizes : program.sizes) {
      INFO(program.name << " for " << target.to_string());
      CHECK(difference(program, program.func, sizes, target, 1) == "");
      CHECK(difference(program, sch.func(), sizes, target, 3) == "");
    }
  }
}
