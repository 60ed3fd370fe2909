#!/bin/bash
# faults.sh -- run when things go wrong: a message that names the task, what had run is kept, an exit
# code that says what it was, and the next run as good as ever; and --limit-memory.
. "$(dirname "$0")/lib.sh"

{ echo tgsched.graph/1; for i in $(seq 1 200); do echo "task t$i work=0.05"; done; } > long.tg

# SIGINT and SIGTERM: the part is kept, the code is 128 + the signal
interrupted() { # interrupted SIGNAL CODE BACKEND
  local got
  rm -f part.tgt
  "$TGSCHED" run long.tg -m cpu:2 --backend "$3" --steps 1 -o part.tgt >out 2>err &
  local pid=$!
  for i in $(seq 1 100); do sleep 0.1; [ -n "$(ls -l /proc/$pid/task 2>/dev/null)" ] && [ "$i" -ge "${4:-20}" ] && break; done
  kill -"$1" $pid; wait $pid; got=$?
  [ $got = "$2" ] || { fail "exit $got after $1 on $3"; cat err; }
  says 'canceled after .* of 200 tasks'
  says 'part.tgt holds what had run until then'
  run 0 "$TGSCHED" info part.tgt
  local n; n=$(grep -c '^ran ' part.tgt)
  [ "$n" -ge 1 ] && [ "$n" -lt 200 ] || fail "$n tasks in the part"
}
# a shell has children in the background ignore SIGINT: then it is not for them
if "$TGSCHED" doctor | grep -q '^ok *StarPU'; then
  interrupted TERM 143 starpu 30
  run 0 "$TGSCHED" run gen:forkjoin:n=4 -m cpu:2 --steps 1 # the next one starts clean
  if command -v python3 >/dev/null; then
    python3 - "$TGSCHED" <<'PY' || fail 'SIGINT'
import os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], 'run', 'long.tg', '-m', 'cpu:2', '--steps', '1', '-o', 'int.tgt'],
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
time.sleep(3)
p.send_signal(signal.SIGINT)
said = p.communicate(timeout=60)[1]
assert p.returncode == 130, (p.returncode, said)
assert 'canceled after' in said and 'int.tgt holds' in said, said
assert 0 < open('int.tgt').read().count('\nran ') < 200
PY
  fi
  # a device that is not there (any more)
  OCL_ICD_VENDORS=/nowhere refused 1 'opencl' "$TGSCHED" run gen:forkjoin:n=4 -m 'cpu:1 gpu:1' -a roundrobin --steps 1
fi
# a device that vanishes while it is at work: at a task, at a copy that is asked for or under way, at
# an allocation.  The command ends by itself, and the next run is as good as ever.  Whoever asks the
# device next may be the first to hear of it.
vanish=$TGS_BUILDDIR/tests/unit/.libs/vanish.so
vanishes() { # vanishes AT AFTER SAYS [VARIABLE=VALUE...]
  local at=$1 after=$2 what=$3; shift 3
  rm -f part.tgt
  run 4 timeout 100 env LD_PRELOAD="$vanish" TGS_VANISH_AT="$at" TGS_VANISH_AFTER="$after" "$@" \
    "$TGSCHED" run gen:layered:n=60:work=1e-3 -m 'cpu:1 gpu:1' -a roundrobin --steps 1 -o part.tgt
  says "$what"; says 'part.tgt holds what had run until then'; silent out
  run 0 "$TGSCHED" info part.tgt
  local n; n=$(grep -c '^ran ' part.tgt)
  [ "$n" -ge 1 ] && [ "$n" -lt 60 ] || fail "$n tasks in the part when a $at fails"
}
if [ -e "$vanish" ] && "$TGSCHED" doctor | grep -q '^ok *OpenCL'; then
  vanishes fill 10 'task .* failed on processor gpu0, whose device has failed (OpenCL error'
  vanishes finish 10 'task .* failed on processor gpu0, whose device has failed (OpenCL error -5)'
  for at in write read; do
    vanishes $at 8 'device .*has failed (OpenCL error'
    vanishes $at 8 'device .*has failed (OpenCL error' TGS_VANISH_EVENT=1
  done
  vanishes allocation 12 'device .*has failed (OpenCL error'
  run 0 "$TGSCHED" run gen:forkjoin:n=4 -m 'cpu:1 gpu:1' -a roundrobin --steps 1
fi
{ echo tgsched.graph/1; for i in $(seq 1 20); do echo "task t$i work=0.001"; done; } > short.tg

# a disk that is full
if [ -w /dev/full ]; then
  refused 1 '/dev/full' "$TGSCHED" run short.tg -m cpu:2 --backend serial --steps 1 -o /dev/full
fi
(ulimit -f 1; "$TGSCHED" run short.tg -m cpu:2 --backend serial --steps 1 -o big.tgt) >/dev/null 2>err
[ $? = 1 ] || fail 'a file that may not grow'; says 'big.tgt'
[ ! -e big.tgt ] || fail 'half a trace'
run 0 "$TGSCHED" run short.tg -m cpu:2 --backend serial --steps 1 -o big.tgt

# an operator without an implementation where it must run is refused by name before anything runs
printf 'tgsched.graph/1\nkinds cpu gpu\ndata x bytes=64\ndata y bytes=64\ntask only work=1 codelet=adam kinds=gpu\naccess only r x\naccess only w y\n' > gpuonly.tg
refused 3 "task 'only'" "$TGSCHED" run gpuonly.tg -m 'cpu:1 gpu:1'

# memories that hold less
refused 2 'MEMORY=BYTES' "$TGSCHED" schedule gen:cholesky:n=4 -m 'cpu:1 gpu:1' --limit-memory gpu0
refused 2 'MEMORY=BYTES' "$TGSCHED" schedule gen:cholesky:n=4 -m 'cpu:1 gpu:1' --limit-memory gpu0=5parsecs
refused 2 "no memory or processor 'gpu7'" "$TGSCHED" schedule gen:cholesky:n=4 -m 'cpu:1 gpu:1' --limit-memory gpu7=1GiB
printf 'tgsched.graph/1\nkinds gpu cpu\ndata x bytes=3e6\ndata y bytes=3e6\ntask big work=1 kinds=gpu\naccess big r x\naccess big w y\n' > big.tg
refused 3 "task 'big' may run nowhere: .* 3902848 bytes are missing" "$TGSCHED" run big.tg -m 'cpu:1 gpu:1' --limit-memory gpu0=2MiB
"$TGSCHED" schedule gen:cholesky:n=8 -m 'cpu:1 gpu:1' -a heft --json >all.json
run 0 "$TGSCHED" schedule gen:cholesky:n=8 -m 'cpu:1 gpu:1' -a heft --limit-memory gpu0=2MiB -o small.tgs
shows 'fitted to the memories'
grep -q '^evict ' small.tgs || fail 'nothing leaves'
run 0 "$TGSCHED" check gen:cholesky:n=8 -m 'cpu:1 gpu:1' --limit-memory gpu0=2MiB small.tgs
run 1 "$TGSCHED" check gen:cholesky:n=8 -m 'cpu:1 gpu:1' small.tgs; says 'another platform'
run 0 "$TGSCHED" simulate gen:cholesky:n=8 -m 'cpu:1 gpu:1' --limit-memory gpu0=2MiB -s small.tgs --play fifo -o small.tgt
awk '/^use gpu0.mem/ && $4 > 2097152 { bad = 1 } END { exit bad }' small.tgt || fail 'fuller than it is large'
finish
