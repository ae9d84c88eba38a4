// Instructions derived from tiles of programs: they fit where they came from, and travel with a failure.

#include "fuzz/tile_instruction.h"

#include <catch2/catch.hpp>

#include "tilewright/fuzz/fuzz.h"
#include "tilewright/ir/text.h"
#include "unit/te/programs.h"

namespace tilewright::fuzz {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

// A matmul with a 4 x 4 tile inside; `apart`: its init before the loops.
Schedule tiled_matmul(bool apart, Loop& tile) {
  te::Tensor a = te::placeholder({8, 6}, kFloat32, "A"), b = te::placeholder({6, 8}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(6, "k");
  te::Tensor c = te::compute(
      {8, 8}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  Schedule sch(te::create_prim_func({a, b, c}, "matmul"));
  const BlockRef block = sch.get_block("C");
  const std::vector<Loop> loops = sch.get_loops(block);
  const std::vector<Loop> i = sch.split_factor(loops[0], 4), j = sch.split_factor(loops[1], 4);
  if (apart) {
    sch.reorder({i[0], j[0], loops[2], i[1], j[1]});
    sch.decompose_reduction(block, loops[2]);
  } else {
    sch.reorder({i[0], j[0], i[1], j[1]});
  }
  tile = i[1];
  return sch;
}

}  // namespace

TEST_CASE("an instruction derived from a tile fits it", "[fuzz]") {
  for (const bool apart : {false, true}) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      Loop tile{};
      Schedule sch = tiled_matmul(apart, tile);
      Rng rng(seed);
      const auto instruction = tile_instruction(sch.func(), tile.id, "tile0", rng);
      REQUIRE(instruction);
      INFO(ir::to_text(instruction->reference) << ir::to_text(instruction->implementation));
      sch.declare_instruction(*instruction);
      sch.tensorize(tile, "tile0");
      Subject subject;
      subject.func = sch.original();
      const Verdict verdict = check(subject, sch);
      INFO(verdict.message);
      CHECK_FALSE(verdict.faulty());

      Failure failure;
      failure.subject = subject;
      failure.trace = sch.sealed_trace();
      failure.instructions = sch.instructions();
      const Failure read = Failure::from_json(failure.to_json());
      REQUIRE(read.instructions.count("tile0") == 1);
      CHECK(ir::structural_equal(read.instructions.at("tile0").implementation,
                                 instruction->implementation));
      CHECK_FALSE(rerun(read).faulty());
      CHECK(read.python().find("declare_instruction(\"tile0\"") != std::string::npos);
      CHECK(read.cpp().find("instructions[\"tile0\"]") != std::string::npos);
    }
  }
}

TEST_CASE("what is no tile has no instruction", "[fuzz]") {
  Loop tile{};
  Schedule sch = tiled_matmul(false, tile);
  Rng rng(1);
  const std::vector<Loop> loops = sch.get_loops(sch.get_block("C"));
  CHECK_FALSE(tile_instruction(sch.func(), loops[0].id, "whole", rng));  // 384 points
  sch.split_factor(loops[4], 4);                                         // of 6: a condition
  CHECK_FALSE(tile_instruction(sch.func(), tile.id, "guarded", rng));
}

}  // namespace tilewright::fuzz
