#!/usr/bin/env python3
"""Branching factors by map, from the files that `ruse match --decisions` writes.

    table.py DIRECTORY

DIRECTORY holds files MAP.OPPONENT.csv. Of each map it prints the median, the mean and the most legal joint actions over all
decisions of both players in the games in which the player named first sits first, as in table 3 of Ontañón (2017); the mean
time of the last decision of a game, in cycles; and the mean number of cycles in which somebody decides. The files have
numbers of actions in full, so the statistics are of whole numbers.
"""

import csv
import statistics
import sys
from pathlib import Path

MAPS = ["8x8-1", "8x8-2", "8x8-3", "8x8-4", "12x12-1", "12x12-2", "12x12-3", "12x12-4"]

# Table 3 of the paper; its counts of the last two maps are incomplete.
PUBLISHED = {
    "8x8-1": (14.50, 1466.35, 2.65e5, 428.33, 48.93),
    "8x8-2": (84.00, 1.87e6, 2.49e9, 474.33, 58.93),
    "8x8-3": (106.00, 4.53e5, 1.75e8, 380.33, 52.10),
    "8x8-4": (342.50, 9.52e5, 3.74e8, 267.00, 38.60),
    "12x12-1": (30.50, 1.23e6, 6.14e8, 972.67, 158.17),
    "12x12-2": (112.00, 1.56e12, 2.90e15, 893.27, 151.00),
    "12x12-3": (546.75, 1.60e15, 4.98e18, 804.00, 135.3),
    "12x12-4": (15330.00, 1.08e17, 8.07e19, 777.80, 126.13),
}


def number(text):
    """A number of actions: whole unless it is too large for the program to count."""
    return int(text) if text.isdigit() else float(text.removeprefix("about "))



def main(directory):
    header = "map,games,decisions,median,mean,most,last_clock,decision_cycles"
    published = ",".join(f"published_{name}" for name in ["median", "mean", "most", "cycles", "decision_cycles"])
    print(f"{header},{published}")
    for name in MAPS:
        actions, ends, cycles = [], [], []
        for path in sorted(Path(directory).glob(f"{name}.*.csv")):
            games = {}
            with open(path, newline="") as file:
                for row in csv.DictReader(file):
                    if row["game"] == "1":
                        actions.append(number(row["actions"]))
                        games.setdefault(row["pair"], []).append(int(row["clock"]))
            ends += [clocks[-1] for clocks in games.values()]
            cycles += [len(set(clocks)) for clocks in games.values()]
        if not actions:
            continue
        values = [statistics.median(actions), statistics.fmean(actions), max(actions)]
        values += [statistics.fmean(ends), statistics.fmean(cycles)]
        cells = [name, str(len(ends)), str(len(actions))]
        cells += [f"{value:.6g}" for value in values] + [f"{value:g}" for value in PUBLISHED[name]]
        print(",".join(cells))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
