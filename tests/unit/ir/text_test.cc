#include "tilewright/ir/text.h"

#include <catch2/catch.hpp>

#include "random_ir.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/rng.h"

using namespace tilewright;
using namespace tilewright::ir;
using Catch::Matchers::Contains;
using tilewright::testing::RandomIr;

namespace {

constexpr Level kLevels[] = {Level::kScheduled, Level::kFlat, Level::kDevice};

std::vector<int64_t> ids_of(const PrimFunc& func) {
  std::vector<int64_t> ids;
  walk_stmts(func->body, [&](const Stmt& stmt) {
    if (auto* loop = stmt.as<ForNode>()) ids.push_back(loop->id);
    if (auto* realize = stmt.as<BlockRealizeNode>()) {
      ids.push_back(realize->block->id);
      for (const Conjunct& conjunct : realize->guard) ids.push_back(conjunct.loop);
    }
  });
  for (const Buffer& buffer : func->allocs) ids.push_back(buffer->alloc_at.loop);
  return ids;
}

}  // namespace

TEST_CASE("random programs survive printing and parsing at every level", "[text]") {
  for (Level level : kLevels) {
    for (uint64_t seed = 0; seed < 400; ++seed) {
      PrimFunc func = RandomIr(seed).func(level);
      INFO("level " << spelling(level) << " seed " << seed);
      const std::vector<std::string> faults = verify(func);
      INFO(to_text(func));
      REQUIRE(faults == std::vector<std::string>{});
      const std::string text = to_text(func);
      PrimFunc again;
      REQUIRE_NOTHROW(again = parse_func(text));
      REQUIRE(structural_equal(func, again));
      REQUIRE(structural_hash(func) == structural_hash(again));
      REQUIRE(ids_of(func) == ids_of(again));
      REQUIRE(to_text(again) == text);
      REQUIRE(verify(again).empty());
      REQUIRE_FALSE(to_pretty(func).empty());
    }
  }
}

TEST_CASE("damaged text gives an error or a program, never a crash", "[text]") {
  const std::string pieces[] = {"(",  ")", "{",   "}",           "[",       "]",    ",", ":",
                                "..", "#", "@",   "where",       "-",       "int8", "0", "x8",
                                "\"", "`", "for", "99999999999", "reduce(", "n"};
  Rng rng(11);
  int parsed = 0;
  for (int round = 0; round < 3000; ++round) {
    const Level level = kLevels[rng.below(2)];
    std::string text = to_text(RandomIr(rng.below(60)).func(level));
    for (uint64_t edits = rng.below(3); edits < 3; ++edits) {
      const size_t at = rng.below(text.size());
      switch (rng.below(3)) {
        case 0: text.erase(at, rng.below(12)); break;
        case 1: text.insert(at, pieces[rng.below(std::size(pieces))]); break;
        default: text[at] = static_cast<char>(rng.between(32, 126));
      }
      if (text.empty()) text = "x";
    }
    try {
      PrimFunc func = parse_func(text);
      ++parsed;
      verify(func);
      INFO(text);
      REQUIRE(structural_equal(func, parse_func(to_text(func))));
    } catch (const Error& e) {
      INFO(text);
      REQUIRE(e.code() == "ir.parse");
    }
  }
  CHECK(parsed > 50);
}
