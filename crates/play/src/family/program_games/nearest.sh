# A game for tests: the number that is nearer to 80 wins, after a shift of up to 10 that depends on the deal.
# MANIFEST is replaced by the description of the family, in quotes; the reference "seven" plays 7.
read -r hello
echo MANIFEST
number() { case $1 in '"seven"'*) n=7 ;; *) n=${1#[}; n=${n%%[],]*} ;; esac; }
while read -r line; do
    case $line in *'"bye"'*) exit 0 ;; *'"words"'*) echo '{"words":"plays  well"}'; continue ;; esac
    pair=${line#*:}; pair=${pair%%,*}
    a=${line#*'"a":'}; b=${line#*'"b":'}; deal=${line##*:}; deal=${deal%\}}
    shift=$((deal % 21 - 10))
    number "$a"; a=$((n - 80 - shift)); a=${a#-}
    number "$b"; b=$((n - 80 - shift)); b=${b#-}
    if [ "$a" -lt "$b" ]; then won=1; elif [ "$a" -gt "$b" ]; then won=0; else won=0.5; fi
    echo "{\"pair\":$pair,\"payoffs\":[$won,$won]}"
done
