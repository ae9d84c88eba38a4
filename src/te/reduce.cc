#include "tilewright/te/reduce.h"

#include "te/checks.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te {
namespace {

using detail::shown;

bool is_builtin(const std::string& name) {
  for (const char* builtin : {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"}) {
    if (name == builtin) return true;
  }
  return false;
}

void check_axes(const std::string& what, const Axes& axes) {
  if (axes.empty()) fail("te.no_axes", "{}: no axes to reduce over are given", what);
  for (size_t i = 0; i < axes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (axes[i].same_as(axes[j])) {
        fail("te.duplicate_axis", "{}: axis '{}' is listed twice", what, axes[i].name());
      }
    }
  }
}

std::vector<Expr> make_reduce(const ir::Reducer& reducer, std::vector<Expr> sources,
                              const Axes& axes, const Expr& where) {
  const std::string what = reducer->name;
  check_axes(what, axes);
  if (where.defined() && where.dtype() != kBool) {
    fail("te.where_dtype", "{}: `where` is {}, of dtype {}; a bool is needed", what, shown(where),
         to_string(where.dtype()));
  }
  std::vector<Var> vars(axes.begin(), axes.end());
  std::vector<Range> domains;
  for (const ReduceAxis& axis : axes) domains.push_back(axis.dom());
  std::vector<Expr> results;
  for (size_t v = 0; v < reducer->arity(); ++v) {
    results.emplace_back(
        new ir::ReduceNode(reducer, sources, vars, domains, where, static_cast<int64_t>(v)));
  }
  return results;
}

Expr checked_source(const char* what, const Expr& source) {
  if (!source.defined())
    fail("te.null_expr", "{}: the expression to reduce is missing (null)", what);
  return source;
}

Expr converted(const Expr& source, const std::optional<DType>& acc_dtype) {
  return acc_dtype ? ir::cast(*acc_dtype, source) : source;
}

Expr bool_source(const char* what, const Expr& source) {
  if (checked_source(what, source).dtype() != kBool) {
    fail("te.where_dtype", "{} reduces bools, but {} has dtype {}; compare it, such as x != 0",
         what, shown(source), to_string(source.dtype()));
  }
  return source;
}

}  // namespace

Expr sum(Expr source, const Axes& axes, Expr where, std::optional<DType> acc_dtype) {
  Expr term = converted(checked_source("sum", source), acc_dtype);
  return make_reduce(ir::reducers::sum(term.dtype()), {term}, axes, where)[0];
}

Expr prod(Expr source, const Axes& axes, Expr where, std::optional<DType> acc_dtype) {
  Expr term = converted(checked_source("prod", source), acc_dtype);
  return make_reduce(ir::reducers::prod(term.dtype()), {term}, axes, where)[0];
}

Expr max(Expr source, const Axes& axes, Expr where) {
  const DType dtype = checked_source("max", source).dtype();
  return make_reduce(ir::reducers::max(dtype), {std::move(source)}, axes, where)[0];
}

Expr min(Expr source, const Axes& axes, Expr where) {
  const DType dtype = checked_source("min", source).dtype();
  return make_reduce(ir::reducers::min(dtype), {std::move(source)}, axes, where)[0];
}

Expr any(Expr source, const Axes& axes, Expr where) {
  return make_reduce(ir::reducers::any(), {bool_source("any", source)}, axes, where)[0];
}

Expr all(Expr source, const Axes& axes, Expr where) {
  return make_reduce(ir::reducers::all(), {bool_source("all", source)}, axes, where)[0];
}

std::vector<Expr> argmax(Expr index, Expr value, const Axes& axes, Expr where) {
  checked_source("argmax", index);
  checked_source("argmax", value);
  ir::Reducer reducer = ir::reducers::argmax(index.dtype(), value.dtype());
  return make_reduce(reducer, {std::move(index), std::move(value)}, axes, where);
}

std::vector<Expr> argmin(Expr index, Expr value, const Axes& axes, Expr where) {
  checked_source("argmin", index);
  checked_source("argmin", value);
  ir::Reducer reducer = ir::reducers::argmin(index.dtype(), value.dtype());
  return make_reduce(reducer, {std::move(index), std::move(value)}, axes, where);
}

Expr sum(Expr source, const ReduceAxis& axis, Expr where, std::optional<DType> acc_dtype) {
  return sum(std::move(source), Axes{axis}, std::move(where), acc_dtype);
}
Expr prod(Expr source, const ReduceAxis& axis, Expr where, std::optional<DType> acc_dtype) {
  return prod(std::move(source), Axes{axis}, std::move(where), acc_dtype);
}
Expr max(Expr source, const ReduceAxis& axis, Expr where) {
  return max(std::move(source), Axes{axis}, std::move(where));
}
Expr min(Expr source, const ReduceAxis& axis, Expr where) {
  return min(std::move(source), Axes{axis}, std::move(where));
}
Expr any(Expr source, const ReduceAxis& axis, Expr where) {
  return any(std::move(source), Axes{axis}, std::move(where));
}
Expr all(Expr source, const ReduceAxis& axis, Expr where) {
  return all(std::move(source), Axes{axis}, std::move(where));
}
std::vector<Expr> argmax(Expr index, Expr value, const ReduceAxis& axis, Expr where) {
  return argmax(std::move(index), std::move(value), Axes{axis}, std::move(where));
}
std::vector<Expr> argmin(Expr index, Expr value, const ReduceAxis& axis, Expr where) {
  return argmin(std::move(index), std::move(value), Axes{axis}, std::move(where));
}
std::vector<Expr> argmax(Expr value, const ReduceAxis& axis, Expr where) {
  return argmax(axis, std::move(value), Axes{axis}, std::move(where));
}
std::vector<Expr> argmin(Expr value, const ReduceAxis& axis, Expr where) {
  return argmin(axis, std::move(value), Axes{axis}, std::move(where));
}

