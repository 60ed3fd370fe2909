#!/bin/bash
# planrun.sh -- what a planner proposes, executed through StarPU on a CPU and two devices: every task
# has a kernel, and the audit of the trace finds nothing moved twice.
. "$(dirname "$0")/lib.sh"
run 0 "$TGSCHED" doctor
grep -q '^ok *StarPU' out && grep -q '^ok *OpenCL' out || { echo 'no StarPU, or no OpenCL device'; exit 77; }
export POCL_DEVICES='pthread pthread'
step() { run 0 "$TGSCHED" "$1" zoo:mlp:batch=8 --strategy s.tgy -m 'cpu:1 gpu:2/own link:1e9,1e-6' "${@:2}"; }
for p in 1f1b:stages=3 hetpipe poplar:stage=1 cephalo osdp mbs axonn:stages=3; do
  run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m 'cpu:1 gpu:2/own link:1e9,1e-6' -b 32 -p $p -o s.tgy
  step schedule --runnable -o s.tgs
  step run -s s.tgs --steps 2 -o t.tgt --json r.json; json r.json run
  python3 - $p <<'PY' || fail "run of $p"
import json, sys
r = json.load(open('r.json'))
assert r['synthetic'] == [], r['synthetic']
assert sum(w['tasks'] for w in r['workers'] if w['worker'].startswith('gpu')) > 0
PY
  run 0 "$TGSCHED" audit -g zoo:mlp:batch=8 --strategy s.tgy s.tgs t.tgt -m 'cpu:1 gpu:2/own link:1e9,1e-6' --json; json out audit
  python3 - <<'PY' || fail "audit of $p: $(head -c 600 out)"
import json
r = json.load(open('r.json'))
a = {x['bytes']: x['amount_bytes'] for x in json.load(open('out'))['bytes']}
moved = sum(l['bytes_measured'] for l in r['links'])
assert a['moved'] == moved and a['fetched again'] == 0, (a, moved)
PY
done
finish
