#!/bin/bash
# listed.sh -- every source file is named in a Makefile.inc, and every plug-in in a table once.
cd "$TGS_SRCDIR" || exit 1
bad=0
lists=$(cat Makefile.am $(find . -name Makefile.inc -not -path './build/*'))
for f in $(find lib graphs heuristics codelets tool examples -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cl'); do
  case $f in lib/tables.c|lib/page.c|tool/page.c) continue ;; esac
  case $lists in *"$f"*) ;; *) [[ "$lists" == *"${f%.c}"* && $f == examples/* ]] || { echo "$f is in no Makefile.inc"; bad=1; } ;; esac
done
for kind in READERS WRITERS GENERATORS OPERATORS ZOO TRANSFORMS HEURISTICS PLANNERS BOUNDS LINK_MODELS COST_MODELS REPORTS BACKENDS; do
  names=$(printf '%s\n' "$lists" | sed -n "s/^$kind *+= *\([^#]*\).*/\1/p" | tr ' ' '\n' | sed '/^$/d')
  twice=$(printf '%s\n' $names | sort | uniq -d)
  [ -z "$twice" ] || { echo "$kind lists twice: $twice"; bad=1; }
done
# MODULE_INTERFACE holds what modules include of ours, and what that includes: the stamp covers it
headers=$(printf '%s\n' "$lists" | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' \
  | sed -n -e 's/^MODULE_INTERFACE *=//p' -e 's/^\(pkg\)\{0,1\}include_HEADERS *+\{0,1\}=//p')
for f in lib/lpmodule.cc lib/partmetis.c lib/exec/starpu_*.[ch] graphs/model/*.cc graphs/model/onnx.h $headers; do
  [ -f "$f" ] || continue
  for h in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$f"); do
    for g in "include/$h" "lib/$h"; do
      [ -f "$g" ] && case " "$headers" " in *"$g"*) ;; *) echo "$g, which $f includes, is not in MODULE_INTERFACE"; bad=1 ;; esac
    done
  done
done
long=$(find include lib graphs heuristics codelets tool examples -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' | xargs wc -l | awk '$2 != "total" && $2 !~ /^(lib|tool)\/(tables|page)\.c$/ && $1 > 400')
[ -z "$long" ] || { echo "over 400 lines:"; echo "$long"; bad=1; }
exit $bad
