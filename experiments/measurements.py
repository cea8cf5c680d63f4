#!/usr/bin/env python3
"""Puts the scores of published results that versions before 0.4 wrote into one table, `measurements.csv`, and renews the
lists of finished files. Values stay as they are.

    experiments/measurements.py DIR...
"""

import csv
import io
import pathlib
import re
import sys

MASK = (1 << 64) - 1
VOUCHED = "# The results beside this file are of exactly this experiment: "
LIST = "# Written by ruse, and not to be edited: "
OLD = ["meetings.csv", "exploitability.csv", "yardsticks.csv", "references.csv", "training-scores.csv", "ablation.csv"]
LISTED = ["strategy.yaml", "championship.csv", "portfolio.yaml", "measurements.csv", "runs.csv", "curves.csv"]
COLUMNS = "kind family condition subject subject-seed opponent opponent-seed score low high confidence pairs with without how"
COLUMNS = COLUMNS.split() + ["subject-strategy", "opponent-strategy"]


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


def line(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().rstrip("\n")


def rows_of(path):
    return list(csv.DictReader(path.open(newline=""))) if path.exists() else []


def baselines(text):
    """The scoring opponent of each family, by the name of the family in the experiment."""
    found, name = {}, None
    for key, value in re.findall(r"^(?:- |  )(family|name|baseline|score-against): (.+)$", text, re.M):
        if key in ("family", "name"):
            name = value
        else:
            found[name] = value
    return found


def measurements(directory, text):
    against = baselines(text)
    of = lambda row, confidence="0.95": {
        "family": row["family"],
        "score": row["score"],
        "low": row["low"],
        "high": row["high"],
        "confidence": row.get("level", confidence),
        "pairs": row["pairs"],
    }
    for row in rows_of(directory / "meetings.csv"):
        yield of(row) | {"kind": "meeting", "subject": row["a"], "subject-seed": row["a-seed"], "opponent": row["b"],
                         "opponent-seed": row["b-seed"]}
    for row in rows_of(directory / "exploitability.csv"):
        score = row["best-response-score"]
        row |= {"score": score, "low": row["low"] or score, "high": row["high"] or score}
        yield of(row) | {"kind": "response", "condition": row["product"], "subject": row["kind"],
                         "opponent": row["method"], "opponent-seed": row["seed"], "how": row["how"],
                         "opponent-strategy": row["strategy"]}
    for row in rows_of(directory / "yardsticks.csv"):
        yield of(row) | {"kind": "yardstick", "condition": row["kind"], "subject": row["name"],
                         "opponent": against.get(row["family"], "redrawn"), "opponent-seed": row["seed"]}
    champions = []
    for row in rows_of(directory / "references.csv"):
        champions.append((row, of(row) | {"kind": "reference", "opponent": row["reference"]}))
    for row in rows_of(directory / "training-scores.csv"):
        champions.append((row, of(row) | {"kind": "training", "opponent": row["trained-against"]}))
    for row, new in champions:
        yield new | {"subject": row["method"], "subject-seed": row["seed"]}
    if rows_of(directory / "ablation.csv"):
        sys.exit(f"{directory}: no published results have ablations")


def write_table(directory, seal, rows):
    columns = line(COLUMNS)
    lines, last = [f"{columns},fingerprint"], seal
    for row in rows:
        text = line([row.get(column, "") for column in COLUMNS])
        last = fingerprint(f"{last}\n{columns}\n{text}")
        lines.append(f"{text},{last}")
    (directory / "measurements.csv").write_text("\n".join(lines) + "\n")
    return last


for experiment in sorted(path for top in sys.argv[1:] for path in pathlib.Path(top).rglob("experiment.yaml")):
    directory = experiment.parent
    first, _, text = experiment.read_text().partition("\n")
    seal = first.removeprefix(VOUCHED)
    if seal == first or fingerprint(text) != seal:
        print(f"{directory}: not an experiment of this kind")
        continue
    if not (directory / "runs.csv").exists():
        continue
    rows = list(measurements(directory, text))
    last = write_table(directory, seal, rows) if rows else ""
    for name in OLD:
        (directory / name).unlink(missing_ok=True)
    prints = ""
    for name in sorted(name for name in LISTED if (directory / name).exists()):
        of_file = last if name == "measurements.csv" else fingerprint((directory / name).read_bytes())
        prints += f"{name}: {of_file}\n" if re.search("[a-f]", of_file) else f"{name}: '{of_file}'\n"
    text = f"# The files that are published:\n# The experiment is: {seal}\n{prints}"
    (directory / "finished.yaml").write_text(f"{LIST}{fingerprint(text)}\n{text}")
    print(f"{directory}: {len(rows)} measurements")
