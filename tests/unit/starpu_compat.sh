#!/bin/sh
# starpu_compat.sh -- what configure finds of StarPU's API decides what is compiled: stand-ins for the
# declarations of 1.3 and of 1.4 that differ, each right with its macros and wrong with the other's.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cat > "$dir/use.c" <<'END'
#include STAND_IN
#include "exec/starpu_compat.h"
static void with(void *handle, spu_home home, void *interface) { (void)handle; (void)home; (void)interface; }
void use(struct starpu_conf *c);
void use(struct starpu_conf *c)
{
    struct starpu_data_interface_ops o = {.register_data_handle = with};

    (void)o;
    spu_conf_no_others(c);
}
END
cat > "$dir/one3.h" <<'END'
struct starpu_conf { int ncpus, nmic, nmpi_ms; };
struct starpu_data_interface_ops { void (*register_data_handle)(void *, unsigned, void *); };
END
cat > "$dir/one4.h" <<'END'
struct starpu_conf { int ncpus, nmpi_ms, ntcpip_ms; };
struct starpu_data_interface_ops { void (*register_data_handle)(void *, int, void *); };
END
one4="-DTGS_STARPU_NO_NMIC -DTGS_STARPU_INT_HOME"
compile() { # compile HEADER FLAGS...
  header=$1; shift
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$TGS_SRCDIR/lib" "-DSTAND_IN=\"$dir/$header\"" "$@" \
    -fsyntax-only "$dir/use.c" 2>"$dir/said"
}
bad=0
compile one3.h || { echo "1.3 does not compile:"; cat "$dir/said"; bad=1; }
compile one4.h $one4 || { echo "1.4 does not compile:"; cat "$dir/said"; bad=1; }
compile one4.h && { echo "1.4 compiles as 1.3: the stand-ins do not differ"; bad=1; }
compile one3.h $one4 && { echo "1.3 compiles as 1.4: the stand-ins do not differ"; bad=1; }
exit $bad
