# lib.sh -- sourced by the tests of the command: a scratch folder, and checks that name what failed.
set -u
: "${TGSCHED:?run me through make check}" "${TGS_SRCDIR:?}"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cp -R "$TGS_SRCDIR/examples" "$TGS_SRCDIR/tests/data" . && chmod -R u+w . || exit 1
mkdir tests && ln -s ../data tests/data # the pages name files as a clone has them
failed=0
fail() { echo "FAIL: $*"; failed=1; }
# run CODE COMMAND...: the exit code must be CODE; leaves ./out and ./err
run() {
  local want=$1 got; shift
  "$@" >out 2>err; got=$?
  [ "$got" = "$want" ] || { fail "exit $got, not $want: $*"; head -5 err; }
}
# misuse and failures speak on stderr only, one line that begins with the program's name
says() { grep -q -- "$1" err || { fail "stderr lacks '$1'"; head -5 err; }; }
shows() { grep -q -- "$1" out || { fail "stdout lacks '$1'"; head -5 out; }; }
silent() { [ -s "$1" ] && { fail "$1 is not empty after: $last"; head -3 "$1"; }; return 0; }
refused() { # refused CODE WHAT COMMAND...
  local code=$1 what=$2; shift 2; last="$*"
  run "$code" "$@"; says "$what"; silent out
  head -1 err | grep -q '^tgsched: ' || fail "stderr does not begin with 'tgsched: ': $*"
}
json() { # the file is JSON, no object has a key twice, and it begins with its format
  command -v python3 >/dev/null || return 0
  python3 -c 'import json, sys
def once(pairs):
    assert len(dict(pairs)) == len(pairs), "a key twice"
json.load(open(sys.argv[1]), object_pairs_hook=once)' "$1" || fail "$1 is not JSON, or has a key twice"
  [ -z "${2-}" ] || head -c 60 "$1" | grep -q "^{\"format\": \"tgsched.$2/1\"" || fail "$1 is not tgsched.$2/1"
}
value() { # value FILE KEY: of the top level of a JSON object
  python3 -c 'import json,sys; v=json.load(open(sys.argv[1])); print(v.get(sys.argv[2], "absent"))' "$1" "$2"
}
only() { # the scratch folder's folder $1 holds exactly these names
  local there; there=$(cd "$1" && ls -A | tr '\n' ' '); shift
  [ "$there" = "${*:+$* }" ] || fail "left behind: '$there', expected '$*'"
}
finish() { [ $failed = 0 ] && echo ok; exit $failed; }
