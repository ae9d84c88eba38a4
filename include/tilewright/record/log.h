#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/record/tuning_record.h"

namespace tilewright::record {

/// The end of a run: its best candidates were timed again side by side, and `winner` beat the records in
/// `beaten` although their recorded medians are lower.
struct FinalComparison {
  std::string run;
  std::string winner;
  std::vector<std::string> beaten;
  std::vector<double> ratios;  ///< time of the winner / time of beaten[i], median of paired samples
  double median_secs = 0;      ///< of the winner, in this comparison

  std::string to_line() const;
};

/// What a log file holds.
struct LogContents {
  std::string path;
  std::vector<TuningRecord> records;  ///< in the order of the file
  std::vector<FinalComparison> finals;
  std::map<std::string, int64_t> skipped;  ///< lines not used, by reason

  int64_t skipped_count() const;
  /// One sentence that counts the skipped lines and says why; empty when there are none.
  std::string warning() const;
};

/// Reads a log of JSON lines. Lines that cannot be used (cut short, of another schema version, without a
/// usable schedule) are counted and skipped. Throws Error "log.missing" or "log.unreadable".
LogContents read_log(const std::string& path);

/// The same for text already in memory; `path` is only for messages.
LogContents parse_log(std::string_view text, std::string path);

/// Appends lines to a log that other processes may append to as well. Each append opens the file, takes its
/// lock and writes whole lines with one write; a line that somebody left cut short stays a line of its own.
class LogWriter {
 public:
  /// Makes sure that the file can be written, creating it when it is missing. Throws Error
  /// "log.unwritable" saying what is in the way: a directory, a missing or file parent, no permission.
  explicit LogWriter(std::string path);

  const std::string& path() const { return path_; }
  void append(const TuningRecord& record) { append_line(record.to_line()); }
  void append(const FinalComparison& final) { append_line(final.to_line()); }
  /// Throws Error "log.write" (disk full, file replaced by a directory, ...); what was there before stays.
  void append_line(std::string_view line);

 private:
  std::string path_;
};

}  // namespace tilewright::record
