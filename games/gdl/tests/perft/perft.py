#!/usr/bin/env python3
"""Reference data for rule files: prints tests/data/more_vectors.yaml, or games for tests/data/gdl_vectors.yaml.

Each game is programmed here from its rules, without logic, so that a mistake in a rule file or in the engine shows.
`python3 tests/perft/perft.py > tests/data/more_vectors.yaml` takes some minutes; names of games limit the work to them.
"""

import random
import sys
from functools import lru_cache

MASK = (1 << 64) - 1


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def mix(number):
    z = (number + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def key(text):
    return mix(fnv(text))


class Game:
    """A game: `start`, `fluents`, `over`, `legal`, `step`, `goals` and, with percepts, `sees`."""

    sees = None

    def legal_moves(self, state):
        return [sorted(self.legal(state, role)) for role in self.roles]


class Chess(Game):
    roles = ["white", "black"]
    LINES = {"r": [(0, 1), (0, -1), (1, 0), (-1, 0)], "b": [(1, 1), (1, -1), (-1, 1), (-1, -1)]}
    LINES["q"] = LINES["r"] + LINES["b"]
    KNIGHT = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]

    def start(self):
        cells = {}
        for x, piece in enumerate("rnbqkbnr"):
            cells[x, 0], cells[x, 7] = "w" + piece, "b" + piece
            cells[x, 1], cells[x, 6] = "wp", "bp"
        return frozenset(cells.items()), 0

    def fluents(self, state):
        return len(state[0]) + 2

    @lru_cache(maxsize=1 << 16)
    def moves(self, state):
        cells, ply = dict(state[0]), state[1]
        own = "wb"[ply % 2]
        found = []
        for (x, y), (colour, kind) in cells.items():
            if colour != own:
                continue

            def add(to, capture=None):
                if not (0 <= to[0] < 8 and 0 <= to[1] < 8):
                    return False
                taken = cells.get(to)
                if taken and taken[0] == own or capture is not None and bool(taken) != capture:
                    return False
                found.append(((x, y), to))
                return not taken

            if kind == "p":
                d = 1 if own == "w" else -1
                if add((x, y + d), False) and y == (1 if own == "w" else 6):
                    add((x, y + 2 * d), False)
                add((x - 1, y + d), True), add((x + 1, y + d), True)
            elif kind == "n":
                for a, b in self.KNIGHT:
                    add((x + a, y + b))
            elif kind == "k":
                for a, b in self.LINES["q"]:
                    add((x + a, y + b))
            else:
                for a, b in self.LINES[kind]:
                    n = 1
                    while add((x + n * a, y + n * b)):
                        n += 1
        return found

    def kings(self, state):
        return {piece[0] for _, piece in state[0] if piece[1] == "k"}

    def over(self, state):
        return len(self.kings(state)) < 2 or state[1] == 100 or not self.moves(state)

    def goals(self, state):
        kings = self.kings(state)
        if len(kings) == 2:
            return [50, 50]
        return [100, 0] if "w" in kings else [0, 100]

    @staticmethod
    def name(square):
        return f"{'abcdefgh'[square[0]]} {square[1] + 1}"

    def legal(self, state, role):
        if role != self.roles[state[1] % 2]:
            return ["noop"]
        return [f"(move {self.name(a)} {self.name(b)})" for a, b in self.moves(state)]

    def step(self, state, joint):
        _, x1, y1, x2, y2 = joint[state[1] % 2][1:-1].split()
        cells = dict(state[0])
        to = ("abcdefgh".index(x2), int(y2) - 1)
        piece = cells.pop(("abcdefgh".index(x1), int(y1) - 1))
        cells[to] = piece[0] + "q" if piece[1] == "p" and to[1] in (0, 7) else piece
        return frozenset(cells.items()), state[1] + 1


class Amazons(Game):
    roles = ["white", "black"]
    ALL = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]

    def start(self):
        return frozenset({((2, 1), 0), ((5, 1), 0), ((2, 6), 1), ((5, 6), 1)}), 0

    def fluents(self, state):
        return len(state[0]) + 1

    def reach(self, start, full):
        for a, b in self.ALL:
            x, y = start[0] + a, start[1] + b
            while 1 <= x <= 6 and 1 <= y <= 6 and (x, y) not in full:
                yield x, y
                x, y = x + a, y + b

    @lru_cache(maxsize=1 << 16)
    def moves(self, state):
        full = {square for square, _ in state[0]}
        found = []
        for square, what in state[0]:
            if what == state[1]:
                left = full - {square}
                for to in self.reach(square, full):
                    found += [(square, to, arrow) for arrow in self.reach(to, left)]
        return found

    def over(self, state):
        return not self.moves(state)

    def goals(self, state):
        return [0, 100] if state[1] == 0 else [100, 0]

    def legal(self, state, role):
        if role != self.roles[state[1]]:
            return ["noop"]
        return ["(play %d %d %d %d %d %d)" % (*a, *b, *c) for a, b, c in self.moves(state)]

    def step(self, state, joint):
        x1, y1, x2, y2, x3, y3 = map(int, joint[state[1]][1:-1].split()[1:])
        cells = dict(state[0])
        cells[x2, y2] = cells.pop((x1, y1))
        cells[x3, y3] = 2
        return frozenset(cells.items()), 1 - state[1]


