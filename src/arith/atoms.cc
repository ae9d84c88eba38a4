#include <algorithm>

#include "arith/checked.h"
#include "arith/expr_equal.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

namespace {

uint64_t atom_hash(const Atom& atom) {
  uint64_t h = static_cast<uint64_t>(atom.kind) + 1;
  for (const Linear& arg : atom.args) h = h * 0x9e3779b97f4a7c15ull + linear_hash(arg);
  for (AtomId factor : atom.factors) h = h * 0x9e3779b97f4a7c15ull + factor;
  if (atom.kind == AtomKind::kVar || atom.kind == AtomKind::kOpaque)
    h ^= expr_hash(atom.expr.get());
  return h;
}

bool same_atom(const Atom& a, const Atom& b) {
  if (a.kind != b.kind || a.args != b.args || a.factors != b.factors) return false;
  if (a.kind != AtomKind::kVar && a.kind != AtomKind::kOpaque) return true;
  return same_expr(a.expr, b.expr);
}

// The operands whose being data makes the result data; nullopt when the result is data anyhow.
std::optional<std::vector<Expr>> value_operands(const Expr& expr) {
  if (auto* select = expr.as<SelectNode>()) return {{select->true_value, select->false_value}};
  if (auto* lazy = expr.as<IfThenElseNode>()) return {{lazy->true_value, lazy->false_value}};
  const auto* binary = expr.as<BinaryNode>();
  if (!binary) return std::nullopt;
  switch (binary->op) {
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShr: return {{binary->a, binary->b}};
    default: return std::nullopt;
  }
}

}  // namespace

AtomId Analyzer::Impl::intern(Atom atom) {
  uint64_t h = atom_hash(atom);
  auto [begin, end] = atom_index.equal_range(h);
  for (auto it = begin; it != end; ++it) {
    if (same_atom(atoms[it->second], atom)) return it->second;
  }
  for (const Linear& arg : atom.args) {
    for (const auto& term : arg.terms) atom.data |= atoms[term.first].data;
  }
  for (AtomId factor : atom.factors) atom.data |= atoms[factor].data;
  auto id = static_cast<AtomId>(atoms.size());
  atoms.push_back(std::move(atom));
  atom_index.emplace(h, id);
  return id;
}

AtomId Analyzer::Impl::var_atom(const Expr& var) {
  Atom atom;
  atom.kind = AtomKind::kVar;
  atom.expr = var;
  return intern(std::move(atom));
}

AtomId Analyzer::Impl::opaque_atom(const Expr& expr) {
  Atom atom;
  atom.kind = AtomKind::kOpaque;
  atom.expr = expr;
  auto operands = value_operands(expr);
  atom.data = !operands;
  if (operands) {
    for (const Expr& operand : *operands) {
      for (const auto& term : linearize(operand).terms) atom.data |= atoms[term.first].data;
    }
  }
  return intern(std::move(atom));
}

AtomId Analyzer::Impl::product_atom(AtomId a, AtomId b) {
  Atom atom;
  atom.kind = AtomKind::kProduct;
  for (AtomId part : {a, b}) {
    const Atom& p = atoms[part];
    if (p.kind == AtomKind::kProduct) {
      atom.factors.insert(atom.factors.end(), p.factors.begin(), p.factors.end());
    } else {
      atom.factors.push_back(part);
    }
  }
  std::sort(atom.factors.begin(), atom.factors.end());
  return intern(std::move(atom));
}

std::optional<AtomId> Analyzer::Impl::divide_atom(AtomId atom, AtomId divisor) const {
  if (atom == divisor) return kOne;
  const Atom& a = atoms[atom];
  const Atom& d = atoms[divisor];
  if (a.kind != AtomKind::kProduct) return std::nullopt;
  std::vector<AtomId> rest;
  std::vector<AtomId> wanted =
      d.kind == AtomKind::kProduct ? d.factors : std::vector<AtomId>{divisor};
  if (!std::includes(a.factors.begin(), a.factors.end(), wanted.begin(), wanted.end())) {
    return std::nullopt;
  }
  std::set_difference(a.factors.begin(), a.factors.end(), wanted.begin(), wanted.end(),
                      std::back_inserter(rest));
  if (rest.empty()) return kOne;
  if (rest.size() == 1) return rest[0];
  Atom product;
  product.kind = AtomKind::kProduct;
  product.factors = std::move(rest);
  return const_cast<Impl*>(this)->intern(std::move(product));
}

