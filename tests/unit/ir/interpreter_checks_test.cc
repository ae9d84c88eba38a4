#include <catch2/catch.hpp>

#include "interp_support.h"

using namespace tilewright;
using namespace tilewright::ir;
using namespace tilewright::ir::testing;

namespace {

InterpOptions races() {
  InterpOptions options;
  options.check_races = true;
  return options;
}

InterpOptions inits() {
  InterpOptions options;
  options.check_init = true;
  return options;
}

// Runs `body` over one int32 buffer C of `count` elements and an allocation T.
struct Harness {
  explicit Harness(int count) : values(count), c(make_buffer("C", kInt32, {count})) {}

  std::string run(Stmt body, const InterpOptions& options, std::vector<Buffer> allocs = {}) {
    return error_code(
        [&] {
          interpret(make_func({output(c)}, body, Level::kScheduled, allocs), {arg(values)},
                    options);
        },
        &text);
  }

  std::vector<int32_t> values;
  Buffer c;
  std::string text;
};

}  // namespace

TEST_CASE("interpreter: out-of-bounds errors name buffer, index, shape, block and loops") {
  Buffer a = make_buffer("A", kInt32, {3, 4}), c = make_buffer("C", kInt32, {3, 4});
  Var i("i"), j("j"), vi("vi"), vj("vj");
  Block block(new BlockNode(5, "blur", BlockKind::kCompute,
                            {{vi, {Expr(int64_t{0}), 3}, IterKind::kSpatial},
                             {vj, {Expr(int64_t{0}), 4}, IterKind::kSpatial}},
                            {}, {}, {}, {}, {}, store(c, {vi, vj}, load(a, {vi, vj + 1})), {}, ""));
  Stmt realize(new BlockRealizeNode({i, j}, {}, block));
  PrimFunc f = make_func({input(a), output(c)}, make_for(0, i, 3, make_for(1, j, 4, realize)));
  std::vector<int32_t> x(12), z(12);
  std::string text;
  CHECK(error_code(
            [&] {
              interpret(f, {arg(x, {3, 4}), arg(z, {3, 4})});
            },
            &text) == "interp.out_of_bounds");
  // Flat memory would hold this element: the check is per dimension.
  CHECK(
      text ==
      "read of buffer 'A' out of bounds: index [0, 4], shape [3, 4] in block 'blur' at i = 0, j = "
      "3");
}

TEST_CASE("interpreter: negative indices and writes are checked; every dtype's plain path too") {
  for (DType type : {kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                     kFloat16, kBFloat16, kFloat32, kFloat64}) {
    Buffer c = make_buffer("C", type, {2});
    Buffer at = make_buffer("at", kInt32, {1});
    std::vector<uint64_t> memory(2);
    for (int32_t where : {-1, 0, 1, 2}) {
      std::vector<int32_t> index = {where};
      const Expr element = load(at, {0});
      PrimFunc write = make_func({input(at), output(c)}, store(c, {element}, make_zero(type)));
      PrimFunc read = make_func({input(at), output(c)}, store(c, {0}, load(c, {element})));
      const std::string expected = where < 0 || where > 1 ? "interp.out_of_bounds" : "";
      CHECK(error_code([&] { interpret(write, {arg(index), arg(memory)}); }) == expected);
      CHECK(error_code([&] { interpret(read, {arg(index), arg(memory)}); }) == expected);
    }
  }
}

TEST_CASE("interpreter: reads of never-written elements are found") {
  Harness h(4);
  Buffer t = make_buffer("T", kInt32, {4});
  Var i("i"), j("j");
  Stmt fill = make_for(0, i, 3, store(t, {i}, cast(kInt32, i)));
  Stmt use = make_for(1, j, 4, store(h.c, {j}, load(t, {j})));
  CHECK(h.run(seq({fill, use}), inits(), {t}) == "interp.uninitialized");
  CHECK(h.text == "read of buffer 'T' at [3] (shape [4]) before any write at j = 3");
  CHECK(h.run(seq({fill, use}), InterpOptions(), {t}) == "");
  Stmt fill_all = make_for(2, i, 4, store(t, {i}, cast(kInt32, i)));
  CHECK(h.run(seq({fill_all, use}), inits(), {t}) == "");
  // An output may not be read before it is written either.
  CHECK(h.run(store(h.c, {0}, load(h.c, {1})), inits()) == "interp.uninitialized");
  // Each allocation starts unwritten again.
  AllocAt in_loop;
  in_loop.kind = AllocAt::Kind::kLoop;
  in_loop.loop = 0;
  Buffer u(new BufferNode("U", kInt32, {1}, Scope::kGlobal, {}, {}, 0, in_loop));
  Stmt first_only = seq({if_then(i == 0, store(u, {0}, 1)), store(h.c, {i}, load(u, {0}))});
  CHECK(h.run(make_for(0, i, 2, first_only), inits(), {u}) == "interp.uninitialized");
}

