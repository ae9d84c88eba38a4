#include "tuner/cli/task_file.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tilewright::tuner {
namespace {

using Catch::Contains;

class TaskFile {
 public:
  explicit TaskFile(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "tw-file-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(path()) << text;
  }
  ~TaskFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/net.txt"; }

 private:
  std::string folder_;
};

TEST_CASE("a task file has a task a line, comments and empty lines") {
  const TaskFile file(
      "# a network\n"
      "\n"
      "--op matmul --m 32 --n 16 --k 8 weight=12 --threads 1   # the last layer\n"
      "weight=0.5 --op=conv2d --ci 4 --co 8 --h 9 --w 9\n"
      "--op matmul\n");
  SubjectOptions defaults;
  defaults.threads = "2";
  const std::vector<Subject> subjects = read_task_file(file.path(), defaults);
  REQUIRE(subjects.size() == 3);
  CHECK(subjects[0].name == "matmul");
  CHECK(subjects[0].work.weight == 12);
  CHECK(subjects[0].work.task.measure.exec.threads == 1);
  CHECK(subjects[0].work.task.operation_count == 2 * 32 * 16 * 8);
  CHECK_FALSE(subjects[0].work.sketches.empty());
  CHECK(subjects[1].work.kind == "conv2d");
  CHECK(subjects[1].work.weight == 0.5);
  CHECK(subjects[1].work.task.measure.exec.threads == 2);
  CHECK(subjects[2].work.weight == 1);
}

TEST_CASE("a bad line is named with its file, number and what it may hold") {
  struct Case {
    std::string line, says;
  };
  const std::vector<Case> cases{
      {"--op matmull", "did you mean 'matmul'"},
      {"--op matmul --n 0", "--n"},
      {"--op matmul --trials 4", "a line takes --op"},
      {"--op matmul --log=a.jsonl", "a line takes --op"},
      {"--op matmul weight=heavy", "weight: expected a positive number"},
      {"--op matmul weight=0", "weight"},
      {"--op matmul --trans-x", "did you mean"},
      {"--op matmul --target cuda", "cpu only"},
      {"--op matmul more", "unexpected argument 'more'"},
      {"weight=2", "--op is missing"},
      {"--op list", "a line takes --op"},
      {"--op matmul --help", "a line takes --op"},
      {"--op matmul --script a.py:f", "--op or --script"},
  };
  for (const Case& row : cases) {
    CAPTURE(row.line);
    const TaskFile file("# one\n--op matmul\n" + row.line + "\n");
    try {
      read_task_file(file.path(), {});
      FAIL("accepted");
    } catch (const cli::EarlyEnd& end) {
      CHECK(end.exit_code == cli::kBadUse);
      CHECK_THAT(end.text, Catch::StartsWith(file.path() + ":3: ") && Contains(row.says));
    }
  }
}

TEST_CASE("a file without tasks, or none at all, is bad use") {
  const TaskFile file("# nothing\n");
  for (const std::string& path : {file.path(), std::string("none.txt")}) {
    try {
      read_task_file(path, {});
      FAIL("accepted");
    } catch (const cli::EarlyEnd& end) {
      CHECK(end.exit_code == cli::kBadUse);
      CHECK_THAT(end.text, Contains(path));
    }
  }
}

}  // namespace
}  // namespace tilewright::tuner
