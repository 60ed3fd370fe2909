#!/bin/bash
# headers.sh -- each installed header compiles alone, as strict C11 and as C++17.
set -e
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for h in $(cd "$TGS_SRCDIR/include" && ls tgsched.h tgsched/*.h | grep -v tgsched_starpu.h); do # that one needs StarPU
  printf '#include "%s"\nint main(void) { return 0; }\n' "$h" > "$scratch/t.c"
  cp "$scratch/t.c" "$scratch/t.cc"
  ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$TGS_SRCDIR/include" -c -o "$scratch/t.o" "$scratch/t.c"
  ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -I"$TGS_SRCDIR/include" -c -o "$scratch/t.o" "$scratch/t.cc"
done
