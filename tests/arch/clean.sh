#!/bin/bash
# clean.sh -- the repository speaks of tgsched alone: no path of one machine, no registry's host.
cd "$TGS_SRCDIR" || exit 1
git rev-parse >/dev/null 2>&1 || { echo "not a git checkout"; exit 77; }
if git ls-files | xargs grep -nIE '(^|[^A-Za-z0-9_.-])/(work|root|home)/|https?://[a-z.]*(debian|pypi|npmjs)[a-z.]*/(debian|simple|packages|-/)' -- ; then
  exit 1
fi
