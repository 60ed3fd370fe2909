#!/bin/bash
# reports.sh -- view, and the reports of schedule and simulate: each is what it says, and complete.
. "$(dirname "$0")/lib.sh"
M='cpu:3 gpu:1x4 link:1e9,1e-5'

run 0 "$TGSCHED" simulate gen:cholesky:n=5 -m "$M" -o t.tgt --html a.html --svg a.svg --perfetto a.json --paje a.paje --dot a.dot --report csv=a.csv --json
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
cat > paje.py <<'PY'
# reads a Paje trace by its own header, and plays it; prints its tasks, transfers, bytes and peak
import re, sys
defs, types, alias, open_, stack, links = {}, {}, {}, {}, {}, {}
tasks = transfers = 0; moved = peak = 0.0; now = 0.0; current = None
for line in open(sys.argv[1], encoding='utf-8'):
    line = line.rstrip('\n')
    if line.startswith('%'):
        w = line[1:].split()
        if w[0] == 'EventDef': current = (w[1], []); defs[w[2]] = current
        elif w[0] != 'EndEventDef': current[1].append(w[0]); assert w[1] in ('string', 'date', 'double', 'color'), line
        continue
    f = [a if a else b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
    kind, names = defs[f[0]]
    assert len(f) == 1 + len(names), line
    e = dict(zip(names, f[1:]))
    if 'Time' in e:
        assert float(e['Time']) >= now, 'time runs back: ' + line
        now = float(e['Time'])
    if kind.startswith('PajeDefine') and kind != 'PajeDefineEntityValue':
        assert e['Alias'] not in types and (e['Type'] in types or e['Type'] == '0'), line
        types[e['Alias']] = kind
    elif kind == 'PajeDefineEntityValue':
        assert e['Type'] in types and e['Alias'] not in alias, line
        assert all(0 <= float(x) <= 1 for x in e['Color'].split()), line
        alias[e['Alias']] = e['Type']
    elif kind == 'PajeCreateContainer':
        assert e['Alias'] not in open_ and (e['Container'] in open_ or e['Container'] == '0'), line
        assert types[e['Type']] == 'PajeDefineContainerType', line
        open_[e['Alias']] = e['Type']; stack[e['Alias']] = []
    elif kind == 'PajeDestroyContainer':
        assert open_.pop(e['Name']) == e['Type'] and not stack[e['Name']], line
    elif kind == 'PajePushState':
        assert e['Container'] in open_ and alias[e['Value']] == e['Type'], line
        assert not stack[e['Container']], 'two at a time: ' + line
        stack[e['Container']].append(now); tasks += e['Type'] == 'K'
    elif kind == 'PajePopState':
        stack[e['Container']].pop()
    elif kind == 'PajeSetVariable':
        assert types[e['Type']] == 'PajeDefineVariableType' and e['Container'] in open_, line
        peak = max(peak, float(e['Value']))
    elif kind == 'PajeStartLink':
        assert e['Key'] not in links and open_[e['StartContainer']] == 'M', line
        links[e['Key']] = now; transfers += 1; moved += float(e['Bytes'])
    elif kind == 'PajeEndLink':
        assert links.pop(e['Key']) <= now and open_[e['EndContainer']] == 'M', line
    else: raise AssertionError(line)
assert not links and not open_, 'left open'
print(tasks, transfers, int(moved), int(peak))
PY
python3 - <<'PY' || fail 'the Paje trace is another one than the JSON'
import json, re, subprocess, sys
step = json.loads(re.search(r'const D = (\{.*?\});\n', open('a.html').read(), re.S).group(1))['traces'][0]['steps'][-1]
got = subprocess.check_output([sys.executable, 'paje.py', 'a.paje']).split()
want = [len(step['ran']) // 5, len(step['moved']) // 7, int(sum(step['moved'][3::7])), int(max(step['used'][2::3]))]
assert list(map(int, got)) == want, (got, want)
PY
run 0 "$TGSCHED" view t.tgt t.tgt --paje -o two.paje; [ "$(python3 paje.py two.paje | cut -d' ' -f1)" = 70 ] || fail 'two traces in Paje'
# the graph as it ran: every task in the cluster of its processor, the chain in red
python3 - <<'PY' || fail 'contents of the DOT file'
import json, re
step = json.loads(re.search(r'const D = (\{.*?\});\n', open('a.html').read(), re.S).group(1))['traces'][0]['steps'][-1]
where, red, edges = {}, set(), []
for line in open('a.dot'):
    m = re.match(r'  subgraph cluster(\d+) \{', line)
    if m: cluster = int(m.group(1))
    m = re.match(r'    t(\d+) \[', line)
    if m:
        where[int(m.group(1))] = cluster
        if '#cc2222' in line: red.add(int(m.group(1)))
    m = re.match(r'  t(\d+) -> t(\d+)(.*);', line)
    if m: edges.append((int(m.group(1)), int(m.group(2)), '#cc2222' in m.group(3)))
ran = step['ran']
assert where == dict(zip(ran[0::5], ran[1::5]))
chain = [ran[5 * i] for i in step['chain']]
assert red == set(chain) and {e[:2] for e in edges if e[2]} == set(zip(chain, chain[1:]))
PY
if command -v dot >/dev/null; then dot -Tsvg a.dot -o dot.svg 2>dot.err && [ ! -s dot.err ] || fail "Graphviz: $(head -3 dot.err)"; fi
if "$TGSCHED" list reader | grep -q '^reader *dot '; then
  run 0 "$TGSCHED" info a.dot --json; [ "$(value out tasks)" = 35 ] || fail 'the DOT file is no graph of 35 tasks'
fi

# the page at 5 tasks, at 500 with a plan beside the run, at 50,000: nothing on the console, everything drawn
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
  show() { # PAGE WORKERS WORD: the tables count the workers, the word is on the page
    HOME=$scratch timeout 300 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$scratch/chrome" \
      --virtual-time-budget=5000 --dump-dom "file://$scratch/$1.html" >dom 2>log || { fail "$1.html: the browser failed"; tail -3 log; return; }
    grep -i 'CONSOLE' log && fail "$1.html: something on the console"
    [ "$(grep -o 'class="meter"' dom | wc -l)" = "$2" ] || fail "$1.html shows $(grep -o 'class="meter"' dom | wc -l) workers"
    sed '/<script>/,/<\/script>/d' dom | grep -q "$3" || fail "$1.html lacks '$3'"
    grep -q '<canvas id="chart"[^>]*style="[^"]*height' dom || fail "$1.html: the chart has no size"
  }
  L='cpu:4 gpu:2x4/own link:8,0.01'
  run 0 "$TGSCHED" simulate gen:forkjoin:n=3 -m 'cpu:1 gpu:1x2 link:1,0.1' --play fifo --html v5.html; show v5 2 'makespan'
  run 0 "$TGSCHED" schedule gen:layered:n=500 -m "$L" -o v.tgs
  run 0 "$TGSCHED" simulate gen:layered:n=500 -m "$L" -s v.tgs --play fifo -o run.tgt
  run 0 "$TGSCHED" audit v.tgs run.tgt --graph gen:layered:n=500 -m "$L" --html v500.html; show v500 6 'end against plan'
  grep -q '<pre>.*critical chain\|along the critical chain' dom || fail 'v500.html lacks what the audit found'
  run 0 "$TGSCHED" simulate gen:layered:n=50000:width=40 -m 'cpu:8 gpu:4x4/own link:8,0.01' --html v50000.html; show v50000 12 'transfers'
else
  echo 'no browser: the pages were not opened'
fi

# names that mean something to HTML, XML, JSON, CSV and terminals
printf 'tgsched.graph/1\ntask %%3C/script%%3E%%3Cb%%3E&%%22,%%27 work=1\ntask %%1B[31m%%FF work=2\nedge %%3C/script%%3E%%3Cb%%3E&%%22,%%27 %%1B[31m%%FF 5\n' > odd.tg
run 0 "$TGSCHED" simulate odd.tg -m 'cpu:1 gpu:1 link:1,0' --html o.html --svg o.svg --perfetto o.json --report json=p.json --paje o.paje --dot o.dot --report text=o.txt --report csv=o.csv
[ "$(grep -c '</script>' o.html)" = 2 ] || fail 'a name ends the script of the page'
json o.json; json p.json report
python3 -c 'import xml.dom.minidom as x; x.parse("o.svg")' || fail 'svg with odd names'
[ "$(python3 paje.py o.paje | cut -d' ' -f1)" = 2 ] || fail 'Paje with odd names'
if command -v dot >/dev/null; then dot -Tsvg o.dot -o dot.svg 2>dot.err && [ ! -s dot.err ] || fail "Graphviz, odd names: $(head -3 dot.err)"; fi
# letters of any language stay what they are
printf 'tgsched.graph/1\ntask %%C3%%A9t%%C3%%A9%%E2%%82%%AC work=1\n' > letters.tg
run 0 "$TGSCHED" simulate letters.tg -m cpu:1 --html l.html --svg l.svg --paje l.paje --dot l.dot --report text=l.txt --report csv=l.csv --perfetto l.json
for f in l.html l.svg l.paje l.dot l.csv l.json; do grep -q 'été€' $f || fail "letters in $f"; done
grep -q "$(printf '\033')" o.txt out && fail 'a name reaches the terminal'
finish
