#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/dependence.h"
#include "schedule/loop_rules.h"
#include "schedule/partition.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr int64_t kMaxStage = 8;

class SoftwarePipeline {
 public:
  explicit SoftwarePipeline(Invocation& in)
      : in_(in), loop_(in.loop(0)), children_(children_of(loop_.body)) {}

  Outputs run() {
    in_.moves_blocks = true;
    require_serial(in_, loop_);
    read_stages();
    require_plain_body();
    around_ = in_.tree.loops_around(loop_.id);
    facts_ = in_.facts_at(loop_.id);
    if (facts_.can_prove(loop_.extent <= make_int(loop_.extent.dtype(), 0))) {
      in_.finish(in_.func->body);  // nothing runs, in whatever order
      return {};
    }
    require_order();
    require_apart();
    find_crossing();
    Stmt staged = make_loop();
    try {
      finish(staged, true);
    } catch (const Refusal& refusal) {
      // Whole extents are kept where the part in use is not known well enough.
      if (refusal.error.code != "schedule.software_pipeline.fold") throw;
      finish(staged, false);
    }
    cut();
    return {};
  }

 private:
  void read_stages() {
    for (const Value& item : in_.list_attr("stages")) {
      const int64_t* stage = std::get_if<int64_t>(&item.data);
      stages_.push_back(stage ? *stage : -1);
    }
    if (stages_.size() != children_.size() || stages_.size() < 2) {
      in_.refuse("stage_count", loop_.id,
                 fmt::format("{} stages for the {} statements in {}", stages_.size(),
                             children_.size(), quoted(loop_)),
                 children_.size() < 2
                     ? "the loop needs two statements at least: compute_at or cache_read and "
                       "compute_at put a producer into it"
                     : "give one stage for each statement of the loop's body, in order");
    }
    auto [low, high] = std::minmax_element(stages_.begin(), stages_.end());
    if (*low != 0 || *high < 1 || *high > kMaxStage) {
      in_.refuse("stage", loop_.id,
                 fmt::format("the stages run from {} to {}; the first is 0 and the last 1 to {}",
                             *low, *high, kMaxStage),
                 "give 0 to the statements that run first and 1 to those an iteration later");
    }
    depth_ = *high;
  }

  // Nothing inside may depend on the iteration number but through the blocks.
  void require_plain_body() {
    for (const ForNode* inner : in_.tree.loops()) {
      if (!in_.tree.encloses(loop_.id, inner->id) || !uses_var(inner->extent, loop_.var)) continue;
      in_.refuse("dependent_extent", inner->id,
                 fmt::format("the extent of {} depends on {}", quoted(*inner), quoted(loop_)),
                 "pipeline a loop on which no extent inside depends");
    }
    for (const BlockRealizeNode* realize : in_.tree.blocks_under(loop_.id)) {
      for (const Conjunct& conjunct : realize->guard) {
        bool moved = conjunct.tail == Tail::kPad || conjunct.tail == Tail::kRolling;
        if (!moved || !uses_var(conjunct.cond, loop_.var)) continue;
        in_.refuse(
            "tail", realize->block->id,
            fmt::format("the condition {} of {} has the policy '{}', which goes by the order of "
                        "the iterations of {}",
                        to_pretty(conjunct.cond), quoted(*realize), spelling(conjunct.tail),
                        quoted(loop_)),
            "split with another tail policy, or pipeline another loop");
      }
    }
  }

  bool lives_inside(const Buffer& buffer) const {
    const AllocAt& home = buffer->alloc_at;
    return home.kind == AllocAt::Kind::kLoop && !is_param(in_.func, buffer) &&
           (home.loop == loop_.id || in_.tree.encloses(loop_.id, home.loop));
  }

  // Within one iteration no statement may come before one that it depends on.
  void require_order() const {
    for (size_t a = 0; a < children_.size(); ++a) {
      for (size_t b = a + 1; b < children_.size(); ++b) {
        if (stages_[a] <= stages_[b]) continue;
        Buffer shared = shared_buffer(in_, children_[a], children_[b]);
        if (!shared) continue;
        in_.refuse(
            "stage_order", loop_.id,
            fmt::format("statement {} (stage {}) needs '{}' as statement {} (stage {}) leaves it",
                        b, stages_[b], shared->name, a, stages_[a]),
            "give a statement no lower stage than those it depends on");
      }
    }
  }

