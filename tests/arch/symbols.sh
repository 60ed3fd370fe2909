#!/bin/bash
# symbols.sh -- what the library exports is declared in an installed header, or is tgs_i_ or a
# plug-in descriptor; and what the headers declare is there.
lib=$(ls "$TGS_BUILDDIR"/.libs/libtgsched.so.*.*.* | head -n 1)
headers=$(ls "$TGS_SRCDIR"/include/tgsched.h "$TGS_SRCDIR"/include/tgsched/*.h)
# tgsched.h and the parts that it includes
user=$(cd "$TGS_SRCDIR/include" && echo tgsched.h $(sed -n 's,^#include "\(tgsched/.*\)".*,\1,p' tgsched.h))
[ -n "$lib" ] || { echo "no library"; exit 1; }
bad=0
exported=$(nm -D --defined-only "$lib" | awk '{print $3}' | grep '^tgs_')
nm -D --defined-only "$lib" | awk '{print $3}' | grep -v '^tgs_' && { echo "exported without prefix"; bad=1; }
for s in $exported; do
  case $s in
    tgs_i_*|tgs_reader_*|tgs_writer_*|tgs_generator_*|tgs_operator_*|tgs_transform_*|tgs_zoo_*|tgs_heuristic_*|tgs_bound_*|tgs_link_model_*|tgs_cost_model_*|tgs_kernel_*|tgs_backend_*|tgs_report_*|tgs_cuda_*|tgs_planner_*) continue ;;
  esac
  grep -qE "(^|[^a-z_])$s\(" $headers || { echo "$s is exported but in no header"; bad=1; }
done
for s in $(cd "$TGS_SRCDIR/include" && sed 's,/\*.*\*/,,' $user | grep -oE '\btgs_[a-z_0-9]+\(' | tr -d '('  | sort -u); do
  printf '%s\n' "$exported" | grep -qx "$s" || { echo "$s is declared but not there"; bad=1; }
done
echo "$(printf '%s\n' "$exported" | wc -l) symbols"
exit $bad
