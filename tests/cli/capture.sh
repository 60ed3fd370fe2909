#!/bin/bash
# capture.sh -- capture and replay: applications as they are, their results, and every way in which
# one can leave its plan.
. "$(dirname "$0")/lib.sh"
app=$TGS_BUILDDIR/tests/cli/starpu_app
run 0 "$TGSCHED" doctor
grep -q '^ok *StarPU' out && [ -x "$app" ] || { echo 'skipped: no StarPU'; exit 77; }
export STARPU_SILENT=1
mkdir tmp && export TMPDIR=$scratch/tmp
# links that tests beside this one measure anew make `host` another platform
mkdir home && export STARPU_HOME=$scratch/home
limit='timeout 120' # a hang is a failure, not a wait
unset STARPU_NCPU STARPU_NOPENCL STARPU_NCUDA STARPU_SCHED
python() { python3 - "$@" || fail "figures: $*"; }

# ---- the library is nothing in a process without StarPU
strong=$(nm -D "$TGSCHED_MODULE_DIR/tgsched-preload.so" | awk '$1 == "U" && $2 ~ /^(starpu|cl[A-Z])/ { print $2 }')
[ -z "$strong" ] || fail "not weak in starpu_tap_weak.h: $strong"

# ---- a capture
run 0 $limit "$TGSCHED" capture -m host -o a.tg --times a.tgc -- "$app"
[ "$(cat out)" = right ] || fail "stdout of the application: $(cat out)"
says '^tgsched: a.tg: 56 tasks on 41 data$'
run 0 "$TGSCHED" info a.tg --json; [ "$(value out tasks)" = 69 ] || fail 'tasks with waits and accesses'
run 0 "$TGSCHED" info a.tgc --json; [ "$(value out samples)" -gt 3 ] || fail 'samples'
python a.tg <<'PY'
import re, sys
task, after, access = {}, set(), {}
for line in open(sys.argv[1]):
    w = line.split()
    if w[0] == 'task': task[w[1]] = line
    if w[0] == 'after': after.add((w[1], w[2]))
    if w[0] == 'access': access.setdefault(w[1], []).append((w[2], w[3]))
named = lambda name, k: [t for t in task if re.match(r'%s\.%s~' % (re.escape(name), k), t)][0]
count = lambda name: sum(t.startswith(name + '.') for t in task)
# every turn: 4 parts there, 4 back from their callbacks, 4 added, 4 filters; then the sums
assert count('scale') == 24 and count('add') == 12 and count('sum') == 2 and count('reduce') == 3, sorted(task)
# a callback's task comes after its parent, and is known as its first
first, then = named('scale', '0'), named('scale', '0-0')
assert (first, then) in after or access[first] == access[then] == [('rw', access[first][0][1])]
# tags: the first part waits for the second, which was submitted later
adds = sorted((t for t in task if t.startswith('add.')), key=lambda t: int(t.split('.')[1].split('~')[0]))[:4]
for a, b in zip(adds, adds[1:]): assert (b, a) in after, (b, a)
# explicit dependencies: the empty task waits for both sums, and both have the same data
sums = sorted(t for t in task if t.startswith('sum.'))
sync = [t for t in task if t.startswith('sync.')][0]
assert {a for a, b in after if b == sync} >= set(sums)
assert [m for m, d in access[sums[0]]] == ['r', 'rw'], access[sums[0]] # scratch is no datum
# a reduction: contributions do not wait for each other, what follows waits for all
assert all(m == 'r' for t in task if t.startswith('reduce.') for m, d in access[t])
assert any(t.startswith('starpu.reduce.') for t in task) or count('starpu.reduce') == 0
# kinds: add has a kernel for CPUs only
kinds = [l.split()[1:] for l in open(sys.argv[1]) if l.startswith('kinds ')][0]
if len(kinds) > 1: assert 'kinds=cpu' in task[adds[0]].split(), task[adds[0]]
# what StarPU's own filters do is there
assert count('starpu.split') == 3 and count('starpu.join') == 3
PY

# ---- its schedule, and the application under it
ordered() { # ordered SCHEDULE TRACE: every processor ran its tasks in the planned order
  python "$1" "$2" <<'PY'
import sys
from urllib.parse import unquote
plan, ran = {}, {}
for line in open(sys.argv[1]):
    w = line.split()
    if w[0] == 'place' and '~' in w[1] and float(w[4]) > float(w[3]): plan.setdefault(w[2], []).append((float(w[3]), w[1]))
names = {'task': [], 'processor': []}
for line in open(sys.argv[2]):
    w = line.split()
    if w[0] in names: names[w[0]].append(w[1])
    if w[0] == 'ran':
        f = dict(x.split('=') for x in w if '=' in x)
        ran.setdefault(w[2], []).append((float(w[3]), w[1]))
key = lambda x: [t for _, t in sorted(x)]
planned = {t for x in plan.values() for t in key(x)}
for p in plan:
    want, got = key(plan[p]), [t for t in key(ran.get(p, [])) if t in planned]
    assert want == got, (p, want, got)
PY
}
for a in heft roundrobin; do
  run 0 "$TGSCHED" schedule a.tg -m host -a $a -o $a.tgs
  run 0 "$TGSCHED" check a.tg $a.tgs -m host
  run 0 $limit "$TGSCHED" replay $a.tgs -m host -g a.tg --trace $a.tgt -- "$app"
  [ "$(cat out)" = right ] || fail "$a: stdout of the application: $(cat out)"
  says '^tgsched: 56 of 56 tasks ran as planned$'
  grep -q 'counters' err && fail "$a: $(grep counters err)" # bytes of the trace are StarPU's
  ordered $a.tgs $a.tgt
  run 0 "$TGSCHED" audit a.tg $a.tgs $a.tgt -m host; shows '^measured '
  run 0 $limit "$TGSCHED" replay $a.tgs -m host -- "$app" # the same without a record
  says '^tgsched: 56 of 56 tasks ran as planned$'