  // A statement of a later stage falls behind: what the others do ahead of it must not touch what it works on.
  void require_apart() const {
    arith::Analyzer outer = in_.facts(around_);
    for (size_t behind = 0; behind < children_.size(); ++behind) {
      for (size_t ahead = 0; ahead < children_.size(); ++ahead) {
        if (stages_[behind] <= stages_[ahead]) continue;
        // The later iteration of `ahead` runs before the earlier one of `behind` now.
        Buffer shared = shared_with_earlier(in_, outer, {children_[ahead], loop_.var},
                                            {children_[behind], loop_.var}, loop_.extent,
                                            [&](const Buffer& b) { return lives_inside(b); });
        if (!shared) continue;
        in_.refuse(
            "dependence", loop_.id,
            fmt::format("statement {} would run ahead of statement {}, and both touch '{}' in "
                        "different iterations of {}",
                        ahead, behind, shared->name, quoted(loop_)),
            "give both the same stage");
      }
    }
  }

  // Buffers of one iteration that statements of different stages use.
  void find_crossing() {
    for (const Buffer& buffer : in_.func->allocs) {
      if (buffer->alloc_at.kind != AllocAt::Kind::kLoop || buffer->alloc_at.loop != loop_.id) {
        continue;
      }
      std::vector<int64_t> used, written;
      for (size_t c = 0; c < children_.size(); ++c) {
        bool reads = false, writes = false;
        walk_stmts(children_[c], [&](const Stmt& s) {
          const auto* realize = s.as<BlockRealizeNode>();
          if (!realize) return;
          reads |= block_reads(realize->block, buffer);
          writes |= block_writes(realize->block, buffer);
        });
        if (reads || writes) used.push_back(stages_[c]);
        if (writes) written.push_back(stages_[c]);
      }
      if (used.empty()) continue;
      auto [low, high] = std::minmax_element(used.begin(), used.end());
      if (*low == *high) continue;
      require_movable(buffer, written);
      // Iterations that overlap in time share the buffer: an element must be the same in all of them.
      for (const BlockRealizeNode* writer : writers_of(in_.tree, buffer)) {
        if (writer->block->block_kind == BlockKind::kCompute) require_own_elements(in_, *writer);
      }
      crossing_.push_back({buffer, *high - *low});
    }
  }

  void require_movable(const Buffer& buffer, const std::vector<int64_t>& written) const {
    if (buffer->scope == Scope::kRegister) {
      in_.refuse("scope", loop_.id,
                 fmt::format("'{}' is in registers and cannot hold several iterations' values",
                             buffer->name),
                 "use set_scope to store it elsewhere");
    }
    if (buffer->layout && !buffer->layout->fold_moduli.empty()) {
      in_.refuse("folded", loop_.id, fmt::format("'{}' is a rolling buffer", buffer->name),
                 "do this before rolling_buffer; the pipeline keeps what it needs by itself");
    }
    bool same = std::all_of(written.begin(), written.end(),
                            [&](int64_t stage) { return stage == written[0]; });
    if (same) return;
    in_.refuse("several_writers", loop_.id,
               fmt::format("'{}' is written by statements of different stages", buffer->name),
               "give all writers of a buffer the same stage");
  }

  // How many positions of each dimension iterations that overlap in time use; 0: all.
  std::vector<int64_t> fold_of(const Buffer& buffer, int64_t distance) const {
    std::vector<int64_t> fold(buffer->shape.size(), 0);
    arith::Analyzer facts = in_.facts(around_);
    facts.bind_extent(loop_.var, loop_.extent);
    auto used = arith::accessed_region(facts, loop_.body, buffer, true, true);
    for (size_t d = 0; used && d < fold.size(); ++d) {
      const int64_t* length = as_const_int(used->ranges[d].extent);
      Expr next = substitute(used->ranges[d].min,
                             {{loop_.var, loop_.var + make_int(loop_.var.dtype(), 1)}});
      Expr step = facts.simplify(next - used->ranges[d].min);
      const int64_t* stride = as_const_int(step);
      if (!length || !stride || *stride < 1) continue;
      const int64_t modulus = *length + *stride * distance;
      const int64_t* whole = as_const_int(buffer->shape[d]);
      if (!whole || modulus < *whole) fold[d] = modulus;
      break;  // one dimension that moves is enough, and two would have to move in step
    }
    return fold;
  }

  Stmt staged(size_t child, const Var& time) const {
    const int64_t stage = stages_[child];
    Expr at = time - make_int(time.dtype(), stage);
    Stmt body = map_blocks(children_[child], [&](const BlockRealizeNode& realize, const Stmt&) {
      std::vector<Conjunct> guard;
      for (Conjunct conjunct : realize.guard) {
        bool moves = conjunct.tail == Tail::kPeel || conjunct.tail == Tail::kBalanced ||
                     conjunct.tail == Tail::kShiftInwards;
        if (moves && uses_var(conjunct.cond, loop_.var)) conjunct.tail = Tail::kGuard;
        guard.push_back(std::move(conjunct));
      }
      Expr zero = make_int(time.dtype(), 0);
      if (stage > 0) guard.push_back({loop_.var >= zero, loop_.id, Tail::kGuard});
      if (stage < depth_) guard.push_back({loop_.var < loop_.extent, loop_.id, Tail::kGuard});
      return with_guard(realize, std::move(guard));
    });
    return substitute(body, {{loop_.var, at}});
  }

