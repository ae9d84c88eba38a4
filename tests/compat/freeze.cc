#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/kernels/goto_matmul.h"
#include "compat/frozen.h"
#include "compat/primitive_examples.h"
#include "tilewright/api/operator.h"
#include "tilewright/ir/text.h"
#include "tilewright/ops/definition.h"
#include "tilewright/ops/templates.h"
#include "tilewright/record/tuning_record.h"
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

struct OpCase {
  std::string name, op;
  ops::TextValues values;
};

// Several panels of k with a remainder, transposed and batched operands, both layouts, groups, 16 bits.
std::vector<OpCase> op_cases() {
  return {
      {"matmul", "matmul", {{"m", "40"}, {"n", "50"}, {"k", "300"}}},
      {"matmul_transposed",
       "matmul",
       {{"m", "20"}, {"n", "24"}, {"k", "30"}, {"trans_a", "1"}, {"trans_b", "1"}}},
      {"matmul_batched", "matmul", {{"m", "12"}, {"n", "20"}, {"k", "16"}, {"batch", "2"}}},
      {"matmul_f16", "matmul", {{"m", "12"}, {"n", "20"}, {"k", "16"}, {"dtype", "f16"}}},
      {"conv2d", "conv2d", {{"ci", "4"}, {"co", "20"}, {"h", "9"}, {"w", "11"}, {"kernel", "3"}}},
      {"conv2d_nhwc",
       "conv2d",
       {{"ci", "4"}, {"co", "20"}, {"h", "9"}, {"w", "11"}, {"kernel", "3"}, {"layout", "NHWC"}}},
      {"conv2d_grouped",
       "conv2d",
       {{"ci", "4"}, {"co", "8"}, {"h", "9"}, {"w", "11"}, {"kernel", "3"}, {"groups", "2"}}},
  };
}

// Templates ask for registers and lanes: those of one machine, so that every machine freezes the same.
Target fixed_target() {
  return Target::parse("cpu -arch=x86_64 -features=+avx2,+fma -vector-bits=256 -cores=2");
}

Schedule by_template(const ops::OpInstance& op, const ops::NamedTemplate& row, uint64_t seed) {
  Schedule sch(op.func, seed);
  sch.set_sketch(row.name);
  row.apply(sch, fixed_target(), 2);
  return sch;
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

std::vector<std::pair<std::string, Schedule>> schedules_to_freeze() {
  std::vector<std::pair<std::string, Schedule>> all;
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
  for (const OpCase& row : op_cases()) {
    const ops::OpInstance op = ops::instantiate(row.op, row.values);
    for (const ops::NamedTemplate& named : ops::templates_for(row.op)) {
      for (uint64_t seed : {3, 8}) {
        all.emplace_back(fmt::format("{}_seed{}", row.name, seed), by_template(op, named, seed));
      }
    }
  }
  return all;
}

std::string records_to_freeze() {
  std::string lines;
  for (const OpCase& row : op_cases()) {
    const ops::OpInstance op = ops::instantiate(row.op, row.values);
    for (const ops::NamedTemplate& named : ops::templates_for(row.op)) {
      record::TuningRecord r;
      r.id = record::make_id("r", row.name + named.name);
      r.time = "2026-01-31T12:00:00Z";
      r.task = task_key(op);
      r.task_key = r.task.key();
      r.target = record::describe(fixed_target());
      r.exec.threads = 2;
      r.trace = by_template(op, named, 3).sealed_trace();
      r.result.status = record::Status::kOk;
      r.result.samples_secs = {0.001, 0.001};
      r.result.min_secs = r.result.median_secs = 0.001;
      r.search = {"u-1", 3, 1, "random", 0.004};
      r.versions = {{"tilewright", TW_VERSION}};
      lines += r.to_line() + "\n";
    }
  }
  return lines;
}

void freeze(const std::string& version) {
  std::string lines;
  std::map<std::string, std::string> programs;  // IR text -> file
  std::map<std::string, int> names;
  for (const auto& [name, sch] : schedules_to_freeze()) {
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
  }
  write_new(folder(version) / "traces.jsonl", lines);
  write_new(folder(version) / "records.jsonl", records_to_freeze());
}

std::vector<std::string> frozen_versions() {
  std::vector<std::string> versions;
  for (int n = 1; fs::exists(folder(fmt::format("v{}", n))); ++n) {
    versions.push_back(fmt::format("v{}", n));
  }
  return versions;
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
