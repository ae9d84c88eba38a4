#include "tuner/cli/subject.h"

#include <CLI/CLI.hpp>

#include "cli/script_program.h"
#include "tilewright/tuner/api/space_choice.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/api/tune_te.h"
#include "tilewright/tuner/space/generated.h"

namespace tilewright::tuner {
namespace {

using cli::bad_use;

SpaceChoice chosen_space(const std::string& space, bool has_made) {
  try {
    return space_choice(space, has_made);
  } catch (const Error& error) {
    bad_use("--space: {}", error.what());
  }
}

void append(std::vector<Sketch>& sketches, std::vector<Sketch> more) {
  for (Sketch& sketch : more) sketches.push_back(std::move(sketch));
}

Subject operator_subject(const SubjectOptions& options, const Target& target, int threads) {
  const ops::OpInstance op = cli::instantiate(options.op);
  Subject subject;
  subject.name = subject.work.kind = op.op;
  for (const auto& [name, value] : op.args) subject.words.push_back(name + "=" + value);
  subject.work.task = operator_task(op, target, threads);
  std::vector<Sketch> templates = operator_sketches(op);
  const SpaceChoice space =
      chosen_space(options.space.empty() ? "both" : options.space, !templates.empty());
  if (space.made) append(subject.work.sketches, std::move(templates));
  if (space.generated) {
    append(subject.work.sketches, generated_sketches(op.func, target, threads));
  }
  subject.compile_words = {"--op " + op.op};
  for (std::string& word : cli::operator_options(op)) {
    subject.compile_words.push_back(std::move(word));
  }
  return subject;
}

Subject script_subject(const SubjectOptions& options, const Target& target, int threads) {
  const cli::ScriptProgram program = cli::run_script(options.script);
  Subject subject;
  subject.script = options.script;
  subject.name = subject.work.kind = options.script.substr(options.script.rfind(':') + 1);
  subject.work.task = func_task(program.func, target, threads);
  if (!program.expr_hash.empty()) subject.work.task.key.expr_hash = program.expr_hash;
  const std::vector<schedule::Trace>& traces = program.traces;
  const SpaceChoice space = chosen_space(options.space, !traces.empty());
  std::vector<Sketch>& sketches = subject.work.sketches;
  for (size_t i = 0; i < traces.size(); ++i) {
    const std::string name = traces.size() == 1 ? "script" : fmt::format("script{}", i);
    if (space.made) sketches.push_back(sketch_of(traces[i], name));
    if (space.generated) {
      append(sketches, generated_sketches(program.func, target, threads, traces[i]));
    }
  }
  if (space.generated && traces.empty()) {
    append(sketches, generated_sketches(program.func, target, threads));
  }
  return subject;
}

}  // namespace

void add_subject_options(CLI::App& app, const std::vector<std::string>& arguments,
                         SubjectOptions& options) {
  cli::add_op_options(app, arguments, options.op);
  app.add_option("--script", options.script,
                 "tune what a function of a Python file gives, FILE.py:FUNCTION: a list of te "
                 "tensors, a PrimFunc, or a Schedule, or a list of them, as templates whose "
                 "sampled values are searched")
      ->type_name("F:FN");
  app.add_option(
         "--space", options.space,
         "schedules to choose from: template (made for the operator, or given by the "
         "script), generated (from the loops alone; each begins with a script's schedule) or "
         "both [both; of a script that gives schedules: template]")
      ->type_name("NAME");
  app.add_option("--target", options.target, "what to compile for [cpu: this machine]")
      ->type_name("TARGET");
  app.add_option("--threads", options.threads, "threads the kernel is called with [all cores]")
      ->type_name("N");
}

void check_subject_arguments(const CLI::App& app, const std::vector<std::string>& remaining,
                             const SubjectOptions& options) {
  if (options.script.empty()) {
    cli::check_op_arguments(app, remaining, options.op);
    return;
  }
  if (!options.op.op.empty()) bad_use("give --op or --script, not both");
  if (!remaining.empty()) cli::refuse_argument(app, remaining[0]);
}

Subject make_subject(const SubjectOptions& options) {
  const std::string target_text = options.target.empty() ? "cpu" : options.target;
  const Target target = cli::measurable_target(target_text);
  const int threads = cli::thread_count(options.threads, Target::host().cores);
  Subject subject = options.script.empty() ? operator_subject(options, target, threads)
                                           : script_subject(options, target, threads);
  subject.target_text = target_text;
  return subject;
}

}  // namespace tilewright::tuner
