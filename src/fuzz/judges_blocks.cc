#include <algorithm>
#include <set>

#include "fuzz/judges.h"
#include "schedule/block_rules.h"
#include "schedule/tree.h"

/// \file
/// Judges of the primitives that move blocks.

namespace tilewright::fuzz {

using namespace ir;  // NOLINT
using schedule::Element;
using schedule::Enumeration;
using schedule::StatementInstance;
using schedule::Tree;

std::optional<Iteration> iteration_of(const Enumeration& e, const StatementInstance& instance,
                                      int64_t loop) {
  const auto& loops = e.loops_around.at(instance.realize->block->id);
  for (size_t d = 0; d < loops.size(); ++d) {
    if (loops[d]->id == loop) {
      return Iteration(instance.coords.begin(),
                       instance.coords.begin() + static_cast<int64_t>(d) + 1);
    }
  }
  return {};
}

bool is_of(const Enumeration& e, const Element& element, const std::vector<Buffer>& buffers) {
  const Buffer& buffer = e.buffers.at(static_cast<size_t>(element.buffer)).buffer;
  return std::any_of(buffers.begin(), buffers.end(),
                     [&](const Buffer& b) { return b->name == buffer->name; });
}

namespace {

std::vector<Buffer> outputs_of(const Case& c, int64_t block) {
  return schedule::written_buffers(Tree(c.func).block(block)->block);
}

}  // namespace

Ruling judge_consumer_outside(const Case& c) {
  const int64_t block = c.id(0), loop = c.id(1);
  const std::vector<Buffer> outputs = outputs_of(c, block);
  for (const Enumeration& e : c.instances()) {
    for (const StatementInstance& instance : e.instances) {
      if (instance.block == block || iteration_of(e, instance, loop)) continue;
      for (const Element& read : instance.reads) {
        if (is_of(e, read, outputs)) return Ruling::kIllegal;
      }
    }
  }
  return Ruling::kNotApplicable;  // nothing outside reads anything
}

// Each input of the producer must be complete before the first consumer of the iteration.
Ruling judge_compute_at_order(const Case& c) {
  const int64_t block = c.id(0), loop = c.id(1);
  const std::vector<Buffer> outputs = outputs_of(c, block);
  for (const Enumeration& e : c.instances()) {
    std::map<Element, std::vector<size_t>> makers;  // of the producer's elements
    std::map<Element, size_t> last_write;
    for (size_t i = 0; i < e.instances.size(); ++i) {
      const StatementInstance& instance = e.instances[i];
      for (const Element& element : instance.writes) {
        last_write[element] = i;
        if (instance.block == block) makers[element].push_back(i);
      }
    }
    std::map<Iteration, std::pair<size_t, std::set<Element>>> needs;  // first consumer, elements
    for (size_t i = 0; i < e.instances.size(); ++i) {
      const StatementInstance& instance = e.instances[i];
      const auto iteration = iteration_of(e, instance, loop);
      if (!iteration || instance.block == block) continue;
      for (const Element& read : instance.reads) {
        if (!is_of(e, read, outputs)) continue;
        needs.try_emplace(*iteration, i, std::set<Element>()).first->second.second.insert(read);
      }
    }
    for (const auto& [iteration, need] : needs) {
      for (const Element& element : need.second) {
        for (const size_t maker : makers[element]) {
          for (const Element& input : e.instances[maker].reads) {
            const auto written = last_write.find(input);
            if (written == last_write.end() || is_of(e, input, outputs)) continue;
            if (written->second >= need.first) return Ruling::kIllegal;
          }
        }
      }
    }
  }
  return Ruling::kLegal;
}

namespace {

// What reverse_compute_at stands for: each point of the consumer runs in an iteration that makes, completely, all it
// reads of the buffers made inside the loop.
class ReverseMove {
 public:
  ReverseMove(const Enumeration& e, int64_t block, int64_t loop)
      : e_(e), block_(block), loop_(loop) {
    for (size_t i = 0; i < e.instances.size(); ++i) {
      const StatementInstance& instance = e.instances[i];
      if (instance.block == block) {
        if (!instance.writes.empty()) groups_[instance.writes.front()].push_back(i);
        continue;
      }
      const auto iteration = iteration_of(e, instance, loop);
      for (const Element& element : instance.writes) {
        last_write_[element] = i;
        if (iteration) {
          inside_.insert(element.buffer);
          last_of_[*iteration] = i;
          made_[element][*iteration] = i;
        } else {
          outside_.insert(element.buffer);
        }
      }
    }
  }

  Ruling run() {
    std::map<Iteration, std::set<std::vector<int64_t>>> points;
    for (const auto& [written, group] : groups_) {
      const std::optional<Iteration> at = place_of(group);
      if (!at) return Ruling::kIllegal;
      points[*at].insert(e_.instances[group.back()].point);
    }
    for (const auto& [iteration, part] : points) {
      if (!is_box(part)) return Ruling::kNotApplicable;  // no nest of loops makes such a part
    }
    return Ruling::kLegal;
  }

 private:
  std::optional<Iteration> place_of(const std::vector<size_t>& group) {
    std::optional<std::set<Iteration>> places;
    size_t ready = 0;
    for (const size_t i : group) {
      for (const Element& read : e_.instances[i].reads) {
        const auto last = last_write_.find(read);
        if (!inside_.count(read.buffer) || outside_.count(read.buffer)) {
          if (last != last_write_.end()) ready = std::max(ready, last->second);
          continue;
        }
        std::set<Iteration> complete;
        for (const auto& [iteration, writer] : made_[read]) {
          if (writer == last->second) complete.insert(iteration);
        }
        if (!places) {
          places = complete;
        } else {
          std::set<Iteration> both;
          std::set_intersection(places->begin(), places->end(), complete.begin(), complete.end(),
                                std::inserter(both, both.end()));
          places = both;
        }
      }
    }
    if (!places || places->empty()) return {};
    const Iteration at = *places->begin();
    if (ready > last_of_[at]) return {};
    // Who reads the results must come behind.
    for (const Element& element : e_.instances[group.back()].writes) {
      for (size_t i = 0; i < last_of_[at]; ++i) {
        const auto& reads = e_.instances[i].reads;
        if (std::binary_search(reads.begin(), reads.end(), element)) return {};
      }
    }
    return at;
  }

