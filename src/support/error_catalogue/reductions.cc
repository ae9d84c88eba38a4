#include "support/error_catalogue/rows.h"

namespace tilewright::error_catalogue {

namespace {

constexpr Row kRows[] = {
    {.code = "te.no_axes",
     .title = "a reduction has no axes",
     .meaning =
         "A reduction folds the values along one or more reduce axes; the list given is empty.",
     .remedy = "Give te.reduce_axis axes, or use the expression itself, which is what reducing "
               "over nothing means."},
    {.code = "te.duplicate_axis",
     .title = "a reduce axis is listed twice",
     .meaning = "Each axis of a reduction is one loop; the same axis cannot run inside of itself.",
     .remedy = "List each axis once; make a second te.reduce_axis for a second loop over the same "
               "range."},
    {.code = "te.not_an_axis",
     .title = "something that is no reduce axis stands where one is needed",
     .meaning = "Reductions run over axes made by te.reduce_axis, which have a range. Sizes and "
                "the axes of a compute "
                "are no such axes.",
     .remedy = "Make one: k = te.reduce_axis(n, \"k\")."},
    {.code = "te.where_dtype",
     .title = "a condition or a term of any/all is no bool",
     .meaning = "where= takes a bool expression that says which terms take part; te.any and te.all "
                "reduce bools.",
     .remedy = "Write a comparison, such as x != 0."},
    {.code = "te.empty_argmax",
     .title = "argmax or argmin over an axis without elements",
     .meaning = "An index of the largest element exists only where there is an element. For a "
                "symbolic extent the "
                "function gets the assumption that it is at least 1.",
     .remedy = "Give the axis an extent of at least 1."},
    {.code = "te.no_index",
     .title = "argmax or argmin over several axes lacks the index to report",
     .meaning = "Over one axis the index is the axis. Over several it must be said how they make "
                "one number.",
     .remedy = "Give index=, such as index=ky * 3 + kx.",
     .example = R"py(te.argmax(A[i, ky, kx], [ky, kx])  # te.no_index
te.argmax(A[i, ky, kx], [ky, kx], index=ky * 3 + kx))py"},
    {.code = "te.bad_reducer",
     .title = "a user's reducer is not well-formed",
     .meaning = "A reducer is a function of an accumulator and a term that gives one value for "
                "each constant of its "
                "identity, in the same dtype, from nothing but its arguments. Its name is not that "
                "of a built-in one.",
     .remedy = "Correct what the message names.",
     .example =
         R"py(te.reducer(lambda a, b: a + b * n, 0.0)  # te.bad_reducer: n is no argument
te.reducer(lambda a, b: a + b, 0.0, associative=True, commutative=True))py"},
    {.code = "te.reducer_dtype",
     .title = "a term has another dtype than the accumulator",
     .meaning = "A user's reducer accumulates in the dtype of its identity, and terms are not "
                "converted silently.",
     .remedy =
         "Convert the source with te.cast, or give the reducer an identity of the source's dtype."},
    {.code = "te.not_associative",
     .title = "a reducer declared associative is not",
     .meaning =
         "Declared laws are attacked with random integers before they are relied on. The message "
         "is a "
         "counter-example: (a . b) . c and a . (b . c) differ, or the identity changes a value.",
     .remedy = "Leave the declaration out: the reduction then keeps its order, and rfactor and "
               "reorder of its loops "
               "are refused.",
     .example =
         R"py(# when used
te.reducer(lambda a, b: a - b, 0.0, name="minus", associative=True)
te.reducer(lambda a, b: a - b, 0.0, name="minus"))py"},
    {.code = "te.not_commutative",
     .title = "a reducer declared commutative is not",
     .meaning = "Declared laws are attacked with random integers before they are relied on. The "
                "message is a "
                "counter-example: a . b and b . a differ.",
     .remedy = "Leave the declaration out: the reduction then keeps the order of its terms."},
};

}  // namespace

std::span<const Row> reduction_rows() { return kRows; }

}  // namespace tilewright::error_catalogue
