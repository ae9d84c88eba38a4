#pragma once

#include "tilewright/api/build.h"
#include "tilewright/api/library.h"
#include "tilewright/api/operator.h"
#include "tilewright/api/stages.h"
#include "tilewright/api/testing.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/lower.h"
#include "tilewright/ops/definition.h"
#include "tilewright/record/best.h"
#include "tilewright/runtime/module.h"
#include "tilewright/runtime/time_evaluator.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/te.h"

/// \file
/// Everything of the compiler.
///
///     namespace tw = tilewright;
///     tw::te::Tensor A = tw::te::placeholder({1024}, tw::kFloat32, "A");
///     tw::te::Tensor B = tw::te::compute({1024}, [&](tw::te::Var i) { return A(i) + 1.0f; }, "B");
///     tw::schedule::Schedule sch(tw::te::create_prim_func({A, B}, "add_one"));
///     tw::Stages stages(sch);
///     auto [io, ii] = stages[B].split(stages[B].axis(0), 32);
///     stages[B].vectorize(ii);
///     tw::NDArray b = tw::build(sch)(a)[0];

namespace tilewright {

using runtime::Arg;
using runtime::CallOptions;
using runtime::Function;
using runtime::LoadOptions;
using runtime::Module;
using runtime::NDArray;
using runtime::TimeOptions;
using runtime::TimeResult;
using schedule::BlockRef;
using schedule::default_schedule;
using schedule::Loop;
using schedule::Schedule;
using schedule::ScheduleException;

/// Loads a compiled library; see runtime::Module::load.
inline Module load(const std::string& path, const LoadOptions& options = {}) {
  return Module::load(path, options);
}

}  // namespace tilewright

namespace tw = tilewright;
