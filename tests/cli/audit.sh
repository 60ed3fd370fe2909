#!/bin/bash
# audit.sh -- a run beside its plan: a plan for free links, played on links that take turns.
. "$(dirname "$0")/lib.sh"
M='cpu:2/own gpu:1x4 link:1,0'

run 0 "$TGSCHED" gen layered:n=60:ccr=2 -o g.tg
run 0 "$TGSCHED" schedule g.tg -m "$M" -a heft -o p.tgs
run 0 "$TGSCHED" simulate g.tg -m "$M" -s p.tgs --play fifo -o f.tgt
run 0 "$TGSCHED" audit g.tg p.tgs f.tgt -m "$M"; cp out text
for word in '^planned' '^re-simulated' '^measured' 'critical chain' 'held up by' '^necessary' 'link'; do shows "$word"; done
run 0 "$TGSCHED" audit p.tgs f.tgt --graph g.tg -m "$M"; cmp -s out text || fail '--graph differs from the operand'
run 0 "$TGSCHED" audit g.tg p.tgs f.tgt -m "$M" --json -o a.json --html a.html; json a.json audit
grep -q 'critical chain' a.html || fail 'a.html has no chart'
# what the audit found is in the page and in other reports
run 0 "$TGSCHED" audit g.tg p.tgs f.tgt -m "$M" --report json=a.report --report text=a.txt --csv
python3 - text <<'PY' || fail 'the reports lack what the audit found'
import json, re, sys
found = open('text').read()
page = json.loads(re.search(r'const D = (\{.*?\});\n', open('a.html').read(), re.S).group(1))
assert page['remarks'] == found == json.load(open('a.report'))['remarks'] and len(page['traces']) == 2
assert all(line in open('a.txt').read() for line in found.splitlines())
PY
run 0 "$TGSCHED" audit g.tg p.tgs f.tgt -m "$M" --csv; [ "$(grep -c . out)" = 61 ] || fail 'a line a task'
python3 - <<'PY' || fail 'figures of the audit'
import json
d = json.load(open('a.json'))
makespan = {r['what']: r['makespan_s'] for r in d['makespans']}
assert makespan['measured'] > makespan['planned'] > 0
lost = sum(r['seconds_s'] for r in d['losses'])
assert abs(lost - (makespan['measured'] - makespan['planned'])) < 1e-9 * makespan['measured']
assert d['losses'][0]['seconds_s'] < 1e-9 and d['losses'][1]['seconds_s'] > 0  # links, not tasks
assert len(d['tasks']) == 60
chain = [d['tasks'][i] for i in d['critical_chain']]
assert all(t['critical'] for t in chain) and sum(t['critical'] for t in d['tasks']) == len(chain)
assert all(a['start_s'] + a['time_s'] <= b['start_s'] + 1e-9 for a, b in zip(chain, chain[1:]))
b = {r['bytes']: r['amount_bytes'] for r in d['bytes']}
assert b['moved'] == b['necessary for this placement'] + b['relayed'] + b['fetched again'] > 0
PY

# the schedule tells its graph and machine
run 0 "$TGSCHED" audit g.tg p.tgs f.tgt -m "$M"; cp out named
run 0 "$TGSCHED" audit p.tgs f.tgt; cmp -s out named || fail 'audit PLAN RUN'
refused 2 'takes the place of the first' "$TGSCHED" audit g.tg p.tgs f.tgt --graph g.tg
refused 2 'audit needs' "$TGSCHED" audit f.tgt
refused 1 'No such file' "$TGSCHED" audit g.tg p.tgs nowhere.tgt -m "$M"
refused 1 'there is no step 4' "$TGSCHED" audit g.tg p.tgs f.tgt -m "$M" --step 5
run 0 "$TGSCHED" gen chain:n=3 -o c.tg
run 0 "$TGSCHED" simulate c.tg -m "$M" -o c.tgt
refused 1 'the trace has 3 tasks' "$TGSCHED" audit g.tg p.tgs c.tgt -m "$M"
refused 1 'graph' "$TGSCHED" audit c.tg p.tgs f.tgt -m "$M"
finish
