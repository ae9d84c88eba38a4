#include "runtime/workspace_pool.h"

#include "tilewright/runtime/device.h"

namespace tilewright::runtime {

WorkspacePool::~WorkspacePool() {
  for (const Block& block : free_) cpu_device().release(block.pointer, block.size_bytes, false);
}

std::shared_ptr<void> WorkspacePool::acquire(int64_t size_bytes) {
  Block block{nullptr, 0};
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      block = free_.back();
      free_.pop_back();
    }
  }
  // A block too small is replaced, so the pool settles at the largest size in use.
  if (block.size_bytes < size_bytes) {
    if (block.pointer) cpu_device().release(block.pointer, block.size_bytes, false);
    block = {cpu_device().allocate(size_bytes, false), size_bytes};
  }
  return std::shared_ptr<void>(
      block.pointer, [pool = shared_from_this(), block](void*) { pool->give_back(block); });
}

void WorkspacePool::give_back(Block block) {
  std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(block);
}

}  // namespace tilewright::runtime
