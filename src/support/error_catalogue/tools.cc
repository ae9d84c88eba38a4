#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "internal",
     .title = "an invariant of Tilewright does not hold",
     .meaning = "A fault of Tilewright, never of the program it was given.",
     .remedy = "Please report it, with the program (PrimFunc.text) and the trace of its schedule."},
    // ---- operators ----
    {.code = "ops.unknown_op",
     .title = "there is no operator of that name",
     .meaning = "The operators are listed by ops.names() and `tilewright --help`.",
     .remedy = "Use the name suggested, or write the operator with te."},
    {.code = "ops.unknown_parameter",
     .title = "the operator has no parameter of that name",
     .meaning = "Each operator has its own parameters, with their defaults.",
     .remedy = "Use the name suggested; `tilewright show --op NAME --help` lists them."},
    {.code = "ops.duplicate_parameter",
     .title = "a parameter of an operator is given twice",
     .meaning = "Each parameter has one value.",
     .remedy = "Remove one of them."},
    {.code = "ops.bad_value",
     .title = "a parameter of an operator has a value that it cannot have",
     .meaning = "Extents are positive, groups divide channels, the kernel fits into the padded "
                "input; the message "
                "tells which rule is broken and with what numbers.",
     .remedy = "Change the value that it names."},
    {.code = "ops.unknown_template",
     .title = "the operator has no schedule template of that name",
     .meaning = "Templates are schedules with open decisions, written for one operator.",
     .remedy = "Use one of the templates that the message lists."},
    // ---- tests of programs ----
    {.code = "testing.mismatch",
     .title = "compiled code computes something else than the program means",
     .meaning = "The output differs from the interpreter's by more than the tolerance; the message "
                "names the first "
                "elements that differ. For sums of floats the order of the terms may explain small "
                "differences.",
     .remedy = "Raise the tolerance to what the operator needs. A large difference is a fault of "
               "Tilewright or of "
               "the expected values given."},
    {.code = "testing.canary",
     .title = "compiled code wrote outside of its buffers",
     .meaning = "Memory around arguments and workspace is filled with a pattern before the call, "
                "and the pattern has "
                "changed.",
     .remedy = "An index that depends on data may leave its tensor: build in checked mode to see "
               "where. Otherwise it "
               "is a fault of Tilewright."},
    {.code = "testing.input",
     .title = "compiled code changed an input",
     .meaning = "Inputs are compared with what they were before the call.",
     .remedy = "A fault of Tilewright: please report it."},
    {.code = "testing.options",
     .title = "the options of a check name something that the function does not have",
     .meaning = "Inputs, outputs, sizes and scalars are given by name, with the dtype and shape of "
                "the parameter; "
                "symbolic sizes need a value.",
     .remedy = "Correct what the message names."},
    {.code = "fuzz.file",
     .title = "a file is no failure written by `tilewright fuzz`",
     .meaning = "`tilewright reduce` reads what `tilewright fuzz` has written: the program, the "
                "trace and how they "
                "were run, as one JSON object.",
     .remedy = "Give a file of that form, written by the same version."},
    {.code = "fuzz.program",
     .title = "a random program cannot be built",
     .meaning =
         "The description of the program names an operation, axis or tensor that does not exist.",
     .remedy = "Use the file as `tilewright fuzz` wrote it."},
    {.code = "fuzz.stale",
     .title = "the trace of a failure is refused by this version",
     .meaning = "The failure was found by another version, whose primitives accepted the trace.",
     .remedy = "Run the fuzzer again with this version."},
    {.code = "fuzz.tally",
     .title = "a file is no summary of a fuzz run",
     .meaning = "Summaries of several runs are added up; this file has another form.",
     .remedy = "Give files written by `tilewright fuzz --json`."},
    {.code = "fault.unknown",
     .title = "there is no built-in fault of that name",
     .meaning = "--fault of `tilewright fuzz` and of the test programs switches on a fault on "
                "purpose, to show that it is found.",
     .remedy = "Use the name suggested."},
    {.code = "tune.effort",
     .title = "there is no effort of that name",
     .meaning = "An effort stands for limits of trials and seconds: none, quick, default or full.",
     .remedy = "Use the name suggested, or give trials and budget."},
    {.code = "tune.limit",
     .title = "a limit of a tuning run makes no sense",
     .meaning = "A run ends after a number of trials, 0 or more, or a positive number of seconds.",
     .remedy = "Give such numbers, or an effort."},
    {.code = "tune.sizes",
     .title = "a symbolic size has no value to measure with",
     .meaning =
         "Candidates are timed on arrays of definite shapes, so each symbolic size of the "
         "program needs a value of at least 0; the schedule that is found holds for all sizes.",
     .remedy = "Give typical sizes by name, in Python as sizes={\"n\": 512}."},
    {.code = "tune.none_valid",
     .title = "every trial of a tuning run has failed",
     .meaning = "There is no best schedule. The message counts the trials and gives the most "
                "frequent reason; the log has each of them.",
     .remedy = "Remove what makes candidates fail, or build the program as it is: its default "
               "schedule does not depend on them."},
    {.code = "tune.no_sketch",
     .title = "there is nothing to choose a schedule from",
     .meaning = "Schedules are searched in templates: functions that schedule a program and draw "
                "numbers by sampling primitives. This program has none.",
     .remedy = "Give templates, in Python as sketches=[f], or take generated ones."},
    {.code = "tune.space",
     .title = "there is no space of that name",
     .meaning = "Schedules come from templates, from generated sketches, or from both: template, "
                "generated or both.",
     .remedy = "Use the name suggested."},
    {.code = "search.unknown",
     .title = "there is no search of that name",
     .meaning = "A search chooses what is measured next: evolutionary, random or grid.",
     .remedy = "Use the name suggested."},
    {.code = "cost_model.unknown",
     .title = "there is no cost model of that name",
     .meaning = "A cost model guesses times before anything is measured: xgb, prior or random.",
     .remedy = "Use the name suggested."},
    {.code = "cost_model.xgboost",
     .title = "XGBoost reports an error",
     .meaning = "The library that learns from measurements failed; its message follows.",
     .remedy = "Run with --model prior, which needs no XGBoost."},
    {.code = "cli.output",
     .title = "a command cannot write to standard output",
     .meaning = "The disk behind a redirection is full, or what reads a pipe has gone.",
     .remedy = "Make room, or send the output elsewhere."},
    // ---- logs ----
    {.code = "log.unknown_id",
     .title = "the log has no record of that id",
     .meaning = "A record is named by its id, such as r-7f3a9c0b12, or by how it begins.",
     .remedy = "`tilewright log show FILE` lists the ids."},
    {.code = "log.ambiguous_id",
     .title = "several records begin with that id",
     .meaning = "The beginning of an id is enough where only one record has it.",
     .remedy = "Give more of it."},
    {.code = "log.missing",
     .title = "there is no log at that path",
     .meaning = "Schedules are looked up in a log of measurements, which `tune` writes.",
     .remedy = "Check the path, or run tune first."},
    {.code = "log.unreadable",
     .title = "the log cannot be read",
     .meaning = "It is a folder, or the system refuses to read it.",
     .remedy = "Check path and permissions."},
    {.code = "log.unwritable",
     .title = "the log cannot be opened for writing",
     .meaning = "Its folder does not exist, it is no regular file, or there is no permission. This "
                "is found before "
                "anything is measured.",
     .remedy = "Choose another path."},
    {.code = "log.write",
     .title = "a record could not be appended to the log",
     .meaning = "The disk is full, or the file was removed or locked meanwhile. Records written so "
                "far are whole.",
     .remedy = "Make room and run again: records in the log are not measured a second time."},
    {.code = "choose.no_record",
     .title = "the log has no usable record for this operator and target",
     .meaning = "Records are found by the operator's program, its shapes and the target. The "
                "message tells what is "
                "there instead.",
     .remedy = "Run `tune` for the operator, or leave the log out to use the default schedule."},
    {.code = "choose.none_valid",
     .title = "every trial that a log holds of a program has failed",
     .meaning = "The log has measurements of this program, target and number of threads, and none "
                "of them gave a valid result, so there is no best record. The message counts them "
                "and gives the most frequent reason.",
     .remedy = "Remove what makes candidates fail and tune again, or build the program without a "
               "log: its default schedule does not depend on them."},
    {.code = "record.parse",
     .title = "a line of a log is no record",
     .meaning = "Each line is one JSON object with the fields of a measurement; a line cut off by "
                "a crash is skipped.",
     .remedy = "Nothing, when the log is read by the tools: they count such lines and go on."},
    {.code = "record.schema",
     .title = "a record of a later schema",
     .meaning = "The log was written by a newer version.",
     .remedy = "Use that version to read it."},
    {.code = "record.kind",
     .title = "a line of a log holds something else than a measurement",
     .meaning = "Logs may hold lines of other kinds, which readers of measurements pass over.",
     .remedy = "Nothing: the tools pass over it."},
    {.code = "record.too_long",
     .title = "a record is longer than a line may be",
     .meaning = "Records are appended in one write, so that several processes may share a log.",
     .remedy = "Use a schedule with fewer steps."},
    {.code = "record.program",
     .title = "a schedule is recorded for a program that it is not of",
     .meaning = "A record is found by the program that was tuned, and its steps are taken on that "
                "program.",
     .remedy =
         "Make the schedule from the operator's own program (Operator.func), or record it for "
         "the program that it is of."},
    {.code = "record.trace",
     .title = "a record has no schedule",
     .meaning = "Without a trace the measurement cannot be used.",
     .remedy = "Measure the task again."},
    // ---- measuring ----
    {.code = "measure.build",
     .title = "the code of a candidate could not be written",
     .meaning = "The builder writes object files into a temporary folder.",
     .remedy = "Make room in the folder that TMPDIR names."},
    {.code = "measure.proof",
     .title = "the reference of a task cannot be proved by the interpreter",
     .meaning = "Before measuring, the reference result is compared with the interpreter, for "
                "which all sizes and "
                "scalars need values.",
     .remedy = "Tune a function of constant shapes."},
    {.code = "measure.protocol",
     .title = "a worker got a request that it does not know",
     .meaning =
         "The tuner and its workers speak a protocol; programs of different versions are mixed.",
     .remedy = "Install all programs from one build."},
    {.code = "measure.reference",
     .title = "the reference results of a task could not be made or read",
     .meaning = "Candidates are compared with the results of the default schedule, which must "
                "build, run and agree "
                "with the interpreter.",
     .remedy = "Build the operator with the default schedule to see the error by itself."},
    {.code = "measure.scratch",
     .title = "there is no folder for temporary files",
     .meaning = "Objects and reference data are exchanged through a temporary folder.",
     .remedy = "Set TMPDIR to a folder that can be written."},
    {.code = "measure.sizes",
     .title = "a symbolic size has no value to measure with",
     .meaning = "A kernel is timed on arrays, so every size needs a number.",
     .remedy = "Give the sizes of the task."},
    {.code = "measure.stopped",
     .title = "measuring was stopped",
     .meaning = "The search was interrupted; records so far are in the log.",
     .remedy = "Run it again with the same log to continue."},
    {.code = "measure.worker",
     .title = "a worker process could not be started",
     .meaning = "Candidates are built and run in processes of their own, whose programs lie beside "
                "the command.",
     .remedy =
         "Install all programs into one folder; look at the limits of processes and open files."},
};

}  // namespace

std::span<const Row> tool_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
