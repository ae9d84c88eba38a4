#include <algorithm>
#include <set>

#include "fuzz/shrink.h"
#include "fuzz/terms.h"

namespace tilewright::fuzz {
namespace {

// Every dimension of the program, in place.
std::vector<Dim*> all_dims(ProgramSpec& spec) {
  std::vector<Dim*> dims;
  for (InputSpec& input : spec.inputs) {
    for (Dim& dim : input.shape) dims.push_back(&dim);
  }
  for (StageSpec& stage : spec.stages) {
    for (Dim& dim : stage.shape) dims.push_back(&dim);
    for (Dim& dim : stage.reduce) dims.push_back(&dim);
    for (Dim& dim : stage.steps) dims.push_back(&dim);
  }
  return dims;
}

template <typename F>
void walk(Term& term, const F& f) {
  f(term);
  for (Term& arg : term.args) walk(arg, f);
}

template <typename F>
void walk(ProgramSpec& spec, const F& f) {
  for (StageSpec& stage : spec.stages) {
    for (Term& term : stage.values) walk(term, f);
    for (Term& term : stage.where) walk(term, f);
    for (Term& term : stage.init) walk(term, f);
  }
}

std::set<std::string> tensors_read(ProgramSpec spec) {
  std::set<std::string> names;
  walk(spec, [&](Term& term) {
    if (term.op == "load") names.insert(term.name);
  });
  return names;
}

// Stages that nothing reads become outputs; inputs that nothing reads go.
ProgramSpec tidied(ProgramSpec spec) {
  const std::set<std::string> read = tensors_read(spec);
  for (StageSpec& stage : spec.stages) {
    if (!read.count(stage.name)) stage.output = true;
  }
  std::erase_if(spec.inputs, [&](const InputSpec& input) { return !read.count(input.name); });
  return spec;
}

class Candidates {
 public:
  explicit Candidates(const ProgramSpec& spec) : spec_(spec) {}

  std::vector<ProgramSpec> all() {
    instances();
    stages();
    states();
    assumptions();
    symbols();
    dims();
    terms();
    dtypes();
    return std::move(result_);
  }

 private:
  void add(ProgramSpec spec) {
    spec = tidied(std::move(spec));
    if (spec.stages.empty() || program_weight(spec) >= program_weight(spec_)) return;
    result_.push_back(std::move(spec));
  }

  void instances() {
    if (spec_.sizes.size() > 1) {
      for (const Sizes& sizes : spec_.sizes) {
        ProgramSpec smaller = spec_;
        smaller.sizes = {sizes};
        add(smaller);
      }
    }
    if (spec_.sizes.size() != 1) return;
    for (const auto& [name, value] : spec_.sizes[0]) {
      for (int64_t less : {int64_t{0}, int64_t{1}, value / 2, value - 1}) {
        if (less < 0 || less >= value) continue;
        ProgramSpec smaller = spec_;
        smaller.sizes[0][name] = less;
        add(smaller);
      }
    }
  }

  void stages() {
    const std::set<std::string> read = tensors_read(spec_);
    for (size_t s = spec_.stages.size(); s-- > 0;) {
      const StageSpec& stage = spec_.stages[s];
      ProgramSpec smaller = spec_;
      smaller.stages.erase(smaller.stages.begin() + static_cast<int64_t>(s));
      if (read.count(stage.name)) {
        if (num_outputs(stage) > 1) continue;
        const DType dtype =
            stage.accumulate.empty() ? stage.values[0].dtype : parse_dtype(stage.accumulate);
        smaller.inputs.push_back({stage.name, dtype, result_shape(stage)});
      }
      add(smaller);
    }
    for (size_t s = 0; s < spec_.stages.size(); ++s) {
      const StageSpec& stage = spec_.stages[s];
      if (!stage.where.empty()) {
        ProgramSpec smaller = spec_;
        smaller.stages[s].where.clear();
        add(smaller);
      }
      if (!stage.accumulate.empty()) {
        ProgramSpec smaller = spec_;
        smaller.stages[s].accumulate.clear();
        add(smaller);
      }
    }
  }

  // A recurrence with a state less; what read it reads 1.
  void states() {
    for (size_t s = 0; s < spec_.stages.size(); ++s) {
      const StageSpec& stage = spec_.stages[s];
      if (stage.steps.empty() || stage.values.size() < 2) continue;
      for (size_t v = 0; v < stage.values.size(); ++v) {
        ProgramSpec smaller = spec_;
        const auto gone = static_cast<int64_t>(v);
        StageSpec& changed = smaller.stages[s];
        changed.values.erase(changed.values.begin() + gone);
        changed.init.erase(changed.init.begin() + gone);
        const auto renumber = [&](Term& term) {
          if (term.value == gone) {
            term = const_term(term.dtype, 1);
          } else if (term.value > gone) {
            --term.value;
          }
        };
        for (Term& value : changed.values) {
          walk(value, [&](Term& term) {
            if (term.op == "state") renumber(term);
          });
        }
        walk(smaller, [&](Term& term) {
          if (term.op == "load" && term.name == stage.name) renumber(term);
        });
        add(smaller);
      }
    }
  }

