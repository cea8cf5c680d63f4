"""Measures how often players find an optimal move at connect four.

Usage: pip install bitbully; python benches/truth.py PLAYER... [--positions 1000] [--program target/release/ruse]

The positions come from random games. The mover has no immediate win, and some legal moves keep the value of the position
(won, drawn or lost for the mover) while others do not; a perfect solver (BitBully) says which. Each player gets each
position as the start of a match of `ruse gamer`. Prints a table with the share of moves that keep the value, with a 95%
interval (Wilson), in all positions and in those with one such move.
"""

import argparse
import math
import pathlib
import random
import re
import subprocess
import urllib.request

import bitbully

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = (ROOT / "games/gdl/rules/connect_four.kif").read_text()
START = ["(<= (init (free ?c 1)) (column ?c))", "(init (control first))"]
ROLES = ["first", "second"]


def positions(number: int, seed: int) -> list[tuple[list[int], set[int]]]:
    """Returns the columns played so far, from 0, and the columns that keep the value."""
    rng, solver, found = random.Random(seed), bitbully.BitBully(), []
    while len(found) < number:
        board, moves = bitbully.Board(), []
        for _ in range(rng.randrange(8, 25)):
            moves.append(rng.choice(board.legal_moves()))
            board.play(moves[-1])
            if board.is_game_over():
                break
        if board.is_game_over() or board.can_win_next():
            continue
        values = {column: (score > 0) - (score < 0) for column, score in solver.score_all_moves(board).items()}
        best = {column for column, value in values.items() if value == max(values.values())}
        if len(best) < len(values):
            found.append((moves, best))
    return found


def rules_from(moves: list[int]) -> str:
    """Returns the rules of the game that starts after these moves."""
    heights, facts = [1] * 7, []
    for index, column in enumerate(moves):
        facts.append(f"(init (disc {column + 1} {heights[column]} {ROLES[index % 2]}))")
        heights[column] += 1
    facts += [f"(init (free {column + 1} {height}))" for column, height in enumerate(heights)]
    facts.append(f"(init (control {ROLES[len(moves) % 2]}))")
    assert all(rule in RULES for rule in START)
    text = RULES.replace(START[0], "").replace(START[1], "\n".join(facts))
    return " ".join(line.split(";")[0] for line in text.splitlines())


class Player:
    """A player of `ruse gamer`."""

    def __init__(self, program: str, name: str):
        command = [program, "gamer", "--port", "0", "--player", name]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = re.search(r":(\d+);", self.process.stdout.readline())[1]

    def say(self, message: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}", message.encode())
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()

    def move(self, match: str, moves: list[int]) -> int:
        """Returns the column that the player chooses after these moves."""
        role = ROLES[len(moves) % 2]
        self.say(f"(START {match} {role} ({rules_from(moves)}) 600 600)")
        column = re.fullmatch(r"\(drop (\d)\)", self.say(f"(PLAY {match} NIL)").strip())[1]
        self.say(f"(ABORT {match})")
        return int(column) - 1


def share(right: int, total: int) -> str:
    """Returns a share with its Wilson interval."""
    mean, square = right / total, 1.96**2 / total
    middle, half = mean + square / 2, math.sqrt(square * mean * (1 - mean) + square * square / 4)
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]".replace("0.", ".")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("players", nargs="+")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / "target/release/ruse"))
    arguments = parser.parse_args()
    judged = positions(arguments.positions, arguments.seed)
    chance = [len(best) for _, best in judged]
    print(f"| player | all {len(judged)} positions | the {chance.count(1)} positions with one right move |\n|---|---|---|")
    for name in arguments.players:
        player = Player(arguments.program, name)
        right = [player.move(f"m{index}", moves) in best for index, (moves, best) in enumerate(judged)]
        player.process.terminate()
        only = [is_right for is_right, (_, best) in zip(right, judged) if len(best) == 1]
        print(f"| `{name}` | {share(sum(right), len(right))} | {share(sum(only), len(only))} |", flush=True)


if __name__ == "__main__":
    main()
