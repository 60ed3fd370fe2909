#!/bin/bash
# watch.sh -- a search shows a bar on a terminal and nowhere else, and SIGINT ends it with the best so
# far: the schedule is written, whole, and says that it will not be the same again.
. "$(dirname "$0")/lib.sh"
graph='gen:layered:n=60:width=8:ccr=1:bandwidth=4'
machine='cpu:3 gpu:2/own link:4,2'

# However slow this machine is: the signal may come before there is anything to end.  timeout sends it
# twice, to the command and to its group: the echo ends nothing.
interrupted=
for seconds in 1 4 16; do
  timeout --preserve-status -s INT $seconds "$TGSCHED" schedule "$graph" -m "$machine" -a ils:evals=1e12:chains=2 -o best.tgs >out 2>err && { interrupted=1; break; }
done
[ -n "$interrupted" ] || fail "SIGINT did not end a search with a result"
shows 'stopped: not the same again'
silent err
run 0 "$TGSCHED" check best.tgs --graph "$graph" -m "$machine"

# who does not look at it is ended by the next one, but not by an echo
env --default-signal=INT "$TGSCHED" schedule gen:layered:n=4000 -m cpu:16 -a lookahead:depth=6 >out 2>err &
pid=$!
sleep 2; kill -INT $pid; kill -INT $pid
sleep 1; kill -0 $pid || fail 'an echo of SIGINT ended the command'
kill -INT $pid; wait $pid; got=$?
[ $got = 130 ] || { fail "exit $got after a second SIGINT"; cat err; }

if command -v script >/dev/null; then
  NO_COLOR= script -qec "'$TGSCHED' schedule '$graph' -m '$machine' -a ils:evals=1e12:seconds=2" typescript >/dev/null </dev/null || fail "no schedule on a terminal"
  grep -q "$(printf '\r\033\\[K\\[#*-*\\] .* %% ils')" typescript || { fail "no bar"; od -c typescript | head; }
  last=$(grep -a '%' typescript | tail -1 | tr '\r' '\n' | tail -1)
  case $last in *'#'*) fail "the bar is not erased" ;; esac
  grep -q 'ended by the limit of 2 s' typescript || fail "the figures do not follow the bar"
fi
exit $failed
