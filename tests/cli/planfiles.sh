#!/bin/bash
# planfiles.sh -- planners of files of their own: every example runs, and says its number; planners of unlike replicas.
. "$(dirname "$0")/lib.sh"
answer() { # answer FILE PLANNER WHAT
  run 0 "$TGSCHED" plan "data/instances/$1.tgi" -p "$2"; shows "$3"; silent err
}
answer est est-map '^threads_per_s *4.8$'
answer est est-round '^threads_per_s *4$'
answer ensemble alloc-matrix:method=wfd '^cpu: e '
answer ensemble alloc-matrix '^fallback_models *0$'
answer puzzle2 puzzle '^period_s *11 s$'
answer puzzle2 puzzle:method=best-mapping '^period_s *26 s$'
answer islands islands '^makespan_s *13.5 s$'
answer split split-pareto '^forty *a, late'
answer cut mem-cut '^cut_layers *2$'
answer batch critical-batch '^adapted *batch 512, 8 steps'
answer elastic elastic '^training *change, without a stop'
answer sampling sample-pipe '^workers *2$'
answer flow feasible-flow '^a *4 at marginal cost 4'
answer energy energy:objective=energy '^energy (J) *6600$'
answer workers omnilearn '^round 4 *47 47 24 12'
answer hyper hyper-part '^cut *1$'
answer bridge spectral-coarsen '^cut_weight *0.1$'
answer goodput2 pollux '^a *2 replicas on one node, 1 x 64 samples, 888.889'
run 0 "$TGSCHED" plan data/instances/est.tgi -p est-map --json; json out plan
run 0 "$TGSCHED" plan data/instances/est.tgi -p est-map --csv; shows '^planner,'
printf 'tgsched.instance/1\ngpu a speed=fast\n' >bad.tgi
refused 1 'bad.tgi:2: speed=fast is not a finite number' "$TGSCHED" plan bad.tgi -p est-map
refused 3 '1 bytes are missing; memory=10 is enough' "$TGSCHED" plan data/instances/cut.tgi -p mem-cut:memory=9
refused 2 'method=best' "$TGSCHED" plan data/instances/ensemble.tgi -p alloc-matrix:method=best
# Q17: four logical workers on one, two or four devices: gradients are reduced in the same order
for places in f0,f0,f0,f0 f0,f0,s0,s0 f0,f1,s0,s1; do
  printf 'tgsched.strategy/1\ntrain sgd\nreplicas 4\nplace %s\n' $places > workers.tgy
  run 0 "$TGSCHED" lower zoo:mlp:batch=8 --strategy workers.tgy -o workers.tg
  grep -q 'memory=s0' workers.tg || [ $places = f0,f0,f0,f0 ] || fail "no worker on s0 of $places"
  sed 's/ memory=[a-z0-9]*//' workers.tg > reduced.$places
  cmp -s reduced.$places reduced.f0,f0,f0,f0 || fail "another order of the sums on $places"
done
# poplar: more where it is faster, other stages where there is less memory; it lowers, fits, simulates
mlp="zoo:mlp:batch=8 -m examples/unlike.tgp -b 4096"
run 0 "$TGSCHED" plan $mlp -p poplar:stage=0 -o poplar.tgy; shows '^strategy *replicas 4 shares=1[0-9]*,1[0-9]*,[0-9]*,[0-9]*; micro-batches 1; place f0,f1,s0,s1$'
run 0 "$TGSCHED" simulate zoo:mlp:batch=8 -m examples/unlike.tgp --strategy poplar.tgy
run 0 "$TGSCHED" plan $mlp --limit-memory f0=18MB,f1=18MB -p poplar; shows '^strategy .*shard [123]; place'
refused 3 'poplar:stage=0: [0-9]* bytes are missing in memory .*; no setting near it fits: [0-9]* bytes' "$TGSCHED" plan $mlp --limit-memory f0=1MB,f1=1MB,s0=1MB,s1=1MB,ram=1MB -p poplar:stage=0
# cephalo: batch by speed, state by what is free; each layer is gathered twice a step, or a micro-batch
run 0 "$TGSCHED" plan $mlp -p cephalo:micro=4; shows 'shard 3 owners=250,250,250,250 layered=1; place f0,f1,s0,s1$'; shows '^gathers *6$'
run 0 "$TGSCHED" plan $mlp -p cephalo:micro=4:layered=0; shows '^gathers *24$'
run 0 "$TGSCHED" plan $mlp --limit-memory f0=16MB,f1=16MB -p cephalo -o cephalo.tgy; shows '^strategy .*owners=[0-9]\{1,2\},[0-9]\{1,2\},[45][0-9][0-9],[45][0-9][0-9] '
run 0 "$TGSCHED" simulate zoo:mlp:batch=8 -m examples/unlike.tgp --strategy cephalo.tgy
refused 3 'bytes are missing' "$TGSCHED" plan $mlp --limit-memory f0=1MB,f1=1MB,s0=1MB,s1=1MB,ram=1MB -p cephalo
run 0 "$TGSCHED" plan zoo:mlp:batch=8 -m 'cpu:1 link:1,0' -b 10 -p poplar; shows '^strategy *batch 10; micro-batches 1; place'
finish
