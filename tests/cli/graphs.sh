#!/bin/bash
# graphs.sh -- info, gen, convert, lower, model: graphs in and out.
. "$(dirname "$0")/lib.sh"

run 0 "$TGSCHED" info examples/topcuoglu.tg --json; json out info
[ "$(value out tasks) $(value out edges) $(value out sources) $(value out sinks) $(value out depth) $(value out width)" = '10 15 1 1 4 5' ] \
  || fail "info of the HEFT graph: $(cat out)"
run 0 "$TGSCHED" info examples/kwok-ahmad.tg; shows '^CCR at 1 byte/s *1.233'; shows '^work *30 s'
run 0 "$TGSCHED" info examples/topcuoglu.tg -m examples/topcuoglu.tgp; shows '^CCR  *[0-9.]*$'
run 0 "$TGSCHED" info examples/topcuoglu.tgp --json; [ "$(value out processors)" = 3 ] || fail 'processors'
json out info; [ "$(python3 -c 'import json; d=json.load(open("out")); print(len(d["processor"]), len(d["memory"]), len(d["link"]), d["link"][0]["bandwidth_bytes_per_s"])')" = '3 3 6 1' ] || fail 'details of a platform'
run 0 "$TGSCHED" info host; shows '^cpu0  *cpu '
run 0 "$TGSCHED" info gen:chain:n=7; shows '^depth *7'
run 0 "$TGSCHED" info data/graphs/plain.stg; shows '^format *stg'
run 0 "$TGSCHED" info examples/topcuoglu.tg --csv; [ "$(wc -l < out)" = 2 ] || fail 'csv of one record'

# a graph keeps its identity through its own format, whole and through standard output
run 0 "$TGSCHED" gen layered:n=50 --seed 3 -o g.tg; silent out
run 0 "$TGSCHED" gen gen:layered:n=50 --seed 3; cmp -s out g.tg || fail 'gen to stdout differs from gen -o'
run 0 "$TGSCHED" convert g.tg; cmp -s out g.tg || fail 'convert tg to tg differs'
run 0 "$TGSCHED" convert - --from tg < g.tg; cmp -s out g.tg || fail 'convert from stdin differs'

# a pipe is read like a file, however often it is opened
piped() { local code=$1; shift; run "$code" sh -c 'cat g.tg | "$0" "$@"' "$TGSCHED" "$@"; }
piped 0 convert -; cmp -s out g.tg || fail 'convert from a pipe differs'
piped 0 schedule - -m cpu:3 -a heft --json; [ "$(value out tasks)" = 50 ] || fail 'a pipe is scheduled'
piped 0 compare /dev/stdin -a heft,cpop -m cpu:3 --csv; [ "$(grep -c '^heft,\|^cpop,' out)" = 2 ] || fail 'a pipe is compared'
run 0 "$TGSCHED" info - < g.tg; shows '^format *tg$'
run 0 sh -c 'cat g.tg | "$0" info /dev/fd/6 6<&0' "$TGSCHED"; shows '^format *tg$'
refused 1 '/dev/stdin: empty file' "$TGSCHED" info - < /dev/null
mkfifo named; cat g.tg > named & refused 1 'a format is needed to read named, a pipe' "$TGSCHED" info named
kill $! 2> /dev/null
run 0 "$TGSCHED" gen layered:n=50 --seed 4; cmp -s out g.tg && fail 'the seed changes nothing'
run 0 "$TGSCHED" convert g.tg -o g.dot
if "$TGSCHED" list reader | grep -q '^reader *dot'; then
  run 0 "$TGSCHED" info g.dot --json; cp out dot
  run 0 "$TGSCHED" info g.tg --json; [ "$(value out edges)" = "$(value dot edges)" ] || fail 'edges through DOT'
fi

