#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "paired.h"
#include "tilewright/runtime/function.h"
#include "tilewright/runtime/ndarray.h"
#include "tilewright/target/target.h"

namespace tilewright::bench {

inline runtime::NDArray small_integers(std::vector<int64_t> shape, int salt) {
  runtime::NDArray array = runtime::NDArray::empty(std::move(shape), kFloat32);
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    array.data_as<float>()[i] = static_cast<float>((i * 7 + salt) % 11 - 5);
  }
  return array;
}

/// Times `ours` against `theirs` on one thread and the same inputs. Both must give the same numbers, up to `tolerance`
/// (absolute for small ones, relative for large ones): the row counts those that differ.
inline nlohmann::ordered_json compare_kernels(const std::string& name, runtime::Function ours,
                                              runtime::Function theirs,
                                              const std::vector<runtime::NDArray>& inputs,
                                              const std::vector<int64_t>& shape, double secs,
                                              float tolerance = 0) {
  using runtime::NDArray;
  const NDArray a = NDArray::zeros(shape, kFloat32), b = NDArray::zeros(shape, kFloat32);
  std::vector<runtime::Arg> our_args(inputs.begin(), inputs.end()), their_args = our_args;
  our_args.emplace_back(a);
  their_args.emplace_back(b);
  runtime::CallOptions one_thread;
  one_thread.num_threads = 1;
  runtime::PreparedCall our_call(ours, our_args, one_thread);
  runtime::PreparedCall their_call(theirs, their_args, one_thread);
  const Paired paired = run_paired([&] { our_call.run(); }, [&] { their_call.run(); }, 21, secs);
  int64_t wrong = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const float x = a.data_as<float>()[i], y = b.data_as<float>()[i];
    wrong += !(std::abs(x - y) <= tolerance * std::max(1.0F, std::abs(y)));
  }
  return {{"name", name},
          {"pairs", paired.ratios.size()},
          {"ratio", median(paired.ratios)},
          {"ratio_quartiles", {quantile(paired.ratios, 0.25), quantile(paired.ratios, 0.75)}},
          // Where other work disturbs most calls, the least disturbed ones still compare.
          {"ratio_of_bests", quantile(paired.theirs_secs, 0) / quantile(paired.ours_secs, 0)},
          {"ms", median(paired.ours_secs) * 1e3},
          {"other_ms", median(paired.theirs_secs) * 1e3},
          {"wrong_elements", wrong}};
}

/// Prints the rows as a table; gives 1 when one of them has wrong elements.
inline int print_rows(const nlohmann::ordered_json& rows, bool quiet) {
  int status = 0;
  for (const auto& row : rows) {
    const bool wrong = row["wrong_elements"] != 0;
    status |= wrong;
    if (quiet) continue;
    std::printf("%-36s ratio %7.3f (%.3f .. %.3f), of bests %7.3f  %8.4f ms against %8.4f ms%s\n",
                row["name"].get<std::string>().c_str(), row["ratio"].get<double>(),
                row["ratio_quartiles"][0].get<double>(), row["ratio_quartiles"][1].get<double>(),
                row["ratio_of_bests"].get<double>(), row["ms"].get<double>(),
                row["other_ms"].get<double>(), wrong ? "  WRONG RESULT" : "");
  }
  return status;
}

/// Prints the rows, as a table or as the one line of JSON that `compare.py` reads; gives the exit code.
inline int report_rows(const char* bench, int64_t trials, uint64_t seed,
                       const nlohmann::ordered_json& rows, bool json) {
  const int status = print_rows(rows, json);
  if (json) {
    const nlohmann::ordered_json report = {{"bench", bench},
                                           {"trials", trials},
                                           {"seed", seed},
                                           {"target", Target::host().to_string()},
                                           {"rows", rows}};
    std::printf("%s\n", report.dump().c_str());
  }
  return status;
}

}  // namespace tilewright::bench
