#include <csignal>

#include "cli/commands.h"

int main(int argc, char** argv) {
  // A file that may not grow further (ulimit -f) is an error of the write, with its text.
  std::signal(SIGXFSZ, SIG_IGN);
  return tilewright::cli::run_command({argv + 1, argv + argc});
}