class Morris(Game):
    roles = ["white", "black"]
    LINES = [line.split() for line in (
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1",
        "a7 a4 a1", "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3", "f6 f4 f2", "g7 g4 g1")]
    POINTS = sorted({point for line in LINES for point in line})

    def __init__(self):
        self.near = {point: set() for point in self.POINTS}
        for a, b, c in self.LINES:
            self.near[a].add(b), self.near[b].update((a, c)), self.near[c].add(b)

    def start(self):
        return frozenset(), (9, 9), 0, False, 0

    def fluents(self, state):
        return len(state[0]) + 4 + state[3]

    def in_mill(self, men, point):
        return any(all(men.get(p) == men[point] for p in line) for line in self.LINES if point in line)

    @lru_cache(maxsize=1 << 16)
    def moves(self, state):
        men, hand, own = dict(state[0]), state[1], state[2]
        mine = [p for p in men if men[p] == own]
        if state[3]:
            theirs = [p for p in men if men[p] != own]
            loose = [p for p in theirs if not self.in_mill(men, p)]
            return [("remove", p) for p in loose or theirs]
        empty = [p for p in self.POINTS if p not in men]
        if hand[own]:
            return [("place", p) for p in empty]
        return [("move", p, q) for p in mine for q in empty if len(mine) == 3 or q in self.near[p]]

    def beaten(self, state):
        count = sum(man == state[2] for _, man in state[0])
        return not self.moves(state) or state[1][state[2]] == 0 and count < 3

    def over(self, state):
        return state[4] == 150 or self.beaten(state)

    def goals(self, state):
        if not self.beaten(state):
            return [50, 50]
        return [0, 100] if state[2] == 0 else [100, 0]

    def legal(self, state, role):
        if role != self.roles[state[2]]:
            return ["noop"]
        return [f"({' '.join(move)})" for move in self.moves(state)]

    def step(self, state, joint):
        men, hand, own, _, ply = dict(state[0]), list(state[1]), *state[2:]
        kind, *points = joint[own][1:-1].split()
        closes = False
        if kind == "remove":
            del men[points[0]]
        else:
            if kind == "place":
                hand[own] -= 1
            else:
                del men[points[0]]
            men[points[-1]] = own
            closes = self.in_mill(men, points[-1])
        return frozenset(men.items()), tuple(hand), own if closes else 1 - own, closes, ply + 1


class Sudoku(Game):
    roles = ["solver"]

    def __init__(self, size, box, givens):
        self.size, self.box = size, box
        self.givens = givens

    def start(self):
        return frozenset(self.givens)

    def fluents(self, state):
        return len(state)

    def legal(self, state, role):
        numbers, found = range(1, self.size + 1), []
        place = lambda r, c: ((r - 1) // self.box, (c - 1) // self.box)
        full = {(r, c) for r, c, _ in state}
        for r in numbers:
            for c in numbers:
                if (r, c) in full:
                    continue
                seen = {w for s, d, w in state if s == r or d == c or place(s, d) == place(r, c)}
                found += [f"(write {r} {c} {v})" for v in numbers if v not in seen]
        return found

    def over(self, state):
        return not self.legal(state, "solver")

    def goals(self, state):
        return [100 if len(state) == self.size**2 else 0]

    def step(self, state, joint):
        return state | {tuple(map(int, joint[0][1:-1].split()[1:]))}


class Racer(Game):
    roles = ["red", "blue"]
    WALLS = {(5, 2), (5, 3), (9, 4), (9, 3)}

    def start(self):
        return ((1, 2, 0, 0), (1, 4, 0, 0)), 0

    def fluents(self, state):
        return 5

    @staticmethod
    def word(number):
        return f"m{-number}" if number < 0 else str(number)

    def legal(self, state, role):
        _, _, u, v = state[0][self.roles.index(role)]
        pushes = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if abs(u + a) <= 2 and abs(v + b) <= 2]
        return [f"(push {self.word(a)} {self.word(b)})" for a, b in pushes]

    def over(self, state):
        return state[1] == 12 or any(car[0] == 14 for car in state[0])

    def goals(self, state):
        home = [car[0] == 14 for car in state[0]]
        return [50, 50] if home[0] == home[1] else [100 * here for here in home]

    def step(self, state, joint):
        cars = []
        for (x, y, u, v), move in zip(state[0], joint):
            a, b = (int(word.replace("m", "-")) for word in move[1:-1].split()[1:])
            u, v = u + a, v + b
            ok = 1 <= x + u <= 14 and 1 <= y + v <= 5 and (x + u, y + v) not in self.WALLS
            cars.append((x + u, y + v, u, v) if ok else (x, y, 0, 0))
        return tuple(cars), state[1] + 1


