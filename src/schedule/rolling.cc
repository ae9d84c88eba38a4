#include "schedule/rolling.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

bool is_folded(const Buffer& buffer) {
  if (!buffer->layout) return false;
  const auto& moduli = buffer->layout->fold_moduli;
  return std::any_of(moduli.begin(), moduli.end(), [](int64_t m) { return m > 0; });
}

const Conjunct* rolling_conjunct(const BlockRealizeNode& realize) {
  for (const Conjunct& conjunct : realize.guard) {
    if (conjunct.tail == Tail::kRolling) return &conjunct;
  }
  return nullptr;
}

// The block's buffers must outlive the iterations it relies on.
void require_kept(const Invocation& in, const BlockRealizeNode& realize, const Conjunct& conjunct) {
  const ForNode* loop = in.tree.loop(conjunct.loop);
  bool around = loop && in.tree.encloses(loop->id, realize.block->id);
  for (const Buffer& buffer : written_buffers(realize.block)) {
    const AllocAt& home = buffer->alloc_at;
    bool outside = home.kind == AllocAt::Kind::kRoot || is_param(in.func, buffer) ||
                   (around && in.tree.encloses(home.loop, loop->id));
    if (around && outside) continue;
    in.refuse(
        "rolling", realize.block->id,
        fmt::format("{} computes only what earlier iterations of a loop have not, and '{}' would "
                    "not keep those",
                    quoted(realize), buffer->name),
        "do this before rolling_buffer");
  }
}

// The positions that a statement uses when it begins and when it ends; `high` is excluded.
struct Span {
  Expr first_low, first_high, last_low, last_high;
  bool surely = false;  // it runs at all
};

class FoldCheck {
 public:
  FoldCheck(const Invocation& in, const Buffer& buffer) : in_(in), buffer_(buffer) {
    const ForNode* home = buffer->alloc_at.kind == AllocAt::Kind::kLoop
                              ? in.tree.loop(buffer->alloc_at.loop)
                              : nullptr;
    std::vector<const ForNode*> around;
    if (home) {
      around = in.tree.loops_around(home->id);
      around.push_back(home);
    }
    facts_ = in.facts(around);
    body_ = home ? home->body : in.func->body;
  }

  void run() {
    for (size_t d = 0; d < buffer_->layout->fold_moduli.size(); ++d) {
      int64_t modulus = buffer_->layout->fold_moduli[d];
      if (modulus > 0 && !fits(facts_, body_, d, modulus)) examine(facts_, body_, d, modulus);
    }
  }

 private:
  bool fits(const arith::Analyzer& facts, const Stmt& stmt, size_t dim, int64_t modulus) const {
    auto used = arith::accessed_region(facts, stmt, buffer_, true, true);
    return !used || facts.can_prove(used->ranges[dim].extent <= make_int(kInt64, modulus));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    int64_t at = in_.inputs.empty() ? -1 : in_.inputs[0];
    in_.refuse(
        "fold", at,
        fmt::format("'{}' keeps only the part in use of one dimension, and {}", buffer_->name, why),
        "do this before rolling_buffer or software_pipeline");
  }

  bool touches(const Stmt& stmt) const {
    bool found = false;
    walk_stmts(stmt, [&](const Stmt& s) {
      const auto* realize = s.as<BlockRealizeNode>();
      found |= realize &&
               (block_reads(realize->block, buffer_) || block_writes(realize->block, buffer_));
    });
    return found;
  }

  // The positions in the order in which they are used; refuses when they do not move forward only.
  Span examine(const arith::Analyzer& facts, const Stmt& stmt, size_t dim, int64_t modulus) const {
    if (const auto* loop = stmt.as<ForNode>()) return examine_loop(facts, *loop, dim, modulus);
    if (stmt.as<BlockRealizeNode>()) return examine_once(facts, stmt, dim, modulus);
    if (!stmt.as<SeqNode>()) refuse("it is used in both branches of a condition");
    std::optional<Span> all;
    for (const Stmt& child : children_of(stmt)) {
      if (!touches(child)) continue;
      Span next = examine(facts, child, dim, modulus);
      if (!all) {
        all = next;
        continue;
      }
      if (!follows(facts, *all, next)) refuse("statements that use it do not move on together");
      all->last_low = next.last_low;
      all->last_high = next.last_high;
      all->surely &= next.surely;
    }
    return *all;
  }

