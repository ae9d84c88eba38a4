#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "tilewright/support/error.h"
#include "tuner/measure/runner.h"

namespace tilewright::tuner {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

int64_t address_space_bytes() {
  int64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * sysconf(_SC_PAGESIZE);
}

// Sanitizers reserve terabytes of address space, so only the tuner's watch on resident memory remains there.
void limit_memory(int64_t bytes) {
  if (bytes <= 0 || kSanitized) return;
  const rlim_t limit = static_cast<rlim_t>(address_space_bytes() + bytes);
  const rlimit wanted{limit, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &wanted);
}

class Service {
 public:
  Json handle(const Json& request) {
    const std::string command = request.at("cmd");
    if (command == "task") {
      RunnerTask task = runner_task_from(request);
      limit_memory(task.memory_bytes);
      runner_ = std::make_unique<Runner>(std::move(task));
      return {{"ok", true}};
    }
    if (!runner_) fail("measure.protocol", "'{}' came before a task", command);
    if (command == "reference") {
      return to_json(runner_->reference(request.at("lib"), request.at("output")));
    }
    if (command == "run") {
      return to_json(runner_->run(request.at("lib"), request.at("reference"),
                                  request.at("best_secs"), request.value("fault", std::string())));
    }
    if (command == "compare") {
      return {{"samples", runner_->compare(request.at("libs").get<std::vector<std::string>>(),
                                           request.at("rounds"))}};
    }
    fail("measure.protocol", "unknown request '{}'", command);
  }

 private:
  std::unique_ptr<Runner> runner_;
};

}  // namespace

void serve_runner(int fd) {
  WorkerChannel channel(fd);
  Service service;
  serve(channel, [&](const Json& request) { return service.handle(request); });
}

}  // namespace tilewright::tuner
