"""Tests of game trees in Gambit's format, with OpenSpiel."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .conftest import CommandLine


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice_4", "goofspiel_4", "morra"])
def test_openspiel_finds_the_same_best_responses(name: str, command_line: CommandLine) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    policy = pytest.importorskip("open_spiel.python.policy")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    words = [sys.executable, "-m", "ruse", "export", f"{name}.kif", "--efg"]
    tree = subprocess.run(words, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    game = pyspiel.load_efg_game(tree)
    # What both best responses to uniform play gain together, in points of the goals.
    gained = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert command_line("exploit", f"{name}.kif", "random")["exploitability"] == pytest.approx(gained / 200, abs=1e-9)
