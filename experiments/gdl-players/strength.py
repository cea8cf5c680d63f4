#!/usr/bin/env python3
"""The strength of searching players on rule files: against `uct` with as many playouts, and with as much time, and of the
settings of MAC-UCB against the paper's, with as many steps.

    strength.py playouts|time|steps RESULTS.csv [PAIRS]

Run it from the root of the repository, with `ruse` on the path. It appends a line for each player and file that is not there,
with 50 pairs of games. The second player is `uct` with constants tuned by tuning-uct.yaml. Scores with time vary from machine
to machine. `forward-ucb` makes the moves of `mac-ucb` in less time.
"""

import csv
import json
import pathlib
import subprocess
import sys

FILES = [
    "tic_tac_toe",
    "hex_5x5",
    "dark_hex_3",
    "kriegspiel_tic_tac_toe",
    "goofspiel_4",
    "pig_20",
    "cant_stop_mini",
    "connect_four",
    "breakthrough_6x6",
    "dots_and_boxes_3x3",
    "pentago",
    "reversi_6x6",
    "nim",
    "guess_who_16",
]
# The budget of a turn, the opponent and the players. The scores of `mac-ucb` with as many playouts are in simulations-*.yaml.
PLAYERS = ["uct@{}:c=1.414,solver=0", "uct@{}:c=0.14,mast=0.2,rave=1000", "uct@{}:share=0.8"]
KINDS = {
    "playouts": ("2000", "uct@{}", PLAYERS),
    "time": ("100ms", "uct@{}", [*PLAYERS, "mac-ucb@{}"]),
    "steps": ("5ks", "forward-ucb@{}", ["forward-ucb@{}:share=0.5", "forward-ucb@{}:c=0.5", "forward-ucb@{}:share=0.5,c=0.5"]),
}
# Games that take long.
FEW = {"reversi_6x6": 10}
COLUMNS = ["budget", "player", "against", "file", "score", "low", "high", "pairs", "exact"]


def main(kind: str, path: pathlib.Path, pairs: str) -> None:
    known = set()
    if path.exists():
        with path.open() as file:
            known = {(row["budget"], row["player"], row["file"]) for row in csv.DictReader(file)}
    else:
        path.write_text(",".join(COLUMNS) + "\n")
    budget, opponent, players = KINDS[kind]
    against = opponent.format(budget)
    for name in FILES:
        for setting in players:
            player = setting.format(budget)
            if (budget, player, name) in known:
                continue
            num_pairs = str(min(int(pairs), FEW.get(name, 1000)))
            command = ["ruse", "match", f"{name}.kif", player, against, "--pairs", num_pairs]
            done = subprocess.run([*command, "--json", "--quiet"], check=True, capture_output=True)
            found = json.loads(done.stdout)
            low, high = found["interval"]
            row = [budget, player, against, name, f"{found['score']:.4f}", f"{low:.4f}", f"{high:.4f}"]
            with path.open("a") as file:
                csv.writer(file, lineterminator="\n").writerow([*row, found["pairs"], str(found["exact"]).lower()])


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3] if len(sys.argv) == 4 else "50")
