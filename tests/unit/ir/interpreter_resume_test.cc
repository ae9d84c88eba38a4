#include <catch2/catch.hpp>

#include "interp_support.h"
#include "ir/interp/compiler.h"
#include "ir/interp/machine.h"

using namespace tilewright;
using namespace tilewright::ir;
using namespace tilewright::ir::testing;

// Several lanes over one machine, each stopped at its barriers: what running threads together needs.
TEST_CASE("interpreter: lanes are suspended at barriers and taken up again") {
  const int threads = 4, rounds = 3;
  Buffer shared = make_buffer("S", kInt64, {threads}), c = make_buffer("C", kInt64, {threads});
  Var t("t"), r("r");
  const Stmt barrier(new BarrierNode(Scope::kShared));
  // Each round publishes the thread's value and adds the right neighbour's, inside a loop.
  const Expr neighbour = load(shared, {floor_mod(t + 1, threads)});
  Stmt body = seq({store(c, {t}, cast(kInt64, t)),
                   make_for(0, r, rounds,
                            seq({vector_store(shared, t, load(c, {t})), barrier,
                                 vector_store(c, t, load(c, {t}) * 10 + neighbour), barrier}))});
  PrimFunc f =
      make_func({{{}, t, ParamRole::kInput}, output(shared), output(c)}, body, Level::kDevice);

  const InterpOptions options;
  const interp::Program program = interp::Compiler(options).compile(f);
  interp::Machine machine(program, options);
  std::vector<int64_t> memory(threads), result(threads);
  interp::set_shape(machine.buffer(0), {threads});
  interp::set_shape(machine.buffer(1), {threads});
  machine.buffer(0).data = reinterpret_cast<std::byte*>(memory.data());
  machine.buffer(1).data = reinterpret_cast<std::byte*>(result.data());
  std::vector<interp::LaneState> lanes;
  for (int64_t lane = 0; lane < threads; ++lane) {
    lanes.push_back(machine.make_lane());
    lanes.back().registers[program.params[0].var.reg] = interp::Cell::of(lane);
  }
  int barriers = 0;
  for (bool done = false; !done;) {
    for (interp::LaneState& lane : lanes) done = machine.run(lane) == interp::Stop::kDone;
    barriers += !done;
  }
  CHECK(barriers == 2 * rounds);

  std::vector<int64_t> expected = {0, 1, 2, 3};
  for (int round = 0; round < rounds; ++round) {
    const std::vector<int64_t> old = expected;
    for (int i = 0; i < threads; ++i) expected[i] = old[i] * 10 + old[(i + 1) % threads];
  }
  CHECK(result == expected);
}
