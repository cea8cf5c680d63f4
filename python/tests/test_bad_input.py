"""Invalid input raises an error that states what is wrong, and nothing is done."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ruse

WAR = ruse.family("war")
PIG = ruse.family("pig")


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: ruse.family("wra"), "there is no family `wra`; did you mean `war`"),
    (lambda: ruse.family(3), "the name of a family is a text, and not 3"),  # type: ignore[arg-type]
    (lambda: ruse.family("war", {"rank": 3}), "`rank`"),
    (lambda: ruse.family("war", {"ranks": -3}), "the rule ranks is -3"),
    (lambda: ruse.family("war", {"ranks": 2.5}), "the rule ranks is 2.5"),  # type: ignore[dict-item]
    (lambda: ruse.family("no/such.kif"), "no/such.kif"),
    (lambda: WAR.strategy("descnding"), "there is no strategy or strategy file `descnding`"),
    (lambda: WAR.strategy([1, 2]), "2 parameters given, 3 expected"),
    (lambda: WAR.strategy([1, np.nan, 2]), "is NaN, and must be a finite number"),
    (lambda: WAR.strategy([1, np.inf, 2]), "must be a finite number"),
    (lambda: WAR.strategy([[1, 2, 3]]), r"of shape \(1, 3\), and must be of shape \(3,\)"),
    (lambda: WAR.strategy(["a", "b", "c"]), "must be one of numbers"),
    (lambda: WAR.strategy([1j, 2, 3]), "must be one of numbers"),
    (lambda: WAR.strategy([[1], [2, 3]]), "not an array of numbers"),
    (lambda: WAR.strategy(PIG.strategy("hold-20")), "one of family"),
    (lambda: WAR.strategy("random").svg(), "random has no parameters"),
    (lambda: WAR.mixture(["random"], [1, 2]), r"of shape \(2,\), and must be of shape \(1,\)"),
    (lambda: WAR.mixture(["random"], [-1]), "weight"),
    (lambda: WAR.match("random", pairs=0), "pairs: 0 is out of range"),
    (lambda: WAR.match("random", pairs="many"), "pairs: "),
    (lambda: WAR.match("random", pairs=2.5), "pairs is 2.5"),
    (lambda: WAR.match("random", pairs=np.inf), "pairs is inf"),
    (lambda: WAR.match("random", pairs=0.0), "pairs: 0 is out of range"),
    (lambda: WAR.match("random", seed=-1), "seed is -1, and must be a whole number from 0"),
    (lambda: WAR.match("random", seed=2**64), "seed is 18446744073709551616"),
    (lambda: WAR.match("random", threads=0), "threads is 0"),
    (lambda: WAR.evaluate([1, 2, 3]), r"thetas is of shape \(3,\), and must be of shape \(n, 3\)"),
    (lambda: WAR.evaluate(np.zeros((2, 4))), r"must be of shape \(n, 3\)"),
    (lambda: WAR.evaluate(np.full((2, 3), np.nan)), "is NaN"),
    (lambda: WAR.evaluate(np.array([["x"] * 3])), "must be one of numbers"),
    (lambda: WAR.evaluate(np.zeros((2, 3), dtype=object)), "array of object"),
    (lambda: WAR.race("random", comparison="beting"), "there is no comparison `beting`"),
    (lambda: WAR.race("random", delta=2), "delta: "),
    (lambda: WAR.race("random", delta="x"), "delta is 'x', and must be a number"),  # type: ignore[arg-type]
    (lambda: WAR.league(["random"]), "2 to 1000 members, and not 1"),
    (lambda: WAR.optimise("cma"), "^optimise: method: there is no method `cma`"),
    (lambda: WAR.optimise(bugdet=3), "^optimise has no keyword `bugdet`; did you mean `budget`\\?$"),
    (lambda: WAR.optimise(evaluation_pair=3), "^optimise has no keyword `evaluation_pair`; did you mean `evaluation_pairs`"),
    (lambda: WAR.optimise(budget=1000, sigma=-1), "^optimise: sigma: "),
    (lambda: ruse.compare("war", bugdet=3), "^compare has no keyword `bugdet`; did you mean `budget`\\?$"),
    (lambda: ruse.compare("war", ["niave"]), "^compare: methods: there is no method `niave`"),
    (lambda: WAR.optimise("all", budget="10k"), "ruse.compare takes several"),
    (lambda: WAR.optimise(budget="10x"), "budget"),
    (lambda: WAR.optimise(callback=3), "callback is 3"),  # type: ignore[arg-type]
    (lambda: WAR.optimise(start=[1, 2], budget=100), "2 parameters given, 3 expected"),
    (lambda: WAR.exploit("random", restarts=0), "restarts is 0"),
    (lambda: ruse.compare("wra"), "there is no family `wra`"),
    (lambda: ruse.run("no-such-file.yaml"), "there is no file no-such-file.yaml"),
    (lambda: ruse.plan("no-such-file.yaml"), "there is no file no-such-file.yaml"),
    (lambda: ruse.open("no-such-directory"), "no-such-directory"),
    (lambda: ruse.Strategy.read("no-such-file.yaml"), "no-such-file.yaml"),
    (lambda: ruse.Race(levels=0), "levels is 0"),
    (lambda: ruse.Race().push(np.nan), "NaN is not a score"),
    (lambda: ruse.families()["nome"], "there is no column `nome`"),
    (lambda: ruse.Table({"a": [1], "b": [1, 2]}), "equally long"),
]


@pytest.mark.parametrize(("call", "message"), CASES, ids=[message for _, message in CASES])
def test_it_is_said_what_is_wrong(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ruse.RuseError, match=message):
        call()


def test_errors_have_the_text_of_the_command_line() -> None:
    words = [sys.executable, "-m", "ruse", "match", "war", "descnding", "random"]
    printed = subprocess.run(words, capture_output=True, text=True, check=False)
    assert printed.returncode == 2 and printed.stdout == ""
    with pytest.raises(ruse.RuseError) as raised:
        WAR.match("descnding", "random")
    told = " ".join(printed.stderr.removeprefix("error: ").replace("tip: ", "").split())
    for part in str(raised.value).split("; "):
        assert " ".join(part.split()) in told, (part, told)
    assert isinstance(raised.value, ValueError)


def test_a_mistake_in_a_file_has_its_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("family: war\nbudget: 10k\nmethod: niave\n")
    with pytest.raises(ruse.RuseError) as raised:
        ruse.plan(file)
    text = str(raised.value)
    assert "there is no method `niave`" in text and "bad.yaml:3:9" in text and "\x1b" not in text