ir::Reducer reducer(std::string name, const std::function<Expr(Expr, Expr)>& combine, Expr identity,
                    Algebra algebra) {
  const TupleCombine tuple = [&](const std::vector<Var>& acc, const std::vector<Var>& term) {
    return std::vector<Expr>{combine(acc[0], term[0])};
  };
  return reducer(std::move(name), tuple, std::vector<Expr>{std::move(identity)}, algebra);
}

ir::Reducer reducer(std::string name, const TupleCombine& combine, std::vector<Expr> identity,
                    Algebra algebra) {
  detail::check_name("a reducer", name);
  const std::string what = fmt::format("reducer '{}'", name);
  if (is_builtin(name)) {
    fail("te.bad_reducer", "{} has the name of a built-in reducer; choose another", what);
  }
  if (identity.empty()) fail("te.bad_reducer", "{} has no identity", what);
  std::vector<Var> lhs, rhs;
  for (size_t v = 0; v < identity.size(); ++v) {
    if (!identity[v].defined() || !ir::is_literal(identity[v])) {
      fail("te.bad_reducer", "{}: identity {} is not a constant", what, v);
    }
    const std::string suffix = identity.size() > 1 ? std::to_string(v) : "";
    lhs.emplace_back("lhs" + suffix, identity[v].dtype());
    rhs.emplace_back("rhs" + suffix, identity[v].dtype());
  }
  std::vector<Expr> results = combine(lhs, rhs);
  if (results.size() != identity.size()) {
    fail("te.bad_reducer", "{}: combine gives {} value(s) for {} identity value(s)", what,
         results.size(), identity.size());
  }
  for (size_t v = 0; v < results.size(); ++v) {
    if (!results[v].defined()) fail("te.bad_reducer", "{}: combine gives a null expression", what);
    if (results[v].dtype() != identity[v].dtype()) {
      fail("te.bad_reducer", "{}: value {} has dtype {} from combine but {} as identity", what, v,
           to_string(results[v].dtype()), to_string(identity[v].dtype()));
    }
    ir::VarSet let_bound;
    ir::walk_exprs(results[v], [&](const Expr& e) {
      if (const auto* let = e.as<ir::LetNode>()) let_bound.insert(let->var);
    });
    for (const Var& var : ir::free_vars(results[v])) {
      bool own = let_bound.count(var) > 0;
      for (size_t u = 0; u < lhs.size(); ++u)
        own = own || var.same_as(lhs[u]) || var.same_as(rhs[u]);
      if (!own) {
        fail("te.bad_reducer", "{}: combine uses {} '{}', but only its arguments are allowed", what,
             detail::role_name(var.node()), var.name());
      }
    }
    ir::walk_exprs(results[v], [&](const Expr& e) {
      if (e.as<ir::LoadNode>() || e.as<ir::ReduceNode>()) {
        fail("te.bad_reducer", "{}: combine reads a tensor ({}); only its arguments are allowed",
             what, shown(e));
      }
    });
  }
  return ir::Reducer(new ir::ReducerNode(std::move(name), std::move(lhs), std::move(rhs),
                                         std::move(results), std::move(identity),
                                         algebra.associative, algebra.commutative));
}

std::vector<Expr> reduce(const ir::Reducer& reducer, std::vector<Expr> sources, const Axes& axes,
                         Expr where) {
  if (!reducer) fail("te.bad_reducer", "reduce: the reducer is null");
  const std::string what = fmt::format("reducer '{}'", reducer->name);
  if (sources.size() != reducer->arity()) {
    fail("te.bad_reducer", "{} takes {} value(s), got {}", what, reducer->arity(), sources.size());
  }
  for (size_t v = 0; v < sources.size(); ++v) {
    checked_source(what.c_str(), sources[v]);
    const DType want = reducer->identity[v].dtype();
    if (ir::is_literal(sources[v])) sources[v] = ir::cast(want, sources[v]);
    if (sources[v].dtype() != want) {
      fail("te.reducer_dtype",
           "{} accumulates value {} in {}, but {} has dtype {}; convert it with cast", what, v,
           to_string(want), shown(sources[v]), to_string(sources[v].dtype()));
    }
  }
  if (!is_builtin(reducer->name)) detail::attack_reducer(reducer);
  return make_reduce(reducer, std::move(sources), axes, where);
}

Expr reduce(const ir::Reducer& reducer, Expr source, const Axes& axes, Expr where) {
  return reduce(reducer, std::vector<Expr>{std::move(source)}, axes, std::move(where))[0];
}

namespace detail {
bool needs_terms(const ir::Reducer& reducer) {
  return reducer->name == "argmax" || reducer->name == "argmin";
}
}  // namespace detail

}  // namespace tilewright::te
