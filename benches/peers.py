"""Measures random games per second of `ruse` and of OpenSpiel in turn, and renews their rows of docs/figures/speed.csv.

Usage: pip install open_spiel; python benches/peers.py

`ruse` plays rule files with the engine of `cargo bench --bench rule_files`. OpenSpiel plays its own games, which are
written in C++, with two of its uniform random bots (`pyspiel.evaluate_bots`). Both use one thread. Each figure is the
median of five measurements, which alternate between the two programs. No other program should run meanwhile.
"""

import importlib.metadata
import json
import pathlib
import statistics
import subprocess
import time

import pyspiel

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/figures/speed.csv"
PEER = "OpenSpiel"
ROUNDS = 5
GAMES = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "nim": "nim(pile_sizes=1;3;5;7,is_misere=true)",
    "phantom_tic_tac_toe_try_again": "phantom_ttt",
}


def games_of_ruse(file: str) -> float:
    """Returns the number of random games of a rule file that the engine plays in a second."""
    command = ["cargo", "bench", "--bench", "rule_files", "--", "--quick", "--noplot", f"engine/{file}.kif"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    path = ROOT / f"target/criterion/pairs of rule files/engine/{file}.kif/new/estimates.json"
    return 1e9 / json.loads(path.read_text())["mean"]["point_estimate"]


def games_of_peer(name: str, games: int = 20_000) -> float:
    """Returns the number of random games of an OpenSpiel game that two of its bots play in a second."""
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, 7 + player) for player in range(2)]
    start = time.perf_counter()
    for seed in range(games):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
    return games / (time.perf_counter() - start)


def main() -> None:
    rows = []
    for file, name in GAMES.items():
        pairs = [(games_of_ruse(file), games_of_peer(name)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(column) for column in zip(*pairs))
        print(f"{file}: ruse {ours:.0f}, {PEER} {theirs:.0f}, ratio {ours / theirs:.2f}")
        rows.append(f"{PEER} {importlib.metadata.version('open_spiel')},{file},{ours:.0f},{theirs:.0f},{theirs:.0f}")
    kept = [line for line in TABLE.read_text().splitlines() if not line.startswith(PEER)]
    TABLE.write_text("\n".join(kept + rows) + "\n")


if __name__ == "__main__":
    main()
