#pragma once

#include "lower/bound_mutator.h"

namespace tilewright::lower {

/// Moves conditions outwards without copying code, as far as the variables they read allow:
///   if (c) A; if (c) B          ->  if (c) { A; B }
///   for v: if (c) S             ->  if (c) for v: S            (c does not read v)
///   for v < E: if (v < e) S     ->  for v < min(E, e): S       (serial loops)
///   let x: if (c) S             ->  if (c) let x: S            (c does not read x)
ir::Stmt move_guards(const ir::PrimFunc& func, const ir::Stmt& body);

/// One statement for two neighbours under one and the same condition; null when they are not.
ir::Stmt merge_guarded(const ir::Stmt& first, const ir::Stmt& second);

}  // namespace tilewright::lower