done

# ---- the application's own ends
run 5 $limit "$TGSCHED" replay heft.tgs -- "$app" exit=5; says '56 of 56'
run 5 $limit "$TGSCHED" capture -o e.tg -- "$app" exit=5; says '^tgsched: e.tg: 56 tasks'
run 137 $limit "$TGSCHED" capture -o k.tg -- "$app" crash; says 'without starpu_shutdown'; [ ! -e k.tg ] || fail 'a graph of a crash'
run 137 $limit "$TGSCHED" replay heft.tgs -- "$app" crash; says 'without starpu_shutdown'
run 1 $limit "$TGSCHED" capture -o l.tg -- "$app" leave; says 'without starpu_shutdown'
run 0 $limit "$TGSCHED" capture -o t.tg -- "$app" twice; says '^tgsched: t.tg: 112 tasks on 82 data$'
run 0 "$TGSCHED" schedule t.tg -m host -o t.tgs
run 0 $limit "$TGSCHED" replay t.tgs -- "$app" twice; says '^tgsched: 112 of 112'; [ "$(cat out)" = right ] || fail 'started twice'
run 0 $limit "$TGSCHED" capture -o c.tg -- sh -c "$app child; true"; says 'only the first one is captured'
says '^tgsched: c.tg: 56 tasks'; [ "$(cat out)" = "$(printf 'right\nright')" ] || fail "a child: $(cat out)"
run 1 "$TGSCHED" capture -o n.tg -- true; says 'true has not started StarPU'; [ ! -e n.tg ] || fail 'a graph of nothing'
run 1 "$TGSCHED" replay heft.tgs -- true; says 'has not started StarPU'
run 127 "$TGSCHED" capture -o n.tg -- ./nothing-there; says 'nothing-there: No such file'
only tmp # nothing of what was exchanged is left

# ---- every way to leave the plan: a message, the right result, never a hang
off() { # off WHAT COMMAND...: it goes on without the plan
  local what=$1; shift
  run 0 $limit "$@"; says "$what"; says "StarPU's eager policy"
  [ "$(cat out)" = right ] || fail "off the plan: $(cat out): $*"
}
off 'where the plan has .* the application submits' "$TGSCHED" replay heft.tgs -- "$app" other
off 'the application submits scale.* which has no such task' "$TGSCHED" replay heft.tgs -- "$app" twice
run 0 $limit "$TGSCHED" replay heft.tgs -- "$app" short; says 'submitted only 48 of the 56'; [ "$(cat out)" = right ] || fail short
run 0 "$TGSCHED" info host --json; cpus=$(grep -o '"cpu[0-9]*"' out | sort -u | wc -l)
STARPU_NCPU=$((cpus + 1)) off 'the plan is for .* CPU workers, the application has' "$TGSCHED" replay heft.tgs -- "$app"
# plans that no run can keep: everything backwards; and one that begins with what is submitted last
awk '$1 == "place" { $4 = 1000 - $4; $5 = 1000 - $5 } 1' heft.tgs > back.tgs
run 0 $limit "$TGSCHED" replay back.tgs --patience 0.2 -- "$app"; says 'before their turn'; [ "$(cat out)" = right ] || fail backwards
awk '$1 == "place" && $2 ~ /~/ { $3 = "cpu0" } $2 ~ /^sum[.]/ { $4 = -1 } 1' heft.tgs > late.tgs
off 'nothing has moved for 0.2 s: sum[.]' "$TGSCHED" replay late.tgs --patience 0.2 -- "$app"
refused 1 'is for another platform' "$TGSCHED" replay heft.tgs -m cpu:3 -- "$app"
run 0 "$TGSCHED" schedule gen:chain:n=3 -m host -o g.tgs
refused 1 'not the schedule of a captured graph' "$TGSCHED" replay g.tgs -- "$app"
refused 1 'No such file' "$TGSCHED" replay missing.tgs -- "$app"
head -5 heft.tgs > cut.tgs; refused 1 'cut.tgs:' "$TGSCHED" replay cut.tgs -- "$app"
refused 2 'needs --output' "$TGSCHED" capture -- "$app"
refused 2 'needs --graph' "$TGSCHED" replay heft.tgs --trace x.tgt -- "$app"
refused 2 'name a file' "$TGSCHED" capture -o - -- "$app"
refused 2 'more than 0' "$TGSCHED" replay heft.tgs --patience 0 -- "$app"

# ---- programs of StarPU's own, where they are installed, with their own checks
for dir in /usr/lib/*/starpu/examples; do
  [ -x "$dir/cholesky_implicit" ] || { echo 'without starpu-examples'; continue; }
  while read -r name args; do
    last="$name $args"
    run 0 $limit "$TGSCHED" capture -o p.tg -- "$dir/$name" $args
    run 0 "$TGSCHED" schedule p.tg -m host -a roundrobin -o p.tgs
    run 0 $limit "$TGSCHED" replay p.tgs -g p.tg --trace p.tgt -- "$dir/$name" $args
    grep -qE '^tgsched: ([0-9]+) of \1 tasks ran as planned$' err || { fail "$last is not replayed"; grep ^tgsched err; }
    run 0 "$TGSCHED" audit p.tg p.tgs p.tgt -m host
  done <<'LIST'
cholesky_implicit -size 480 -nblocks 3 -check
cholesky_tag
lu_example_float -size 256 -nblocks 4 -check
lu_implicit_example_double -size 256 -nblocks 4 -check
heat
cg -n 256 -nblocks 4
LIST
done
finish
