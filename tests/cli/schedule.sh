#!/bin/bash
# schedule.sh -- schedule, check, bound, simulate, compare: published values and exit codes.
. "$(dirname "$0")/lib.sh"
T=examples/topcuoglu.tg P=examples/topcuoglu.tgp

run 0 "$TGSCHED" schedule $T -m $P -a heft --json; json out schedule
grep -q '"makespan_s": 80[,}]' out || fail "HEFT: $(cat out)"
for key in lower_bound_s ratio bytes_moved heuristic tasks; do shows "\"$key\": "; done
run 0 "$TGSCHED" schedule $T -m $P -a cpop --csv; shows ',86,'
run 0 "$TGSCHED" schedule $T -m $P --tasks --json; json out schedule
[ "$(python3 -c 'import json; print(max(t["end_s"] for t in json.load(open("out"))["places"]))' 2>/dev/null)" = 80 ] || fail 'tasks'

# a schedule in a file: written, read, checked, refused elsewhere, and refused when changed
run 0 "$TGSCHED" schedule $T -m $P -a peft -o s.tgs --json; m=$(value out makespan_s)
run 0 "$TGSCHED" schedule $T -m $P -a peft -o -; cmp -s out s.tgs || fail '-o - differs from -o FILE'
run 0 "$TGSCHED" schedule $T -m $P -s s.tgs --json; [ "$(value out makespan_s)" = "$m" ] || fail 'reading it back'
run 0 "$TGSCHED" check $T s.tgs -m $P; shows '^valid$'
run 0 "$TGSCHED" check $T s.tgs -m $P --json; json out check
run 0 "$TGSCHED" info s.tgs -g $T -m $P --json; [ "$(value out makespan_s)" = "$m" ] || fail 'info of a schedule'
refused 1 'another graph' "$TGSCHED" check examples/peft.tg s.tgs -m examples/peft.tgp
sed 's/bandwidth=1\b/bandwidth=2/' $P > other.tgp; cmp -s $P other.tgp && fail 'the platform did not change'
refused 1 'another platform' "$TGSCHED" check $T s.tgs -m other.tgp
sed 's/^place T10 P2 78 85/place T10 P2 60 67/' s.tgs > bad.tgs
refused 1 'T10' "$TGSCHED" check $T bad.tgs -m $P
refused 2 'writes the schedule where' "$TGSCHED" schedule $T -m $P -o - --json

# infeasible is 3, misuse 2, bad input 1
refused 3 'may run nowhere' "$TGSCHED" schedule gen:cholesky:n=4 -m cpu:2@0.001
# what a heuristic proves is the bound of every row
run 0 "$TGSCHED" schedule $T -m $P -a bnb --json
[ "$(value out lower_bound_s) $(value out lower_bound) $(value out ratio)" = "73 bnb 1" ] || fail 'the bound of bnb'
run 0 "$TGSCHED" compare $T -m $P -a heft,bnb; shows 'lower bound 73 s (bnb)'; shows 'heft *80 s 1.096'
# many memories: the largest peak only
run 0 "$TGSCHED" compare gen:forkjoin -m 'cpu:8/own link:1,0' -a heft; shows 'largest peak'
grep -q 'peak cpu5' out && fail 'a column per memory'
refused 2 "no heuristic 'xyzzy'" "$TGSCHED" schedule $T -m $P -a xyzzy
refused 2 "no link_model 'xyzzy'" "$TGSCHED" schedule $T -m $P --link xyzzy
refused 2 "neither a file, nor 'host'" "$TGSCHED" schedule $T -m 'cp u'
refused 2 'expected kind:count' "$TGSCHED" schedule $T -m 'cp u:2'
refused 1 'nowhere.tgp: No such file' "$TGSCHED" schedule $T -m nowhere.tgp
refused 1 'nowhere.tgs: No such file' "$TGSCHED" schedule $T -m $P -s nowhere.tgs

run 0 "$TGSCHED" bound $T -m $P --json; json out bound; b=$(value out lower_bound_s)
python3 -c "import sys; sys.exit(not 0 < $b <= $m)" || fail "bound $b of makespan $m"
run 0 "$TGSCHED" bound $T -m $P; shows 'critical-path'

