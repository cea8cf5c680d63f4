"""Tests of the example that lets a language model play, or write a strategy. A server of the tests stands in for the model."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import ruse

EXAMPLE = Path(__file__).parents[1] / "examples" / "language_model.py"


class Model:
    """A server that answers requests for chat completions, and keeps them."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        #: The contents of answers. An integer in place of a text is the status of an error.
        self.answer: Callable[[dict[str, Any]], str | int | dict[str, Any]] = lambda request: "hello"
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.requests.append(request)
                model.keys.append(self.headers["Authorization"])
                told = model.answer(request)
                if isinstance(told, str):
                    told = {"choices": [{"message": {"role": "assistant", "content": told}}]}
                status = told if isinstance(told, int) else 200
                try:
                    self.send_response(status)
                    self.end_headers()
                    self.wfile.write(b"not today" if status != 200 else json.dumps(told).encode())
                except BrokenPipeError:
                    pass  # The program was ended.

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/chat/completions"

    def texts(self) -> list[str]:
        """Returns the last message of each request."""
        return [request["messages"][-1]["content"] for request in self.requests]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    found = Model()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    for name, value in {"URL": found.url, "NAME": "stand-in", "KEY": "secret", "FIELDS": '{"temperature": 0}'}.items():
        monkeypatch.setenv(f"MODEL_{name}", value)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


