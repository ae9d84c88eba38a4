#include "tilewright/support/suggest.h"

#include <catch2/catch.hpp>

using tilewright::edit_distance;
using tilewright::nearest_name;
using tilewright::suggestion;

TEST_CASE("edit distance") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("abcd", "acbd") == 1);  // swap of neighbours
  CHECK(edit_distance("MatMul", "matmul") == 0);
  CHECK(edit_distance("split", "splt") == edit_distance("splt", "split"));
}

TEST_CASE("the nearest name") {
  const std::vector<std::string> names = {"split", "fuse", "reorder", "vectorize", "parallel"};
  CHECK(nearest_name(names, "vectorise") == "vectorize");
  CHECK(nearest_name(names, "spilt") == "split");
  CHECK(nearest_name(names, "par") == "parallel");
  CHECK(nearest_name(names, "xyzzy") == "");
  CHECK(nearest_name(names, "") == "");
  CHECK(nearest_name({}, "split") == "");
  CHECK(suggestion(names, "fuze") == "; did you mean 'fuse'?");
  CHECK(suggestion(names, "zzzzzz") == "; known: split, fuse, reorder, vectorize, parallel");
  CHECK(suggestion({}, "x") == "");
}
