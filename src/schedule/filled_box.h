#pragma once

#include <optional>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// The block alone in its loops from number `depth` on.
ir::Stmt lone_nest(const std::vector<const ir::ForNode*>& loops, size_t depth,
                   const ir::BlockRealizeNode& realize);

/// Do the writers, each in its loops from number `depth` on (those before are common to all), fill the box `made`: one
/// of them alone, or one behind the other along one dimension? `known` holds where the box is read; a writer under a
/// condition that does not follow from it fills nothing for the other sizes. Unknown counts as no.
bool fill_together(const Invocation& in, const Tree& tree,
                   const std::vector<const ir::BlockRealizeNode*>& writers, size_t depth,
                   const ir::Region& made, const std::vector<ir::Expr>& known);

/// Do the writes in `scope`, a part of the program at its root, fill the region that they span (`made`, from
/// `accessed_region`), without holes? Unknown counts as no.
bool writes_fill_box(const Invocation& in, const ir::Stmt& scope, const ir::Region& made);

/// What of the program has run before `home`, one of its children at the root.
ir::Stmt before(const Invocation& in, const ir::Stmt& home);

/// An input, or a parameter that the function changes in place: elements that the function does not write are there.
bool holds_callers_data(const ir::PrimFunc& func, const ir::Buffer& buffer);

/// What of `source` has been written in `scope`; nullopt where a copy may take all of it, as the caller made it. A copy
/// of what was written reads the holes between as well, so there must be none: Error .shared_loops, at the block `at`.
std::optional<ir::Region> require_filled_box(const Invocation& in, const ir::BlockRealizeNode& at,
                                             const ir::Stmt& scope, const ir::Buffer& source);

/// Where an element of a buffer lies in `written`, when that is less than all of it (its producer sits in a loop of a
/// reader that needs less); null: everywhere. Elements that nobody made are not copied.
ir::Expr written_part(const Invocation& in, const ir::Region& written,
                      const std::vector<ir::Expr>& at);

/// buffer[at], or zero where `inside` does not hold (null: it holds everywhere).
ir::Expr load_where(const ir::Buffer& buffer, const std::vector<ir::Expr>& at,
                    const ir::Expr& inside);

}  // namespace tilewright::schedule
