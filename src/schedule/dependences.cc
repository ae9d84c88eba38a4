#include <algorithm>
#include <map>
#include <set>

#include "schedule/enumerate.h"

namespace tilewright::schedule {

using namespace ir;

const char* spelling(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::kFlow: return "flow";
    case DependenceKind::kAnti: return "anti";
    case DependenceKind::kOutput: return "output";
  }
  return "?";
}

namespace {

// What has happened to one element so far. The writers are one instance, or steps of one commuting reduction, which
// stand in any order between `before` and the readers.
struct History {
  std::vector<size_t> writers, readers, before_writers, before_readers;
  const ReducerNode* reducer = nullptr;  // of commuting steps
};

class FindDependences {
 public:
  explicit FindDependences(const Enumeration& program) : program_(program) {}

  std::vector<Dependence> run() {
    for (size_t i = 0; i < program_.instances.size(); ++i) {
      const StatementInstance& instance = program_.instances[i];
      for (const Element& element : instance.reads) read(i, element);
      for (const Element& element : instance.writes) {
        instance.updates ? update(i, element) : write(i, element);
      }
    }
    return std::move(found_);
  }

 private:
  void add(const std::vector<size_t>& from, size_t to, DependenceKind kind,
           const Element& element) {
    for (const size_t i : from) {
      if (i != to) found_.push_back({i, to, kind, element});
    }
  }

  void read(size_t i, const Element& element) {
    History& history = histories_[element];
    add(history.writers, i, DependenceKind::kFlow, element);
    history.readers.push_back(i);
  }

  void write(size_t i, const Element& element) {
    History& history = histories_[element];
    add(history.writers, i, DependenceKind::kOutput, element);
    add(history.readers, i, DependenceKind::kAnti, element);
    history = {};
    history.writers = {i};
  }

  void update(size_t i, const Element& element) {
    History& history = histories_[element];
    const StatementInstance& instance = program_.instances[i];
    const ReducerNode* reducer =
        instance.commutes ? instance.realize->block->reducer.get() : nullptr;
    const bool joins = reducer && history.reducer == reducer && history.readers.empty();
    if (!joins) {
      history.before_writers = std::move(history.writers);
      history.before_readers = std::move(history.readers);
      history.writers.clear();
      history.readers.clear();
      history.reducer = reducer;
    }
    add(history.before_writers, i, DependenceKind::kFlow, element);
    add(history.before_readers, i, DependenceKind::kAnti, element);
    history.writers.push_back(i);
  }

  const Enumeration& program_;
  std::map<Element, History> histories_;
  std::vector<Dependence> found_;
};

// Where the loop stands among those around the instance; -1: not around it.
int depth_of(const Enumeration& program, const StatementInstance& instance, int64_t loop_id) {
  const auto& loops = program.loops_around.at(instance.realize->block->id);
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i]->id == loop_id) return static_cast<int>(i);
  }
  return -1;
}

struct Touched {
  std::optional<std::pair<int64_t, size_t>> writer;  // iteration, instance
  std::vector<std::pair<int64_t, size_t>> readers;   // of at most two iterations
};

}  // namespace

std::vector<Dependence> dependences(const Enumeration& program) {
  return FindDependences(program).run();
}

std::optional<Dependence> loop_conflict(const Enumeration& program, int64_t loop_id) {
  std::map<Element, Touched> touched;
  std::vector<int64_t> entry;  // where the loops around stand
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const StatementInstance& instance = program.instances[i];
    const int depth = depth_of(program, instance, loop_id);
    if (depth < 0) continue;
    std::vector<int64_t> here(instance.coords.begin(), instance.coords.begin() + depth);
    if (here != entry) touched.clear();
    entry = std::move(here);
    const int64_t at = instance.coords[depth];
    for (const Element& element : instance.reads) {
      Touched& t = touched[element];
      if (t.writer && t.writer->first != at) {
        return Dependence{t.writer->second, i, DependenceKind::kFlow, element};
      }
      if (t.readers.size() < 2 && (t.readers.empty() || t.readers[0].first != at)) {
        t.readers.emplace_back(at, i);
      }
    }
    for (const Element& element : instance.writes) {
      Touched& t = touched[element];
      if (t.writer && t.writer->first != at) {
        return Dependence{t.writer->second, i, DependenceKind::kOutput, element};
      }
      for (const auto& [iteration, reader] : t.readers) {
        if (iteration != at) return Dependence{reader, i, DependenceKind::kAnti, element};
      }
      if (!t.writer) t.writer = {at, i};
    }
  }
  return {};
}

std::optional<Dependence> violated_dependence(const Enumeration& program,
                                              const std::vector<int64_t>& position) {
  for (const Dependence& dependence : dependences(program)) {
    if (position[dependence.from] > position[dependence.to]) return dependence;
  }
  return {};
}

Footprint footprint(const Enumeration& program, int64_t id, const std::vector<int64_t>& outer) {
  std::set<Element> produced, needed;
  for (const StatementInstance& instance : program.instances) {
    if (instance.block != id && depth_of(program, instance, id) < 0) continue;
    const size_t n = std::min(outer.size(), instance.coords.size());
    if (!std::equal(outer.begin(), outer.begin() + static_cast<int64_t>(n),
                    instance.coords.begin())) {
      continue;
    }
    produced.insert(instance.writes.begin(), instance.writes.end());
    needed.insert(instance.reads.begin(), instance.reads.end());
  }
  return {{produced.begin(), produced.end()}, {needed.begin(), needed.end()}};
}

}  // namespace tilewright::schedule
