#include "cli/commands.h"

int main(int argc, char** argv) { return tilewright::cli::run_command({argv + 1, argv + argc}); }
