#!/bin/bash
# man.sh -- every example of every man page, and of README.md, works and prints what the page says.
# In .EX blocks a line "$ COMMAND" is run; the lines after it are what it must print, where a line "..."
# stands for any lines and "..." in a line for any text.  A block that begins with /* NAME.c is a file.
. "$(dirname "$0")/lib.sh"
export LD_LIBRARY_PATH=$TGS_BUILDDIR/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
make_value() { sed -n "s/^$1 = //p" "$TGS_BUILDDIR/Makefile" | head -1; }
tgsched() { "$TGSCHED" "$@"; }
cc() { $(make_value CC) $(make_value CFLAGS) "$@"; }
pkg-config() { # of a library that is not installed
  case " $* " in *' --cflags '*) printf ' -I%s/include' "$TGS_SRCDIR" ;; esac
  case " $* " in *' --libs '*) printf ' -L%s/.libs -ltgsched' "$TGS_BUILDDIR" ;; esac
}

# the words of the lines, so that columns may move
matches() { # matches EXPECTED OUTPUT
  awk 'function words(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
    function fits(s, pattern,   n, part, i, at) {
      n = split(pattern, part, /\.\.\./); if (n == 1) return s == pattern
      if (substr(s, 1, length(part[1])) != part[1]) return 0
      s = substr(s, length(part[1]) + 1)
      for (i = 2; i <= n; i++) { if (part[i] == "") continue; at = index(s, words(part[i])); if (!at) return 0; s = substr(s, at + length(words(part[i]))) }
      return part[n] == "" || s == "" }
    NR == FNR { want[++wants] = words($0); next }
    { got[++gots] = words($0) }
    END { i = 1; any = 0
      for (j = 1; j <= gots; j++) {
        while (i <= wants && want[i] == "...") { any = 1; i++ }
        if (i <= wants && fits(got[j], want[i])) { i++; any = 0 }
        else if (!any) { print "printed: " got[j]; print "the page: " (i <= wants ? want[i] : "(nothing more)"); exit 1 } }
      while (i <= wants && want[i] == "...") i++
      if (i <= wants) { print "not printed: " want[i]; exit 1 } }' "$1" "$2"
}
run_command() { # with ./expected
  examples=$((examples + 1))
  eval "$command" >out 2>err || { fail "$page: exit $?: $command"; head -3 err; }
  [ ! -s expected ] || matches expected out || fail "$page: output of: $command"
}
end_of_command() { [ -n "$command" ] && run_command; command=; : > expected; }

examples=0
# README.md's ```console blocks, as a page
sed -e 's/^```console$/.EX/' -e 's/^```$/.EE/' "$TGS_SRCDIR/README.md" > README
for page in "$TGS_SRCDIR"/man/*.[1-9] README; do
  case $page in *-model.5) tgsched list reader | grep -q onnx || { echo "no ONNX here: $page skipped"; continue; } ;; esac
  block= command= file=; : > expected
  while IFS= read -r line; do
    case $line in
      .EX) block=first command= file= ;;
      .EE) end_of_command; block= file= ;;
      *) [ -n "$block" ] || continue
        line=$(printf '%s\n' "$line" | sed -e 's/\\&//g' -e 's/\\-/-/g' -e 's/\\(dq/"/g' -e "s/\\\\(aq/'/g" -e 's/\\e/\\/g')
        if [ $block = first ]; then
          block=more
          case $line in '/* '*.c*) file=${line#/\* }; file=${file%%.c*}.c; : > "$file" ;; esac
        fi
        case $line in
          '$ '*) end_of_command; command=${line#\$ } ;;
          *) if [ -n "$file" ]; then printf '%s\n' "$line" >> "$file"
             elif [ -n "$command" ]; then printf '%s\n' "$line" >> expected; fi ;;
        esac ;;
    esac
  done < "$page"
done
# the page of the API names every public function, and none that is not there
declared=$(cd "$TGS_SRCDIR/include" && grep -ohE '\btgs_[a-z0-9_]+\(' tgsched.h $(sed -n 's,^#include "\(tgsched/.*\)".*,\1,p' tgsched.h) | tr -d '(' | sort -u)
named=$(grep -oE '^\.(BR|RB)( \()? ?tgs_[a-z0-9_]+ \(\)' "$TGS_SRCDIR/man/tgsched.3" | grep -oE 'tgs_[a-z0-9_]+' | sort -u)
for f in $declared; do [[ " $(echo $named) " == *" $f "* ]] || fail "tgsched(3) lacks $f"; done
for f in $named; do [[ " $(echo $declared) " == *" $f "* ]] || fail "tgsched(3) names $f, which is not in the header"; done
for page in "$TGS_SRCDIR"/man/*.[1-9]; do
  command -v man >/dev/null && MANWIDTH=110 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>warnings >/dev/null
  [ ! -s warnings ] || { fail "$page"; head -3 warnings; }
done
[ $examples -ge 10 ] || fail "only $examples examples found"
echo "$examples examples"
finish