class Kriegspiel(Game):
    roles = ["x", "o"]
    CELLS = [(m, n) for m in (1, 2, 3) for n in (1, 2, 3)]

    def start(self):
        return frozenset(), frozenset(), 0

    def fluents(self, state):
        return len(state[0]) + len(state[1]) + 1

    def legal(self, state, role):
        at = self.roles.index(role)
        if at != state[2]:
            return ["noop"]
        return [f"(try {m} {n})" for m, n in self.CELLS if (at, m, n) not in state[1]]

    def winner(self, state):
        cells = {(m, n): who for who, m, n in state[0]}
        lines = [[(m, n) for n in (1, 2, 3)] for m in (1, 2, 3)] + [[(m, n) for m in (1, 2, 3)] for n in (1, 2, 3)]
        lines += [[(1, 1), (2, 2), (3, 3)], [(1, 3), (2, 2), (3, 1)]]
        for line in lines:
            marks = {cells.get(cell) for cell in line}
            if len(marks) == 1 and None not in marks:
                return marks.pop()
        return None

    def over(self, state):
        return self.winner(state) is not None or not self.legal(state, self.roles[state[2]])

    def goals(self, state):
        winner = self.winner(state)
        return [50, 50] if winner is None else [100 * (winner == at) for at in (0, 1)]

    def taken(self, state, joint):
        own = state[2]
        m, n = map(int, joint[own][1:-1].split()[1:])
        return own, m, n, any((who, m, n) in state[0] for who in (0, 1))

    def step(self, state, joint):
        own, m, n, taken = self.taken(state, joint)
        return state[0] | (set() if taken else {(own, m, n)}), state[1] | {(own, m, n)}, 1 - own

    def sees(self, state, joint, role):
        own, _, _, taken = self.taken(state, joint)
        return (["no"] if taken else ["yes"]) if self.roles[own] == role else []


class Transit(Game):
    roles = ["traveller", "random"]
    ROADS = ["a b ab", "b c bc", "a d ad", "d e de", "b e be", "c f cf", "e f ef", "d c dc"]
    BRIDGES = ["be", "cf", "ef"]

    def __init__(self):
        self.near = {}
        for road in self.ROADS:
            a, b, w = road.split()
            self.near.setdefault(a, {})[b] = w
            self.near.setdefault(b, {})[a] = w

    def start(self):
        return "a", "be", 1

    def fluents(self, state):
        return 3

    def legal(self, state, role):
        if role == "random":
            return [f"(close {bridge})" for bridge in self.BRIDGES]
        return ["stay"] + [f"(go {b})" for b in self.near[state[0]]]

    def over(self, state):
        return state[0] == "f" or state[2] == 7

    def goals(self, state):
        return [{1: 100, 2: 100, 3: 100, 4: 80, 5: 60, 6: 40, 7: 20}[state[2]] if state[0] == "f" else 0, None]

    def step(self, state, joint):
        at = state[0]
        if joint[0] != "stay":
            to = joint[0][4:-1]
            at = at if self.near[at][to] == state[1] else to
        return at, joint[1][7:-1], state[2] + 1

    def sees(self, state, joint, role):
        if role == "random":
            return []
        at, closed, _ = self.step(state, joint)
        bridges = {w for w in self.near[at].values() if w in self.BRIDGES}
        return [f"(at {at})"] + [f"({'closed' if w == closed else 'open'} {w})" for w in bridges]


class TwoGoals(Game):
    roles = ["ann", "bob"]

    def start(self):
        return 10, 0

    def fluents(self, state):
        return 2

    def legal(self, state, role):
        if role != self.roles[state[1]]:
            return ["wait"]
        return [f"(take {k})" for k in (1, 2, 3) if k <= state[0]]

    def over(self, state):
        return state[0] == 0

    def goals(self, state):
        return [100 if at != state[1] else 25 for at in (0, 1)]

    def step(self, state, joint):
        return state[0] - int(joint[state[1]][6:-1]), 1 - state[1]


