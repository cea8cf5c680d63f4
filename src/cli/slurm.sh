#!/bin/bash
# {{ num_jobs }} jobs of {{ stem }} in {{ tasks }} shards. If submitted again, this continues the unfinished work.
set -euo pipefail
mkdir -p {{ logs | quoted }}

# Slurm signals the shell a minute before the time limit. The shard then writes a checkpoint and exits with 75: it is
# queued again.
shard=$(cat <<'END'
#!/bin/bash
trap 'kill -TERM "$child"' TERM
{{ program | quoted }} run {{ file | quoted }} --out {{ out | quoted }} --shard "$SLURM_ARRAY_TASK_ID/{{ tasks }}"{{ option }} & child=$!
wait "$child"; status=$?
# A signal ends the wait, but not the shard.
while kill -0 "$child" 2>/dev/null; do wait "$child"; status=$?; done
if [ "$status" = 75 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
END
)
send() { sbatch {{ options }} "$@"; }
send_shards() { send --array=0-{{ tasks - 1 }}{{ at_once }} --ntasks=1 --cpus-per-task=1 --signal=B:TERM@60 "$@" <<<"$shard"; }

last=$(send_shards --job-name={{ (stem ~ "-runs") | quoted }} --output={{ (logs ~ "/runs-%a.log") | quoted }})
echo "runs: job $last"
{% if has_second -%}
last=$(send_shards --job-name={{ (stem ~ "-meetings") | quoted }} --output={{ (logs ~ "/meetings-%a.log") | quoted }} --dependency="afterany:$last")
echo "meetings: job $last"
{% endif -%}
last=$(send --job-name={{ (stem ~ "-finale") | quoted }} --output={{ (logs ~ "/finale.log") | quoted }} --dependency="afterok:$last" --kill-on-invalid-dep=yes --ntasks=1 --cpus-per-task={{ threads }} <<'END'
#!/bin/bash
exec {{ program | quoted }} resume {{ out | quoted }} --threads {{ threads }}{{ option }}
END
)
echo "finale: job $last"
