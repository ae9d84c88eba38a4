#include "tuner/measure/protocol.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace tilewright::tuner {

Json to_json(const RunnerTask& task) {
  return {{"data",
           {{"seed", task.data.seed},
            {"integers", task.data.integers},
            {"magnitude", task.data.magnitude}}},
          {"check",
           {{"exact", task.check.exact},
            {"relative", task.check.relative},
            {"absolute", task.check.absolute}}},
          {"sizes", task.sizes},
          {"threads", task.threads},
          {"memory_bytes", task.memory_bytes}};
}

RunnerTask runner_task_from(const Json& json) {
  RunnerTask task;
  const Json& data = json.at("data");
  task.data = {data.at("seed"), data.at("integers"), data.at("magnitude")};
  const Json& check = json.at("check");
  task.check = {check.at("exact"), check.at("relative"), check.at("absolute")};
  task.sizes = json.at("sizes").get<std::map<std::string, int64_t>>();
  task.threads = json.at("threads");
  task.memory_bytes = json.at("memory_bytes");
  return task;
}

Json to_json(const RunOutcome& outcome) {
  return {{"status", outcome.status},
          {"reason", outcome.reason},
          {"samples_secs", outcome.samples_secs},
          {"elements", outcome.elements},
          {"anchor_secs", outcome.anchor_secs}};
}

RunOutcome run_outcome_from(const Json& json) {
  return {json.at("status"), json.at("reason"), json.at("samples_secs").get<std::vector<double>>(),
          json.at("elements"), json.at("anchor_secs")};
}

Json to_json(const BuildOutcome& outcome) {
  return {{"status", outcome.status},
          {"reason", outcome.reason},
          {"hash", outcome.hash},
          {"compile_secs", outcome.compile_secs}};
}

BuildOutcome build_outcome_from(const Json& json) {
  return {json.at("status"), json.at("reason"), json.at("hash"), json.at("compile_secs")};
}

std::optional<std::string> WorkerChannel::receive() {
  while (true) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char chunk[65536];
    const ssize_t got = read(fd_, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<size_t>(got));
  }
}

bool WorkerChannel::send(const Json& message) const {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t sent = ::send(fd_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

void become_worker(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The tuner may have died before the line above.
  if (getppid() != parent) _exit(1);
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow further is an error of the write, with its text.
  std::signal(SIGXFSZ, SIG_IGN);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

}  // namespace tilewright::tuner
