#!/bin/bash
# compare.sh -- experiments: many instances, results that are continued, shards, files, the page.
. "$(dirname "$0")/lib.sh"
T=examples/topcuoglu.tg P=examples/topcuoglu.tgp K=kinds=P1+P2+P3
G="$T gen:layered:n=20:$K" A='-a heft,cpop,ils:evals=200'
untimed() { # results without the time they took
  python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])): r.pop("schedule_time_s"); print(*r.values(), sep="|")' "$1"
}

# every combination, the same with any number of threads; nothing is said on a pipe
run 0 "$TGSCHED" compare $G -m $P $A --seeds 3 --link latbw,fifo -j 1 -o one.csv; last=compare; silent err
for word in "^$T on $P, fifo: lower bound " 'layered:n=20:kinds=P1+P2+P3 seed 2 on' '^8 instances, 3 heuristics'; do shows "$word"; done
run 0 "$TGSCHED" compare $G -m $P $A --seeds 3 --link latbw,fifo -j 3 -o three.csv
untimed one.csv > one; untimed three.csv > three; cmp -s one three || fail 'threads change the results'
[ "$(wc -l < one.csv)" = 37 ] || fail "rows of 2 link models, 3 seeds, 2 graphs, 3 heuristics: $(wc -l < one.csv)"
run 0 "$TGSCHED" compare $G -m $P $A --seeds 3 --link latbw,fifo --json; json out compare
python3 - <<'PY' || fail 'figures of the summary'
import json, math
r = json.load(open('out'))
assert len(r['instances']) == 8 and len(r['results']) == 36 and len(r['summary']) == 3
# geometric means and wins, computed anew from the results
key = lambda x: (x['graph'], x['link'], x['problem'])
seeds, value, bound = {}, {}, {}
for x in r['results']: seeds.setdefault((key(x), x['heuristic']), []).append(x['makespan_s'])
for k, v in seeds.items(): value[k] = sum(v) / len(v)
for x in r['results']: bound[key(x)] = max(bound.get(key(x), 0), x['lower_bound_s'], x.get('proven_bound_s', 0))
for s in r['summary']:
    mine = {k[0]: v for k, v in value.items() if k[1] == s['heuristic']}
    mean = math.exp(sum(math.log(v / bound[k]) for k, v in mine.items()) / len(mine))
    assert abs(mean / s['mean_ratio_to_bound'] - 1) < 1e-12, (s, mean)
    best = {k: min(v for kk, v in value.items() if kk[0] == k) for k in mine}
    assert abs(math.exp(sum(math.log(v / best[k]) for k, v in mine.items()) / len(mine)) / s['mean_ratio_to_best'] - 1) < 1e-12
    assert s['ratios_to_best'] == sorted(s['ratios_to_best']) and s['solved'] == 8
assert sum(s['wins'] for s in r['summary']) <= 8
PY
run 0 "$TGSCHED" compare $G -m $P $A --seeds 3 --link latbw,fifo --csv; untimed out > csv; cmp -s one csv || fail '--csv differs from the file'

# a file is continued: what is there is not done again, what was cut off is
sed '2s/,80,/,80.5,/' one.csv | head -c 2500 > part.csv
run 0 "$TGSCHED" compare $G -m $P $A --seeds 3 --link latbw,fifo -o part.csv
sed '2s/,80,/,80.5,/' one.csv > expected; untimed expected > a; untimed part.csv > b; cmp -s a b || fail 'continued'
cp one.csv grown.csv; run 0 "$TGSCHED" compare $T -m $P -a met -o grown.csv # others stay in the file
[ "$(wc -l < grown.csv)" = 38 ] || fail 'rows of another experiment'
# a graph that has changed is done again
cp $T mine.tg; run 0 "$TGSCHED" compare mine.tg -m $P -a heft -o mine.csv
sed -i 's/^edge T9 T10 13/edge T9 T10 30/' mine.tg; run 0 "$TGSCHED" compare mine.tg -m $P -a heft -o mine.csv; says '1 of its rows were of another state'
[ "$(wc -l < mine.csv)" = 2 ] || fail 'a row of an old graph stays'; grep -q ',80,' mine.csv && fail 'the old makespan stays'
# killed at any moment, the file can be read and continued
many="compare gen:layered:n=30:$K -m $P -a ils:evals=20000 --seeds 40 -j 2 -o killed.csv"
"$TGSCHED" $many >/dev/null 2>&1 & pid=$!
for i in $(seq 200); do [ -s killed.csv ] && [ "$(wc -l < killed.csv)" -gt 2 ] && break; sleep 0.05; done
kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
run 0 "$TGSCHED" compare --merge killed.csv --json; json out compare
some=$(python3 -c 'import json; print(len(json.load(open("out"))["results"]))'); [ "$some" -ge 1 ] || fail 'no result survived'
untimed killed.csv | sort > before
run 0 "$TGSCHED" $many; untimed killed.csv | sort > after; [ "$(wc -l < after)" = 40 ] || fail 'not continued'
[ -z "$(comm -23 before after)" ] || fail 'results were lost'
python3 - <<'PY' > out; [ "$(cat out)" = locked ] || fail 'two runs write one file'
import fcntl, os, subprocess
f = open('killed.csv', 'a'); fcntl.flock(f, fcntl.LOCK_EX)
r = subprocess.run([os.environ['TGSCHED'], 'compare', 'gen:chain', '-m', 'cpu:1', '-a', 'heft', '-o', 'killed.csv'], capture_output=True, text=True)
print('locked' if r.returncode == 1 and 'another run' in r.stderr else r)
PY

