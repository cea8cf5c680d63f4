"""Trains a network on tic-tac-toe with MaskablePPO, and looks for its strongest opponent before and after.

It takes sb3-contrib (`pip install sb3-contrib`) and a minute. Tactics against a random opponent are learned, but an opponent
that is trained against the network still wins every game.
"""

from __future__ import annotations

from typing import Any

from sb3_contrib import MaskablePPO  # pyright: ignore[reportMissingImports]

import ruse

STEPS = 20_000


def show(model: Any, when: str) -> None:
    """Prints the score of the network against random play, and of the strongest opponent found against the network."""
    game = ruse.family("tic_tac_toe.kif")

    def network(seen: Any, mask: Any) -> int:
        action, _ = model.predict(seen, action_masks=mask, deterministic=True)
        return int(action)

    score = game.match(network, "random", pairs=300)
    response = game.exploit(network, budget=6000)
    print(f"{when}: {score.score:.3f} against random play; its strongest opponent scores {response.score:.3f}")


if __name__ == "__main__":
    model = MaskablePPO("MlpPolicy", ruse.gymnasium.make("tic_tac_toe.kif", against="random"), n_steps=1024, seed=1)
    show(model, "untrained")
    model.learn(STEPS)
    show(model, f"after {STEPS:,} steps")
