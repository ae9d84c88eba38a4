#include <catch2/catch.hpp>

#include "sample_ir.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::ir;
using tilewright::testing::SampleMatmul;

namespace {

// The planted fault must be found: some fault line contains `text`.
void finds(const PrimFunc& f, const std::string& text) {
  const std::vector<std::string> faults = verify(f);
  std::string all;
  for (const std::string& fault : faults) all += fault + "\n";
  INFO("faults:\n" << all);
  CHECK(all.find(text) != std::string::npos);
}

Expr raw(DType dtype, BinaryOp op, Expr a, Expr b) {
  return Expr(new BinaryNode(dtype, op, std::move(a), std::move(b)));
}

Expr i64(int64_t value) { return make_int(kInt64, value); }

Buffer alloc_at(const char* name, int64_t loop) {
  return Buffer(new BufferNode(name, kFloat32, {i64(8)}, Scope::kLocal, {}, {}, 0,
                               {AllocAt::Kind::kLoop, loop}));
}

// A flat function over buffers X (float32, 64 elements) and Y (output).
struct Flat {
  Buffer x = make_buffer("X", kFloat32, {64}), y = make_buffer("Y", kFloat32, {64});
  Var i{"i"};
  std::vector<Buffer> allocs;
  PrimFunc func(Stmt body, Level level = Level::kFlat) const {
    std::vector<Param> params{{x, {}, ParamRole::kInput}, {y, {}, ParamRole::kOutput}};
    return PrimFunc(new PrimFuncNode("copy", params, {}, allocs, std::move(body), level, {}));
  }
  Stmt copy() const { return store(y, {i}, load(x, {i})); }
};

}  // namespace

TEST_CASE("well-formed programs have no faults", "[verify]") {
  CHECK(verify(SampleMatmul().func()) == std::vector<std::string>{});
  Flat flat;
  CHECK(verify(flat.func(make_for(1, flat.i, 64, flat.copy()))) == std::vector<std::string>{});
  CHECK_NOTHROW(verify_or_die(SampleMatmul().func(), "nothing"));
}

TEST_CASE("verify_or_die names the step and every fault", "[verify]") {
  SampleMatmul s;
  s.body = {};
  s.iters.pop_back();
  try {
    verify_or_die(s.func(), "split");
    FAIL("nothing was thrown");
  } catch (const InternalError& e) {
    CHECK_THAT(e.what(), Catch::Contains("malformed after split"));
    CHECK_THAT(e.what(), Catch::Contains("block C: the body of the block is null"));
    CHECK_THAT(e.what(), Catch::Contains("block C: 3 iteration values for 2 variables"));
  }
}

