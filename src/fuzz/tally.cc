#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/program_json.h"
#include "tilewright/fuzz/fuzz.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {

void Tally::add(const Tally& other) {
  programs += other.programs;
  moved_under_tail += other.moved_under_tail;
  refused_late += other.refused_late;
  faults += other.faults;
  secs += other.secs;
  for (const auto& [name, counts] : other.primitives) {
    primitives[name].accepted += counts.accepted;
    primitives[name].refused += counts.refused;
  }
  for (const auto& [name, count] : other.tails) tails[name] += count;
  for (const auto& [pair, count] : other.pairs) pairs[pair] += count;
  for (const auto& [code, count] : other.late_codes) late_codes[code] += count;
  for (const auto& [name, count] : other.drawn) drawn[name] += count;
}

std::string Tally::to_json() const {
  nlohmann::ordered_json json;
  json["programs"] = programs;
  json["secs"] = secs;
  json["faults"] = faults;
  json["moved_under_tail"] = moved_under_tail;
  json["refused_late"] = refused_late;
  json["primitives"] = nlohmann::ordered_json::object();
  for (const auto& [name, counts] : primitives) {
    json["primitives"][name] = {counts.accepted, counts.refused};
  }
  json["tails"] = tails;
  json["late_codes"] = late_codes;
  json["drawn"] = drawn;
  json["pairs"] = nlohmann::ordered_json::array();
  for (const auto& [pair, count] : pairs) {
    json["pairs"].push_back(nlohmann::ordered_json::array({pair.first, pair.second, count}));
  }
  return json.dump();
}

Tally Tally::from_json(std::string_view text) {
  Tally tally;
  try {
    const auto json = nlohmann::json::parse(text);
    tally.programs = json.at("programs").get<int64_t>();
    tally.secs = json.at("secs").get<double>();
    tally.faults = json.at("faults").get<int64_t>();
    tally.moved_under_tail = json.at("moved_under_tail").get<int64_t>();
    tally.refused_late = json.at("refused_late").get<int64_t>();
    for (const auto& [name, counts] : json.at("primitives").items()) {
      tally.primitives[name] = {counts.at(0).get<int64_t>(), counts.at(1).get<int64_t>()};
    }
    tally.tails = json.at("tails").get<std::map<std::string, int64_t>>();
    tally.late_codes = json.at("late_codes").get<std::map<std::string, int64_t>>();
    tally.drawn = json.at("drawn").get<std::map<std::string, int64_t>>();
    for (const auto& pair : json.at("pairs")) {
      tally.pairs[{pair.at(0).get<std::string>(), pair.at(1).get<std::string>()}] =
          pair.at(2).get<int64_t>();
    }
  } catch (const nlohmann::json::exception& error) {
    fail("fuzz.tally", "no summary of a fuzz run: {}", json_fault(error));
  }
  return tally;
}

namespace {

constexpr int64_t kEnough = 20;  // programs with an ordered pair

// How many ordered pairs of primitives stand in fewer than `kEnough` programs, and which, by the first of the two.
std::string rare_pairs(const std::map<std::pair<std::string, std::string>, int64_t>& pairs) {
  constexpr size_t kWidth = 80;
  std::vector<std::string> names;
  for (const auto& row : schedule::primitive_docs()) {
    if (row.group != "queries") names.emplace_back(row.name);
  }
  int64_t unseen = 0, rare = 0;
  std::string list;
  for (const std::string& first : names) {
    std::string line;
    for (const std::string& second : names) {
      const auto it = pairs.find({first, second});
      const int64_t count = it == pairs.end() ? 0 : it->second;
      if (count >= kEnough) continue;
      ++(count == 0 ? unseen : rare);
      const std::string item = fmt::format(" {} {}", second, count);
      if (line.empty()) line = fmt::format("  {}, then", first);
      if (line.size() + item.size() + 1 > kWidth) {
        list += line + "\n";
        line = "   ";
      }
      line += item + ",";
    }
    if (!line.empty()) list += line.substr(0, line.size() - 1) + "\n";
  }
  std::string text = fmt::format("{:<34}{:>12}\n", "seen in fewer than 20 programs", rare) +
                     fmt::format("{:<34}{:>12}\n", "never seen", unseen);
  // A short run leaves most of them: the numbers say so.
  constexpr int64_t kMostListed = 300;
  return rare + unseen <= kMostListed ? text + list : text;
}

// Whether each reducer and dtype was drawn, and how many programs have what else the language offers.
std::string drawn_lines(const std::map<std::string, int64_t>& drawn) {
  std::string text;
  for (const std::string kind : {"reducer", "dtype"}) {
    int64_t all = 0, seen = 0, fewest = 0;
    std::string rarest;
    for (const std::string& name : expected_features()) {
      if (!name.starts_with(kind + " ")) continue;
      const auto it = drawn.find(name);
      const int64_t count = it == drawn.end() ? 0 : it->second;
      ++all;
      seen += count > 0;
      if (rarest.empty() || count < fewest) {
        fewest = count;
        rarest = name.substr(kind.size() + 1);
      }
    }
    text += fmt::format("{:<34}{:>12}   of {}, fewest {} {}\n", kind + "s drawn", seen, all, rarest,
                        fewest);
  }
  for (const auto& [name, count] : drawn) {
    if (name.starts_with("reducer ") || name.starts_with("dtype ")) continue;
    text += fmt::format("{:<34}{:>12}\n", "programs with " + name, count);
  }
  return text;
}

}  // namespace

std::string Tally::table() const {
  const auto share = [](int64_t part, int64_t whole) {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  std::string text =
      fmt::format("{:<34}{:>12}{:>12}{:>10}\n", "primitive", "accepted", "refused", "share");
  for (const auto& row : schedule::primitive_docs()) {
    if (row.group == "queries") continue;
    const auto it = primitives.find(std::string(row.name));
    const Counts counts = it == primitives.end() ? Counts{} : it->second;
    text += fmt::format("{:<34}{:>12}{:>12}{:>8.0f} %\n", row.name, counts.accepted, counts.refused,
                        share(counts.accepted, counts.accepted + counts.refused));
  }
  text += fmt::format("\n{:<34}{:>12}\n", "tail policy", "accepted");
  for (const auto& [name, count] : tails) text += fmt::format("{:<34}{:>12}\n", name, count);
  text += fmt::format("\n{:<34}{:>12}\n", "programs", programs);
  text += fmt::format("{:<34}{:>12.0f}\n", "seconds", secs);
  text += drawn_lines(drawn);
  text += fmt::format("{:<34}{:>12}\n", "ordered pairs of primitives seen", pairs.size());
  text += rare_pairs(pairs);
  text += fmt::format("{:<34}{:>12.1f} %\n", "producer under an uneven split",
                      share(moved_under_tail, programs));
  text += fmt::format("{:<34}{:>12.1f} %\n", "refused by lowering, with a reason",
                      share(refused_late, programs));
  for (const auto& [code, count] : late_codes) text += fmt::format("  {:<32}{:>12}\n", code, count);
  text += fmt::format("{:<34}{:>12}\n", "faults", faults);
  return text;
}

}  // namespace tilewright::fuzz