  // Is the part all points of a box?
  static bool is_box(const std::set<std::vector<int64_t>>& part) {
    const size_t rank = part.begin()->size();
    size_t volume = 1;
    for (size_t d = 0; d < rank; ++d) {
      int64_t low = INT64_MAX, high = INT64_MIN;
      for (const auto& point : part) {
        low = std::min(low, point[d]);
        high = std::max(high, point[d]);
      }
      volume *= static_cast<size_t>(high - low + 1);
    }
    return volume == part.size();
  }

  const Enumeration& e_;
  int64_t block_, loop_;
  std::map<Element, std::vector<size_t>> groups_;  // instances of the consumer by what they write
  std::map<Element, size_t> last_write_;
  std::set<int> inside_, outside_;  // buffers written there
  std::map<Iteration, size_t> last_of_;
  std::map<Element, std::map<Iteration, size_t>> made_;
};

}  // namespace

Ruling judge_reverse_compute_at(const Case& c) {
  for (const Enumeration& e : c.instances()) {
    const Ruling ruling = ReverseMove(e, c.id(0), c.id(1)).run();
    if (ruling != Ruling::kLegal) return ruling;
  }
  return Ruling::kLegal;
}

// Each element of the buffer between the two is read once, by one point.
Ruling judge_reverse_inline_index(const Case& c) {
  const Tree tree(c.func);
  const BlockRealizeNode* consumer = tree.block(c.id(0));
  std::vector<Buffer> middle;
  for (const Region& read : consumer->block->reads) {
    if (!schedule::writers_of(tree, read.buffer).empty()) middle.push_back(read.buffer);
  }
  for (const Enumeration& e : c.instances()) {
    std::map<Element, int> uses;
    for (const StatementInstance& instance : e.instances) {
      if (instance.block != c.id(0)) {
        for (const Element& element : instance.writes) {
          if (is_of(e, element, middle)) uses.try_emplace(element, 0);
        }
        continue;
      }
      int mine = 0;
      for (const Element& element : instance.reads) {
        if (!is_of(e, element, middle)) continue;
        ++uses[element];
        ++mine;
      }
      if (mine != 1) return Ruling::kIllegal;
    }
    for (const auto& [element, count] : uses) {
      if (count != 1) return Ruling::kIllegal;
    }
  }
  return Ruling::kLegal;
}

// The init runs whenever the loop is entered, for what is updated then: that must be whole reductions.
Ruling judge_decompose(const Case& c) {
  const int64_t block = c.id(0), loop = c.id(1);
  for (const Enumeration& e : c.instances()) {
    using Point = std::vector<int64_t>;
    std::map<Element, std::set<Point>> terms;
    std::map<std::pair<Iteration, Element>, std::vector<Point>> entered;
    for (const StatementInstance& instance : e.instances) {
      if (instance.block != block || instance.is_init) continue;
      auto iteration = iteration_of(e, instance, loop);
      if (!iteration) return Ruling::kNotApplicable;
      iteration->pop_back();
      for (const Element& element : instance.writes) {
        terms[element].insert(instance.point);
        entered[{*iteration, element}].push_back(instance.point);
      }
    }
    for (const auto& [at, points] : entered) {
      const std::set<Point>& all = terms[at.second];
      if (points.size() != all.size() || std::set<Point>(points.begin(), points.end()) != all) {
        return Ruling::kIllegal;
      }
    }
  }
  return Ruling::kLegal;
}

// A copy made before the outermost nest of the consumer holds nothing of what is written inside.
Ruling judge_shared_loops(const Case& c) {
  const auto* name = std::get_if<std::string>(&c.error.attrs.at("buffer").data);
  for (const Enumeration& e : c.instances()) {
    std::set<Element> read;
    std::optional<int64_t> home;
    for (const StatementInstance& instance : e.instances) {
      if (instance.block != c.id(0)) continue;
      const auto& loops = e.loops_around.at(instance.realize->block->id);
      if (!loops.empty()) home = loops[0]->id;
      for (const Element& element : instance.reads) {
        if (e.buffers[static_cast<size_t>(element.buffer)].buffer->name == *name) {
          read.insert(element);
        }
      }
    }
    if (!home) continue;
    for (const StatementInstance& instance : e.instances) {
      if (!iteration_of(e, instance, *home)) continue;
      for (const Element& element : instance.writes) {
        if (read.count(element)) return Ruling::kIllegal;
      }
    }
  }
  return Ruling::kLegal;
}

// All writers in one outermost nest can write to the new buffer, which is copied out behind it.
Ruling judge_several_writers(const Case& c) {
  const Tree tree(c.func);
  std::set<int64_t> homes;
  for (const Buffer& buffer : outputs_of(c, c.id(0))) {
    for (const BlockRealizeNode* writer : schedule::writers_of(tree, buffer)) {
      const auto loops = tree.loops_around(writer->block->id);
      homes.insert(loops.empty() ? -writer->block->id : loops[0]->id);
    }
  }
  return legal_if(homes.size() == 1);
}

}  // namespace tilewright::fuzz
