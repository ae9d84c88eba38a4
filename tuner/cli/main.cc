#include <unistd.h>
#include <csignal>

#include "tuner/cli/command.h"

namespace {

std::atomic<bool> cancel{false};

// The first time: end soon and keep everything. The second time: end now; the workers end with this process.
void on_interrupt(int) {
  if (cancel.exchange(true)) _exit(130);
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A log that may not grow further (ulimit -f) is an error of the write, with its text.
  std::signal(SIGXFSZ, SIG_IGN);
  return tilewright::tuner::run_command({argv + 1, argv + argc}, cancel);
}
