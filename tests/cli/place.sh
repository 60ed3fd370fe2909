#!/bin/bash
# place.sh -- planners that place graphs and choose per layer: the published values, what they say,
# and mistakes.
. "$(dirname "$0")/lib.sh"
machine='cpu:1 fpga:6@16.005/own link:1,0'
table=data/hep-bnn/layer-times.csv
figure() { # figure KEY VALUE TOLERANCE: of ./out as JSON
  python3 -c 'import json,sys; v=json.load(open("out"))[sys.argv[1]]; w=float(sys.argv[2]); sys.exit(not abs(v-w) <= float(sys.argv[3])*abs(w))' "$@" \
    || { fail "$1 is not $2"; head -c 400 out; }
}
if tgsched=$("$TGSCHED" list reader) && grep -q dnn-partitioning <<< "$tgsched" && command -v python3 >/dev/null; then
  bert=data/dnn-partitioning/throughput/bert24_inference.json
  run 0 "$TGSCHED" plan $bert -m "$machine" -p place-dpl --json; json out plan; figure load_s .0177899 1e-4
  run 0 "$TGSCHED" plan $bert -m "$machine" -p place-ideal-dp --json; figure load_s .0177899 1e-4; figure ideals 30 0
  run 0 "$TGSCHED" plan $bert -m "$machine" -p place-ideal-dp:ideals=29 --json; figure load_s .0177899 1e-4
  shows 'more than 29 ideals: this is the placement along topological orders' # no silent fall-back
  run 0 "$TGSCHED" plan $bert -m "$machine" -p ls-class:evals=100000 --json; figure load_s .0177147 1e-3
  run 0 "$TGSCHED" plan $bert -m "$machine" -p ls-class:evals=100000 --json; cp out once
  run 0 "$TGSCHED" plan $bert -m "$machine" -p ls-class:evals=100000 --json; cmp -s out once || fail 'not the same again'
  run 0 "$TGSCHED" plan data/dnn-partitioning/bert24_inference.json -m 'cpu:8 fpga:5@0.5859375/own link:1,0' -p lat-greedy --json
  figure latency_s .100219 1e-5
  run 0 "$TGSCHED" plan data/dnn-partitioning/bert24_inference.json -m 'cpu:8 fpga:5@0.5859375/own link:1,0' -p lat-seg-dp --json
  figure latency_s .100219 1e-5
  run 0 "$TGSCHED" plan $bert -m "$machine" -p place-ip:nodes=50:evals=20000 --json; figure load_s .0177147 1e-3
  run 0 "$TGSCHED" plan $bert -m "$machine" -p place-ip --export-lp s.lp; says "its machine is -m 'cpu:1 fpga:6@16.00512695/own link:1,0'"
  grep -q '^. tgsched: T is the largest load' s.lp || fail 'no program'
  refused 1 'solves no linear program' "$TGSCHED" plan $bert -m "$machine" -p place-dpl --export-lp no.lp
  refused 3 'bytes are missing per device; the nearest that fits has' \
    "$TGSCHED" plan $bert -m 'fpga:2@0.5/own link:1,0' -p place-dpl
  refused 1 'shares its memory' "$TGSCHED" plan $bert -m 'cpu:1 fpga:2@16 link:1,0' -p place-dpl
