# A game of chips: `sh chips.sh SET ANSWER` has these payoffs, and the same answer to each pair.
while read -r line; do
  case $line in
    *hello*) echo "{\"family\":\"chips\",\"parameters\":[{\"name\":\"x\"}],\"payoffs\":$1,\"unit\":\"chips\",\"deterministic\":true}" ;;
    *pair*) pair=${line#*:}; echo "{\"pair\":${pair%%,*},\"payoffs\":$2}" ;;
    *) exit ;;
  esac
done