TEST_CASE("interpreter: races of parallel and vectorized loops are found") {
  Harness h(8);
  Var i("i");
  const auto loop = [&](ForKind kind, Stmt body) { return make_for(0, i, 4, body, kind); };
  for (ForKind kind : {ForKind::kParallel, ForKind::kVectorized}) {
    CHECK(h.run(loop(kind, store(h.c, {i}, 1)), races()) == "");
    CHECK(h.run(loop(kind, store(h.c, {floor_div(i, 2)}, 1)), races()) == "interp.race");
    CHECK(h.text == fmt::format("race on buffer 'C' at [0] (shape [8]): {} loop 'i' writes it in "
                                "iteration 0 and writes it in iteration 1",
                                spelling(kind)));
    CHECK(h.run(loop(kind, store(h.c, {i}, load(h.c, {i + 1}))), races()) == "interp.race");
    CHECK(h.text.find("reads it in iteration 0 and writes it in iteration 1") != std::string::npos);
    CHECK(h.run(loop(kind, store(h.c, {i + 1}, load(h.c, {i}))), races()) == "interp.race");
    CHECK(h.text.find("writes it in iteration 0 and reads it in iteration 1") != std::string::npos);
    CHECK(h.run(loop(kind, store(h.c, {i}, load(h.c, {7}))), races()) == "");
  }
  CHECK(h.run(loop(ForKind::kSerial, store(h.c, {0}, 1)), races()) == "");
  CHECK(h.run(loop(ForKind::kUnrolled, store(h.c, {0}, 1)), races()) == "");
  CHECK(h.run(loop(ForKind::kParallel, store(h.c, {0}, 1)), InterpOptions()) == "");
}

TEST_CASE("interpreter: nested concurrency") {
  Harness h(64);
  Var p("p"), s("s"), v("v");
  const auto nest = [&](Expr index, ForKind outer) {
    Stmt inner = make_for(2, v, 4, store(h.c, {index}, 1), ForKind::kVectorized);
    return make_for(0, p, 4, make_for(1, s, 4, inner), outer);
  };
  CHECK(h.run(nest(p * 16 + s * 4 + v, ForKind::kParallel), races()) == "");
  // Serial iterations of one parallel iteration may touch the same elements.
  CHECK(h.run(nest(p * 4 + v, ForKind::kParallel), races()) == "");
  // Different parallel iterations may not, whatever the vector lane.
  CHECK(h.run(nest(s * 4 + v, ForKind::kParallel), races()) == "interp.race");
  CHECK(h.text.find("loop 'p'") != std::string::npos);
  CHECK(h.run(nest(s * 4 + v, ForKind::kSerial), races()) == "");
  CHECK(h.run(nest(p * 4 + s, ForKind::kParallel), races()) == "interp.race");
  CHECK(h.text.find("loop 'v'") != std::string::npos);
  // Two loops one after the other are ordered.
  Stmt both =
      seq({make_for(3, p, 4, store(h.c, {p}, 1), ForKind::kParallel),
           make_for(4, s, 4, store(h.c, {Expr(int64_t{3}) - s}, load(h.c, {Expr(int64_t{3}) - s})),
                    ForKind::kParallel)});
  CHECK(h.run(both, races()) == "");
  // A reader of one iteration is not forgotten when another iteration reads, then writes.
  Stmt read_then_write = make_for(
      5, p, 2,
      if_then(p == 1, store(h.c, {0}, load(h.c, {0}) + 1), store(h.c, {p + 1}, load(h.c, {0}))),
      ForKind::kParallel);
  CHECK(h.run(read_then_write, races()) == "interp.race");
}

