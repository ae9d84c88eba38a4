#include <algorithm>

#include "arith/checked.h"
#include "arith/impl.h"

namespace tilewright::arith {

Linear Analyzer::Impl::min_max(bool is_max, std::vector<Linear> args) {
  constexpr size_t kMaxOperands = 8;
  const AtomKind kind = is_max ? AtomKind::kMax : AtomKind::kMin;
  const AtomKind opposite = is_max ? AtomKind::kMin : AtomKind::kMax;
  // min(r + min(p, q), z) = min(r + p, r + q, z), and -max(p, q) = min(-p, -q).
  for (size_t i = 0; i < args.size();) {
    if (args[i].overflow) return linear_overflow();
    auto nested = std::find_if(args[i].terms.begin(), args[i].terms.end(), [&](const auto& term) {
      AtomKind k = atoms[term.first].kind;
      return (k == kind && term.second == 1) || (k == opposite && term.second == -1);
    });
    if (nested == args[i].terms.end()) {
      ++i;
      continue;
    }
    auto [atom, sign] = *nested;
    if (args.size() + atoms[atom].args.size() > kMaxOperands) {
      ++i;
      continue;
    }
    Linear rest = linear_without(args[i], atom);
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
    for (const Linear& operand : atoms[atom].args) {
      args.push_back(merge(linear_add(rest, operand, sign)));
    }
  }
  // Drop what another operand dominates.
  auto dominates = [&](const Linear& a, const Linear& b) {
    return prove_nonneg(is_max ? linear_add(a, b, -1) : linear_add(b, a, -1));
  };
  for (size_t i = 0; i < args.size(); ++i) {
    for (size_t j = 0; j < args.size();) {
      if (i != j && dominates(args[i], args[j])) {
        args.erase(args.begin() + static_cast<std::ptrdiff_t>(j));
        if (j < i) --i;
      } else {
        ++j;
      }
    }
  }
  if (args.size() == 1) return args[0];
  // Unbounded data may wrap when shifted.
  bool shiftable = std::all_of(args.begin(), args.end(),
                               [&](const Linear& arg) { return exact(linear_add(arg, arg)); });
  // Move what all operands share outside; the smallest constant becomes zero.
  Linear shared;
  for (const auto& [atom, k] : args[0].terms) {
    int64_t coefficient = k;
    bool everywhere = std::all_of(args.begin(), args.end(), [&](const Linear& arg) {
      return arg.coefficient(atom) == coefficient;
    });
    if (everywhere) shared.terms.emplace_back(atom, k);
  }
  shared.constant = args[0].constant;
  for (const Linear& arg : args) shared.constant = std::min(shared.constant, arg.constant);
  if (!shiftable) shared = Linear{};
  Atom result;
  result.kind = kind;
  for (const Linear& arg : args) result.args.push_back(linear_add(arg, shared, -1));
  for (const Linear& arg : result.args) {
    if (arg.overflow) return linear_overflow();
  }
  std::sort(result.args.begin(), result.args.end(),
            [&](const Linear& a, const Linear& b) { return compare_linear(a, b) < 0; });
  return linear_add(shared, linear_atom(intern(std::move(result))));
}

}  // namespace tilewright::arith
