#!/usr/bin/env python3
"""Sizes of the constraint networks of rule files, beside table 2 of Piette, Koriche, Lagrue & Tabary (Constraints 2016).

    networks.py [RUSE] > experiments/results/gdl-players/networks.csv

Run it from the root of the repository. RUSE is the program, `ruse` by default. The table has the network of each file as
encoded, before it is simplified. The columns that begin with `paper` are the numbers of the paper for the game of the same
kind, whose board may be larger. The cells of a file without a network are empty: its tables would have too many values.
"""

import csv
import json
import subprocess
import sys

# The rule file, and the game of the paper with its variables, largest domain and constraints. The paper does not have the
# other games, and no rules of its remaining games are public or ours.
FILES = {
    "tic_tac_toe.kif": ("tic-tac-toe", 19, 18, 37),
    "hex_5x5.kif": ("hex, 9x9", 22, 6561, 27),
    "reversi_6x6.kif": ("othello, 8x8", 81, 65, 29),
    "cant_stop_mini.kif": ("can't stop, full", 16, 1296, 409),
    "orchard.kif": ("orchard", 9, 146410, 40),
    "games/gdl/tests/rules/chess.kif": ("chess", 71, 4096, 50),
    "connect_four.kif": None,
    "nim.kif": None,
    "breakthrough_6x6.kif": None,
    "dots_and_boxes_3x3.kif": None,
    "pentago.kif": None,
    "kriegspiel_tic_tac_toe.kif": None,
    "pig_20.kif": None,
    "guess_who_16.kif": None,
    "games/gdl/tests/rules/nine_mens_morris.kif": None,
    "games/gdl/tests/rules/amazons_6x6.kif": None,
    "games/gdl/tests/rules/racer.kif": None,
}


def main(program="ruse"):
    out = csv.writer(sys.stdout, lineterminator="\n")
    sizes = ["variables", "largest_domain", "constraints"]
    paper = ["paper_game", *(f"paper_{size}" for size in sizes)]
    out.writerow(["file", "ground_rules", *sizes, "tables", "tuples", *paper])
    for name, published in FILES.items():
        command = [program, "show", name, "--network", "--games", "30", "--json", "--quiet"]
        shown = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        network = shown["network"].get("as_encoded", {})
        cells = [network.get(size, "") for size in [*sizes, "tables", "tuples"]]
        out.writerow([name.split("/")[-1], shown["ground_rules"], *cells, *(published or [""] * 4)])


if __name__ == "__main__":
    main(*sys.argv[1:])
