#!/bin/bash
# machines.sh -- the machines that examples/machines.sh prints are platforms of the sizes it says, and whole pipelines and
# replicas are planned on 128 devices of three kinds.
. "$(dirname "$0")/lib.sh"
machine() { # machine "NAME [NODES]" KINDS PROCESSORS MEMORIES
  sh examples/machines.sh $1 > m.tgp 2> err || fail "machines.sh $1: exit $?"
  silent err
  run 0 "$TGSCHED" info m.tgp
  shows "^kinds  *$2$"; shows "^processors  *$3$"; shows "^memories  *$4$"
  [ $3 -gt 200 ] || run 0 "$TGSCHED" schedule gen:cholesky:n=6 -m m.tgp --costs roofline # all is reached from everywhere
}
machine four-kinds 4 16 20 # and the memories of 4 nodes
machine unlike 2 8 10
machine cores 2 18 3
machine 'racks 1' 3 8 10 # a node and its rack
machine 'racks 8' 3 64 73
machine 'racks 16' 3 128 147 # 2 racks and the spine
machine racks 3 1024 1169
for bad in '' tower 'racks 0' 'racks x' 'racks 10000'; do
  sh examples/machines.sh $bad > out 2> err; [ $? = 2 ] || fail "machines.sh $bad: not refused"
  silent out; says '^machines.sh: four-kinds'
done
sh examples/machines.sh racks 16 > racks.tgp
many="zoo:mlp:batch=8 -m racks.tgp -b 1024"
run 0 "$TGSCHED" plan $many -p hetpipe -o s.tgy; shows '^strategy .*replicas 128 '; shows '^simulated step'
# the faster half is replicated: everybody there has as many samples
run 0 "$TGSCHED" plan $many -p poplar -o s.tgy; shows '^strategy .*place h1006.0,'
run 0 "$TGSCHED" simulate zoo:mlp:batch=8 --strategy s.tgy -m racks.tgp --link share
run 0 "$TGSCHED" plan zoo:mlp:batch=8:layers=40 -m racks.tgp -b 1024 -p 1f1b:stages=32 -o s.tgy; shows '^strategy  *pipeline 32 1f1b '
run 0 "$TGSCHED" simulate zoo:mlp:batch=8:layers=40 --strategy s.tgy -m racks.tgp --link share
refused 3 'bytes are missing' "$TGSCHED" plan zoo:gpt2-xl:batch=1 -m racks.tgp -p 1f1b:stages=1 --limit-memory "$(sed -n 's/^memory \([vah]1[^ ]*\) .*/\1=1GB/p' racks.tgp | paste -sd,)"
# a table of names that are no ASCII, or no text at all, comes to its end
printf 'tgsched.platform/1\nkind cpu\nmemory n%%C3%%B6\nmemory q%%FFx\nmemory z%%C2%%85\nprocessor p kind=cpu memory=q%%FFx\n' > names.tgp
for locale in C C.UTF-8; do
  LC_ALL=$locale timeout 60 "$TGSCHED" info names.tgp > out 2> err || fail "names.tgp in $locale: exit $?"
  grep -q 'q?x *unlimited' out || fail "names.tgp in $locale: no memory"
done
finish
