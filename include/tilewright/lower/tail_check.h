#pragma once

#include "tilewright/ir/stmt.h"

namespace tilewright::lower {

/// Does some guard of `func` have a tail policy that needs a proof: pad, balanced or shift_inwards?
bool has_proved_tails(const ir::PrimFunc& func);

/// Proves that the tail policies of all guards of `func` (level scheduled) can be carried out, so that lowering will
/// not refuse them. Throws what lowering would throw: Error "lower.pad", "lower.balanced" or "lower.shift_inwards",
/// which name the loop.
void require_tails(const ir::PrimFunc& func);

/// Is it known that combining with the identity gives the accumulator back? The identity is where a reducer starts;
/// that it changes nothing follows for one declared associative and commutative (terms then may be left out or
/// come in any number), else from its formula.
bool identity_is_neutral(const ir::ReducerNode& reducer);

/// Does a conjunct of the guard ask just this? Padding relaxes its conditions: without `or_padded` they do not count.
bool is_guarded_by(const ir::BlockRealizeNode& realize, const ir::Expr& condition,
                   bool or_padded = true);

}  // namespace tilewright::lower
