#include "tilewright/tuner/api/space_choice.h"

#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright::tuner {

SpaceChoice space_choice(const std::string& name, bool has_made) {
  if (name.empty()) return {has_made, !has_made};
  if (name == "template") return {true, false};
  if (name == "generated") return {false, true};
  if (name == "both") return {true, true};
  fail("tune.space", "unknown space '{}'{}", name,
       suggestion({"template", "generated", "both"}, name));
}

}  // namespace tilewright::tuner
