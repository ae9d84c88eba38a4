#include "schedule/siblings.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/dependence.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

class MergeSiblings {
 public:
  MergeSiblings(Invocation& in, std::vector<const ForNode*> loops, int64_t id)
      : in_(in), loops_(std::move(loops)), id_(id) {
    std::sort(loops_.begin(), loops_.end(), [&](const ForNode* a, const ForNode* b) {
      return in.tree.index(a->id) < in.tree.index(b->id);
    });
  }

  void run() {
    find_sequence();
    require_equal();
    require_in_step();
    bool at_first = can_gather(true);
    if (!at_first && !can_gather(false)) {
      in_.refuse(
          "between", loops_.back()->id,
          fmt::format("a statement between {} and {} shares '{}' with them, so neither loop can "
                      "be moved to the other",
                      named(*loops_.front(), *loops_.back()),
                      named(*loops_.back(), *loops_.front()), obstacle_->name),
          "compute_at or compute_inline what lies between");
    }
    rewrite(at_first);
  }

 private:
  void find_sequence() {
    walk_stmts(in_.func->body, [&](const Stmt& stmt) {
      const auto* seq = stmt.as<SeqNode>();
      if (!seq || seq_) return;
      std::vector<size_t> places;
      for (size_t i = 0; i < seq->stmts.size(); ++i) {
        for (const ForNode* loop : loops_) {
          if (seq->stmts[i].get() == loop) places.push_back(i);
        }
      }
      if (places.size() != loops_.size()) return;
      seq_ = seq;
      places_ = places;
    });
    if (seq_) return;
    in_.refuse(
        "not_siblings", loops_.back()->id,
        fmt::format("{} and {} do not stand beside each other in one loop body",
                    named(*loops_.front(), *loops_.back()), named(*loops_.back(), *loops_.front())),
        "give loops of the same depth inside the same loop");
  }

  void require_equal() {
    arith::Analyzer facts = in_.facts_at(loops_[0]->id);
    for (const ForNode* loop : loops_) {
      if (loop->for_kind != loops_[0]->for_kind) {
        in_.refuse("loop_kind", loop->id,
                   fmt::format("{} is {} and {} is {}", named(*loops_[0], *loop),
                               spelling(loops_[0]->for_kind), named(*loop, *loops_[0]),
                               spelling(loop->for_kind)),
                   "do this before making one of them so");
      }
      if (facts.can_prove_equal(loop->extent, loops_[0]->extent)) continue;
      in_.refuse("extent", loop->id,
                 fmt::format("{} has extent {} and {} has {}; they are not proved to be equal",
                             named(*loops_[0], *loop), to_pretty(loops_[0]->extent),
                             named(*loop, *loops_[0]), to_pretty(loop->extent)),
                 "split or loop_partition one of them so that the extents agree");
    }
  }

  // "loop 'i'"; where both have one name also what is inside.
  std::string named(const ForNode& loop, const ForNode& other) const {
    const auto inside = in_.tree.blocks_under(loop.id);
    if (loop.var.name() != other.var.name() || inside.empty()) return quoted(loop);
    return fmt::format("{} (around {})", quoted(loop), quoted(*inside.front()));
  }

  bool lives_inside(const Buffer& buffer) const {
    const AllocAt& home = buffer->alloc_at;
    if (home.kind != AllocAt::Kind::kLoop || is_param(in_.func, buffer)) return false;
    return std::any_of(loops_.begin(), loops_.end(), [&](const ForNode* loop) {
      return home.loop == loop->id || in_.tree.encloses(loop->id, home.loop);
    });
  }

