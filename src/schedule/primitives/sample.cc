#include <algorithm>
#include <cmath>
#include <optional>

#include "schedule/block_rules.h"
#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

const Decision* preset(const Invocation& in, const std::string& name) {
  for (const Decision& decision : *in.presets) {
    if (decision.name == name) return &decision;
  }
  return nullptr;
}

std::vector<int64_t> int_list(const Invocation& in, const Value& value, const std::string& name) {
  const auto* list = std::get_if<Value::List>(&value.data);
  std::vector<int64_t> result;
  for (size_t i = 0; list && i < list->size(); ++i) {
    const int64_t* item = std::get_if<int64_t>(&(*list)[i].data);
    if (!item) break;
    result.push_back(*item);
  }
  if (!list || result.size() != list->size()) {
    in.refuse("decision", -1, fmt::format("decision '{}' is not a list of integers", name),
              "give a list of integers, outermost first");
  }
  return result;
}

Outputs record(Invocation& in, const std::string& name, const std::vector<int64_t>& factors) {
  Outputs outputs;
  Value::List list;
  for (size_t i = 0; i < factors.size(); ++i) {
    outputs.push_back(Int(factors[i], fmt::format("{}[{}]", name, i)));
    list.push_back(factors[i]);
  }
  in.decisions.push_back({name, list});
  return outputs;
}

std::vector<int64_t> divisors(int64_t n) {
  std::vector<int64_t> result;
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d) continue;
    result.push_back(d);
    if (d != n / d) result.push_back(n / d);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Instructions refer to decisions by name, so each has one of its own.
std::string read_name(const Invocation& in, int64_t at) {
  std::string name = in.text_attr("name");
  if (name.empty() || name.find_first_of("$[]") != std::string::npos) {
    in.refuse("name", at, fmt::format("'{}' is no name for a decision", name),
              "give each sampled value a name of letters, digits and _");
  }
  for (const Decision& made : *in.made) {
    if (made.name != name) continue;
    in.refuse("name", at, fmt::format("there is a decision '{}' already", name),
              "give each sampled value a name of its own");
  }
  return name;
}

int64_t read_count(const Invocation& in, int64_t at) {
  int64_t n = in.int_attr("n");
  if (n < 2 || n > 8) {
    in.refuse("count", at, fmt::format("n = {} factors; a tile has 2 to 8", n),
              "give n from 2 to 8");
  }
  return n;
}

// Places of sample_compute_location besides the loops, which count from 0 (outermost) on.
constexpr int64_t kStays = -1, kInlined = -2;

// The loops around all readers of what the block writes, outermost first.
std::vector<const ForNode*> loops_around_readers(const Invocation& in,
                                                 const BlockRealizeNode& producer) {
  std::vector<const ForNode*> common;
  bool any = false;
  for (const Buffer& buffer : written_buffers(producer.block)) {
    for (const BlockRealizeNode* reader : readers_of(in.tree, buffer)) {
      std::vector<const ForNode*> path = in.tree.loops_around(reader->block->id);
      if (!any) common = path;
      any = true;
      size_t n = 0;
      while (n < common.size() && n < path.size() && common[n] == path[n]) ++n;
      common.resize(n);
    }
  }
  return common;
}

// The program after the block has moved to `place`; null when that is refused.
std::optional<Invocation> moved_to(const Invocation& in, const BlockRealizeNode& producer,
                                   const ForNode* loop) {
  std::optional<Invocation> trial;
  trial.emplace(loop ? "compute_at" : "compute_inline", in.func, in.next_id);
  trial->inputs = {producer.block->id};
  if (loop) {
    trial->inputs.push_back(loop->id);
    trial->attrs["tail"] = "guard";
  }
  try {
    loop ? run_compute_at(*trial) : run_compute_inline(*trial);
  } catch (const Refusal&) {
    return std::nullopt;
  }
  return trial;
}

}  // namespace

/// sample_perfect_tile(loop, n, max_innermost, name): n factors, outermost first, whose product is the
/// loop's constant extent. Uniform over the divisors at each place, innermost first.
Outputs run_sample_perfect_tile(Invocation& in) {
  const ForNode& loop = in.loop(0);
  int64_t extent = require_constant_extent(in, loop);
  int64_t n = read_count(in, loop.id);
  int64_t limit = in.int_attr("max_innermost");
  if (extent < 1 || limit < 1) {
    in.refuse(
        "extent", loop.id,
        fmt::format("{} has {} iterations and the innermost factor is at most {}; both must be "
                    "at least 1",
                    quoted(loop), extent, limit),
        "choose a loop with iterations, and max_innermost of at least 1");
  }
  std::string name = read_name(in, loop.id);
  if (const Decision* given = preset(in, name)) {
    std::vector<int64_t> factors = int_list(in, given->value, name);
    int64_t product = 1;
    bool legal = static_cast<int64_t>(factors.size()) == n;
    for (int64_t factor : factors) {
      legal = legal && factor >= 1 && !__builtin_mul_overflow(product, factor, &product);
    }
    if (!legal || product != extent) {
      in.refuse("decision", loop.id,
                fmt::format("decision '{}' is not {} factors with product {}", name, n, extent),
                "leave the decision open, or give such factors, outermost first");
    }
    return record(in, name, factors);
  }
  std::vector<int64_t> factors(n, 1);
  int64_t rest = extent;
  for (int64_t i = n - 1; i > 0; --i) {
    std::vector<int64_t> choices = divisors(rest);
    if (i == n - 1) std::erase_if(choices, [&](int64_t d) { return d > limit; });
    factors[i] = choices[in.rng->below(choices.size())];
    rest /= factors[i];
  }
  factors[0] = rest;
  return record(in, name, factors);
}