# other formats, and what they do not hold
run 0 "$TGSCHED" convert g.tg -o g.stg; grep -q 'g.stg does not hold names of tasks' err || fail "what STG loses: $(cat err)"
run 0 "$TGSCHED" info g.stg --json; [ "$(value out tasks)" = 50 ] || fail 'tasks through STG'
run 0 "$TGSCHED" convert g.tg -o g.hdag; run 0 "$TGSCHED" info g.hdag; shows '^format *hyperdag'
run 0 "$TGSCHED" convert g.tg --to dnn-partitioning:accelerator=gpu -o g.json
if "$TGSCHED" list reader | grep -q '^reader *wfformat'; then
  run 0 "$TGSCHED" convert g.tg -o g.wf.json; run 0 "$TGSCHED" convert g.wf.json --to stg -o h.stg
  run 0 "$TGSCHED" info g.tg --json; cp out tg
  run 0 "$TGSCHED" info g.wf.json --json; [ "$(value out work_s)" = "$(value tg work_s)" ] || fail 'work through WfFormat'
  run 0 "$TGSCHED" info data/graphs/diamond.wf.json; grep -q 'ran on several cores' err || fail 'a note of the reader'
fi
run 0 "$TGSCHED" info data/graphs/small_2proc_task_exe_time.csv; shows '^format *heft'
printf 'what is this\n' > unknown
refused 1 'unknown format' "$TGSCHED" info unknown
refused 1 'unknown format' "$TGSCHED" convert unknown

refused 1 'No such file' "$TGSCHED" info nowhere.tg
refused 1 'a platform, where a graph is needed' "$TGSCHED" schedule examples/topcuoglu.tgp -m cpu:1
refused 1 'is a directory' "$TGSCHED" info data
refused 2 "no generator 'chian'" "$TGSCHED" gen chian
refused 2 "no parameter 'm'" "$TGSCHED" gen chain:m=3
refused 2 "not a whole number" "$TGSCHED" gen chain:n=many
refused 2 "outside" "$TGSCHED" gen chain:n=-1
refused 2 "no reader 'xyz'" "$TGSCHED" info g.tg --from xyz
refused 2 "no writer 'xyz'" "$TGSCHED" convert g.tg --to xyz
refused 2 "no writer for this suffix" "$TGSCHED" convert g.tg -o g.xyz

if "$TGSCHED" list reader | grep -q '^reader *onnx'; then
  run 0 "$TGSCHED" model data/onnx/mnist-8.onnx --json; json out model
  [ "$(value out parameters) $(value out layers)" = '5994 11' ] || fail "mnist: $(cat out)"
  run 0 "$TGSCHED" info data/onnx/mnist-8.onnx; shows '^holds *model'
  run 0 "$TGSCHED" lower data/onnx/mnist-8.onnx -o forward.tg
  run 0 "$TGSCHED" lower data/onnx/mnist-8.onnx --train --loss xent --lr 0.1 -o step.tg
  run 0 "$TGSCHED" info forward.tg --json; f=$(value out tasks)
  run 0 "$TGSCHED" info step.tg --json; s=$(value out tasks)
  [ "$s" -gt $((2 * f)) ] || fail "a step of $s tasks for a forward pass of $f"
  grep -q 'phase=update' step.tg && ! grep -q 'phase=backward' forward.tg || fail 'phases'
  # the same step as a strategy file, and as a graph operand elsewhere
  printf 'tgsched.strategy/1\ntrain sgd lr=0.1\nloss xent\n' > step.tgy
  run 0 "$TGSCHED" lower data/onnx/mnist-8.onnx --strategy step.tgy
  cmp -s out step.tg || fail 'the strategy file gives another step than the options'
  run 0 "$TGSCHED" schedule data/onnx/mnist-8.onnx --train --loss xent --lr 0.1 -m cpu:2 --json; a=$(value out makespan_s)
  run 0 "$TGSCHED" schedule step.tg -m cpu:2 --json
  [ "$a" = "$(value out makespan_s)" ] || fail 'a model and its lowered graph are scheduled differently'
  run 0 "$TGSCHED" lower data/onnx/mnist-8.onnx --train --loss xent --micro-batches 2 --replicas 2 --accumulate tree -o fj.tg
  refused 2 'no other training option' "$TGSCHED" lower data/onnx/mnist-8.onnx --strategy step.tgy --lr 0.2
  refused 1 '' "$TGSCHED" model examples/topcuoglu.tg
  head -c 300 data/onnx/mnist-8.onnx > cut.onnx
  refused 1 'cut.onnx' "$TGSCHED" model cut.onnx
fi
finish
