#pragma once

#include <string>
#include <vector>

#include "tilewright/te/prim_func.h"
#include "tilewright/tuner/tune.h"

/// \file
/// Tuning what is no operator of the library.

namespace tilewright::tuner {

/// The task of tensor expressions: `args` and `assumptions` as for te::create_prim_func. Its records are found by the
/// canonical text of the expressions, whatever their names (`task_key` of api/operator.h).
TuneTask te_task(const std::vector<te::Arg>& args, const Target& target, int threads,
                 const std::string& name = "main", const std::vector<ir::Expr>& assumptions = {});

/// The task of a function as it was before any primitive; its records are found by its structure.
TuneTask func_task(const ir::PrimFunc& func, const Target& target, int threads);
/// What records of a function are looked up by.
record::TaskKey func_key(const ir::PrimFunc& func);

/// A sketch that takes the steps of a trace, with other values for what it samples. Its name is that of the trace, or
/// `name` where that has none.
Sketch sketch_of(const schedule::Trace& trace, const std::string& name);

/// Tunes tensor expressions on this machine, in worker processes, with the speeds that are kept for it:
///
///     TuneResult result = tune({A, B, C}, {{"tiled", my_sketch}}, {.max_trials = 64, .log_path = "log.jsonl"});
///     Schedule best = record::apply(func, result.best.value()).schedule;
///
/// The programs tilewright-builder and tilewright-runner lie beside the running one, or where `workers` says. Throws
/// what `tune` throws.
TuneResult tune(const std::vector<te::Arg>& args, std::vector<Sketch> sketches, TuneOptions options,
                const Target& target = Target::host(), int threads = 1,
                const WorkerOptions& workers = {});

}  // namespace tilewright::tuner
