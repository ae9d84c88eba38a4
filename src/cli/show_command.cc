#include <CLI/CLI.hpp>

#include "cli/choose_schedule.h"
#include "cli/commands.h"
#include "cli/op_options.h"
#include "tilewright/api/build.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

const std::vector<std::string> kForms = {"program", "schedule", "trace", "python", "cpp",
                                         "ir",      "lowered",  "llvm",  "asm"};

}  // namespace

int run_show(const std::vector<std::string>& arguments) {
  OpOptions op_options;
  std::string target_text = "cpu", threads, log, form = "schedule";
  CLI::App app("Prints an operator at one step of its way to code.", "tilewright show");
  add_op_options(app, arguments, op_options);
  app.add_option("--as", form,
                 "program (unscheduled loops), schedule (loops as scheduled), trace (JSON), "
                 "python or cpp (the trace as source), ir "
                 "(text that parses back), lowered, llvm or asm [schedule]")
      ->type_name("FORM");
  app.add_option("--log", log, "log whose best record is the schedule")->type_name("FILE");
  app.add_option("--target", target_text, "what to compile for [cpu]")->type_name("TARGET");
  app.add_option("--threads", threads, "records measured with so many threads [all cores]")
      ->type_name("N");
  check_op_arguments(app, parse(app, arguments), op_options);
  if (std::find(kForms.begin(), kForms.end(), form) == kForms.end()) {
    bad_use("--as: unknown form '{}'{}", form, suggestion(kForms, form));
  }
  const Target target = cpu_target(target_text);
  const ops::OpInstance op = instantiate(op_options);
  if (form == "program") {
    write_out(ir::to_pretty(op.func));
    return kDone;
  }
  const ScheduleChoice choice =
      choose_schedule(op, target, thread_count(threads, Target::host().cores), log, false);
  if (!choice.warning.empty()) write_note("warning", choice.warning);
  if (form == "schedule") {
    write_out(fmt::format("# {}\n{}", choice.reason, choice.schedule.show()));
  } else if (form == "trace") {
    write_out(choice.schedule.sealed_trace().to_json() + "\n");
  } else if (form == "python") {
    write_out(choice.schedule.trace().to_python());
  } else if (form == "cpp") {
    write_out(choice.schedule.trace().to_cpp());
  } else {
    write_out(get_source(choice.schedule, form, target));
  }
  return kDone;
}

}  // namespace tilewright::cli
