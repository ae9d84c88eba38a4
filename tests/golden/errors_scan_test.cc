// Whole texts of the errors of scans and extern blocks.

#include "golden/errors_support.h"
#include "tilewright/ir/builder.h"
#include "tilewright/te/extern.h"
#include "tilewright/te/scan.h"
#include "tilewright/te/te.h"

namespace tilewright::te {
namespace {

Scan sums() { return Scan(8, "sums"); }

Tensor line() { return placeholder({8}, kFloat32, "A"); }

}  // namespace

TEST_CASE("texts of errors: scans and extern blocks", "[golden]") {
  using Buffers = std::vector<ir::Buffer>;
  testing::check_triggers({
      {"te.scan_axis",
       [] {
         Scan scan = sums();
         scan.state({4}, Expr(0.0f), {"total", 3});
       }},
      {"te.scan_dtype",
       [] {
         Scan scan = sums();
         const ScanValue total = scan.state({4}, Expr(0.0f), {"total"});
         scan.update(total, [](Var i) { return i + 1; });
       }},
      {"te.scan_update",
       [] {
         Scan scan = sums();
         scan.state({4}, Expr(0.0f), {"total"});
         scan.finish();
       }},
      {"te.extern_body",
       [] {
         extern_op(
             {{{8}, kFloat32}}, {line()}, [](ir::IRBuilder&, const Buffers&, const Buffers&) {},
             "copy");
       }},
      {"te.extern_undeclared",
       [] {
         const Tensor a = line(), b = placeholder({8}, kFloat32, "B");
         extern_op(
             {{{8}, kFloat32}}, {a},
             [&](ir::IRBuilder& builder, const Buffers&, const Buffers& out) {
               builder.loop("i", 8, [&](const Var& i) { builder.store(out[0], {i}, b(i)); });
             },
             "copy");
       }},
  });
}

}  // namespace tilewright::te
