#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "schedule/invocation.h"

/// \file
/// Dependences between blocks that share loops, decided on boxes of accesses. Everything that is not proved to
/// be apart counts as a dependence.

namespace tilewright::schedule {

/// The body of a loop (or of any statement executed for a range of a variable).
struct LoopBody {
  ir::Stmt body;
  ir::Var var;
};

/// A buffer of which `late`, at a later iteration, and `early`, at an earlier one, may touch the same element, one of
/// them writing it; null when there is none. Both variables run over 0..extent; everything else in `facts` is
/// fixed. Buffers that `is_private` accepts are not shared between iterations.
ir::Buffer shared_with_earlier(const Invocation& in, const arith::Analyzer& facts,
                               const LoopBody& late, const LoopBody& early, const ir::Expr& extent,
                               const std::function<bool(const ir::Buffer&)>& is_private);

/// Does one of the statements write a buffer that the other one accesses?
ir::Buffer shared_buffer(const Invocation& in, const ir::Stmt& a, const ir::Stmt& b);

/// Two blocks (or one, see orders_itself) inside a loop that meet at one element in different iterations of it.
struct Carried {
  ir::Buffer buffer;
  const ir::BlockRealizeNode* one = nullptr;
  const ir::BlockRealizeNode* other = nullptr;
};

/// A dependence between two different blocks, or of one that orders itself, that `loop` carries while the loops around it stay where they are;
/// with `free` those of its outer loops run over their whole range as well. nullopt when there is none.
std::optional<Carried> carried_dependence(const Invocation& in, const ir::ForNode& loop,
                                          const std::vector<const ir::ForNode*>& free = {});

/// For each loop of a chain: does its body hand values from one iteration of a loop further in to a later one? A
/// buffer that lives there must not come to live inside that loop.
std::vector<bool> hands_on_inside(const Invocation& in,
                                  const std::vector<const ir::ForNode*>& chain);

/// "'B', through block 'B' and block 'C'".
std::string describe(const Carried& carried);

}  // namespace tilewright::schedule
