#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/fuzz/program.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/support/error.h"

/// \file
/// Attacking the schedule primitives and the compiler: random programs, random schedules, every result compared
/// with the interpreter on the unscheduled program, and faults made small.

namespace tilewright::fuzz {

/// A program under attack.
struct Subject {
  ir::PrimFunc func;
  std::vector<Sizes> sizes = {{}};  ///< values of symbolic sizes to run with
  double tolerance = 0;             ///< relative and absolute; 0: exact on small integers
  std::optional<ProgramSpec> spec;  ///< of a random program: it can be made smaller
  uint64_t seed = 1;                ///< of the data
};
Subject make_subject(const ProgramSpec& spec, uint64_t data_seed = 1);

/// What was tried, to be added up over programs, threads and runs.
struct Tally {
  struct Counts {
    int64_t accepted = 0, refused = 0;
    bool operator==(const Counts&) const = default;
  };
  int64_t programs = 0, moved_under_tail = 0, refused_late = 0, faults = 0;
  double secs = 0;  ///< wall time; of several runs: the sum
  std::map<std::string, Counts> primitives;
  std::map<std::string, int64_t> tails;  ///< accepted splits (and moves) by tail policy
  /// Programs in which the first primitive was applied before the second.
  std::map<std::pair<std::string, std::string>, int64_t> pairs;
  std::map<std::string, int64_t> late_codes;  ///< why lowering refused
  std::map<std::string, int64_t> drawn;       ///< programs with each of `features`

  void add(const Tally& other);
  /// One line. The inverse throws Error "fuzz.tally".
  std::string to_json() const;
  static Tally from_json(std::string_view text);
  /// A table of 80 columns.
  std::string table() const;
};

/// Names of the primitives that random schedules can use; those this version lacks are never drawn.
std::vector<std::string> generator_rows();

/// A primitive threw an error that is no refusal; the last instruction of the trace is the one that did.
class PrimitiveFault : public Error {
 public:
  PrimitiveFault(const std::string& code, const std::string& message, schedule::Trace t)
      : Error(code, message), trace(std::move(t)) {}
  schedule::Trace trace;
};

/// Applies `attempts` random steps with random operands: single primitives, or short sequences that belong
/// together (a producer under a split loop, a packed operand, ...). Refused ones change nothing. With `tally`,
/// counts them; also whether a producer came to lie under a split that does not divide. Throws PrimitiveFault.
int apply_random_primitives(schedule::Schedule& sch, Rng& rng, int attempts,
                            Tally* tally = nullptr);

/// How one schedule came out.
struct Verdict {
  /// "": right. replay, text, race, scheduled, lowered, compiled, or "error " and the code of an unexpected error.
  std::string kind;
  std::string message;
  std::string refused_late;  ///< code of a clear refusal by lowering ("lower.…"); "": none
  bool faulty() const { return !kind.empty(); }
};

enum class CheckDepth : uint8_t {
  kInterpret,  ///< replay, text, races, the interpreter on the scheduled and the lowered program
  kCompile,    ///< and the compiled code
};

/// Replays the trace from JSON, reads the printed program back, and compares the interpreter on the unscheduled
/// program with: the interpreter on the scheduled program (with races and reads of what was never written), on the
/// lowered one, and compiled code on 1 and 3 threads in guarded memory. Instances whose sizes the program's
/// assumptions exclude are left out.
Verdict check(const Subject& subject, const schedule::Schedule& sch,
              CheckDepth depth = CheckDepth::kCompile);

/// A wrong schedule and all that is needed to see it again.
struct Failure {
  Subject subject;
  schedule::Trace trace;
  schedule::TensorInstructions instructions = {};  ///< that the trace names
  Verdict verdict;
  uint64_t seed = 0;   ///< of the run
  int64_t number = 0;  ///< of the program in the run

  /// Steps of the trace that are no queries.
  int64_t primitives() const;
  /// A JSON object: message, IR text of the unscheduled program, trace, sizes, the program's description, and
  /// the program with its schedule as C++ and as Python. The inverse throws Error "fuzz.file".
  std::string to_json() const;
  static Failure from_json(std::string_view text);
  /// Whole sources that show the fault: a Python script, a C++ program.
  std::string cpp() const;
  std::string python() const;
};

/// Runs the failure again; the verdict is right where it no longer fails. Throws Error "fuzz.stale" when the trace
/// no longer fits the program.
Verdict rerun(const Failure& failure);

/// Makes a failure smaller as long as it stays one of its kind: fewer steps, fewer stages, smaller extents and
/// factors. Stops after `secs`.
Failure shrink(const Failure& failure, double secs = 20);

struct Options {
  uint64_t seed = 1;
  double secs = 10;       ///< ends after this time ...
  int64_t programs = -1;  ///< ... or, when not negative, after so many programs
  int threads = 1;
  int64_t most_failures = 5;  ///< ends after so many
  CheckDepth depth = CheckDepth::kCompile;
  double shrink_secs = 20;
  std::optional<Subject> subject;  ///< attack this one; else random programs
  schedule::Trace start;           ///< of `subject`: the steps every schedule begins with
  /// Called with each shrunken failure, and every second or so with the counts so far.
  std::function<void(const Failure&)> on_failure = {};
  std::function<void(const Tally&)> on_progress = {};
  /// Called before each check with what a crash would lose; see `Failure::to_json`.
  std::function<void(const Failure&)> before_check = {};
};

struct Result {
  Tally tally;
  std::vector<Failure> failures;  ///< shrunken
};

/// Program number i of a seed is the same whatever the number of threads.
Result run(const Options& options);

/// How soon a fault that is built into the compiler (support/fault.h) is found.
struct FaultResult {
  std::string fault;
  bool found = false;
  double secs = 0;
  int64_t programs = 0, primitives = 0;  ///< until it was found; left after shrinking
};
/// Switches `fault` on, attacks until it is found or `secs` are over, switches it off.
FaultResult find_fault(std::string_view fault, const Options& options);
/// The faults that random programs and schedules can meet: not those in definitions and in the call of a compiled
/// function, which the public cases test, nor one that another rule makes harmless.
std::vector<std::string> findable_faults();

}  // namespace tilewright::fuzz
