#!/bin/bash
# costs.sh -- measured costs: shown, made one, edited, refused.
. "$(dirname "$0")/lib.sh"

cat > a.tgc <<'END'
tgsched.costs/1
# measured yesterday
link from=ram to=gpu0.mem latency=1e-5 bandwidth=1e10 misfit=0.25 count=9 rejected=1
overhead kind=cpu task=1e-6 access=1e-7 handover=2e-6 start=3e-5 count=3
sample codelet=gemm attrs="transB=1" kind=cpu flops=1e6 bytes=1e5 min=0.001 median=0.002 spread=0.0001 count=3
END
cat > b.tgc <<'END'
tgsched.costs/1
sample codelet=gemm attrs="transB=1" kind=cpu flops=1e6 bytes=1e5 median=0.006 count=1 rejected=2
sample codelet=relu kind=cpu bytes=4096 median=1e-5
END

run 0 "$TGSCHED" costs a.tgc
shows '^codelets$'; shows '^gemm *transB=1 *f32 *cpu .* 2 ms '; shows '^ram *gpu0.mem *10 us '
shows '^cpu *1 us *100 ns *2 us *30 us '
run 0 "$TGSCHED" costs a.tgc b.tgc --json; json out costs
python3 - <<'PY' || fail 'figures of two files'
import json
r = json.load(open('out'))
assert [x['file'] for x in r['codelets']] == ['a.tgc', 'b.tgc', 'b.tgc']
assert r['codelets'][0]['median_s'] == 0.002 and r['codelets'][1]['rejected'] == 2
assert r['links'][0]['latency_s'] == 1e-5 and r['overheads'][0]['start_s'] == 3e-5
PY
run 0 "$TGSCHED" costs a.tgc --csv; shows '^codelet,attrs,dtype,kind,'; shows '^from,to,latency_s,'

run 0 "$TGSCHED" costs a.tgc b.tgc --merge -o m.tgc; shows '^gemm .* 3 ms *1 ms '
run 0 "$TGSCHED" costs m.tgc --json
python3 - <<'PY' || fail 'figures of the merged file'
import json
r = json.load(open('out'))
c = r['codelets']
assert len(c) == 2 and c[0]['median_s'] == 0.003 and c[0]['min_s'] == 0.001
assert c[0]['count'] == 4 and c[0]['rejected'] == 2 and c[1]['codelet'] == 'relu'
PY
run 0 "$TGSCHED" costs a.tgc --merge -o -; cp out again.tgc # what is written can be read
run 0 "$TGSCHED" costs again.tgc --merge -o -; cmp -s out again.tgc || fail 'written twice, it differs'

# edited by hand: the file and the line
sed 's/median=0.002/median=fast/' a.tgc > bad.tgc
refused 1 'bad.tgc:5: median=fast is not' "$TGSCHED" costs bad.tgc
refused 1 'bad.tgc:5: ' "$TGSCHED" costs a.tgc bad.tgc --merge -o never.tgc; [ ! -e never.tgc ] || fail 'half written'
refused 1 'neither a file of measured costs' "$TGSCHED" costs nowhere.tgc
refused 1 'only measured costs can be merged' "$TGSCHED" costs a.tgc roofline --merge -o never.tgc
refused 2 'costs needs FILE' "$TGSCHED" costs

# overheads are part of what is planned
printf 'tgsched.graph/1\ntask t work=1\ndata d bytes=8\naccess t w d\n' > one.tg
run 0 "$TGSCHED" schedule one.tg -m cpu:1 --costs a.tgc --json
[ "$(value out makespan_s)" = 1.0000011 ] || fail "overheads of 1.1 us: $(value out makespan_s)"
finish
