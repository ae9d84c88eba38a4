#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilewright/schedule/schedule.h"

/// \file
/// How exact the legality rules of the primitives are: random calls on small programs, each decided a second time by
/// looking at every statement instance, and both answers compared.

namespace tilewright::fuzz {

/// What enumeration says about a call.
enum class Ruling : uint8_t {
  kLegal,    ///< what it stands for keeps every dependence, bound and result
  kIllegal,  ///< ... does not
  kNotApplicable,  ///< it stands for nothing: loops that are not nested, an argument out of range, a handle of none
  kForm,  ///< a form of program that the primitive is documented not to take, whether or not it could
  kUndecided,  ///< no judge for this code, or the program is too large to list
};

struct LegalityCounts {
  int64_t accepted = 0, refused = 0;  ///< of the calls that were decided
  int64_t false_acceptances = 0, false_refusals = 0;
  int64_t not_applicable = 0, form = 0, undecided = 0;

  int64_t legal() const { return accepted - false_acceptances + false_refusals; }
  /// Legal calls that were refused, in percent.
  double false_refusal_percent() const {
    return legal() ? 100.0 * static_cast<double>(false_refusals) / static_cast<double>(legal()) : 0;
  }
  void add(const LegalityCounts& other);
};

struct LegalityReport {
  int64_t programs = 0;
  std::map<std::string, LegalityCounts> primitives;
  std::map<std::string, LegalityCounts> codes;  ///< refusals by code
  std::map<std::string, int64_t> late;          ///< schedules that lowering refused, by code
  std::vector<std::string> false_acceptances;   ///< program, trace and what went wrong
  std::map<std::string, std::vector<std::string>>
      false_refusals;  ///< the first few of each code: the whole error

  LegalityCounts total() const;
  /// Two tables of 80 columns: by primitive, and by code.
  std::string table() const;
};

struct LegalityOptions {
  uint64_t seed = 1;
  double secs = 5;        ///< ends after this time ...
  int64_t programs = -1;  ///< ... or, when not negative, after so many programs
  int64_t calls = 14;     ///< on each program
  size_t examples = 2;    ///< kept of each code
};

/// The reasons of refusals that count as forms (`Ruling::kForm`) and what each says, as a Markdown table.
std::string legality_forms();

/// Applies random calls to small programs (extents of at most 8) and judges each.
LegalityReport measure_legality(const LegalityOptions& options);

}  // namespace tilewright::fuzz
