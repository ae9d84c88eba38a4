#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "support/testing.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;
using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;

const std::vector<std::string> kMatmul{"--op", "matmul", "--m", "12",        "--n",
                                       "20",   "--k",    "8",   "--threads", "1"};

std::vector<std::string> compile(const std::vector<std::string>& more) {
  std::vector<std::string> words{"compile"};
  words.insert(words.end(), kMatmul.begin(), kMatmul.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A record of the operator above whose schedule splits the rows by `factor`.
record::TuningRecord make_record(const std::string& id, double secs, int factor) {
  const ops::OpInstance op = ops::instantiate("matmul", {{"m", "12"}, {"n", "20"}, {"k", "8"}});
  Schedule sch(op.func);
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], factor);
  record::TuningRecord r;
  r.id = id;
  r.time = record::utc_now();
  r.task = task_key(op);
  r.task_key = r.task.key();
  r.target = record::describe(Target::host());
  r.exec.threads = 1;
  r.trace = sch.sealed_trace();
  r.result.status = record::Status::kOk;
  r.result.samples_secs = {secs};
  r.result.min_secs = r.result.median_secs = secs;
  return r;
}

std::string log_text(const std::vector<record::TuningRecord>& records) {
  std::string text;
  for (const record::TuningRecord& r : records) text += r.to_line() + "\n";
  return text;
}

// Is the library's matmul right?
void check_matmul(const std::string& path) {
  const Function matmul = load(path).get("matmul");
  std::vector<float> a(12 * 8), b(8 * 20), wanted(12 * 20);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  for (size_t n = 0; n < wanted.size(); ++n) {
    for (size_t k = 0; k < 8; ++k) wanted[n] += a[n / 20 * 8 + k] * b[k * 20 + n % 20];
  }
  const auto array = [](std::vector<int64_t> shape, const std::vector<float>& values) {
    return NDArray::copy_of<float>(std::move(shape), kFloat32, std::span<const float>(values));
  };
  const std::vector<Arg> inputs = {array({12, 8}, a), array({8, 20}, b)};
  CHECK(testing::difference(matmul.invoke(inputs).at(0), array({12, 20}, wanted)) == "");
}

int count_lines(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(part) != std::string::npos;
  return count;
}

TEST_CASE("compile takes the best record of a log") {
  const Workplace place;
  place.write("a.jsonl", log_text({make_record("r-slow", 3e-3, 2), make_record("r-best", 1e-3, 3),
                                   make_record("r-mid", 2e-3, 4)}));
  const std::string before = place.read("a.jsonl");
  const CommandResult result =
      place.run("tilewright", compile({"--log", "a.jsonl", "-o", "libmm.so"}));
  INFO(result.err << result.out);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err == "");
  CHECK_THAT(result.out, Contains("libmm.so: record r-best, measured at 1 ms"));
  CHECK_THAT(result.out, Contains("libmm.h: matmul(A: float32 (12, 8), B: float32 (8, 20))"));
  CHECK(place.read("a.jsonl") == before);
  const Module module = load(place.file("libmm.so"));
  CHECK(module.info().functions[0].records == std::vector<std::string>{"r-best"});
  CHECK(module.info().functions[0].operation_count == 2.0 * 12 * 20 * 8);
  check_matmul(place.file("libmm.so"));

  const CommandResult bench =
      place.run("tilewright", {"bench", "libmm.so", "--threads", "1", "--repeat", "3", "--json"});
  INFO(bench.err << bench.out);
  REQUIRE(bench.exit_code == 0);
  const Json json = Json::parse(bench.out);
  CHECK(json["threads"] == 1);
  CHECK(json["functions"][0]["name"] == "matmul");
  CHECK(json["functions"][0]["median_ms"].get<double>() > 0);
  CHECK(json["functions"][0]["gflops"].get<double>() > 0);
  CHECK(json["functions"][0]["records"] == Json::array({"r-best"}));
  const CommandResult table = place.run("tilewright", {"bench", "libmm.so", "--repeat", "2"});
  CHECK_THAT(table.out, Contains("GFLOP/s") && Contains("matmul"));
}

