"""The catalogue of errors describes every code that the sources raise, and no other."""

from pathlib import Path

import error_codes
import pytest

ROOT = Path(__file__).resolve().parents[2]

TABLE = '{"split", 1, "l", "loops", "what it does", run_split},\n{"mix", 1, "?", "", "", run_mix}'
RULES = """
namespace tilewright {
void require_serial(const Invocation& in) { in.refuse("loop_kind", 1, "…"); }
namespace { int local(const Invocation& in) { in.refuse("never", 1, ""); } }
}
"""
SPLIT = """
namespace tilewright {
namespace {
class Plan {
  void read() { in_.refuse(a ? "factor" : "count", 1, fmt::format("no, {}", x)); }
};
}  // in.refuse("comment", 1)
void trial(Invocation& in) { try { run_mix(in); } catch (const Refusal&) { return; } }
void again(Invocation& in) { try { cut(in); } catch (const Refusal& r) { if (x) throw; } }
void cut(Invocation& in) { in.refuse("depth", 1, "…"); }
Outputs run_split(Invocation& in) { require_serial(in); Plan plan; trial(in); again(in); }
Outputs run_mix(Invocation& in) { in.refuse("key", 1, "…"); }
}
"""


def test_codes_of_primitives_follow_the_calls() -> None:
    texts = {
        error_codes.TABLE: TABLE,
        "src/schedule/rules.cc": RULES,
        "src/schedule/primitives/split.cc": error_codes.strip_comments(SPLIT),
    }
    assert error_codes.primitive_codes(texts) == {
        "schedule.split.loop_kind",
        "schedule.split.factor",
        "schedule.split.count",
        "schedule.split.depth",
        "schedule.split.unknown_loop",
        "schedule.split.foreign_handle",
        "schedule.mix.key",
        "schedule.mix.unknown_loop",
        "schedule.mix.unknown_block",
        "schedule.mix.foreign_handle",
    }


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('fail("te.bad_name", "{}", x);', {"te.bad_name"}),
        ('if (error.code() == "te.bad_name") throw;', set()),
        ('fail("schedule.split.arguments", "");', {"schedule.split.arguments"}),
        ('#include "te/te.h"\nopen("runner.log")', set()),
    ],
)
def test_literal_codes(text: str, codes: set[str]) -> None:
    assert error_codes.literal_codes(text) == codes


def test_a_missing_and_a_stale_entry_are_found(tmp_path: Path) -> None:
    (tmp_path / "src/te").mkdir(parents=True)
    (tmp_path / error_codes.CATALOGUE).mkdir(parents=True)
    (tmp_path / error_codes.UNREACHED).parent.mkdir(parents=True)
    (tmp_path / error_codes.UNREACHED).write_text("te.gone: nobody knows\n")
    (tmp_path / "src/te/a.cc").write_text('fail("te.bad_name", "");')
    (tmp_path / error_codes.CATALOGUE / "rows.cc").write_text(
        '{.code = "te.stale"}, {.code = "internal"}'
    )
    lines = error_codes.complaints(tmp_path)
    assert [line.split(":")[0] for line in lines] == ["te.bad_name", "te.stale", "te.gone"]


def test_the_tree_is_complete() -> None:
    assert error_codes.complaints(ROOT) == []