class AnyRole(Game):
    roles = ["ann", "bob", "eve"]

    def start(self):
        return 1, frozenset()

    def fluents(self, state):
        return 1 + len(state[1])

    def legal(self, state, role):
        return ["(show 1)", "(show 2)"]

    def over(self, state):
        return state[0] == 3

    def goals(self, state):
        return [100 * (role in state[1]) for role in self.roles]

    def step(self, state, joint):
        alone = {role for role, move in zip(self.roles, joint) if joint.count(move) == 1}
        return state[0] + 1, state[1] | alone

    def sees(self, state, joint, role):
        return ["over"] if state[0] == 2 else []


class Breakthrough(Game):
    roles = ["white", "black"]

    def start(self):
        men = {(x, y): 0 for y in (1, 2) for x in range(1, 7)} | {(x, y): 1 for y in (5, 6) for x in range(1, 7)}
        return frozenset(men.items()), 0

    def fluents(self, state):
        return len(state[0]) + 1

    def legal(self, state, role):
        own = self.roles.index(role)
        if own != state[1]:
            return ["noop"]
        men, d, found = dict(state[0]), (1, -1)[own], []
        for (x, y), who in men.items():
            for a in (-1, 0, 1):
                to = (x + a, y + d)
                if who == own and 1 <= to[0] <= 6 and 1 <= to[1] <= 6:
                    if to not in men or a and men[to] != own:
                        found.append(f"(move {x} {y} {to[0]} {to[1]})")
        return found

    def winner(self, state):
        for own, row in ((0, 6), (1, 1)):
            theirs = [1 for _, who in state[0] if who != own]
            if not theirs or any(who == own and y == row for (_, y), who in state[0]):
                return own
        return None

    def over(self, state):
        return self.winner(state) is not None

    def goals(self, state):
        return [100 * (self.winner(state) == at) for at in (0, 1)]

    def step(self, state, joint):
        x1, y1, x2, y2 = map(int, joint[state[1]][1:-1].split()[1:])
        men = dict(state[0])
        men[x2, y2] = men.pop((x1, y1))
        return frozenset(men.items()), 1 - state[1]


class Hex(Game):
    roles = ["red", "blue"]
    NEAR = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)]

    def start(self):
        return frozenset(), 0

    def fluents(self, state):
        return len(state[0]) + 1

    def legal(self, state, role):
        if role != self.roles[state[1]]:
            return ["noop"]
        full = {cell for cell, _ in state[0]}
        return [f"(place {x} {y})" for x in range(1, 6) for y in range(1, 6) if (x, y) not in full]

    @lru_cache(maxsize=1 << 16)
    def wins(self, stones, own):
        mine = {cell for cell, who in stones if who == own}
        side = 0 if own == 0 else 1
        seen = {cell for cell in mine if cell[side] == 1}
        todo = list(seen)
        while todo:
            x, y = todo.pop()
            for a, b in self.NEAR:
                cell = (x + a, y + b)
                if cell in mine and cell not in seen:
                    seen.add(cell)
                    todo.append(cell)
        return any(cell[side] == 5 for cell in seen)

    def over(self, state):
        return self.wins(state[0], 0) or self.wins(state[0], 1)

    def goals(self, state):
        return [100 * self.wins(state[0], at) for at in (0, 1)]

    def step(self, state, joint):
        x, y = map(int, joint[state[1]][1:-1].split()[1:])
        return state[0] | {((x, y), state[1])}, 1 - state[1]


class DotsAndBoxes(Game):
    roles = ["red", "blue"]
    SIDES = {("h", x, y) for x in (1, 2, 3) for y in (1, 2, 3, 4)} | {("v", x, y) for x in (1, 2, 3, 4) for y in (1, 2, 3)}

    # A state: the sides that are drawn, the boxes with their owners, and who draws.
    def start(self):
        return frozenset(), frozenset(), 0

    def fluents(self, state):
        return len(state[0]) + len(state[1]) + 1

    def legal(self, state, role):
        if role != self.roles[state[2]]:
            return ["noop"]
        return [f"(draw {d} {x} {y})" for d, x, y in self.SIDES - state[0]]

    def over(self, state):
        return any(self.goals(state))

    def goals(self, state):
        owners = [owner for _, owner in state[1]]
        return [100 * (owners.count(at) >= 5) for at in (0, 1)]

    def step(self, state, joint):
        drawn, boxes, own = state
        d, x, y = joint[own][1:-1].split()[1:]
        drawn |= {(d, int(x), int(y))}
        taken = {box for box, _ in boxes}
        gained = set()
        for x in (1, 2, 3):
            for y in (1, 2, 3):
                sides = {("h", x, y), ("h", x, y + 1), ("v", x, y), ("v", x + 1, y)}
                if (x, y) not in taken and sides <= drawn:
                    gained.add(((x, y), own))
        return drawn, boxes | gained, own if gained else 1 - own


