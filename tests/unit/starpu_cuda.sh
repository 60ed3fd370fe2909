#!/bin/sh
# starpu_cuda.sh -- the module's CUDA branch compiles, warning-free, against this StarPU's headers:
# types and fields are right even where StarPU itself was built without CUDA.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
cuda=${nvcc%/bin/nvcc}/include
[ -f "$cuda/cuda_runtime.h" ] || { echo "no CUDA headers"; exit 77; }
flags=$(pkg-config --cflags starpu-1.4 2>/dev/null || pkg-config --cflags starpu-1.3 2>/dev/null) \
  || { echo "no StarPU"; exit 77; }
flags=$(echo "$flags" | sed 's/-I/-isystem /g')
bad=0
for f in "$TGS_SRCDIR"/lib/exec/starpu_*.c; do
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -DSTARPU_USE_CUDA=1 -Wall -Wextra -Werror $flags -isystem "$cuda" \
    -I"$TGS_SRCDIR/include" -I"$TGS_SRCDIR/lib" -fsyntax-only "$f" || bad=1
done
grep -q cudaLaunchHostFunc "$TGS_SRCDIR/lib/exec/starpu_data.c" || { echo "nothing to check"; bad=1; }
exit $bad
