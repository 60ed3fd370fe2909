#!/bin/sh
# mkpage.sh NAME HEADER PAGE SCRIPT... -- print a C array NAME, which HEADER declares, of the lines
# of PAGE, with the scripts for @CODE@.
name=$1 header=$2 page=$3; shift 3
echo "/* Generated from $page and its scripts; do not edit. */"
echo "#include \"$header\""
echo "const char *const $name[] = {"
while IFS= read -r line; do
  if [ "$line" = @CODE@ ]; then cat "$@"; else printf '%s\n' "$line"; fi
done < "$page" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$/\\n",/'
echo '    NULL,'
echo '};'
