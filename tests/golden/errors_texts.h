#pragma once

#include <map>
#include <string>

#include "tilewright/ir/text.h"

/// \file
/// Programs given as text, of forms that te does not make. A word such as "body" names a part of the text that a test
/// puts something else for.

namespace tilewright::testing {

using TextParts = std::map<std::string, std::string>;

/// `text` with each "$word" replaced by what `changes`, or else `parts`, say; throws std::out_of_range for a change of
/// a word that is none of `parts`.
ir::PrimFunc text_program(std::string text, TextParts parts, const TextParts& changes);

/// for i: for j: block "T": T[vi, vj] = A[vi, vj] + 1, over 8 x 8 points
ir::PrimFunc points(const TextParts& changes = {});
/// for i: for k: block "C": C[vi] += A[vi, vk], over 4 x 8 points
ir::PrimFunc sums(const TextParts& changes = {});
/// for i in 0..10: for r in 0..3: block "B": B[i + r] = A[i + r] * 2
///                 block "C": C[i] = B[i] + B[i + 1] + B[i + 2]; B lives in loop i
ir::PrimFunc window(const TextParts& changes = {});
/// One loop f over 4 x 8 points feeds the spatial and the reduction axis of block "C".
ir::PrimFunc mixed(const TextParts& changes = {});

}  // namespace tilewright::testing
