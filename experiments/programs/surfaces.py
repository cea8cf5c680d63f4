"""Problems for optimisers whose best parameters are known: `ruse optimise "program:python3 surfaces.py NAME"`.

The player `a` wins a game with the probability that the function of the problem gives for its parameters. The parameters of `b`
have no effect. In a deal, each seat has one random number for all players.
"""

import json
import math
import os
import sys
from collections.abc import Callable


def wide(x: list[float]) -> float:
    """Ten parameters, whose best values are far from the start; 0.7 at the best. Two of them matter ten times as much."""
    best = [6, -5, 4, -3, 2, -1, 5, -4, 3, -2]
    weights = [10, 10, 1, 1, 1, 1, 1, 1, 1, 1]
    return 0.7 - 0.4 * (1 - math.exp(-sum(w * (a - b) ** 2 for w, a, b in zip(weights, x, best)) / 400))


def narrow(x: list[float]) -> float:
    """Four parameters, whose scores differ within a twentieth of the usual step only; 0.9 at the best."""
    best = [0.1, -0.05, 0.08, 0.02]
    return 0.5 + 0.4 * math.exp(-sum((a - b) ** 2 for a, b in zip(x, best)) / (2 * 0.05**2 * 4))


def mixed(x: list[float]) -> float:
    """Six whole numbers from -8 to 8 and two choices of three, of which the right pair is worth as much; 0.8 at the best."""
    best = [5, -4, 3, -2, 6, 0]
    near = sum(abs(a - b) for a, b in zip(x, best)) / 60
    return 0.5 + 0.15 * (1 - min(near, 1)) + 0.15 * (x[6] == "c" and x[7] == "b")


def coin(x: list[float]) -> float:
    """Three parameters without effect."""
    return 0.5


def real(number: int) -> list[dict]:
    return [{"name": f"x{index}", "start": 0, "step": 1} for index in range(number)]


INTEGERS = [{"name": f"n{i}", "kind": "integer", "min": -8, "max": 8, "start": 0, "step": 2} for i in range(6)]
CHOICES = [{"name": f"c{i}", "kind": "choice", "choices": ["a", "b", "c"], "start": "a"} for i in range(2)]
PROBLEMS: dict[str, tuple[Callable[[list[float]], float], list[dict]]] = {
    "wide": (wide, real(10)),
    "narrow": (narrow, real(4)),
    "mixed": (mixed, INTEGERS + CHOICES),
    "coin": (coin, real(3)),
}

MASK = (1 << 64) - 1


def uniform(deal: int, seat: int) -> float:
    """A number from 0 to 1 that depends only on the deal and the seat (SplitMix64 of Steele, Lea & Flood 2014)."""
    z = (2 * deal + seat + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return ((z ^ z >> 31) >> 11) / (1 << 53)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] not in PROBLEMS:
        sys.exit(f"usage: surfaces.py {'|'.join(PROBLEMS)}")
    name = sys.argv[1]
    function, parameters = PROBLEMS[name]
    start = [parameter["start"] for parameter in parameters]
    description = {
        "family": name,
        "summary": function.__doc__,
        "parameters": parameters,
        "references": [{"name": "start", "parameters": start}],
        "baseline": "start",
        "deterministic": True,
        "concurrent": 500,
    }
    print(json.dumps(description), flush=True)
    rest = b""
    # Answers to all lines that have come go out at once.
    while chunk := os.read(0, 1 << 20):
        *lines, rest = (rest + chunk).split(b"\n")
        answers = []
        for message in map(json.loads, lines):
            if "pair" in message:
                score = function(start if message["a"] == "start" else message["a"])
                payoffs = [int(uniform(message["deal"], seat) < score) for seat in (0, 1)]
                answers.append('{"pair":%d,"payoffs":%s}\n' % (message["pair"], payoffs))
        sys.stdout.write("".join(answers))
        sys.stdout.flush()


main()
