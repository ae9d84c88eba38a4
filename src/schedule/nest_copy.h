#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// Makes copies of nests that may stand beside the original: loops, blocks and variables are fresh, blocks are
/// named `name_1`, `name_2`, ..., and buffers that live in a loop of the copy are its own.
class NestCopier {
 public:
  explicit NestCopier(Invocation& in);

  /// `ids`, when given, receives the old and new ids of the loops and blocks.
  ir::Stmt copy(const ir::Stmt& stmt, std::map<int64_t, int64_t>* ids = nullptr);
  /// The buffers made for the copies so far; to be added to the allocations.
  const std::vector<ir::Buffer>& buffers() const { return buffers_; }

 private:
  std::string fresh_name(std::set<std::string>& taken, const std::string& base);

  Invocation& in_;
  std::set<std::string> block_names_, buffer_names_;
  std::vector<ir::Buffer> buffers_;
};

/// The block under another name.
ir::Block with_name(const ir::Block& block, std::string name);

}  // namespace tilewright::schedule
