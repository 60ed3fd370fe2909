#!/bin/bash
# zoo.sh -- networks of the zoo, wherever a model is accepted.
. "$(dirname "$0")/lib.sh"
mkdir made

run 0 "$TGSCHED" model zoo:resnet50:batch=1 --json; json out model
[ "$(value out parameters) $(value out batch)" = '25557032 1' ] || fail "resnet50: $(cat out)"
run 0 "$TGSCHED" info zoo:mlp:batch=7; shows '^holds *model'; shows '^batch *7'
run 0 "$TGSCHED" list zoo resnet; shows '^side *224 '
run 0 "$TGSCHED" lower zoo:lenet5:batch=4 --train --micro-batches 2 -o made/step.tg; silent out
run 0 "$TGSCHED" schedule made/step.tg -m cpu:3 -a heft --json; cp out first
run 0 "$TGSCHED" schedule zoo:lenet5:batch=4 --train --micro-batches 2 -m cpu:3 -a heft --json
[ "$(value out makespan_s)" = "$(value first makespan_s)" ] || fail 'lowering first changes the makespan'
run 0 "$TGSCHED" compare zoo:mlp:batch=4 zoo:lenet5:batch=4 --train -m cpu:2 -a heft,etf; shows 'lenet5'
run 0 "$TGSCHED" run zoo:lenet5:batch=4 --train --loss xent -m cpu:2 --backend serial
# constants survive the native format
run 0 "$TGSCHED" lower zoo:gpt2:layers=1:batch=1:seq=4 -o made/gpt.tg
grep -q 'data causal.mask .*init=values:1,0,0,0,1,1,0,0,1,1,1,0,1,1,1,1' made/gpt.tg || fail "mask: $(grep causal made/gpt.tg)"
run 0 "$TGSCHED" convert made/gpt.tg; cmp -s out made/gpt.tg || fail 'values do not survive the format'

# a range too long to be known before the step runs is a task
run 0 "$TGSCHED" lower zoo:llama:layers=1 --train --loss sum; shows '^task causal.range codelet=range'

refused 2 "no network 'resnet51' in the zoo" "$TGSCHED" model zoo:resnet51
refused 2 "no parameter 'depth'" "$TGSCHED" lower zoo:mlp:depth=3 -o made/x.tg
refused 2 'outside' "$TGSCHED" schedule zoo:mlp:batch=0 -m cpu:1
refused 2 'nothing to bind' "$TGSCHED" model zoo:mlp --bind batch=2
only made gpt.tg step.tg
finish
