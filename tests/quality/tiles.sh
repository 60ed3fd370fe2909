#!/bin/bash
# tiles.sh -- tiled factorisations on machines that StarPU has measured: the ratio of each heuristic to
# the best bound, as CSV.  Needs ../shared/data/starpu-perfmodels beside the sources; takes minutes.
set -u
: "${TGSCHED:?run me through make quality}" "${TGS_SRCDIR:?}"
models=$TGS_SRCDIR/../shared/data/starpu-perfmodels
heuristics=heft,peft,heteroprio,backward,ils:evals=1000000,tabu:evals=2000000
heuristics+=,backward:of=ils/evals=1000000,backward:of=tabu/evals=2000000
[ -d "$models" ] || { echo "no $models" >&2; exit 77; }
echo 'machine,graph,heuristic,makespan_s,lower_bound_s,ratio'
for machine in mirage sirocco attila; do
  for kind in cholesky lu; do
    for n in 10 15 20 25 30; do
      "$TGSCHED" compare "gen:$kind:n=$n:tile=960:dtype=f32:rate=0" -m "starpu:$models/$machine" -a "$heuristics" --csv |
        awk -F, -v machine=$machine -v graph=$kind-$n '
          NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
          { printf "%s,%s,%s,%.6g,%.6g,%.4f\n", machine, graph, $at["heuristic"], $at["makespan_s"], $at["lower_bound_s"], $at["ratio"] }' || exit 1
    done
  done
done
