#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/schedule/trace.h"

/// \file
/// How instructions refer to sampled values. In the place of an integer: "$rows", "$tile[1]" or arithmetic over
/// such and numbers with + - * and parentheses, "$vectors * 8". Inside a layout map: "(m, k) -> (m // $rows, k,
/// m % $rows)". Names of letters, digits, '_' and '.' can be used everywhere, any others as "$name" and "$name[i]" alone.

namespace tilewright::schedule {

/// One reference. `index` is set for "$name[index]".
struct DecisionRef {
  std::string name;
  std::optional<size_t> index;
};

/// The reference that is the whole of `text`, which begins with '$'; nothing for arithmetic. A whole reference to a
/// decision of `decisions` goes before arithmetic.
std::optional<DecisionRef> whole_ref(std::string_view text, const std::vector<Decision>& decisions);

/// Null when there is no such decision, or no such element.
const Value* find_value(const DecisionRef& ref, const std::vector<Decision>& decisions);

/// Whether the reference can stand inside a longer text, where only plain names are recognised.
bool can_stand_in_text(const DecisionRef& ref);

/// `text` with each reference inside it replaced. Throws Error "trace.decision" for a '$' without a name and an index
/// without its bracket.
std::string replace_refs(std::string_view text,
                         const std::function<std::string(const DecisionRef&)>& replacement);

/// The references replaced by the numbers they stand for. Throws Error "trace.decision" for one to anything else.
std::string insert_values(std::string_view text, const std::vector<Decision>& decisions);

/// What an attribute stands for: texts that begin with '$', also inside lists, become the decision's value or the
/// result of the arithmetic. Throws Error "trace.decision".
Value resolve(const Value& value, const std::vector<Decision>& decisions);

}  // namespace tilewright::schedule
