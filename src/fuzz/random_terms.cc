#include "fuzz/random_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::fuzz {
namespace {

double natural_bound(DType dtype, double bound) {
  if (dtype.is_bool()) return 1;
  const double wrap = std::ldexp(1.0, dtype.is_uint() ? dtype.bits : dtype.bits - 1);
  return dtype.is_float() || bound < wrap ? bound : wrap;
}

}  // namespace

double exact_limit(DType dtype) {
  if (!dtype.is_float()) return std::numeric_limits<double>::infinity();
  if (dtype.is_bfloat16()) return 256;
  return dtype.bits == 16 ? 2048 : dtype.bits == 32 ? 16777216.0 : 9007199254740992.0;
}

Bounded TermMaker::clamped(Bounded value, int64_t most) {
  const DType dtype = value.term.dtype;
  const int64_t low = dtype.is_uint() || dtype.is_bool() ? 0 : -most;
  Term low_end = op_term("max", dtype, {std::move(value.term), const_term(dtype, low)});
  return {op_term("min", dtype, {std::move(low_end), const_term(dtype, most)}),
          static_cast<double>(most)};
}

Bounded TermMaker::convert(Bounded value, DType dtype) {
  const DType from = value.term.dtype;
  if (from != dtype) {
    value = {cast_term(dtype, std::move(value.term)), value.bound};
  }
  // Below zero wraps to the top.
  if (dtype.is_uint() && from != dtype && !from.is_uint() && !from.is_bool()) {
    value.bound = std::numeric_limits<double>::infinity();
  }
  value.bound = natural_bound(dtype, value.bound);
  return value.bound > exact_limit(dtype) ? clamped(std::move(value), 4) : value;
}

const Known& TermMaker::some_tensor() {
  // Mostly the newest: it makes chains.
  return chance(55) ? known_.back() : pick(known_);
}

bool TermMaker::index_inside(const Dim& dim, size_t position, Term& index) {
  std::vector<size_t> fitting;
  for (size_t a = 0; a < axes_.size(); ++a) {
    const bool fits = axes_[a].size == dim.size && axes_[a].value <= dim.value;
    if (fits || (axes_[a].size.empty() && dim.size.empty() && axes_[a].value <= dim.value)) {
      fitting.push_back(a);
    }
  }
  const bool constant = dim.size.empty() && dim.value >= 1;
  if (fitting.empty() || (constant && chance(5))) {
    if (!constant) return false;
    if (axes_.empty() || chance(40)) {
      index = const_term(kInt64, rng_.between(0, dim.value - 1));
    } else {
      index = op_term("floor_mod", kInt64,
                      {axis_term(static_cast<int64_t>(rng_.below(axes_.size()))),
                       const_term(kInt64, dim.value)});
    }
    return true;
  }
  size_t axis = pick(fitting);
  if (chance(75)) {
    for (size_t a : fitting) {
      if (a == position) axis = a;
    }
  }
  index = axis_term(static_cast<int64_t>(axis));
  const int64_t room = dim.value - axes_[axis].value;
  if (room > 0) {
    index = op_term("add", kInt64, {index, const_term(kInt64, rng_.between(0, room))});
  } else if (constant && axes_[axis].value == dim.value && chance(8)) {
    index = op_term("sub", kInt64, {const_term(kInt64, dim.value - 1), index});
  } else if (constant && chance(5)) {
    index = op_term("floor_div", kInt64, {index, const_term(kInt64, 2)});
  }
  return true;
}

std::string TermMaker::boundary_rule(const std::vector<Dim>& shape) {
  for (const Dim& dim : shape) {
    if (dim.size.empty() && dim.value < 1) return "constant";
  }
  static const std::vector<std::string> rules = {"constant", "constant", "edge",
                                                 "edge",     "mirror",   "reflect"};
  return pick(rules);
}

Bounded TermMaker::load_at(const Known& tensor, std::vector<Term> index, std::string rule) {
  return {{"load", tensor.dtype, tensor.output, tensor.name, std::move(rule), std::move(index)},
          std::max(tensor.bound, 1.0)};
}

