// Whole texts of refused handles, for every primitive: of loops and blocks that are gone, and of another schedule.

#include "golden/errors_schedule.h"
#include "schedule/primitive_table.h"
#include "tilewright/lower/lower.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using Handle = std::variant<Loop, BlockRef>;

// The handles that a primitive takes, from its row in the table: "bl" is a block and a loop, "l*" are loops, "?" is
// either.
std::vector<Handle> operands(std::string_view row, Loop loop, BlockRef block,
                             bool question_is_loop) {
  std::vector<Handle> handles;
  for (char kind : row) {
    if (kind == 'l' || (kind == '?' && question_is_loop)) {
      handles.push_back(loop);
    } else if (kind == 'b' || kind == '?') {
      handles.push_back(block);
    }
  }
  return handles;
}

std::string refused(Schedule& sch, const std::string& op, const std::vector<Handle>& handles) {
  const auto result = sch.apply({op, handles, {}});
  return result ? "" : schedule::render(result.error());
}

}  // namespace

TEST_CASE("refusals of handles", "[golden]") {
  for (const schedule::Primitive& row : schedule::primitive_table()) {
    const std::string op(row.name);
    INFO(op);
    const auto check = [&](const char* what, Schedule& sch, Loop loop, BlockRef block) {
      const std::string code = fmt::format("schedule.{}.{}", op, what);
      const bool loops = std::string_view(what) != "unknown_block";
      if (operands(row.operands, loop, block, loops).empty()) return;
      if (!find_error(code)) {
        const bool fits = std::string_view(what) == "foreign_handle" ||
                          row.operands.find_first_of(loops ? "l?" : "b?") != std::string::npos;
        CHECK_FALSE(fits);
        return;
      }
      const std::string text = refused(sch, op, operands(row.operands, loop, block, loops));
      CHECK(text.find("[" + code + "]") != std::string::npos);
      check_error_text(code, text);
    };
    // Of a loop that has been split, and of a block that has been inlined.
    Schedule sch(chain());
    const BlockRef b = sch.get_block("B"), c = sch.get_block("C");
    const std::vector<Loop> of_b = sch.get_loops(b), of_c = sch.get_loops(c);
    sch.split_factor(of_c[1], 2);
    sch.compute_inline(b);
    check("unknown_loop", sch, of_c[1], c);
    check("unknown_block", sch, of_c[0], b);
    // Of a copy that went its own way.
    Schedule copy(chain()), other = copy;
    const BlockRef theirs = other.get_block("C");
    check("foreign_handle", copy, other.get_loops(theirs)[0], theirs);
  }
}

TEST_CASE("texts of errors: schedules", "[golden]") {
  check_triggers({
      {"schedule.unknown_primitive",
       [] {
         (void)Schedule(matmul()).apply({"splt", {}, {}});
       }},
      {"schedule.unknown_code", [] { (void)Schedule(matmul()).explain("schedule.split.facter"); }},
      {"schedule.draft",
       [] {
         Schedule draft(matmul());
         draft.make_draft();
         (void)draft.sealed_trace();
       }},
      {"schedule.level",
       [] {
         const ir::PrimFunc func = matmul();
         Schedule(lower::lower(func, Target::parse("cpu")));
       }},
  });
}

}  // namespace tilewright::testing
