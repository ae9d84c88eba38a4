#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::schedule {

/// An attribute of an instruction: null, bool, integer, real, text or a list. A text that names a decision
/// ("d0") inside a place where an integer is expected stands for the decision's value.
struct Value {
  using List = std::vector<Value>;
  std::variant<std::nullptr_t, bool, int64_t, double, std::string, List> data;

  Value() : data(nullptr) {}
  Value(std::nullptr_t) : data(nullptr) {}
  Value(bool v) : data(v) {}
  Value(int v) : data(static_cast<int64_t>(v)) {}
  Value(int64_t v) : data(v) {}
  Value(double v) : data(v) {}
  Value(const char* v) : data(std::string(v)) {}
  Value(std::string v) : data(std::move(v)) {}
  Value(List v) : data(std::move(v)) {}
  bool is_null() const { return data.index() == 0; }
  bool operator==(const Value&) const = default;
};
using Attributes = std::map<std::string, Value>;

/// One recorded primitive: operands and results are handle names ("l0" loops, "b0" blocks).
struct Instruction {
  std::string op;
  int version = 1;
  std::vector<std::string> inputs;
  Attributes attrs;
  std::vector<std::string> outputs;
  bool operator==(const Instruction&) const = default;
};

/// A sampled value, kept apart from the instruction so that a search can change it.
struct Decision {
  std::string
      name;  ///< what the user called it: "tile_m"; the instruction refers to it by this name
  Value value;
  bool operator==(const Decision&) const = default;
};

/// How a trace is printed as source.
struct SourceOptions {
  std::string function = "make_schedule";  ///< name of the printed function
  /// Sampled values as plain numbers. Otherwise the printed code samples again, with the values preset, and so
  /// records the same decisions.
  bool fix_decisions = false;
};

/// How a program was made from its te definition. Hand-written schedules, templates and generated sketches
/// record the same thing.
struct Trace {
  int version = 1;
  std::string sketch;  ///< which template or generator wrote it; empty for a hand-written schedule
  std::vector<Instruction> instructions;
  std::vector<Decision> decisions;
  std::string hash;  ///< "tw1:<16 hex digits>" of the scheduled IR it gave; empty: not sealed
  bool operator==(const Trace&) const = default;

  /// One line of JSON: {"ver":1,"sketch":"…","insts":[[op,ver,[inputs],{attrs},[outputs]],…],
  /// "decisions":[[name,value],…],"hash":"…"}.
  std::string to_json() const;
  /// Throws Error "trace.parse" / "trace.version" naming the place.
  static Trace from_json(std::string_view text);

  /// A function over the public interface that applies these steps to a PrimFunc and gives the Schedule. Throws
  /// Error "trace.*" for instructions or attributes this build does not know.
  std::string to_cpp(const SourceOptions& options = {}) const;
  std::string to_python(const SourceOptions& options = {}) const;

  /// The same steps in the current version of each instruction. Replaying and printing do this by themselves; a
  /// trace that was read is kept as it was written. Throws Error "trace.version" for an instruction of a newer
  /// version, "trace.unknown_primitive" for an unknown one.
  Trace migrated() const;
};

}  // namespace tilewright::schedule
