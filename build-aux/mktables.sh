#!/bin/sh
# mktables.sh KIND:TYPE file... [: KIND:TYPE file...] -- print the plug-in tables.
# dir/fj-prefix.c of kind "heuristic" must define tgs_heuristic_fj_prefix; a wrong name is a link
# error.  The order is that of the lists.
echo '/* Generated from the Makefile.inc lists; do not edit. */'
echo '#include "internal.h"'
echo '#include "tgsched/planner.h"' # and all that it names
kind= names= kinds=
flush() {
  [ -n "$kind" ] || return 0
  k=${kind%%:*} t=${kind#*:}
  kinds="$kinds $k"
  for n in $names; do echo "extern const $t tgs_${k}_$n;"; done
  echo "static const tgs_plugin *const ${k}_table[] = {"
  for n in $names; do echo "    &tgs_${k}_$n.base,"; done
  echo '    NULL,'; echo '};'
}
for a; do
  case $a in
    :) flush; kind= names= ;;
    *:*) kind=$a ;;
    *) n=${a##*/}; n=${n%%.*}; names="$names $(printf %s "$n" | tr - _)" ;;
  esac
done
flush
echo 'const tgs_i_kind tgs_i_kinds[] = {'
for k in $kinds; do echo "    {\"$k\", ${k}_table},"; done
echo '    {NULL, NULL},'
echo '};'
