#!/usr/bin/env python3
"""Tunes a family of ruse by an optimiser from elsewhere: CMA-ES of the package `cma` (pip install cma).

    python3 examples/external_optimiser.py --ruse target/release/ruse --family war

The program `ruse evaluate FAMILY --stdin` answers each line of JSON with another one. Scores come from games, so they are
noisy. The candidates of a generation play the same deals, so that their scores differ less by luck. The next generation
plays other deals, or the search would learn the deals by heart.
"""

import argparse
import json
import random
import subprocess
import sys


class Evaluator:
    """A process of ruse that answers requests, in order."""

    def __init__(self, ruse, family):
        self.process = subprocess.Popen(
            [ruse, "evaluate", family, "--stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def scores(self, candidates, pairs, seed):
        """Returns the answers for a list of parameter vectors. All requests are sent before the answers are read.

        A few hundred requests may wait for answers. To send more, read answers in between.
        """
        for number, parameters in enumerate(candidates):
            request = {"id": number, "a": list(map(float, parameters)), "pairs": pairs, "seed": seed}
            self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answers = []
        for _ in candidates:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("ruse has ended")
            answer = json.loads(line)
            if "error" in answer:
                sys.exit(f"ruse does not answer request {answer['id']}: {answer['error']}")
            answers.append(answer)
        return answers

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def dimension(ruse, family):
    """Returns the number of parameters of a family."""
    listed = subprocess.run([ruse, "list", "--json"], check=True, capture_output=True, text=True)
    for known in json.loads(listed.stdout)["families"]:
        if known["family"] == family:
            return known["parameters"]
    sys.exit(f"ruse knows no family {family}: see `ruse list`")


def search_by_cma(cma, losses, start, generations, seed):
    """Searches by CMA-ES, which minimises losses."""
    options = {"seed": seed, "verbose": -9, "maxiter": generations}
    search = cma.CMAEvolutionStrategy(start, 1.0, options)
    while not search.stop():
        candidates = search.ask()
        search.tell(candidates, losses(candidates))
    return search.result.xfavorite


def search_by_ourselves(losses, start, generations, seed):
    """Searches in a simple way: the best of ten mutations is mutated next."""
    draw = random.Random(seed)
    best = start
    for _ in range(generations):
        candidates = [best] + [[x + draw.gauss(0, 1) for x in best] for _ in range(10)]
        best = min(zip(losses(candidates), candidates))[1]
    return best


def main():
    parser = argparse.ArgumentParser(description="Tunes a family of ruse by an optimiser from elsewhere.")
    parser.add_argument("--ruse", default="ruse", help="the program")
    parser.add_argument("--family", default="war")
    parser.add_argument("--pairs", type=int, default=500, help="pairs of games for each candidate")
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simple", action="store_true", help="do without the package cma")
    args = parser.parse_args()

    cma = None
    if not args.simple:
        try:
            import cma
        except ImportError:
            print("there is no package `cma`: pip install cma. A simple search goes on.", file=sys.stderr)

    start = [0.0] * dimension(args.ruse, args.family)
    evaluator = Evaluator(args.ruse, args.family)
    deals = iter(range(2**32 * args.seed, 2**32 * (args.seed + 1)))

    def losses(candidates):
        answers = evaluator.scores(candidates, args.pairs, next(deals))
        return [1 - answer["score"] for answer in answers]

    # CMA-ES needs two dimensions.
    if cma and len(start) > 1:
        best = search_by_cma(cma, losses, start, args.generations, args.seed)
    else:
        best = search_by_ourselves(losses, start, args.generations, args.seed)

    # The score that counts is on deals that the search has not seen.
    [answer] = evaluator.scores([best], 20000, next(deals))
    evaluator.close()
    low, high = answer["interval"]
    print(f"parameters [{', '.join(f'{x:.4g}' for x in best)}]")
    print(f"score {answer['score']:.4f} against the baseline, 95% interval [{low:.4f}, {high:.4f}]")


if __name__ == "__main__":
    main()
