#include <algorithm>

#include "arith/checked.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

namespace {

Expr node(BinaryOp op, Expr a, Expr b) {
  DType dtype = is_comparison(op) ? kBool : a.dtype();
  return Expr(new BinaryNode(dtype, op, std::move(a), std::move(b)));
}

}  // namespace

Expr Analyzer::Impl::render_terms(const std::vector<std::pair<AtomId, int64_t>>& terms,
                                  int64_t constant, DType dtype) {
  Expr sum;
  for (bool positive : {true, false}) {
    if (!positive && !sum.defined() && constant > 0) {
      sum = make_int(dtype, constant);
      constant = 0;
    }
    for (const auto& [atom, k] : terms) {
      if ((k > 0) != positive) continue;
      Expr term = render_atom(atom, dtype);
      if (!term.defined()) return term;
      bool leading_negative = !positive && !sum.defined();
      int64_t factor = leading_negative ? k : magnitude(k);
      if (factor == -1) {
        term = Expr(new UnaryNode(dtype, UnaryOp::kNeg, term));
        factor = 1;
      }
      if (factor != 1) term = node(BinaryOp::kMul, term, make_int(dtype, factor));
      if (!sum.defined()) {
        sum = term;
      } else {
        bool subtract = !positive && k != INT64_MIN;
        sum = node(subtract ? BinaryOp::kSub : BinaryOp::kAdd, sum, term);
      }
    }
  }
  if (!sum.defined()) return make_int(dtype, constant);
  if (constant == 0) return sum;
  if (constant < 0 && constant != INT64_MIN) {
    return node(BinaryOp::kSub, sum, make_int(dtype, -constant));
  }
  return node(BinaryOp::kAdd, sum, make_int(dtype, constant));
}

Expr Analyzer::Impl::render(const Linear& form, DType dtype) {
  if (dtype.bits == 32 && !interval_within(interval(form), interval_of_dtype(dtype))) return {};
  return render_terms(display_terms(form), form.constant, dtype);
}

Expr Analyzer::Impl::render_atom(AtomId id, DType dtype) {
  Atom& atom = atoms[id];
  bool leaf = atom.kind == AtomKind::kVar || atom.kind == AtomKind::kOpaque;
  if (leaf) {
    if (atom.expr.dtype() == dtype) return atom.expr;
    if (dtype.bits == 32) return {};
    return Expr(new CastNode(dtype, atom.expr));
  }
  if (dtype.bits == 64 && atom.expr.defined()) return atom.expr;
  Expr result;
  if (atom.kind == AtomKind::kProduct) {
    for (AtomId factor : atom.factors) {
      Expr part = render_atom(factor, dtype);
      if (!part.defined()) return part;
      result = result.defined() ? node(BinaryOp::kMul, result, part) : part;
    }
  } else {
    BinaryOp op = atom.kind == AtomKind::kDiv   ? BinaryOp::kFloorDiv
                  : atom.kind == AtomKind::kMod ? BinaryOp::kFloorMod
                  : atom.kind == AtomKind::kMin ? BinaryOp::kMin
                                                : BinaryOp::kMax;
    for (const Linear& arg : atom.args) {
      Expr part = render(arg, dtype);
      if (!part.defined()) return part;
      result = result.defined() ? node(op, result, part) : part;
    }
  }
  if (dtype.bits == 64) atoms[id].expr = result;
  return result;
}

Expr Analyzer::Impl::render_nonneg(const Linear& form, DType dtype) {
  Linear left, right;  // left < right, or left <= right
  for (const auto& term : form.terms) {
    if (term.second == INT64_MIN) return {};
    if (term.second > 0) {
      right.terms.push_back(term);
    } else {
      left.terms.emplace_back(term.first, -term.second);
    }
  }
  BinaryOp op = BinaryOp::kLt;
  if (form.constant == INT64_MAX || form.constant < -INT64_MAX + 2) return {};
  int64_t c = form.constant + 1;  // left < right + c
  if (left.terms.empty()) {
    op = BinaryOp::kGe;
    std::swap(left, right);
    right.constant = 1 - c;
  } else if (right.terms.empty() || c > 1) {
    right.constant = c;
  } else if (c == 1) {
    op = BinaryOp::kLe;
  } else {
    left.constant = -c;
  }
  Expr a = render(left, dtype), b = render(right, dtype);
  if (!a.defined() || !b.defined()) return {};
  return node(op, a, b);
}

Expr Analyzer::Impl::render_equality(const Linear& form, bool equal, DType dtype) {
  auto terms = display_terms(form);
  bool flip = terms[0].second < 0;
  Linear left, right;
  for (const auto& [atom, k] : form.terms) {
    if (k == INT64_MIN) return {};
    if ((k > 0) != flip) {
      left.terms.emplace_back(atom, magnitude(k));
    } else {
      right.terms.emplace_back(atom, magnitude(k));
    }
  }
  if (form.constant == INT64_MIN) return {};
  int64_t c = flip ? form.constant : -form.constant;  // left == right + c
  (c > 0 || right.terms.empty() ? right : left).constant = c > 0 || right.terms.empty() ? c : -c;
  Expr a = render(left, dtype), b = render(right, dtype);
  if (!a.defined() || !b.defined()) return {};
  return node(equal ? BinaryOp::kEq : BinaryOp::kNe, a, b);
}

}  // namespace tilewright::arith
