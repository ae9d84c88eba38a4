#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace tilewright {

/// Base of intrusively counted, immutable objects. The count is atomic: nodes are shared by threads.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) noexcept {}
  RefCounted& operator=(const RefCounted&) noexcept { return *this; }
  virtual ~RefCounted() = default;

  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  mutable std::atomic<uint32_t> count_{0};
};

/// Owning handle to a `RefCounted` object; null is a legal state. `get()` is the borrowing form used
/// for parameters of walks.
template <typename T>
class Ref {
 public:
  using element_type = T;

  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}
  explicit Ref(T* object) noexcept : object_(object) { retain(); }
  Ref(const Ref& other) noexcept : object_(other.object_) { retain(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  Ref(const Ref<U>& other) noexcept : object_(other.get()) {
    retain();
  }
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  bool defined() const noexcept { return object_ != nullptr; }
  /// True when both handles name the same object (identity, not structural equality).
  bool same_as(const Ref& other) const noexcept { return object_ == other.object_; }

 private:
  void retain() const noexcept {
    if (object_) object_->retain();
  }
  T* object_ = nullptr;
};

/// Hash and equality by identity, for maps keyed by handles.
struct RefHash {
  template <typename R>
  size_t operator()(const R& ref) const noexcept {
    return std::hash<const void*>()(ref.get());
  }
};
struct RefEqual {
  template <typename R>
  bool operator()(const R& a, const R& b) const noexcept {
    return a.get() == b.get();
  }
};

}  // namespace tilewright
