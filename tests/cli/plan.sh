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
for p in 1f1b hetpipe mbs axonn comm-merge mg-greedy tensor-parallel:all=1 auto; do
  run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" -b 32 -p $p -o $p.tgy
  run 0 "$TGSCHED" simulate zoo:mlp:batch=8 --strategy $p.tgy -m "$machine" --link share
done
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m examples/unlike.tgp -b 32 --compare all --json; json out plans
for p in gpipe 1f1b hetpipe mbs axonn comm-merge auto; do shows "\"planner\": \"$p\", \"step_s\""; done
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m examples/unlike.tgp -b 32 --compare gpipe,1f1b:stages=2; shows '1f1b:stages=2'
# Q7 on a machine: gradients of 4 MB on links whose start-up costs as much as an operator's backward pass; what the
# exact rule merges is simulated in less time than what the published rule does, and than what is not merged
cat > ring.tgp <<'END'
tgsched.platform/1
kind gpu flops=1e12 bandwidth=1e30
memory ram
memory a
memory b
processor A kind=gpu memory=a
processor B kind=gpu memory=b
link ram a latency=0 bandwidth=1e15
link ram b latency=0 bandwidth=1e15
link a b latency=0.0024 bandwidth=2e9
link b a latency=0.0024 bandwidth=2e9
END
wide=zoo:mlp:batch=1000:inputs=1000:hidden=1000:classes=1000:layers=8
for p in comm-merge mg-greedy; do run 0 "$TGSCHED" plan $wide -m ring.tgp -b 2000 -p $p --json; mv out $p.json; done
run 0 "$TGSCHED" plan $wide -m ring.tgp -b 2000 -p comm-merge; shows '^strategy .*merge ends=[a-z0-9.,]*bias order=wait-free'; shows '^scheduled by *message-driven'
# figures in JSON files; without python3 they are not looked at
look() { if command -v python3 >/dev/null; then python3 -; else cat >/dev/null; fi; }
look <<'END' || fail 'merged gradients'
import json
exact, greedy = (json.load(open(p + '.json')) for p in ('comm-merge', 'mg-greedy'))
assert exact['step_s'] < .95 * greedy['step_s'] < exact['unmerged_step_s'], (exact['step_s'], greedy['step_s'])
assert abs(exact['step_s'] / exact['estimate_s'] - 1) < .01 and abs(greedy['step_s'] / greedy['estimate_s'] - 1) < .01
END
# P16: a device that is twice as fast and takes five times the watts is not worth its joules
sed 's/power_idle=50 power_busy=300/power_idle=0 power_busy=1500/; s/power_idle=30/power_idle=0/' examples/unlike.tgp > hot.tgp
for o in time energy edp; do run 0 "$TGSCHED" plan zoo:mlp:batch=64 -m hot.tgp -b 64 -p mbs --objective $o --json; mv out $o.json; done
look <<'END' || fail 'objectives'
import json
r = {o: json.load(open(o + '.json')) for o in ('time', 'energy', 'edp')}
for o, key in (('time', 'step_s'), ('energy', 'energy_j'), ('edp', 'edp_js')):
    assert all(r[o][key] <= r[p][key] for p in r), o
assert r['time']['energy_j'] > r['energy']['energy_j'] and r['time']['step_s'] < r['energy']['step_s']
assert abs(r['edp']['edp_js'] - r['edp']['energy_j'] * r['edp']['step_s']) < 1e-12
END
run 0 "$TGSCHED" plan zoo:mlp:batch=64 -m hot.tgp -b 64 --compare mbs,gpipe,1f1b --objective energy --csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy_j") e = i; next } $e < last { exit 1 } { last = $e }' out || fail 'not ranked by energy'
refused 1 "kind 'cpu' of the platform has no power_busy" "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --objective energy
refused 2 "no objective 'x'" "$TGSCHED" plan zoo:mlp:batch=8 -m "$machine" --objective x
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
# others of the same optimizer, where these profiles are.  Many plans of resnet18 on 16 have the longest stage of 0.158621 s
# on 9 machines and its gradients: the recorded one has a bottleneck of 0.017678 s, the least of them 0.017625.
profiles=$TGS_SRCDIR/../shared/data/pipedream-profiles
while [ -d "$profiles" ] && read -r model n seconds; do
  machines $n > like.tgp
  run 0 "$TGSCHED" plan "$profiles/$model/graph.txt" -b $((12 * n)) -m like.tgp -p pipedream --json
  grep -o '"bottleneck_s": [0-9.e-]*' out | awk -v want=$seconds '{ exit !(sprintf("%.6f", $2) == want) }' \
    || fail "$model on $n machines: not $seconds"
done <<'END'
resnext50 2 0.296329
resnext50 4 0.149901
resnext50 8 0.075101
resnet18 8 0.033883
resnet18 16 0.017625
END
finish
