#include <cmath>
#include <cstring>
#include <unordered_map>

#include "ir/structural.h"
#include "tilewright/ir/text.h"

namespace tilewright::ir {
namespace {

// Pairs objects of the left program with objects of the right one. Each stands for exactly one.
class Pairing {
 public:
  void bind(const Node* a, const Node* b) {
    if (auto it = forward_.find(a); it != forward_.end()) backward_.erase(it->second);
    if (auto it = backward_.find(b); it != backward_.end()) forward_.erase(it->second);
    forward_[a] = b;
    backward_[b] = a;
  }
  bool knows(const Node* a, const Node* b) const {
    return forward_.count(a) > 0 || backward_.count(b) > 0;
  }
  bool paired(const Node* a, const Node* b) const {
    auto it = forward_.find(a);
    return it != forward_.end() && it->second == b;
  }

 private:
  std::unordered_map<const Node*, const Node*> forward_, backward_;
};

class Equal {
 public:
  bool funcs(const PrimFunc& a, const PrimFunc& b) {
    if (a.same_as(b)) return true;
    if (!a || !b || a->params.size() != b->params.size()) return false;
    // Shapes of earlier parameters may name later ones.
    for (size_t i = 0; i < a->params.size(); ++i) {
      const Var &va = a->params[i].var, &vb = b->params[i].var;
      if (va.defined() != vb.defined()) return false;
      if (va.defined() && !eq(va, vb)) return false;
    }
    return fields(*a, *b) && same_places();
  }

  template <typename T>
  bool check(const T& a, const T& b) {
    return eq(a, b) && same_places();
  }

 private:
  bool eq(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(a)) == 0;
  }

  bool eq(const AttrValue& a, const AttrValue& b) {
    if (a.index() != b.index()) return false;
    if (auto* d = std::get_if<double>(&a)) return eq(*d, std::get<double>(b));
    return a == b;
  }

  bool eq(const Attrs& a, const Attrs& b) {
    if (a.size() != b.size()) return false;
    for (auto ia = a.begin(), ib = b.begin(); ia != a.end(); ++ia, ++ib) {
      if (ia->first != ib->first || !eq(ia->second, ib->second)) return false;
    }
    return true;
  }

  // A binding site.
  bool eq(const Var& a, const Var& b) {
    if (a.defined() != b.defined()) return false;
    if (!a.defined()) return true;
    if (a.dtype() != b.dtype()) return false;
    vars_.bind(a.get(), b.get());
    return true;
  }

  bool eq(const Expr& a, const Expr& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (a->kind != b->kind || a.dtype() != b.dtype()) return false;
    if (a->kind == NodeKind::kVar) {
      return vars_.knows(a.get(), b.get()) ? vars_.paired(a.get(), b.get()) : a.same_as(b);
    }
    switch (a->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name:     \
    return fields(static_cast<const Name##Node&>(*a), static_cast<const Name##Node&>(*b));
      TILEWRIGHT_EXPR_NODES(TILEWRIGHT_CASE)
      default: return false;
    }
  }

  bool eq(const Stmt& a, const Stmt& b) {
    if (!a || !b) return a.defined() == b.defined();
    if (a->kind != b->kind) return false;
    switch (a->kind) {
      TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
      default: return false;
    }
  }

  bool eq(const Block& a, const Block& b) { return fields(*a, *b); }

  bool eq(const Layout& a, const Layout& b) {
    if (!a || !b) return a.defined() == b.defined();
    return fields(*a, *b);
  }

  bool eq(const Reducer& a, const Reducer& b) {
    if (a.same_as(b)) return true;
    if (!a || !b) return false;
    return fields(*a, *b);
  }

  // Buffers are paired where they first occur, their names do not count.
  bool eq(const Buffer& a, const Buffer& b) {
    if (!a || !b) return a.defined() == b.defined();
    if (buffers_.knows(a.get(), b.get())) return buffers_.paired(a.get(), b.get());
    buffers_.bind(a.get(), b.get());
    alloc_places_.emplace_back(a->alloc_at, b->alloc_at);
    return a->dtype == b->dtype && a->scope == b->scope && a->align == b->align &&
           eq(a->shape, b->shape) && eq(a->pad, b->pad) && eq(a->layout, b->layout);
  }

  template <typename T>
  bool eq(const T& a, const T& b) {
    if constexpr (detail::IsVector<T>::value) {
      if (a.size() != b.size()) return false;
      for (size_t i = 0; i < a.size(); ++i) {
        if (!eq(a[i], b[i])) return false;
      }
      return true;
    } else if constexpr (detail::PlainFields<T>) {
      return tuples(a.fields(), b.fields());
    } else {
      return a == b;
    }
  }

  template <typename... T>
  bool tuples(const std::tuple<const T&...>& a, const std::tuple<const T&...>& b) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (eq(std::get<I>(a), std::get<I>(b)) && ...);
    }
    (std::index_sequence_for<T...>());
  }

  template <typename N>
  bool fields(const N& a, const N& b) {
    return tuples(a.fields(), b.fields());
  }

  bool fields(const ForNode& a, const ForNode& b) {
    loops_[a.id] = b.id;
    return tuples(a.fields(), b.fields());
  }

  // The sources are over the axes.
  bool fields(const ReduceNode& a, const ReduceNode& b) {
    return eq(a.axes, b.axes) && eq(a.reducer, b.reducer) && eq(a.sources, b.sources) &&
           eq(a.domains, b.domains) && eq(a.where, b.where) && a.value_index == b.value_index;
  }

  // Whether paired buffers begin and end in paired loops; ids themselves do not count.
  bool same_places() const {
    for (const auto& [a, b] : alloc_places_) {
      if (a.kind != b.kind) return false;
      if (a.kind != AllocAt::Kind::kLoop) continue;
      auto it = loops_.find(a.loop);
      if (it != loops_.end() && it->second != b.loop) return false;
    }
    return true;
  }

  Pairing vars_, buffers_;
  std::unordered_map<int64_t, int64_t> loops_;  // id on the left -> id on the right
  std::vector<std::pair<AllocAt, AllocAt>> alloc_places_;
};

}  // namespace

bool structural_equal(const PrimFunc& a, const PrimFunc& b) { return Equal().funcs(a, b); }
bool structural_equal(const Stmt& a, const Stmt& b) { return Equal().check(a, b); }
bool structural_equal(const Expr& a, const Expr& b) { return Equal().check(a, b); }
bool structural_equal(const Reducer& a, const Reducer& b) { return Equal().check(a, b); }

}  // namespace tilewright::ir
