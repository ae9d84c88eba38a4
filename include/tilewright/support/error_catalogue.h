#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The catalogue of errors: what every code means and what to do instead. The rows lie in
/// src/support/error_catalogue/, one file a group of codes; tests/lint/error_codes.py compares them with the sources,
/// and docs/errors/ is written from them.

namespace tilewright {

/// A row of the catalogue. All texts are single paragraphs of plain text, but for `example`.
struct ErrorEntry {
  std::string code;     ///< "schedule.split.factor"
  std::string title;    ///< one line without a full stop
  std::string meaning;  ///< what the code says about the program or the call
  std::string remedy;   ///< what to do instead
  std::string example;  ///< Python that raises it and the corrected form; may be empty
};

/// The row of a code; nothing when there is no such code. "schedule.any.pad_tail" stands for the codes
/// "schedule.<primitive>.pad_tail" of all primitives, each of which is found as well.
std::optional<ErrorEntry> find_error(std::string_view code);

/// All codes, sorted; those with one text for every primitive as "schedule.any.<reason>".
std::vector<std::string> error_codes();

/// The tail of a message about an unknown code: "; did you mean 'te.bad_name'?", or "".
std::string suggest_error(std::string_view code);

/// The row as text for a terminal: lines of at most 80 columns, without a newline at the end.
///
///     te.bad_name: a name is not an identifier
///
///     Names of tensors, …
///
///     Instead: …
std::string describe_error(const ErrorEntry& entry);

}  // namespace tilewright