  // No loop may need in iteration i what an earlier loop does in a later iteration.
  void require_in_step() {
    if (has_fault(Fault::merge_of_any_loops)) return;
    arith::Analyzer facts = in_.facts_at(loops_[0]->id);
    for (size_t b = 1; b < loops_.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        const ForNode &first = *loops_[a], &second = *loops_[b];
        Buffer buffer = early_init(first, second);
        if (!buffer) {
          buffer =
              shared_with_earlier(in_, facts, {first.body, first.var}, {second.body, second.var},
                                  first.extent, [&](const Buffer& x) { return lives_inside(x); });
        }
        if (!buffer) continue;
        in_.refuse(
            "dependence", second.id,
            fmt::format("an iteration of {} may touch elements of '{}' that {} is done with only "
                        "in a later iteration",
                        named(second, first), buffer->name, named(first, second)),
            "split so that the part needed is complete in each iteration, or use compute_at, which "
            "computes what an iteration needs inside it");
      }
    }
  }

  // What a reduction over the second loop sets first is set before the common loop begins.
  Buffer early_init(const ForNode& first, const ForNode& second) const {
    for (const BlockRealizeNode* realize : in_.tree.blocks_under(second.id)) {
      if (!realize->block->init || !feeds(second.var, *realize).reduce) continue;
      for (const BlockRealizeNode* other : in_.tree.blocks_under(first.id)) {
        for (const Buffer& buffer : written_buffers(realize->block)) {
          if (block_reads(other->block, buffer) || block_writes(other->block, buffer))
            return buffer;
        }
      }
    }
    return {};
  }

  // Can all loops be brought to the first (or last) one's place?
  bool can_gather(bool at_first) {
    for (size_t l = 0; l < loops_.size(); ++l) {
      size_t begin = at_first ? places_.front() : places_[l];
      size_t end = at_first ? places_[l] : places_.back();
      for (size_t i = begin; i < end; ++i) {
        if (std::find(places_.begin(), places_.end(), i) != places_.end()) continue;
        Buffer shared = shared_buffer(in_, seq_->stmts[i], seq_->stmts[places_[l]]);
        if (!shared) continue;
        obstacle_ = shared;
        return false;
      }
    }
    return true;
  }

  Stmt adapted(const ForNode& loop, const Var& var) const {
    Stmt body = map_blocks(loop.body, [&](const BlockRealizeNode& realize, const Stmt&) {
      std::vector<Conjunct> guard;
      for (Conjunct conjunct : realize.guard) {
        if (conjunct.loop == loop.id) conjunct.loop = id_;
        // These two move whole loops by one block's condition, which the other blocks do not share.
        bool moves = conjunct.tail == Tail::kBalanced || conjunct.tail == Tail::kShiftInwards;
        if (moves) conjunct.tail = Tail::kGuard;
        guard.push_back(std::move(conjunct));
      }
      return with_guard(realize, std::move(guard));
    });
    return substitute(body, {{loop.var, var}});
  }

  void rewrite(bool at_first) {
    in_.moves_blocks = true;
    const ForNode& model = *loops_[0];
    Var var(model.var.name(), model.var.dtype());
    std::vector<Stmt> bodies;
    Attrs annotations;
    for (const ForNode* loop : loops_) {
      bodies.push_back(adapted(*loop, var));
      annotations.insert(loop->annotations.begin(), loop->annotations.end());
    }
    Stmt merged(new ForNode(id_, var, model.extent, model.for_kind, model.thread, annotations,
                            seq(std::move(bodies))));
    std::vector<Stmt> children;
    size_t place = at_first ? places_.front() : places_.back();
    for (size_t i = 0; i < seq_->stmts.size(); ++i) {
      bool is_loop = std::find(places_.begin(), places_.end(), i) != places_.end();
      if (!is_loop) children.push_back(seq_->stmts[i]);
      if (i == place) children.push_back(merged);
    }
    std::map<int64_t, int64_t> homes;
    for (const ForNode* loop : loops_) homes[loop->id] = id_;
    finish_rehomed(in_, replace_stmt(in_.func->body, seq_, seq(std::move(children))), homes);
    in_.tree = Tree(in_.func);
  }

  Invocation& in_;
  std::vector<const ForNode*> loops_;
  int64_t id_;
  const SeqNode* seq_ = nullptr;
  std::vector<size_t> places_;
  Buffer obstacle_;
};

}  // namespace

void merge_siblings(Invocation& in, const std::vector<const ForNode*>& loops, int64_t id) {
  MergeSiblings(in, loops, id).run();
}

}  // namespace tilewright::schedule
