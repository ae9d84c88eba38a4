"""What `./dev bench` runs: every benchmark program, its figures beside the limits they must keep.

./dev bench                      all but the long ones (ablation), as a table
./dev bench goto --json          some, as one JSON object on the last line of stdout
./dev bench ablation --from F    options after the name of one benchmark are its program's own
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "bench"

# What a figure must keep: (benchmark, figure or its part after the last comma) -> (">=" or "<=",
# limit).
LIMITS: dict[tuple[str, str], tuple[str, float]] = {
    ("goto", "512x512x512 ratio"): (">=", 0.85),
    ("goto", "1024x1024x1024 ratio"): (">=", 0.85),
    ("goto", "1000x127x640 ratio"): (">=", 0.85),
    ("tune", "matmul 512, tuned / hand nest"): (">=", 0.9),
    ("tune", "conv2d, tuned / default"): (">=", 3.0),
    ("sketch", "bik,bkj->bij 7x61x53x67 / default"): (">=", 2.0),
    ("sketch", "bki,bjk->bij 7x61x53x67 / default"): (">=", 2.0),
    ("sketch", "blur, gradient, blur 1000x1003 / default"): (">=", 1.5),
    ("sketch", "layernorm nx768, n=256 / default"): (">=", 1.5),
    ("sketch", "matmul 512, generated / template, bests"): (">=", 0.85),
    ("primitive", "slowest median ms"): ("<=", 1.0),
    ("primitive", "worst single call ms"): ("<=", 5.0),
    ("primitive", "replay of 40 steps of conv2d ms"): ("<=", 10.0),
    ("primitive", "te to callable ms"): ("<=", 100.0),
    ("ablation", "share won"): (">=", 0.8),
    ("ablation", "Spearman held out"): (">=", 0.6),
    ("ablation", "gain over the prior"): (">=", 0.0),
    ("score", "candidates a second"): (">=", 5000),
}


def run_program(name: str, arguments: list[str]) -> dict[str, Any]:
    """The JSON object that benchmark `name` prints on its last line."""
    program = PROGRAMS / f"{name}_bench"
    if not program.exists():
        raise SystemExit(f"compare.py: there is no {program}; run ./dev bench")
    unset = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    environment["OMP_NUM_THREADS"] = "1"
    done = subprocess.run(
        [str(program), "--json", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"compare.py: {name}_bench failed with code {done.returncode}")
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def goto_figures(report: dict[str, Any]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for row in report["rows"]:
        shape = f"{row['m']}x{row['n']}x{row['k']}"
        low, high = row["ratio_quartiles"]
        figures[f"{shape} ratio"] = row["ratio"]
        figures[f"{shape} ratio, quartile below"] = low
        figures[f"{shape} ratio, quartile above"] = high
        figures[f"{shape} GFLOP/s"] = row["gflops"]
        figures[f"{shape} GFLOP/s of OpenBLAS"] = row["openblas_gflops"]
    return figures


def tune_figures(report: dict[str, Any]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for row in report["rows"]:
        name = row["name"]
        low, high = row["ratio_quartiles"]
        figures[name] = row["ratio"]
        figures[f"{name}, quartile below"] = low
        figures[f"{name}, quartile above"] = high
        figures[f"{name}, tuned ms"] = row["ms"]
        figures[f"{name}, bests"] = row["ratio_of_bests"]
    return figures


def primitive_figures(report: dict[str, Any]) -> dict[str, float]:
    primitives = report["primitives"]
    slowest = max(primitives, key=lambda name: primitives[name]["median_ms"])
    pipeline = report["pipeline"]
    return {
        "slowest median ms": primitives[slowest]["median_ms"],
        "worst single call ms": max(row["worst_ms"] for row in primitives.values()),
        "te to callable ms": pipeline["te_to_callable_default_ms"],
        "te to callable ms, Goto nest": pipeline["te_to_callable_goto_ms"],
        f"replay of {pipeline['replay_steps']} steps ms, Goto nest": pipeline["replay_ms"],
        f"replay of {pipeline['conv2d_steps']} steps ms, conv2d": pipeline["conv2d_replay_ms"],
        "replay of 40 steps of conv2d ms": pipeline["conv2d_replay_ms"]
        * 40
        / pipeline["conv2d_steps"],
        **{f"{name} median ms": row["median_ms"] for name, row in primitives.items()},
    }


def ablation_figures(report: dict[str, Any]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for row in report["rows"]:
        name = f"{row['task']}, {row['space']}"
        for variant, ms in row.get("median_best_ms", {}).items():
            figures[f"{name}, {variant} ms"] = ms
        for variant, wins in row.get("wins_over_random", {}).items():
            by = "" if variant == "full" else f" by the {variant}"
            figures[f"{name}, share won{by}"] = wins / row["seeds"]
        figures[f"{name}, Spearman of the prior"] = row["prior"]["spearman"]
        figures[f"{name}, Spearman held out"] = row["held_out"]["spearman"]
        figures[f"{name}, gain over the prior"] = (
            row["held_out"]["spearman"] - row["prior"]["spearman"]
        )
        figures[f"{name}, recall at 8"] = row["held_out"]["recall_at_8"]
        figures[f"{name}, loss at 8"] = row["held_out"]["loss_at_8"]
    return figures


def score_figures(report: dict[str, Any]) -> dict[str, float]:
    return {
        f"{row['op']}, {row['space']}, candidates a second": row["candidates_per_sec"]
        for row in report["rows"]
    }


BENCHES = {
    "goto": goto_figures,
    "tune": tune_figures,
    "sketch": tune_figures,
    "primitive": primitive_figures,
    "ablation": ablation_figures,
    "score": score_figures,
}
# These take half an hour and more, and run only when they are named.
LONG = {"ablation"}


def judge(bench: str, figure: str, value: float) -> tuple[str, bool]:
    """The limit of a figure as text ("" without one) and whether the figure keeps it."""
    found = LIMITS.get((bench, figure)) or LIMITS.get((bench, figure.rsplit(", ")[-1]))
    if not found:
        return "", True
    sign, limit = found
    return f"{sign} {limit:g}", value >= limit if sign == ">=" else value <= limit


def machine() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=f"of {', '.join(BENCHES)}")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    known = ("--json", "-h", "--help")
    end = next(
        (i for i, a in enumerate(arguments) if a.startswith("-") and a not in known),
        len(arguments),
    )
    options, own = parser.parse_args(arguments[:end]), arguments[end:]
    if own and len(options.benches) != 1:
        parser.error(f"{own[0]} is an option of one benchmark: name which")
    unknown = [name for name in options.benches if name not in BENCHES]
    if unknown:
        parser.error(f"unknown benchmark '{unknown[0]}'; there are: {', '.join(BENCHES)}")

    results: dict[str, Any] = {}
    kept = True
    if not options.json:
        print(f"{machine()}, {time.strftime('%Y-%m-%d')}, one thread")
    for name in options.benches or [name for name in BENCHES if name not in LONG]:
        report = run_program(name, own)
        figures = BENCHES[name](report)
        results[name] = {"figures": figures, "report": report}
        for figure, value in figures.items():
            limit, good = judge(name, figure, value)
            kept = kept and good
            if not options.json:
                verdict = "" if not limit else f"{limit}  {'ok' if good else 'MISSED'}"
                print(f"{name:10} {figure:44} {value:10.3f}  {verdict}".rstrip())
    if options.json:
        print(
            json.dumps(
                {
                    "machine": machine(),
                    "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "limits_kept": kept,
                    "benches": results,
                }
            )
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
