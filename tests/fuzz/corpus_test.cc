// Failures that the fuzzer has found: each was a wrong result once, and is right or refused now. To add one, copy the
// file that `tilewright fuzz` or `tilewright reduce` wrote into corpus/.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tilewright/fuzz/fuzz.h"

namespace tilewright::testing {

TEST_CASE("what the fuzzer has found stays mended", "[fuzz]") {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TW_TEST_DATA_DIR) + "/corpus")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    ++files;
    INFO(entry.path().filename().string());
    try {
      const fuzz::Verdict verdict = fuzz::rerun(fuzz::Failure::from_json(text.str()));
      INFO(verdict.message);
      CHECK_FALSE(verdict.faulty());
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == "fuzz.stale");  // a step is refused now
    }
  }
  CHECK(files >= 30);
}

}  // namespace tilewright::testing
