#include "tuner/measure/builder.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tilewright/codegen/llvm.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/lower.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/support/error.h"

namespace tilewright::tuner {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void write_library(const ir::PrimFunc& func, const Target& target, const std::string& output) {
  const ir::PrimFunc flat = lower::lower(func, target);
  const std::vector<char> object = codegen::emit_object({flat}, target);
  const std::string object_path = output + ".o";
  std::ofstream file(object_path, std::ios::binary);
  file.write(object.data(), static_cast<std::streamsize>(object.size()));
  file.close();
  if (!file) fail("measure.build", "cannot write '{}'", object_path);
  codegen::link_shared({object_path}, output);
  std::error_code ignored;
  std::filesystem::remove(object_path, ignored);
}

}  // namespace

BuildOutcome Builder::build(const schedule::Trace& trace, const std::string& output) const {
  const auto begin = std::chrono::steady_clock::now();
  BuildOutcome outcome;
  try {
    auto replayed = schedule::Schedule::try_replay(func_, trace);
    if (!replayed) {
      outcome.status = "invalid";
      outcome.reason = fmt::format("{}: {}", replayed.error().code, replayed.error().reason);
      return outcome;
    }
    outcome.hash = replayed->sealed_trace().hash;
    write_library(replayed->func(), target_, output);
  } catch (const Error& error) {
    outcome.status = error.code().starts_with("trace.") ? "invalid" : "build_error";
    outcome.reason = fmt::format("{}: {}", error.code(), first_line(error.what()));
  } catch (const std::bad_alloc&) {
    outcome.status = "build_error";
    outcome.reason = "the compiler ran out of memory";
  }
  outcome.compile_secs =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

void serve_builder(int fd) {
  WorkerChannel channel(fd);
  std::unique_ptr<Builder> builder;
  serve(channel, [&](const Json& request) -> Json {
    const std::string command = request.at("cmd");
    if (command == "task") {
      builder = std::make_unique<Builder>(ir::parse_func(request.at("func").get<std::string>()),
                                          Target::parse(request.at("target").get<std::string>()));
      return {{"ok", true}, {"llvm", codegen::llvm_version()}};
    }
    if (command != "build") fail("measure.protocol", "unknown request '{}'", command);
    if (!builder) fail("measure.protocol", "'build' came before a task");
    const auto trace = schedule::Trace::from_json(request.at("trace").get<std::string>());
    return to_json(builder->build(trace, request.at("output")));
  });
}

}  // namespace tilewright::tuner