# simulated under the model it was planned for, a plan keeps its makespan; shared links are slower
run 0 "$TGSCHED" simulate gen:cholesky:n=6 -m 'cpu:3 gpu:1x4 link:1e9,1e-5' --play zero,latbw,fifo,share --csv
awk -F, 'NR == 1 { next } { got[$1] = $2; plan = $3 }
  END { exit !(got["latbw"] >= plan * (1 - 1e-9) && got["latbw"] <= plan * (1 + 1e-9) && got["zero"] <= got["latbw"] &&
               got["fifo"] >= got["latbw"] && got["share"] >= got["latbw"]) }' out || { fail 'link models'; cat out; }
refused 2 "no link_model 'xyzzy'" "$TGSCHED" simulate $T -m $P --play latbw,xyzzy

run 0 "$TGSCHED" compare $T -m $P --json; json out compare
python3 - <<'PY' || fail 'compare'
import json
r = json.load(open('out'))
rows = [x for x in r['results'] if 'makespan_s' in x]
by = {x['heuristic']: x for x in rows}
assert by['heft']['makespan_s'] == 80 and by['cpop']['makespan_s'] == 86, by
assert [x['makespan_s'] for x in rows] == sorted(x['makespan_s'] for x in rows)
assert all(x['ratio'] >= 1 and x['bytes_moved'] >= 0 and 'schedule_time_s' in x for x in rows)
assert len(r['results']) >= 14
PY
run 0 "$TGSCHED" compare $T -m $P -a heft,peft --sort bytes --csv
[ "$(cut -d, -f1 out | tr '\n' ' ')" = 'heuristic peft heft ' ] || { fail 'sort by bytes'; cat out; }
refused 2 "no heuristic 'xyzzy'" "$TGSCHED" compare $T -m $P -a heft,xyzzy
refused 3 '' "$TGSCHED" compare gen:cholesky:n=4 -m cpu:2@0.001

# names from files are in the columns
printf 'tgsched.platform/1\nkind cpu\nmemory %%22a%%2Cb%%22\nprocessor c kind=cpu memory=%%22a%%2Cb%%22\n' > odd.tgp
run 0 "$TGSCHED" compare gen:chain -m odd.tgp -a heft --json; json out compare
run 0 "$TGSCHED" compare gen:chain -m odd.tgp -a heft --csv
python3 -c 'import csv; r = list(csv.DictReader(open("out"))); assert "peak_bytes_\"a,b\"" in r[0] and None not in r[0], r' || fail 'a column named by a file'

# --runnable keeps tasks where their codelet has a kernel
if "$TGSCHED" list reader | grep -q '^reader *onnx'; then
  printf 'tgsched.platform/1\nkind cpu flops=1e10 bandwidth=1e10\nkind card arch=cuda flops=1e14 bandwidth=1e12\nmemory ram\nmemory far\nprocessor c kind=cpu memory=ram\nprocessor g kind=card memory=far\nlink ram far latency=0 bandwidth=1e12\nlink far ram latency=0 bandwidth=1e12\n' > card.tgp
  run 0 "$TGSCHED" schedule data/onnx/lenet.onnx --bind batch=8 --train --loss xent -m card.tgp --tasks --csv; cut -d, -f2 out | sort | uniq -c > free
  run 0 "$TGSCHED" schedule data/onnx/lenet.onnx --bind batch=8 --train --loss xent -m card.tgp --tasks --csv --runnable; cut -d, -f2 out | sort | uniq -c > kept
  [ "$(awk '$2 == "g" { print $1 }' free)" -gt "0$(awk '$2 == "g" { print $1 }' kept)" ] || { fail 'runnable'; cat free kept; }
fi

# the same input and seed, the same bytes
run 0 "$TGSCHED" schedule gen:layered:n=200 -m 'cpu:3 gpu:2' -o -; cp out a
run 0 "$TGSCHED" schedule gen:layered:n=200 -m 'cpu:3 gpu:2' -o -; cmp -s out a || fail 'not reproducible'
finish
