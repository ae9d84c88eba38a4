#include "tuner/cli/subject.h"

#include <CLI/CLI.hpp>

#include "cli/script_program.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/api/tune_te.h"

namespace tilewright::tuner {
namespace {

using cli::bad_use;

Target measurable_target(const std::string& text) {
  Target target = cli::cpu_target(text);
  if (const auto why = Target::host().why_unusable(target)) {
    bad_use("--target '{}': kernels are measured on this machine, but it cannot run them: {}", text,
            *why);
  }
  return target;
}

Subject operator_subject(const SubjectOptions& options, const Target& target, int threads) {
  const ops::OpInstance op = cli::instantiate(options.op);
  Subject subject;
  subject.name = subject.work.kind = op.op;
  for (const auto& [name, value] : op.args) subject.words.push_back(name + "=" + value);
  subject.work.task = operator_task(op, target, threads);
  subject.work.sketches = operator_sketches(op);
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
  for (size_t i = 0; i < program.traces.size(); ++i) {
    subject.work.sketches.push_back(sketch_of(
        program.traces[i], program.traces.size() == 1 ? "script" : fmt::format("script{}", i)));
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
  const Target target = measurable_target(target_text);
  const int threads = cli::thread_count(options.threads, Target::host().cores);
  Subject subject = options.script.empty() ? operator_subject(options, target, threads)
                                           : script_subject(options, target, threads);
  subject.target_text = target_text;
  return subject;
}

}  // namespace tilewright::tuner