TEST_CASE("interpreter: buffers allocated within the loop are private to the iteration") {
  Harness h(4);
  AllocAt in_loop;
  in_loop.kind = AllocAt::Kind::kLoop;
  in_loop.loop = 0;
  Buffer inner(new BufferNode("T", kInt32, {1}, Scope::kGlobal, {}, {}, 0, in_loop));
  Buffer outer = make_buffer("T", kInt32, {1});
  for (const Buffer& t : {inner, outer}) {
    Var i("i");
    Stmt body = seq({store(t, {0}, cast(kInt32, i)), store(h.c, {i}, load(t, {0}))});
    CHECK(h.run(make_for(0, i, 4, body, ForKind::kParallel), races(), {t}) ==
          (t.same_as(inner) ? "" : "interp.race"));
  }
}

TEST_CASE("interpreter: a parallel reduction loop races, a thread-bound one does not yet") {
  Harness h(1);
  for (ForKind kind : {ForKind::kParallel, ForKind::kVectorized, ForKind::kThread}) {
    Var r("r");
    Stmt block = reduce_block("C", reducers::sum(kInt32), {h.c}, {{"vk", 8, IterKind::kReduce, r}},
                              [&](const std::vector<Var>& v) {
                                return UpdateParts{{Expr(0)}, {cast(kInt32, v[0])}};
                              });
    const ThreadAxis axis = kind == ForKind::kThread ? ThreadAxis::kThreadX : ThreadAxis::kNone;
    CHECK(h.run(make_for(0, r, 8, block, kind, {}, axis), races()) ==
          (kind == ForKind::kThread ? "" : "interp.race"));
  }
  CHECK(h.values[0] == 28);
  Var t("t");
  Stmt plain = make_for(0, t, 2, store(h.c, {0}, 1), ForKind::kThread, {}, ThreadAxis::kThreadX);
  CHECK(h.run(plain, races()) == "interp.race");
}

TEST_CASE("interpreter: bad extents of allocations") {
  Harness h(1);
  const auto with_extent = [&](int64_t value, bool twice) {
    Var n("n");
    std::vector<Expr> shape = {n};
    if (twice) shape.push_back(n);
    Buffer t = make_buffer("T", kInt32, shape);
    return let_stmt(n, Expr(value), Stmt(new AllocNode(t, nop())));
  };
  CHECK(h.run(with_extent(3, true), InterpOptions()) == "");
  CHECK(h.run(with_extent(-1, false), InterpOptions()) == "interp.extent");
  CHECK(h.text == "buffer 'T' has a negative extent: shape [-1]");
  CHECK(h.run(with_extent(int64_t{1} << 40, true), InterpOptions()) == "interp.extent");
  CHECK(h.run(with_extent(int64_t{1} << 61, false), InterpOptions()) == "interp.extent");
  CHECK(h.run(with_extent(int64_t{1} << 58, false), InterpOptions()) == "interp.extent");
}

TEST_CASE("interpreter: loops beyond max_steps end in an error") {
  Harness h(1);
  Var i("i");
  InterpOptions options;
  options.max_steps = 100;
  CHECK(h.run(make_for(0, i, 100, store(h.c, {0}, 1)), options) == "");
  CHECK(h.run(make_for(0, i, 101, store(h.c, {0}, 1)), options) == "interp.steps");
}

TEST_CASE("interpreter: malformed programs are refused") {
  Harness h(4);
  Var loose("loose");
  CHECK(h.run(store(h.c, {loose}, 1), InterpOptions()) == "interp.malformed");
  Buffer unknown = make_buffer("X", kInt32, {4});
  CHECK(h.run(store(unknown, {0}, 1), InterpOptions()) == "interp.malformed");
  CHECK(h.text == "cannot interpret 'f': buffer 'X' is used outside its allocation");
  Stmt wrong_rank(new StoreNode(h.c, {Expr(int64_t{0}), Expr(int64_t{0})}, Expr(1)));
  CHECK(h.run(wrong_rank, InterpOptions()) == "interp.malformed");
  Stmt wrong_type(new StoreNode(h.c, {Expr(int64_t{0})}, Expr(1.5)));
  CHECK(h.run(wrong_type, InterpOptions()) == "interp.malformed");
  AllocAt nowhere;
  nowhere.kind = AllocAt::Kind::kLoop;
  nowhere.loop = 77;
  Buffer t(new BufferNode("T", kInt32, {1}, Scope::kGlobal, {}, {}, 0, nowhere));
  CHECK(h.run(nop(), InterpOptions(), {t}) == "interp.malformed");
}