Bounded TermMaker::load(const Known& tensor) {
  std::vector<Term> index;
  bool outside = false;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    Term at;
    if (!index_inside(tensor.shape[d], d, at)) {
      outside = true;
      at = axes_.empty() ? const_term(kInt64, 0)
                         : axis_term(static_cast<int64_t>(std::min(d, axes_.size() - 1)));
    }
    index.push_back(at);
  }
  // An index that is data.
  const Known& other = pick(known_);
  if (!outside && !tensor.shape.empty() && other.dtype.is_integer() && other.shape.size() == 1 &&
      chance(15)) {
    Term at;
    const Dim& dim = tensor.shape[0];
    if (dim.size.empty() && dim.value >= 1 && index_inside(other.shape[0], 0, at)) {
      const Bounded data = load_at(other, {at}, "");
      index[0] = op_term("floor_mod", kInt64,
                         {cast_term(kInt64, data.term), const_term(kInt64, dim.value)});
    }
  }
  return load_at(tensor, std::move(index), outside ? boundary_rule(tensor.shape) : "");
}

Bounded TermMaker::leaf(DType dtype) {
  if (!axes_.empty() && chance(10)) {
    return convert({axis_term(static_cast<int64_t>(rng_.below(axes_.size()))), 32}, dtype);
  }
  if (known_.empty() || chance(10)) {
    const int64_t low = dtype.is_uint() || dtype.is_bool() ? 0 : -4;
    return {const_term(dtype, rng_.between(low, dtype.is_bool() ? 1 : 4)), 4};
  }
  return convert(load(some_tensor()), dtype);
}

Bounded TermMaker::arithmetic(DType dtype, int depth) {
  Bounded a = value(dtype, depth - 1), b = value(dtype, depth - 1);
  static const std::vector<std::string> ops = {"add", "add", "sub", "mul", "max", "min"};
  const std::string& op = pick(ops);
  double bound = std::max(a.bound, b.bound);
  if (op == "add" || op == "sub") bound = a.bound + b.bound;
  // Products that need all 64 bits.
  if (op == "mul" && dtype.is_integer() && dtype.bits == 64 && chance(40)) {
    b.term = op_term("mul", dtype, {std::move(b.term), const_term(dtype, (int64_t{1} << 33) + 5)});
    b.bound = std::numeric_limits<double>::infinity();
  }
  if (op == "mul") bound = a.bound * b.bound;
  // An unsigned difference below zero wraps.
  if (op == "sub" && dtype.is_uint()) bound = std::numeric_limits<double>::infinity();
  if (bound > exact_limit(dtype)) {
    a = clamped(std::move(a), 4);
    b = clamped(std::move(b), 4);
    bound = 16;
  }
  return {op_term(op, dtype, {std::move(a.term), std::move(b.term)}), natural_bound(dtype, bound)};
}

Term TermMaker::unsigned_difference_below(Term value) {
  const DType dtype = value.dtype;
  Term difference =
      op_term("sub", dtype, {const_term(dtype, rng_.between(0, 3)), std::move(value)});
  return op_term(chance(50) ? "lt" : "le", kBool,
                 {std::move(difference), const_term(dtype, rng_.between(4, 9))});
}

Bounded TermMaker::integer_operation(DType dtype, int depth) {
  Bounded a = value(dtype, depth - 1);
  const double whole = natural_bound(dtype, std::numeric_limits<double>::infinity());
  static const std::vector<std::string> divisions = {"floor_div", "floor_mod", "trunc_div",
                                                     "trunc_mod"};
  if (chance(50)) {
    Bounded b =
        chance(30) ? value(dtype, depth - 1) : Bounded{const_term(dtype, rng_.between(1, 7)), 7};
    if (b.term.op == "const" && dtype.is_int() && chance(25)) b.term.value = -b.term.value;
    if (b.term.op == "const" && b.term.value == 0) b.term.value = 3;
    return {op_term(pick(divisions), dtype, {std::move(a.term), std::move(b.term)}), whole};
  }
  static const std::vector<std::string> bits = {"and", "or", "xor"};
  if (chance(60)) {
    Bounded b = value(dtype, depth - 1);
    return {op_term(pick(bits), dtype, {std::move(a.term), std::move(b.term)}), whole};
  }
  Term count = const_term(dtype, rng_.between(0, dtype.bits - 1));
  return {op_term(chance(50) ? "shl" : "shr", dtype, {std::move(a.term), std::move(count)}), whole};
}