class Reversi(Game):
    roles = ["black", "white"]
    AROUND = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]

    # A state: the stones with their owners, who is on turn, and whether the last move was a pass.
    def start(self):
        return frozenset({((3, 3), 1), ((4, 4), 1), ((3, 4), 0), ((4, 3), 0)}), 0, False

    def fluents(self, state):
        return len(state[0]) + 1 + state[2]

    def turned(self, stones, own, square):
        """Returns the stones that a stone on the square would turn."""
        found = []
        for a, b in self.AROUND:
            x, y = square[0] + a, square[1] + b
            line = []
            while stones.get((x, y)) == 1 - own:
                line.append((x, y))
                x, y = x + a, y + b
            if stones.get((x, y)) == own:
                found += line
        return found

    @lru_cache(maxsize=1 << 16)
    def places(self, state):
        stones = dict(state[0])
        squares = [(x, y) for x in range(1, 7) for y in range(1, 7) if (x, y) not in stones]
        return [square for square in squares if self.turned(stones, state[1], square)]

    def legal(self, state, role):
        if role != self.roles[state[1]]:
            return ["noop"]
        return [f"(place {x} {y})" for x, y in self.places(state)] or ["pass"]

    def over(self, state):
        return state[2] and not self.places(state)

    def goals(self, state):
        count = [sum(owner == at for _, owner in state[0]) for at in (0, 1)]
        return [50, 50] if count[0] == count[1] else [100 * (count[at] > count[1 - at]) for at in (0, 1)]

    def step(self, state, joint):
        stones, own, _ = state
        if joint[own] == "pass":
            return stones, 1 - own, True
        square = tuple(map(int, joint[own][1:-1].split()[1:]))
        stones = dict(stones)
        for other in self.turned(stones, own, square):
            stones[other] = own
        stones[square] = own
        return frozenset(stones.items()), 1 - own, False


class Pentago(Game):
    roles = ["white", "black"]

    # A state: the stones with their owners, who is on turn, and whether a quadrant is to be turned.
    def start(self):
        return frozenset(), 0, False

    def fluents(self, state):
        return len(state[0]) + 2

    def legal(self, state, role):
        if role != self.roles[state[1]]:
            return ["noop"]
        if state[2]:
            return [f"(turn {a} {b} {way})" for a in (1, 2) for b in (1, 2) for way in ("back", "clockwise")]
        full = {square for square, _ in state[0]}
        return [f"(place {x} {y})" for x in range(1, 7) for y in range(1, 7) if (x, y) not in full]

    @lru_cache(maxsize=1 << 16)
    def five(self, stones, own):
        mine = {square for square, owner in stones if owner == own}
        lines = ([(x + k * a, y + k * b) for k in range(5)] for x, y in mine for a, b in ((1, 0), (0, 1), (1, 1), (1, -1)))
        return any(mine.issuperset(line) for line in lines)

    def over(self, state):
        return self.five(state[0], 0) or self.five(state[0], 1) or len(state[0]) == 36 and not state[2]

    def goals(self, state):
        five = [self.five(state[0], at) for at in (0, 1)]
        return [50, 50] if five[0] == five[1] else [100 * here for here in five]

    def step(self, state, joint):
        stones, own, turns = state
        words = joint[own][1:-1].split()
        if not turns:
            return stones | {((int(words[1]), int(words[2])), own)}, own, True
        # The middle of the quadrant; a right angle takes (dx, dy) to (dy, -dx), clockwise if y grows upwards.
        x0, y0 = 3 * int(words[1]) - 1, 3 * int(words[2]) - 1
        sign = 1 if words[3] == "clockwise" else -1
        after = set()
        for (x, y), owner in stones:
            dx, dy = x - x0, y - y0
            near = max(abs(dx), abs(dy)) < 2
            after.add(((x0 + sign * dy, y0 - sign * dx) if near else (x, y), owner))
        return frozenset(after), 1 - own, False


class Poker(Game):
    """What Kuhn and Leduc poker share: `random` deals, and then players act in turn. A state ends with who acts."""

    roles = ["first", "second", "random"]

    def did(self, state, joint):
        at = self.actor(state)
        return [] if at == 2 else [f"(did {self.roles[at]} {joint[at]})"]

    def legal(self, state, role):
        at = self.actor(state)
        return self.choices(state) if at is not None and self.roles[at] == role else ["noop"]


