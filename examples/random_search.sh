#!/bin/sh
# Random search in plain shell: `ruse evaluate` scores many random strategies, and then scores the best again, on deals that
# were not used to select it.
#
#   examples/random_search.sh [FAMILY [PARAMETERS [CANDIDATES]]]
#
# RUSE is the program, by default `ruse`.
set -eu

ruse=${RUSE:-ruse}
family=${1:-war}
num_parameters=${2:-3}
num_candidates=${3:-50}

directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT

# One request per line, with standard Gaussian parameters (Box & Muller).
awk -v n="$num_candidates" -v d="$num_parameters" 'BEGIN {
    srand(1)
    for (id = 1; id <= n; id++) {
        printf "{\"id\":%d,\"a\":[", id
        for (i = 1; i <= d; i++)
            printf "%s%.6f", (i > 1 ? "," : ""), sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
        print "]}"
    }
}' > "$directory/requests"

"$ruse" evaluate "$family" --stdin --pairs 500 < "$directory/requests" > "$directory/answers"
if grep '"error"' "$directory/answers" >&2; then
    exit 1
fi

# Answers are in the order of requests, and their keys in a fixed order.
best=$(sed 's/^{"id":\([0-9]*\),"score":\([^,]*\),.*/\2 \1/' "$directory/answers" | sort -g -r | head -n 1)
id=${best#* }
request=$(sed -n "${id}p" "$directory/requests")

printf '%s\n' "$request"
printf '%s\n' "$request" | "$ruse" evaluate "$family" --stdin --seed 2
