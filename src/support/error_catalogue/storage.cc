#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "schedule.cache_read.shared_loops",
     .title = "the buffer is made inside of the reader's own loops",
     .meaning = "The copy is filled in a nest of its own before the reader's loops, but the buffer "
                "gets its values "
                "only inside of them.",
     .remedy = "cache_read before compute_at brings the producer into the reader's loops."},
    {.code = "schedule.cache_write.shared_loops",
     .title = "the buffer lives inside of a loop that others share",
     .meaning = "The copy out is a nest of its own after the block's loops, where the buffer does "
                "not exist any more.",
     .remedy = "cache_write before compute_at or reverse_compute_at; set_scope alone says where a "
               "buffer is stored."},
    {.code = "schedule.pack.shared_loops",
     .title = "the buffer is made inside of the reader's own loops",
     .meaning = "The packed copy is filled in a nest of its own before the reader's loops, but the "
                "buffer gets its "
                "values only inside of them.",
     .remedy = "pack before compute_at; transform_layout changes the layout of an intermediate "
               "buffer in place."},
    {.code = "schedule.pack.map",
     .title = "the layout map cannot be read, or may send two elements to one place",
     .meaning = "A map such as \"(m, k) -> (m // 6, k, m % 6)\" names the dimensions and gives the "
                "place of an "
                "element as sums, products, quotients and remainders by constants. Different "
                "elements must go to "
                "different places.",
     .remedy = "Build it from quotient and remainder of each dimension by one constant.",
     .example = R"py(sch[C].pack(A, "(m, k) -> (m // 6, k)")              # schedule.pack.map
sch[C].pack(A, "(m, k) -> (m // 6, k, m % 6)"))py"},
    {.code = "schedule.pack.pad",
     .title = "the padding names no dimension, or rounds up to no multiple",
     .meaning = "pad={dimension: multiple} rounds the extent of a dimension up to a multiple of at "
                "least 1; the extra "
                "elements hold zero.",
     .remedy = "Use a dimension from 0 to the rank minus 1 and a multiple of at least 1."},
    {.code = "schedule.transform_layout.map",
     .title = "the layout map cannot be read, or may send two elements to one place",
     .meaning = "A map such as \"(n, c) -> (n, c // 8, c % 8)\" names the dimensions and gives the "
                "place of an "
                "element as sums, products, quotients and remainders by constants. Different "
                "elements must go to "
                "different places.",
     .remedy = "Build it from quotient and remainder of each dimension by one constant.",
     .example =
         R"py(sch[B].transform_layout("(i, j) -> (i // 2, j)")            # schedule.transform_layout.map
sch[B].transform_layout("(i, j) -> (i // 2, j, i % 2)"))py"},
};

}  // namespace

std::span<const Row> storage_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
