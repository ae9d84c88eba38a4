#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Faults built into the compiler, to show that the tests and the fuzzer find them. Each is one guard left out
/// or one bound rounded the wrong way; none is ever on unless somebody calls `inject_fault`.
// clang-format off
#define TILEWRIGHT_FAULTS(X) \
  X(split_drops_older_guard, "split forgets the conditions of earlier splits of the same loop") \
  X(init_without_guard, "the init of a reduction runs without the guard of its spatial loops") \
  X(compute_at_one_short, "compute_at makes one element less than its consumers read") \
  X(cache_write_keeps_init, "cache_write leaves the init at the old buffer") \
  X(rfactor_drops_mask, "the partial results of rfactor take the terms that the guard cut off") \
  X(peel_one_more, "the guard-free part of a peeled loop is one iteration too long") \
  X(empty_reduction_without_init, "a reduction over nothing leaves its result unset") \
  X(argmax_of_nothing, "argmax over a constant empty axis is accepted") \
  X(max_starts_at_lowest, "max and min of floats start at the finite limits") \
  X(floor_division_truncates, "compiled floor divisions by constants round towards zero") \
  X(rules_without_conditions, "the simplifier applies its rules without proving their conditions") \
  X(unsigned_never_wraps, "compiled unsigned subtractions promise not to wrap") \
  X(max_ignores_nan, "compiled max drops a NaN on its left side") \
  X(products_of_32_bits, "compiled 64-bit products keep 32 bits") \
  X(offsets_of_32_bits, "compiled element offsets keep 32 bits") \
  X(rfactor_of_any_reducer, "rfactor takes reducers that nobody declared associative") \
  X(round_ties_away, "compiled round goes away from zero at halves") \
  X(bool_stores_all_bits, "compiled stores of true write 0xFF") \
  X(contract_skips_dtype, "compiled functions take arguments of any dtype") \
  X(contract_skips_shape, "compiled functions take arguments of any shape") \
  X(unroll_one_less, "unroll leaves out the last iteration") \
  X(stride_one_short, "rows of a flattened buffer overlap") \
  X(shift_inwards_on_reductions, "shift_inwards moves tiles of reductions, which adds points twice") \
  X(balanced_one_less, "balanced tiles end one point early") \
  X(split_rounds_down, "split leaves out the last tile when the factor does not divide") \
  X(reorder_of_any_reducer, "reorder changes the order of terms for any reducer") \
  X(init_inside_reduction, "decompose_reduction takes loops inside the reduction") \
  X(rfactor_one_short, "the final reduction of rfactor leaves out the last partial result") \
  X(compute_at_drops_guard, "compute_at drops the conditions of the moved block") \
  X(cache_of_shared_loops, "cache_read copies before the producer in the same loops has run") \
  X(pad_of_any_terms, "tail pad does not ask whether surplus terms leave a reduction as it is") \
  X(trace_forgets_tails, "tail policies are lost in the JSON of a trace") \
  X(reverse_compute_at_drops_guard, "reverse_compute_at drops the conditions of the producer") \
  X(dependent_iterations_accepted, "parallel and vectorize accept iterations that depend on each other") \
  X(rfactor_starts_at_zero, "the partial results of rfactor start at zero for every reducer") \
  X(rolling_skips_newest, "rolling_buffer takes one position more for made than there is") \
  X(partition_one_short, "the last part of loop_partition ends one iteration early") \
  X(merge_of_any_loops, "merge does not ask what one loop leaves for the other")
// clang-format on

enum class Fault : int {
  none,
#define TILEWRIGHT_FAULT_NAME(name, what) name,
  TILEWRIGHT_FAULTS(TILEWRIGHT_FAULT_NAME)
#undef TILEWRIGHT_FAULT_NAME
};

struct FaultInfo {
  Fault fault;
  std::string_view name, what;
};

/// Every fault that can be switched on.
const std::vector<FaultInfo>& known_faults();

/// Switches one fault on for the whole process, and the one before it off; "" for none. Programs made, scheduled or
/// compiled from now on are wrong: for tests of tests only. Throws Error "fault.unknown" with the nearest name.
void inject_fault(std::string_view name);

namespace detail {
// A debug switch of the process, the one piece of global state: passing it through every layer would put a
// parameter for tests into each signature.
extern std::atomic<Fault> injected_fault;
}  // namespace detail

/// Whether `fault` is on. One relaxed load.
inline bool has_fault(Fault fault) noexcept {
  return detail::injected_fault.load(std::memory_order_relaxed) == fault;
}

}  // namespace tilewright
