#!/usr/bin/env bash
# Runs shards of an archive by Slurm, by GNU parallel or as plain processes, kills some of them at random and
# starts them again, merges what they leave, and compares that with one run that is as long as all together.
#
#     tests/campaign/run.sh slurm|parallel|processes [SHARDS [ITERATIONS]]
#
# Slurm and parallel are installed if they are not there, which takes root. All daemons are on the loopback,
# with files in a temporary folder, and are stopped at the end; no other process is touched.
set -euo pipefail
how=${1:?slurm, parallel or processes}; shards=${2:-16}; iterations=${3:-20000}
# Of these any shard may make any iteration, so that a campaign that is cut in pieces is the same as one run.
strategy=random,sticky:20,pos
here=$(cd "$(dirname "$0")" && pwd)
tool=${CCT:-$here/../../target/debug/cargo-cct}
[[ -x $tool ]] || { echo "no $tool: cargo build -p cargo-cct" >&2; exit 2; }
tool=$(realpath "$tool")
T=$(mktemp -d "${TMPDIR:-/tmp}/cct-campaign.XXXXXX"); chmod 755 "$T"
daemons=(); job=
finish() {
    code=$?
    trap - EXIT
    # Tasks are none of our children.
    if [[ -n $job ]]; then scancel --signal=KILL --full "$job" 2>/dev/null || true; scancel "$job" 2>/dev/null || true; fi
    if [[ $code -ne 0 ]]; then tail -n 30 "$T"/*.log 2>/dev/null >&2 || true; fi
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null || true; done
    [[ -n ${KEEP:-} ]] && echo "kept: $T" || rm -rf "$T"
    exit "$code"
}
trap finish EXIT; trap 'exit 130' INT TERM

# need PROGRAM PACKAGE…: installs the packages if the program is not there.
need() {
    command -v "$1" >/dev/null && return
    if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
        echo "===== $1 is not here, and installing it takes root and apt: NOTHING WAS TESTED =====" >&2
        exit 3
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${@:2}"
}
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

cp -r "$here/queue" "$T/queue"
export CCT_SHRINK=off
"$tool" archive --manifest-path "$T/queue/Cargo.toml" --seed 1 --strategy $strategy -o "$T/queue.cct"
# Shards have neither the source nor what was built.
rm -rf "$T/queue"
began=$SECONDS
"$tool" test --archive "$T/queue.cct" --results "$T/whole" --seed 1 --json \
    --iterations $((shards * iterations)) >"$T/whole.json" && code=0 || code=$?
[[ $code -eq 100 ]] || { echo "the run ended with $code" >&2; exit 1; }
echo "one run: $((SECONDS - began)) s"
# Each shard goes on where it was killed.
cat >"$T/shard.sh" <<SHARD
#!/usr/bin/env bash
echo "\$(date +%T) \$(hostname) begins \${SLURM_ARRAY_TASK_ID:-\${PARALLEL_SEQ:-\${1:-}}}" >>"$T/starts"
"$tool" test --archive "$T/queue.cct" --seed 1 --iterations $iterations --campaign "$T/shards" \\
    --shard "\${2:-auto}" -j1 >>"$T/out-\${SLURM_ARRAY_TASK_ID:-\${PARALLEL_SEQ:-\${1:-}}}" 2>&1
code=\$?
# Bugs are what it is for; anything else has to be done again.
[[ \$code -eq 100 || \$code -eq 0 ]] && exit 0
exit \$code
SHARD
chmod +x "$T/shard.sh"
kills=0
began=$SECONDS

by_processes() {
    local open=() n pid next=1 left=$((shards / 2)) live
    declare -A of=()
    for ((n = 1; n <= shards; n++)); do open+=("$n"); done
    while [[ ${#open[@]} -gt 0 || ${#of[@]} -gt 0 ]]; do
        while [[ ${#of[@]} -lt 2 && ${#open[@]} -gt 0 ]]; do
            n=${open[0]}; open=("${open[@]:1}")
            "$T/shard.sh" "$n" "$n/$shards" & of[$!]=$n
        done
        sleep 0.2
        for pid in "${!of[@]}"; do
            if [[ $left -gt 0 && $((RANDOM % 3)) -eq 0 ]]; then
                # The tool, and with it the test: this shell's own child, by its number.
                live=$(pgrep -P "$pid" || true)
                [[ -n $live ]] && kill -9 $live 2>/dev/null && kills=$((kills + 1)) && left=$((left - 1))
            fi
            kill -0 "$pid" 2>/dev/null && continue
            wait "$pid" && code=0 || code=$?
            [[ $code -eq 0 ]] || open+=("${of[$pid]}")
            unset "of[$pid]"
        done
    done
}

by_parallel() {
    need parallel parallel
    export CCT_SHARDS=$shards
    # A job that fails is tried again.
    parallel --will-cite --jobs 4 --retries 9 "$T/shard.sh {}" ::: $(seq "$shards") 2>>"$T/parallel.log" &
    local main=$! left=$((shards / 2)) pid
    daemons+=("$main")
    while kill -0 "$main" 2>/dev/null; do
        sleep 0.3
        for pid in $(pgrep -f "^$tool test --archive $T/queue.cct" || true); do
            [[ $left -gt 0 && $((RANDOM % 3)) -eq 0 ]] || continue
            kill -9 "$pid" 2>/dev/null && kills=$((kills + 1)) && left=$((left - 1))
        done
    done
    wait "$main" || { echo "parallel failed" >&2; exit 1; }
}

by_slurm() {
    need slurmctld slurmctld slurmd slurm-client munge; need sbatch slurm-client
    local name; name=$(hostname -s)
    mkdir -m 700 "$T/munge" "$T/state" "$T/spool"
    head -c 128 /dev/urandom >"$T/munge/key"; chmod 400 "$T/munge/key"
    cat >"$T/slurm.conf" <<CONF
ClusterName=cct
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$(port)
SlurmdPort=$(port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$T/munge/socket
StateSaveLocation=$T/state
SlurmdSpoolDir=$T/spool
SlurmctldPidFile=$T/slurmctld.pid
SlurmdPidFile=$T/slurmd.pid
SlurmctldLogFile=$T/slurmctld.log
SlurmdLogFile=$T/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,requeue_delay=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
MinJobAge=3600
JobRequeue=1
NodeName=$name NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$T/slurm.conf
    munged --foreground --force --key-file="$T/munge/key" --socket="$T/munge/socket" --num-threads=2 \
        --pid-file="$T/munge/pid" --seed-file="$T/munge/seed" --log-file="$T/munged.log" &>"$T/munged.out" &
    daemons+=($!)
    for _ in $(seq 50); do [[ -S $T/munge/socket ]] && break; sleep 0.1; done
    slurmctld -D -f "$SLURM_CONF" &>"$T/slurmctld.out" & daemons+=($!)
    slurmd -D -f "$SLURM_CONF" &>"$T/slurmd.out" & daemons+=($!)
    for _ in $(seq 100); do [[ $(sinfo -h -o %T 2>/dev/null) == idle ]] && break; sleep 0.3; done
    sinfo
    local left=$((shards / 2)) task state id failed
    job=$(sbatch --parsable --array=0-$((shards - 1)) --requeue -n1 -o "$T/job-%a.txt" "$T/shard.sh")
    echo "job $job: array of $shards tasks on $(sinfo -h -o %c) CPUs"
    while true; do
        state=$(squeue -h -r -j "$job" -o '%K %T %i' || true)
        while read -r task state id; do
            case $state in
            RUNNING)
                [[ $left -gt 0 && $((RANDOM % 4)) -eq 0 ]] || continue
                # By turns: the system takes the node away, or the tool dies as when memory runs out.
                if [[ $((left % 2)) -eq 0 ]]; then scontrol requeue "${job}_$task" || continue
                else scancel --signal=KILL --full "${job}_$task" || continue; fi
                kills=$((kills + 1)); left=$((left - 1)) ;;
            # Slurm lets a task that was put back wait for two minutes.
            PENDING) scontrol update JobId="${job}_$task" StartTime=now 2>/dev/null || true ;;
            esac
        done <<<"$state"
        # Tasks that were killed are put back into the queue.
        if ! grep -qE 'RUNNING|PENDING|COMPLETING|CONFIGURING' <<<"$(squeue -h -r -j "$job" -t all -o %T)"; then
            failed=$(squeue -h -r -j "$job" -t all -o '%K %T' | grep -vE ' COMPLETED$' | cut -d' ' -f1 || true)
            [[ -n $failed ]] || break
            for task in $failed; do scontrol requeue "${job}_$task"; done
        fi
        sleep 0.5
    done
}

case $how in
slurm) by_slurm ;;
parallel) by_parallel ;;
processes) by_processes ;;
*) echo "slurm, parallel or processes, not $how" >&2; exit 2 ;;
esac
echo "$shards shards by $how: $((SECONDS - began)) s, $(wc -l <"$T/starts") starts, $kills killed"
"$tool" merge "$T/shards" --json >"$T/merged.json" && code=0 || code=$?
{ "$tool" merge "$T/shards" --json || true; } | cmp - "$T/merged.json"
"$tool" merge "$T/shards"  || true
python3 "$here/compare.py" "$T/whole.json" "$T/merged.json"