  Stmt make_loop() const {
    Var time(loop_.var.name(), loop_.var.dtype());
    std::vector<Stmt> stmts;
    for (size_t c = 0; c < children_.size(); ++c) stmts.push_back(staged(c, time));
    return Stmt(
        new ForNode(loop_.id, time, facts_.simplify(loop_.extent + make_int(time.dtype(), depth_)),
                    loop_.for_kind, loop_.thread, loop_.annotations, seq(std::move(stmts))));
  }

  void finish(const Stmt& staged, bool fold) {
    AllocAt home;
    if (!around_.empty()) home = {AllocAt::Kind::kLoop, around_.back()->id};
    BufferMap moved;
    std::vector<Buffer> allocs = in_.func->allocs;
    for (Buffer& buffer : allocs) {
      for (const auto& [crossing, distance] : crossing_) {
        if (!buffer.same_as(crossing)) continue;
        Layout layout =
            with_fold(buffer->layout, fold ? fold_of(crossing, distance) : std::vector<int64_t>());
        buffer = with_alloc_at(with_layout(buffer, layout), home);
        moved[crossing] = buffer;
        break;
      }
    }
    Stmt root = replace_stmt(in_.func->body, &loop_, staged);
    in_.finish(replace_buffers(root, moved), std::move(allocs));
  }

  static Layout with_fold(const Layout& old, std::vector<int64_t> fold) {
    bool any = std::any_of(fold.begin(), fold.end(), [](int64_t m) { return m > 0; });
    if (!any) fold.clear();
    if (!old) return any ? Layout(new LayoutNode({}, {}, {}, {}, fold)) : Layout();
    return Layout(new LayoutNode(old->vars, old->physical, old->strides, old->elem_offset, fold, 1,
                                 old->swizzle));
  }

  // Prologue, steady part and epilogue as loops of their own, where there surely are enough iterations.
  void cut() {
    Invocation after("software_pipeline", in_.func, in_.next_id);
    after.inputs = in_.inputs;
    const ForNode& loop = after.loop(0);
    arith::Analyzer facts = after.facts_at(loop.id);
    Expr depth = make_int(loop.var.dtype(), depth_);
    if (!facts.can_prove(loop.extent > depth + depth)) return;
    std::vector<Expr> bounds = {make_int(loop.var.dtype(), 0), depth,
                                facts.simplify(loop.extent - depth), loop.extent};
    try {
      std::vector<int64_t> ids = finish_partitioned(after, loop, bounds, 1, true);
      Stmt body = after.func->body;
      Tree tree(after.func);
      for (const int64_t id : {ids[2], ids[0]}) {
        const ForNode* part = tree.loop(id);
        if (!part) continue;  // it had nothing to do and is gone
        body = replace_stmt(body, part, with_kind(*part, ForKind::kUnrolled));
      }
      after.finish(body);
    } catch (const Refusal&) {
      return;  // conditions say the same
    }
    in_.func = after.func;
    in_.next_id = after.next_id;
  }

  Invocation& in_;
  const ForNode& loop_;
  std::vector<Stmt> children_;
  std::vector<int64_t> stages_;
  int64_t depth_ = 0;
  std::vector<const ForNode*> around_;
  arith::Analyzer facts_;
  std::vector<std::pair<Buffer, int64_t>> crossing_;
};

}  // namespace

/// software_pipeline(loop, stages): statement number s of the loop's body runs stages[s] iterations late.
///
///   before                      after software_pipeline(i, [0, 1])
///   for i in 0..n:              B of iteration 0
///     B[…] = A[i, …]            for i in 0..n - 1:
///     C[i] = f(B[…])              B of iteration i + 1
///                                 C of iteration i
///                               C of iteration n - 1
///
/// What a statement leaves for one of a later stage lives outside the loop from now on, with room for as many
/// iterations as the stages lie apart (one dimension that moves with the loop is folded; otherwise the whole extent is
/// kept). Within an iteration a statement has no lower stage than those it depends on. Prologue and epilogue
/// are unrolled loops of their own where the number of iterations is known to be large enough, otherwise conditions. The
/// handles stay with the steady part. Errors: schedule.software_pipeline.stage_count, .stage, .stage_order,
/// .dependence, .dependent_extent, .several_writers, .write_index, .tail, .scope, .folded,
/// .loop_kind.
Outputs run_software_pipeline(Invocation& in) { return SoftwarePipeline(in).run(); }

}  // namespace tilewright::schedule
