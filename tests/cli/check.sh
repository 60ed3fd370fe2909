#!/bin/bash
# check.sh -- check judges schedules of any tool: a table with columns of its own.
. "$(dirname "$0")/lib.sh"
T=examples/topcuoglu.tg M='-m examples/topcuoglu.tgp'

# our own table is one; so is a list from elsewhere, with indices and in another order
run 0 "$TGSCHED" schedule $T $M -a heft --tasks --csv; cp out heft.csv
run 0 "$TGSCHED" check heft.csv --graph $T $M; shows '^valid$'; shows '^makespan *80 s$'; shows '^ratio  *1\.'
awk -F, 'NR == 1 { print "begin;Start;PROCESSOR;task"; next } { print NR ";" $3 ";" substr($2, 2) - 1 ";" substr($1, 2) - 1 }' heft.csv > other.csv
run 0 "$TGSCHED" check other.csv -g $T $M --json; json out check
python3 -c 'import json; r = json.load(open("out")); assert r["makespan_s"] == 80 and 54 <= r["lower_bound_s"] <= 73 and r["ratio"] == 80 / r["lower_bound_s"]' || { fail 'the table of another tool'; cat out; }
run 0 "$TGSCHED" check $T other.csv $M; shows '^valid$'
# what a foreign schedule says is played like any other
run 0 "$TGSCHED" simulate $T $M -s other.csv --json; json out simulate

# the first rule that is broken: exit 1, and nothing on standard output
sed 's/^T10,P2,73,80/T10,P2,60,67/' heft.csv > early.csv; refused 1 "T10" "$TGSCHED" check early.csv -g $T $M
sed 's/^T9,P2,56,68/T9,P2,56,60/' heft.csv > short.csv; refused 1 "short.csv:10: task 'T9' takes 12 on 'P2' but runs from 56 to 60" "$TGSCHED" check short.csv -g $T $M
# a plan that was made to fit a memory has evictions, which a table does not hold
L=(gen:cholesky:n=5 -m 'cpu:1 gpu:1' --limit-memory gpu0=3MiB)
run 0 "$TGSCHED" schedule "${L[@]}" -a heft -o fitted.tgs; run 0 "$TGSCHED" check "${L[@]}" fitted.tgs; shows '^valid$'
run 0 "$TGSCHED" schedule "${L[@]}" -a heft --tasks --csv; cp out fitted.csv
refused 1 'fitted.csv: a table says nothing of what leaves a memory' "$TGSCHED" check "${L[@]}" fitted.csv
grep -v '^T4' heft.csv > few.csv; refused 1 "('T4') has no row" "$TGSCHED" check few.csv -g $T $M
sed 's/P3/P4/' heft.csv > where.csv; refused 1 "where.csv:2: there is no processor 'P4'" "$TGSCHED" check where.csv -g $T $M
sed '1s/start_s/begin/' heft.csv > header.csv; refused 1 "header.csv:1: no column 'start'" "$TGSCHED" check header.csv -g $T $M
refused 1 'nowhere.csv: No such file' "$TGSCHED" check nowhere.csv -g $T $M
refused 2 'takes the place of the first' "$TGSCHED" check $T heft.csv -g $T $M
refused 2 'heft.csv does not tell its graph' "$TGSCHED" check heft.csv $M

# a .tgs tells its graph and every option that this and its prices were made with
run 0 "$TGSCHED" check fitted.tgs; shows '^valid$'
for case in '-t --micro-batches 3 --loss mse --lr 0.25' '--replicas 2 -t --optimizer adam' '--seed 7 --link fifo --costs roofline'; do
  # shellcheck disable=SC2086
  run 0 "$TGSCHED" schedule zoo:mlp:batch=6 -m 'cpu:2 gpu:1@8 link:1e9,1e-5' $case -o told.tgs
  # shellcheck disable=SC2086
  run 0 "$TGSCHED" check zoo:mlp:batch=6 told.tgs -m 'cpu:2 gpu:1@8 link:1e9,1e-5' $case; cp out named
  run 0 "$TGSCHED" check told.tgs; cmp -s out named || fail "what a schedule of $case tells"
  run 0 "$TGSCHED" info told.tgs; shows '^makespan'
  run 0 "$TGSCHED" simulate --schedule told.tgs --play latbw,fifo; shows '^fifo '
done
# the command line goes before, and a schedule of what passes by tells nothing
refused 1 'another platform' "$TGSCHED" check told.tgs -m 'cpu:3 gpu:1@8 link:1e9,1e-5'
"$TGSCHED" gen chain:n=3 | "$TGSCHED" schedule - -m cpu:1 -o passing.tgs > out 2> err || fail 'a graph from standard input'
! grep -q origin passing.tgs || fail 'a pipe in a file'
refused 2 'passing.tgs does not tell its graph' "$TGSCHED" check passing.tgs
run 0 "$TGSCHED" gen chain:n=3 -o gone.tg; run 0 "$TGSCHED" schedule gone.tg -m cpu:1 -o gone.tgs; rm gone.tg
refused 1 'those that gone.tgs tells' "$TGSCHED" check gone.tgs
sed 's/origin="gone.tg/origin="gone.tg%0A--no-such=1/' gone.tgs > odd.tgs; refused 2 "no option '--no-such'" "$TGSCHED" check odd.tgs
refused 2 'simulate needs GRAPH' "$TGSCHED" simulate
finish
