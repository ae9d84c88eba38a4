#include "tuner/measure/worker.h"

#include <poll.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/testing.h"
#include "tilewright/support/error.h"
#include "unit/tuner_runner/kernels.h"

namespace tilewright::tuner {
namespace {

using testing::Kernels;
using Clock = std::chrono::steady_clock;

std::string runner_program() {
  const std::string path = TW_BIN_DIR "/tilewright-runner";
  if (access(path.c_str(), X_OK) != 0) TW_SKIP("tilewright-runner is not built");
  return path;
}

// The next line, or nullopt when the worker is gone or 20 s have passed.
std::optional<std::string> wait_for(Worker& worker) {
  const auto end = Clock::now() + std::chrono::seconds(20);
  while (Clock::now() < end) {
    if (auto line = worker.receive()) return line;
    if (worker.closed()) return std::nullopt;
    pollfd fd{worker.fd(), POLLIN, 0};
    poll(&fd, 1, 100);
  }
  return std::nullopt;
}

Json task_message(int64_t memory_bytes = 0) {
  RunnerTask task = testing::small_task();
  task.memory_bytes = memory_bytes;
  Json message{{"cmd", "task"}};
  message.update(to_json(task));
  return message;
}

class Session {
 public:
  explicit Session(int64_t memory_bytes = 0)
      : worker(runner_program(), kernels.file("log")), output(kernels.file("reference.bin")) {
    worker.start();
    worker.send(task_message(memory_bytes));
    REQUIRE(wait_for(worker) == "{\"ok\":true}");
    worker.send({{"cmd", "reference"}, {"lib", kernels.library("none")}, {"output", output}});
    REQUIRE(run_outcome_from(Json::parse(wait_for(worker).value())).elements == 1000);
  }
  void run(const std::string& fault) {
    worker.send(
        {{"cmd", "run"}, {"lib", kernels.library(fault)}, {"reference", output}, {"best_secs", 0}});
  }

  Kernels kernels;
  Worker worker;
  std::string output;
};

TEST_CASE("a runner answers requests") {
  Session session;
  session.run("none");
  CHECK(run_outcome_from(Json::parse(wait_for(session.worker).value())).status == "ok");
  session.worker.send({{"cmd", "dance"}});
  CHECK_THAT(wait_for(session.worker).value(), Catch::Contains("unknown request 'dance'"));
  CHECK(session.worker.resident_bytes() > 0);
}

TEST_CASE("a crash is seen and described") {
  Session session;
  session.run("crash");
  CHECK_FALSE(wait_for(session.worker));
  CHECK_THAT(session.worker.reap(), Catch::StartsWith("killed by signal 11"));
  CHECK_FALSE(session.worker.running());
}

TEST_CASE("a write to an input is a crash") {
  Session session;
  session.run("input");
  CHECK_FALSE(wait_for(session.worker));
  CHECK_THAT(session.worker.reap(), Catch::StartsWith("killed by signal 11"));
}

TEST_CASE("a hanging kernel is ended with its worker") {
  Session session;
  session.run("hang");
  pollfd fd{session.worker.fd(), POLLIN, 0};
  CHECK(poll(&fd, 1, 200) == 0);
  session.worker.kill();
  CHECK_FALSE(session.worker.running());
  session.worker.start();
  session.worker.send(task_message());
  CHECK(wait_for(session.worker) == "{\"ok\":true}");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a kernel that allocates without end meets the limit") {
  Session session(int64_t{256} << 20);
  session.run("grow");
  CHECK(run_outcome_from(Json::parse(wait_for(session.worker).value())).status == "out_of_memory");
}
#endif

TEST_CASE("a program that does not exist cannot be started") {
  Worker worker("/nonexistent/tilewright-runner", "/dev/null");
  CHECK_THROWS_AS(worker.start(), Error);
  CHECK_FALSE(worker.running());
  CHECK_FALSE(worker.send({{"cmd", "task"}}));
}

}  // namespace
}  // namespace tilewright::tuner
