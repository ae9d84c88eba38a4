#include <catch2/catch.hpp>
#include <set>

#include "random_ir.h"
#include "sample_ir.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

using namespace tilewright;
using namespace tilewright::ir;
using tilewright::testing::RandomIr;
using tilewright::testing::SampleMatmul;

namespace {

// Equal programs must have equal hashes; different ones should not collide.
void check_differs(const PrimFunc& a, const PrimFunc& b) {
  CHECK_FALSE(structural_equal(a, b));
  CHECK(structural_hash(a) != structural_hash(b));
}

}  // namespace

TEST_CASE("names and ids do not count, everything else does", "[structural]") {
  const PrimFunc base = SampleMatmul().func();
  SampleMatmul same;
  same.m = Var("rows");
  same = SampleMatmul();
  same.block_id = 99;
  CHECK(structural_equal(base, same.func()));
  CHECK(structural_hash(base) == structural_hash(same.func()));
  CHECK(structural_equal(base, parse_func(to_text(base))));

  SECTION("a kind of loop") {
    SampleMatmul other;
    other.row_kind = ForKind::kSerial;
    check_differs(base, other.func());
  }
  SECTION("a tail policy") {
    SampleMatmul other;
    other.guard[0].tail = Tail::kPeel;
    check_differs(base, other.func());
  }
  SECTION("which variable is used") {
    SampleMatmul other;
    std::swap(other.values[0], other.values[1]);
    check_differs(base, other.func());
  }
  SECTION("which buffer is read") {
    SampleMatmul other;
    other.body = Stmt(new UpdateNode(
        other.reducer, {other.c}, {other.vi, other.vj},
        {load(other.a, {other.vi, other.vk}) * load(other.a, {other.vk, other.vj})}));
    check_differs(base, other.func());
  }
  SECTION("a reducer") {
    SampleMatmul other;
    other.reducer = reducers::max(kFloat32);
    check_differs(base, other.func());
  }
  SECTION("an assumption") {
    SampleMatmul other;
    other.assumptions.push_back(floor_mod(other.m, 8) == 0);
    check_differs(base, other.func());
  }
  SECTION("a parameter's role and flags") {
    SampleMatmul other;
    other.params[2].role = ParamRole::kInout;
    check_differs(base, other.func());
    SampleMatmul free;
    free.params[1].layout_free = true;
    check_differs(base, free.func());
  }
  SECTION("the level and the name") {
    CHECK_FALSE(structural_equal(base, with_body(base, base->body, Level::kFlat)));
  }
  SECTION("the sign of zero") {
    SampleMatmul other;
    other.init = store(other.c, {other.vi, other.vj}, -0.0);
    check_differs(base, other.func());
  }
}

TEST_CASE("a buffer's place is compared by corresponding loops", "[structural]") {
  auto with_alloc = [](int64_t loop, int64_t shift) {
    SampleMatmul s;
    s.allocs.push_back(Buffer(new BufferNode("T", kFloat32, {8}, Scope::kLocal, {}, {}, 0,
                                             {AllocAt::Kind::kLoop, loop + shift})));
    int64_t next = shift;
    // Renumber the loops in order: 1, 2, 3, 4 become shift+1, ...
    PrimFunc f = s.func();
    return with_body(f, refresh_bindings(f->body, [&] { return ++next; }));
  };
  CHECK(structural_equal(with_alloc(2, 0), with_alloc(2, 50)));
  CHECK(structural_hash(with_alloc(2, 0)) == structural_hash(with_alloc(2, 50)));
  check_differs(with_alloc(2, 0), with_alloc(1, 50));
}

TEST_CASE("free variables equal only themselves", "[structural]") {
  Var x("x"), y("y"), t("t"), u("u");
  CHECK(structural_equal(x + 1, x + 1));
  CHECK_FALSE(structural_equal(x + 1, y + 1));
  CHECK(structural_equal(let(t, x, t * t), let(u, x, u * u)));
  CHECK(structural_hash(let(t, x, t * t)) == structural_hash(let(u, x, u * u)));
  CHECK_FALSE(structural_equal(let(t, x, t * x), let(u, x, u * u)));
  // One variable on the left cannot stand for two on the right.
  CHECK_FALSE(structural_equal(let(t, x, t + t), let(t, x, t + x)));
  CHECK(structural_equal(make_float(kFloat32, std::nan("")), -make_float(kFloat32, std::nan(""))));
}

TEST_CASE("reductions compare over their own axes", "[structural]") {
  Buffer a = make_buffer("A", kFloat32, {8, 8});
  Var i("i");
  auto sum_over = [&](const char* name, bool swapped) {
    Var k(name);
    Expr source = swapped ? load(a, {k, i}) : load(a, {i, k});
    return Expr(new ReduceNode(reducers::sum(kFloat32), {source}, {k},
                               {{make_int(kInt64, 0), make_int(kInt64, 8)}}, {}, 0));
  };
  CHECK(structural_equal(sum_over("k", false), sum_over("r", false)));
  CHECK(structural_hash(sum_over("k", false)) == structural_hash(sum_over("r", false)));
  CHECK_FALSE(structural_equal(sum_over("k", false), sum_over("k", true)));
  CHECK(to_text(sum_over("k", false)) ==
        "reduce(sum(float32), [k: int64 in 0 +: 8], [A[i, k]], 0)");
}

TEST_CASE("random programs rarely share a hash and equal only their copies", "[structural]") {
  std::set<uint64_t> hashes;
  std::vector<PrimFunc> funcs;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    PrimFunc f = RandomIr(seed).func(Level::kScheduled);
    for (const PrimFunc& other : funcs) {
      if (structural_equal(f, other)) REQUIRE(structural_hash(f) == structural_hash(other));
    }
    const bool known = !hashes.insert(structural_hash(f)).second;
    bool repeated = false;
    for (const PrimFunc& other : funcs) repeated |= structural_equal(f, other);
    CHECK(known == repeated);
    int64_t next = 1000;
    PrimFunc copy = with_body(f, refresh_bindings(f->body, [&] { return next++; }));
    if (f->allocs.empty()) {
      CHECK(structural_equal(f, copy));
      CHECK(structural_hash(f) == structural_hash(copy));
    }
    funcs.push_back(f);
  }
}

TEST_CASE("the hash is the same on every machine", "[structural]") {
  // Recorded values: a change here invalidates stored records.
  CHECK(structural_hash(make_int(kInt64, 1)) == 0xf5fe2a0113d22617u);
  CHECK(structural_hash(SampleMatmul().func()) == 0xc823dba4e11c989du);
}
