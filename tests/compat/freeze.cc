#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/kernels/goto_matmul.h"
#include "compat/frozen.h"
#include "compat/primitive_examples.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"

namespace tilewright::testing {
namespace {

using Json = nlohmann::ordered_json;
using schedule::Schedule;
namespace fs = std::filesystem;

fs::path folder(const std::string& version) { return fs::path(TW_TEST_DATA_DIR) / version; }

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("test.frozen", "there is no file '{}'", path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_new(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  if (!fs::exists(path)) std::ofstream(path, std::ios::binary) << text;
}

// Tails, a decision in every place that takes one, and handles asked for twice.
Schedule tiled_by_decisions() {
  Schedule sch(examples::matmul(), 5);
  const auto c = sch.get_block("C");
  const auto l = sch.get_loops(c);
  const auto rows = sch.sample_perfect_tile(l[0], 2, 5, "rows");
  const auto columns = sch.sample_tile(l[1], 3, {2, 4, 8}, "columns");
  const auto chunk = sch.sample_categorical({1, 2}, {}, "chunk");
  const auto i = sch.split(l[0], {rows[0], rows[1]});
  const auto j = sch.split(l[1], {std::nullopt, columns[1], columns[2]}, "peel");
  const auto k = sch.split_nparts(l[2], 2, "guard");
  sch.reorder({i[0], j[0], k[0], k[1], i[1], j[1], j[2]});
  sch.pack(c, "A", "(m, k) -> (m, k)", {{0, rows[1]}});
  sch.vectorize(sch.get_loops(c).back());
  sch.parallel(i[0], "dynamic", chunk);
  return sch;
}

}  // namespace

NamedSchedules schedules_by_hand() {
  NamedSchedules all;
  for (const PrimitiveExample& example : primitive_examples()) {
    PrimitiveExample::Step step;
    Schedule sch = prepare(example, step);
    step(sch);
    all.emplace_back(example.primitive, sch);
  }
  const auto symbolic = kernels::matmul_program(te::var("m"), te::var("n"), te::var("k"));
  all.emplace_back("goto_symbolic", kernels::goto_matmul(symbolic));
  all.emplace_back("goto_constant", kernels::goto_matmul(kernels::matmul_program(40, 50, 400)));
  all.emplace_back("tiled_by_decisions", tiled_by_decisions());
  return all;
}

void freeze(const std::string& version, const NamedSchedules& schedules,
            const std::string& records) {
  std::string lines;
  std::map<std::string, std::string> programs;  // IR text -> file
  std::map<std::string, int> names;
  for (const auto& [name, sch] : schedules) {
    std::string& file = programs[ir::to_text(sch.original())];
    if (file.empty()) {
      const std::string base = sch.original()->name;
      const int n = names[base]++;
      file = n == 0 ? base : fmt::format("{}_{}", base, n);
      write_new(folder(version) / "programs" / (file + ".tw"), ir::to_text(sch.original()));
    }
    const Json line = {
        {"name", name}, {"program", file}, {"trace", Json::parse(sch.sealed_trace().to_json())}};
    lines += line.dump() + "\n";
    write_new(folder(version) / "scheduled" / (name + ".tw"), ir::to_text(sch.func()));
    for (const auto& [instruction, parts] : sch.instructions()) {
      const fs::path path = folder(version) / "instructions" / instruction;
      write_new(path.string() + ".reference.tw", ir::to_text(parts.reference));
      write_new(path.string() + ".implementation.tw", ir::to_text(parts.implementation));
    }
  }
  write_new(folder(version) / "traces.jsonl", lines);
  if (!records.empty()) write_new(folder(version) / "records.jsonl", records);
}

std::vector<std::string> frozen_versions() {
  std::vector<std::string> versions;
  for (int n = 1; fs::exists(folder(fmt::format("v{}", n))); ++n) {
    versions.push_back(fmt::format("v{}", n));
  }
  return versions;
}

schedule::TensorInstructions read_instructions(const std::string& version) {
  constexpr std::string_view kEnd = ".reference.tw";
  schedule::TensorInstructions result;
  if (!fs::exists(folder(version) / "instructions")) return result;
  for (const auto& entry : fs::directory_iterator(folder(version) / "instructions")) {
    std::string path = entry.path().string();
    if (!path.ends_with(kEnd)) continue;
    path.resize(path.size() - kEnd.size());
    const std::string name = fs::path(path).filename().string();
    result[name] = {name, ir::parse_func(read_file(path + ".reference.tw")),
                    ir::parse_func(read_file(path + ".implementation.tw"))};
  }
  return result;
}

std::vector<FrozenTrace> read_frozen(const std::string& version) {
  std::vector<FrozenTrace> all;
  std::istringstream lines(read_file(folder(version) / "traces.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    const std::string name = json.at("name"), program = json.at("program");
    all.push_back({name, read_file(folder(version) / "programs" / (program + ".tw")),
                   json.at("trace").dump(),
                   read_file(folder(version) / "scheduled" / (name + ".tw"))});
  }
  return all;
}

void store_scheduled(const std::string& version, const std::string& name, const std::string& text) {
  std::ofstream(folder(version) / "scheduled" / (name + ".tw"), std::ios::binary) << text;
}

}  // namespace tilewright::testing
