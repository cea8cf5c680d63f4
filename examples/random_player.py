"""A player for `ruse` that draws its moves: `ruse check-player "python3 examples/random_player.py" nim`."""

import json
import random
import sys

draw = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        print(json.dumps({"name": "random"}), flush=True)
    elif "new" in message:
        draw = random.Random(message["seed"])
    elif "move" in message:
        print(json.dumps({"move": draw.choice(message["legal"])}), flush=True)
