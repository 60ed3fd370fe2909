#!/bin/bash
# examples.sh -- every example program runs and does what it says.
set -u
bad=0
want() { # PROGRAM PATTERN...
  local program=$1 output
  shift
  output=$("$TGS_BUILDDIR/examples/$program" 2>&1)
  local rc=$?
  [ $rc = 0 ] || { echo "$program: exit $rc"; bad=1; }
  for pattern; do
    printf '%s\n' "$output" | grep -qE -- "$pattern" || { echo "$program does not print: $pattern"; bad=1; }
  done
  [ $bad = 0 ] || printf '%s\n' "$output"
}

want hello '^makespan 1\.25 s$' '^gemm on gpu0 from 0\.25 to 1\.25 s$'
want own_codelet '^backend (starpu|serial)$' 'was busy for' '^largest deviation .*: right$'
want train_mlp '^step +1  loss 0\.[67]' '^step 200  loss 0\.[012]' '^the loss fell from'

losses=$("$TGS_BUILDDIR/examples/train_mlp" | grep -c '^step')
[ "$losses" = 11 ] || { echo "train_mlp printed $losses losses, not 11"; bad=1; }
if "$TGS_BUILDDIR/examples/train_mlp" nothing 2> /dev/null; then echo "train_mlp took a backend that is none"; bad=1; fi
exit $bad
