#!/bin/bash
# layers.sh -- who may know whom: every #include is granted by layers.txt, or by the rule that a
# file may use the headers of its own folder.
cd "$TGS_SRCDIR" || exit 1
bad=0 seen=0
std='glob assert ctype dirent dlfcn errno fcntl float getopt inttypes limits locale math poll pthread sched setjmp signal stdarg stdatomic stdbool stddef stdint stdio stdlib string strings time unistd langinfo wchar term spawn'

mapfile -t rule < <(grep -v -e '^#' -e '^$' tests/arch/layers.txt)
granted() { # FILE HEADER
  local file=$1 header=$2 pattern grants g r
  for r in "${rule[@]}"; do
    pattern=${r%%[ ]*} grants=${r#*[ ]}
    # shellcheck disable=SC2254
    case $file in $pattern) ;; *) continue ;; esac
    for g in $grants; do
      [ "$g" = "$header" ] && return 0
      case $g in */) case $header in "$g"*) return 0 ;; esac ;; esac
    done
    return 1
  done
  return 1
}

own_folder() { # FILE HEADER: headers beside the file (plug-ins have none: these are shared cores)
  case $1 in
    lib/check*) return 1 ;; # the oracle has headers of its own only
    */*) case $2 in ../*) return 1 ;; esac ;;&
    heuristics/*|graphs/*|codelets/*|lib/*|tool/*) [ -f "${1%/*}/$2" ] || { [[ $1 == lib/exec/* ]] && [ -f "lib/$2" ]; } ;;
    *) return 1 ;;
  esac
}

while IFS=: read -r file header; do
  case $file in lib/exec/starpu_*|lib/tables.c|lib/page.c|tool/page.c) continue ;; esac # the StarPU module: see below
  seen=$((seen + 1))
  base=${header%.h}
  [[ " $std " == *" $base "* ]] && continue
  case $header in sys/*|netinet/*|cmath|cstdio|cstdint|cstring|cstdlib|climits|cstddef|memory|vector|string|new|exception|stdexcept|map|unordered_map|unordered_set|set|utility|fstream|sstream|algorithm|limits) continue ;; esac
  granted "$file" "$header" || own_folder "$file" "$header" || {
    echo "$file may not include $header"
    bad=1
  }
done < <(grep -rE '^ *# *include *[<"]' --include='*.[ch]' --include='*.cc' --include='*.cu' \
  include lib graphs heuristics codelets tool examples | sed 's/^\([^:]*\):[^<"]*[<"]\([^>"]*\).*/\1:\2/')
# nothing but the StarPU module includes StarPU, nothing but lib/host.c hwloc
for f in $(grep -rlE '# *include *[<"](starpu|hwloc)' include lib graphs heuristics codelets tool examples); do
  case $f in lib/exec/starpu_*|lib/host.c|include/tgsched/tgsched_starpu.h|examples/starpu_*) ;;
  *) echo "$f includes StarPU or hwloc"; bad=1 ;; esac
done
# nothing in the library calls malloc but lib/mem.c; nothing prints or exits
sources() { grep -rnE "$1" --include='*.c' lib graphs heuristics codelets | grep -vE '^lib/(mem|tables|page)\.c:'; }
if sources '(^|[^_a-z.>])(malloc|calloc|realloc|strdup|strndup|asprintf)\('; then echo "allocates by itself"; bad=1; fi
if sources '(^|[^_a-z])(printf|puts|exit|abort|fprintf\(std(out|err),)\(?' \
  | grep -vE '^[^:]*:[0-9]+:.*(\*|//|_exit|"[^"]*(printf|exit|abort))'; then echo "prints or exits"; bad=1; fi
echo "$seen includes looked at"
[ "$seen" -gt 100 ] && [ $bad = 0 ]
