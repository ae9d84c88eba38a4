#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// A new block in a serial nest of one loop per dimension.
struct CopyNest {
  ir::Stmt stmt;
  int64_t block_id = -1;
};

/// The block whose body is `body(v0, v1, …)` over the box `shape`.
CopyNest make_box_nest(Invocation& in, const std::vector<ir::Expr>& shape, const std::string& name,
                       std::string_view origin,
                       const std::function<ir::Stmt(const std::vector<ir::Expr>&)>& body);

/// The block `to[v0, v1, …] = value(v0, v1, …)` over the box `shape`.
CopyNest make_copy(Invocation& in, const ir::Buffer& to, const std::vector<ir::Expr>& shape,
                   const std::string& name, std::string_view origin,
                   const std::function<ir::Expr(const std::vector<ir::Expr>&)>& value);

/// The root statement in which the block is.
ir::Stmt root_child_of(const Invocation& in, int64_t block_id);

}  // namespace tilewright::schedule