# shards together are the whole, whatever the order
for i in 1 2 3; do run 0 "$TGSCHED" compare $G -m $P $A --seeds 3 --link latbw,fifo --shard $i/3 -o s$i.csv; done
[ "$(cat s?.csv | wc -l)" = 39 ] || fail 'shards overlap'
run 0 "$TGSCHED" compare --merge s3.csv s1.csv s2.csv one.csv -o all.csv; shows '^8 instances, 3 heuristics'
untimed all.csv | sort > a; sort one > b; cmp -s a b || fail 'shards'
run 0 "$TGSCHED" compare $T -m $P -a heft,cpop --shard 2/2 --csv; shows '^cpop,86'; [ "$(wc -l < out)" = 2 ] || fail 'cells as shards'
sed '2s/,80,/,81,/' one.csv > lie.csv; refused 2 'two different results of heft' "$TGSCHED" compare --merge one.csv lie.csv
sed '3s/,heft,/,heft/' one.csv > short.csv; refused 1 'short.csv:3: ' "$TGSCHED" compare --merge short.csv
echo hello > words.csv; refused 1 'words.csv:1: this is no file of results' "$TGSCHED" compare $T -m $P -a heft -o words.csv
[ "$(cat words.csv)" = hello ] || fail 'a file that is not ours was changed'
for shard in 0/2 3/2 1 a/b 1/2x; do refused 2 'shard takes I/N' "$TGSCHED" compare $T -m $P -a heft --shard $shard; done

# what fails is a row with its reason
run 0 "$TGSCHED" compare $T gen:forkjoin:n=5:$K gen:chain:n=3 -m $P -a heft,fj-exact --csv
python3 - <<'PY' || { fail 'reasons'; cat out; }
import csv
r = {(x['graph'], x['heuristic']): x for x in csv.DictReader(open('out'))}
assert not r[('examples/topcuoglu.tg', 'fj-exact')]['makespan_s'] and r[('examples/topcuoglu.tg', 'fj-exact')]['note']
assert float(r[('gen:forkjoin:n=5:kinds=P1+P2+P3', 'fj-exact')]['makespan_s']) > 0
PY
printf 'tgsched.graph/1\ntask a work=1 kinds=gpu\n' > gpu.tg
run 0 "$TGSCHED" compare gpu.tg gen:chain:n=3 -m cpu:2 -m 'cpu:1 gpu:1' -a heft --csv; grep -q '^gpu.tg,cpu:2,.*may run nowhere' out || { fail 'a graph that runs nowhere'; cat out; }
refused 3 'may run nowhere' "$TGSCHED" compare gpu.tg -m cpu:2 -a heft
last='two graphs on nothing'; run 3 "$TGSCHED" compare gpu.tg gpu.tg -m cpu:2 -m cpu:3 -a heft; says 'no heuristic found'
refused 2 "no heuristic 'xyzzy'" "$TGSCHED" compare $G -m $P -a heft,xyzzy -o never.csv; [ -e never.csv ] && fail 'a file for a mistake'
refused 2 "no parameter 'size'" "$TGSCHED" compare $G -m $P -a heft,ils:size=3 -o never.csv; [ -e never.csv ] && fail 'a file for a mistake'
refused 2 "no parameter 'size'" "$TGSCHED" compare gen:layered:size=3 $T -m $P -a heft,cpop,peft,mct -j 4
refused 2 'more than 2^31 results' "$TGSCHED" compare $G -m $P -a heft,cpop --seeds 2000000000
refused 2 "no link_model 'xyzzy'" "$TGSCHED" compare $G -m $P -a heft --link latbw,xyzzy
refused 1 'nowhere.tg: No such file' "$TGSCHED" compare $T nowhere.tg -m $P -a heft

