#include "tuner/cli/task_file.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

namespace tilewright::tuner {
namespace {

using cli::bad_use;

constexpr const char* kChoices =
    "a line takes --op with its parameters or --script, --space, --target, --threads and weight=N";

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

// Options of the whole run, which a line must not set.
bool of_the_run(const std::string& word) {
  static const std::vector<std::string> names = {"--trials", "--budget", "--effort", "--seed",
                                                 "--search", "--model",  "--log",    "--resume",
                                                 "--json",   "--fault",  "--tasks"};
  const std::string name = word.substr(0, word.find('='));
  return std::find(names.begin(), names.end(), name) != names.end();
}

Subject read_line(std::vector<std::string> words, const SubjectOptions& defaults) {
  double weight = 1;
  std::vector<std::string> arguments;
  for (const std::string& word : words) {
    if (of_the_run(word)) {
      bad_use("'{}' is for the whole run, on the command line; {}", word, kChoices);
    }
    if (word.starts_with("weight=")) {
      weight = cli::number<double>("weight", word.substr(7), 1e-9, 1e9, "a positive number");
    } else {
      arguments.push_back(word);
    }
  }
  SubjectOptions options;
  CLI::App app("A line of a task file", "task");
  add_subject_options(app, arguments, options);
  check_subject_arguments(app, cli::parse(app, arguments), options);
  if (options.space.empty()) options.space = defaults.space;
  if (options.target.empty()) options.target = defaults.target;
  if (options.threads.empty()) options.threads = defaults.threads;
  Subject subject = make_subject(options);
  subject.work.weight = weight;
  return subject;
}

}  // namespace

std::vector<Subject> read_task_file(const std::string& path, const SubjectOptions& defaults) {
  std::ifstream file(path);
  if (!file) bad_use("--tasks: '{}' cannot be read", path);
  std::vector<Subject> subjects;
  int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    try {
      subjects.push_back(read_line(words, defaults));
    } catch (const cli::EarlyEnd& end) {
      if (end.exit_code == cli::kBadUse) bad_use("{}:{}: {}", path, number, end.text);
      bad_use("{}:{}: {}", path, number, kChoices);  // --help, --op list
    }
  }
  if (subjects.empty()) bad_use("--tasks: '{}' has no task; {}", path, kChoices);
  return subjects;
}

}  // namespace tilewright::tuner
