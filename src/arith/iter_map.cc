#include "arith/iter_map.h"

#include <algorithm>

namespace tilewright::arith {

using namespace ir;

IterMap::IterMap(const Analyzer& analyzer, const std::vector<std::pair<Var, Expr>>& var_extents)
    : analyzer_(analyzer), impl_(analyzer_.impl()) {
  for (const auto& [var, extent] : var_extents) {
    analyzer_.bind_extent(var, extent);
    // A variable of one value is a constant and takes no part.
    if (!is_const_int(analyzer_.simplify(extent), 1)) vars_.push_back(impl_.var_atom(var));
  }
}

bool IterMap::depends(AtomId atom) { return impl_.depends_on(atom, vars_, dependence_); }

bool IterMap::equal(const Linear& a, const Linear& b) {
  return impl_.prove_zero(linear_add(a, b, -1));
}

bool IterMap::at_least(const Linear& a, const Linear& b) {
  return impl_.prove_nonneg(linear_add(a, b, -1));
}

size_t IterMap::digit_of(size_t source, const Linear& lower, const Linear& extent) {
  for (size_t i = 0; i < digits_.size(); ++i) {
    const Digit& d = digits_[i];
    if (d.members.empty() && d.source == source && d.lower == lower && d.extent == extent) return i;
  }
  digits_.push_back({source, lower, extent, {}});
  return digits_.size() - 1;
}

std::optional<size_t> IterMap::source_of(const Linear& form) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].form == form) return i;
  }
  DigitSource source;
  source.form = form;
  if (form.is_atom() && impl_.atoms[form.terms[0].first].kind == AtomKind::kVar) {
    const VarInfo& info = impl_.vars[form.terms[0].first];
    source.extent = linear_offset(info.high, 1);
  } else {
    auto sum = read(form);
    if (!sum || !sum->fixed.is_constant(0)) return std::nullopt;
    auto number = radix(sum->pieces);
    if (!number || !number->compact) return std::nullopt;
    source.extent = number->count;
    for (const Piece& piece : sum->pieces) source.inputs.push_back(piece.digit);
  }
  if (source.extent.overflow) return std::nullopt;
  sources_.push_back(std::move(source));
  return sources_.size() - 1;
}

std::optional<size_t> IterMap::read_digit(AtomId atom) {
  const AtomKind kind = impl_.atoms[atom].kind;
  const Linear one = linear_constant(1);
  if (kind == AtomKind::kVar) {
    auto source = source_of(linear_atom(atom));
    if (!source) return std::nullopt;
    return digit_of(*source, one, sources_[*source].extent);
  }
  if (kind != AtomKind::kDiv && kind != AtomKind::kMod) return std::nullopt;
  Linear form = impl_.atoms[atom].args[0];
  const Linear second = impl_.atoms[atom].args[1];
  if (!impl_.prove_nonneg(linear_offset(second, -1))) return std::nullopt;
  if (kind == AtomKind::kMod) {
    Linear lower = one;
    if (form.is_atom() && impl_.atoms[form.terms[0].first].kind == AtomKind::kDiv) {
      const Atom inner = impl_.atoms[form.terms[0].first];
      form = inner.args[0];
      lower = inner.args[1];
    }
    auto source = source_of(form);
    if (!source) return std::nullopt;
    return digit_of(*source, lower, second);
  }
  auto source = source_of(form);
  if (!source) return std::nullopt;
  // ceil(extent / lower) values.
  Linear top = linear_offset(linear_add(sources_[*source].extent, second), -1);
  return digit_of(*source, second, impl_.divide(top, second));
}

