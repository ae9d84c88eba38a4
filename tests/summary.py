#!/usr/bin/env python3
"""Adds up JUnit files of CTest and pytest; the last line is `N passed, N failed, N skipped`.

A Catch2 binary is one CTest test but prints its own `counts:` line (tests/support/main.cc), which
is what is added; a binary that failed without one (a crash, a time-out) is one failure.
Exit status 1 when anything failed or nothing ran.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

COUNTS = re.compile(r"^counts: (\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
SKIPPED = re.compile(r"^SKIPPED: (.*)$", re.MULTILINE)


@dataclass
class Summary:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def add(self, case: ElementTree.Element) -> None:
        """Adds one <testcase> of either program."""
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        if case.get("classname") == case.get("name"):
            name = case.get("name") or "?"
        failed = case.find("failure") is not None or case.find("error") is not None
        failed = failed or case.get("status") == "fail"
        output = case.findtext("system-out") or ""
        counts = COUNTS.findall(output)
        self.reasons += SKIPPED.findall(output)
        if counts:
            passed, bad, skipped = map(int, counts[-1])
            bad = max(bad, int(failed))  # e.g. a sanitizer report after the last test
            self.passed += passed
            self.failed += bad
            self.skipped += skipped
        elif failed:
            self.failed += 1
        elif (skip := case.find("skipped")) is not None or case.get("status") == "notrun":
            self.skipped += 1
            message = skip.get("message") if skip is not None else None
            self.reasons.append(f"{name}: {message or 'not run'}")
        else:
            self.passed += 1
        if failed:
            self.failures.append(name)


def summarize(paths: list[str]) -> Summary:
    summary = Summary()
    for path in paths:
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            summary.failed += 1
            summary.failures.append(f"{path}: {error}")
            continue
        for case in root.iter("testcase"):
            summary.add(case)
    return summary


def main() -> int:
    summary = summarize(sys.argv[1:])
    for reason in sorted(summary.reasons):
        print(f"skipped: {reason}")
    for name in summary.failures:
        print(f"FAILED: {name}")
    print(f"{summary.passed} passed, {summary.failed} failed, {summary.skipped} skipped")
    return 1 if summary.failed or not summary.passed else 0


if __name__ == "__main__":
    sys.exit(main())