# an experiment in a file; the command line stands above it
cat > all.exp <<'EXP'
tgsched.experiment/1
# two graphs
graph examples/topcuoglu.tg
graph gen:layered:n=20:kinds=P1+P2+P3
platform examples/topcuoglu.tgp
heuristic heft,cpop

heuristic ils:evals=200
seeds 3
link latbw,fifo
output exp.csv
EXP
run 0 "$TGSCHED" compare all.exp; untimed exp.csv > a; cmp -s a one || fail 'an experiment in a file'
run 0 "$TGSCHED" compare all.exp --seeds 1 --link latbw -o - --csv; [ "$(wc -l < out)" = 7 ] || fail 'options above the file'
exp() { printf "tgsched.experiment/1\n$1\n" > bad.exp; }
exp 'seeds none'; refused 2 'bad.exp:2: --seeds takes a whole number' "$TGSCHED" compare bad.exp
exp 'graph gen:chain\nsedes 2'; refused 2 "bad.exp:3: no option '--sedes'; did you mean '--seeds'" "$TGSCHED" compare bad.exp
exp 'graph'; refused 2 'bad.exp:2: graph needs a value' "$TGSCHED" compare bad.exp
exp 'train yes'; refused 2 'bad.exp:2: train takes no value' "$TGSCHED" compare bad.exp
exp 'platform'; refused 2 'bad.exp:2: platform needs a value' "$TGSCHED" compare bad.exp
exp '# nothing'; refused 1 'bad.exp: it names no graph' "$TGSCHED" compare bad.exp
echo graph > bad.exp; refused 2 "bad.exp:1: expected 'tgsched.experiment/1'" "$TGSCHED" compare bad.exp
refused 1 'nowhere.exp: No such file' "$TGSCHED" compare nowhere.exp

# the page: whole in itself, and drawn without an error at 3 and at 200 instances
run 0 "$TGSCHED" compare $G gen:forkjoin:n=6:$K -m $P -a heft,cpop,fj-exact --html p3.html
run 0 "$TGSCHED" compare gen:layered:n=12:$K -m $P -a heft,cpop,mct,etf --seeds 200 --html p200.html
run 0 "$TGSCHED" compare --merge one.csv --html merged.html
for page in p3 p200 merged; do
  grep -nE '(src|href)=|@import|https?://' $page.html | grep -v w3.org/2000/svg && fail "$page refers to something outside"
  for word in '<!DOCTYPE html>' 'const D = {' '</html>'; do grep -q "$word" $page.html || fail "$page.html lacks $word"; done
done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
  show() { # PAGE METHODS BOXES CELLS TASKS: how many there are to be
    HOME=$scratch timeout 120 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$scratch/chrome" \
      --virtual-time-budget=2000 --dump-dom "file://$scratch/$1.html" >dom 2>log || { fail "$1.html: the browser failed"; tail -3 log; return; }
    grep -i 'CONSOLE' log && fail "$1.html: something on the console"
    local got="$(grep -o '<path class="step[^"]*"' dom | wc -l) $(grep -o '<g class="box"' dom | wc -l) $(grep -o 'class="cell[^"]*"' dom | wc -l) $(grep -o '<rect class="task"' dom | wc -l)"
    [ "$got" = "$2 $3 $4 $5" ] || fail "$1.html shows $got profiles, boxes, cells, tasks; not $2 $3 $4 $5"
  }
  show p3 3 3 9 10; show p200 4 4 800 12; show merged 3 3 24 0
  grep -q 'This schedule is not in the page' dom || fail 'a page from files does not say why it has no Gantt chart'
else
  echo 'no browser: the pages were not opened'
fi
# names that mean something to HTML
printf 'tgsched.graph/1\ntask %%3C/script%%3E%%3Cb%%3E work=1\n' > '<b>&"odd.tg'
run 0 "$TGSCHED" compare '<b>&"odd.tg' -m cpu:1 -a heft --html o.html; [ "$(grep -c '</script>' o.html)" = 2 ] || fail 'a name ends the script of the page'
finish
