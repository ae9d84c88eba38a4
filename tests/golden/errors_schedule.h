#pragma once

#include "golden/errors_support.h"
#include "unit/schedule/check_schedule.h"

/// \file
/// Refusals of primitives: the code, the whole text, the schedule as it was, and a legal step afterwards.

namespace tilewright::testing {

/// The step that must be refused; handles are fetched before it.
using Step = std::function<void(schedule::Schedule&)>;

struct Refused {
  const char* code;  ///< without "schedule."
  ir::PrimFunc (*program)();
  std::function<Step(schedule::Schedule&)> prepare;
};

void check_refusals(const std::vector<Refused>& table);

std::vector<schedule::Loop> loops_of(schedule::Schedule& sch, const char* block);

/// `run` on the block of that name, or on the loop number `at` around it.
Step on(schedule::Schedule& sch, const char* block,
        void (*run)(schedule::Schedule&, schedule::BlockRef));
Step on_loop(schedule::Schedule& sch, const char* block, size_t at,
             void (*run)(schedule::Schedule&, schedule::Loop));

// Programs. B and C of `chain` are element-wise, C transposes; `subtracting` reduces by a reducer of no declared
// laws. The others are texts of programs that te does not make.
ir::PrimFunc matmul();
ir::PrimFunc conv2d();
ir::PrimFunc stencil();
ir::PrimFunc softmax();
ir::PrimFunc layernorm();
ir::PrimFunc vector_add();
ir::PrimFunc chain();
ir::PrimFunc subtracting();
/// for i: for j in 0..i + 1: block "T"
ir::PrimFunc triangular();
/// block "S" runs over the ordered axis t: S[t] = S[t - 1] + A[t]
ir::PrimFunc recurrence();
/// A -> opaque block "P" -> B -> "C"
ir::PrimFunc opaque();
/// "first" and "second" each fill a half of B, "C" reads it
ir::PrimFunc halves();
/// "B" computes its points up to the diagonal only, "C" reads them
ir::PrimFunc masked();
/// "B" stores at B[2 * i], "C" reads it
ir::PrimFunc strided();
/// "B" stores twice, "C" reads it
ir::PrimFunc twice();
/// for i: for r in 0..3: for k: C[i] += A[i, k], the whole sum three times
ir::PrimFunc repeated();
/// "B" fills a buffer that nobody reads
ir::PrimFunc unread();
/// "C" reads B at i, "D" reads B at 7 - i
ir::PrimFunc two_readers();

}  // namespace tilewright::testing
