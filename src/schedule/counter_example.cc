#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "schedule/enumerate.h"
#include "schedule/layout_map.h"
#include "schedule/rewrite.h"
#include "schedule/tree.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/schedule/error.h"

/// \file
/// Concrete iterations that would go wrong, found among the statement instances of the refused program.

namespace tilewright::schedule {

using namespace ir;

namespace {

Enumeration list_some(const PrimFunc& func) {
  // Shorter and shorter loops until the list is not cut off.
  Enumeration result;
  for (const int64_t longest : {8, 5, 3}) {
    EnumerateOptions options;
    options.longest_loop = longest;
    options.most_instances = 20000;
    result = enumerate(func, options);
    if (result.instances.size() < options.most_instances) break;
  }
  return result;
}

// "with n=5, " where sizes are symbolic, so that the example can be checked.
std::string with_sizes(const Enumeration& e) {
  std::string text;
  for (const auto& [var, value] : e.sizes) {
    text += (text.empty() ? "with " : ", ") + var.name() + "=" + std::to_string(value);
  }
  return text.empty() ? "" : text + ": ";
}

// Where the loops around the loop stand, unless all are at their first iteration.
std::string standing_at(const Enumeration& e, const StatementInstance& instance, int64_t loop) {
  const auto& loops = e.loops_around.at(instance.realize->block->id);
  std::vector<int64_t> outer;
  bool first = true;
  for (size_t i = 0; i < loops.size() && loops[i]->id != loop; ++i) {
    outer.push_back(loops[i]->id);
    first &= instance.coords[i] == 0;
  }
  return first ? "" : "at " + coordinates(e, instance, outer) + ", ";
}

std::string conflict_text(const Enumeration& e, const Dependence& conflict, int64_t loop) {
  const StatementInstance &from = e.instances[conflict.from], &to = e.instances[conflict.to];
  const std::string a = standing_at(e, from, loop) + coordinates(e, from, {loop}),
                    b = coordinates(e, to, {loop}), element = e.name_of(conflict.element);
  switch (conflict.kind) {
    case DependenceKind::kFlow: return a + " writes " + element + ", which " + b + " reads";
    case DependenceKind::kAnti: return a + " reads " + element + ", which " + b + " writes";
    case DependenceKind::kOutput: break;
  }
  return a + " and " + b + " both " + (from.updates && to.updates ? "update " : "write ") + element;
}

int64_t input(const ScheduleError& error, size_t i) {
  return i < error.inputs.size() ? error.inputs[i] : -1;
}

bool is_below(const Enumeration& e, const StatementInstance& instance, int64_t loop) {
  return !coordinates(e, instance, {loop}).empty();
}

// Two iterations of a loop that touch one element.
std::string conflicting_iterations(const ScheduleError& error) {
  const PrimFunc& func = error.after ? error.after : error.func;
  const int64_t loop = Tree(func).loop(error.at) ? error.at : input(error, 0);
  const Enumeration e = list_some(func);
  const auto conflict = loop_conflict(e, loop);
  return conflict ? with_sizes(e) + conflict_text(e, *conflict, loop) : "";
}

// Two runs of one term of a reduction, in different iterations of the loop at fault.
std::string repeated_term(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  std::map<std::pair<int64_t, std::vector<int64_t>>, const StatementInstance*> seen;
  for (const StatementInstance& instance : e.instances) {
    if (!instance.updates || instance.writes.empty()) continue;
    const std::string here = coordinates(e, instance, {error.at});
    if (here.empty()) continue;
    const auto [it, fresh] = seen.try_emplace({instance.block, instance.point}, &instance);
    if (fresh || coordinates(e, *it->second, {error.at}) == here) continue;
    return with_sizes(e) + coordinates(e, *it->second, {error.at}) + " and " + here +
           " both run one term of " + e.name_of(instance.writes[0]);
  }
  return "";
}

// Two iterations of the loops around the one at fault that run one point of a block.
std::string met_again(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  std::map<std::pair<int64_t, std::vector<int64_t>>, std::string> seen;
  for (const StatementInstance& instance : e.instances) {
    if (instance.is_init || instance.writes.empty() || !is_below(e, instance, error.at)) continue;
    std::vector<int64_t> outer;
    for (const ForNode* loop : e.loops_around.at(instance.realize->block->id)) {
      if (loop->id == error.at) break;
      outer.push_back(loop->id);
    }
    if (outer.empty()) continue;
    const std::string here = coordinates(e, instance, outer);
    const auto [it, fresh] = seen.try_emplace({instance.block, instance.point}, here);
    if (fresh || it->second == here) continue;
    return with_sizes(e) + it->second + " and " + here + " both make " +
           e.name_of(instance.writes[0]);
  }
  return "";
}

// Instances in the order of the loops as asked for, entry by entry of the outermost of them.
std::string turned_round(const ScheduleError& error) {
  if (error.after) return conflicting_iterations(error);
  if (error.inputs.empty()) return "";
  const Enumeration e = list_some(error.func);
  std::vector<int64_t> position(e.instances.size());
  std::vector<std::pair<std::vector<int64_t>, size_t>> entry;
  std::vector<int64_t> entry_key;
  const auto flush = [&] {
    std::vector<size_t> places;
    for (const auto& [key, i] : entry) places.push_back(i);
    std::stable_sort(entry.begin(), entry.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t k = 0; k < entry.size(); ++k) {
      position[entry[k].second] = static_cast<int64_t>(places[k]);
    }
    entry.clear();
  };
  for (size_t i = 0; i < e.instances.size(); ++i) {
    position[i] = static_cast<int64_t>(i);
    const auto& loops = e.loops_around.at(e.instances[i].realize->block->id);
    std::vector<size_t> depths;  // of the listed loops, in the order asked for
    for (const int64_t id : error.inputs) {
      for (size_t d = 0; d < loops.size(); ++d) {
        if (loops[d]->id == id) depths.push_back(d);
      }
    }
    if (depths.size() != error.inputs.size()) {
      flush();
      continue;
    }
    std::vector<size_t> sorted = depths;
    std::sort(sorted.begin(), sorted.end());
    const auto& coords = e.instances[i].coords;
    std::vector<int64_t> outer(coords.begin(), coords.begin() + static_cast<int64_t>(sorted[0]));
    if (outer != entry_key) flush();
    entry_key = std::move(outer);
    std::vector<int64_t> key(coords.begin() + static_cast<int64_t>(sorted[0]),
                             coords.begin() + static_cast<int64_t>(sorted.back()) + 1);
    for (size_t k = 0; k < depths.size(); ++k) key[sorted[k] - sorted[0]] = coords[depths[k]];
    entry.emplace_back(std::move(key), i);
  }
  flush();
  const auto broken = violated_dependence(e, position);
  if (!broken) return "";
  const StatementInstance &from = e.instances[broken->from], &to = e.instances[broken->to];
  return with_sizes(e) + coordinates(e, to, error.inputs) + " would run before " +
         coordinates(e, from, error.inputs) + ", and both touch " + e.name_of(broken->element);
}

// An element that a block outside the loop reads.
std::string read_outside(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  std::set<int> made;
  for (const StatementInstance& instance : e.instances) {
    if (instance.block != input(error, 0)) continue;
    for (const Element& element : instance.writes) made.insert(element.buffer);
  }
  for (const StatementInstance& instance : e.instances) {
    if (instance.block != error.at || is_below(e, instance, input(error, 1))) continue;
    for (const Element& element : instance.reads) {
      if (!made.count(element.buffer)) continue;
      const std::string at = coordinates(e, instance);
      return with_sizes(e) + instance.realize->block->name + (at.empty() ? "" : " at " + at) +
             " reads " + e.name_of(element);
    }
  }
  return "";
}

// A point of the consumer that needs what two iterations of the loop make, or none.
std::string made_elsewhere(const ScheduleError& error) {
  const int64_t consumer = input(error, 0), loop = input(error, 1);
  const Enumeration e = list_some(error.func);
  std::map<Element, std::string> made_at;
  for (const StatementInstance& instance : e.instances) {
    if (instance.block == consumer || instance.is_init) continue;
    const std::string at = coordinates(e, instance, {loop});
    if (at.empty()) continue;
    for (const Element& element : instance.writes) made_at[element] = at;
  }
  std::map<Element, std::pair<Element, std::string>> first;  // by what the consumer writes
  for (const StatementInstance& instance : e.instances) {
    if (instance.block != consumer || instance.writes.empty()) continue;
    const Element& result = instance.writes[0];
    for (const Element& element : instance.reads) {
      const auto made = made_at.find(element);
      if (made == made_at.end()) continue;
      const auto [it, fresh] = first.try_emplace(result, element, made->second);
      if (fresh || it->second.second == made->second) continue;
      return with_sizes(e) + e.name_of(result) + " needs " + e.name_of(it->second.first) +
             ", made at " + it->second.second + ", and " + e.name_of(element) + ", made at " +
             made->second;
    }
  }
  return "";
}

// A point of the consumer that reads nothing the loop makes.
std::string made_nowhere(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  std::set<Element> made;
  for (const StatementInstance& instance : e.instances) {
    if (!is_below(e, instance, input(error, 1)) || instance.block == input(error, 0)) continue;
    made.insert(instance.writes.begin(), instance.writes.end());
  }
  for (const StatementInstance& instance : e.instances) {
    if (instance.block != input(error, 0) || instance.writes.empty()) continue;
    const bool any = std::any_of(instance.reads.begin(), instance.reads.end(),
                                 [&](const Element& element) { return made.count(element) > 0; });
    if (any) continue;
    return with_sizes(e) + e.name_of(instance.writes[0]) + " reads nothing that is made inside";
  }
  return "";
}

// Terms of one accumulator in two entries of the loop before which the init would run.
std::string reset_between(const ScheduleError& error) {
  const int64_t block = input(error, 0), loop = input(error, 1);
  const Enumeration e = list_some(error.func);
  std::map<Element, const StatementInstance*> last;
  for (const StatementInstance& instance : e.instances) {
    if (instance.block != block || instance.is_init || instance.writes.empty()) continue;
    const auto& loops = e.loops_around.at(instance.realize->block->id);
    std::vector<int64_t> outer;
    for (size_t i = 0; i < loops.size() && loops[i]->id != loop; ++i) outer.push_back(loops[i]->id);
    if (outer.size() == loops.size()) return "";
    const StatementInstance*& before = last[instance.writes[0]];
    if (before) {
      std::vector<int64_t> moved;
      for (size_t i = 0; i < outer.size(); ++i) {
        if (before->coords[i] != instance.coords[i]) moved.push_back(outer[i]);
      }
      if (!moved.empty()) {
        return with_sizes(e) + coordinates(e, instance, moved) + " would reset what " +
               coordinates(e, *before, moved) + " has added to " + e.name_of(instance.writes[0]);
      }
    }
    before = &instance;
  }
  return "";
}

std::string never_runs(const ScheduleError& error) {
  const auto* factors = std::get_if<Value::List>(&error.attrs.at("factors").data);
  const Tree tree(error.func);
  const ForNode* loop = tree.loop(input(error, 0));
  if (!factors || !loop) return "";
  int64_t product = 1;
  for (const Value& factor : *factors) product *= std::get<int64_t>(factor.data);
  const bool constant = as_const_int(loop->extent) != nullptr;
  return (constant ? "" : "with an extent of " + std::to_string(product + 1) + ": ") +
         loop->var.name() + "=" + std::to_string(product) + " would never run";
}

std::string runs_twice(const ScheduleError& error) {
  const auto* factors = std::get_if<Value::List>(&error.attrs.at("factors").data);
  const Tree tree(error.func);
  const ForNode* loop = tree.loop(input(error, 0));
  const int64_t* extent = loop ? as_const_int(loop->extent) : nullptr;
  if (!factors || !extent) return "";
  int64_t tile = 1;
  for (size_t i = 1; i < factors->size(); ++i) {
    const auto* factor = std::get_if<int64_t>(&(*factors)[i].data);
    if (!factor) return "";
    tile *= *factor;
  }
  if (*extent < tile || *extent % tile == 0) return "";
  return "the last two tiles would both run " + loop->var.name() + "=" +
         std::to_string(*extent - tile);
}

// Two points of the consumer at one element, or one at two.
std::string not_one_to_one(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  std::set<int> made;
  for (const StatementInstance& instance : e.instances) {
    if (instance.block == input(error, 0)) continue;
    for (const Element& element : instance.writes) made.insert(element.buffer);
  }
  std::map<Element, const StatementInstance*> readers;
  for (const StatementInstance& instance : e.instances) {
    if (instance.block != input(error, 0) || instance.writes.empty()) continue;
    const Element* mine = nullptr;
    for (const Element& element : instance.reads) {
      if (!made.count(element.buffer)) continue;
      const std::string result = e.name_of(instance.writes[0]);
      if (mine) {
        return with_sizes(e) + result + " reads " + e.name_of(*mine) + " and " + e.name_of(element);
      }
      mine = &element;
      const auto [it, fresh] = readers.try_emplace(element, &instance);
      if (fresh) continue;
      return with_sizes(e) + e.name_of(it->second->writes[0]) + " and " + result + " both read " +
             e.name_of(element);
    }
  }
  return "";
}

// The first surplus iteration of a padded tile that touches what is not there, or adds a term.
std::string surplus_iteration(const ScheduleError& error) {
  if (!error.after) return "";
  const Stmt body = with_whole_padded_tiles(error.after);
  const Enumeration all = list_some(ir::with_body(error.after, body)),
                    exact = list_some(error.after);
  std::set<std::pair<int64_t, std::vector<int64_t>>> wanted;
  for (const StatementInstance& i : exact.instances) wanted.insert({i.block, i.coords});
  std::string term;
  for (const StatementInstance& i : all.instances) {
    if (i.is_init || wanted.count({i.block, i.coords})) continue;
    const std::string at = with_sizes(all) + coordinates(all, i) + " would ";
    for (const auto& [list, verb] :
         {std::pair(&i.reads, "read "), std::pair(&i.writes, "write ")}) {
      for (const Element& element : *list) {
        const BufferInstance& buffer = all.buffers[static_cast<size_t>(element.buffer)];
        // What is allocated here gets room.
        if (element.offset < 0 &&
            (verb == std::string("read ") || is_param(error.after, buffer.buffer))) {
          return at + verb + all.name_of(element);
        }
      }
    }
    if (term.empty() && i.updates && !i.writes.empty() && i.writes[0].offset >= 0) {
      term = at + "add a term to " + all.name_of(i.writes[0]);
    }
  }
  return term;
}

// Three values that a reducer combines to different results from the left and from the right, or in another order.
std::string falsified_reducer(const ScheduleError& error) {
  const Tree tree(error.func);
  for (const BlockRealizeNode* realize : tree.blocks_under(input(error, 0))) {
    const Reducer& reducer = realize->block->reducer;
    if (!reducer || reducer->arity() != 1 || !reducer->lhs[0].dtype().is_int()) continue;
    const auto combine = [&](int64_t a, int64_t b) {
      return evaluate_int(reducer->results[0], {{reducer->lhs[0], a}, {reducer->rhs[0], b}});
    };
    for (int64_t code = 0; code < 27; ++code) {
      const int64_t a = code / 9, b = code / 3 % 3, c = code % 3;
      const int64_t left = combine(combine(a, b), c), right = combine(a, combine(b, c));
      if (left == right) continue;
      return fmt::format("{}, {}, {} give {} from the left and {} from the right", a, b, c, left,
                         right);
    }
    for (int64_t code = 0; code < 9; ++code) {
      const int64_t a = code / 3, b = code % 3;
      if (combine(a, b) == combine(b, a)) continue;
      return fmt::format("{} and {} give {}, {} and {} give {}", a, b, combine(a, b), b, a,
                         combine(b, a));
    }
  }
  return "";
}

// "C at i=0": an instance by the loop's iteration.
std::string at_iteration(const Enumeration& e, const StatementInstance& instance, int64_t loop) {
  return instance.realize->block->name + " at " + coordinates(e, instance, {loop});
}

bool holds(const std::vector<Element>& elements, const Element& element) {
  return std::binary_search(elements.begin(), elements.end(), element);
}

// What an iteration of the loop at fault touches before a loop in front of it is done with it, were they one loop.
std::string not_in_step(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  const std::vector<int64_t>& given = error.inputs;
  const auto beside = [&](const StatementInstance& instance, size_t depth) -> int64_t {
    const auto& loops = e.loops_around.at(instance.realize->block->id);
    if (depth >= loops.size() || loops[depth]->id == error.at) return -1;
    const int64_t id = loops[depth]->id;
    const bool asked = std::find(given.begin(), given.end(), id) != given.end();
    return asked || error.primitive != "merge" ? id : -1;
  };
  for (size_t later = 0; later < e.instances.size(); ++later) {
    const StatementInstance& second = e.instances[later];
    const auto& loops = e.loops_around.at(second.realize->block->id);
    size_t depth = 0;
    while (depth < loops.size() && loops[depth]->id != error.at) ++depth;
    if (depth == loops.size()) continue;
    for (size_t before = 0; before < later; ++before) {
      const StatementInstance& first = e.instances[before];
      const int64_t loop = beside(first, depth);
      if (loop < 0 || first.coords[depth] <= second.coords[depth]) continue;
      if (!std::equal(second.coords.begin(), second.coords.begin() + static_cast<int64_t>(depth),
                      first.coords.begin())) {
        continue;
      }
      const std::string here = at_iteration(e, second, error.at),
                        there = at_iteration(e, first, loop);
      for (const Element& element : first.writes) {
        const bool reads = holds(second.reads, element);
        if (!reads && !holds(second.writes, element)) continue;
        return with_sizes(e) + here + (reads ? " reads " : " writes ") + e.name_of(element) +
               ", which " + there + " writes";
      }
      for (const Element& element : first.reads) {
        if (!holds(second.writes, element)) continue;
        return with_sizes(e) + here + " writes " + e.name_of(element) + ", which " + there +
               " reads";
      }
    }
  }
  return "";
}

Buffer mapped_buffer(const ScheduleError& error) {
  const Tree tree(error.func);
  const BlockRealizeNode* realize = tree.block(input(error, 0));
  if (!realize) return {};
  const auto name = error.attrs.find("buffer");
  if (name != error.attrs.end()) {
    for (const Region& region : realize->block->reads) {
      if (region.buffer->name == std::get<std::string>(name->second.data)) return region.buffer;
    }
    return {};
  }
  const auto index = error.attrs.find("write_index");
  const int64_t at = index == error.attrs.end() ? 0 : std::get<int64_t>(index->second.data);
  const auto& writes = realize->block->writes;
  return at >= 0 && at < static_cast<int64_t>(writes.size())
             ? writes[static_cast<size_t>(at)].buffer
             : Buffer();
}

// Two elements that the map sends to one place.
std::string mapped_together(const ScheduleError& error) {
  const Buffer buffer = mapped_buffer(error);
  const auto text = error.attrs.find("map");
  const auto sizes = small_sizes(error.func);
  if (!buffer || !sizes || text == error.attrs.end()) return "";
  const auto layout =
      parse_layout_map(std::get<std::string>(text->second.data), buffer->shape.size());
  if (!layout) return "";
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (const Expr& extent : buffer->shape) {
    shape.push_back(evaluate_int(extent, *sizes));
    if (__builtin_mul_overflow(count, shape.back(), &count)) return "";
  }
  std::map<std::vector<int64_t>, std::vector<int64_t>> seen;
  for (int64_t flat = 0; flat < std::min<int64_t>(count, 20000); ++flat) {
    std::vector<int64_t> index(shape.size());
    std::vector<std::pair<Var, int64_t>> values;
    int64_t rest = flat;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    for (size_t d = 0; d < shape.size(); ++d) values.emplace_back((*layout)->vars[d], index[d]);
    std::vector<int64_t> place;
    for (const Expr& physical : (*layout)->physical) {
      place.push_back(evaluate_int(physical, values));
    }
    const auto [it, fresh] = seen.try_emplace(place, index);
    if (fresh) continue;
    return fmt::format("{0}[{1}] and {0}[{2}] would both lie at [{3}]", buffer->name,
                       fmt::join(it->second, ", "), fmt::join(index, ", "), fmt::join(place, ", "));
  }
  return "";
}

// The elements that two neighbouring iterations of the loop read of what is made inside it.
std::string nothing_in_common(const ScheduleError& error) {
  const Enumeration e = list_some(error.func);
  const Tree tree(error.func);
  const BlockRealizeNode* writer = tree.block(input(error, 0));
  if (!writer) return "";
  std::map<std::string, std::set<std::string>> read;
  std::vector<std::string> order;
  for (const StatementInstance& instance : e.instances) {
    const std::string at = coordinates(e, instance, {error.at});
    if (at.empty() || instance.block == input(error, 0)) continue;
    for (const Element& element : instance.reads) {
      const BufferInstance& buffer = e.buffers[static_cast<size_t>(element.buffer)];
      if (buffer.buffer->name != writer->block->writes[0].buffer->name) continue;
      if (read[at].empty()) order.push_back(at);
      read[at].insert(e.name_of(element));
    }
    if (order.size() > 2) break;
  }
  if (order.size() < 2) return "";
  for (const std::string& name : read[order[0]]) {
    if (read[order[1]].count(name)) return "";
  }
  return fmt::format("{}{} reads {} and {} reads {}", with_sizes(e), order[0],
                     fmt::join(read[order[0]], ", "), order[1], fmt::join(read[order[1]], ", "));
}

struct Row {
  const char* code;  // without "schedule."; "*.x": of any primitive without a row of its own
  std::string (*find)(const ScheduleError&);
};

const Row kRows[] = {
    {"reorder.reduction_order", turned_round},
    {"reorder.ordered_loop", turned_round},
    {"reorder.dependence", turned_round},
    {"compute_at.consumer_outside", read_outside},
    {"reverse_compute_at.incomplete", conflicting_iterations},
    {"reverse_compute_at.reduction", made_elsewhere},
    {"reverse_compute_at.scattered", made_elsewhere},
    {"reverse_compute_at.read_index", made_elsewhere},
    {"reverse_compute_at.conflicting_ranges", made_elsewhere},
    {"reverse_compute_at.uncovered", made_nowhere},
    {"reverse_compute_inline.read_index", not_one_to_one},
    {"decompose_reduction.too_deep", reset_between},
    {"split.too_few_iterations", never_runs},
    {"split.shift_inwards", runs_twice},
    {"rfactor.reducer", falsified_reducer},
    {"merge.dependence", not_in_step},
    {"compute_with.dependence", not_in_step},
    {"transform_layout.map", mapped_together},
    {"pack.map", mapped_together},
    {"rolling_buffer.no_overlap", nothing_in_common},
    {"*.scattered", met_again},
    {"*.repeated_terms", repeated_term},
    {"*.pad_tail", surplus_iteration},
    {"*.reduce_loop", conflicting_iterations},
    {"*.overlapping_writes", conflicting_iterations},
    {"*.dependence", conflicting_iterations},
    {"*.ordered_loop", conflicting_iterations},
};

}  // namespace

std::string counter_example(const ScheduleError& error) {
  if (!error.counter_example.empty() || !error.func) return error.counter_example;
  const std::string rest = error.code.substr(error.code.find('.') + 1);
  const std::string reason = rest.substr(rest.find('.') + 1);
  for (const std::string& code : {rest, "*." + reason}) {
    for (const Row& row : kRows) {
      if (code != row.code) continue;
      try {
        return row.find(error);
      } catch (const Error&) {
        return "";  // no small instance: sizes that the assumptions exclude, an init without a place
      }
    }
  }
  return "";
}

}  // namespace tilewright::schedule
