#!/bin/bash
# strategy.sh -- strategies from the command: what changes the mathematics is never silent.
. "$(dirname "$0")/lib.sh"
mkdir made

plan() { printf '%s\n' tgsched.strategy/1 'train sgd' "$@" > plan.tgy; }

plan 'micro-batches 4' 'waves 2 D=1' 'replicas 2'
run 0 "$TGSCHED" lower zoo:mlp:layers=1 --strategy plan.tgy --explain
shows 'waves changes the mathematics: .* 1 updates of their own worker and 4 of all'
run 0 "$TGSCHED" lower zoo:mlp:layers=1 --strategy plan.tgy --explain --json; json out lower
[[ $(value out note) == *'changes the mathematics'* ]] || fail "no note: $(cat out)"
"$TGSCHED" schedule zoo:mlp:layers=1 --strategy plan.tgy -m cpu:2 -a heft > out 2> err || fail 'not scheduled'
grep -q '^tgsched: zoo:mlp:layers=1: waves changes the mathematics' err || fail "silent: $(cat err)"

plan 'micro-batches 4' 'pipeline 2 message cap=3 cuts=fc1' 'place ram,cpu1.mem'
last='a placed pipeline'; run 0 "$TGSCHED" schedule zoo:mlp:layers=1 --strategy plan.tgy -m 'cpu:2/own link:1e9,1e-6' -a message-driven
silent err
plan 'pipeline 2 1f1b cuts=fc9'
refused 1 "pipeline: no operator 'fc9'" "$TGSCHED" lower zoo:mlp:layers=1 --strategy plan.tgy -o made/x.tg
plan 'pipeline 2' 'place ram'
refused 1 'place: 1 memories for 2 places (1 replicas, 2 stages, 1 shards)' \
  "$TGSCHED" lower zoo:mlp:layers=1 --strategy plan.tgy -o made/x.tg
only made
finish
