#!/bin/sh
# A method of your own in plain shell: it mutates the best strategy so far, ten times per request, with ever smaller steps.
#
#   ruse compare war --methods naive,"sh examples/external_method.sh"
#
# ruse starts it and counts the games. docs/extending.md describes the lines that they exchange.
set -eu

# {"dimension":3,"start":[0.0,0.0,0.0],"seed":17,"games":20000}
read -r task
seed=$(printf '%s' "$task" | sed 's/.*"seed":\([0-9]*\).*/\1/')
best=$(printf '%s' "$task" | sed 's/.*"start":\[\([^]]*\)\].*/\1/')
generation=0

while :; do
    generation=$((generation + 1))
    # A line for each candidate, with standard Gaussian steps (Box & Muller). The first is the best itself.
    candidates=$(awk -v best="$best" -v seed=$((seed % 100000 * 1000 + generation)) -v g="$generation" 'BEGIN {
        srand(seed)
        d = split(best, x, ",")
        sigma = 2 / sqrt(g)
        for (id = 0; id < 10; id++)
            for (i = 1; i <= d; i++) {
                step = id ? sigma * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) : 0
                printf "%.9g%s", x[i] + step, (i < d ? "," : "\n")
            }
    }')
    rows=$(printf '%s\n' "$candidates" | sed 's/.*/[&]/' | paste -sd, -)
    printf '{"evaluate":[%s],"pairs":50}\n' "$rows"
    # {"scores":[0.51,...],"games_left":19000}, or {"games_left":500,"stop":true}
    read -r answer
    case $answer in *'"stop":true'*) break ;; esac
    scores=$(printf '%s' "$answer" | sed 's/.*"scores":\[\([^]]*\)\].*/\1/')
    place=$(printf '%s\n' "$scores" | tr ',' '\n' | awk '$1 > top { top = $1; place = NR } END { print place + !place }')
    best=$(printf '%s\n' "$candidates" | sed -n "${place}p")
    printf '{"champion":[%s]}\n' "$best"
done
