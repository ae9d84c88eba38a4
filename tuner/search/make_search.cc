#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"
#include "tilewright/tuner/search/search.h"

namespace tilewright::tuner {

const std::vector<std::string>& search_names() {
  static const std::vector<std::string> names = {"evolutionary", "random", "grid"};
  return names;
}

std::unique_ptr<Search> make_search(const std::string& name, Space space, const std::string& model,
                                    const EvolutionOptions& options) {
  if (name == "evolutionary") {
    return make_evolutionary_search(std::move(space), make_cost_model(model, options.seed),
                                    options);
  }
  if (name == "random") return make_random_search(std::move(space), options.seed);
  if (name == "grid") return make_grid_search(std::move(space));
  fail("search.unknown", "there is no search '{}'{}", name, suggestion(search_names(), name));
}

}  // namespace tilewright::tuner
