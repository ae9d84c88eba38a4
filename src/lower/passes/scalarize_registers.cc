#include <algorithm>
#include <map>

#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// A run of elements that is one value: a scalar, or a vector that is always accessed whole (or lane by
/// lane).
struct Piece {
  int64_t begin = 0;
  int lanes = 1;
  Buffer buffer;
  /// All loads and masked stores have one and the same mask: what the other lanes hold is never seen, so no
  /// access needs it.
  bool maskless = false;
};

/// The elements an access touches, when they are known: [begin, begin + lanes).
struct Span {
  int64_t begin = 0;
  int lanes = 1;
  Expr predicate;  ///< of the access; null: always
  bool is_load = false;
};

std::optional<Span> constant_span(const Expr& index) {
  if (const int64_t* at = as_const_int(index); at && index.dtype().is_scalar()) {
    return Span{*at, 1, {}};
  }
  auto* r = index.as<RampNode>();
  if (!r || !is_const_int(r->stride, 1)) return std::nullopt;
  const int64_t* at = as_const_int(r->base);
  if (!at) return std::nullopt;
  return Span{*at, r->dtype.lanes, {}};
}

/// The serial loops whose variables keep an index from being constant.
std::string loops_in(const Expr& index, const std::vector<const ForNode*>& loops) {
  std::string names;
  for (const ForNode* loop : loops) {
    if (uses_var(index, loop->var)) names += (names.empty() ? "" : ", ") + loop->var.name();
  }
  return names;
}

/// All accesses of one register buffer.
class CollectSpans final : public Visitor {
 public:
  using Visitor::visit;
  CollectSpans(const Buffer& buffer, std::vector<const ForNode*> loops)
      : buffer_(buffer), loops_(std::move(loops)) {}
  std::vector<Span> spans;
  VarSet inner;  ///< variables bound inside the allocation

 protected:
  using Visitor::visit_node;
  void visit_node(const ForNode& node) override {
    inner.insert(node.var);
    loops_.push_back(&node);
    visit_children(node);
    loops_.pop_back();
  }
  void visit_node(const LetStmtNode& node) override {
    inner.insert(node.var);
    visit_children(node);
  }
  void visit_node(const LoadNode& node) override {
    if (node.buffer.get() == buffer_.get()) note(node.indices[0], node.predicate, true);
    visit_children(node);
  }
  void visit_node(const StoreNode& node) override {
    if (node.buffer.get() == buffer_.get()) note(node.indices[0], node.predicate, false);
    visit_children(node);
  }

 private:
  void note(const Expr& index, const Expr& predicate, bool is_load) {
    if (auto span = constant_span(index)) {
      span->predicate = predicate;
      span->is_load = is_load;
      spans.push_back(*span);
      return;
    }
    const std::string names = loops_in(index, loops_);
    if (!names.empty()) {
      fail("lower.register_index",
           "buffer '{}' has scope register, but its element '{}' is only known while loop {} runs; "
           "unroll or vectorize {}, or use scope local",
           buffer_->name, to_pretty(index), names,
           names.find(',') == std::string::npos ? "it" : "them");
    }
    fail("lower.register_index",
         "buffer '{}' has scope register, but the element '{}' accessed is not a constant (or the "
         "lanes are not next to each other); use scope local",
         buffer_->name, to_pretty(index));
  }

  const Buffer& buffer_;
  std::vector<const ForNode*> loops_;
};

/// The value of `mask` is one and the same throughout the allocation.
bool is_fixed(const Expr& mask, const VarSet& inner) {
  bool fixed = true;
  walk_exprs(mask, [&](const Expr& e) {
    fixed &= !e.as<LoadNode>() && !e.as<LetNode>() && !(e.as<VarNode>() && inner.count(e));
  });
  return fixed;
}

bool shares_mask(const Piece& piece, const std::vector<Span>& spans, const VarSet& inner) {
  Expr mask;
  for (const Span& span : spans) {
    if (span.begin < piece.begin || span.begin >= piece.begin + piece.lanes) continue;
    if (span.lanes != piece.lanes || (span.is_load && !span.predicate.defined())) return false;
    if (!span.predicate.defined()) continue;
    if (mask.defined() && !structural_equal(mask, span.predicate)) return false;
    mask = span.predicate;
  }
  return mask.defined() && is_fixed(mask, inner);
}

