#!/bin/bash
# locale.sh -- a program that has set a locale with a decimal comma reads and writes the same files.
. "$(dirname "$0")/lib.sh"
command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>/dev/null
[ -d "$scratch/de_DE.UTF-8" ] || { echo "no locale with a decimal comma can be made here"; exit 77; }
make_value() { sed -n "s/^$1 = //p" "$TGS_BUILDDIR/Makefile" | head -1; }
cat > t.c <<'C'
#include <locale.h>
#include <tgsched.h>
int main(int argc, char **argv)
{
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_error err = {TGS_OK, ""};

    if (argc > 1 && !setlocale(LC_ALL, "de_DE.UTF-8"))
        return 77;
    if (argc > 1 && strtod("0,5", NULL) != 0.5)
        return 78;
    if (tgs_graph_generate(&g, "layered:n=50:ccr=0.7", 3, &err)
        || tgs_graph_write(g, "g.tg", NULL, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    tgs_graph_free(g);
    if (tgs_graph_read(&g, "g.tg", NULL, &err)
        || tgs_platform_parse(&p, "cpu:2x1.5 gpu:1x2.5@0.25 link:1.5e9,1.25e-5", &err)
        || tgs_platform_write(p, "p.tgp", &err) || tgs_problem_new(&pb, g, p, NULL, NULL, &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err) || tgs_schedule_write(s, pb, "s.tgs", &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return 0;
}
C
sed -i 's/#include <locale.h>/#include <locale.h>\n#include <stdlib.h>/' t.c
$(make_value CC) $(make_value CFLAGS) -I"$TGS_SRCDIR/include" -o t t.c -L"$TGS_BUILDDIR/.libs" -ltgsched || exit 1
export LD_LIBRARY_PATH=$TGS_BUILDDIR/.libs LOCPATH=$scratch
mkdir plain comma
(cd plain && run 0 ../t) || exit 1
(cd comma && ../t comma); code=$?
[ $code = 77 ] && { echo "the locale cannot be used here"; exit 77; }
[ $code = 0 ] || fail "exit $code in de_DE"
for f in g.tg p.tgp s.tgs; do cmp -s plain/$f comma/$f || fail "$f differs"; done
finish
