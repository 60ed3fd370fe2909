#!/bin/sh
# mkpage.sh PAGE SCRIPT... -- print a C array of the lines of PAGE, with the scripts for @CODE@.
page=$1; shift
echo '/* Generated from lib/report/page.html and its scripts; do not edit. */'
echo '#include "report/core.h"'
echo 'const char *const tgs_i_report_page[] = {'
while IFS= read -r line; do
  if [ "$line" = @CODE@ ]; then cat "$@"; else printf '%s\n' "$line"; fi
done < "$page" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$/\\n",/'
echo '    NULL,'
echo '};'
