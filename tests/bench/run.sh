#!/bin/sh
# run.sh CASE [PROGRAM...] -- the benches, all or one; rows go to stdout and to history.csv.
case=$1; shift
history=$TGS_SRCDIR/tests/bench/history.csv
rows=$(for program in tests/bench/bench "$@"; do ./"$program" $case || exit 1; done) || exit 1
printf '%s\n' "$rows"
[ -w "$history" ] || exit 0
day=$(date -u +%Y-%m-%d)
printf '%s\n' "$rows" | sed "s/^/$day,/" >> "$history"
