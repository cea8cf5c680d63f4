"""Lets a language model play a game, or write a strategy that people can read.

    ruse match nim "program@60s:python3 language_model.py play" uct@100 --pairs 10
    python3 language_model.py write tic_tac_toe.kif --out mine.yaml

The environment names the model: MODEL_URL, as in http://localhost:8080/v1/chat/completions, MODEL_NAME and MODEL_KEY.
MODEL_FIELDS adds fields to each request, as in {"temperature": 0}. `play` needs no package; `write` needs `ruse`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PAUSES = (1, 4)  # seconds before a request that a busy server refused is sent again
ATTEMPTS = 4  # programs that the model may write until one has no mistake

PROGRAMS = """Write a program that plays all roles well. A program is a block for each role: its name with a colon, then
up to ten lines such as `play MOVE`, `if CONDITION play MOVE` or `if CONDITION and CONDITION play MOVE`.
The role plays the first line that fits a legal move. In MOVE, `?a` is an argument that may be anything. A CONDITION is a
fact as in a position, which may contain variables of the move, `_` for anything, and `>=5` or `<5` for numbers. `it wins`
and `it is safe` look one move ahead. If a role does not see everything, conditions are only `saw PERCEPT` and `did MOVE`.
`not` negates a condition. An example for tic-tac-toe:
```
x:
  if it wins play (mark ?a ?b)
  play (mark 2 2)
o:
  if it is safe and not (cell _ ?b x) play (mark ?a ?b)
```
Answer with the program in a block between lines of three backquotes."""


def ask(messages: list[dict[str, str]], **fields: Any) -> str:
    """Returns the answer of the model to a conversation. If the server does not answer, the program ends."""
    more = json.loads(os.environ.get("MODEL_FIELDS", "{}"))
    body = {"model": os.environ.get("MODEL_NAME", ""), "messages": messages, **more, **fields}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('MODEL_KEY', '')}"}
    url = os.environ.get("MODEL_URL") or sys.exit("MODEL_URL is not set")
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    pauses = iter(PAUSES)
    while True:
        try:
            with urllib.request.urlopen(request) as answer:
                return str(json.load(answer)["choices"][0]["message"]["content"] or "")
        except urllib.error.HTTPError as error:
            pause = next(pauses, None) if error.code == 429 or error.code >= 500 else None
            if pause is None:
                sys.exit(f"{url}: {error}: {error.read(300).decode(errors='replace')}")
            time.sleep(pause)
        except (OSError, ValueError, LookupError, TypeError) as error:
            sys.exit(f"{url}: no answer of the expected form: {error!r}")


def constraint(field: str | None, legal: list[str] | None, grammar: str) -> dict[str, Any]:
    """Returns the field of a request that allows only moves. In its name, dots precede names of inner fields."""
    allowed: Any = grammar if legal is None else "|".join(re.sub(r"([^\w ])", r"\\\1", move) for move in legal)
    for name in reversed(field.split(".") if field else []):
        allowed = {name: allowed}
    return dict(allowed) if field else {}


def chosen(answer: str, legal: list[str] | None, grammar: str = "") -> str | None:
    """Returns the first move after the last `move:` of an answer, or the first of all."""
    said = re.split("move:", answer, flags=re.IGNORECASE)[-1]
    # The longest move first: `1 10` begins with `1 1`.
    moves = grammar if legal is None else "|".join(map(re.escape, sorted(legal, key=len, reverse=True)))
    found = re.search(rf"(?<!\w)(?:{moves})(?!\w)", said)
    return found[0] if found else None


def move(rules: str, request: dict[str, Any], field: str | None) -> str:
    """Asks for a move, and once more if the answer has none. A text that is not a move then loses the game."""
    legal, grammar = request.get("legal"), request.get("grammar", "")
    form = "Answer with a move and nothing else." if field else "End with a line of `move:` and your move."
    choices = f"Legal moves: {', '.join(legal)}" if legal else f"Moves match this regular expression: {grammar}"
    messages = [{"role": "system", "content": rules}, {"role": "user", "content": f"{request['text']}\n{choices}\n{form}"}]
    for _ in range(2):
        answer = ask(messages, **constraint(field, legal, grammar))
        if found := chosen(answer, legal, grammar):
            return found
        told = f"Your answer does not end with a legal move. {choices}\n{form}"
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": told}]
    return f"no legal move in: {' '.join(messages[-2]['content'].split())[-80:]}"


def play(field: str | None) -> None:
    """Plays games as `ruse` asks for moves, a line of JSON each."""
    rules = told = ""
    for line in sys.stdin:
        message = json.loads(line)
        if "hello" in message:
            rules = message["hello"]["how-to-play"]
            print(json.dumps({"name": os.environ.get("MODEL_NAME", "model")}), flush=True)
        elif "new" in message:
            told = f"You play a game to win, and are the {message['seat']} player.\n{rules}"
        elif "move" in message:
            print(json.dumps({"move": move(told, message, field)}), flush=True)


def write(game: str, out: Path) -> None:
    """Lets the model write a program for a rule file, and prints its score and exploitability."""
    import ruse
    if out.exists():
        sys.exit(f"{out} exists")
    family = ruse.family(f"{game}:program")
    tables = [ruse.table(game, against="random", seat=seat, seed=1) for seat in ("first", "second")]
    positions = [f"A position:\n{table.view()}\nLegal moves: {', '.join(table.choices())}" for table in tables]
    messages = [{"role": "user", "content": "\n\n".join([tables[0].rules, *positions, PROGRAMS])}]
    for attempt in range(1, ATTEMPTS + 1):
        answer = ask(messages)
        block = re.search(r"```[^\n]*\n(.*?)```", answer, re.DOTALL)
        text = "\n".join(f"  {line}" for line in (block[1] if block else answer).splitlines())
        out.write_text(f"family: {json.dumps(family.name)}\nparameters: |2\n{text}\n", encoding="utf-8")
        try:
            strategy = family.strategy(out)
            break
        except ruse.RuseError as error:
            problem = str(error).splitlines()[0]
            print(f"attempt {attempt}: {problem}", flush=True)
            told = f"Your program has a mistake: {problem}. Answer with the whole program, corrected."
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": told}]
    else:
        sys.exit(f"{out} has the last program, with its mistake")
    print(f"{strategy.words}\nscore against random play: {family.match(strategy, 'random').score:.4f}", flush=True)
    response = family.exploit(strategy)
    print(f"exploitability: {'' if response.exact else 'at least '}{response.low:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("play").add_argument("--constrain", metavar="FIELD", help="the field that constrains answers to moves")
    writer = commands.add_parser("write")
    writer.add_argument("game", metavar="FILE.kif")
    writer.add_argument("--out", type=Path, required=True, metavar="FILE", help="the strategy file to write")
    given = parser.parse_args()
    if given.command is None:
        parser.print_help()
    else:
        play(given.constrain) if given.command == "play" else write(given.game, given.out)
