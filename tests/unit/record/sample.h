#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tilewright/record/best.h"
#include "tilewright/te/te.h"

namespace tilewright::record::testing {

// C[i] = A[i] + A[i], 100 elements.
inline ir::PrimFunc doubled() {
  te::Tensor a = te::placeholder({100}, kFloat32, "A");
  te::Tensor c = te::compute(
      {100}, [&](te::Var i) { return a(i) + a(i); }, "C");
  return te::create_prim_func({a, c}, "doubled");
}

inline schedule::Trace split_trace(int factor) {
  schedule::Schedule sch(doubled());
  sch.set_sketch("hand");
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], factor);
  return sch.sealed_trace();
}

inline TaskKey task() {
  TaskKey key;
  key.op = "doubled";
  key.op_version = 1;
  key.args = {{"n", "100"}, {"layout", "NC"}};
  key.dtypes = {"float32", "float32"};
  key.expr_hash = "tw1:0123456789abcdef";
  return key;
}

inline TuningRecord record(const std::string& id, double secs, int factor = 4) {
  TuningRecord r;
  r.id = id;
  r.time = "2026-01-31T12:00:00Z";
  r.task = task();
  r.task_key = r.task.key();
  r.target = describe(Target::host());
  r.trace = split_trace(factor);
  r.result.status = Status::kOk;
  r.result.samples_secs = {secs, secs};
  r.result.min_secs = secs;
  r.result.median_secs = secs;
  r.search = {"u-1", 7, 3, "random", 1.5};
  r.versions = {{"tilewright", "0.1.0"}};
  return r;
}

inline Query query() { return {task().key(), Target::host(), {}}; }

inline LogContents log_of(const std::vector<TuningRecord>& records) {
  std::string text;
  for (const TuningRecord& r : records) text += r.to_line() + "\n";
  return parse_log(text, "x.jsonl");
}

// A folder that is empty at the start and gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-record-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace tilewright::record::testing