  void assumptions() {
    for (size_t a = 0; a < spec_.assumptions.size(); ++a) {
      ProgramSpec smaller = spec_;
      smaller.assumptions.erase(smaller.assumptions.begin() + static_cast<int64_t>(a));
      add(smaller);
    }
  }

  void symbols() {
    if (spec_.sizes.size() != 1 || spec_.sizes[0].empty()) return;
    ProgramSpec smaller = spec_;
    for (Dim* dim : all_dims(smaller)) {
      if (dim->size.empty()) continue;
      dim->value += spec_.sizes[0].at(dim->size);
      dim->size.clear();
    }
    walk(smaller, [&](Term& term) {
      if (term.op == "size") term = const_term(kInt64, spec_.sizes[0].at(term.name));
    });
    smaller.sizes = {{}};
    smaller.assumptions.clear();
    add(smaller);
  }

  void dims() {
    std::set<int64_t> values;
    for (Dim* dim : all_dims(spec_)) {
      if (dim->size.empty()) values.insert(dim->value);
    }
    for (auto it = values.rbegin(); it != values.rend(); ++it) {
      for (int64_t less : {int64_t{1}, int64_t{2}, *it / 2, *it - 1}) {
        if (less < 1 || less >= *it) continue;
        // The extents of this value; and with them those of larger ones, which may be made of it.
        for (const bool larger_too : {false, true}) {
          ProgramSpec smaller = spec_;
          for (Dim* dim : all_dims(smaller)) {
            if (!dim->size.empty()) continue;
            if (dim->value == *it) dim->value = less;
            if (larger_too && dim->value > *it) dim->value -= *it - less;
          }
          add(smaller);
        }
      }
    }
    // One dimension of one tensor at a time.
    const size_t count = all_dims(spec_).size();
    for (size_t d = 0; d < count; ++d) {
      ProgramSpec smaller = spec_;
      Dim* dim = all_dims(smaller)[d];
      if (!dim->size.empty() || dim->value < 2) continue;
      dim->value = dim->value / 2;
      add(smaller);
    }
  }

  // Each expression replaced by one of its operands, or by 1.
  void terms() {
    size_t count = 0;
    walk(spec_, [&](Term&) { ++count; });
    for (size_t at = 0; at < count; ++at) {
      size_t operands = 0;
      {
        size_t number = 0;
        walk(spec_, [&](Term& term) {
          if (number++ == at) operands = term.args.size();
        });
      }
      for (size_t choice = 0; choice <= operands; ++choice) {
        ProgramSpec smaller = spec_;
        size_t number = 0;
        bool changed = false;
        walk(smaller, [&](Term& term) {
          if (number++ != at || changed) return;
          changed = true;
          if (choice == operands) {
            term = term.dtype == kInt64 && term.op != "const" && term.op != "load" &&
                           term.op != "state"
                       ? const_term(kInt64, 0)
                       : const_term(term.dtype, 1);
          } else if (term.args[choice].dtype == term.dtype && term.op != "load" &&
                     term.op != "state") {
            const Term operand = term.args[choice];
            term = operand;
          }
        });
        add(smaller);
      }
      ProgramSpec plain = spec_;
      size_t number = 0;
      walk(plain, [&](Term& term) {
        if (number++ == at && term.op == "load") term.rule.clear();
      });
      add(plain);
    }
  }

  void dtypes() {
    std::set<std::string> names;
    for (const InputSpec& input : spec_.inputs) names.insert(to_string(input.dtype));
    for (const std::string& name : names) {
      if (name == "float32") continue;
      const DType old = parse_dtype(name);
      ProgramSpec smaller = spec_;
      for (InputSpec& input : smaller.inputs) {
        if (input.dtype == old) input.dtype = kFloat32;
      }
      walk(smaller, [&](Term& term) {
        const bool index = term.op == "axis" || term.op == "size";
        if (term.dtype == old && !index) term.dtype = kFloat32;
      });
      add(smaller);
    }
  }

  ProgramSpec spec_;
  std::vector<ProgramSpec> result_;
};

}  // namespace

std::vector<ProgramSpec> smaller_programs(const ProgramSpec& spec) {
  return Candidates(spec).all();
}

}  // namespace tilewright::fuzz
