// The Goto nest by hand: the whole scheduled program as a golden text, and its values over many shapes.

#include "benchmarks/kernels/goto_matmul.h"

#include "support/golden.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using kernels::goto_matmul;
using kernels::GotoBlocking;
using kernels::matmul_program;
using schedule::Schedule;

Schedule symbolic(const GotoBlocking& blocking = {}) {
  return goto_matmul(matmul_program(te::var("m"), te::var("n"), te::var("k")), blocking);
}

Sizes sizes_of(int64_t m, int64_t n, int64_t k) { return {{"m", m}, {"n", n}, {"k", k}}; }

// Several blocks in each direction already at small sizes.
GotoBlocking small_blocks() {
  GotoBlocking blocking;
  blocking.row_tiles = 2;
  blocking.column_tiles = 2;
  blocking.kc = 16;
  return blocking;
}

}  // namespace

TEST_CASE("goto: the golden program", "[golden]") {
  const Schedule sch = symbolic();
  CHECK(replay_difference(sch) == "");
  CHECK(race_difference(sch, sizes_of(13, 18, 5)) == "");
  CHECK(golden_difference("schedule/goto_matmul.tw", ir::to_text(sch.func())) == "");
}

TEST_CASE("goto: one kernel for any shape", "[golden]") {
  std::vector<Sizes> shapes = {sizes_of(1, 1, 1),  sizes_of(6, 16, 16), sizes_of(24, 64, 32),
                               sizes_of(0, 5, 3),  sizes_of(5, 0, 3),   sizes_of(5, 3, 0),
                               sizes_of(7, 17, 1), sizes_of(1, 40, 40), sizes_of(40, 1, 33)};
  Rng rng(7);
  for (int draw = 0; draw < 8; ++draw) {
    shapes.push_back(sizes_of(rng.between(1, 40), rng.between(1, 40), rng.between(1, 40)));
  }
  check_schedule(symbolic(small_blocks()), shapes);
}

TEST_CASE("goto: constant shapes", "[golden]") {
  Rng rng(11);
  for (int draw = 0; draw < 5; ++draw) {
    const int64_t m = rng.between(1, 40), n = rng.between(1, 40), k = rng.between(1, 40);
    INFO(m << " x " << n << " x " << k);
    check_schedule(goto_matmul(matmul_program(m, n, k), small_blocks()));
  }
}

TEST_CASE("goto: 127x65x33 and larger ones with the blocks of the benchmark", "[golden][slow]") {
  check_schedule(goto_matmul(matmul_program(127, 65, 33)));
  check_schedule(goto_matmul(matmul_program(100, 50, 400)));
  check_schedule(symbolic(), {sizes_of(127, 65, 33), sizes_of(97, 40, 385)});
}

}  // namespace tilewright::testing