TEST_CASE("compile passes over records it cannot use and counts them in one warning") {
  const Workplace place;
  record::TuningRecord cuda = make_record("r-cuda", 1e-6, 2);
  cuda.target.kind = "cuda";
  record::TuningRecord wide = make_record("r-wide", 2e-6, 2);
  wide.target.features = {"no-such-feature"};
  record::TuningRecord threads = make_record("r-threads", 3e-6, 2);
  threads.exec.threads = 7;
  std::string other_version = make_record("r-version", 4e-6, 2).to_line();
  other_version.replace(other_version.find("\"schema\":1"), 10, "\"schema\":99");
  const std::string useless = log_text({cuda, wide, threads}) + other_version + "\n" +
                              make_record("r-cut", 5e-6, 2).to_line().substr(0, 100) + "\n";
  place.write("useless.jsonl", useless);
  place.write("one.jsonl", useless + log_text({make_record("r-good", 50e-6, 3)}));

  const CommandResult one = place.run("tilewright", compile({"--log", "one.jsonl", "-o", "l.so"}));
  INFO(one.err << one.out);
  REQUIRE(one.exit_code == 0);
  CHECK_THAT(one.out, Contains("record r-good"));
  CHECK(count_lines(one.err, "warning") == 1);
  CHECK_THAT(one.err, Contains("cuda") && Contains("7 threads") &&
                          Contains("one.jsonl: 5 records are not used: "));
  check_matmul(place.file("l.so"));

  const CommandResult none =
      place.run("tilewright", compile({"--log", "useless.jsonl", "-o", "n.so"}));
  INFO(none.err << none.out);
  REQUIRE(none.exit_code == 0);
  CHECK_THAT(none.out, Contains("n.so: the default schedule: useless.jsonl has no usable record"));
  CHECK(count_lines(none.err, "warning") == 1);
  check_matmul(place.file("n.so"));

  const CommandResult required = place.run(
      "tilewright", compile({"--log", "useless.jsonl", "--require-record", "-o", "r.so"}));
  CHECK(required.exit_code == 1);
  CHECK_THAT(required.err, Contains("useless.jsonl has no usable record"));
  CHECK(!std::filesystem::exists(place.file("r.so")));
  CHECK(place.read("useless.jsonl") == useless);
}

TEST_CASE("compile without a log uses the default schedule and says so") {
  const Workplace place;
  const CommandResult result = place.run("tilewright", compile({}));
  INFO(result.err << result.out);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("libmatmul.so: the default schedule: no log was given"));
  check_matmul(place.file("libmatmul.so"));
  for (const char* kind : {"obj", "llvm", "asm"}) {
    INFO(kind);
    CHECK(place.run("tilewright", compile({"--emit", kind})).exit_code == 0);
  }
  CHECK(place.read("matmul.o").substr(1, 3) == "ELF");
  CHECK_THAT(place.read("matmul.ll"), Contains("define"));
  CHECK_THAT(place.read("matmul.s"), Contains("tw_matmul:"));
}

struct BadUse {
  std::vector<std::string> arguments;
  int exit_code;
  std::string part;
};

TEST_CASE("tilewright: bad use is exit code 2 and one clear line") {
  const Workplace place;
  place.write("plain", "x");
  const std::vector<BadUse> table = {
      {{"compil"}, 2, "did you mean 'compile'?"},
      {{"compile"}, 2, "--op is missing"},
      {{"compile", "--op", "matmull"}, 2, "did you mean 'matmul'?"},
      {{"compile", "--op", "matmul", "--bacth", "2"}, 2, "did you mean '--batch'?"},
      {{"compile", "--op", "matmul", "--stride", "2"}, 2, "belongs to conv2d"},
      {{"compile", "--op", "matmul", "--m", "0"}, 2, "--m"},
      {{"compile", "--op", "matmul", "--m", "99999999999999999999"}, 2, "--m"},
      {{"compile", "--op", "matmul", "--dtype", "f31"}, 2, "f31"},
      {{"compile", "--op", "conv2d", "--h", "1", "--kernel", "9", "--pad", "0"}, 2, "kernel"},
      {{"compile", "--op", "matmul", "--target", "cuda"}, 2, "cpu only"},
      {{"compile", "--op", "matmul", "--target", "cpuu"}, 2, "did you mean 'cpu'?"},
      {{"compile", "--op", "matmul", "--threads", "none"}, 2, "--threads"},
      {{"compile", "--op", "matmul", "--emit", "elf"}, 2, "so, obj, llvm, asm"},
      {{"compile", "--op", "matmul", "--log", "none.jsonl"}, 2, "none.jsonl"},
      {{"compile", "--op", "matmul", "--log", "."}, 2, "'.'"},
      {{"compile", "--op", "matmul", "--require-record"}, 2, "needs --log"},
      {{"compile", "--op", "matmul", "-o", "none/l.so"}, 2, "does not exist"},
      {{"compile", "--op", "matmul", "-o", "plain/l.so"}, 2, "is no folder"},
      {{"compile", "--op", "matmul", "extra"}, 2, "unexpected argument 'extra'"},
      {{"bench"}, 2, "the library is missing"},
      {{"bench", "plain", "--thread", "1"}, 2, "did you mean '--threads'?"},
      {{"bench", "none.so"}, 1, "none.so"},
      {{"bench", "plain"}, 1, "plain"},
      {{"show", "--op", "matmul", "--as", "schedul"}, 2, "did you mean 'schedule'?"},
      {{"tune", "--op", "matmul"}, 2, "command of its own"},
  };
  for (const BadUse& row : table) {
    std::string line;
    for (const std::string& word : row.arguments) line += " " + word;
    const CommandResult result = place.run("tilewright", row.arguments);
    INFO("tilewright" << line << "\n" << result.err);
    CHECK(result.exit_code == row.exit_code);
    CHECK(result.out == "");
    CHECK_THAT(result.err, Contains("tilewright: error: ") && Contains(row.part));
  }
  // The next right call works.
  CHECK(place.run("tilewright", compile({})).exit_code == 0);
}

