// Whole texts of the refusals of storage, hint and sampling primitives.

#include "golden/errors_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using schedule::Value;

const std::vector<Refused>& storage_refusals() {
  static const std::vector<Refused> table = {
      {"cache_read.unknown_buffer", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_read(b, "D"); };
       }},
      {"cache_read.scope", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_read(b, "A", "cache"); };
       }},
      {"cache_read.shared_loops", chain,
       [](Schedule& s) -> Step {
         const BlockRef c = s.get_block("C");
         s.compute_at(s.get_block("B"), s.get_loops(c)[0]);
         return [=](Schedule& t) { t.cache_read(c, "B"); };
       }},
      {"cache_write.write_index", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_write(b, "global", 1); };
       }},
      {"cache_write.several_writers", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         s.decompose_reduction(b, s.get_loops(b)[0]);
         return [=](Schedule& t) { t.cache_write(b); };
       }},
      {"cache_write.shared_loops", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         s.compute_at(b, loops_of(s, "C")[0]);
         return [=](Schedule& t) { t.cache_write(b); };
       }},
      {"set_scope.parameter", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.set_scope(b, "local"); };
       }},
      {"transform_layout.map", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.transform_layout(b, "(i, j) -> (i // 2, j)"); };
       }},
      {"pack.map", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.pack(b, "A", "(m, k) -> (m // n, k)"); };
       }},
      {"pack.pad", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.pack(b, "A", "(m, k) -> (k, m)", {{2, 4}}); };
       }},
      {"annotate.key", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.annotate(i, "pragma", 1); };
       }},
      {"annotate.place", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.annotate(i, "parallel_chunk", 4); };
       }},
      {"annotate.value", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.parallel(i);
         return [=](Schedule& t) { t.annotate(i, "parallel_chunk", "many"); };
       }},
      {"get_block.unknown", softmax,
       [](Schedule&) -> Step { return [](Schedule& t) { t.get_block("row_mean"); }; }},
      {"sample_perfect_tile.extent", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_perfect_tile(i, 2, 0, "tile"); };
       }},
      {"sample_perfect_tile.symbolic_extent", layernorm,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "mean")[0];
         return [=](Schedule& t) { t.sample_perfect_tile(i, 2, 8, "tile"); };
       }},
      {"sample_tile.count", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_tile(i, 1, {2, 4}, "tile"); };
       }},
      {"sample_tile.candidates", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_tile(i, 2, {}, "tile"); };
       }},
      {"sample_categorical.weights", matmul,
       [](Schedule&) -> Step {
         return [](Schedule& t) { t.sample_categorical({1, 2}, {0, 0}, "choice"); };
       }},
      {"sample_categorical.name", matmul,
       [](Schedule& s) -> Step {
         s.sample_categorical({1, 2}, {}, "choice");
         return [](Schedule& t) { t.sample_categorical({1, 2}, {}, "choice"); };
       }},
      {"cache_write.scope", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_write(b, "cache"); };
       }},
      {"set_scope.scope", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.set_scope(b, "stack"); };
       }},
      {"set_scope.write_index", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.set_scope(b, "local", 1); };
       }},
      {"transform_layout.parameter", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.transform_layout(b, "(i, j) -> (j, i)"); };
       }},
      {"transform_layout.write_index", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.transform_layout(b, "(i, j) -> (j, i)", 1); };
       }},
      {"pack.unknown_buffer", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.pack(b, "D", "(m, k) -> (k, m)"); };
       }},
      {"pack.scope", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.pack(b, "A", "(m, k) -> (k, m)", {}, "cache"); };
       }},
      {"pack.shared_loops", chain,
       [](Schedule& s) -> Step {
         const BlockRef c = s.get_block("C");
         s.compute_at(s.get_block("B"), s.get_loops(c)[0]);
         return [=](Schedule& t) { t.pack(c, "B", "(i, j) -> (j, i)"); };
       }},
      {"sample_perfect_tile.count", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_perfect_tile(i, 9, 8, "tile"); };
       }},
      {"sample_perfect_tile.name", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_perfect_tile(i, 2, 8, ""); };
       }},
      {"sample_perfect_tile.decision", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.preset_decisions({{"tile", Value::List{3, 6}}});
         return [=](Schedule& t) { t.sample_perfect_tile(i, 2, 8, "tile"); };
       }},
      {"sample_tile.name", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_tile(i, 2, {2, 4}, "tile[0]"); };
       }},
      {"sample_tile.decision", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.preset_decisions({{"tile", Value::List{0, 5}}});
         return [=](Schedule& t) { t.sample_tile(i, 2, {2, 4}, "tile"); };
       }},
      {"sample_categorical.candidates", matmul,
       [](Schedule&) -> Step {
         return [](Schedule& t) { t.sample_categorical({1, 2}, {0.5}, "choice"); };
       }},
      {"sample_categorical.decision", matmul,
       [](Schedule& s) -> Step {
         s.preset_decisions({{"choice", 3}});
         return [](Schedule& t) { t.sample_categorical({1, 2}, {}, "choice"); };
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of storage, hint and sampling primitives", "[golden]") {
  check_refusals(storage_refusals());
}

}  // namespace tilewright::testing