size_t Analyzer::Impl::degree(AtomId atom) const {
  const Atom& a = atoms[atom];
  return a.kind == AtomKind::kProduct ? a.factors.size() : 1;
}

int Analyzer::Impl::compare_atoms(AtomId x, AtomId y) const {
  if (x == y) return 0;
  const Atom& a = atoms[x];
  const Atom& b = atoms[y];
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == AtomKind::kVar) {
    int order = a.expr.as<VarNode>()->name.compare(b.expr.as<VarNode>()->name);
    if (order != 0) return order < 0 ? -1 : 1;
  } else if (a.kind == AtomKind::kProduct) {
    if (a.factors.size() != b.factors.size()) return a.factors.size() > b.factors.size() ? -1 : 1;
    for (size_t i = 0; i < a.factors.size(); ++i) {
      if (int order = compare_atoms(a.factors[i], b.factors[i])) return order;
    }
  } else if (a.kind == AtomKind::kOpaque) {
    if (a.expr->kind != b.expr->kind) return a.expr->kind < b.expr->kind ? -1 : 1;
  } else {
    if (a.args.size() != b.args.size()) return a.args.size() < b.args.size() ? -1 : 1;
    for (size_t i = 0; i < a.args.size(); ++i) {
      if (int order = compare_linear(a.args[i], b.args[i])) return order;
    }
  }
  return x < y ? -1 : 1;
}

int Analyzer::Impl::compare_linear(const Linear& a, const Linear& b) const {
  if (a.terms.size() != b.terms.size()) return a.terms.size() > b.terms.size() ? -1 : 1;
  auto ta = display_terms(a), tb = display_terms(b);
  for (size_t i = 0; i < ta.size(); ++i) {
    if (int order = compare_atoms(ta[i].first, tb[i].first)) return order;
    if (ta[i].second != tb[i].second) return ta[i].second < tb[i].second ? -1 : 1;
  }
  if (a.constant != b.constant) return a.constant < b.constant ? -1 : 1;
  return 0;
}

std::vector<std::pair<AtomId, int64_t>> Analyzer::Impl::display_terms(const Linear& form) const {
  auto terms = form.terms;
  if (terms.size() < 2) return terms;
  std::sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) {
    size_t da = degree(a.first), db = degree(b.first);
    if (da != db) return da > db;
    int64_t ka = magnitude(a.second), kb = magnitude(b.second);
    if (ka != kb) return ka > kb;
    return compare_atoms(a.first, b.first) < 0;
  });
  return terms;
}

bool Analyzer::Impl::exact(const Linear& form) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  bool unbounded = false;
  Interval sum{0, 0};
  for (const auto& [atom, k] : form.terms) {
    if (!atoms[atom].data) continue;
    Interval range = interval_scale(atom_interval(atom), k);
    if (range.bounded()) {
      sum = interval_add(sum, range);
    } else {
      unbounded = true;
    }
  }
  if (unbounded) return form.is_atom();
  return interval_within(sum, {-kLimit, kLimit});
}

bool Analyzer::Impl::depends_on(AtomId atom, const std::vector<AtomId>& over,
                                std::unordered_map<AtomId, bool>& memo) const {
  auto it = memo.find(atom);
  if (it != memo.end()) return it->second;
  const Atom& a = atoms[atom];
  bool found = false;
  auto in_form = [&](const Linear& form) {
    for (const auto& term : form.terms) found = found || depends_on(term.first, over, memo);
  };
  switch (a.kind) {
    case AtomKind::kVar: found = std::find(over.begin(), over.end(), atom) != over.end(); break;
    case AtomKind::kProduct:
      for (AtomId factor : a.factors) found = found || depends_on(factor, over, memo);
      break;
    case AtomKind::kOpaque: {
      VarSet set;
      for (AtomId var : over) set.insert(atoms[var].expr);
      found = uses_any_var(a.expr, set);
      break;
    }
    default:
      for (const Linear& arg : a.args) in_form(arg);
  }
  memo[atom] = found;
  return found;
}

}  // namespace tilewright::arith
