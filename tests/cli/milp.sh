#!/bin/bash
# milp.sh -- the integer program: written for other solvers, and solved.
. "$(dirname "$0")/lib.sh"
top=$TGS_SRCDIR/examples
small="$top/topcuoglu.tg -m $top/topcuoglu.tgp"

run 0 "$TGSCHED" schedule $small -a milp --export-lp out.lp; silent out; silent err
grep -q '^\\ tgsched: T is the makespan in units of 1 s$' out.lp || fail 'no remark'
grep -q '^Minimize$' out.lp && grep -q '^Subject To$' out.lp && grep -q '^Generals$' out.lp || fail 'no LP file'
[ "$(tail -n 1 out.lp)" = End ] || fail 'no end'
run 0 "$TGSCHED" schedule $small --export-lp again.lp; cmp -s out.lp again.lp || fail 'milp is not the default'
run 0 "$TGSCHED" schedule $small -a milp --export-lp -; cmp -s out.lp out || fail 'not on standard output'
refused 1 'heft solves no linear program' "$TGSCHED" schedule $small -a heft --export-lp no.lp
refused 1 'more than the 500' "$TGSCHED" schedule gen:layered:n=501 -m cpu:2 -a milp --export-lp no.lp
refused 1 'more than the 100 that' "$TGSCHED" schedule $small -a milp:rows=100 --export-lp no.lp
[ ! -e no.lp ] || fail 'a file is left'
refused 2 'makes no schedule' "$TGSCHED" schedule $small --export-lp no.lp -o x.tgs
refused 2 'makes no schedule' "$TGSCHED" schedule $small --export-lp no.lp --json

"$TGSCHED" doctor > doctor
if grep -q '^ok *CBC' doctor; then
  run 0 "$TGSCHED" schedule gen:forkjoin:n=4 -m "cpu:2 link:1,0" -a milp; shows 'note *optimal to 1e-6, says CBC after'
else
  refused 1 'without CBC' "$TGSCHED" schedule gen:forkjoin:n=4 -m 'cpu:2 link:1,0' -a milp
fi
finish
