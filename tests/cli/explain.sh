#!/bin/bash
# explain.sh -- explain: why a schedule is as it is; adversary: where a heuristic does worst.
. "$(dirname "$0")/lib.sh"
T=examples/topcuoglu.tg M='-m examples/topcuoglu.tgp'
run 0 "$TGSCHED" schedule $T $M -a heft -o heft.tgs --json

# the chain, and where the 80 seconds went
run 0 "$TGSCHED" explain heft.tgs --graph $T $M
for word in '^makespan *80 s$' '^compute *45 s$' '^communication *35 s$' '^idle *0 s$' 'T4 .*reads from T1: 9 B, 9 s from M3 to M2' 'T6 .*processor busy with T4'; do shows "$word"; done
run 0 "$TGSCHED" explain heft.tgs -g $T $M --json; json out explain
python3 - <<'PY' || { fail 'the chain'; cat out; }
import json
r = json.load(open('out'))
assert [c['task'] for c in r['chain']] == ['T1', 'T4', 'T6', 'T8', 'T10'], r
assert [c['cause'] for c in r['chain']] == ['nothing', 'data', 'processor', 'data', 'data']
assert r['compute_s'] + r['communication_s'] + r['link_wait_s'] + r['idle_s'] == r['makespan_s'] == 80
PY
run 0 "$TGSCHED" explain heft.tgs -g $T $M --csv; [ "$(wc -l < out)" = 6 ] || fail 'csv of the chain'

# a task: what it waited for, and the other processors
run 0 "$TGSCHED" explain heft.tgs -g $T $M --task T9; shows 'reads from T2'; shows '^P1 '; shows '^T5 '
run 0 "$TGSCHED" explain heft.tgs -g $T $M --task T9 --json; json out explain
python3 - <<'PY' || { fail 'a task'; cat out; }
import json
r = json.load(open('out'))
assert (r['task'], r['processor'], r['start_s'], r['by'], r['from'], r['to']) == ('T9', 'P2', 56, 'T2', 'M1', 'M2'), r
assert [(n['by'], n['arrival_s']) for n in r['needs']] == [('T2', 56), ('T4', 26), ('T5', 51)]
assert [(o['processor'], o['end_s'], o['late_s']) for o in r['options']] == [('P1', 80, 20), ('P2', 68, 0), ('P3', 76, 16)]
PY
cp out named; run 0 "$TGSCHED" explain heft.tgs -g $T $M --task 8 --json; cmp -s out named || fail 'a task by its index'
run 0 "$TGSCHED" explain heft.tgs -g $T $M --task @8 --csv; [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'processor P1 P2 P3 ' ] || fail 'csv of the options'
# a schedule of another tool, and one that leaves idle time
printf 'task,processor,start\nT1,P3,1\nT2,P3,10\nT3,P3,28\nT4,P3,47\nT5,P3,64\nT6,P3,74\nT7,P3,83\nT8,P3,94\nT9,P3,108\nT10,P3,128\n' > late.csv
run 0 "$TGSCHED" explain late.csv -g $T $M; shows 'waits 1 s by choice'; shows '^idle *1 s$'
printf 'tgsched.graph/1\ntask a work=1 kinds=x\n' > one.tg; printf 'task,processor,start\na,x0,0\n' > one.csv
run 0 "$TGSCHED" explain one.csv -g one.tg -m 'x:1 y:1' --task a; shows 'y0 .*may not run there'

# moves of the schedule over one link, the second of which has to wait for the first
printf 'tgsched.graph/1\ntask a work=1\ntask c work=1\ntask b work=1\ndata x bytes=10\ndata y bytes=10\naccess a w x\naccess c w y\naccess b r x\naccess b r y\n' > two.tg
two='cpu:2/own link:1,0'
run 0 "$TGSCHED" schedule two.tg -m "$two" -a roundrobin -o two.tgs --json
sed -n '1,2p' two.tgs > moves.tgs
printf 'place a cpu0 0 1\nplace c cpu0 1 2\nplace b cpu1 21 22\nmove x ram cpu1.mem 1 11 writer=a\nmove y ram cpu1.mem 11 21 writer=c\nend\n' >> moves.tgs
run 0 "$TGSCHED" explain moves.tgs -g two.tg -m "$two" --json; json out explain
python3 - <<'PY' || { fail 'waiting for a link'; cat out moves.tgs; }
import json
r = json.load(open('out'))
assert (r['makespan_s'], r['compute_s'], r['communication_s'], r['link_wait_s'], r['idle_s']) == (22, 3, 10, 9, 0), r
assert [c['task'] for c in r['chain']] == ['a', 'c', 'b'] and r['chain'][2]['sending_s'] == 10
PY

