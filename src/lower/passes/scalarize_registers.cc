#include <algorithm>
#include <map>

#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// The elements begin, begin + stride, ... of a buffer.
struct Elements {
  int64_t begin = 0, stride = 1;
  int lanes = 1;
  bool operator==(const Elements&) const = default;
  int64_t at(int lane) const { return begin + stride * lane; }
};

/// Elements that are one value: a scalar, or a vector that is always accessed whole (or lane by lane).
struct Piece {
  Elements elements;
  Buffer buffer;
  /// All loads and masked stores have one and the same mask: what the other lanes hold is never seen, so no
  /// access needs it.
  bool maskless = false;
  /// Some store changes a part of the lanes only: the others are read with it, before anything else has stored them.
  bool stored_in_parts = false;
};

struct Access {
  Elements elements;
  Expr predicate;  ///< null: always
  bool is_load = false;
};

/// The elements at `index` when they are known.
std::optional<Elements> constant_elements(const Expr& index) {
  if (const int64_t* at = as_const_int(index); at && index.dtype().is_scalar()) {
    return Elements{*at, 1, 1};
  }
  auto* r = index.as<RampNode>();
  if (!r) return std::nullopt;
  const int64_t* at = as_const_int(r->base);
  const int64_t* stride = as_const_int(r->stride);
  if (!at || !stride || *stride == 0) return std::nullopt;
  return Elements{*at, *stride, r->dtype.lanes};
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
class CollectAccesses final : public Visitor {
 public:
  using Visitor::visit;
  CollectAccesses(const Buffer& buffer, std::vector<const ForNode*> loops)
      : buffer_(buffer), loops_(std::move(loops)) {}
  std::vector<Access> accesses;
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
    if (auto elements = constant_elements(index)) {
      accesses.push_back({*elements, predicate, is_load});
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
         "buffer '{}' has scope register, but the element '{}' accessed is not a constant; use "
         "scope "
         "local",
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

/// Puts the elements of all accesses into pieces.
class MakePieces {
 public:
  explicit MakePieces(const Buffer& buffer) : buffer_(buffer) {}
  std::vector<Piece> pieces;
  std::map<int64_t, size_t> piece_of;  // by element

  void make(std::vector<Access> accesses, const VarSet& inner) {
    // Vectors first: a scalar access may then be a lane of one.
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
      return a.elements.lanes > b.elements.lanes;
    });
    for (const Access& access : accesses) add(access.elements);
    std::vector<std::vector<const Access*>> by_piece(pieces.size());
    for (const Access& access : accesses) {
      by_piece[piece_of.at(access.elements.begin)].push_back(&access);
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      pieces[i].maskless = shares_mask(pieces[i], by_piece[i], inner);
      pieces[i].stored_in_parts = is_stored_in_parts(pieces[i], by_piece[i]);
      pieces[i].buffer = Buffer(new BufferNode(
          fmt::format("{}_{}", buffer_->name, pieces[i].elements.begin), buffer_->dtype,
          {make_int(kInt64, pieces[i].elements.lanes)}, buffer_->scope, {}, {}, buffer_->align));
    }
  }

 private:
  void add(const Elements& elements) {
    auto owner = piece_of.find(elements.begin);
    if (owner != piece_of.end()) {
      const Elements& known = pieces[owner->second].elements;
      if (known == elements || elements.lanes == 1) return;
      refuse(known, elements);
    }
    for (int lane = 0; lane < elements.lanes; ++lane) {
      auto [it, fresh] = piece_of.emplace(elements.at(lane), pieces.size());
      if (!fresh) refuse(pieces[it->second].elements, elements);
    }
    pieces.push_back({elements, Buffer()});
  }

  [[noreturn]] void refuse(const Elements& a, const Elements& b) const {
    fail(
        "lower.register_lanes",
        "buffer '{}' has scope register, but some of its elements are accessed as one vector of {} "
        "lanes from {} and also as another of {} from {}; vectorize all its loops by one factor",
        buffer_->name, a.lanes, a.begin, b.lanes, b.begin);
  }

  static bool shares_mask(const Piece& piece, const std::vector<const Access*>& accesses,
                          const VarSet& inner) {
    Expr mask;
    for (const Access* access : accesses) {
      const bool masked = access->predicate.defined();
      if (!(access->elements == piece.elements) || (access->is_load && !masked)) return false;
      if (!masked) continue;
      if (mask.defined() && !structural_equal(mask, access->predicate)) return false;
      mask = access->predicate;
    }
    return mask.defined() && is_fixed(mask, inner);
  }

  static bool is_stored_in_parts(const Piece& piece, const std::vector<const Access*>& accesses) {
    if (piece.maskless) return false;
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access* access) {
      const bool whole = access->elements == piece.elements && !access->predicate.defined();
      return !access->is_load && !whole;
    });
  }

  const Buffer& buffer_;
};

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
    CollectAccesses collect(node.buffer, loops_);
    collect.visit(node.body);
    MakePieces made(node.buffer);
    made.make(std::move(collect.accesses), collect.inner);
    const std::vector<Piece> pieces = made.pieces;
    for (const auto& [element, piece] : made.piece_of) {
      values_[node.buffer][element] = pieces[piece];
    }
    Stmt body = mutate(node.body);
    for (auto it = pieces.rbegin(); it != pieces.rend(); ++it) {
      if (it->stored_in_parts) {
        const Expr zero = make_zero(node.buffer->dtype.with_lanes(it->elements.lanes));
        body = Stmt(new SeqNode({store(it->buffer, {index(*it)}, zero), body}));
      }
      body = Stmt(new AllocNode(it->buffer, body));
    }
    return body;
  }

  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    auto it = values_.find(node.buffer);
    if (it == values_.end()) return mutate_children(node, self);
    const Elements elements = *constant_elements(node.indices[0]);
    const Piece& piece = it->second.at(elements.begin);
    Expr value = whole(piece);
    if (elements.lanes != piece.elements.lanes) {
      value = Expr(new ExtractNode(value, lane_of(piece, elements)));
    }
    if (!node.predicate.defined() || piece.maskless) return value;
    // What the other lanes hold goes nowhere when the value is stored under the same mask.
    if (store_mask_.defined() && structural_equal(store_mask_, node.predicate)) return value;
    return select(mutate(node.predicate), value, make_zero(value.dtype()));
  }

  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    auto it = values_.find(node.buffer);
    store_mask_ = mixes_lanes(node.value) ? Expr() : node.predicate;
    Expr value = mutate(node.value);
    store_mask_ = Expr();
    if (it == values_.end()) {
      if (value.get() == node.value.get()) return mutate_children(node, self);
      Expr predicate = node.predicate.defined() ? mutate(node.predicate) : Expr();
      return Stmt(new StoreNode(node.buffer, {mutate(node.indices[0])}, value, predicate));
    }
    const Elements elements = *constant_elements(node.indices[0]);
    const Piece& piece = it->second.at(elements.begin);
    Expr mask;
    if (node.predicate.defined() && !piece.maskless) mask = mutate(node.predicate);
    if (elements.lanes != piece.elements.lanes) {
      // One lane of a vector: the lane's number picks it, the others stay.
      Expr lane = index(piece) == make_int(kInt64, lane_of(piece, elements));
      mask = mask.defined() ? lane && mask : lane;
    }
    if (mask.defined()) value = select(mask, value, whole(piece));
    return store(piece.buffer, {index(piece)}, value);
  }

 private:
  /// Some lane's value may depend on another lane.
  static bool mixes_lanes(const Expr& value) {
    bool mixes = false;
    walk_exprs(value, [&](const Expr& e) { mixes |= e.as<ExtractNode>() != nullptr; });
    return mixes;
  }
  static int64_t lane_of(const Piece& piece, const Elements& scalar) {
    return (scalar.begin - piece.elements.begin) / piece.elements.stride;
  }
  static Expr index(const Piece& piece) {
    return ramp(make_int(kInt64, 0), make_int(kInt64, 1), piece.elements.lanes);
  }
  static Expr whole(const Piece& piece) { return load(piece.buffer, {index(piece)}); }

  using PieceByElement = std::unordered_map<int64_t, Piece>;
  std::unordered_map<Buffer, PieceByElement, RefHash, RefEqual> values_;
  std::vector<const ForNode*> loops_;
  Expr store_mask_;  // of the store whose value is being rewritten
};

}  // namespace

PrimFunc scalarize_registers(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, ScalarizeRegisters().mutate(func->body));
}

}  // namespace tilewright::lower