class Kuhn(Poker):
    def start(self):
        return ()

    def fluents(self, state):
        return 1

    def actor(self, state):
        return 2 if not state else (len(state) - 2) % 2

    def choices(self, state):
        if not state:
            return [f"(deal {a} {b})" for a in (1, 2, 3) for b in (1, 2, 3) if a != b]
        return ["bet", "pass"]

    def step(self, state, joint):
        if not state:
            return tuple(map(int, joint[2][1:-1].split()[1:]))
        return state + (joint[self.actor(state)],)

    def over(self, state):
        return state[2:] in [("pass", "pass"), ("bet", "pass"), ("bet", "bet"), ("pass", "bet", "pass"), ("pass", "bet", "bet")]

    def goals(self, state):
        bets, ahead = state[2:], 1 if state[0] > state[1] else -1
        if bets[-1] == "pass" and "bet" in bets:
            won = 1 if bets == ("bet", "pass") else -1
        else:
            won = ahead * (2 if "bet" in bets else 1)
        return [50 + 25 * won, 50 - 25 * won, None]

    def sees(self, state, joint, role):
        if role == "random":
            return []
        if not state:
            return [f"(got {self.step(state, joint)[self.roles.index(role)]})"]
        return self.did(state, joint)


class Leduc(Poker):
    RANKS = {"j": "jack", "q": "queen", "k": "king"}
    CARDS = [rank + suit for rank in "jqk" for suit in "12"]

    # A state: the cards of both, the open card, all moves of the first round, all moves of the second.
    def start(self):
        return None, None, None, (), ()

    def fluents(self, state):
        return 5

    def done(self, moves):
        return len(moves) > 1 and moves[-1] == "call"

    def actor(self, state):
        if state[0] is None or (self.done(state[3]) and state[2] is None):
            return 2
        return len(state[4] if state[2] else state[3]) % 2

    def choices(self, state):
        if state[0] is None:
            return [f"(deal {a} {b})" for a in self.CARDS for b in self.CARDS if a != b]
        if self.actor(state) == 2:
            return [f"(lay {a})" for a in self.CARDS if a not in state[:2]]
        moves = state[4] if state[2] else state[3]
        raises = moves.count("raise")
        return ["call"] + ["fold"] * (raises > 0) + ["raise"] * (raises < 2)

    def step(self, state, joint):
        one, two, board, early, late = state
        if one is None:
            return tuple(joint[2][1:-1].split()[1:]) + state[2:]
        if self.actor(state) == 2:
            return one, two, joint[2][1:-1].split()[1], early, late
        move = joint[self.actor(state)]
        return (one, two, board, early, late + (move,)) if board else (one, two, board, early + (move,), late)

    def over(self, state):
        return "fold" in state[3] + state[4] or self.done(state[4])

    def goals(self, state):
        one, two, board, early, late = state
        chips = [1, 1]
        for moves, size in ((early, 2), (late, 4)):
            for at, move in enumerate(moves):
                if move != "fold":
                    chips[at % 2] = chips[1 - at % 2] + size * (move == "raise")
        last = late or early
        if last[-1] == "fold":
            winner = len(last) % 2
        else:
            strength = [(card[0] == board[0], "jqk".index(card[0])) for card in (one, two)]
            if strength[0] == strength[1]:
                return [50, 50, None]
            winner = strength.index(max(strength))
        lost = 3 * chips[1 - winner]
        return [50 + lost if at == winner else 50 - lost for at in (0, 1)] + [None]

    def sees(self, state, joint, role):
        if role == "random":
            return []
        if state[0] is None:
            return [f"(got {self.RANKS[self.step(state, joint)[self.roles.index(role)][0]]})"]
        if self.actor(state) == 2:
            return [f"(board {self.RANKS[self.step(state, joint)[2][0]]})"]
        return self.did(state, joint)


class Liar(Poker):
    def __init__(self, sides):
        self.sides = sides

    # A state: both dice, and the bids, 0 for `liar`.
    def start(self):
        return ()

    def fluents(self, state):
        return 2

    def actor(self, state):
        return 2 if not state else len(state) % 2

    def choices(self, state):
        faces = range(1, self.sides + 1)
        if not state:
            return [f"(roll {a} {b})" for a in faces for b in faces]
        last = (0,) + state[2:]
        return [f"(bid {k})" for k in range(last[-1] + 1, 2 * self.sides + 1)] + ["liar"] * (len(last) > 1)

    def step(self, state, joint):
        if not state:
            return tuple(map(int, joint[2][1:-1].split()[1:]))
        move = joint[self.actor(state)]
        return state + (0 if move == "liar" else int(move[1:-1].split()[1]),)

    def over(self, state):
        return len(state) > 2 and state[-1] == 0

    def goals(self, state):
        number, face = divmod(state[-2] - 1, self.sides)
        shown = sum(die in (face + 1, self.sides) for die in state[:2])
        caller = (len(state) - 1) % 2
        winner = 1 - caller if shown > number else caller
        return [100 * (at == winner) for at in (0, 1)] + [None]

    def sees(self, state, joint, role):
        if role == "random":
            return []
        if not state:
            return [f"(rolled {self.step(state, joint)[self.roles.index(role)]})"]
        return self.did(state, joint)


