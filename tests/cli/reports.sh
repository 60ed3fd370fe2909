#!/bin/bash
# reports.sh -- view, and the reports of schedule and simulate: each is what it says, and complete.
. "$(dirname "$0")/lib.sh"
M='cpu:3 gpu:1x4 link:1e9,1e-5'

run 0 "$TGSCHED" simulate gen:cholesky:n=5 -m "$M" -o t.tgt --html a.html --svg a.svg --perfetto a.json --report csv=a.csv --json
json out simulate; json a.json; moved=$(python3 -c 'import json; print(json.load(open("out"))["results"][0]["bytes_moved"])')
run 0 "$TGSCHED" info t.tgt --json; [ "$(value out executions)" = 35 ] || fail "executions of 35 tasks: $(cat out)"
run 0 "$TGSCHED" view t.tgt; cp out text
for word in 'Gantt chart' '^makespan' '^lower bound' '^worker' '^link' 'critical chain' '^cpu0' '^gpu0'; do shows "$word"; done
run 0 "$TGSCHED" view t.tgt --text; cmp -s out text || fail 'text is not the default'
run 0 "$TGSCHED" view t.tgt --svg -o b.svg; cmp -s a.svg b.svg || fail 'view differs from simulate: svg'
run 0 "$TGSCHED" view t.tgt --to html -o b.html; cmp -s a.html b.html || fail 'view differs from simulate: html'
run 0 "$TGSCHED" view t.tgt --json; json out report
[ "$(value out bytes_moved)" = "$moved" ] || fail 'bytes moved in JSON'
run 0 "$TGSCHED" view t.tgt t.tgt --json; json out report; shows '"beside": {'
run 0 "$TGSCHED" view t.tgt t.tgt; shows 'cpu0 plan'; shows 'ratio 1$'
run 0 "$TGSCHED" view t.tgt --csv; [ "$(grep -c ',task,' out)" = 35 ] || fail 'csv tasks'
refused 2 "no report 'xyzzy'" "$TGSCHED" view t.tgt --to xyzzy
printf 'hello\n' > words; refused 1 'words:1' "$TGSCHED" view words
refused 1 'No such file' "$TGSCHED" view nowhere.tgt

# the page needs nothing from outside, and its data are JSON
grep -nE '(src|href)=|@import|https?://' a.html && fail 'the page refers to something outside'
for word in '<!DOCTYPE html>' 'const D = {' '</html>'; do grep -q "$word" a.html || fail "a.html lacks $word"; done
python3 - <<'PY' || fail 'contents of the page, the picture or the trace'
import json, re
import xml.dom.minidom
page = open('a.html').read()
d = json.loads(re.search(r'const D = (\{.*?\});\n', page, re.S).group(1))
assert len(d['tasks']) == 35 and len(d['traces']) == 1 and d['bound'] > 0
step = d['traces'][0]['steps'][-1]
assert len(step['ran']) == 5 * 35 and len(step['chain']) >= 2
svg = xml.dom.minidom.parse('a.svg')
assert len(svg.getElementsByTagName('title')) == 35
events = json.load(open('a.json'))['traceEvents']
assert sum(e['ph'] == 'X' for e in events) == 35
b = sum(e['ph'] == 'b' for e in events)
assert b == sum(e['ph'] == 'e' for e in events) > 0
assert sum(e['args']['bytes'] for e in events if e['ph'] == 'b') == sum(step['moved'][3::7])
assert all(e['dur'] >= 0 for e in events if e['ph'] == 'X')
PY

# names that mean something to HTML, XML, JSON, CSV and terminals
printf 'tgsched.graph/1\ntask %%3C/script%%3E%%3Cb%%3E&%%22,%%27 work=1\ntask %%1B[31m%%FF work=2\nedge %%3C/script%%3E%%3Cb%%3E&%%22,%%27 %%1B[31m%%FF 5\n' > odd.tg
run 0 "$TGSCHED" simulate odd.tg -m 'cpu:1 gpu:1 link:1,0' --html o.html --svg o.svg --perfetto o.json --report json=p.json --report text=o.txt --report csv=o.csv
[ "$(grep -c '</script>' o.html)" = 2 ] || fail 'a name ends the script of the page'
json o.json; json p.json report
python3 -c 'import xml.dom.minidom as x; x.parse("o.svg")' || fail 'svg with odd names'
grep -q "$(printf '\033')" o.txt out && fail 'a name reaches the terminal'
finish