  Span examine_once(const arith::Analyzer& facts, const Stmt& stmt, size_t dim,
                    int64_t modulus) const {
    if (!fits(facts, stmt, dim, modulus)) {
      refuse(fmt::format("one iteration would use more than {} positions", modulus));
    }
    const Range used = arith::accessed_region(facts, stmt, buffer_, true, true)->ranges[dim];
    Expr high = used.min + used.extent;
    return {used.min, high, used.min, high, true};
  }

  Span examine_loop(const arith::Analyzer& outer, const ForNode& loop, size_t dim,
                    int64_t modulus) const {
    require_plain(loop);
    arith::Analyzer facts(outer);
    facts.bind_extent(loop.var, loop.extent);
    const bool whole = fits(facts, loop.body, dim, modulus);
    Span span = whole ? examine_once(facts, loop.body, dim, modulus)
                      : examine(facts, loop.body, dim, modulus);
    Expr one = make_int(loop.extent.dtype(), 1);
    arith::Analyzer but_last(outer);
    but_last.bind_extent(loop.var, loop.extent - one);
    Span next = span;
    next.first_low = substitute(span.first_low, {{loop.var, loop.var + one}});
    next.first_high = substitute(span.first_high, {{loop.var, loop.var + one}});
    if (!follows(but_last, span, next)) {
      refuse(fmt::format("{} does not use it from front to back", quoted(loop)));
    }
    VarMap begin{{loop.var, make_int(loop.var.dtype(), 0)}}, end{{loop.var, loop.extent - one}};
    return {substitute(span.first_low, begin), substitute(span.first_high, begin),
            substitute(span.last_low, end), substitute(span.last_high, end),
            span.surely && outer.can_prove(loop.extent > 0)};
  }

  // The loop must run in order, and nothing of an iteration may happen outside of it.
  void require_plain(const ForNode& loop) const {
    if (loop.for_kind == ForKind::kParallel || loop.for_kind == ForKind::kVectorized ||
        loop.for_kind == ForKind::kThread) {
      refuse(fmt::format("iterations of {} would use it at once", quoted(loop)));
    }
    for (const BlockRealizeNode* realize : in_.tree.blocks_under(loop.id)) {
      if (!block_reads(realize->block, buffer_) && !block_writes(realize->block, buffer_)) continue;
      if (block_writes(realize->block, buffer_) && feeds(loop.var, *realize).reduce) {
        refuse(fmt::format("{} would be complete only after {}", quoted(*realize), quoted(loop)));
      }
      for (const Conjunct& conjunct : realize->guard) {
        bool moved = conjunct.tail == Tail::kShiftInwards || conjunct.tail == Tail::kPad;
        if (moved && uses_var(conjunct.cond, loop.var)) {
          refuse(fmt::format("tail='{}' would run iterations of {} beside its range or twice",
                             spelling(conjunct.tail), quoted(loop)));
        }
      }
    }
  }

  // An empty loop would leave nothing known about the order of its neighbours.
  static bool follows(const arith::Analyzer& facts, const Span& before, const Span& after) {
    return before.surely && after.surely && facts.can_prove(before.last_low <= after.first_low) &&
           facts.can_prove(before.last_high <= after.first_high);
  }

  const Invocation& in_;
  const Buffer& buffer_;
  arith::Analyzer facts_;
  Stmt body_;
};

}  // namespace

bool has_rolling(const PrimFunc& func) {
  if (std::any_of(func->allocs.begin(), func->allocs.end(), is_folded)) return true;
  bool found = false;
  walk_stmts(func->body, [&](const Stmt& stmt) {
    const auto* realize = stmt.as<BlockRealizeNode>();
    found |= realize && rolling_conjunct(*realize);
  });
  return found;
}

void require_valid_rolling(const Invocation& after) {
  for (const BlockRealizeNode* realize : after.tree.blocks_under(-1)) {
    if (const Conjunct* conjunct = rolling_conjunct(*realize)) {
      require_kept(after, *realize, *conjunct);
    }
  }
  for (const Buffer& buffer : after.func->allocs) {
    if (is_folded(buffer)) FoldCheck(after, buffer).run();
  }
}

}  // namespace tilewright::schedule
