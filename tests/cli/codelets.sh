#!/bin/bash
# codelets.sh -- tgsched-codelets(7) has every codelet with its buffers and attributes, and says
# which there are on OpenCL and CUDA.
set -u
page=$TGS_SRCDIR/man/tgsched-codelets.7
bad=0 seen=0
for file in "$TGS_SRCDIR"/codelets/cpu/*.c; do
  name=$(basename "$file" .c)
  grep -q "tgs_kernel_cpu_$name = " "$file" || continue # no codelet: a library behind some
  seen=$((seen + 1))
  buffers=$(sed -n 's/^ *\.buffers = "\(.*\)",$/\1/p' "$file")
  attrs=$(sed -n 's/^ *\.attrs = "\(.*\)",$/\1/p' "$file")
  attrs=${attrs/kernel strides pads dilations/window}
  row="$name	$buffers${attrs:+	$attrs}"
  grep -qxF -- "$row" "$page" || { echo "tgsched-codelets(7) lacks: $row"; bad=1; }
done
rows=$(sed -n '/^\.TS/,/^\.TE/p' "$page" | grep -c '	[RW]')
[ "$rows" = "$seen" ] || { echo "tgsched-codelets(7) has $rows rows for $seen codelets"; bad=1; }

# the sentences about the other architectures
said=$(sed -n '/^\.SS Architectures/,/^\.SH/p' "$page" | tr -c 'a-z_' '\n' | sort -u)
for file in "$TGS_SRCDIR"/codelets/cuda/*.c; do
  name=$(basename "$file" .c)
  grep -q "tgs_kernel_cuda_$name = " "$file" || continue
  printf '%s\n' "$said" | grep -qx "$name" || { echo "tgsched-codelets(7) does not say that CUDA has $name"; bad=1; }
done
echo "$seen codelets"
[ "$seen" -ge 30 ] && exit $bad
exit 1
