#!/bin/bash
# model.sh -- models from the command: bound, lowered and trained, and refused without a trace.
. "$(dirname "$0")/lib.sh"
"$TGSCHED" list reader | grep -q '^reader *onnx' || { echo 'skipped: built without ONNX'; exit 77; }
mkdir made

run 0 "$TGSCHED" model data/onnx/light_resnet50.onnx --json; json out model
[ "$(value out parameters) $(value out batch)" = '25557032 1' ] || fail "resnet50: $(cat out)"
run 0 "$TGSCHED" info data/onnx/mlp.onnx --bind batch=2; shows '^holds *model'
run 0 "$TGSCHED" model data/onnx/lenet.onnx --bind batch=16 --json
[ "$(value out parameters) $(value out batch)" = '61706 16' ] || fail "lenet: $(cat out)"

# options and a strategy file mean the same, and so does lowering first
printf '%s\n' tgsched.strategy/1 'train adam lr=0.01' 'micro-batches 2' 'replicas 2' > step.tgy
run 0 "$TGSCHED" lower data/onnx/lenet.onnx --bind batch=4 --strategy step.tgy; cp out one.tg
run 0 "$TGSCHED" lower data/onnx/lenet.onnx --bind batch=4 --train --optimizer adam --lr 0.01 \
  --micro-batches 2 --replicas 2; cmp -s out one.tg || fail 'options and strategy differ'
run 0 "$TGSCHED" schedule one.tg -m cpu:4 -a heft --json; cp out first
run 0 "$TGSCHED" schedule data/onnx/lenet.onnx --bind batch=4 --strategy step.tgy -m cpu:4 -a heft --json
[ "$(value out makespan_s)" = "$(value first makespan_s)" ] || fail 'lowering first changes the makespan'
run 0 "$TGSCHED" convert one.tg; cmp -s out one.tg || fail 'a lowered graph does not survive its format'

# what is wrong is said in one line that names the file or the node, and no file is left
: > empty.onnx
head -c 700 data/onnx/lenet.onnx > cut.onnx
echo 'not a model' > text.onnx
for bad in empty cut text; do
  refused 1 "$bad.onnx: " "$TGSCHED" lower $bad.onnx -o made/$bad.tg
  [ "$(wc -l < err)" = 1 ] || fail "$bad.onnx: more than one line"
done
refused 1 'dimension 0 is open; bind it: --bind batch=8' "$TGSCHED" lower data/onnx/mlp.onnx -o made/x.tg
refused 1 'no such dimension' "$TGSCHED" lower data/onnx/mlp.onnx --bind batch=1,seq=2 -o made/x.tg
printf '%s\n' tgsched.strategy/1 'trian sgd' > bad.tgy
refused 1 'bad.tgy:2: ' "$TGSCHED" lower data/onnx/mlp.onnx --bind batch=1 --strategy bad.tgy -o made/x.tg
only made
finish
