#include <cstdio>
#include <cstdlib>

#include "tuner/measure/builder.h"

// Started by the tuner with a socket as standard input and its own process number as the argument.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("tilewright-builder: started by `tune`; not to be called by hand\n", stderr);
    return 2;
  }
  tilewright::tuner::become_worker(std::atoi(argv[1]));
  tilewright::tuner::serve_builder(0);
  return 0;
}
