#!/bin/bash
# forkjoin.sh -- tgsched forkjoin: cases, their bounds, and what is refused.
. "$(dirname "$0")/lib.sh"
M='cpu:4/own link:1,0'

# two tasks of 10 with edges of 6: apart 16 is optimal, together it would be 20 (fork-join table)
cat > two.tg <<'TG'
tgsched.graph/1
task s work=0
task a work=10
task b work=10
task t work=0
edge s a 6
edge s b 6
edge a t 6
edge b t 6
TG
run 0 "$TGSCHED" forkjoin two.tg -m 'cpu:2/own link:1,0'
shows '^makespan 16 s: optimal$'
shows '^source in ram, sink in cpu1.mem .*16 s'
shows '^source and sink in ram .*20 s'
silent err
run 0 "$TGSCHED" forkjoin two.tg -m 'cpu:2/own link:1,0' --json; json out forkjoin
[ "$(value out makespan_s) $(value out lower_bound_s) $(value out ratio)" = '16 16 1' ] || fail 'the optimum'

# bounds and makespans of the cases agree with those of the whole, whatever eps
for eps in 0 0.05 1; do
  run 0 "$TGSCHED" forkjoin gen:forkjoin:n=60 -m "$M" --eps $eps --json; json out forkjoin
  EPS=$eps python3 - <<'PY' || fail "eps $eps"
import json, os
r = json.load(open('out'))
cases, eps = r['cases'], float(os.environ['EPS'])
assert r['eps'] == eps and len(cases) == 2, r
assert min(c['lower_bound_s'] for c in cases) >= r['lower_bound_s'] * (1 - 1e-12), r
best = min(c['makespan_s'] for c in cases if 'makespan_s' in c)
assert abs(best - r['makespan_s']) <= 1e-9 * best, r
assert r['proven'] == (r['makespan_s'] <= (1 + eps) * r['lower_bound_s']), r
for c in cases:
    assert c['bound'] and c['result'] and c.get('ratio', 1) >= 1 - 1e-12, c
    if c['result'].startswith('skipped'):
        assert c['lower_bound_s'] * (1 + eps) >= r['makespan_s'] * (1 - 1e-12), c
PY
done
run 0 "$TGSCHED" forkjoin gen:forkjoin:n=60 -m "$M" --csv; shows '^case,lower_bound_s,bound,makespan_s,ratio,result$'
run 0 "$TGSCHED" forkjoin gen:forkjoin:n=60 -m 'cpu:4 gpu:2x8 link:10,0.1' -e 0.1; shows 'source in'
# many alike: the theorem is named
run 0 "$TGSCHED" forkjoin two.tg -m 'cpu:1'; shows 'optimal'
refused 1 'not a fork-join graph' "$TGSCHED" forkjoin gen:cholesky:n=4 -m "$M"
refused 2 'at least 0' "$TGSCHED" forkjoin two.tg -m "$M" --eps -1
refused 2 'eps' "$TGSCHED" forkjoin two.tg -m "$M" --eps x
refused 1 'nowhere.tg' "$TGSCHED" forkjoin nowhere.tg -m "$M"
finish