TEST_CASE("faults of blocks are found", "[verify]") {
  SampleMatmul s;
  Var other("other");
  SECTION("unbound in an iteration value") {
    s.values[1] = other;
    finds(s.func(), "variable other is not bound here");
  }
  SECTION("unbound in a guard") {
    s.guard[0].cond = other < 3;
    finds(s.func(), "variable other is not bound here");
  }
  SECTION("a guard over the block's own variables") {
    s.guard[0].cond = s.vi < s.m;
    finds(s.func(), "variable vi is not bound here");
  }
  SECTION("a guard that is no condition") {
    s.guard[0].cond = s.io + 1;
    finds(s.func(), "guard io + 1 has dtype int64");
  }
  SECTION("a loop variable read in the body") {
    s.where = s.j < 3;
    finds(s.func(), "loop variable j is read in a block");
  }
  SECTION("where is no condition") {
    s.where = s.vi;
    finds(s.func(), "where vi has dtype int64");
  }
  SECTION("iteration value of another dtype") {
    s.values[1] = cast(kInt32, s.j);
    finds(s.func(), "variable vj of int64 is given int32");
  }
  SECTION("domain of another dtype") {
    s.iters[1].dom.extent = make_int(kInt32, 32);
    finds(s.func(), "over a domain of int64 and int32");
  }
  SECTION("a variable bound twice") {
    s.iters[1].var = s.vi;
    finds(s.func(), "variable vi is bound twice");
  }
  SECTION("an id taken twice") {
    s.block_id = 2;
    finds(s.func(), "the block has id 2, which is taken");
  }
  SECTION("a reducer without an update") {
    s.body = store(s.c, {s.vi, s.vj}, 1);
    finds(s.func(), "it has reducer sum but no update");
  }
  SECTION("an update without a reducer") {
    s.reducer = {};
    finds(s.func(), "it has an update but no reducer");
    finds(s.func(), "it has an init but no reducer");
    finds(s.func(), "variable vk");
  }
  SECTION("two reducers") {
    s.reducer = reducers::max(kFloat32);
    finds(s.func(), "its reducer is max but it updates by sum");
  }
  SECTION("an init over a reduce variable") {
    s.init = store(s.c, {s.vi, s.vk}, 0);
    finds(s.func(), "its init reads a reduce variable");
  }
  SECTION("a read that is not declared") {
    s.reads.pop_back();
    finds(s.func(), "it reads B but does not declare it");
  }
  SECTION("a write that is not declared") {
    s.writes.clear();
    finds(s.func(), "it writes C but does not declare it");
  }
  SECTION("a region of another rank") {
    s.reads[0].ranges.pop_back();
    finds(s.func(), "reads A of rank 2 as a region of rank 1");
  }
  SECTION("an update of the wrong dtype") {
    s.reducer = reducers::sum(kInt32);
    s.body = Stmt(new UpdateNode(s.reducer, {s.c}, {s.vi, s.vj}, {load(s.a, {s.vi, s.vk})}));
    finds(s.func(), "update of C of float32 by sum over int32");
    finds(s.func(), "with a value of float32");
  }
  SECTION("an update of the wrong arity") {
    s.body = Stmt(new UpdateNode(s.reducer, {s.c, s.c}, {s.vi, s.vj}, {i64(1)}));
    finds(s.func(), "update by sum of 1 values has 2 buffers and 1 values");
  }
  SECTION("a write to an input") {
    s.writes[0].buffer = s.a;
    s.init = {};
    s.body = Stmt(new UpdateNode(s.reducer, {s.a}, {s.vi, s.vj}, {load(s.b, {s.vk, s.vj})}));
    finds(s.func(), "write to A, which is only read");
  }
  SECTION("a load of another rank") {
    s.where = Expr(new LoadNode(kFloat32, s.a, {s.vi})) > 0.0;
    finds(s.func(), "load of A with 1 indices, 2 are needed at level scheduled");
  }
  SECTION("a te reduction left over") {
    s.where = Expr(new ReduceNode(s.reducer, {load(s.a, {s.vi, s.vj})}, {}, {}, {}, 0)) > 0.0;
    finds(s.func(), "reduction sum inside of a function");
  }
}

