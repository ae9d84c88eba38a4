#include "cli/crash_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <mutex>
#include <vector>

namespace tilewright::cli {
namespace {

// What the handler may touch: plain pointers into strings that live until the next call.
struct Report {
  std::string path, content;
};
thread_local Report report;
thread_local const char* report_path = nullptr;
thread_local const char* report_content = nullptr;
thread_local size_t report_size = 0;

void put(int file, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<size_t>(written);
  }
}

// A stack of its own for the handler, of one thread: recursion without end leaves none of the other.
class HandlerStack {
 public:
  HandlerStack() : memory_(kSize) {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    sigaltstack(&stack, nullptr);
  }
  ~HandlerStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  static constexpr size_t kSize = 64 * 1024;
  std::vector<char> memory_;
};

// Async-signal-safe: system calls alone.
void on_crash(int number) {
  const char note[] = "\ntilewright: crash: ";
  put(STDERR_FILENO, note, sizeof(note) - 1);
  const char digits[] = {static_cast<char>('0' + number / 10),
                         static_cast<char>('0' + number % 10)};
  put(STDERR_FILENO, "signal ", 7);
  put(STDERR_FILENO, digits, 2);
  if (report_path) {
    const int file = open(report_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
      put(file, report_content, report_size);
      close(file);
      put(STDERR_FILENO, ", written to ", 13);
      put(STDERR_FILENO, report_path, strlen(report_path));
    }
  }
  put(STDERR_FILENO, "\n", 1);
  _exit(1);
}

}  // namespace

void set_crash_report(std::string path, std::string content) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
      sigaction(number, &action, nullptr);
  });
  thread_local const HandlerStack stack;
  report_path = nullptr;
  report = {std::move(path), std::move(content)};
  if (report.path.empty()) return;
  report_content = report.content.data();
  report_size = report.content.size();
  report_path = report.path.c_str();
}

}  // namespace tilewright::cli
