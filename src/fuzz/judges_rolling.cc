#include <algorithm>
#include <set>

#include "fuzz/judges.h"
#include "schedule/tree.h"

/// \file
/// Judges of buffers of which only a part is kept at a time.

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Element;
using schedule::Enumeration;
using schedule::StatementInstance;

namespace {

// What one iteration of the loop inside which a buffer lives makes and reads: position along one dimension, element.
struct Window {
  std::set<std::pair<int64_t, int64_t>> made, read;
};
using Windows = std::map<Iteration, std::map<int64_t, Window>>;  // by the loops around, iteration

struct Rolled {
  bool legal =
      true;  // each iteration finds what it reads when all make only what lies behind the last one's end
  bool overlaps = false;  // something has been made before
  bool moves = false;     // some end lies behind the one before
};

Rolled roll(const Windows& windows) {
  Rolled result;
  for (const auto& [around, iterations] : windows) {
    std::set<int64_t> kept;
    std::optional<int64_t> end;
    for (const auto& [iteration, window] : iterations) {
      for (const auto& [position, element] : window.made) {
        result.overlaps |= kept.count(element) > 0;
        if (!end || position >= *end) kept.insert(element);
      }
      for (const auto& [position, element] : window.read) {
        result.legal = result.legal && kept.count(element) > 0;
      }
      if (window.made.empty()) continue;
      const int64_t last = window.made.rbegin()->first + 1;
      result.moves |= end && last > *end;
      end = end ? std::max(*end, last) : last;
    }
  }
  return result;
}

}  // namespace

// The block makes only what earlier iterations have not, along one dimension that moves.
Ruling judge_rolling(const Case& c) {
  const Buffer buffer = written_buffer(c);
  if (buffer->alloc_at.kind != AllocAt::Kind::kLoop) return Ruling::kNotApplicable;
  const int64_t loop = buffer->alloc_at.loop;
  bool overlaps = false, rests = false;
  for (int d = 0; d < buffer->rank(); ++d) {
    Rolled all;
    for (const Enumeration& e : c.instances()) {
      Windows windows;
      for (const StatementInstance& instance : e.instances) {
        std::optional<Iteration> at = iteration_of(e, instance, loop);
        if (!at) continue;
        const int64_t iteration = at->back();
        at->pop_back();
        Window& window = windows[*at][iteration];
        const auto note = [&](const std::vector<Element>& elements,
                              std::set<std::pair<int64_t, int64_t>>& list) {
          for (const Element& element : elements) {
            if (!is_of(e, element, {buffer})) continue;
            const auto& shape = e.buffers.at(static_cast<size_t>(element.buffer)).shape;
            int64_t stride = 1;
            for (size_t i = static_cast<size_t>(d) + 1; i < shape.size(); ++i) stride *= shape[i];
            list.emplace(element.offset / stride % shape[static_cast<size_t>(d)], element.offset);
          }
        };
        note(instance.reads, window.read);
        note(instance.writes, window.made);
      }
      const Rolled one = roll(windows);
      all.legal &= one.legal, all.overlaps |= one.overlaps, all.moves |= one.moves;
    }
    if (all.legal && all.overlaps && all.moves) return Ruling::kLegal;
    overlaps |= all.overlaps;
    rests |= all.legal && all.overlaps;
  }
  if (rests) return Ruling::kForm;  // the first iteration makes it all: a part that does not move
  return overlaps ? Ruling::kIllegal : Ruling::kNotApplicable;
}

// In the program that was made: whatever is read still lies in its place, not overwritten by a later position.
Ruling judge_fold(const Case& c) {
  if (!c.error.after) return Ruling::kUndecided;
  const Case made(c.reference, c.call, c.error, c.error.after);
  for (const Enumeration& e : made.instances()) {
    std::map<Element, int64_t> held;  // which element lies in a place
    for (const StatementInstance& instance : e.instances) {
      const auto place_of = [&](const Element& element) -> std::optional<Element> {
        const auto& buffer = e.buffers.at(static_cast<size_t>(element.buffer));
        const Layout& layout = buffer.buffer->layout;
        if (!layout || layout->fold_moduli.empty()) return {};
        int64_t rest = element.offset, place = 0, stride = 1;
        for (size_t d = buffer.shape.size(); d-- > 0; rest /= buffer.shape[d]) {
          const int64_t modulus = layout->fold_moduli[d], at = rest % buffer.shape[d];
          place += (modulus > 0 ? at % modulus : at) * stride;
          stride *= buffer.shape[d];
        }
        return Element{element.buffer, element.life, place};
      };
      for (const Element& element : instance.reads) {
        const auto place = place_of(element);
        const auto lies = place ? held.find(*place) : held.end();
        if (lies != held.end() && lies->second != element.offset) return Ruling::kIllegal;
      }
      for (const Element& element : instance.writes) {
        const auto place = place_of(element);
        if (!place) continue;
        const auto [lies, fresh] = held.try_emplace(*place, element.offset);
        if (instance.updates && lies->second != element.offset) return Ruling::kIllegal;
        lies->second = element.offset;
      }
    }
  }
  return Ruling::kLegal;
}

}  // namespace tilewright::fuzz
