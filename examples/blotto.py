"""Colonel Blotto, a game that `ruse` tunes: `ruse optimise "program:python3 examples/blotto.py"`.

Five fields are worth 1 to 9 points each. Both players divide 100 soldiers among the fields. The larger force wins a
field, and the player with more points wins the game.
"""

import json
import random
import sys

DESCRIPTION = {
    "family": "blotto",
    "summary": "how soldiers are divided among fields",
    "parameters": [
        {"name": "favour", "meaning": "the power of a field's worth to which its force is proportional", "min": 0, "max": 4, "start": 1, "step": 0.5},
        {"name": "noise", "meaning": "the share of a force that is random", "min": 0, "max": 1, "start": 0.2, "step": 0.2},
        {"name": "empty", "meaning": "how many of the least fields get no force", "kind": "integer", "min": 0, "max": 4, "start": 0, "step": 1},
    ],
    "references": [
        {"name": "even", "meaning": "the same force everywhere", "parameters": [0, 0, 0]},
        {"name": "by-worth", "meaning": "forces in proportion to the worth", "parameters": [1, 0, 0]},
    ],
    "baseline": "by-worth",
    "deterministic": True,
}
SETTINGS = {reference["name"]: reference["parameters"] for reference in DESCRIPTION["references"]}


def forces(player, fields, chance):
    favour, noise, empty = SETTINGS[player] if isinstance(player, str) else player
    held = sorted(range(len(fields)), key=lambda field: fields[field])[empty:]
    weights = [0.0] * len(fields)
    for field in held:
        weights[field] = fields[field] ** favour * (1 - noise + noise * chance.random())
    total = sum(weights) or 1.0
    return [100 * weight / total for weight in weights]


def payoff(first, second, deal):
    """The payoff to the player `first`; each seat has its own random numbers."""
    fields = random.Random(f"{deal} fields").choices(range(1, 10), k=5)
    ours = forces(first, fields, random.Random(f"{deal} first"))
    theirs = forces(second, fields, random.Random(f"{deal} second"))
    points = sum(worth * ((x > y) - (x < y)) for worth, x, y in zip(fields, ours, theirs))
    return (points > 0) + 0.5 * (points == 0)


for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = DESCRIPTION
    elif "pair" in message:
        a, b, deal = message["a"], message["b"], message["deal"]
        answer = {"pair": message["pair"], "payoffs": [payoff(a, b, deal), 1 - payoff(b, a, deal)]}
    else:
        break
    print(json.dumps(answer), flush=True)
