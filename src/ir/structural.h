#pragma once

#include <tuple>
#include <type_traits>
#include <vector>

#include "tilewright/ir/stmt.h"

/// \file
/// What equality and hash share: a field of static type Var is a binding site, a variable in use has
/// type Expr.

namespace tilewright::ir::detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

/// A plain struct (Range, IterVar, ...) that lists its fields.
template <typename T>
concept PlainFields = requires(const T& t) {
  t.fields();
};

}  // namespace tilewright::ir::detail
