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

# what was not measured as it should have been stays with the file, and is said
sed '1a remark text="links were not measured: %22none%22"' a.tgc > r.tgc
run 0 "$TGSCHED" costs r.tgc b.tgc --merge -o rm.tgc; says 'r.tgc: links were not measured: "none"'
run 0 "$TGSCHED" costs rm.tgc; says 'rm.tgc: links were not measured: "none"'
run 0 "$TGSCHED" costs rm.tgc r.tgc --merge -o rr.tgc; [ "$(grep -c '^remark' rr.tgc)" = 1 ] || fail 'one remark'

# edited by hand: the file and the line
sed 's/median=0.002/median=fast/' a.tgc > bad.tgc
refused 1 'bad.tgc:5: median=fast is not' "$TGSCHED" costs bad.tgc
refused 1 'bad.tgc:5: ' "$TGSCHED" costs a.tgc bad.tgc --merge -o never.tgc; [ ! -e never.tgc ] || fail 'half written'
refused 1 'neither a file of measured costs' "$TGSCHED" costs nowhere.tgc
refused 1 'only measured costs can be merged' "$TGSCHED" costs a.tgc roofline --merge -o never.tgc
refused 2 'costs needs FILE' "$TGSCHED" costs

# what StarPU has measured: costs and machine, as files that say the same as its own
run 0 "$TGSCHED" calibrate --from-starpu=data/starpu-model/box -o box.tgc --export-platform box.tgp; shows '^measured codelets'
run 0 "$TGSCHED" costs box.tgc --json; cp out box.json
run 0 "$TGSCHED" costs starpu:data/starpu-model/box --json; cmp -s out box.json || fail 'imported costs differ'
run 0 "$TGSCHED" schedule gen:cholesky:n=3:tile=640:dtype=f32:rate=0 -m box.tgp --costs box.tgc -o own.tgs --json; cp out own.json
run 0 "$TGSCHED" schedule gen:cholesky:n=3:tile=640:dtype=f32:rate=0 -m starpu:data/starpu-model/box -o theirs.tgs --json
[ "$(value out makespan_s)" = "$(value own.json makespan_s)" ] || fail 'an imported machine gives another makespan'
cp -R data/starpu-model sampling # as StarPU keeps them
STARPU_HOSTNAME=box STARPU_PERF_MODEL_DIR=sampling run 0 "$TGSCHED" calibrate --from-starpu -o again.tgc; cmp -s again.tgc box.tgc || fail 'found by itself'
mkdir -p home/.starpu && cp -R sampling home/.starpu/
(unset STARPU_PERF_MODEL_DIR; STARPU_HOSTNAME=box STARPU_HOME=home run 0 "$TGSCHED" calibrate --from-starpu -o third.tgc; exit $failed) || failed=1
cmp -s third.tgc box.tgc || fail 'found at home'
refused 1 'no performance models' "$TGSCHED" calibrate --from-starpu=data/starpu-model/nobody
refused 2 'measures nothing' "$TGSCHED" calibrate --from-starpu=data/starpu-model/box gen:chain
refused 2 'needs GRAPH' "$TGSCHED" calibrate
refused 2 'goes with --from-starpu' "$TGSCHED" calibrate gen:chain --export-platform x.tgp
# others' machines, when they are there: every one can be imported, planned for and read again
for model in "$TGS_SRCDIR"/../shared/data/starpu-perfmodels/bus/*.config; do
  [ -e "$model" ] || continue
  host=$(basename "$model" .config)
  run 0 "$TGSCHED" calibrate --from-starpu="${model%/bus/*}/$host" -o host.tgc --export-platform host.tgp
  run 0 "$TGSCHED" costs host.tgc --csv; grep -qi 'nan' out && fail "$host: a time that is no number"
  run 0 "$TGSCHED" info host.tgp
done

# within their error: a and b are near, c is far
cat > near.tgc <<'END'
tgsched.costs/1
sample codelet=x kind=cpu median=1 min=0.5 spread=0.1 count=9
sample codelet=y kind=cpu median=1.01 min=0.5 spread=0.1 count=9
END
printf 'tgsched.graph/1\ntask a codelet=x\ntask b codelet=y\n' > two.tg
run 0 "$TGSCHED" compare two.tg -m cpu:2 --costs near.tgc -a heft,single --noise 200 --json; json out noise
python3 - <<'PY' || fail 'figures of the noise'
import json
r = json.load(open('out'))
h, s = r['results']
assert r['winner'] == 'heft' and r['cases'] == 200 and h['decision'] == 'the winner'
assert h['best_in'] == 200 and s['decision'] == 'firm' and s['flips_in'] == 0
assert h['low_s'] < h['makespan_s'] < h['high_s'] and abs(s['makespan_s'] - 2.01) < 1e-12
PY
cp out first; run 0 "$TGSCHED" compare two.tg -m cpu:2 --costs near.tgc -a heft,single --noise 200 --json; cmp -s out first || fail 'noise is not repeatable'
# one processor each of two kinds: which is faster is open
cat > kinds.tgc <<'END'
tgsched.costs/1
sample codelet=x kind=cpu median=1 min=0.5 spread=0.1 count=9
sample codelet=x kind=gpu median=1.02 min=0.5 spread=0.1 count=9
END
printf 'tgsched.graph/1\ntask a codelet=x\n' > one.tg
run 0 "$TGSCHED" compare one.tg -m 'cpu:1 gpu:1' --costs kinds.tgc -a heft,roundrobin,single --noise 100 --csv
shows '^heuristic,makespan_s,low_s,high_s,best_in,flips_in,decision'
sed 's/spread=0.1//' near.tgc > sure.tgc
refused 1 'no measurement with a spread' "$TGSCHED" compare two.tg -m cpu:2 --costs sure.tgc --noise 3 -a heft
refused 2 'needs --costs' "$TGSCHED" compare two.tg -m cpu:2 --noise 3
refused 2 'one graph' "$TGSCHED" compare two.tg one.tg -m cpu:2 --costs near.tgc --noise 3

# overheads are part of what is planned
printf 'tgsched.graph/1\ntask t work=1\ndata d bytes=8\naccess t w d\n' > one.tg
run 0 "$TGSCHED" schedule one.tg -m cpu:1 --costs a.tgc --json
[ "$(value out makespan_s)" = 1.0000011 ] || fail "overheads of 1.1 us: $(value out makespan_s)"
finish
