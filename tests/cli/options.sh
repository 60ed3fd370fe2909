#!/bin/bash
# options.sh -- the option tables: help, man page, mistakes and what is said about them.
. "$(dirname "$0")/lib.sh"
commands='info list doctor model lower gen convert schedule check bound forkjoin plan systems simulate compare adversary explain calibrate costs run audit capture replay view'

run 0 "$TGSCHED" --help
for c in $commands; do shows "^  $c "; done
run 0 "$TGSCHED" --version; shows '^tgsched [0-9]'
for c in $commands; do
  last="$c --help"
  run 0 "$TGSCHED" $c --help; shows "^Usage: tgsched $c "; shows -- '--help'; silent err
  awk 'length > 80 { print FILENAME ": " $0; bad = 1 } END { exit bad }' out || fail "$c --help is wider than 80 columns"
  cp out long; run 0 "$TGSCHED" $c -h; cmp -s out long || fail "$c: -h differs from --help"
  grep -q "^\.SS tgsched $c " "$TGS_SRCDIR/man/tgsched.1" || fail "man page lacks $c"
done

# what is written twice is checked: the option sections of the page are those of the tables
run 0 "$TGSCHED" --man-options
sed -n '/^\.\\" options:/,/^\.\\" end of options/p' "$TGS_SRCDIR/man/tgsched.1" | sed '1d;$d' > page
if ! diff page out > changes; then
  if [ -n "${TGS_BLESS-}" ]; then
    sed -i -e '/^\.\\" options:/r out' -e '/^\.\\" options:/,/^\.\\" end of options/{/^\.\\" /!d}' "$TGS_SRCDIR/man/tgsched.1"
    sed -n '/^\.\\" options:/,/^\.\\" end of options/p' "$TGS_SRCDIR/man/tgsched.1" | sed '1d;$d' | cmp -s - out || fail 'blessing'
  else
    fail "man/tgsched.1 differs from the tables (TGS_BLESS=1 rewrites it)"; head -20 changes
  fi
fi

refused 2 'which command' "$TGSCHED"
refused 2 "did you mean 'schedule'" "$TGSCHED" scheduel
refused 2 "no command 'frobnicate'" "$TGSCHED" frobnicate
refused 2 "no option '--wat' before a command" "$TGSCHED" --wat
refused 2 "did you mean '--platform'" "$TGSCHED" schedule gen:chain --platfrom cpu:1
refused 2 "no option '--xyzzy'" "$TGSCHED" schedule gen:chain --xyzzy
refused 2 "no option '-Z'" "$TGSCHED" schedule gen:chain -Z
refused 2 "--platform needs a value" "$TGSCHED" schedule gen:chain -m
refused 2 "--platform needs a value" "$TGSCHED" schedule gen:chain --platform
refused 2 "--json takes no value" "$TGSCHED" schedule gen:chain --json=yes
refused 2 "takes a whole number" "$TGSCHED" gen chain --seed -1
refused 2 "takes a whole number of at least 1" "$TGSCHED" run gen:chain --steps 0
refused 2 "takes a whole number of at least 1" "$TGSCHED" run gen:chain --steps 99999999999
refused 2 "takes a number" "$TGSCHED" lower data/onnx/mlp.onnx --train --lr fast
refused 2 "takes a number" "$TGSCHED" lower data/onnx/mlp.onnx --train --lr nan
refused 2 "schedule needs GRAPH" "$TGSCHED" schedule
refused 2 "unexpected argument 'b'" "$TGSCHED" schedule a b
refused 2 "FORMAT=FILE" "$TGSCHED" schedule gen:chain -m cpu:1 --report html
refused 2 "exclude each other" "$TGSCHED" schedule gen:chain -m cpu:1 -a heft -s x.tgs
refused 2 "training options are for models" "$TGSCHED" schedule gen:chain -m cpu:1 --train
refused 2 "need --train" "$TGSCHED" lower data/onnx/mlp.onnx --lr 0.1
refused 2 "no kind 'heuristics'; did you mean 'heuristic'" "$TGSCHED" list heuristics
refused 2 "no heuristic 'xyzzy'" "$TGSCHED" list heuristic xyzzy
refused 2 "starpu:NAME" "$TGSCHED" run gen:chain --policy dmda
refused 2 "makespan, bytes, peak or time" "$TGSCHED" compare gen:chain -m cpu:1 --sort size
refused 2 "an empty name" "$TGSCHED" compare gen:chain -m cpu:1 -a heft,,peft

# options may stand anywhere, in any spelling; -- ends them
run 0 "$TGSCHED" gen --seed=7 chain -o a.tg
run 0 "$TGSCHED" gen chain --seed 7 --output=b.tg
run 0 "$TGSCHED" gen -ob2.tg -- chain
cmp -s a.tg b.tg || fail 'the same options give different files'
run 0 "$TGSCHED" list; cp out plain
run 0 "$TGSCHED" list reader; shows '^reader *tg '
run 0 "$TGSCHED" list heuristic heft; shows '^heuristic heft: '; shows '^Source: '
run 0 "$TGSCHED" list --json; json out list
run 0 "$TGSCHED" list --csv; shows '^kind,name,summary,citation$'

# nothing but text, on a pipe
NO_COLOR= run 0 "$TGSCHED" list
cmp -s out plain || fail 'output depends on NO_COLOR on a pipe'
grep -q "$(printf '\033')" out && fail 'escape codes on a pipe'
finish
