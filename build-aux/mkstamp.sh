#!/bin/sh
# mkstamp.sh NAME VERSION HEADER... -- print a C string NAME that differs when the version or any of
# the headers does: what the library and its modules tell each other builds apart by.
name=$1 version=$2; shift 2
sum=$(cat "$@" | cksum) || exit 1
echo '/* Generated from the headers that the library and its modules share; do not edit. */'
printf 'extern const char %s[];\n' "$name"
printf 'const char %s[] = "%s-%s";\n' "$name" "$version" "$(echo $sum | tr ' ' -)"