run 0 "$TGSCHED" explain heft.tgs -g $T $M; cp out named
run 0 "$TGSCHED" explain heft.tgs; cmp -s out named || fail 'the graph that the schedule tells'
refused 2 'late.csv does not tell its graph' "$TGSCHED" explain late.csv
refused 2 "no task 'T11'" "$TGSCHED" explain heft.tgs -g $T $M --task T11
refused 2 "no task '10'" "$TGSCHED" explain heft.tgs -g $T $M --task 10
sed 's/,P3,10$/,P3,9/' late.csv > bad.csv; refused 1 'T1' "$TGSCHED" explain bad.csv -g $T $M
refused 1 'another graph' "$TGSCHED" explain heft.tgs -g examples/peft.tg -m examples/peft.tgp

# ---- adversary: the files say what was found, the same every time
run 0 "$TGSCHED" adversary -a heft --against cpop --tasks 8 --evals 2000 --seed 1 -o worst --json; json out adversary; ratio=$(value out ratio)
python3 -c "import sys; sys.exit(not $ratio > 1.3)" || fail "HEFT against CPOP: $ratio"
a=$("$TGSCHED" schedule worst.tg -m worst.tgp -a heft --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["makespan_s"])')
b=$("$TGSCHED" schedule worst.tg -m worst.tgp -a cpop --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["makespan_s"])')
python3 -c "import sys; sys.exit($a / $b != $ratio)" || fail "$a / $b is not $ratio"
run 0 "$TGSCHED" adversary -a heft --against cpop --tasks 8 --evals 2000 --seed 1 -o again --csv
cmp -s worst.tg again.tg && cmp -s worst.tgp again.tgp || fail 'not the same again'
run 0 "$TGSCHED" adversary -a heft --against cpop --time 0.2 -o timed; shows '^ratio '
run 0 "$TGSCHED" adversary -a heft --against heft --evals 50 -o same; shows '^ratio *1$'; shows '^tasks *1$'
run 0 "$TGSCHED" adversary -a heft --against single --evals 300 --link fifo -o busy --json; ratio=$(value out ratio)
a=$("$TGSCHED" simulate busy.tg -m busy.tgp --link fifo -a heft --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["makespan_s"])')
b=$("$TGSCHED" simulate busy.tg -m busy.tgp --link fifo -a single --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["makespan_s"])')
python3 -c "import sys; sys.exit($a / $b != $ratio)" || fail "under fifo $a / $b is not $ratio"
# the worst of several models: the one that is named gives the ratio again
run 0 "$TGSCHED" adversary -a heft --against cpop --tasks 6 --evals 900 --seed 2 --link latbw,share,fifo -o models --json; ratio=$(value out ratio); model=$(value out link)
a=$("$TGSCHED" simulate models.tg -m models.tgp --link $model -a heft --seed 2 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["makespan_s"])')
b=$("$TGSCHED" simulate models.tg -m models.tgp --link $model -a cpop --seed 2 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["makespan_s"])')
python3 -c "import sys; sys.exit(not abs($a / $b - $ratio) < 1e-12 * $ratio)" || fail "under $model $a / $b is not $ratio"
refused 2 'an empty name' "$TGSCHED" adversary -a heft --against cpop --evals 5 --link latbw, -o models2
mkdir none; last=adversary
refused 2 "no heuristic 'xyzzy'" "$TGSCHED" adversary -a heft --against xyzzy -o none/x
refused 3 'no instance on which both' "$TGSCHED" adversary -a heft --against fj-prefix --evals 20 --tasks 20 -o none/x
refused 2 'adversary needs' "$TGSCHED" adversary -a heft --against cpop
refused 2 '2 to 64 tasks' "$TGSCHED" adversary -a heft --against cpop --tasks 100 -o none/x
refused 2 'positive number of seconds' "$TGSCHED" adversary -a heft --against cpop --time -1 -o none/x
refused 1 'No such file' "$TGSCHED" adversary -a heft --against cpop --evals 5 -o nowhere/x
only none
finish
