#!/bin/bash
# outputs.sh -- a file appears whole or not at all: bad input, full disk, killed process, closed pipe.
. "$(dirname "$0")/lib.sh"
mkdir w
M='cpu:3 gpu:1x4 link:1e9,1e-5'

# failures leave neither a file nor a temporary, and an old file as it was
printf 'tgsched.graph/1\ntask a time=1\ntask a time=2\n' > twice.tg
printf 'tgsched.graph/1\ntask a\ntask b\nedge a b 1\nedge b a 1\n' > cycle.tg
: > empty.tg; printf 'no graph at all\n' > words.txt
for f in twice.tg cycle.tg empty.tg words.txt; do
  refused 1 "$f" "$TGSCHED" convert $f -o w/x.tg; only w
  refused 1 "$f" "$TGSCHED" schedule $f -m cpu:2 -o w/x.tgs --html w/x.html; only w
done
"$TGSCHED" gen chain -o w/kept.tg; cp w/kept.tg kept
refused 1 twice.tg "$TGSCHED" convert twice.tg -o w/kept.tg; cmp -s kept w/kept.tg || fail 'an old file was touched'
refused 1 'No such file' "$TGSCHED" gen chain -o w/no/folder/x.tg; only w kept.tg
refused 3 '' "$TGSCHED" schedule gen:cholesky:n=4 -m cpu:2@0.001 -o w/x.tgs; only w kept.tg
rm w/kept.tg

# a full disk is a failure, whatever is written; what is not written is not announced
if [ -c /dev/full ]; then
  for c in "gen layered:n=3000" "gen chain" list "list --json" "info gen:chain" "--help" "schedule --help" \
           "schedule gen:chain -m cpu:2" "schedule gen:chain -m cpu:2 -o -" "compare gen:chain -m cpu:2 -a heft" \
           "simulate gen:chain -m cpu:2 -o -" "simulate gen:chain -m cpu:2 --html -" "bound gen:chain -m cpu:2"; do
    "$TGSCHED" $c > /dev/full 2>err; code=$?
    [ $code = 1 ] || fail "exit $code with a full disk: $c"
    grep -q 'No space left' err || { fail "no word of the full disk: $c"; cat err; }
    [ "$(wc -l < err)" = 1 ] || fail "more than one message: $c"
  done
  refused 1 '/dev/full: No space left' "$TGSCHED" gen chain --to tg -o /dev/full
  refused 1 '/dev/full' "$TGSCHED" schedule gen:chain -m cpu:2 --html /dev/full
fi

# a reader that goes away ends us as it ends every filter, without a word
"$TGSCHED" gen layered:n=30000 2>err | head -1 >out
[ -s err ] && { fail 'a closed pipe is talked about'; cat err; }
"$TGSCHED" list 2>err | true; [ -s err ] && fail 'a closed pipe is talked about'

# killed at any moment, nothing but whole files is there (on a file system without O_TMPFILE a killed
# process leaves its temporary: nothing can be done about SIGKILL there)
if python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null; then clean() { only w; }
else clean() { rm -f w/x.tg.??????; only w; }; fi
"$TGSCHED" gen layered:n=60000 -o whole.tg || fail 'gen'
for ms in 005 02 05 1 2 3; do
  "$TGSCHED" gen layered:n=60000 -o w/x.tg & pid=$!
  sleep 0.$ms; kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
  [ ! -e w/x.tg ] || cmp -s whole.tg w/x.tg || fail "a partial file after 0.$ms s"
  rm -f w/x.tg; clean
done
for s in TERM HUP KILL; do # bash starts background jobs with INT ignored; nohup, with HUP
  env --default-signal=HUP,TERM "$TGSCHED" convert - --from tg -o w/x.tg < <(printf 'tgsched.graph/1\n'; sleep 2) & pid=$!
  sleep 0.1; kill -$s $pid 2>/dev/null; wait $pid 2>/dev/null; clean
done

# a file is replaced in one go: a reader never sees half of it; modes follow the umask
(umask 027; "$TGSCHED" gen chain -o w/m.tg); [ "$(stat -c %a w/m.tg)" = 640 ] || fail "mode $(stat -c %a w/m.tg)"
ln -s w/target.tg link.tg; "$TGSCHED" gen chain -o link.tg; [ -L link.tg ] && "$TGSCHED" info w/target.tg >/dev/null || fail 'a link was replaced'
# through a link of our own as /dev/stdout is one, never the machine's
ln -s /proc/self/fd/1 dev-stdout; "$TGSCHED" gen chain --to tg -o dev-stdout > viadev; [ -s viadev ] && [ -L dev-stdout ] || fail 'a link into /proc'
finish