TEST_CASE("tilewright: help and show") {
  const Workplace place;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"compile", "--help"},
                                             {"compile", "--op", "conv2d", "--help"},
                                             {"bench", "--help"},
                                             {"show", "--help"},
                                             {"compile", "--op", "list"}}) {
    const CommandResult result = place.run("tilewright", words);
    INFO(result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.err == "");
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  }
  CHECK(place.run("tilewright", {"--version"}).out == "tilewright " TW_VERSION "\n");
  const std::pair<const char*, const char*> forms[] = {{"program", "for k in 0..8:"},
                                                       {"schedule", "vectorized"},
                                                       {"trace", "\"insts\""},
                                                       {"ir", "block"},
                                                       {"lowered", "func \"matmul\" flat"},
                                                       {"llvm", "define"},
                                                       {"asm", "tw_matmul:"}};
  for (const auto& [form, part] : forms) {
    const CommandResult result = place.run("tilewright", {"show", "--op", "matmul", "--m", "12",
                                                          "--n", "20", "--k", "8", "--as", form});
    INFO(form << result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains(part));
  }
}

TEST_CASE("The C example is built against a library and its header alone") {
  if (std::system("cc --version > /dev/null 2>&1 && make --version > /dev/null 2>&1") != 0) {
    TW_SKIP("there is no C compiler or no make");
  }
  const std::string program = std::string(TW_BIN_DIR) + "/tilewright";
  if (!std::filesystem::exists(program)) TW_SKIP("tilewright is not built");
  const Workplace place;
  const auto run = [&](const std::string& arguments) {
    const std::string command = fmt::format(
        "cd '{}' && make -s CFLAGS='-std=c99 -Wall -Wextra -pedantic -Werror' {} > log 2>&1",
        place.file("example"), arguments);
    const int status = std::system(command.c_str());
    INFO(place.read("example/log"));
    CHECK(status == 0);
    return place.read("example/log");
  };
  std::filesystem::copy(std::string(TW_SOURCE_DIR) + "/docs/examples/c", place.file("example"));
  const std::string text = run("TILEWRIGHT=" + program);
  CHECK_THAT(
      text,
      Contains("matmul 64x48x32: 0 of 3072 elements wrong\n"
               "wrong shape: status 8: matmul: argument B: expected shape (32, 48), got (48, 32)\n"
               "right again: status 0\n"));
}

TEST_CASE("compile replaces no file that is no library, and no log") {
  const Workplace place;
  place.write("a.jsonl", log_text({make_record("r-1", 1e-3, 4)}));
  const std::string log = place.read("a.jsonl");
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"--log", "a.jsonl", "-o", "a.jsonl"}, "that is the log"},
      {{"--log", "a.jsonl", "-o", "./a.jsonl"}, "that is the log"},
      {{"-o", "/dev/full"}, "no regular file"},
      {{"-o", "x.h"}, "name of the header"},
      {{"-o", "."}, "folder"},
  };
  for (const auto& [words, part] : bad) {
    const CommandResult result = place.run("tilewright", compile(words));
    INFO(result.out << result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(part));
  }
  CHECK(place.read("a.jsonl") == log);
  const CommandResult empty = place.run("tilewright", {"compile", "--op", "matmul", "--m", ""});
  CHECK(empty.exit_code == 2);
  CHECK_THAT(empty.err, Contains("--m: its value is empty"));
}

}  // namespace
}  // namespace tilewright