Bounded TermMaker::float_operation(DType dtype, int depth) {
  Bounded a = value(dtype, depth - 1);
  if (chance(40)) {
    Bounded b = value(dtype, depth - 1);
    const double bound = std::max(a.bound, b.bound);
    return {op_term(chance(50) ? "fmax" : "fmin", dtype, {std::move(a.term), std::move(b.term)}),
            bound};
  }
  if (chance(50)) {
    // Halves, of which rounding makes integers again.
    static const std::vector<std::string> roundings = {"floor", "ceil", "trunc", "round", "round"};
    Term half = op_term("div", dtype, {std::move(a.term), const_term(dtype, 2)});
    return {op_term(pick(roundings), dtype, {std::move(half)}), a.bound};
  }
  static const std::vector<std::string> ops = {"abs", "neg", "floor", "ceil", "trunc", "round"};
  return {op_term(pick(ops), dtype, {std::move(a.term)}), a.bound};
}

Bounded TermMaker::choice(DType dtype, int depth) {
  Bounded a = value(dtype, depth - 1), b = value(dtype, depth - 1);
  Term condition = dtype.is_uint() && chance(50) ? unsigned_difference_below(a.term)
                                                 : this->condition(depth - 1);
  const double bound = std::max(a.bound, b.bound);
  return {op_term(chance(50) ? "select" : "if_then_else", dtype,
                  {std::move(condition), std::move(a.term), std::move(b.term)}),
          bound};
}

Bounded TermMaker::value(DType dtype, int depth) {
  if (depth <= 0) return leaf(dtype);
  if (dtype.is_bool()) return {condition(depth), 1};
  if (chance(dtype.is_uint() ? 30 : 12)) return choice(dtype, depth);
  if (dtype.is_integer() && chance(35)) return integer_operation(dtype, depth);
  if (dtype.is_float() && chance(15)) return float_operation(dtype, depth);
  return arithmetic(dtype, depth);
}

Term TermMaker::condition(int depth) {
  static const std::vector<std::string> comparisons = {"lt", "le", "eq", "ne"};
  if (depth > 1 && chance(30)) {
    if (chance(30)) return op_term("not", kBool, {condition(depth - 1)});
    return op_term(chance(50) ? "logical_and" : "logical_or", kBool,
                   {condition(depth - 1), condition(depth - 1)});
  }
  if (!axes_.empty() && chance(60)) {
    Term left = axis_term(static_cast<int64_t>(rng_.below(axes_.size())));
    Term right = axes_.size() > 1 && chance(60)
                     ? axis_term(static_cast<int64_t>(rng_.below(axes_.size())))
                     : const_term(kInt64, rng_.between(0, 5));
    if (right.op == "axis" && chance(30)) {
      right = op_term("add", kInt64, {right, const_term(kInt64, rng_.between(-2, 2))});
    }
    if (chance(15)) left = op_term("floor_mod", kInt64, {left, const_term(kInt64, 2)});
    return op_term(pick(comparisons), kBool, {left, right});
  }
  const DType dtype = known_.empty() ? kInt32 : some_tensor().dtype;
  const DType compared = dtype.is_bool() ? kInt32 : dtype;
  Term left = leaf(compared).term, right = leaf(compared).term;
  if (compared.is_uint() && chance(50)) return unsigned_difference_below(std::move(left));
  return op_term(pick(comparisons), kBool, {std::move(left), std::move(right)});
}

}  // namespace tilewright::fuzz