@pytest.fixture
def example() -> Any:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("language_model", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def player(*options: str, clock: str = "60s") -> str:
    return f"program@{clock}:" + shlex.join([sys.executable, str(EXAMPLE), "play", *options])


def legal(request: dict[str, Any]) -> list[str]:
    """Returns the legal moves that the last message of a request lists."""
    found = re.search("Legal moves: (.*)", request["messages"][-1]["content"])
    assert found, request
    return found[1].split(", ")


def mistakes(command_line: Any, *arguments: object) -> tuple[float, dict[str, Any]]:
    """Plays a match that the program loses by mistakes, and returns its score and its mistakes."""
    told = command_line("match", *arguments, "--threads", 1, code=1)
    (found,) = told["mistakes"]
    return told["score"], found


def test_answers_in_prose_are_moves(model: Model, command_line: Any) -> None:
    model.answer = lambda request: f"Not (mark 9 9), I think.\n**Move:** {min(legal(request))}."
    told = command_line("match", "tic_tac_toe.kif", player(), "first-legal", "--pairs", 2, "--threads", 1)
    assert told["mistakes"] == []
    # The model takes the first move of the list, like its opponent. Then x marks 1 1, 1 3, 2 2 and 3 1, and wins.
    assert (told["wins"], told["draws"], told["losses"]) == (2, 0, 2)
    first = model.requests[0]
    assert first["model"] == "stand-in" and first["temperature"] == 0 and model.keys[0] == "Bearer secret"
    rules, position = (message["content"] for message in first["messages"])
    assert "first player" in rules and "three own marks in a line win" in rules
    assert "(cell 2 2 empty)" in position and len(legal(first)) == 9
    assert {"first", "second"} == {request["messages"][0]["content"].split(" player.")[0].split()[-1] for request in model.requests}


def test_an_illegal_answer_is_asked_again(model: Model, command_line: Any) -> None:
    def answer(request: dict[str, Any]) -> str:
        is_first = len(request["messages"]) == 2
        return "move: 9 9" if is_first else f"move: {legal(request)[0]}"

    model.answer = answer
    told = command_line("match", "nim", player(), "random", "--pairs", 3, "--threads", 1)
    assert told["mistakes"] == []
    again = model.requests[1::2]
    assert again and len(model.requests) == 2 * len(again)
    for request in again:
        assert [message["role"] for message in request["messages"]] == ["system", "user", "assistant", "user"]
        assert request["messages"][2]["content"] == "move: 9 9"
        assert request["messages"][3]["content"].startswith("Your answer does not end with a legal move.")


def test_answers_without_a_move_lose(model: Model, command_line: Any) -> None:
    model.answer = lambda request: "I would rather\ntalk about the weather."
    score, found = mistakes(command_line, "nim", player(), "random", "--pairs", 3)
    assert score == 0.0
    assert found["name"] == "stand-in" and found["games"] == 6 and found["lost"] == {"illegal": 6}
    assert "no legal move in: I would rather talk about the weather." in found["first"]
    assert len(model.requests) == 12, "each game asks twice"


def test_a_refused_request_ends_the_program(model: Model, command_line: Any) -> None:
    model.answer = lambda request: 401
    score, found = mistakes(command_line, "nim", player(), "random", "--pairs", 3)
    # A program is started four times, and each start loses a game.
    assert score == 0.0 and found["lost"] == {"ended": 4, "unavailable": 2} and found["decisions"] == 0
    assert "HTTP Error 401: Unauthorized: not today" in found["first"]
    assert len(model.requests) == 4, "a refusal is not asked again"


@pytest.mark.parametrize("told", [{}, {"choices": []}, {"choices": [{"message": None}]}])
def test_an_answer_of_another_form_ends_the_program(told: dict[str, Any], model: Model, command_line: Any) -> None:
    model.answer = lambda request: told
    score, found = mistakes(command_line, "nim", player(), "random", "--pairs", 1)
    assert score == 0.0 and found["lost"] == {"ended": 2} and "no answer of the expected form" in found["first"]


def test_a_busy_server_is_asked_again(model: Model, example: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(example.time, "sleep", pauses.append)
    answers: list[str | int] = [503, 429, "1 2"]
    model.answer = lambda request: answers.pop(0)
    assert example.ask([{"role": "user", "content": "hello"}]) == "1 2" and pauses == [1, 4]
    model.answer = lambda request: 500
    with pytest.raises(SystemExit, match="HTTP Error 500"):
        example.ask([])
    assert len(model.requests) == 6


def test_a_late_answer_loses(model: Model, command_line: Any) -> None:
    may_answer = threading.Event()

    def answer(request: dict[str, Any]) -> str:
        may_answer.wait(60)
        return "1 1"

    model.answer = answer
    score, found = mistakes(command_line, "nim", player(clock="1s"), "random", "--pairs", 1)
    may_answer.set()
    assert score == 0.0 and found["lost"] == {"late": 2} and found["first"] == "no answer within 1000 ms"


def test_requests_name_the_moves(model: Model, command_line: Any) -> None:
    def answer(request: dict[str, Any]) -> str:
        regex = request["structured_outputs"]["regex"]
        assert [move for move in legal(request) if not re.fullmatch(regex, move)] == []
        assert not re.fullmatch(regex, "mark 1 1")
        return legal(request)[-1]

    model.answer = answer
    told = command_line(
        "match", "tic_tac_toe.kif", player("--constrain", "structured_outputs.regex"), "random", "--pairs", 2, "--threads", 1
    )
    assert told["mistakes"] == [] and model.requests
    assert all("Answer with a move and nothing else." in text for text in model.texts())


def test_moves_that_are_not_listed_match_the_grammar(model: Model, command_line: Any) -> None:
    def answer(request: dict[str, Any]) -> str:
        assert "Moves match this regular expression: " in request["messages"][-1]["content"]
        assert re.fullmatch(request["regex"], "a1-b1 c3-c5 e2-h2 a9-e9")
        return "a1-b1 c3-c5 e2-h2 a9-e9"

    model.answer = lambda request: answer(request) if "regular" in request["messages"][-1]["content"] else legal(request)[0]
    told = command_line("match", "battleship", player("--constrain", "regex"), "random", "--pairs", 1, "--threads", 1)
    assert told["mistakes"] == [] and len(model.requests) > 20


def test_the_move_is_the_first_after_the_last_mark(example: Any) -> None:
    moves = ["1 1", "1 10", "2 1"]
    assert example.chosen("2 1", moves) == "2 1"
    assert example.chosen("move: 1 10", moves) == "1 10"
    assert example.chosen("1 1, or Move: 2 1? MOVE: 1 1 beats 2 1", moves) == "1 1"
    assert example.chosen("1 1 is tempting. move: resign", moves) is None
    assert example.chosen("11 12", moves) is None
    assert example.chosen("shoot at b7!", None, "[a-i][1-9]") == "b7"


def test_a_model_plays_at_a_table(model: Model, example: Any) -> None:
    """The lines on the page docs/games/language-models.md."""
    model.answer = lambda request: f"move: {legal(request)[-1]}"
    ask, chosen = example.ask, example.chosen
    table = ruse.table("nim", against="random", seed=1)
    while not table.over:
        moves = table.choices()
        prompt = f"{table.rules}\n{table.view()}\nLegal moves: {', '.join(moves)}\nEnd with `move:` and your move."
        answer = ask([{"role": "user", "content": prompt}])
        table.act(chosen(answer, moves) or "random")
    assert table.result in (0.0, 1.0)
    assert [typed for seat, typed in table.actions if seat == "first"] == [legal(request)[-1] for request in model.requests]


WRONG = """Here it is:
```text
x:
  play (mrk 2 2)
```
"""
RIGHT = """I am sorry.
```
 x:
    if it wins play (mark ?a ?b)
    if it is safe play (mark ?a ?b)
o:
    if it wins play (mark ?a ?b)
    if it is safe play (mark ?a ?b)
```
It wins."""


def written(directory: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLE), "write", "tic_tac_toe.kif", "--out", "mine.yaml"]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def test_a_model_writes_a_strategy(model: Model, tmp_path: Path) -> None:
    answers = [WRONG, RIGHT]
    model.answer = lambda request: answers.pop(0)
    done = written(tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "attempt 1: line 2: the rule file does not contain the word `mrk`"
    assert "x:\n  if it wins play (mark ?a ?b)\n  if it is safe play (mark ?a ?b)\n  play any\no:" in done.stdout
    first, second = model.requests
    prompt = first["messages"][0]["content"]
    assert "three own marks in a line win" in prompt and "you are x" in prompt and "you are o" in prompt
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert "line 2: the rule file does not contain the word `mrk`" in second["messages"][2]["content"]
    strategy = ruse.Strategy.read(tmp_path / "mine.yaml")
    assert lines[-2] == f"score against random play: {strategy.family.match(strategy, 'random').score:.4f}"
    assert lines[-1] == f"exploitability: {ruse.exploit(strategy).low:.4f}"
    # The file is kept.
    again = written(tmp_path)
    assert again.returncode == 1 and "mine.yaml exists" in again.stderr and len(model.requests) == 2
    run = strategy.family.optimise(
        "local-search", budget="5k", seed=1, start=tmp_path / "mine.yaml"
    )
    assert run.score.score > 0.5


def test_a_model_that_writes_only_mistakes_stops(model: Model, tmp_path: Path) -> None:
    model.answer = lambda request: WRONG
    done = written(tmp_path)
    assert done.returncode == 1 and done.stdout.count("attempt") == len(model.requests) == 4
    assert "mine.yaml has the last program, with its mistake" in done.stderr
