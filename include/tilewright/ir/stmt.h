#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "tilewright/ir/expr.h"

namespace tilewright::ir {

/// Half-open interval [min, min + extent).
struct Range {
  Expr min, extent;
  auto fields() const { return std::tie(min, extent); }
};

/// A box of a buffer, one range a dimension; what a block reads or writes.
struct Region {
  Buffer buffer;
  std::vector<Range> ranges;
  auto fields() const { return std::tie(buffer, ranges); }
};

using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>>;
using Attrs = std::map<std::string, AttrValue>;

/// Where a buffer's storage is.
enum class Scope : uint8_t {
  kGlobal,    ///< heap or device memory
  kConstant,  ///< read-only data of the module
  kLocal,     ///< private to one thread, on the stack while small
  kRegister,  ///< must become SSA values: after unrolling every index is constant
  kShared,    ///< one thread block
  kWarp,      ///< spread over the lanes of one warp
  kFragment,  ///< tensor-core operand
};
const char* spelling(Scope scope);
/// Inverse of `spelling`; nullopt for an unknown word (so for every parse_* below).
std::optional<Scope> parse_scope(std::string_view word);

/// Where storage begins and ends.
struct AllocAt {
  enum class Kind : uint8_t { kParam, kRoot, kLoop } kind = Kind::kRoot;
  int64_t loop = -1;  ///< id of the loop inside whose body the buffer lives, for kLoop
  bool operator==(const AllocAt&) const = default;
};

/// Says where the elements of a buffer lie; accesses stay logical. Applied by `flatten_buffers` only.
struct LayoutNode final : Node {
  TILEWRIGHT_NODE(Layout)
  LayoutNode(std::vector<Var> v, std::vector<Expr> p, std::vector<Expr> s, Expr offset = {},
             std::vector<int64_t> fold = {}, int64_t n_versions = 1, int64_t swizzle_bits = 0)
      : Node(kKind),
        vars(std::move(v)),
        physical(std::move(p)),
        strides(std::move(s)),
        elem_offset(std::move(offset)),
        fold_moduli(std::move(fold)),
        versions(n_versions),
        swizzle(swizzle_bits) {}
  const std::vector<Var> vars;       ///< one per logical dimension; empty: identity map
  const std::vector<Expr> physical;  ///< physical index of each physical dimension, over `vars`
  const std::vector<Expr>
      strides;             ///< per physical dimension, in elements; empty: compact row-major
  const Expr elem_offset;  ///< may be null (0)
  const std::vector<int64_t> fold_moduli;  ///< per logical dimension, 0: none (rolling buffers)
  const int64_t versions;                  ///< copies for double buffering / pipelining
  const int64_t swizzle;                   ///< 0: none
  auto fields() const {
    return std::tie(vars, physical, strides, elem_offset, fold_moduli, versions, swizzle);
  }
};

/// Extra elements of one dimension: the extent is rounded up to `multiple`, the surplus holds `value`
/// (null: unspecified).
struct Pad {
  int64_t dim = 0;
  int64_t multiple = 1;
  Expr value;
  auto fields() const { return std::tie(dim, multiple, value); }
};

/// A tensor's storage. Compares by identity; edits make a new Buffer and replace it everywhere.
/// `shape` is the logical shape, already including `pad`.
struct BufferNode final : Node {
  TILEWRIGHT_NODE(Buffer)
  BufferNode(std::string n, DType t, std::vector<Expr> s, Scope sc = Scope::kGlobal, Layout l = {},
             std::vector<Pad> p = {}, int64_t align_bytes = 0, AllocAt at = {},
             Ref<const RefCounted> def = {})
      : Node(kKind),
        name(std::move(n)),
        dtype(t),
        shape(std::move(s)),
        scope(sc),
        layout(std::move(l)),
        pad(std::move(p)),
        align(align_bytes),
        alloc_at(at),
        definition(std::move(def)) {}
  const std::string name;
  const DType dtype;
  const std::vector<Expr> shape;
  const Scope scope;
  const Layout layout;         ///< null: identity, compact, row-major
  const std::vector<Pad> pad;  ///< what `shape` was rounded up by
  const int64_t align;  ///< bytes; 0: natural (64 for allocations, element size for arguments)
  const AllocAt alloc_at;
  /// What computes the contents in a tensor expression; null in functions; not compared.
  const Ref<const RefCounted> definition;
  auto fields() const { return std::tie(name, dtype, shape, scope, layout, pad, align); }
  int rank() const { return static_cast<int>(shape.size()); }
};

/// How partial results combine. `results[j]` is over lhs (accumulator) and rhs (new term) variables.
struct ReducerNode final : Node {
  TILEWRIGHT_NODE(Reducer)
  ReducerNode(std::string n, std::vector<Var> l, std::vector<Var> r, std::vector<Expr> res,
              std::vector<Expr> id, bool is_associative, bool is_commutative)
      : Node(kKind),
        name(std::move(n)),
        lhs(std::move(l)),
        rhs(std::move(r)),
        results(std::move(res)),
        identity(std::move(id)),
        associative(is_associative),
        commutative(is_commutative) {}
  const std::string
      name;  ///< "sum", "prod", "max", "min", "any", "all", "argmax", "argmin" or a user's
  const std::vector<Var> lhs, rhs;
  const std::vector<Expr> results, identity;
  const bool associative, commutative;
  auto fields() const {
    return std::tie(name, lhs, rhs, results, identity, associative, commutative);
  }
  size_t arity() const { return lhs.size(); }
};

/// Value number `value_index` of a reduction of `sources` over `axes`, terms masked by `where` (null:
/// all). Only at the top of a te compute body; never in a PrimFunc.
struct ReduceNode final : ExprNode {
  TILEWRIGHT_NODE(Reduce)
  ReduceNode(Reducer r, std::vector<Expr> s, std::vector<Var> ax, std::vector<Range> d, Expr w,
             int64_t index)
      : ExprNode(kKind, r->identity[index].dtype()),
        reducer(std::move(r)),
        sources(std::move(s)),
        axes(std::move(ax)),
        domains(std::move(d)),
        where(std::move(w)),
        value_index(index) {}
  const Reducer reducer;
  const std::vector<Expr> sources;
  const std::vector<Var> axes;
  const std::vector<Range> domains;
  const Expr where;
  const int64_t value_index;
  auto fields() const { return std::tie(reducer, sources, axes, domains, where, value_index); }
};

/// buffer[indices] = value, where `predicate` (null: always; a vector masks lanes).
struct StoreNode final : StmtNode {
  TILEWRIGHT_NODE(Store)
  StoreNode(Buffer b, std::vector<Expr> i, Expr v, Expr p = {})
      : StmtNode(kKind),
        buffer(std::move(b)),
        indices(std::move(i)),
        value(std::move(v)),
        predicate(std::move(p)) {}
  const Buffer buffer;
  const std::vector<Expr> indices;
  const Expr value, predicate;
  auto fields() const { return std::tie(buffer, indices, value, predicate); }
};

/// One reduction step on all accumulators at once: with old[j] = buffers[j][indices],
/// buffers[j][indices] = reducer.results[j](lhs = old, rhs = values). All reads precede all writes.
struct UpdateNode final : StmtNode {
  TILEWRIGHT_NODE(Update)
  UpdateNode(Reducer r, std::vector<Buffer> b, std::vector<Expr> i, std::vector<Expr> v)
      : StmtNode(kKind),
        reducer(std::move(r)),
        buffers(std::move(b)),
        indices(std::move(i)),
        values(std::move(v)) {}
  const Reducer reducer;
  const std::vector<Buffer> buffers;
  const std::vector<Expr> indices;
  const std::vector<Expr> values;
  auto fields() const { return std::tie(reducer, buffers, indices, values); }
};

enum class ForKind : uint8_t { kSerial, kOrdered, kParallel, kVectorized, kUnrolled, kThread };
const char* spelling(ForKind kind);
std::optional<ForKind> parse_for_kind(std::string_view word);

enum class ThreadAxis : uint8_t {
  kNone,
  kBlockX,
  kBlockY,
  kBlockZ,
  kThreadX,
  kThreadY,
  kThreadZ,
  kVThread,
};
const char* spelling(ThreadAxis axis);
std::optional<ThreadAxis> parse_thread_axis(std::string_view word);

/// var runs over 0 .. extent-1. `id` is the schedule handle; equality and hash ignore it.
struct ForNode final : StmtNode {
  TILEWRIGHT_NODE(For)
  ForNode(int64_t loop_id, Var v, Expr e, ForKind k, ThreadAxis t, Attrs a, Stmt b)
      : StmtNode(kKind),
        id(loop_id),
        var(std::move(v)),
        extent(std::move(e)),
        for_kind(k),
        thread(t),
        annotations(std::move(a)),
        body(std::move(b)) {}
  const int64_t id;
  const Var var;
  const Expr extent;
  const ForKind for_kind;
  const ThreadAxis thread;
  const Attrs annotations;
  const Stmt body;
  auto fields() const { return std::tie(var, extent, for_kind, thread, annotations, body); }
};

/// Statements in order; empty is "do nothing".
struct SeqNode final : StmtNode {
  TILEWRIGHT_NODE(Seq)
  explicit SeqNode(std::vector<Stmt> s) : StmtNode(kKind), stmts(std::move(s)) {}
  const std::vector<Stmt> stmts;
  auto fields() const { return std::tie(stmts); }
};

struct IfNode final : StmtNode {
  TILEWRIGHT_NODE(If)
  IfNode(Expr c, Stmt t, Stmt e = {})
      : StmtNode(kKind),
        condition(std::move(c)),
        then_body(std::move(t)),
        else_body(std::move(e)) {}
  const Expr condition;  ///< scalar bool
  const Stmt then_body;
  const Stmt else_body;  ///< may be null
  auto fields() const { return std::tie(condition, then_body, else_body); }
};

struct LetStmtNode final : StmtNode {
  TILEWRIGHT_NODE(LetStmt)
  LetStmtNode(Var v, Expr val, Stmt b)
      : StmtNode(kKind), var(std::move(v)), value(std::move(val)), body(std::move(b)) {}
  const Var var;
  const Expr value;
  const Stmt body;
  auto fields() const { return std::tie(var, value, body); }
};

/// `buffer` lives within `body` (levels flat and device; before, `alloc_at` says it).
struct AllocNode final : StmtNode {
  TILEWRIGHT_NODE(Alloc)
  AllocNode(Buffer b, Stmt s) : StmtNode(kKind), buffer(std::move(b)), body(std::move(s)) {}
  const Buffer buffer;
  const Stmt body;
  auto fields() const { return std::tie(buffer, body); }
};

/// A call for its effect.
struct EvaluateNode final : StmtNode {
  TILEWRIGHT_NODE(Evaluate)
  explicit EvaluateNode(Expr v) : StmtNode(kKind), value(std::move(v)) {}
  const Expr value;
  auto fields() const { return std::tie(value); }
};

/// Ends the kernel with `status` (a TW_ERR_* code) and `message` when `condition` is false; the values
/// are printed into "{}" of the message.
struct AssertNode final : StmtNode {
  TILEWRIGHT_NODE(Assert)
  AssertNode(Expr c, int64_t s, std::string m, std::vector<Expr> v)
      : StmtNode(kKind),
        condition(std::move(c)),
        status(s),
        message(std::move(m)),
        values(std::move(v)) {}
  const Expr condition;
  const int64_t status;
  const std::string message;
  const std::vector<Expr> values;
  auto fields() const { return std::tie(condition, status, message, values); }
};

/// All threads of the scope (shared: block, warp: warp) meet here.
struct BarrierNode final : StmtNode {
  TILEWRIGHT_NODE(Barrier)
  explicit BarrierNode(Scope s) : StmtNode(kKind), scope(s) {}
  const Scope scope;
  auto fields() const { return std::tie(scope); }
};

enum class IterKind : uint8_t { kSpatial, kReduce, kOrdered, kOpaque };
const char* spelling(IterKind kind);
std::optional<IterKind> parse_iter_kind(std::string_view word);

struct IterVar {
  Var var;
  Range dom;
  IterKind kind = IterKind::kSpatial;
  auto fields() const { return std::tie(var, dom, kind); }
};

/// What is to happen with the surplus iterations of a split.
enum class Tail : uint8_t { kGuard, kPeel, kBalanced, kPad, kShiftInwards, kRolling };
const char* spelling(Tail tail);
std::optional<Tail> parse_tail(std::string_view word);

/// One condition under which a block instance exists, made by a split that overshoots. `loop` is the id
/// of the loop whose surplus iterations it cuts off.
struct Conjunct {
  Expr cond;
  int64_t loop = -1;  ///< ignored by equality and hash
  Tail tail = Tail::kGuard;
  auto fields() const { return std::tie(cond, tail); }
};

enum class BlockKind : uint8_t { kCompute, kOpaque, kExtern };
const char* spelling(BlockKind kind);
std::optional<BlockKind> parse_block_kind(std::string_view word);

/// One computation on one point of its iteration domain.
///
/// `where` (null: true) is part of the meaning: it masks `body`, never `init`. A reduction block has a
/// reducer, an Update in `body` and, until decompose_reduction moves it away, an `init`, run once per
/// spatial point before the first update, also when the reduce domain is empty.
struct BlockNode final : Node {
  TILEWRIGHT_NODE(Block)
  BlockNode(int64_t block_id, std::string n, BlockKind k, std::vector<IterVar> iv, Expr w,
            std::vector<Region> r, std::vector<Region> wr, Reducer red, Stmt in, Stmt b, Attrs a,
            std::string from)
      : Node(kKind),
        id(block_id),
        name(std::move(n)),
        block_kind(k),
        iter_vars(std::move(iv)),
        where(std::move(w)),
        reads(std::move(r)),
        writes(std::move(wr)),
        reducer(std::move(red)),
        init(std::move(in)),
        body(std::move(b)),
        annotations(std::move(a)),
        origin(std::move(from)) {}
  const int64_t id;  ///< ignored by equality and hash
  const std::string name;
  const BlockKind block_kind;
  const std::vector<IterVar> iter_vars;
  const Expr where;
  const std::vector<Region> reads, writes;  ///< over iter vars; derived for compute blocks
  const Reducer reducer;                    ///< null: not a reduction
  const Stmt init;                          ///< may be null
  const Stmt body;
  const Attrs annotations;
  const std::string origin;  ///< te tensor or primitive that made it, for messages; not compared
  auto fields() const {
    return std::tie(name, block_kind, iter_vars, where, reads, writes, reducer, init, body,
                    annotations);
  }
};

/// Runs `block` with iter_vars[i] = iter_values[i] where all of `guard` holds.
struct BlockRealizeNode final : StmtNode {
  TILEWRIGHT_NODE(BlockRealize)
  BlockRealizeNode(std::vector<Expr> v, std::vector<Conjunct> g, Block b)
      : StmtNode(kKind), iter_values(std::move(v)), guard(std::move(g)), block(std::move(b)) {}
  const std::vector<Expr> iter_values;
  const std::vector<Conjunct> guard;
  const Block block;
  auto fields() const { return std::tie(iter_values, guard, block); }
};

enum class ParamRole : uint8_t { kInput, kConstant, kOutput, kInout, kShape };
const char* spelling(ParamRole role);
std::optional<ParamRole> parse_param_role(std::string_view word);

/// A parameter: a buffer, or a scalar variable. A `kShape` variable is bound from the first tensor whose
/// shape names it and is no argument of its own; a `kInput` variable is a scalar argument.
struct Param {
  Buffer buffer;  ///< null for a scalar
  Var var;        ///< null for a buffer
  ParamRole role = ParamRole::kInput;
  int64_t alias_of = -1;     ///< index of the parameter it may share memory with
  bool layout_free = false;  ///< the tuner may choose its layout
  bool strides_any = false;  ///< false: compact row-major is required
  auto fields() const { return std::tie(buffer, var, role, alias_of, layout_free, strides_any); }
};

enum class Level : uint8_t {
  kScheduled,  ///< loops around blocks, logical n-d accesses
  kFlat,       ///< plain loops and flat accesses, Alloc statements
  kDevice,     ///< kFlat plus threads and barriers
};
const char* spelling(Level level);
std::optional<Level> parse_level(std::string_view word);

struct PrimFuncNode final : Node {
  TILEWRIGHT_NODE(PrimFunc)
  PrimFuncNode(std::string n, std::vector<Param> p, std::vector<Expr> as, std::vector<Buffer> al,
               Stmt b, Level l, Attrs at)
      : Node(kKind),
        name(std::move(n)),
        params(std::move(p)),
        assumptions(std::move(as)),
        allocs(std::move(al)),
        body(std::move(b)),
        level(l),
        attrs(std::move(at)) {}
  const std::string name;
  const std::vector<Param> params;
  const std::vector<Expr> assumptions;  ///< bool expressions over shape variables
  const std::vector<Buffer> allocs;     ///< intermediate buffers, level scheduled
  const Stmt body;
  const Level level;
  const Attrs attrs;
  auto fields() const { return std::tie(name, params, assumptions, allocs, body, level, attrs); }
};

/// Several functions built together.
struct IRModule {
  std::vector<PrimFunc> funcs;
  std::string entry;                             ///< name of the function called by default
  std::map<std::string, std::string> constants;  ///< raw bytes by buffer name
  std::string prepack;                           ///< name of the function that pre-packs weights
  std::string target;
};

}  // namespace tilewright::ir
