"""Tests of tables in text form, and of games from rule files."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ruse

RULES = """
; Two players take one or two of five stones in turn; whoever takes the last one wins.
(role first) (role second)
(init (stones 5)) (init (control first))
(<= (legal ?p (take ?n)) (true (control ?p)) (true (stones ?s)) (minus ?s ?n ?r))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (stones ?r)) (true (stones ?s)) (does ?p (take ?n)) (minus ?s ?n ?r))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (stones 0)))
(<= (goal ?p 100) (role ?p) (true (stones 0)) (not (true (control ?p))))
(<= (goal ?p 0) (role ?p) (true (stones 0)) (true (control ?p)))
(<= (goal ?p 50) (role ?p) (not (true (stones 0))))
(minus 5 1 4) (minus 5 2 3) (minus 4 1 3) (minus 4 2 2) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
"""


@pytest.mark.parametrize("family", [name for name in ruse.families()["name"] if not name.startswith("rts")])
@pytest.mark.parametrize("seat", ["first", "second"])
def test_every_family_is_played_to_its_end(family: str, seat: str) -> None:
    table = ruse.table(family, seat=seat, seed=2)  # type: ignore[arg-type]
    assert len(table.rules) > 100 and table.view() and not table.over and table.result is None
    with pytest.raises(ruse.RuseError, match="until it is over"):
        table.everything()
    num_actions = 0
    while not table.over and num_actions < 3000:
        choices, hint = table.choices(), table.hint()
        assert set(choices) == set(table.meanings)
        table.act(hint or choices[0])
        num_actions += 1
    if table.over:
        assert table.result is not None and 0 <= table.result <= 1
        assert table.everything() and len(table.actions) >= num_actions
        with pytest.raises(ruse.RuseError, match="the game is over"):
            table.act("1")


@pytest.mark.parametrize("family", list(ruse.families()["name"]))
def test_programs_know_what_they_may_type(family: str) -> None:
    """Checks that played actions match the grammar, and plays each choice at another table of the same deal."""
    table = ruse.table(family, seed=3)
    typed: list[str] = []
    while not table.over and len(typed) < 6:
        choices, grammar, hint = table.choices(), table.grammar(), table.hint()
        assert hint is not None and len(choices) == len(set(choices))
        for action in (*choices, hint):
            assert re.fullmatch(grammar, action), (action, grammar)
        for wrong in ("", "nonsense", hint + "!"):
            assert not re.fullmatch(grammar, wrong), (wrong, grammar)
        if table.lists_all and not family.startswith(("batawaf", "rts", "war")):
            # In these games an action can be written in several ways.
            assert hint in choices
        for choice in choices[:40]:
            other = ruse.table(family, seed=3)
            for earlier in typed:
                other.act(earlier)
            other.act(choice)
        if not choices:
            assert family.startswith(("battleship", "rts")) and not table.lists_all
        typed.append(choices[-1] if choices and len(typed) % 2 == 0 else hint)
        table.act(typed[-1])


def test_choices_are_all_legal_actions() -> None:
    table = ruse.table("nim", seed=1)
    heaps = [f"{heap} {count}" for heap, size in enumerate((1, 3, 5, 7), 1) for count in range(1, size + 1)]
    assert sorted(table.choices()) == heaps and table.lists_all
    assert ruse.table("four-in-a-row", seat="first").choices() == list("abcdefg")
    assert len(ruse.table("guess-who").choices()) == 127
    ships = ruse.table("battleship", seed=1)
    assert ships.choices() == [] and not ships.lists_all and re.fullmatch(ships.grammar(), "a1-b1 c3-c5 e2-h2 a9-e9")
    ships.act("random")
    assert len(ships.choices()) == 81 and ships.lists_all
    # There is one choice for each first wish; the others are written in the same way.
    phantom = ruse.table("phantom-four", seed=1)
    assert len(phantom.choices()) == 7 and not phantom.lists_all and re.fullmatch(phantom.grammar(), "d c")


def test_a_move_that_is_a_number_is_no_place_in_a_list() -> None:
    """The moves are called 2, 3 and 5. A typed number means the move, and not its place in the list."""
    rules = """
(role first) (role second)
(<= (legal ?p ?n) (role ?p) (number ?n) (not (true over)))
(number 2) (number 3) (number 5)
(<= (next over) (does ?p ?n)) (<= (next (did ?p ?n)) (does ?p ?n))
(<= terminal (true over))
(<= (goal ?p ?g) (true (did ?p ?n)) (worth ?n ?g)) (<= (goal ?p 50) (role ?p) (not (true over)))
(worth 2 0) (worth 3 50) (worth 5 100)
"""
    for choice in ("2", "3"):
        table = ruse.table(ruse.rule_file(rules, name="numbers"), "random", seed=1)
        assert sorted(table.choices()) == ["2", "3", "5"]
        table.act(choice)
        assert ("first", choice) in table.actions


def test_mistakes_change_nothing() -> None:
    table = ruse.table("nim", "optimal", seed=1)
    before = table.view()
    for action in ("nonsense", "", "999", "1 2 3 4", "\x00", "é" * 10_000):
        with pytest.raises(ruse.RuseError):
            table.act(action)
    with pytest.raises(ruse.RuseError, match="an action is a text"):
        table.act(3)  # type: ignore[arg-type]
    assert table.view() == before
    with pytest.raises(ruse.RuseError, match="nothing to take back"):
        table.take_back()
    table.act("2 1")
    assert table.view() != before
    table.take_back()
    assert table.view() == before
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: ruse.table("nim", "optmal"), "there is no strategy"),
        (lambda: ruse.table("nim", seat="third"), 'must be "first" or "second"'),  # type: ignore[arg-type]
        (lambda: ruse.table("nim", seed=-1), "seed is -1"),
    ]
    for call, message in cases:
        with pytest.raises(ruse.RuseError, match=message):
            call()


def test_a_table_may_be_used_by_other_threads() -> None:
    table = ruse.table("pig", seed=1)
    views: list[str] = []
    thread = threading.Thread(target=lambda: views.append(table.view()))
    thread.start()
    thread.join()
    assert views == [table.view()]


def test_what_is_hidden_stays_hidden() -> None:
    """Before the first shot, games with different fleets of the opponent look the same."""
    views = {ruse.table("battleship", seed=seed).view() for seed in range(5)}
    assert len(views) == 1


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    stones = ruse.rule_file(RULES, name="stones")
    assert stones.game == "stones" or "stones" in stones.name
    # With five stones the first player takes two, and wins.
    league = stones.match("uct@200", "random", pairs=20)
    assert league.score > 0.5
    table = ruse.table(stones, "random")
    while not table.over:
        table.act(table.choices()[0])
    assert table.result in (0, 1)
    run = stones.optimise("naive", budget=400, out=tmp_path / "run")
    assert run.champion.family == stones
    with pytest.raises(ruse.RuseError) as raised:
        ruse.rule_file("(role first) (role second)\n(<= (legal first a) (true ?x)\n")
    assert "game.kif:2" in str(raised.value)
    with pytest.raises(ruse.RuseError, match="is not a name of a game"):
        ruse.rule_file(RULES, name="../x")