/// Joins spans that overlap, so that each element belongs to one piece.
std::vector<Piece> make_pieces(const Buffer& buffer, std::vector<Span> spans,
                               const VarSet& inner) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.lanes > b.lanes;
  });
  std::vector<Piece> pieces;
  for (const Span& span : spans) {
    if (!pieces.empty() && span.begin < pieces.back().begin + pieces.back().lanes) {
      const Piece& last = pieces.back();
      const bool same = span.begin == last.begin && span.lanes == last.lanes;
      if (!same && span.lanes != 1) {
        fail("lower.register_lanes",
             "buffer '{}' has scope register, but its elements {}..{} are accessed as one vector of "
             "{} lanes and elements {}..{} as another of {}; vectorize all its loops by one factor",
             buffer->name, last.begin, last.begin + last.lanes - 1, last.lanes, span.begin,
             span.begin + span.lanes - 1, span.lanes);
      }
      continue;
    }
    pieces.push_back({span.begin, span.lanes, Buffer()});
  }
  for (Piece& piece : pieces) {
    piece.maskless = shares_mask(piece, spans, inner);
    piece.buffer = Buffer(new BufferNode(fmt::format("{}_{}", buffer->name, piece.begin),
                                         buffer->dtype, {make_int(kInt64, piece.lanes)},
                                         buffer->scope, {}, {}, buffer->align));
  }
  return pieces;
}

class ScalarizeRegisters final : public Mutator {
 public:
  using Mutator::mutate;

 protected:
  using Mutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    loops_.push_back(&node);
    Stmt result = mutate_children(node, self);
    loops_.pop_back();
    return result;
  }

  Stmt mutate_node(const AllocNode& node, const Stmt& self) override {
    if (node.buffer->scope != Scope::kRegister) return mutate_children(node, self);
    CollectSpans collect(node.buffer, loops_);
    collect.visit(node.body);
    pieces_[node.buffer] = make_pieces(node.buffer, std::move(collect.spans), collect.inner);
    const std::vector<Piece> pieces = pieces_[node.buffer];
    Stmt body = mutate(node.body);
    for (auto it = pieces.rbegin(); it != pieces.rend(); ++it) {
      body = Stmt(new AllocNode(it->buffer, body));
    }
    return body;
  }

  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    auto it = pieces_.find(node.buffer);
    if (it == pieces_.end()) return mutate_children(node, self);
    const Span span = *constant_span(node.indices[0]);
    const Piece& piece = piece_at(it->second, span.begin);
    Expr value = whole(piece);
    if (span.lanes != piece.lanes) {
      value = Expr(new ExtractNode(value, span.begin - piece.begin));
    }
    if (!node.predicate.defined() || piece.maskless) return value;
    return select(mutate(node.predicate), value, make_zero(value.dtype()));
  }

  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    auto it = pieces_.find(node.buffer);
    if (it == pieces_.end()) return mutate_children(node, self);
    const Span span = *constant_span(node.indices[0]);
    const Piece& piece = piece_at(it->second, span.begin);
    Expr value = mutate(node.value);
    Expr mask;
    if (node.predicate.defined() && !piece.maskless) mask = mutate(node.predicate);
    if (span.lanes != piece.lanes) {
      // One lane of a vector: the lane's number picks it, the others stay.
      const Expr numbers = ramp(make_int(kInt64, 0), make_int(kInt64, 1), piece.lanes);
      Expr lane = numbers == make_int(kInt64, span.begin - piece.begin);
      mask = mask.defined() ? lane && mask : lane;
    }
    if (mask.defined()) value = select(mask, value, whole(piece));
    return store(piece.buffer, {index(piece)}, value);
  }

 private:
  static const Piece& piece_at(const std::vector<Piece>& pieces, int64_t element) {
    auto it = std::upper_bound(pieces.begin(), pieces.end(), element,
                               [](int64_t e, const Piece& p) { return e < p.begin; });
    return *std::prev(it);
  }
  static Expr index(const Piece& piece) {
    return ramp(make_int(kInt64, 0), make_int(kInt64, 1), piece.lanes);
  }
  static Expr whole(const Piece& piece) { return load(piece.buffer, {index(piece)}); }

  std::unordered_map<Buffer, std::vector<Piece>, RefHash, RefEqual> pieces_;
  std::vector<const ForNode*> loops_;
};

}  // namespace

PrimFunc scalarize_registers(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, ScalarizeRegisters().mutate(func->body));
}

}  // namespace tilewright::lower
