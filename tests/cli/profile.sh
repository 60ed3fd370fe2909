#!/bin/bash
# profile.sh -- layer profiles and measured times from the command; what lower explains and draws.
. "$(dirname "$0")/lib.sh"
mkdir made

run 0 "$TGSCHED" info data/profiles/pipedream-vgg16.txt; shows '^holds *model'
run 0 "$TGSCHED" lower data/profiles/pipedream-gnmt.txt --train --micro-batches 2 -o made/gnmt.tg; silent err
run 0 "$TGSCHED" schedule made/gnmt.tg -m 'gpu:4/own link:1e9,1e-5' -a heft --json; cp out first
run 0 "$TGSCHED" schedule data/profiles/pipedream-gnmt.txt --train --micro-batches 2 -m 'gpu:4/own link:1e9,1e-5' -a heft --json
[ "$(value out makespan_s)" = "$(value first makespan_s)" ] || fail 'lowering first changes the makespan'
run 0 "$TGSCHED" info data/profiles/astra-transformer.txt; shows '^holds *model'
refused 1 'nothing to bind' "$TGSCHED" model data/profiles/dapple-vgg19.txt --bind batch=2

# what is lowered, in figures
run 0 "$TGSCHED" lower zoo:lenet5:batch=2 --train --micro-batches 3 --explain --json; json out lower
python3 - <<'PY' || fail 'figures do not add up'
import json
d = json.load(open("out"))
assert d["strategy"] == "train sgd; micro-batches 3", d["strategy"]
for group in "phases", "codelets", "by_layer":
    assert sum(x["tasks"] for x in d[group]) == d["tasks"], group
    assert abs(sum(x["flops"] for x in d[group]) / d["flops"] - 1) < 1e-12, group
assert sum(x["data"] for x in d["classes"]) == d["data"]
assert sum(x["bytes"] for x in d["classes"]) == d["data_bytes"]
c = {x["class"]: x for x in d["classes"]}
assert c["parameter"]["bytes"] == 4 * 61706 and c["input"]["data"] == 6, c
p = {x["phase"]: x["tasks"] for x in d["phases"]}
assert p["update"] == 10, p
PY
run 0 "$TGSCHED" lower zoo:lenet5 --explain; shows '^strategy *forward pass only'; shows '^conv1 '
run 0 "$TGSCHED" model zoo:lenet5:batch=1 --json; json out model
python3 -c 'import json; d = json.load(open("out")); assert d["parameters"] == 61706 and {x["codelet"]: x["tasks"] for x in d["codelets"]}["conv"] == 2' || fail 'tables of a model'
refused 2 'is for --explain' "$TGSCHED" lower zoo:lenet5 --json

# pictures are whole and of one size, from 10 to 10,000 tasks
for spec in zoo:mlp:layers=3 zoo:gpt2 zoo:resnet152; do
  run 0 "$TGSCHED" lower $spec --train --micro-batches 4 --svg made/p.svg; silent out
  python3 - <<'PY' || fail "picture of $spec"
import re
import xml.etree.ElementTree as E
root = E.parse("made/p.svg").getroot()
assert float(root.get("height")) < 1900
texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
tasks = int(re.search(r": (\d+) tasks in", " ".join(t for t in texts if t)).group(1))
boxes = sum(int(m.group(1)) for t in texts for m in [re.match(r"(\d+) tasks?\b", t or "")] if m)
assert tasks == boxes, (tasks, boxes)
PY
done

# the same through Graphviz, whatever the graph came from
for spec in zoo:mlp:layers=3 zoo:resnet152 gen:cholesky:n=20 gen:layered:n=2000; do
  run 0 "$TGSCHED" convert $spec --to dot-layers -o made/p.dot
  grep -c 'subgraph cluster_' made/p.dot | awk '{ exit !($1 >= 2 && $1 <= 32) }' || fail "clusters of $spec"
  grep -c fillcolor= made/p.dot | awk '{ exit !($1 <= 160) }' || fail "boxes of $spec"
  if command -v dot >/dev/null; then dot -Tsvg made/p.dot -o made/p.svg 2>dot.err && [ ! -s dot.err ] || fail "Graphviz: $(head -3 dot.err)"; fi
done
rm -f made/p.dot

# measured times: what has none and what fits nothing is said
printf '%s\n' node,kind,forward_ms,backward_ms fc1,cpu,3,6 fc1,gpu,0.2,0.5 fc9,cpu,1,1 > times.csv
run 0 "$TGSCHED" lower zoo:mlp:layers=1 --train --times times.csv -o made/timed.tg
says "times.csv: 'fc9' is no operator of the model"
says 'times of 1 operators of 3; those of the others are left to the cost model'
grep -q '^task fc1 .*time=' made/timed.tg || fail 'fc1 has no times'
run 0 "$TGSCHED" schedule zoo:mlp:layers=1 --train --times times.csv -m 'cpu:1 gpu:1 link:12e9,1e-5' -a heft
printf 'node,forward_s\nfc1,-1\n' > bad.csv
refused 1 'bad.csv:2: -1 is not' "$TGSCHED" lower zoo:mlp --times bad.csv -o made/x.tg
refused 2 'training options are for models' "$TGSCHED" schedule gen:chain:n=3 --times times.csv -m cpu:1
only made gnmt.tg p.svg timed.tg
finish
