#!/bin/bash
# tilebounds_rows.sh -- tilebounds.csv says what its numbers say, and the rows of small graphs are made
# again: the bounds that prove a target out of reach must be what the library computes.
set -u
rows=$TGS_SRCDIR/tests/quality/tilebounds.csv
awk -F, '
  NR > 1 {
    if ($7 < $5 * (1 - 1e-5)) { print "a makespan below a bound: " $0; bad = 1 }
    if ($5 < $3 * (1 - 1e-5)) { print "the largest bound is not: " $0; bad = 1 }
    verdict = $7 <= 1.05 * $3 ? "within" : $5 > 1.05 * $3 ? "impossible" : $7 <= 1.05 * $5 ? "near" : "open"
    if (verdict != $11) { print "not " verdict ": " $0; bad = 1 }
    count++
  }
  END { if (count != 30) { print count " rows, not 30"; bad = 1 } exit bad }' "$rows" || exit 1
[ -d "$TGS_SRCDIR/../shared/data/starpu-perfmodels" ] || { echo "skipped: no shared/data"; exit 77; }
"$TGSCHED" bound gen:chain:n=3 -m cpu:2 --json | grep -q '"bound": "mixed", "lower_bound_s"' ||
  { echo "skipped: built without CBC"; exit 77; }
for row in "mirage cholesky 10" "sirocco cholesky 20" "attila lu 15"; do
  made=$("$TGS_SRCDIR/tests/quality/tilebounds.sh" $row) || exit 1
  kept=$(grep "^${row%% *},$(set -- $row; echo "$2-$3")," "$rows")
  printf '%s\n%s\n' "$made" "$kept" | awk -F, '
    { for (i = 1; i <= NF; i++) of[NR, i] = $i; fields = NF }
    END {
      for (i = 1; i <= fields; i++) {
        d = of[1, i] - of[2, i]; size = of[2, i] < 0 ? -of[2, i] : of[2, i]
        if (i == 3 || i == 5 || (i >= 7 && i <= 10) ? d > 1e-3 * size || -d > 1e-3 * size : of[1, i] != of[2, i]) exit 1
      }
    }' || { printf 'made %s\nkept %s\n' "$made" "$kept"; exit 1; }
done