TEST_CASE("faults of functions are found", "[verify]") {
  SampleMatmul s;
  SECTION("a scalar and a buffer at once") {
    s.params[0].var = Var("z");
    finds(s.func(), "parameter 0 must be a buffer or a scalar");
  }
  SECTION("a shape variable nobody names") {
    s.params.push_back({{}, Var("n"), ParamRole::kShape});
    finds(s.func(), "shape variable n occurs in no parameter's shape");
  }
  SECTION("a shape over an unknown variable") {
    s.params.pop_back();
    finds(s.func(), "the shape of A reads m, which is not known there");
  }
  SECTION("one buffer twice") {
    s.params[1].buffer = s.a;
    finds(s.func(), "buffer A is a parameter twice");
    finds(s.func(), "load of B, which is not declared here");
  }
  SECTION("an alias of nothing") {
    s.params[2].alias_of = 3;
    finds(s.func(), "buffer C aliases parameter 3");
  }
  SECTION("an assumption that is no condition") {
    s.assumptions[0] = s.m;
    finds(s.func(), "assumption m is not bool");
  }
  SECTION("an assumption about data") {
    s.assumptions[0] = load(s.a, {0, 0}) > 0.0;
    finds(s.func(), "an assumption reads a buffer");
  }
  SECTION("an allocation at a loop that does not exist") {
    s.allocs.push_back(alloc_at("T", 77));
    finds(s.func(), "buffer T is allocated at loop #77, which does not exist");
  }
  SECTION("a use outside of the loop of allocation") {
    Buffer t = alloc_at("T", 2);
    s.allocs.push_back(t);
    Stmt inside = s.nest(s.realize());
    finds(s.func(seq({inside, store(t, {0}, 1)})), "buffer T is used outside of loop ii");
  }
  SECTION("declared twice") {
    Buffer t = make_buffer("T", kFloat32, {8});
    s.allocs = {t, t};
    finds(s.func(), "buffer T is declared twice");
  }
  SECTION("faults of a buffer") {
    s.allocs.push_back(Buffer(new BufferNode("T", kFloat32, {i64(-1), i64(8)}, Scope::kGlobal, {},
                                             {{2, 0, i64(1)}}, 48)));
    finds(s.func(), "buffer T has the negative extent -1");
    finds(s.func(), "buffer T: pad of dimension 2 to multiples of 0");
    finds(s.func(), "buffer T: pad value 1 has dtype int64");
    finds(s.func(), "buffer T: alignment 48 is not a power of two");
  }
  SECTION("faults of a layout") {
    Var d("d");
    Layout l(new LayoutNode({d}, {d, s.io}, {i64(1)}, {}, {0}, 0, -1));
    s.allocs.push_back(Buffer(new BufferNode("T", kFloat32, {i64(8), i64(8)}, Scope::kGlobal, l)));
    finds(s.func(), "buffer T: layout over 1 dimensions of 2");
    finds(s.func(), "the layout of T reads io, which is not known there");
    finds(s.func(), "buffer T: 1 strides for 2 physical dimensions");
    finds(s.func(), "buffer T: 1 folds for 2 dimensions");
    finds(s.func(), "buffer T: 0 versions");
    finds(s.func(), "buffer T: swizzle -1");
  }
  SECTION("an Alloc statement, a barrier") {
    Buffer t = make_buffer("T", kFloat32, {8});
    finds(s.func(Stmt(new AllocNode(t, s.nest(s.realize())))),
          "an Alloc statement at level scheduled");
    finds(s.func(Stmt(new BarrierNode(Scope::kShared))), "a barrier at level scheduled");
  }
}

TEST_CASE("faults of flat functions are found", "[verify]") {
  Flat f;
  auto loop = [&](Stmt body, ForKind kind = ForKind::kSerial, Expr extent = i64(64)) {
    return Stmt(new ForNode(1, f.i, extent, kind, ThreadAxis::kNone, {}, body));
  };
  SECTION("a block and an update") {
    SampleMatmul s;
    finds(s.func(s.nest(s.realize()), Level::kFlat), "a block at level flat");
    finds(s.func(s.nest(s.realize()), Level::kFlat), "an update at level flat");
  }
  SECTION("a list of allocations") {
    f.allocs.push_back(make_buffer("T", kFloat32, {8}));
    finds(f.func(loop(f.copy())), "Alloc statements say it there");
  }
  SECTION("n-d accesses") {
    Buffer z = make_buffer("Z", kFloat32, {8, 8});
    finds(f.func(Stmt(new AllocNode(z, store(z, {0, 0}, 1)))),
          "store of Z with 2 indices, 1 are needed at level flat");
  }
  SECTION("a use after the allocation") {
    Buffer z = make_buffer("Z", kFloat32, {8});
    finds(f.func(seq({Stmt(new AllocNode(z, nop())), store(z, {0}, 1)})),
          "store of Z, which is not declared here");
  }
  SECTION("one variable bound within itself") {
    finds(f.func(loop(loop(f.copy()))), "variable i is bound twice");
    CHECK(verify(f.func(seq({loop(f.copy()), loop(f.copy())}))).empty());
  }
  SECTION("a vectorized loop of unknown extent") {
    Var n("n");
    finds(f.func(let_stmt(n, i64(8), loop(f.copy(), ForKind::kVectorized, n))),
          "vectorized, but its extent n is not constant");
  }
  SECTION("a thread axis without its kind") {
    finds(f.func(loop(f.copy(), ForKind::kThread)), "kind thread with thread axis none");
  }
  SECTION("an extent of another dtype") {
    finds(f.func(loop(f.copy(), ForKind::kSerial, make_int(kInt32, 8))),
          "loop i: variable of dtype int64, extent of dtype int32");
  }
  SECTION("a condition that is no bool") {
    finds(f.func(loop(Stmt(new IfNode(f.i, f.copy())))), "condition i has dtype int64");
    Expr wide = broadcast(make_bool(true), 4);
    finds(f.func(loop(Stmt(new IfNode(wide, f.copy())))), "has dtype boolx4");
  }
  SECTION("null pieces") {
    finds(f.func({}), "the body of the function is null");
    finds(f.func(loop({})), "the body of the loop is null");
    finds(f.func(Stmt(new StoreNode(f.y, {i64(0)}, {}))), "a stored value is null");
    finds(f.func(loop(Stmt(new StoreNode(f.y, {Expr()}, 1.0)))), "an index is null");
  }
  SECTION("a store of another dtype or width") {
    finds(f.func(Stmt(new StoreNode(f.y, {i64(0)}, i64(1)))), "store of int64 into Y of float32");
    Expr wide = broadcast(make_float(kFloat32, 1), 4);
    finds(f.func(Stmt(new StoreNode(f.y, {i64(0)}, wide))), "store of float32x4 into Y");
    Expr lanes = ramp(i64(0), i64(1), 4);
    finds(f.func(Stmt(new StoreNode(f.y, {lanes}, wide, make_bool(true)))),
          "store of 4 lanes under a predicate of dtype bool");
  }
  SECTION("an assert, an evaluate, a text") {
    finds(f.func(Stmt(new AssertNode(make_bool(true), 0, "m", {}))), "an assert with status 0");
    finds(f.func(evaluate(i64(1))), "1 is evaluated but is no call");
    finds(f.func(evaluate(Expr(new StringImmNode("t")))), "text \"t\" is not an argument of print");
  }
}

