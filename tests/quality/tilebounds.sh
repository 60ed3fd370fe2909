#!/bin/bash
# tilebounds.sh -- how far the best schedules of tiles.csv can be from the best there are, as CSV: the
# mixed bound (of work and chains alone), the largest bound, the best makespan of tiles.csv, and what
# follows for "the best schedule is within 5 % of the mixed bound":
#
#     within      it is
#     impossible  no schedule is: the largest bound is more than 5 % above the mixed bound
#     near        within 5 % of the largest bound, and so of the optimum, though not of the mixed bound
#     open        neither is known
#
# Needs ../shared/data/starpu-perfmodels beside the sources.  With arguments MACHINE KIND N only that row.
set -u
: "${TGSCHED:?run me through make quality-tilebounds}" "${TGS_SRCDIR:?}"
models=$TGS_SRCDIR/../shared/data/starpu-perfmodels
[ -d "$models" ] || { echo "no $models" >&2; exit 77; }

row()
{
  local bounds best
  bounds=$("$TGSCHED" bound "gen:$2:n=$3:tile=960:dtype=f32:rate=0" -m "starpu:$models/$1" --json) || return
  best=$(awk -F, -v machine="$1" -v graph="$2-$3" '
    $1 == machine && $2 == graph && (!best || $4 < best) { best = $4; name = $3 }
    END { print best "," name }' "$TGS_SRCDIR/tests/quality/tiles.csv")
  printf '%s\n' "$bounds" | awk -v row="$1,$2-$3" -v best="$best" '
    function value(key) { return match($0, "\"" key "\": [^,}]*") ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) : "" }
    NR == 1 { largest = value("lower_bound_s"); name = value("lower_bound"); gsub(/"/, "", name) }
    /"bound": "mixed",/ { mixed = value("lower_bound_s") }
    END {
      if (mixed == "") { print "no mixed bound for " row >"/dev/stderr"; exit 1 }
      split(best, of, ",")
      verdict = of[1] <= 1.05 * mixed ? "within" : largest > 1.05 * mixed ? "impossible" : of[1] <= 1.05 * largest ? "near" : "open"
      printf "%s,%.6g,%s,%.6g,%s,%.6g,%.4f,%.4f,%.4f,%s\n", row, mixed, name, largest, of[2], of[1],
             of[1] / mixed, of[1] / largest, largest / mixed, verdict
    }'
}

if [ $# -eq 3 ]; then
  row "$@"
  exit
fi
echo 'machine,graph,mixed_s,bound,bound_s,heuristic,makespan_s,to_mixed,to_bound,bound_to_mixed,verdict'
for machine in mirage sirocco attila; do
  for kind in cholesky lu; do
    for n in 10 15 20 25 30; do
      row $machine $kind $n || exit 1
    done
  done
done
