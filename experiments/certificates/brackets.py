"""Measures between which bounds the exploitability of `random` lies, for all families and rule files.

    python3 experiments/certificates/brackets.py [RUSE [FAMILY ...]] > experiments/certificates/brackets.csv

Each line has a family, the bounds, what they rest on, the seconds of processor time, and the most memory in MB. A family without
the strategy `random` is left out. Needs Linux.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

RUSE = sys.argv[1] if len(sys.argv) > 1 else "ruse"


def run(*words):
    """Returns the output of `ruse`, its seconds of processor time, and the most memory it used in MB."""
    process = subprocess.Popen([RUSE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output = process.stdout.read()
    problem = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    return output if status == 0 else problem, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status


def main():
    families = sys.argv[2:]
    if not families:
        output, *_ = run("list", "--json")
        families = [listed["family"] for listed in json.loads(output)["families"]]
        families += sorted(path.name for path in Path("games/gdl/rules").glob("*.kif"))
    print("family,low,high,width,low_rests_on,high_rests_on,seconds,megabytes", flush=True)
    for family in families:
        words = ["exploit", family, "random", "--json", "--threads", "1", "--quiet"]
        output, seconds, memory, status = run(*words)
        if status != 0:
            print(f"{family}: {output.strip()}", file=sys.stderr)
            continue
        found = json.loads(output)
        low, high = found["low"], found["high"]
        bases = [found[key].replace(",", ";") for key in ("low_basis", "high_basis")]
        cells = [family, f"{low:.6f}", f"{high:.6f}", f"{high - low:.6f}", *bases, f"{seconds:.1f}", f"{memory:.0f}"]
        print(",".join(cells), flush=True)


if __name__ == "__main__":
    main()
