#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::runtime {

// Aligned blocks kept between calls of one function, so that calls in a loop allocate nothing. As
// many blocks stay as calls have run at the same time. Thread-safe.
class WorkspacePool : public std::enable_shared_from_this<WorkspacePool> {
 public:
  WorkspacePool() = default;
  WorkspacePool(const WorkspacePool&) = delete;
  WorkspacePool& operator=(const WorkspacePool&) = delete;
  ~WorkspacePool();

  // A block of at least `size_bytes`, aligned to TW_WORKSPACE_ALIGNMENT, that goes back to the pool
  // with the last copy of the pointer (and keeps the pool alive until then). Throws Error
  // device.out_of_memory.
  std::shared_ptr<void> acquire(int64_t size_bytes);

 private:
  struct Block {
    void* pointer;
    int64_t size_bytes;
  };
  void give_back(Block block);

  std::mutex mutex_;
  std::vector<Block> free_;
};

}  // namespace tilewright::runtime
