#!/usr/bin/env python3
"""Seals published results that versions before 0.4 wrote: the rows of growing tables are chained from the experiment, and
each list of finished files names its experiment. Values stay as they are.

    experiments/seal.py DIR...
"""

import pathlib
import sys

MASK = (1 << 64) - 1
VOUCHED = "# The results beside this file are of exactly this experiment: "
LIST = "# Written by ruse, and not to be edited: "
GROWING = ["meetings.csv", "exploitability.csv", "yardsticks.csv", "ablation.csv"]
LISTED = ["strategy.yaml", "championship.csv", "portfolio.yaml", "meetings.csv", "exploitability.csv"]
LISTED += ["runs.csv", "curves.csv", "references.csv", "training-scores.csv"]


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fingerprint(data):
    data = data if isinstance(data, bytes) else data.encode()
    state = 0
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        state = mix(state ^ int.from_bytes(data[at : at + 8], "little"))
    rest = int.from_bytes(data[whole:], "little")
    return f"{mix(mix(state ^ rest) ^ len(data)):016x}"


assert fingerprint("") == "a706dd2f4d197e6f" and fingerprint("12345678") == "1dedabd94fcc27a9"


def chain(path, seal):
    header, *rows = path.read_text().splitlines()
    columns = header.removesuffix(",fingerprint")
    if columns == header:
        sys.exit(f"{path} has no fingerprints")
    lines, last = [header], seal
    for row in rows:
        row, old = row.rsplit(",", 1)
        if old != fingerprint(f"{columns}\n{row}"):
            sys.exit(f"{path}: a row was changed: {row}")
        last = fingerprint(f"{last}\n{columns}\n{row}")
        lines.append(f"{row},{last}")
    path.write_text("\n".join(lines) + "\n")


def write_list(directory, seal, names):
    prints = "".join(f"{name}: '{fingerprint((directory / name).read_bytes())}'\n" for name in sorted(names))
    text = f"# The files that are published:\n# Of the experiment: {seal}\n{prints}"
    (directory / "finished.yaml").write_text(f"{LIST}{fingerprint(text)}\n{text}")


def names_in(directory):
    """Returns the names in a list of finished files, after checking the files."""
    names = []
    for line in (directory / "finished.yaml").read_text().splitlines():
        if not line.startswith("#"):
            name, expected = line.split(": ")
            if fingerprint((directory / name).read_bytes()) != expected.strip("'\""):
                sys.exit(f"{directory / name} was changed")
            names.append(name)
    return names


for experiment in sorted(path for top in sys.argv[1:] for path in pathlib.Path(top).rglob("experiment.yaml")):
    directory = experiment.parent
    first, _, text = experiment.read_text().partition("\n")
    seal = first.removeprefix(VOUCHED)
    if seal == first or fingerprint(text) != seal:
        print(f"{directory}: not an experiment of this kind")
        continue
    pools = sorted(pool.parent for pool in directory.glob("*/generalisation.csv"))
    for pool in pools:
        write_list(pool, fingerprint(f"{seal}/{pool.name}"), ["game.csv", "generalisation.csv", "learning.csv"])
    if pools:
        continue
    is_round_robin = (directory / "finished.yaml").exists() and (directory / "results.csv").exists()
    if is_round_robin:
        write_list(directory, seal, names_in(directory))
        continue
    for name in GROWING:
        if (directory / name).exists():
            chain(directory / name, seal)
    write_list(directory, seal, [name for name in LISTED if (directory / name).exists()])
