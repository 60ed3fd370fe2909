#!/bin/bash
# systems.sh -- the 42 published systems: every command that is shown runs, and what planners say
# they are is in the table.
. "$(dirname "$0")/lib.sh"
run 0 "$TGSCHED" systems --json; json out systems
run 0 "$TGSCHED" systems T0; shows 'HetPipe'
run 0 "$TGSCHED" systems --csv; [ "$(wc -l < out)" = 43 ] || fail "$(wc -l < out) lines, not 43"
refused 2 "no system 'X1'" "$TGSCHED" systems X1
command -v python3 >/dev/null || { echo 'no python3: the table itself is not looked at'; finish; }
"$TGSCHED" systems --json > systems.json
python3 - > commands <<'END' || fail 'the table'
import json
rows = json.load(open('systems.json'))['systems']
assert [r['id'] for r in rows] == ['S%d' % i for i in range(21)] + ['T%d' % i for i in range(21)], 'ids'
for r in rows:
    there = r['offers'] != 'not yet'
    assert there == ('command' in r), r['id'] + ': a command for what is offered, and none for what is not'
    assert there or 'planners' not in r, r['id'] + ': planner ' + r.get('planners', '') + ' says it is this system'
    if there:
        assert 'outside' in r, r['id']
        assert r['command'].startswith('tgsched '), r['id']
        print(r['command'])
END
mkdir bin && ln -s "$TGSCHED" bin/tgsched && PATH=$PWD/bin:$PATH
[ "$(wc -l < commands)" -ge 10 ] || fail 'too few commands'
while IFS= read -r command; do
  case $command in *dnn-partitioning*|*.json*) tgsched list reader | grep -q dnn-partitioning || continue ;; esac
  bash -c "$command" > out 2> err </dev/null || { fail "exit $?: $command"; head -3 err; }
  [ -s out ] || fail "prints nothing: $command"
done < commands
finish