/// sample_tile(loop, n, candidates, name): n factors, the outermost 0 (left open), each inner one drawn from
/// the candidates.
Outputs run_sample_tile(Invocation& in) {
  const ForNode& loop = in.loop(0);
  int64_t n = read_count(in, loop.id);
  std::string name = read_name(in, loop.id);
  std::vector<int64_t> candidates = int_list(in, in.attr("candidates"), name);
  if (candidates.empty())
    in.refuse("candidates", loop.id, "there are no candidates to sample from",
              "give at least one positive integer");
  std::vector<int64_t> factors(n, 0);
  if (const Decision* given = preset(in, name)) {
    factors = int_list(in, given->value, name);
    bool legal = static_cast<int64_t>(factors.size()) == n;
    for (size_t i = 1; legal && i < factors.size(); ++i) {
      legal = std::find(candidates.begin(), candidates.end(), factors[i]) != candidates.end();
    }
    if (!legal) {
      in.refuse("decision", loop.id,
                fmt::format("decision '{}' is not {} factors of the candidates", name, n),
                "leave the decision open, or give 0 and then one candidate for each inner loop");
    }
  } else {
    for (int64_t i = 1; i < n; ++i) factors[i] = candidates[in.rng->below(candidates.size())];
  }
  return record(in, name, factors);
}

/// sample_categorical(candidates, weights, name): one of the candidates, drawn by weight.
Outputs run_sample_categorical(Invocation& in) {
  std::string name = read_name(in, -1);
  std::vector<int64_t> candidates = int_list(in, in.attr("candidates"), name);
  const Value::List& weights = in.list_attr("weights");
  if (candidates.empty() || (!weights.empty() && weights.size() != candidates.size())) {
    in.refuse("candidates", -1,
              fmt::format("{} candidates and {} weights", candidates.size(), weights.size()),
              "give one weight a candidate, or none for equal weights");
  }
  int64_t choice = candidates[0];
  if (const Decision* given = preset(in, name)) {
    const int64_t* value = std::get_if<int64_t>(&given->value.data);
    if (!value || std::find(candidates.begin(), candidates.end(), *value) == candidates.end()) {
      in.refuse("decision", -1, fmt::format("decision '{}' is not one of the candidates", name),
                "leave the decision open, or give one of the candidates");
    }
    choice = *value;
  } else {
    double total = 0;
    std::vector<double> mass(candidates.size(), 1.0);
    for (size_t i = 0; i < weights.size(); ++i) {
      const double* real = std::get_if<double>(&weights[i].data);
      const int64_t* whole = std::get_if<int64_t>(&weights[i].data);
      mass[i] = real ? *real : whole ? static_cast<double>(*whole) : -1.0;
    }
    for (double m : mass) {
      if (!(m >= 0))
        in.refuse("weights", -1, "weights must not be negative",
                  "give relative probabilities of at least 0");
      total += m;
    }
    if (!(total > 0) || !std::isfinite(total)) {
      in.refuse("weights", -1, "the weights must have a finite sum above zero",
                "give at least one candidate a positive weight");
    }
    double draw = in.rng->unit() * total;
    for (size_t i = 0; i < mass.size(); ++i) {
      choice = candidates[i];
      if ((draw -= mass[i]) < 0) break;
    }
  }
  in.decisions.push_back({name, choice});
  return {Int(choice, name)};
}

/// sample_compute_location(block, name): the block moves to a place drawn, all equally likely, from those that are
/// legal: a loop around all its readers (as compute_at with tail="guard"), where it is, or into its readers'
/// expressions (as compute_inline). The decision is the loop's number among the loops around all readers, 0 for the
/// outermost; -1 where the block stays, -2 where it is inlined. Gives the loop, nothing for the other two. Errors:
/// schedule.sample_compute_location.name, .decision.
Outputs run_sample_compute_location(Invocation& in) {
  const BlockRealizeNode& producer = in.block(0);
  const std::string name = read_name(in, producer.block->id);
  const std::vector<const ForNode*> loops = loops_around_readers(in, producer);
  const Decision* given = preset(in, name);
  const int64_t* wanted = given ? std::get_if<int64_t>(&given->value.data) : nullptr;
  std::vector<int64_t> places;
  std::vector<std::optional<Invocation>> programs;
  for (int64_t place = kInlined; place < static_cast<int64_t>(loops.size()); ++place) {
    if (wanted && *wanted != place) continue;
    std::optional<Invocation> moved;
    if (place != kStays) moved = moved_to(in, producer, place < 0 ? nullptr : loops[place]);
    if (place != kStays && !moved) continue;
    places.push_back(place);
    programs.push_back(std::move(moved));
  }
  if (given && (!wanted || places.empty())) {
    in.refuse("decision", producer.block->id,
              fmt::format("decision '{}' is no place to which {} may move", name, quoted(producer)),
              "-2 inlines it, -1 leaves it where it is, 0 and more count the loops around all its "
              "readers");
  }
  const size_t choice = given ? 0 : in.rng->below(places.size());
  const int64_t place = places[choice];
  Outputs outputs = {Int(place, name)};
  if (place >= 0) outputs.push_back(Loop{loops[place]->id});
  in.decisions.push_back({name, place});
  if (programs[choice]) {
    in.next_id = programs[choice]->next_id;
    in.func = programs[choice]->func;
  }
  return outputs;
}

}  // namespace tilewright::schedule
