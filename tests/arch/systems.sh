#!/bin/bash
# systems.sh -- every published system of tool/systems.def has its check, and every check has tests that make check runs: the
# rows of systems.txt name programs that a Makefile.inc lists, which say the check's id and run the tests.
cd "$TGS_SRCDIR" || exit 1
bad=0
complain() { echo "systems.txt: $*"; bad=1; }
lists=$(cat $(find tests -name Makefile.inc))
listed() { grep -Eq "^(C_TESTS|SCRIPT_TESTS) *\+= *(.* )?$1( |\$)" <<< "$lists"; }
while read -r id check file tests; do
  case $id in ''|'#') continue ;; esac
  [ -f "$file" ] || { complain "$id: there is no $file"; continue; }
  listed "${file%.c}" || complain "$id: $file is in no Makefile.inc"
  grep -Eq "(^|[^A-Za-z0-9])${check,}_|(^|[^A-Za-z0-9_])$check([^A-Za-z0-9_]|\$)" "$file" || complain "$id: $file does not say $check"
  case $file in *.c) [ -n "$tests" ] || complain "$id: no test in $file" ;; *) [ -z "$tests" ] || complain "$id: $file has no tests to name" ;; esac
  for test in $tests; do
    grep -q "cmocka_unit_test($test)" "$file" || complain "$id: $file does not run $test"
  done
done < tests/arch/systems.txt
rows() { sed 's/#.*//; /^ *$/d' tests/arch/systems.txt; }
systems=$(sed -n 's/^SYSTEM("\([^"]*\)".*/\1/p' tool/systems.def)
[ "$(rows | awk '{ print $1 }' | uniq)" = "$systems" ] || complain 'not every system of tool/systems.def, in its order'
[ "$(rows | awk '{ print $1, $2 }' | sort -u | wc -l)" = "$(wc -w <<< "$systems")" ] || complain 'not one check for each system'
for check in P{0,1} P{3..21} Q{0..20}; do
  rows | grep -q " $check " || complain "no row for $check"
done
exit $bad
