#include "schedule/trace_migrations.h"

#include <regex>

#include "schedule/decision_refs.h"
#include "schedule/primitive_table.h"
#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

/// \file
/// Versions of instructions. When the attributes of a primitive change their meaning or their form, or gain values
/// that an older build could not read:
///
/// 1. raise its version in the table of primitives;
/// 2. add a row here that turns the attributes of the version before into those of the new one, so that the program
///    stays structurally equal;
/// 3. leave tests/compat/v* alone, which must still replay, and freeze today's traces as the next v (see
///    tests/compat/README.md).
///
/// Rows of one primitive are applied one after another. A record of a log keeps its id, the text of its trace and the
/// hash of the program; only a replay or a printed trace sees the new form.

namespace tilewright::schedule {
namespace {

// "(m, k) -> (m // 6, k, m % 6)" with 6 behind "m //" and "m %" replaced, for dimension 0.
std::string with_named_divisor(const std::string& map, int64_t dimension, int64_t divisor,
                               const std::string& reference) {
  static const std::regex name("[A-Za-z0-9_]+");
  const std::string dims = map.substr(0, map.find("->"));
  std::sregex_iterator it(dims.begin(), dims.end(), name), end;
  for (int64_t d = 0; d < dimension && it != end; ++d) ++it;
  if (dimension < 0 || it == end) return map;
  const std::regex use(fmt::format("\\b({})(\\s*(?://|%)\\s*){}\\b", it->str(), divisor));
  // "$$" is one dollar in a replacement.
  return std::regex_replace(map, use, "$1$2$" + reference);
}

// Version 2 of layout maps may refer to decisions. In version 1 the numbers of a sampled tile stood in the map as
// literals, while the padding named the decision: where both are the same number, the map names it from now on, so
// that a search that changes the decision changes the layout with it.
void name_tiles_of_pack(Instruction& instruction, const Trace& trace) {
  const auto map = instruction.attrs.find("map"), pad = instruction.attrs.find("pad");
  if (map == instruction.attrs.end() || pad == instruction.attrs.end()) return;
  auto* text = std::get_if<std::string>(&map->second.data);
  const auto* pairs = std::get_if<Value::List>(&pad->second.data);
  if (!text || !pairs) return;
  for (const Value& item : *pairs) {
    const auto* pair = std::get_if<Value::List>(&item.data);
    if (!pair || pair->size() != 2) continue;
    const auto* dimension = std::get_if<int64_t>(&(*pair)[0].data);
    const auto* reference = std::get_if<std::string>(&(*pair)[1].data);
    if (!dimension || !reference || reference->empty() || reference->front() != '$') continue;
    const std::optional<DecisionRef> ref = whole_ref(*reference, trace.decisions);
    const Value* value = ref ? find_value(*ref, trace.decisions) : nullptr;
    const auto* number = value ? std::get_if<int64_t>(&value->data) : nullptr;
    if (number && can_stand_in_text(*ref)) {
      *text = with_named_divisor(*text, *dimension, *number, *reference);
    }
  }
}

// Since version 2 padding is proved at the call. Before, lowering alone proved it, and a tile could be padded before
// its operands were packed.
void prove_padding_late(Instruction& instruction, const Trace&) {
  const auto tail = instruction.attrs.find("tail");
  if (tail != instruction.attrs.end() && tail->second == Value("pad")) {
    instruction.attrs["proof"] = "lowering";
  }
}

void keep(Instruction&, const Trace&) {}

constexpr Migration kMigrations[] = {
    {"pack", 1, name_tiles_of_pack},
    {"split", 1, prove_padding_late},
    {"compute_at", 1, prove_padding_late},
    {"transform_layout", 1, keep},  // every map of version 1 means the same in version 2
};

const Migration* find_migration(std::string_view op, int from_version) {
  for (const Migration& row : kMigrations) {
    if (row.op == op && row.from_version == from_version) return &row;
  }
  return nullptr;
}

}  // namespace

Trace Trace::migrated() const {
  Trace result = *this;
  for (Instruction& instruction : result.instructions) {
    const Primitive* row = find_primitive(instruction.op);
    if (!row) {
      std::vector<std::string> names;
      for (const Primitive& primitive : primitive_table()) names.emplace_back(primitive.name);
      fail("trace.unknown_primitive", "the trace uses primitive '{}', unknown to this version{}",
           instruction.op, suggestion(names, instruction.op));
    }
    while (instruction.version < row->version) {
      const Migration* migration = find_migration(instruction.op, instruction.version);
      if (!migration) break;
      migration->run(instruction, *this);
      ++instruction.version;
    }
    if (instruction.version != row->version) {
      fail("trace.version",
           "the trace uses version {} of primitive '{}'; this build knows versions up to {}",
           instruction.version, instruction.op, row->version);
    }
  }
  return result;
}

}  // namespace tilewright::schedule
