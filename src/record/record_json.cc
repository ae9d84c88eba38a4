#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tilewright/record/tuning_record.h"
#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLineBytes = 64 << 10;

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Numbers of operator parameters are written as numbers, other spellings ("3x3", "NCHW") as text.
Json argument(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos &&
                      (text == "0" || text[0] != '0');
  return digits ? Json(std::stoll(text)) : Json(text);
}

Json task_json(const TuningRecord& r) {
  Json args = Json::object();
  for (const auto& [name, value] : r.task.args) args[name] = argument(value);
  return {{"key", r.task_key.empty() ? r.task.key() : r.task_key},
          {"op", r.task.op.empty() ? Json(nullptr) : Json(r.task.op)},
          {"op_version", r.task.op_version},
          {"args", args},
          {"dtypes", r.task.dtypes},
          {"layouts", r.task.layouts},
          {"assumptions", r.task.assumptions},
          {"expr_hash", r.task.expr_hash}};
}

Json machine_json(const MachineInfo& m) {
  return {{"id", m.id},
          {"name", m.name},
          {"cores", m.cores},
          {"l1d_bytes", m.l1d_bytes},
          {"l2_bytes", m.l2_bytes},
          {"l3_bytes", m.l3_bytes},
          {"peak_gflops", optional_number(m.peak_gflops)}};
}

Json result_json(const Measurement& m) {
  Json check = nullptr;
  if (!m.check.mode.empty()) {
    check = {
        {"mode", m.check.mode}, {"elements", m.check.elements}, {"reference", m.check.reference}};
  }
  return {{"status", to_string(m.status)},
          {"reason", m.reason.empty() ? Json(nullptr) : Json(m.reason)},
          {"check", check},
          {"samples_secs", m.samples_secs},
          {"min_secs", optional_number(m.min_secs)},
          {"median_secs", optional_number(m.median_secs)},
          {"anchor_ratio", optional_number(m.anchor_ratio)},
          {"compile_secs", optional_number(m.compile_secs)},
          {"trial_secs", optional_number(m.trial_secs)}};
}

Json search_json(const SearchInfo& s) {
  Json json = {{"run", s.run},
               {"seed", s.seed},
               {"trial", s.trial},
               {"origin", s.origin},
               {"baseline_secs", optional_number(s.baseline_secs)}};
  if (!s.fault.empty()) json["fault"] = s.fault;
  return json;
}

Json predicted_json(const std::map<std::string, double>& predicted) {
  Json json = Json::object();
  for (const auto& [name, value] : predicted) json[name] = value;
  return json;
}

Json record_json(const TuningRecord& r) {
  return {{"schema", TuningRecord::kSchema},
          {"kind", "measure"},
          {"id", r.id},
          {"time", r.time},
          {"task", task_json(r)},
          {"target",
           {{"kind", r.target.kind},
            {"arch", r.target.arch},
            {"features", r.target.features},
            {"vector_bits", r.target.vector_bits}}},
          {"machine", machine_json(r.machine)},
          {"exec",
           {{"threads", r.exec.threads}, {"cache", r.exec.cache}, {"prepacked", r.exec.prepacked}}},
          {"trace", Json::parse(r.trace.to_json())},
          {"result", result_json(r.result)},
          {"predicted", predicted_json(r.predicted)},
          {"search", search_json(r.search)},
          {"versions", r.versions}};
}

// Sets the fields of `known` in `json`, object by object, so that what only `json` has stays.
void overlay(Json& json, const Json& known) {
  for (const auto& [key, value] : known.items()) {
    if (value.is_object() && json.contains(key) && json[key].is_object() && key != "args") {
      overlay(json[key], value);
    } else {
      json[key] = value;
    }
  }
}

[[noreturn]] void bad_field(const std::string& field, const std::string& expected) {
  fail("record.parse", "field '{}' is missing or is not {}", field, expected);
}

const Json* find(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() || it->is_null() ? nullptr : &*it;
}

const Json& object(const Json& json, const char* key) {
  const Json* value = find(json, key);
  if (!value || !value->is_object()) bad_field(key, "an object");
  return *value;
}

// Reads an optional field into `to`; a field of another type is an error.
template <typename T>
void get(const Json& json, const char* key, T& to) {
  const Json* value = find(json, key);
  if (!value) return;
  try {
    to = value->get<T>();
  } catch (const nlohmann::json::exception&) {
    bad_field(key, "of the expected type");
  }
}

void get(const Json& json, const char* key, std::optional<double>& to) {
  const Json* value = find(json, key);
  if (!value) return;
  if (!value->is_number()) bad_field(key, "a number");
  to = value->get<double>();
}

std::string required_text(const Json& json, const char* key, const std::string& path) {
  const Json* value = find(json, key);
  if (!value || !value->is_string()) bad_field(path, "a text");
  return value->get<std::string>();
}