TEST_CASE("faults of expressions are found", "[verify]") {
  Flat f;
  auto holds = [&](Expr e) { return f.func(let_stmt(Var("t", e.dtype()), e, nop())); };
  const Expr one = i64(1), half = make_float(kFloat32, 0.5);
  finds(holds(raw(kInt64, BinaryOp::kAdd, one, make_int(kInt32, 1))),
        "operands of int64 and int32");
  finds(holds(raw(kInt32, BinaryOp::kAdd, one, one)), "'+' on int64 gives int32");
  finds(holds(raw(kInt64, BinaryOp::kLt, one, one)), "'<' on int64 gives int64");
  finds(holds(raw(kFloat32, BinaryOp::kFloorDiv, half, half)), "'//' on float32");
  finds(holds(raw(kInt64, BinaryOp::kDiv, one, one)), "'/' on int64");
  finds(holds(raw(kInt64, BinaryOp::kAnd, one, one)), "'&&' on int64");
  finds(holds(Expr(new UnaryNode(kInt64, UnaryOp::kNot, one))), "'!' on int64");
  finds(holds(Expr(new IntImmNode(kInt8, 200))), "200 is no constant of dtype int8");
  finds(holds(Expr(new FloatImmNode(kFloat32, 0.1))), "is no constant of dtype float32");
  finds(holds(Expr(new SelectNode(kInt64, one, one, one))), "select by int64");
  finds(holds(Expr(new IfThenElseNode(kInt64, make_bool(true), one, half))),
        "operands of int64 and float32");
  finds(holds(Expr(new CallNode(kInt64, Intrinsic::kExp, {one}))), "exp of int64");
  finds(holds(Expr(new CallNode(kFloat32, Intrinsic::kPow, {half}))), "pow has 1 arguments");
  finds(holds(Expr(new LoadNode(kInt64, f.x, {one}))), "load of X[1] gives int64");
  finds(holds(Expr(new LoadNode(kFloat32, f.x, {half}))), "index 0.5 has dtype float32");
  finds(holds(Expr(new ExtractNode(ramp(one, one, 4), 4))), "lane 4 of int64x4");
  finds(holds(Expr(new RampNode(half, half, 4))), "ramp from float32 by float32");
  finds(holds(Expr(new BroadcastNode(one, 0))), "has no lanes");
  finds(holds(Expr(new LetNode(Var("v", kInt32), one, one))), "let v of int32 is given int64");
  finds(holds(Expr(new CastNode(kInt32.with_lanes(2), one))), "cast from int64 to int32x2");
  finds(holds(Expr(new UnaryNode(kInt64, UnaryOp::kNeg, {}))), "an operand is null");
  Var v("v");
  finds(holds(let(v, one, one) + v), "variable v is not bound here");
}
