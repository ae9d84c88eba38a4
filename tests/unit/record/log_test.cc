#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "sample.h"
#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

using namespace testing;

std::string writer_error(const std::string& path) {
  try {
    LogWriter writer(path);
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "";
}

TEST_CASE("lines that cannot be used are counted in one warning") {
  const std::string good = record("r-1", 1).to_line();
  std::string later = good;
  later.replace(later.find("\"schema\":1"), 10, "\"schema\":99");
  const LogContents log = parse_log(
      good + "\n" + later + "\n\n{\"schema\":1}\nnot json\n" + good.substr(0, 300), "a.jsonl");
  CHECK(log.records.size() == 1);
  CHECK(log.skipped_count() == 4);
  CHECK(log.warning() ==
        "a.jsonl: 4 lines were not used: 2 cut short or damaged, 1 of schema 99, 1 without the "
        "fields of a "
        "record");
  CHECK(parse_log(good + "\n", "a.jsonl").warning().empty());
  CHECK(parse_log("", "a.jsonl").records.empty());
}

TEST_CASE("a missing or unreadable log is an error") {
  const Folder folder;
  const auto code = [](const std::string& path) -> std::string {
    try {
      read_log(path);
    } catch (const Error& error) {
      return error.code();
    }
    return "";
  };
  CHECK(code(folder.file("none.jsonl")) == "log.missing");
  CHECK(code(folder.file("")) == "log.unreadable");
}

TEST_CASE("a log is appended to") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  write(path, "{\"cut");
  LogWriter writer(path);
  CHECK(read(path) == "{\"cut");
  writer.append(record("r-1", 1));
  LogWriter(path).append(record("r-2", 2));
  const LogContents log = read_log(path);
  REQUIRE(log.records.size() == 2);
  CHECK(log.records[0].id == "r-1");
  CHECK(log.records[1].id == "r-2");
  CHECK(log.skipped_count() == 1);
}

TEST_CASE("a path that cannot be written is found at once") {
  const Folder folder;
  write(folder.file("file"), "x");
  CHECK_THAT(writer_error(folder.file("")),
             Catch::Contains("log.unwritable") && Catch::Contains("directory"));
  CHECK_THAT(writer_error(folder.file("file/a.jsonl")), Catch::Contains("is not a directory"));
  CHECK_THAT(writer_error(folder.file("none/a.jsonl")), Catch::Contains("does not exist"));
  CHECK_THAT(writer_error(""), Catch::Contains("empty"));
  CHECK_THAT(writer_error("/dev/null"), Catch::Contains("not a regular file"));
  if (geteuid() != 0) {
    write(folder.file("locked"), "");
    chmod(folder.file("locked").c_str(), 0444);
    CHECK_THAT(writer_error(folder.file("locked")), Catch::Contains("ermission"));
  }
}

TEST_CASE("several writers never mix their lines") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      LogWriter writer(path);
      for (int i = 0; i < 50; ++i) writer.append(record("r-" + std::to_string(100 * t + i), 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const LogContents log = read_log(path);
  CHECK(log.records.size() == 200);
  CHECK(log.skipped_count() == 0);
}

TEST_CASE("a log that can no longer be written ends with an error and loses nothing") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  LogWriter writer(path);
  writer.append(record("r-1", 1));

  SECTION("the disk is full") {
    const std::string before = read(path);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{before.size() + 100, old.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_THROWS_AS(writer.append(record("r-2", 2)), Error);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(read(path) == before);
  }
  SECTION("the file is replaced by a directory") {
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK_THROWS_WITH(writer.append(record("r-2", 2)), Catch::Contains("directory"));
  }
}

}  // namespace
}  // namespace tilewright::record