fi
run 0 "$TGSCHED" plan gen:layered:n=60:kinds=cpu+gpu -m 'cpu:2 gpu:2@8/own link:1e9,1e-5' -p place-ideal-dp
shows '^load_s'; shows '^makespan_s'; shows '^gpu1'
run 0 "$TGSCHED" plan $table -m cpu:1 -p layer-argmin:network=cifar10
shows "^planner's estimate  *55 s"; shows '^layer 17  *x '; shows '^batch 8  *predicted (measured 71.24 s)  *64.42 s'
run 0 "$TGSCHED" plan $table -m cpu:1 -p layer-viterbi:network=cifar10:change=1; shows "^planner's estimate  *61.09 s"
run 0 "$TGSCHED" plan $table -m cpu:1 -p layer-argmin:network=cifar10:batch=8; shows "^planner's estimate  *64.42 s"
refused 1 'layer-times.csv:22: the table is of several networks' "$TGSCHED" plan $table -m cpu:1 -p layer-argmin
refused 1 'no batch has a time for every layer' "$TGSCHED" plan $table -m cpu:1 -p layer-argmin:network=cifar10:batch=7
osdp=data/osdp/layer-choices.csv # Q10
run 0 "$TGSCHED" plan $osdp -m cpu:1 -p osdp-table:hidden=2; shows 'layers 0/0/44/4  *3.583 s'; shows 'layers 0/2/46/0  *2.902 s'
run 0 "$TGSCHED" plan $osdp -m cpu:1 -p osdp-table:hidden=3:layers=24 # by throughput 3 samples, by the step's length 2
shows "^planner's estimate  *2.815 s"; shows '^shortest_step_s  *2.628 s'
refused 3 'bytes are missing per device' "$TGSCHED" plan $osdp -m cpu:1 -p osdp-table:hidden=6
refused 1 'no rows with hidden_index 9' "$TGSCHED" plan $osdp -m cpu:1 -p osdp-table:hidden=9
refused 2 'batches has 2 numbers, the table has 5' "$TGSCHED" plan $osdp -m cpu:1 -p osdp-table:batches=1,2
refused 1 'there is no column `hidden_index`' "$TGSCHED" plan $table -m cpu:1 -p osdp-table
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -b 32 -m 'cpu:1 gpu:1/own link:1e9,1e-6' -p layer-devices -o s.tgy; shows '^fc1  *gpu0'; shows '^strategy .*place gpu0.mem'
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -b 32 -m 'cpu:1 gpu:1x0.02/own link:1e12,1e-9' -p layer-devices --json; json out plan
four='gpu:4/own link:1e9,1e-6'
limits() { printf 'gpu0=%s,gpu1=%s,gpu2=%s,gpu3=%s' "$1" "$1" "$1" "$1"; }
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -b 32 -m "$four" -p osdp; shows 'replicas 4; shard 1; place ram,gpu1.mem,gpu2.mem,gpu3.mem'
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -b 32 -m "$four" --limit-memory "$(limits 8MB)" -p osdp -o s.tgy # what is large is shared out
shows '^everything shared out  *2 operators'; shows 'shard 3 ops=fc1,fc2'
run 0 "$TGSCHED" simulate zoo:mlp:batch=8 --strategy s.tgy -m "$four"
refused 3 'osdp: [0-9]* bytes are missing in memory .*it fits' "$TGSCHED" plan zoo:mlp:batch=8 -b 32 -m "$four" --limit-memory "$(limits 1MB)" -p osdp
refused 2 'there are 4' "$TGSCHED" plan zoo:mlp:batch=8 -b 32 -m "$four" -p osdp:devices=5
sdf() { printf 'tgsched.instance/1\nmachine m cores=1 memory=%s\nactor a host=0,5 device=10,1 bytes=1\n%b' "$1" "${2-}" > a.sdf; }
sdf -; run 0 "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize:iterations=8; shows "^planner's estimate  *18 s"; shows '^a  *device: 8 firings'
sdf 2; run 0 "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize:iterations=8; shows "^planner's estimate  *40 s"; shows '^a  *host: '
sdf 2; run 0 "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize:iterations=8:evals=5; shows "^planner's estimate  *40 s"
sdf 0.5; refused 3 'bytes are missing: the least that was found is 1 bytes' "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize
sdf - 'channel c from=a to=a produce=2\n'; refused 1 'a.sdf:4: no numbers of firings' "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize
sdf - 'channel c from=a to=a\n'; refused 1 'a.sdf:4: it is on a cycle without delays' "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize
sdf - 'actor b host=1\n'; refused 1 'a.sdf:4: two times are needed' "$TGSCHED" plan a.sdf -m cpu:1 -p sdf-vectorize
finish
