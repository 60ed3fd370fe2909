#!/bin/bash
# format.sh -- .clang-format is the form of every source file; the installed headers, which are set
# as tables for readers, only keep to 100 columns.
cd "$TGS_SRCDIR" || exit 1
bad=$(find include lib graphs heuristics codelets tool examples -name '*.[ch]' ! -name tables.c ! -name page.c |
  xargs awk 'length > 100 { print FILENAME ":" FNR ": over 100 columns" }')
[ -z "$bad" ] || { echo "$bad"; exit 1; }
clang-format --version 2>/dev/null | grep -q 'version 14' || { echo "no clang-format 14"; exit 77; }
find lib graphs heuristics codelets tool examples tests -name '*.[ch]' ! -path 'tests/data/*' ! -name tables.c ! -name page.c |
  xargs -n 40 clang-format --dry-run -Werror