TaskKey read_task(const Json& json) {
  TaskKey task;
  get(json, "op", task.op);
  get(json, "op_version", task.op_version);
  if (const Json* args = find(json, "args")) {
    for (const auto& [name, value] : args->items()) {
      task.args[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  get(json, "dtypes", task.dtypes);
  get(json, "layouts", task.layouts);
  get(json, "assumptions", task.assumptions);
  get(json, "expr_hash", task.expr_hash);
  return task;
}

MachineInfo read_machine(const Json& json) {
  MachineInfo m;
  get(json, "id", m.id);
  get(json, "name", m.name);
  get(json, "cores", m.cores);
  get(json, "l1d_bytes", m.l1d_bytes);
  get(json, "l2_bytes", m.l2_bytes);
  get(json, "l3_bytes", m.l3_bytes);
  get(json, "peak_gflops", m.peak_gflops);
  return m;
}

Measurement read_result(const Json& json) {
  Measurement m;
  const std::string word = required_text(json, "status", "result.status");
  const std::optional<Status> status = parse_status(word);
  if (!status) fail("record.parse", "status '{}' is not known", word);
  m.status = *status;
  get(json, "reason", m.reason);
  if (const Json* check = find(json, "check"); check && check->is_object()) {
    get(*check, "mode", m.check.mode);
    get(*check, "elements", m.check.elements);
    get(*check, "reference", m.check.reference);
  }
  get(json, "samples_secs", m.samples_secs);
  get(json, "min_secs", m.min_secs);
  get(json, "median_secs", m.median_secs);
  get(json, "anchor_ratio", m.anchor_ratio);
  get(json, "compile_secs", m.compile_secs);
  get(json, "trial_secs", m.trial_secs);
  if (m.status == Status::kOk && !(m.median_secs.value_or(0) > 0)) {
    bad_field("result.median_secs", "a positive number although the status is ok");
  }
  return m;
}

SearchInfo read_search(const Json& json) {
  SearchInfo s;
  get(json, "run", s.run);
  get(json, "seed", s.seed);
  get(json, "trial", s.trial);
  get(json, "origin", s.origin);
  get(json, "baseline_secs", s.baseline_secs);
  get(json, "fault", s.fault);
  return s;
}

void check_version(const Json& json) {
  const Json* schema = find(json, "schema");
  if (!schema || !schema->is_number_integer()) bad_field("schema", "a number");
  if (schema->get<int64_t>() != TuningRecord::kSchema) {
    fail("record.schema", "schema {} is not known to this version, which knows {}",
         schema->get<int64_t>(), TuningRecord::kSchema);
  }
  const std::string kind = required_text(json, "kind", "kind");
  if (kind != "measure") fail("record.kind", "a line of kind '{}' is no measurement", kind);
}

}  // namespace

std::string TuningRecord::to_line() const {
  Json json = record_json(*this);
  if (!original.empty()) {
    Json merged = Json::parse(original);
    overlay(merged, json);
    json = std::move(merged);
  }
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (line.size() > kMaxLineBytes) {
    fail("record.too_long", "record {} has {} bytes; a line of a log has at most {}", id,
         line.size(), kMaxLineBytes);
  }
  return line;
}

TuningRecord TuningRecord::from_line(std::string_view line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) {
    fail("record.parse", "the line is not one JSON object: '{}'", line.substr(0, 60));
  }
  check_version(json);
  TuningRecord r;
  get(json, "id", r.id);
  get(json, "time", r.time);
  r.task = read_task(object(json, "task"));
  r.task_key = required_text(object(json, "task"), "key", "task.key");
  const Json& target = object(json, "target");
  r.target.kind = required_text(target, "kind", "target.kind");
  get(target, "arch", r.target.arch);
  get(target, "features", r.target.features);
  get(target, "vector_bits", r.target.vector_bits);
  if (const Json* machine = find(json, "machine"); machine && machine->is_object()) {
    r.machine = read_machine(*machine);
  }
  const Json& exec = object(json, "exec");
  if (!find(exec, "threads")) bad_field("exec.threads", "a number");
  get(exec, "threads", r.exec.threads);
  get(exec, "cache", r.exec.cache);
  get(exec, "prepacked", r.exec.prepacked);
  r.trace = schedule::Trace::from_json(object(json, "trace").dump());
  if (r.trace.instructions.empty() && r.trace.hash.empty()) {
    fail("record.trace", "the schedule of the record is empty");
  }
  r.result = read_result(object(json, "result"));
  get(json, "predicted", r.predicted);
  if (const Json* search = find(json, "search"); search && search->is_object()) {
    r.search = read_search(*search);
  }
  get(json, "versions", r.versions);
  r.original = std::string(line);
  return r;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace tilewright::record
