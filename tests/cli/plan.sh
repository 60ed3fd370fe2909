#!/bin/bash
# plan.sh -- a training step planned: figures, the strategy that other commands take, mistakes.
. "$(dirname "$0")/lib.sh"
machine='cpu:2/own link:1e9,1e-6'
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" -b 32 -p gpipe:stages=2:micro=8 -o s.tgy
shows '^strategy  *pipeline 2 gpipe cuts=[^ ]*; micro-batches 4; place '; shows '^simulated step'; shows '^cpu1.mem '; silent err
head -1 s.tgy | grep -qx tgsched.strategy/1 || fail 'no strategy file'
run 0 "$TGSCHED" lower zoo:mlp:batch=8 --strategy s.tgy -o s.tg
run 0 "$TGSCHED" simulate zoo:mlp:batch=8 --strategy s.tgy -m "$machine" --link share
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" -b 32 -p gpipe:stages=2:micro=8 -o -
cmp -s out s.tgy || fail 'not on standard output'
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --json; json out plan
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --csv; shows '^planner,'
for p in 1f1b hetpipe mbs axonn comm-merge mg-greedy auto; do
  run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" -b 32 -p $p -o $p.tgy
  run 0 "$TGSCHED" simulate zoo:mlp:batch=8 --strategy $p.tgy -m "$machine" --link share
done
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m examples/unlike.tgp -b 32 --compare all --json; json out plans
for p in gpipe 1f1b hetpipe mbs axonn comm-merge auto; do shows "\"planner\": \"$p\", \"step_s\""; done
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m examples/unlike.tgp -b 32 --compare gpipe,1f1b:stages=2; shows '1f1b:stages=2'
refused 1 'plans for a graph' "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --compare gpipe,place-dpl
refused 2 'names the planners' "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --compare all -p gpipe
for to in torch deepspeed megatron; do
  run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" -b 32 -p gpipe:stages=2 --export $to; json out $to; shows not_expressed
done
shows '"pipeline-model-parallel-size": 2'; shows 'where the model is cut'; shows '"global-batch-size": 32'
run 0 "$TGSCHED" plan zoo:vgg16:batch=8 -m "$TGS_SRCDIR/examples/unlike.tgp" -b 64 -p poplar --export deepspeed # shares of 64 samples
shows '"train_batch_size": 64, "train_micro_batch_size_per_gpu": 16'; shows 'unequal shares'
refused 2 "no program 'jax'" "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --export jax
refused 2 "no planner 'x'" "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" -p x
refused 2 'the planner chooses' "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --replicas 2
refused 3 'bytes are missing' "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --limit-memory cpu0=1kB,cpu1=1kB -o no.tgy
refused 1 'plans for one model' "$TGSCHED" plan gen:chain -m "$machine"
refused 1 'No such file' "$TGSCHED" plan nowhere.onnx -m "$machine"
[ ! -e no.tgy ] || fail 'a file is left'
# the stages that PipeDream's own optimizer chose for these profiles, its longest one in seconds
machines() { # N: like ones that share nothing, on 1 GB/s links
  echo tgsched.platform/1; echo 'kind k flops=1e30 bandwidth=1e30'
  for i in $(seq $1); do echo "memory m$i"; echo "processor p$i kind=k memory=m$i"; done
  for i in $(seq $1); do for j in $(seq $1); do [ $i = $j ] || echo "link m$i m$j latency=0 bandwidth=1e9"; done; done
}
while read -r model n replicate seconds; do
  machines $n > like.tgp
  run 0 "$TGSCHED" plan data/profiles/pipedream-$model.txt -b $((12 * n)) -m like.tgp -p pipedream:replicate=$replicate --json
  json out plan
  grep -o '"bottleneck_s": [0-9.e-]*' out | awk -v want=$seconds '{ exit !(sprintf("%.6f", $2) == want) }' \
    || fail "$model on $n machines: not $seconds"
done <<'END'
vgg16 2 1 0.370931
vgg16 2 0 0.370931
vgg16 4 1 0.169562
vgg16 4 0 0.216450
vgg16 8 1 0.092733
vgg16 8 0 0.159531
gnmt 2 0 0.045936
gnmt 4 1 0.025868
END
finish
