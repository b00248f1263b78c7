"""``python -m tests.fuzz formulas|files``: random inputs, each identified by its seed and number; exit code 1 if an input violates a rule.

Ten thousand formulas take about 10 CPU seconds, and ten thousand files about 3 minutes. `--first` continues after the numbers of another process,
and `--only` repeats one input.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.fuzz import files, formulas
from tests.fuzz.deadline import bounded_memory, peak

MEGABYTES = 4096
"""Maximum additional memory of a campaign, most of which polars reserves."""


def main() -> int:
    """Tests the inputs; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("formulas", "files"))
    parser.add_argument("--count", type=int, default=10_000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--only", type=int, help="the number of the one to show")
    asked = parser.parse_args()
    numbers = range(asked.first, asked.first + asked.count) if asked.only is None else range(asked.only, asked.only + 1)
    campaign = formulas.campaign if asked.kind == "formulas" else files.campaign
    tally: Counter[str] = Counter()
    begun = time.process_time()
    with bounded_memory(MEGABYTES):
        for number, outcome, wrong, shown in campaign(asked.seed, numbers):
            tally[outcome] += 1
            if wrong or asked.only is not None:
                print(
                    f"{asked.kind} --seed {asked.seed} --only {number}: {outcome}\n  {shown}",
                    *(f"\n  {text}" for text in wrong),
                    flush=True,
                )
            tally["BROKEN"] += bool(wrong)
    print(
        f"seed {asked.seed}, {asked.kind} {numbers.start} to {numbers.stop - 1}:",
        *sorted(map("{0[0]}: {0[1]}".format, tally.items())),
        sep="\n  ",
    )
    print(f"  {time.process_time() - begun:.0f} CPU seconds, at most {peak() / 2**20:.0f} MB")
    return int(tally["BROKEN"] > 0)


if __name__ == "__main__":
    sys.exit(main())