std::optional<PieceSum> IterMap::read(const Linear& form) {
  PieceSum sum;
  sum.fixed = linear_constant(form.constant);
  for (const auto& [atom, k] : form.terms) {
    if (!depends(atom)) {
      sum.fixed = linear_add(sum.fixed, linear_atom(atom, k));
      continue;
    }
    Linear scale = linear_constant(k);
    AtomId moving = atom;
    if (impl_.atoms[atom].kind == AtomKind::kProduct) {
      int count = 0;
      const std::vector<AtomId> factors = impl_.atoms[atom].factors;
      for (AtomId factor : factors) {
        if (depends(factor)) {
          moving = factor;
          ++count;
        } else {
          scale = impl_.multiply(scale, linear_atom(factor));
        }
      }
      if (count != 1) return std::nullopt;
    }
    auto digit = read_digit(moving);
    if (!digit) return std::nullopt;
    sum.pieces.push_back({scale, *digit});
  }
  return sum;
}

std::optional<IterMap::Radix> IterMap::radix(std::vector<Piece> pieces) {
  Radix result{true, linear_constant(1)};
  Linear span = linear_constant(1);  // one more than the largest value of the digits so far
  while (!pieces.empty()) {
    auto next = std::find_if(pieces.begin(), pieces.end(),
                             [&](const Piece& p) { return equal(p.scale, result.count); });
    if (next == pieces.end() || !result.compact) {
      result.compact = false;
      // The smallest scale first; the digits must not reach it.
      for (next = pieces.begin(); next != pieces.end(); ++next) {
        bool least = std::all_of(pieces.begin(), pieces.end(), [&](const Piece& other) {
          return &other == &*next || at_least(other.scale, next->scale);
        });
        if (least) break;
      }
      if (next == pieces.end() || !at_least(next->scale, span)) return std::nullopt;
    }
    const Linear& extent = digits_[next->digit].extent;
    Linear reach = impl_.multiply(next->scale, linear_offset(extent, -1));
    span = linear_add(span, reach);
    result.count = impl_.multiply(result.count, extent);
    if (span.overflow || result.count.overflow) return std::nullopt;
    pieces.erase(next);
  }
  return result;
}

void IterMap::check_source(size_t index, Sources& result) {
  const DigitSource source = sources_[index];
  std::vector<size_t> parts;
  for (size_t i = 0; i < digits_.size(); ++i) {
    if (digits_[i].members.empty() && digits_[i].source == index) parts.push_back(i);
  }
  Linear reached = linear_constant(1);
  while (!parts.empty()) {
    auto next = std::find_if(parts.begin(), parts.end(),
                             [&](size_t d) { return equal(digits_[d].lower, reached); });
    if (next == parts.end()) {
      bool gap = std::all_of(parts.begin(), parts.end(), [&](size_t d) {
        return at_least(digits_[d].lower, linear_offset(reached, 1));
      });
      result.missing |= gap;
      result.determined = result.covered = false;
      return;
    }
    reached = impl_.multiply(reached, digits_[*next].extent);
    parts.erase(next);
  }
  if (equal(reached, source.extent)) return;
  result.covered = false;
  if (!at_least(reached, source.extent)) {
    result.missing |= at_least(source.extent, linear_offset(reached, 1));
    result.determined = false;
  }
}

IterMap::Sources IterMap::check_sources() {
  Sources result;
  for (AtomId var : vars_) {
    bool used = std::any_of(sources_.begin(), sources_.end(),
                            [&](const DigitSource& s) { return s.form == linear_atom(var); });
    if (used) continue;
    // Unless it has one value only, a variable that no value names is lost.
    const VarInfo& info = impl_.vars[var];
    result.missing |= at_least(info.high, linear_constant(1));
    result.determined = result.covered = false;
  }
  for (size_t i = 0; i < sources_.size(); ++i) check_source(i, result);
  return result;
}

MapFacts analyze_map(const Analyzer& analyzer, const std::vector<std::pair<Var, Expr>>& var_extents,
                     const std::vector<Expr>& values, const std::vector<Expr>& extents,
                     const Expr& guard) {
  return IterMap(analyzer, var_extents).analyze(values, extents, guard);
}

}  // namespace tilewright::arith
