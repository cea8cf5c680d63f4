"""Tests of families, strategies and players."""

from __future__ import annotations

import importlib.metadata
import pickle
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import ruse

from .conftest import CommandLine


def test_families_are_those_of_the_command_line(command_line: CommandLine) -> None:
    listed = command_line("list")["families"]
    families = ruse.families()
    assert families["name"].tolist() == [family["family"] for family in listed]
    assert families["dimension"].tolist() == [family["parameters"] for family in listed]
    assert "cma-es" in ruse.methods()


def test_a_family_tells_what_it_is() -> None:
    war = ruse.family("war", rules={"ranks": 6, "suits": 6})
    assert war.rules["ranks"] == 6
    assert war.space.names == ["A", "B", "C"]
    assert war.space.dimension == len(war.space.zeros()) == len(war.space.meanings) == 3
    assert war.space.sample(1, 5).shape == (5, 3)
    assert set(war.references) == {"random", "ascending", "descending"}
    assert "best card first" in war.references["descending"]
    assert war != ruse.family("war") and war == ruse.family("war", {"suits": 6, "ranks": 6})
    assert "Default budget: 5,000,000 games." in str(ruse.family("war"))
    assert repr(war) == "family('war', rules={'ranks': 6, 'suits': 6})"


def test_strategies_are_named_in_many_ways(tmp_path: Path) -> None:
    war = ruse.family("war")
    best = war.strategy([0, -9, 9])
    assert best.parameters is not None and best.parameters.tolist() == [0, -9, 9]
    assert best == war.strategy(np.array([0, -9, 9], dtype=np.int32)) == war.strategy("[0,-9,9]")
    assert best != war.strategy("descending") and hash(best) == hash(war.strategy(best))
    assert "reverse order" in best.words and "<svg" in best.svg() and "<svg" in best._repr_html_()
    file = tmp_path / "best.yaml"
    best.save(file)
    assert ruse.Strategy.read(file) == best == war.strategy(file)
    with pytest.raises(FileExistsError):
        best.save(file)
    both = war.mixture([best, "random"], [1, 3])
    saved = tmp_path / "both.yaml"
    both.save(saved)
    assert war.match(both, "ascending", pairs=100) == war.match(saved, "ascending", pairs=100)
    named = tmp_path / "named.yaml"
    war.strategy("descending").save(named)
    assert war.match(named, "random", pairs=50).score == war.match("descending", "random", pairs=50).score


@pytest.mark.parametrize("who", ["baseline", "random", [0.5, 1, -2]])
def test_public_objects_survive_pickling(who: object) -> None:
    war = ruse.family("war", {"suits": 6})
    strategy = war.strategy(who)  # type: ignore[arg-type]
    match = war.match(strategy, "random", pairs=20)
    objects = [war, war.space, strategy, match, war.race(strategy, "random", precision=0.1), ruse.families()]
    for original in objects:
        assert pickle.loads(pickle.dumps(original)) == original
    race = ruse.Race()
    race.push(0.5)
    assert pickle.loads(pickle.dumps(race)).observations == 1
    league = war.league([strategy, "descending"], pairs=20)
    again = pickle.loads(pickle.dumps(league))
    assert np.array_equal(again.scores, league.scores)
    assert again.nash().exploitability == league.nash().exploitability


def test_names_of_the_package() -> None:
    assert {"external", "nevergrad", "optuna", "pettingzoo", "family", "open"} <= set(dir(ruse))
    names: dict[str, object] = {}
    exec("from ruse import *", names)
    assert "open" not in names and names["family"] is ruse.family


def test_the_licences_are_in_the_package() -> None:
    files = {path.name: path for path in importlib.metadata.files("ruse") or [] if "licenses" in path.parts}
    assert set(files) == {"LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.md"}
    text = files["THIRD-PARTY.md"].read_text()
    assert "- pyo3 " in text and "DejaVu" in text and "Bitstream Vera" in text


LARGER_WINS = """
import json
import sys

DESCRIPTION = {
    "family": "larger-wins",
    "parameters": [{"name": "x", "min": 0, "max": 4}],
    "references": [{"name": "least", "parameters": [0]}, {"name": "half", "parameters": [2]}],
    "baseline": "least",
    "deterministic": True,
}
NAMED = {"least": [0], "half": [2]}

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = DESCRIPTION
    elif "pair" in message:
        a, b = (NAMED[x] if isinstance(x, str) else x for x in (message["a"], message["b"]))
        answer = {"pair": message["pair"], "payoffs": [((a > b) - (a < b) + 1) / 2] * 2}
    else:
        break
    print(json.dumps(answer), flush=True)
"""


def test_a_program_plays_the_games_of_a_family(tmp_path: Path) -> None:
    program = tmp_path / "larger_wins.py"
    program.write_text(LARGER_WINS, encoding="utf-8")
    family = ruse.family("program:" + shlex.join([sys.executable, str(program)]))
    assert family.space.names == ["x"]
    assert set(family.references) == {"least", "half"}
    assert family.match("half", "least", pairs=50).score == 1.0
    assert family.match([1.0], "half", pairs=50, threads=1).score == 1.0
    assert family.optimise("es", budget="1k", seed=1).score.score == 1.0
    with pytest.raises(ruse.RuseError, match="cannot start"):
        ruse.family(f"program:{tmp_path}/missing")


PLAYER = """
import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        print(json.dumps({"name": "mine"}), flush=True)
    elif "new" in message:
        draw = random.Random(message["seed"])
    elif "move" in message:
        print(json.dumps({"move": MOVE}), flush=True)
"""


def test_a_program_plays(tmp_path: Path) -> None:
    nim = ruse.family("nim")

    def player(name: str, move: str) -> str:
        file = tmp_path / name
        file.write_text(PLAYER.replace("MOVE", move), encoding="utf-8")
        return "program:" + shlex.join([sys.executable, str(file)])

    mine = player("mine.py", 'draw.choice(message["legal"])')
    played = nim.match(mine, "random", pairs=100)
    assert 0.2 < played.score < 0.8
    assert nim.match(mine, "optimal", pairs=20).score < 0.1
    with pytest.warns(RuntimeWarning, match="by illegal moves"):
        assert nim.match(player("wrong.py", '"nonsense"'), "random", pairs=5).score == 0.0
    with pytest.raises(ruse.RuseError, match="cannot start"):
        nim.match(f"program:{tmp_path}/missing", "random", pairs=5)
