#include <algorithm>
#include <chrono>

#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/lower.h"
#include "tilewright/support/suggest.h"

namespace tilewright::lower {
namespace {

using ir::Level;

const std::vector<PassInfo>& table() {
  // Guards are hoisted before vectorize and unroll: there a guard is still one condition over a lane or
  // unrolled variable, so its worst case over all of them is one test. After unrolling it would be as
  // many conditions as there are copies.
  static const std::vector<PassInfo> rows = {
      {"place_inits", place_inits, Level::kScheduled,
       "puts the init of each reduction just outside its outermost reduce loop"},
      {"materialize_tails", materialize_tails, Level::kScheduled,
       "carries out the tail policy of each guard of a split"},
      {"lower_blocks", lower_blocks, Level::kFlat,
       "turns blocks into plain statements and allocations", false},
      {"insert_checks", insert_checks, Level::kFlat,
       "tests data-dependent indices at run time (checked mode only)", false},
      {"compact_buffers", compact_buffers, Level::kFlat,
       "shrinks buffers allocated in a loop to the region used there", false},
      {"expand_versions", expand_versions, Level::kFlat,
       "gives buffers of several versions a dimension that the loop's iterations take in turn",
       false},
      {"flatten_buffers", flatten_buffers, Level::kFlat,
       "applies layouts and turns indices into one offset in elements"},
      {"insert_prefetches", insert_prefetches, Level::kFlat,
       "asks for what later iterations read where a loop says so"},
      {"simplify", simplify, Level::kFlat, "simplifies indices, conditions and trivial loops"},
      {"hoist_guards", hoist_guards, Level::kFlat,
       "moves conditions outwards and makes versions without guards for full tiles"},
      {"vectorize", vectorize, Level::kFlat, "turns vectorized loops into vector operations"},
      {"unroll", unroll, Level::kFlat, "copies the body of unrolled loops"},
      {"simplify", simplify, Level::kFlat, "simplifies indices, conditions and trivial loops"},
      {"scalarize_registers", scalarize_registers, Level::kFlat,
       "splits register buffers into one buffer per value"},
      {"hoist_invariants", hoist_invariants, Level::kFlat,
       "binds the loop-invariant part of offsets outside of inner loops"},
      {"expand_math", expand_math, Level::kFlat, "replaces maths functions by polynomials"},
      {"verify", verify, Level::kFlat, "checks that the result is well-formed"},
  };
  return rows;
}

void check_skips(const LowerOptions& options) {
  std::vector<std::string> names;
  for (const PassInfo& row : table()) names.emplace_back(row.name);
  for (const std::string& name : options.skip) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail("lower.unknown_pass", "there is no pass '{}' to skip{}", name, suggestion(names, name));
    }
  }
}

ir::PrimFunc run_pass(const PassInfo& pass, const ir::PrimFunc& func, const Target& target,
                      const LowerOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ir::PrimFunc result = pass.run(func, target, options);
  const std::chrono::duration<double> secs = std::chrono::steady_clock::now() - start;
  if (options.timed) options.timed(pass.name, secs.count());
  if (options.dump_after) options.dump_after(pass.name, result);
  if (options.verify_each && pass.complete) ir::verify_or_die(result, pass.name);
  return result;
}

}  // namespace

const std::vector<PassInfo>& pass_table() { return table(); }

ir::PrimFunc lower(const ir::PrimFunc& func, const Target& target, const LowerOptions& options) {
  check_skips(options);
  if (target.kind != TargetKind::kCpu) {
    fail("lower.target", "lowering of '{}' for target {} is not available; use target cpu",
         func->name, to_string(target.kind));
  }
  if (func->level != Level::kScheduled) {
    fail("lower.level", "'{}' is at level {} already; lower takes level {}", func->name,
         ir::spelling(func->level), ir::spelling(Level::kScheduled));
  }
  ir::PrimFunc result = func;
  for (const PassInfo& pass : table()) {
    if (std::find(options.skip.begin(), options.skip.end(), pass.name) != options.skip.end()) {
      continue;
    }
    result = run_pass(pass, result, target, options);
  }
  return result;
}

}  // namespace tilewright::lower
