#include "arith/expr_equal.h"

#include <bit>
#include <functional>
#include <type_traits>

#include "tilewright/ir/stmt.h"

namespace tilewright::arith {

using namespace ir;

namespace {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
bool same_field(const T& a, const T& b) {
  if constexpr (std::is_base_of_v<Expr, T>) {
    return same_expr(a.get(), b.get());
  } else if constexpr (IsVector<T>::value) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same_field(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (std::is_same_v<T, Range>) {
    return same_expr(a.min, b.min) && same_expr(a.extent, b.extent);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  } else if constexpr (std::is_base_of_v<Ref<const BufferNode>, T> ||
                       std::is_base_of_v<Ref<const ReducerNode>, T>) {
    return a.get() == b.get();
  } else {
    return a == b;
  }
}

template <typename NodeT>
bool same_node(const NodeT& a, const NodeT& b) {
  return std::apply(
      [&](const auto&... fa) {
        return std::apply([&](const auto&... fb) { return (same_field(fa, fb) && ...); },
                          b.fields());
      },
      a.fields());
}

uint64_t mix(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 31);
}

template <typename T>
uint64_t hash_field(const T& a) {
  if constexpr (std::is_base_of_v<Expr, T>) {
    return expr_hash(a.get());
  } else if constexpr (IsVector<T>::value) {
    uint64_t h = a.size();
    for (const auto& item : a) h = mix(h, hash_field(item));
    return h;
  } else if constexpr (std::is_same_v<T, Range>) {
    return mix(expr_hash(a.min.get()), expr_hash(a.extent.get()));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(a);
  } else if constexpr (std::is_base_of_v<Ref<const BufferNode>, T> ||
                       std::is_base_of_v<Ref<const ReducerNode>, T>) {
    return reinterpret_cast<uintptr_t>(a.get());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::hash<std::string>()(a);
  } else {
    return static_cast<uint64_t>(a);
  }
}

template <typename NodeT>
uint64_t hash_node(const NodeT& a) {
  uint64_t h = static_cast<uint64_t>(a.kind) * 131 + static_cast<uint64_t>(a.dtype.code) +
               (uint64_t{a.dtype.bits} << 16) + (uint64_t{a.dtype.lanes} << 24);
  std::apply([&](const auto&... f) { ((h = mix(h, hash_field(f))), ...); }, a.fields());
  return h;
}

}  // namespace

bool same_expr(const ExprNode* a, const ExprNode* b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind || !(a->dtype == b->dtype)) return false;
  switch (a->kind) {
    case NodeKind::kVar: return false;
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name:     \
    return same_node(static_cast<const Name##Node&>(*a), static_cast<const Name##Node&>(*b));
      TILEWRIGHT_CASE(IntImm)
      TILEWRIGHT_CASE(FloatImm)
      TILEWRIGHT_CASE(StringImm)
      TILEWRIGHT_CASE(Cast)
      TILEWRIGHT_CASE(Unary)
      TILEWRIGHT_CASE(Binary)
      TILEWRIGHT_CASE(Select)
      TILEWRIGHT_CASE(IfThenElse)
      TILEWRIGHT_CASE(Load)
      TILEWRIGHT_CASE(Call)
      TILEWRIGHT_CASE(Let)
      TILEWRIGHT_CASE(Ramp)
      TILEWRIGHT_CASE(Broadcast)
      TILEWRIGHT_CASE(Extract)
      TILEWRIGHT_CASE(Reduce)
#undef TILEWRIGHT_CASE
    default: return false;
  }
}

uint64_t expr_hash(const ExprNode* a) {
  if (!a) return 0;
  switch (a->kind) {
    case NodeKind::kVar: return mix(7, reinterpret_cast<uintptr_t>(a));
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return hash_node(static_cast<const Name##Node&>(*a));
      TILEWRIGHT_CASE(IntImm)
      TILEWRIGHT_CASE(FloatImm)
      TILEWRIGHT_CASE(StringImm)
      TILEWRIGHT_CASE(Cast)
      TILEWRIGHT_CASE(Unary)
      TILEWRIGHT_CASE(Binary)
      TILEWRIGHT_CASE(Select)
      TILEWRIGHT_CASE(IfThenElse)
      TILEWRIGHT_CASE(Load)
      TILEWRIGHT_CASE(Call)
      TILEWRIGHT_CASE(Let)
      TILEWRIGHT_CASE(Ramp)
      TILEWRIGHT_CASE(Broadcast)
      TILEWRIGHT_CASE(Extract)
      TILEWRIGHT_CASE(Reduce)
#undef TILEWRIGHT_CASE
    default: return 0;
  }
}

}  // namespace tilewright::arith
