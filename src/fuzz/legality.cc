#include "tilewright/fuzz/legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "fuzz/judges.h"
#include "fuzz/step_maker.h"
#include "schedule/primitive_table.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/lower.h"

namespace tilewright::fuzz {

void LegalityCounts::add(const LegalityCounts& other) {
  accepted += other.accepted;
  refused += other.refused;
  false_acceptances += other.false_acceptances;
  false_refusals += other.false_refusals;
  not_applicable += other.not_applicable;
  form += other.form;
  undecided += other.undecided;
}

LegalityCounts LegalityReport::total() const {
  LegalityCounts sum;
  for (const auto& [name, counts] : primitives) sum.add(counts);
  return sum;
}

namespace {

// A primitive's false refusals in percent of its legal calls, a code's in percent of its refusals.
std::string row_text(const std::string& name, const LegalityCounts& c, double percent) {
  return fmt::format("{:<37} {:>6} {:>6} {:>4} {:>4} {:>5.1f} {:>5} {:>5} {:>3}\n", name,
                     c.accepted, c.refused, c.false_acceptances, c.false_refusals, percent,
                     c.not_applicable, c.form, c.undecided);
}

class Measure {
 public:
  explicit Measure(const LegalityOptions& options) : options_(options) {}

  LegalityReport run() {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (int64_t n = 0; options_.programs < 0 ? elapsed() < options_.secs : n < options_.programs;
         ++n) {
      Rng rng(options_.seed * 1000003 + static_cast<uint64_t>(n));
      attack(draw_program(n, rng), rng);
      ++report_.programs;
    }
    return std::move(report_);
  }

 private:
  // Every other one is a random program.
  static SmallProgram draw_program(int64_t n, Rng& rng) {
    const std::vector<SmallProgram>& fixed = small_programs();
    if (n % 2 == 0) return fixed[static_cast<size_t>(n / 2) % fixed.size()];
    const Subject subject = make_subject(random_program(rng));
    return {subject.func, subject.sizes, subject.tolerance};
  }

  void attack(const SmallProgram& program, Rng& rng) {
    const Reference reference(program.func, program.sizes, program.tolerance);
    if (reference.sizes().empty()) return;
    Schedule sch(program.func);
    if (rng.below(2) == 0 && !prepare(reference, sch, rng)) return;
    for (int64_t i = 0; i < options_.calls; ++i) {
      const Call call = draw_call(sch, rng);
      if (!call.op.empty() && !step(reference, sch, call)) return;
    }
    try {
      (void)lower::lower(sch.func(), Target());
    } catch (const Error& error) {
      ++report_.late[error.code()];
      // A refusal names what lowering cannot do; anything else is a fault.
      if (error.code().rfind("lower.", 0) != 0) report_false_acceptance("lower", error.what(), sch);
    }
  }

  // Some steps of the generator, which knows sequences that lead to places single calls seldom reach. False when the
  // program is wrong after them.
  bool prepare(const Reference& reference, Schedule& sch, Rng& rng) {
    std::string wrong;
    try {
      apply_random_primitives(sch, rng, static_cast<int>(rng.between(1, 4)), nullptr);
      wrong = reference.difference(sch.func(), /*check_init=*/false);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    if (!wrong.empty()) report_false_acceptance("sequence", wrong, sch);
    return wrong.empty();
  }

  void report_false_acceptance(const std::string& op, const std::string& what,
                               const Schedule& sch) {
    ++report_.primitives[op].false_acceptances;
    report_.false_acceptances.push_back(fmt::format("{}: {}\n{}\n{}\n{}", op, what,
                                                    ir::to_pretty(sch.original()), sch.show(),
                                                    sch.sealed_trace().to_json()));
  }

  // Half of the draws give each primitive the same chance.
  static Call draw_call(Schedule& sch, Rng& rng) {
    std::vector<const StepMaker::Row*> rows;
    int total = 0;
    for (const StepMaker::Row& row : StepMaker::rows()) {
      if (!schedule::find_primitive(row.primitive)) continue;
      rows.push_back(&row);
      total += row.weight;
    }
    StepMaker maker(sch, rng, nullptr);
    if (rng.below(2) == 0) return (maker.*(rows[rng.below(rows.size())]->make))();
    int draw = static_cast<int>(rng.below(static_cast<uint64_t>(total)));
    for (const StepMaker::Row* row : rows) {
      if ((draw -= row->weight) < 0) return (maker.*(row->make))();
    }
    return {};
  }

  // False when the program is wrong from here on.
  bool step(const Reference& reference, Schedule& sch, const Call& call) {
    LegalityCounts& counts = report_.primitives[call.op];
    const auto result = apply(sch, call);
    if (!result) return false;
    return judge(reference, sch, call, *result, counts);
  }

  using Applied = Expected<std::vector<Schedule::Result>, schedule::ScheduleError>;

  // Nothing, and counted as a wrong answer, when the primitive neither accepts nor refuses but throws.
  std::optional<Applied> apply(Schedule& sch, const Call& call) {
    try {
      return sch.apply(call);
    } catch (const std::exception& error) {
      report_false_acceptance(call.op, fmt::format("throws {}", error.what()), sch);
      return {};
    }
  }

  bool judge(const Reference& reference, const Schedule& sch, const Call& call,
             const Applied& result, LegalityCounts& counts) {
    if (result) {
      ++counts.accepted;
      // A copy may take along surplus elements that hold nothing; used, their poison shows in the results.
      const std::string wrong = reference.difference(sch.func(), /*check_init=*/false);
      if (wrong.empty()) return true;
      report_false_acceptance(call.op, wrong, sch);
      return false;
    }
    const schedule::ScheduleError& error = result.error();
    LegalityCounts& by_code = report_.codes[error.code];
    const Ruling ruling = judge_refusal(reference, call, error);
    LegalityCounts one;
    one.not_applicable = ruling == Ruling::kNotApplicable;
    one.form = ruling == Ruling::kForm;
    one.undecided = ruling == Ruling::kUndecided;
    one.refused = ruling == Ruling::kLegal || ruling == Ruling::kIllegal;
    one.false_refusals = ruling == Ruling::kLegal;
    counts.add(one);
    by_code.add(one);
    if (ruling == Ruling::kLegal) {
      std::vector<std::string>& kept = report_.false_refusals[error.code];
      if (kept.size() < options_.examples) {
        kept.push_back(render(error) + "\n" + sch.trace().to_json());
      }
    }
    return true;
  }

  const LegalityOptions& options_;
  LegalityReport report_;
};

}  // namespace

std::string LegalityReport::table() const {
  const std::string head =
      fmt::format("{:<37} {:>6} {:>6} {:>4} {:>4} {:>5} {:>5} {:>5} {:>3}\n", "", "accept",
                  "refuse", "f.a.", "f.r.", "%", "n/a", "form", "?");
  std::string text = head;
  for (const auto& [name, counts] : primitives) {
    text += row_text(name, counts, counts.false_refusal_percent());
  }
  text += row_text("total", total(), total().false_refusal_percent()) + "\n" + head;
  for (const auto& [code, counts] : codes) {
    const double refused = static_cast<double>(std::max<int64_t>(counts.refused, 1));
    text += row_text(code.substr(9), counts,
                     100.0 * static_cast<double>(counts.false_refusals) / refused);
  }
  for (const auto& [code, count] : late) text += fmt::format("late {:<32} {:>7}\n", code, count);
  return text;
}

LegalityReport measure_legality(const LegalityOptions& options) { return Measure(options).run(); }

}  // namespace tilewright::fuzz