class DarkHex(Game):
    roles = ["x", "o"]

    def __init__(self, is_abrupt):
        self.is_abrupt = is_abrupt

    # A state: the marks of both, what each was told, and who is on turn.
    def start(self):
        return frozenset(), frozenset(), frozenset(), frozenset(), 0

    def fluents(self, state):
        return 1

    def legal(self, state, role):
        at = self.roles.index(role)
        if state[4] != at:
            return ["noop"]
        return [f"(try {c})" for c in range(1, 10) if c not in state[at] | state[2 + at]]

    def wins(self, marks, at):
        line = [c for c in marks if (c <= 3 if at == 0 else c % 3 == 1)]
        for c in line:
            row, column = divmod(c - 1, 3)
            for a, b in Hex.NEAR:
                near = 3 * (row + b) + column + a + 1
                if 0 <= row + b < 3 and 0 <= column + a < 3 and near in marks and near not in line:
                    line.append(near)
        return any(c >= 7 if at == 0 else c % 3 == 0 for c in line)

    def over(self, state):
        return self.wins(state[0], 0) or self.wins(state[1], 1)

    def goals(self, state):
        return [100 * self.wins(state[at], at) for at in (0, 1)]

    def step(self, state, joint):
        at = state[4]
        cell = int(joint[at][1:-1].split()[1])
        parts = list(state)
        if cell in state[1 - at]:
            parts[2 + at] = state[2 + at] | {cell}
            parts[4] = 1 - at if self.is_abrupt else at
        else:
            parts[at] = state[at] | {cell}
            parts[4] = 1 - at
        return tuple(parts)

    def sees(self, state, joint, role):
        at = state[4]
        if self.roles[at] != role:
            return []
        return ["occupied" if int(joint[at][1:-1].split()[1]) in state[1 - at] else "put"]


class Goofspiel(Game):
    roles = ["first", "second", "random"]

    # A state: the hands, the pile, the points, and the prize.
    def start(self):
        cards = frozenset(range(1, 5))
        return cards, cards, cards, 0, 0, None

    def fluents(self, state):
        return 15

    def legal(self, state, role):
        at = self.roles.index(role)
        if state[5] is None:
            return [f"(turn_up {c})" for c in state[2]] if at == 2 else ["noop"]
        return ["noop"] if at == 2 else [f"(bid {c})" for c in state[at]]

    def step(self, state, joint):
        one, two, pile, points, other, prize = state
        if prize is None:
            card = int(joint[2][1:-1].split()[1])
            return one, two, pile - {card}, points, other, card
        a, b = (int(joint[at][1:-1].split()[1]) for at in (0, 1))
        return one - {a}, two - {b}, pile, points + prize * (a > b), other + prize * (b > a), None

    def over(self, state):
        return not state[2] and state[5] is None

    def goals(self, state):
        lead = state[3] - state[4]
        return [50 + 50 * ((lead > 0) - (lead < 0)), 50 - 50 * ((lead > 0) - (lead < 0)), None]


def joints(game, state):
    all_joint = [[]]
    for moves in game.legal_moves(state):
        all_joint = [joint + [move] for joint in all_joint for move in moves]
    return all_joint


def perft(game, most):
    """Counts sequences of joint moves, as long as a depth has at most `most` states."""
    level, counts = {game.start(): 1}, []
    while level:
        count, following = 0, {}
        work = 0
        for state, number in level.items():
            if game.over(state):
                continue
            ways = 1
            for moves in game.legal_moves(state):
                ways *= len(moves)
            count += number * ways
            work += ways
        if count == 0:
            break
        counts.append(count)
        if work > most:
            break
        for state, number in level.items():
            if not game.over(state):
                for joint in joints(game, state):
                    new = game.step(state, joint)
                    following[new] = following.get(new, 0) + number
        level = following
    return counts


def playthrough(game):
    """The game in which each role follows the policy `seed` with parameter 0.5."""
    bits = 0x3FE0000000000000
    state, steps = game.start(), []
    histories = [key(role) for role in game.roles]
    while not game.over(state):
        legal, joint = game.legal_moves(state), []
        for at, moves in enumerate(legal):
            base = mix(bits) ^ mix(at + 1)
            joint.append(max(moves, key=lambda move: mix(base ^ histories[at] ^ key(move))))
        seen = {}
        for at, role in enumerate(game.roles):
            if game.sees:
                percepts = sorted(game.sees(state, joint, role))
                total = sum(map(key, percepts)) & MASK
                if percepts:
                    seen[role] = percepts
            else:
                total = sum(key(f"(does {r} {move})") for r, move in zip(game.roles, joint)) & MASK
            histories[at] = mix(mix(histories[at] ^ key(joint[at])) ^ total)
        steps.append((list(map(len, legal)), joint, seen))
        state = game.step(state, joint)
    return steps, game.goals(state), histories


