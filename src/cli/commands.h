#pragma once

#include <string>
#include <vector>

namespace tilewright::cli {

/// The `tilewright` command without the program's name. Returns the exit code: 0 done, 1 failed, 2 bad use.
int run_command(const std::vector<std::string>& arguments);

// One sub-command each; they return the exit code or throw EarlyEnd or Error.
int run_compile(const std::vector<std::string>& arguments);
int run_bench(const std::vector<std::string>& arguments);
int run_show(const std::vector<std::string>& arguments);
int run_fuzz(const std::vector<std::string>& arguments);
int run_reduce(const std::vector<std::string>& arguments);
int run_probe(const std::vector<std::string>& arguments);
int run_log(const std::vector<std::string>& arguments);
int run_explain(const std::vector<std::string>& arguments);

void write_out(const std::string& text);
void write_note(const std::string& kind, const std::string& text);

}  // namespace tilewright::cli
