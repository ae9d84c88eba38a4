#include <cmath>
#include <cstring>
#include <unordered_map>

#include "ir/structural.h"
#include "tilewright/ir/text.h"

namespace tilewright::ir {
namespace {

// FNV-1a over 64-bit words with a final mix of each word (constants of splitmix64), so that close
// values spread. Variables and buffers enter as the number of their first occurrence.
class Hash {
 public:
  uint64_t func(const PrimFunc& f) {
    for (const Param& p : f->params) {
      if (p.var.defined()) add(p.var);
    }
    fields(*f);
    return finish();
  }

  template <typename T>
  uint64_t of(const T& root) {
    add(root);
    return finish();
  }

 private:
  void word(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value ^= value >> 27;
    state_ = (state_ ^ value) * 0x100000001b3ull;
    state_ ^= state_ >> 32;
  }

  void add(double value) {
    uint64_t bits = 0x7ff8000000000000ull;
    if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof(bits));
    word(bits);
  }

  void add(const std::string& text) {
    uint64_t h = 0xcbf29ce484222325ull;
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    word(h);
    word(text.size());
  }

  void add(DType dtype) {
    word(static_cast<uint64_t>(dtype.code) << 32 | static_cast<uint64_t>(dtype.bits) << 16 |
         dtype.lanes);
  }

  void add(const AttrValue& value) {
    word(value.index());
    std::visit([&](const auto& v) { add(v); }, value);
  }

  void add(const Attrs& attrs) {
    word(attrs.size());
    for (const auto& [key, value] : attrs) {
      add(key);
      add(value);
    }
  }

  // A binding site: the variable's next uses are known by the number of the binding.
  void add(const Var& var) {
    word(var.defined());
    if (!var.defined()) return;
    add(var.dtype());
    numbers_[var.get()] = next_number_++;
  }

  void add(const Expr& e) {
    if (!e.defined()) return word(~uint64_t{0});
    word(static_cast<uint64_t>(e->kind));
    add(e.dtype());
    add_node(*e);
  }

  // Free variables equal only themselves, so the number of their first use agrees with equality.
  void fields(const VarNode& var) {
    auto [it, fresh] = numbers_.emplace(&var, next_number_);
    if (fresh) ++next_number_;
    word(it->second);
  }

  void add(const Stmt& s) {
    if (!s) return word(~uint64_t{0});
    word(static_cast<uint64_t>(s->kind));
    add_node(*s);
  }

  void add_node(const Node& node) {
    switch (node.kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return fields(static_cast<const Name##Node&>(node));
      TILEWRIGHT_EXPR_NODES(TILEWRIGHT_CASE)
      TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
      default: throw InternalError("not an expression or statement node");
    }
  }

  void add(const Block& b) { fields(*b); }
  void add(const Layout& l) {
    word(l.defined());
    if (l) fields(*l);
  }
  void add(const Reducer& r) {
    word(r.defined());
    if (r) fields(*r);
  }

  void add(const Buffer& b) {
    if (!b) return word(~uint64_t{0});
    auto [it, fresh] = numbers_.emplace(b.get(), next_number_);
    if (fresh) ++next_number_;
    word(it->second);
    if (!fresh) return;
    add(b->dtype);
    add(b->shape);
    add(b->scope);
    add(b->layout);
    add(b->pad);
    add(b->align);
    alloc_places_.push_back(b->alloc_at);
  }

  template <typename T>
  void add(const T& value) {
    if constexpr (detail::IsVector<T>::value) {
      word(value.size());
      for (const auto& item : value) add(item);
    } else if constexpr (detail::PlainFields<T>) {
      fields(value);
    } else {
      word(static_cast<uint64_t>(value));
    }
  }

  template <typename N>
  void fields(const N& node) {
    std::apply([&](const auto&... f) { (add(f), ...); }, node.fields());
  }

  void fields(const ForNode& node) {
    loop_numbers_[node.id] = loop_count_++;
    std::apply([&](const auto&... f) { (add(f), ...); }, node.fields());
  }

  void fields(const ReduceNode& node) {
    add(node.axes);
    add(node.reducer);
    add(node.sources);
    add(node.domains);
    add(node.where);
    add(node.value_index);
  }

  uint64_t finish() {
    for (const AllocAt& place : alloc_places_) {
      word(static_cast<uint64_t>(place.kind));
      auto it = loop_numbers_.find(place.loop);
      if (place.kind == AllocAt::Kind::kLoop && it != loop_numbers_.end()) word(it->second);
    }
    return state_;
  }

  uint64_t state_ = 0xcbf29ce484222325ull;
  uint64_t next_number_ = 0;
  std::unordered_map<const Node*, uint64_t> numbers_;
  std::unordered_map<int64_t, uint64_t> loop_numbers_;
  uint64_t loop_count_ = 0;
  std::vector<AllocAt> alloc_places_;
};

}  // namespace

uint64_t structural_hash(const PrimFunc& f) { return Hash().func(f); }
uint64_t structural_hash(const Stmt& s) { return Hash().of(s); }
uint64_t structural_hash(const Expr& e) { return Hash().of(e); }

}  // namespace tilewright::ir