def random_play(game, games):
    sums, squares = [0] * len(game.roles), [0] * len(game.roles)
    rng = random.Random(1)
    for _ in range(games):
        state = game.start()
        while not game.over(state):
            state = game.step(state, [rng.choice(moves) for moves in game.legal_moves(state)])
        for at, goal in enumerate(game.goals(state)):
            sums[at] += goal or 0
            squares[at] += (goal or 0) ** 2
    means = [total / games for total in sums]
    errors = [((square / games - mean**2) / games) ** 0.5 for square, mean in zip(squares, means)]
    return list(zip(means, errors))


def grid9():
    rows = [[(3 * (r % 3) + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)]
    kept = [(r, c) for r in range(9) for c in range(9) if (r * 5 + c * 7 + r * c) % 3 != 1 or (r + c) % 4 == 0]
    return [(r + 1, c + 1, rows[r][c]) for r, c in kept]


# These files come with the crate; their data are in gdl_vectors.yaml.
BUILT_IN = {
    "breakthrough_6x6": (Breakthrough(), 300_000, 4_000),
    "dark_hex_3": (DarkHex(False), 30_000, 20_000),
    "dark_hex_3_abrupt": (DarkHex(True), 30_000, 20_000),
    "dots_and_boxes_3x3": (DotsAndBoxes(), 300_000, 4_000),
    "goofspiel_4": (Goofspiel(), 30_000, 20_000),
    "hex_5x5": (Hex(), 300_000, 4_000),
    "kriegspiel_tic_tac_toe": (Kriegspiel(), 300_000, 20_000),
    "kuhn_poker": (Kuhn(), 10**6, 20_000),
    "leduc_poker": (Leduc(), 10**6, 20_000),
    "liars_dice_4": (Liar(4), 30_000, 20_000),
    "liars_dice_6": (Liar(6), 30_000, 20_000),
    "pentago": (Pentago(), 100_000, 2_000),
    "reversi_6x6": (Reversi(), 300_000, 2_000),
}

GAMES = {
    "amazons_6x6": (Amazons(), 500_000, 300),
    "any_role": (AnyRole(), 10**6, 20_000),
    "chess": (Chess(), 10_000, 100),
    "nine_mens_morris": (Morris(), 300_000, 300),
    "racer": (Racer(), 300_000, 4_000),
    "sudoku_4x4": (Sudoku(4, 2, [(1, 1, 1), (1, 3, 3), (2, 2, 4), (3, 4, 1), (4, 1, 4)]), 300_000, 10_000),
    "sudoku_9x9": (Sudoku(9, 3, grid9()), 50_000, 300),
    "transit": (Transit(), 10**6, 20_000),
    "two_goals": (TwoGoals(), 10**6, 20_000),
}


def main():
    print("# Written by tests/perft/perft.py. The fields are those of gdl_vectors.yaml.")
    for name in sys.argv[1:] or GAMES:
        game, most, games = (GAMES | BUILT_IN)[name]
        start = game.start()
        steps, goals, histories = playthrough(game)
        print(f"{name}:")
        print(f"  roles: [{', '.join(game.roles)}]")
        print(f"  information: {'percepts' if game.sees else 'complete'}")
        print(f"  perft: {perft(game, most)}")
        print(f"  fluents_at_start: {game.fluents(start)}")
        legal = zip(game.roles, map(len, game.legal_moves(start)))
        print(f"  legal_at_start: {{{', '.join(f'{role}: {number}' for role, number in legal)}}}")
        means = zip(game.roles, random_play(game, games), goals)
        shown = [f"{role}: [{mean:.3f}, {error:.3f}]" for role, (mean, error), goal in means if goal is not None]
        print(f"  random_play: {{{', '.join(shown)}}}")
        print("  playthrough:")
        for legal, joint, seen in steps:
            moves = ", ".join(f"'{move}'" for move in joint)
            texts = {role: "[" + ", ".join(f"'{p}'" for p in percepts) + "]" for role, percepts in seen.items()}
            sees = f", sees: {{{', '.join(f'{role}: {text}' for role, text in texts.items())}}}" if seen else ""
            print(f"    - {{legal: {legal}, moves: [{moves}]{sees}}}")
        shown = [f"{role}: {goal}" for role, goal in zip(game.roles, goals) if goal is not None]
        print(f"  playthrough_goals: {{{', '.join(shown)}}}")
        shown = [f"{role}: '{history:016x}'" for role, history in zip(game.roles, histories)]
        print(f"  history_hashes_at_end: {{{', '.join(shown)}}}")
        sys.stdout.flush()


main()
