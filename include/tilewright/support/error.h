#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tilewright {

/// The exception every public call throws on bad input or an impossible request.
///
/// `code()` is a stable identifier such as "te.index_out_of_range"; scripts match on it. `what()` is
/// the whole text for a person: it names the object, the offending value and the legal choices.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& message)
      : std::runtime_error(message), code_(std::move(code)) {}

  const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

/// A broken invariant of Tilewright itself (a bug of ours, never of the user's input).
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error("internal", message) {}
};

/// Throws `Error(code, fmt::format(format, args...))`.
template <typename... Args>
[[noreturn]] void fail(std::string code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(std::move(code), fmt::format(format, std::forward<Args>(args)...));
}

/// Throws InternalError when an invariant of the implementation does not hold.
template <typename... Args>
void internal_check(bool holds, fmt::format_string<Args...> format, Args&&... args) {
  if (!holds) throw InternalError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tilewright
