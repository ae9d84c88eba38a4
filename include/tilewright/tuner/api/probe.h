#pragma once

#include <optional>
#include <string>

#include "tilewright/target/target.h"
#include "tilewright/tuner/cost_model/nest_analysis.h"

/// \file
/// How fast this machine is: measured once with kernels of our own, then kept for the next runs.

namespace tilewright::tuner {

/// Measures the machine in about half a second, on an otherwise idle machine: a register tile of multiply-adds for
/// the peak of a core, a sweep over arrays that fit the second-level cache, the third and none for the bandwidths, a
/// parallel loop that does nothing for its launch. Kernels are compiled for `target`, which must be able to run here;
/// `threads` take part in the parallel ones. Every speed is positive.
///
/// `core_share`, if given, becomes the part of a core that this process got meanwhile: 1 on an idle machine.
MachineSpeeds measure_speeds(const Target& target, int threads, double* core_share = nullptr);

/// The speeds of this machine and where they come from.
struct HostSpeeds {
  MachineSpeeds speeds;
  bool measured = false;   ///< by this call; else they were read from `path`
  bool busy = false;       ///< other programs had much of a core meanwhile
  std::string path;        ///< of the cache file; empty: there is no folder for it
  std::string not_stored;  ///< why they could not be written to `path`; empty: they are there
};

/// The speeds kept in the user's cache folder (`$XDG_CACHE_HOME/tilewright` or `~/.cache/tilewright`), measured when
/// they are not there. The file is named after the machine, its CPU features and the version of Tilewright; one that
/// is broken, or of another machine or version, is measured and written again. One from a busy time is measured again as
/// well, and the better of both is kept of each speed: whatever else runs makes a machine only slower. `fresh`: measured
/// in any case, and nothing older counts.
HostSpeeds host_speeds(bool fresh = false);

/// Reads the text of a cache file; nullopt when it is broken or was not written for this machine and version.
std::optional<HostSpeeds> parse_speeds(const std::string& text);
/// The text of a cache file for this machine and version: one line of JSON with the fields of MachineSpeeds.
std::string speeds_text(const HostSpeeds& host);

}  // namespace tilewright::tuner
