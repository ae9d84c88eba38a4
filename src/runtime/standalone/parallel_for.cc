// The default parallel loop: OpenMP threads from a library opened at run time. See README.md for the
// rules of this folder and the interface used.

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "tilewright/runtime/abi.h"

namespace {

struct ThreadLibrary {
  void (*parallel)(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags);
  int (*thread_num)(void);
  int (*num_threads)(void);
};

// Written by the first call that finds the library. Racing calls write the same values; `parallel`
// is published last.
ThreadLibrary shared_library;

struct Team {
  tw_parallel_body body;
  void* closure;
  int64_t n;
  uint64_t first_failure;  // slot << 32 | status of the lowest failing slot; all ones: none
  int32_t max_slots;
  ThreadLibrary library;
};

constexpr uint64_t kNoFailure = ~uint64_t{0};

bool open_library(const char* file_name, ThreadLibrary* library) {
  void* handle = dlopen(file_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) return false;
  // dlsym returns a data pointer; POSIX guarantees the conversion.
  *reinterpret_cast<void**>(&library->parallel) = dlsym(handle, "GOMP_parallel");
  *reinterpret_cast<void**>(&library->thread_num) = dlsym(handle, "omp_get_thread_num");
  *reinterpret_cast<void**>(&library->num_threads) = dlsym(handle, "omp_get_num_threads");
  return library->parallel && library->thread_num && library->num_threads;
}

bool find_library(ThreadLibrary* library) {
  library->parallel = __atomic_load_n(&shared_library.parallel, __ATOMIC_ACQUIRE);
  if (library->parallel) {
    library->thread_num = __atomic_load_n(&shared_library.thread_num, __ATOMIC_RELAXED);
    library->num_threads = __atomic_load_n(&shared_library.num_threads, __ATOMIC_RELAXED);
    return true;
  }
  if (!open_library("libgomp.so.1", library) && !open_library("libomp.so.5", library) &&
      !open_library("libomp.so", library) && !open_library("libiomp5.so", library)) {
    return false;
  }
  __atomic_store_n(&shared_library.thread_num, library->thread_num, __ATOMIC_RELAXED);
  __atomic_store_n(&shared_library.num_threads, library->num_threads, __ATOMIC_RELAXED);
  __atomic_store_n(&shared_library.parallel, library->parallel, __ATOMIC_RELEASE);
  return true;
}

// The process that ran the first team. The threads of an OpenMP library do not survive a fork, and a team of the
// forked process would wait for them for ever.
pid_t team_owner;

bool is_forked() {
  const pid_t self = getpid();
  pid_t owner = 0;
  if (__atomic_compare_exchange_n(&team_owner, &owner, self, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    return false;
  }
  return owner != self;
}

void note_failure(Team* team, int slot, int32_t status) {
  const uint64_t mine = static_cast<uint64_t>(slot) << 32 | static_cast<uint32_t>(status);
  uint64_t seen = __atomic_load_n(&team->first_failure, __ATOMIC_RELAXED);
  while (mine < seen && !__atomic_compare_exchange_n(&team->first_failure, &seen, mine, true,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void run_share(void* data) {
  Team* team = static_cast<Team*>(data);
  // The team can be smaller than asked for (nested regions, thread limits).
  const int64_t count = team->library.num_threads();
  const int64_t slot = team->library.thread_num();
  const int64_t share = team->n / count, longer = team->n % count;
  const int64_t begin = slot * share + (slot < longer ? slot : longer);
  const int64_t end = begin + share + (slot < longer ? 1 : 0);
  if (begin >= end) return;
  const int32_t status = team->body(team->closure, begin, end, static_cast<int32_t>(slot));
  if (status != TW_OK) note_failure(team, static_cast<int>(slot), status);
}

void* run_in_new_thread(void* data) {
  Team* team = static_cast<Team*>(data);
  team->library.parallel(run_share, team, static_cast<unsigned>(team->max_slots), 0);
  return nullptr;
}

}  // namespace

extern "C" int32_t tw_default_parallel_for(void* user, int64_t n, int32_t max_slots,
                                           tw_parallel_body body, void* closure) {
  (void)user;
  if (n <= 0) return TW_OK;
  if (max_slots > n) max_slots = static_cast<int32_t>(n);
  if (max_slots > TW_MAX_THREADS) max_slots = TW_MAX_THREADS;
  if (max_slots <= 1) return body(closure, 0, n, 0);
  Team team = {body, closure, n, kNoFailure, max_slots, {}};
  if (!find_library(&team.library)) return TW_ERR_NO_THREADS;
  if (is_forked()) {
    // A new thread knows nothing of the threads that are gone, and gets a team of its own.
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run_in_new_thread, &team) != 0) return TW_ERR_NO_THREADS;
    pthread_join(thread, nullptr);
  } else {
    team.library.parallel(run_share, &team, static_cast<unsigned>(max_slots), 0);
  }
  if (team.first_failure == kNoFailure) return TW_OK;
  return static_cast<int32_t>(team.first_failure & 0xffffffffu);
}
