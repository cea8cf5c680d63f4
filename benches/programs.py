"""Compares programs with linear strategies that were found with as many games, in rule files.

Usage: python benches/programs.py DIRECTORY [--budget 100k] [--seeds 10] [--files NAME...] [--program target/release/ruse]

For each seed and file, a run of local-search finds a program, and runs of cma-es and es find linear strategies. Runs in
DIRECTORY that are complete are not repeated. The program of a seed then plays 200 pairs against the linear strategy of each
seed. The table, as CSV, has the mean score of the programs against each method, and a 95% interval (Student's t) from the
meetings of equal seeds, which are independent.
"""

import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess

FILES = [
    "battleship_4x4",
    "cant_stop_mini",
    "connect_four",
    "guess_who_8",
    "guess_who_16",
    "lowest_unique",
    "matching_pennies",
    "monty_hall",
    "morra",
    "nim",
    "orchard",
    "phantom_tic_tac_toe_orders",
    "phantom_tic_tac_toe_try_again",
    "pig_20",
    "syntax_zoo",
    "tic_tac_toe",
]
METHODS = ["cma-es", "es"]
# Quantiles .975 of Student's t for 1 to 9 degrees of freedom.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--budget", default="100k")
    parser.add_argument("--seeds", type=int, default=10, choices=range(2, 11))
    parser.add_argument("--files", nargs="+", default=FILES)
    parser.add_argument("--program", default="target/release/ruse")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)

    def ruse(*arguments: object) -> str:
        command = [options.program, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def run(family: str, method: str, seed: int) -> pathlib.Path:
        out = options.directory / f"{family.replace(':', '-')}-{method}-{seed}"
        if not out.exists():
            unfinished = out.with_name(f"{out.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            ruse("optimise", family, "--method", method, "--budget", options.budget, "--seed", seed, "--out", unfinished)
            unfinished.rename(out)
        return out

    def meet(file: str, program: pathlib.Path, other: pathlib.Path, seed: int) -> float:
        arguments = ["match", f"{file}.kif:program", program, other, "--pairs", 200, "--seed", seed, "--json"]
        return json.loads(ruse(*arguments))["score"]

    print("file,method,score,low,high", flush=True)
    for file in options.files:
        seeds = range(1, options.seeds + 1)
        programs = [run(f"{file}.kif:program", "local-search", seed) for seed in seeds]
        for method in METHODS:
            others = [run(f"{file}.kif:linear", method, seed) for seed in seeds]
            scores = [
                [meet(file, program, other, row * len(others) + column) for column, other in enumerate(others)]
                for row, program in enumerate(programs)
            ]
            equal = [scores[index][index] for index in range(options.seeds)]
            half = STUDENT[options.seeds - 2] * statistics.stdev(equal) / math.sqrt(options.seeds)
            mean, middle = statistics.fmean(map(statistics.fmean, scores)), statistics.fmean(equal)
            low, high = max(middle - half, 0), min(middle + half, 1)
            print(f"{file},{method},{mean:.3f},{low:.3f},{high:.3f}", flush=True)


if __name__ == "__main__":
    main()
