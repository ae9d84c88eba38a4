#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/schedule/trace.h"

namespace tilewright::schedule {

/// What a parameter of a primitive takes, and so how a value of it is written in C++ and Python.
enum class ParamType {
  kLoop,
  kBlock,
  kPlace,     ///< a loop or a block
  kLoops,     ///< all remaining operands: {a, b} in C++, a, b in Python
  kInt,       ///< an integer or a decision
  kIndex,     ///< an integer that is no subject of a search
  kText,      ///< a name or a word
  kFactors,   ///< extents, at most one of them open
  kIntList,   ///< integers or decisions
  kNumbers,   ///< plain integers
  kRealList,  ///< weights
  kPads,      ///< pairs of a dimension and a multiple
  kValue,     ///< anything an instruction can hold
};

/// What a primitive gives.
enum class ResultType { kNone, kLoop, kLoops, kBlock, kInt, kInts, kMaybeLoop };

struct Param {
  std::string name;  ///< of the argument and of the instruction's attribute
  ParamType type = ParamType::kInt;
  bool has_default = false;
  Value default_value;
  bool keyword_only = false;  ///< in Python

  bool is_operand() const { return type <= ParamType::kLoops; }
};

/// Parameters in the order of the C++ method, which is also the order in Python.
struct Signature {
  std::string op;
  std::vector<Param> params;
  ResultType result = ResultType::kNone;
};

/// Of every primitive of the table. Null when there is none of that name.
const Signature* find_signature(std::string_view op);
const std::vector<Signature>& signatures();

/// "split(loop: Loop, factors: list[int | None], tail: str = 'guard') -> list[Loop]".
std::string python_signature(const Signature& signature);
/// "std::vector<Loop> split(Loop loop, std::vector<Factor> factors, std::string_view tail = \"guard\")".
std::string cpp_signature(const Signature& signature);

}  // namespace tilewright::schedule
