#!/bin/bash
# plans.sh -- planners side by side: the table does not depend on the threads, and its rows are what each planner says alone.
. "$(dirname "$0")/lib.sh"
plan() { run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m examples/unlike.tgp -b 32 "$@"; }
# but for the seconds that planning took
untimed() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_s") t = i } { $t = ""; print }' out; }
for threads in 1 4; do
  OMP_NUM_THREADS=$threads plan --compare all --csv; untimed > threads.$threads
done
cmp threads.1 threads.4 || fail 'it depends on the threads'
[ "$(grep -c . threads.1)" -gt 10 ] || fail 'hardly a planner'
for threads in 1 4; do
  OMP_NUM_THREADS=$threads plan -p auto -o auto.$threads.tgy
done
cmp auto.1.tgy auto.4.tgy || fail 'auto depends on the threads'
plan --compare poplar,auto:work=0,1f1b --csv; untimed > together
for p in poplar auto:work=0 1f1b; do plan --compare $p --csv; untimed | tail -n +2; done > alone
tail -n +2 together | cut -d' ' -f1,2 | sort > a; cut -d' ' -f1,2 alone | sort > b
cmp a b || fail 'beside each other they plan something else'

# the local search finds what no planner proposes; without work it is the best planner
lenet=(zoo:lenet5:batch=8 -m examples/unlike.tgp -b 64)
run 0 "$TGSCHED" plan "${lenet[@]}" -p auto -o best.tgy
shows '^gain  *1\.0[1-9]'; shows 'local search gains 1\.0[1-9]* x'
run 0 "$TGSCHED" plan "${lenet[@]}" -p auto:work=0; shows '^gain  *1$'
finish
