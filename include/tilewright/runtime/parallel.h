#pragma once

#include <cstdint>

#include "tilewright/runtime/abi.h"

namespace tilewright::runtime {

/// CPUs this process may run on (its affinity mask): what "all cores" means for a call.
int default_num_threads();

/// The parallel loop on std::thread: a `tw_parallel_for_fn` that starts its threads anew for every
/// loop. Made for checking with ThreadSanitizer, which cannot see into an OpenMP library.
int32_t std_thread_parallel_for(void* user, int64_t n, int32_t max_slots, tw_parallel_body body,
                                void* closure);

/// What a call uses unless it names another: `tw_default_parallel_for` (OpenMP), or
/// `std_thread_parallel_for` in a build for ThreadSanitizer.
tw_parallel_for_fn default_parallel_for();

}  // namespace tilewright::runtime
