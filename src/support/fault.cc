#include "tilewright/support/fault.h"

#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright {

namespace detail {
std::atomic<Fault> injected_fault{Fault::none};
}  // namespace detail

const std::vector<FaultInfo>& known_faults() {
  static const std::vector<FaultInfo> faults = {
#define TILEWRIGHT_FAULT_ROW(name, what) {Fault::name, #name, what},
      TILEWRIGHT_FAULTS(TILEWRIGHT_FAULT_ROW)
#undef TILEWRIGHT_FAULT_ROW
  };
  return faults;
}

void inject_fault(std::string_view name) {
  Fault found = Fault::none;
  std::vector<std::string> names;
  for (const FaultInfo& info : known_faults()) {
    names.emplace_back(info.name);
    if (info.name == name) found = info.fault;
  }
  if (found == Fault::none && !name.empty()) {
    fail("fault.unknown", "there is no built-in fault '{}'{}", name, suggestion(names, name));
  }
  detail::injected_fault.store(found, std::memory_order_relaxed);
}

}  // namespace tilewright
