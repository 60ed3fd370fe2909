#!/bin/bash
# run.sh -- run, calibrate, doctor: predicted beside measured.
. "$(dirname "$0")/lib.sh"

run 0 "$TGSCHED" run gen:forkjoin:n=8 -m cpu:2 --backend serial --steps 2 --json r.json -o r.tgt --html r.html --perfetto r.pf
json r.json run; json r.pf
shows '^planned '; shows '^re-simulated '; shows '^measured '; shows '^cpu0 '
python3 - <<'PY' || fail 'figures of a run'
import json
r = json.load(open('r.json'))
assert r['steps'] == 2 and r['planned_s'] > 0 and r['measured_s'] > 0 and r['resimulated_s'] > 0
w = r['workers']
assert len(w) == 2 and all(abs(x['busy_measured_s'] + x['idle_measured_s'] - r['measured_s']) < 1e-9 for x in w)
assert sum(x['tasks'] for x in w) == sum(x['tasks'] for x in r['synthetic']) > 0 # no kernels for generated tasks
PY
run 0 "$TGSCHED" run gen:forkjoin:n=8 -m cpu:2 --backend serial --json -; json out run
run 0 "$TGSCHED" info r.tgt --json; [ "$(value out steps)" = 2 ] || fail 'steps of the trace'
run 0 "$TGSCHED" schedule gen:forkjoin:n=8 -m cpu:2 -a cpop -o s.tgs
run 0 "$TGSCHED" run gen:forkjoin:n=8 -m cpu:2 --backend serial -s s.tgs; shows 'cpop'
refused 1 "no backend 'xyzzy'" "$TGSCHED" run gen:chain -m cpu:1 --backend xyzzy

run 0 "$TGSCHED" doctor; shows '^ok *machine'; shows '^ok *host'
run 0 "$TGSCHED" doctor --json; json out doctor
TGSCHED_MODULE_DIR=/nowhere run 0 "$TGSCHED" doctor; shows '^missing *StarPU'

# a module of another build is refused by name; what can do without it says so and does
mkdir old && cp "$TGS_BUILDDIR/tests/unit/.libs/stale.so" old/tgsched-lp.so
if "$TGSCHED" doctor | grep -q '^ok *CBC'; then
  TGSCHED_MODULE_DIR=old refused 1 'old/tgsched-lp.so is of another build' "$TGSCHED" schedule gen:layered:n=8 -m 'cpu:2 gpu:1' -a hlp
  TGSCHED_MODULE_DIR=old run 0 "$TGSCHED" schedule gen:layered:n=8 -m 'cpu:2 gpu:1' -a heft -o s2.tgs --svg s2.svg
  says 'no lower bound: .*old/tgsched-lp.so is of another build'; [ "$(wc -l < err)" = 1 ] || fail 'said twice'
  TGSCHED_MODULE_DIR=old run 0 "$TGSCHED" doctor; shows '^missing *CBC.*another build'
fi

if [ -f data/onnx/mlp.onnx ] && "$TGSCHED" list reader | grep -q '^reader *onnx'; then
  step='data/onnx/mlp.onnx --bind batch=8 --train --loss xent --lr 0.1'
  run 0 "$TGSCHED" calibrate $step -m cpu:1 --backend serial --repeat 3 -o h.tgc; shows '^measured codelets'
  run 0 "$TGSCHED" info h.tgc --json; [ "$(value out samples)" -gt 3 ] || fail 'samples'
  run 0 "$TGSCHED" schedule $step -m cpu:1 --costs h.tgc --json; json out schedule
  run 0 "$TGSCHED" run $step -m cpu:1 --costs h.tgc --backend serial --json m.json; json m.json run
  [ "$(python3 -c 'import json; print(len(json.load(open("m.json"))["synthetic"]))')" = 0 ] || fail 'an MLP needs no synthetic task'

  # through StarPU, on what this machine has, beside one of its own policies
  run 0 "$TGSCHED" doctor
  if grep -q '^ok *StarPU' out; then
    run 0 "$TGSCHED" run $step -m host --steps 2 --policy starpu:dmda --json p.json --html p.html
    json p.json run; shows '^measured '; shows '^starpu:dmda '
    refused 1 '' "$TGSCHED" run $step -m 'cpu:2 fpga:1' -a roundrobin

    # a list: by turns, each as often, on one machine's measured costs
    last=policies; run 0 "$TGSCHED" run gen:layered:n=12:work=1e-4 gen:forkjoin:n=8:work=1e-4 -m cpu:1 --policy heft,starpu:dmda,starpu:eager --runs 3 --json p.json
    json p.json policies; silent out; silent err
    python3 - <<'PY' || fail 'figures of the policies'
import json
r = json.load(open('p.json'))
assert r['rounds'] == 3 and len(r['policies']) == 6 and len(r['runs']) == 18
for p in r['policies']:
    own = [x['makespan_s'] for x in r['runs'] if (x['graph'], x['policy']) == (p['graph'], p['policy'])]
    assert p['median_s'] == sorted(own)[1] and p['min_s'] == min(own) > 0
    assert ('planned_s' in p) == (p['policy'] == 'heft')
    assert p['ratio_first_low'] <= p['ratio_first'] <= p['ratio_first_high']
    assert p['ratio_best'] >= 1 and (p['policy'] != 'heft' or p['ratio_first'] == 1)
PY
    run 1 "$TGSCHED" run gen:chain:n=4:work=1e-4 -m cpu:1 --policy heft,starpu:xyzzy --runs 1 --costs table --csv
    says "no scheduling policy 'xyzzy'"; shows '^gen:chain:n=4:work=1e-4,heft,'; shows ',starpu:xyzzy,,,'
    refused 2 'an empty name' "$TGSCHED" run gen:chain -m cpu:1 --policy heft,,ils
    refused 2 'go with a list' "$TGSCHED" run gen:chain -m cpu:1 --csv
  fi
fi
finish
