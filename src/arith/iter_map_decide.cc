#include <algorithm>

#include "arith/iter_map.h"

namespace tilewright::arith {

using namespace ir;

bool IterMap::is_value_bound(const Guard& guard, size_t value) const {
  const PieceSum& sum = values_[value];
  if (guard.sum.pieces.size() != sum.pieces.size()) return false;
  for (const Piece& piece : sum.pieces) {
    bool found = std::any_of(guard.sum.pieces.begin(), guard.sum.pieces.end(), [&](const Piece& p) {
      return p.digit == piece.digit && p.scale == piece.scale;
    });
    if (!found) return false;
  }
  return linear_add(guard.bound, sum.fixed) == extents_[value];
}

// Splits a guard into sums below a bound; false when a conjunct has another form.
bool IterMap::read_guard(const Expr& condition) {
  if (!condition.defined() || is_true(condition)) return true;
  if (const auto* node = condition.as<BinaryNode>(); node && node->op == BinaryOp::kAnd) {
    bool a = read_guard(node->a);
    return read_guard(node->b) && a;
  }
  if (impl_.prove(condition)) return true;
  auto form = impl_.nonneg_form(condition);
  if (!form) return false;
  // form >= 0: the negated dependent part is below the rest plus one.
  Linear moving, rest = linear_constant(form->constant);
  for (const auto& [atom, k] : form->terms) {
    (depends(atom) ? moving : rest).terms.emplace_back(atom, k);
  }
  auto sum = read(linear_scale(moving, -1));
  if (!sum) return false;
  guards_.push_back({*sum, linear_offset(rest, 1)});
  return true;
}

// Turns a guard on part of the values into a digit of its own; false when it is of another kind.
bool IterMap::apply_guard(const Guard& guard) {
  std::vector<Piece> pieces = guard.sum.pieces;
  auto number = radix(pieces);
  if (pieces.empty() || !number || !number->compact || !at_least(number->count, guard.bound))
    return false;
  Digit fused;
  fused.extent = guard.bound;
  for (const Piece& piece : pieces) fused.members.push_back(piece.digit);
  const size_t id = digits_.size();
  digits_.push_back(fused);

  // Replaces scale * (the pieces) in a sum.
  auto replace = [&](PieceSum& sum) {
    auto of = [&](size_t digit) {
      return std::find_if(sum.pieces.begin(), sum.pieces.end(),
                          [&](const Piece& p) { return p.digit == digit; });
    };
    auto unit = std::find_if(pieces.begin(), pieces.end(),
                             [](const Piece& p) { return p.scale.is_constant(1); });
    if (unit == pieces.end() || of(unit->digit) == sum.pieces.end()) {
      return std::none_of(pieces.begin(), pieces.end(),
                          [&](const Piece& p) { return of(p.digit) != sum.pieces.end(); });
    }
    Linear scale = of(unit->digit)->scale;
    for (const Piece& piece : pieces) {
      auto it = of(piece.digit);
      if (it == sum.pieces.end() || !equal(it->scale, impl_.multiply(scale, piece.scale))) {
        return false;
      }
    }
    for (const Piece& piece : pieces) sum.pieces.erase(of(piece.digit));
    sum.pieces.push_back({scale, id});
    return true;
  };
  for (PieceSum& value : values_) {
    if (!replace(value)) return false;
  }
  for (Guard& other : guards_) {
    if (&other != &guard && !replace(other.sum)) return false;
  }
  return true;
}

MapFacts IterMap::analyze(const std::vector<Expr>& values, const std::vector<Expr>& extents,
                          const Expr& guard) {
  for (const Expr& value : values) {
    auto sum = read(impl_.linearize(value));
    if (!sum) return {};
    values_.push_back(std::move(*sum));
  }
  for (const Expr& extent : extents) extents_.push_back(impl_.linearize(extent));
  const bool guard_read = read_guard(guard);
  const bool guarded = !guard_read || !guards_.empty();
  const Sources sources = check_sources();

  MapFacts facts;
  if (!guarded && sources.missing) return {false, false};

  // Guards with few parts first: they are the inner ones.
  std::stable_sort(guards_.begin(), guards_.end(), [](const Guard& a, const Guard& b) {
    return a.sum.pieces.size() < b.sum.pieces.size();
  });
  bounded_.assign(values_.size(), false);
  const bool sized = extents_.size() == values_.size();
  bool exact_guard = guard_read && sized;
  for (size_t g = 0; g < guards_.size(); ++g) {
    bool used = false;
    for (size_t v = 0; v < values_.size() && sized && !used; ++v) {
      used = is_value_bound(guards_[g], v);
      if (used) bounded_[v] = true;
    }
    if (!used && !apply_guard(guards_[g])) exact_guard = false;
  }

  // Injective: every digit is known from the values. Known digits are taken off the others.
  std::vector<bool> known(digits_.size(), false);
  std::function<void(size_t)> learn = [&](size_t digit) {
    if (known[digit]) return;
    known[digit] = true;
    for (size_t member : digits_[digit].members) learn(member);
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const PieceSum& value : values_) {
      std::vector<Piece> open;
      for (const Piece& piece : value.pieces) {
        if (!known[piece.digit]) open.push_back(piece);
      }
      if (open.empty() || !radix(open)) continue;
      for (const Piece& piece : open) learn(piece.digit);
      progress = true;
    }
  }
  std::vector<bool> used(digits_.size(), false);
  bool shared = false;
  for (const PieceSum& value : values_) {
    for (const Piece& piece : value.pieces) {
      shared |= used[piece.digit];
      used[piece.digit] = true;
    }
  }
  for (const DigitSource& source : sources_) {
    for (size_t input : source.inputs) {
      shared |= used[input];
      used[input] = true;
    }
  }
  // A digit that a guard made of others but no value is written in says nothing, for itself or its members.
  const auto is_idle = [&](size_t d) { return !digits_[d].members.empty() && !used[d]; };
  bool all_known = true;
  for (size_t d = 0; d < digits_.size(); ++d) {
    if (is_idle(d)) continue;
    bool member = false;
    for (size_t other = 0; other < digits_.size(); ++other) {
      const std::vector<size_t>& members = digits_[other].members;
      member |= !is_idle(other) && std::find(members.begin(), members.end(), d) != members.end();
    }
    bool input = std::any_of(sources_.begin(), sources_.end(), [&](const DigitSource& source) {
      return std::find(source.inputs.begin(), source.inputs.end(), d) != source.inputs.end();
    });
    if (!known[d] && !member && !input) all_known = false;
  }
  if (all_known && sources.determined) facts.injective = true;

  if (!exact_guard || !sources.covered || shared || facts.injective != true) {
    return facts;
  }
  bool covers = true;
  for (size_t v = 0; v < values_.size(); ++v) {
    auto number = radix(values_[v].pieces);
    if (!number || !number->compact || !values_[v].fixed.is_constant(0)) return facts;
    if (equal(number->count, extents_[v])) continue;
    bool more = at_least(number->count, linear_offset(extents_[v], 1));
    bool less = at_least(extents_[v], linear_offset(number->count, 1));
    if (bounded_[v] && at_least(number->count, extents_[v])) continue;
    if (!more && !less) return facts;
    covers = false;
  }
  facts.covers = covers;
  return facts;
}

}  // namespace tilewright::arith
