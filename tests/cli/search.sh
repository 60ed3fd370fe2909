#!/bin/bash
# search.sh -- searches and portfolios find the same schedule whatever the number of threads.
. "$(dirname "$0")/lib.sh"

LINK=latbw
same() { # same HEURISTIC
  for threads in 1 2 5; do
    OMP_NUM_THREADS=$threads "$TGSCHED" schedule 'gen:layered:n=60:width=8:ccr=1:bandwidth=4' \
      -m 'cpu:3 gpu:2/own link:4,2' --link "$LINK" -a "$1" --seed 7 -o plan.$threads.tgs >figures.$threads || fail "$1, $threads threads"
    cmp plan.1.tgs plan.$threads.tgs || fail "$1: another schedule with $threads threads"
    cmp figures.1 figures.$threads || fail "$1: other figures with $threads threads"
  done
}
same ils:evals=6000:chains=5
same sa:evals=6000:chains=3
same tabu:evals=6000:chains=4
same ga:evals=3000:chains=4
same portfolio:evals=3000
LINK=fifo
same ils:evals=3000:chains=5
same ga:evals=300:chains=3
exit $failed
