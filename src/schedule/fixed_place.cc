#include "schedule/fixed_place.h"

#include <algorithm>
#include <set>
#include <string>

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr const char* kKey = "store_at";

std::set<std::string> fixed_names(const PrimFunc& func) {
  std::set<std::string> names;
  auto it = func->attrs.find(kKey);
  const auto* text = it == func->attrs.end() ? nullptr : std::get_if<std::string>(&it->second);
  for (size_t begin = 0; text && begin < text->size();) {
    const size_t end = std::min(text->find(' ', begin), text->size());
    names.insert(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

PrimFunc with_names(const PrimFunc& f, const std::set<std::string>& names) {
  Attrs attrs = f->attrs;
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  if (text.empty()) {
    attrs.erase(kKey);
  } else {
    attrs[kKey] = text;
  }
  return PrimFunc(new PrimFuncNode(f->name, f->params, f->assumptions, f->allocs, f->body, f->level,
                                   std::move(attrs)));
}

}  // namespace

bool has_fixed_place(const PrimFunc& func, const Buffer& buffer) {
  return !func->attrs.empty() && fixed_names(func).count(buffer->name) > 0;
}

PrimFunc with_fixed_place(const PrimFunc& func, const Buffer& buffer) {
  std::set<std::string> names = fixed_names(func);
  return names.insert(buffer->name).second ? with_names(func, names) : func;
}

PrimFunc without_stale_places(const PrimFunc& func) {
  if (func->attrs.empty()) return func;
  std::set<std::string> names = fixed_names(func), kept;
  for (const Buffer& buffer : func->allocs) {
    if (names.count(buffer->name)) kept.insert(buffer->name);
  }
  return kept.size() == names.size() ? func : with_names(func, kept);
}

}  // namespace tilewright::schedule
