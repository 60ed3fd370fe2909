// ---- what is under the pointer
function itemAt(mx, my) {
  const y = my + $("scroll").scrollTop;
  if (mx < LEFT || mx > width - PAD || my < AXIS) return null;
  const t = tOf(mx), near = 3 / (width - LEFT - PAD) * (view.to - view.from);
  for (const row of rows) {
    if (y < row.y || y > row.y + row.h) continue;
    if (row.type === "memory") return { row, t, memory: row.lanes[0].index };
    for (const lane of row.lanes) {
      if (y < lane.y || y > lane.y + lane.h) continue;
      const rank = Math.floor((y - lane.y) / (lane.h / (lane.items.rows || 1)));
      let best = null;
      for (let i = firstVisible(lane.items); i < lane.items.length && lane.items[i].start <= t + near; i++) {
        const x = lane.items[i];
        if (x.end >= t - near && (x.row || 0) === rank && (!best || x.start <= t)) best = x;
      }
      return best && { row, lane, item: best };
    }
  }
  return null;
}
function line(name, value) { return "<tr><td class=dim>" + name + "</td><td style='text-align:left'>" + text(value) + "</td></tr>"; }
function beside(item, k) { // the same task in the other trace
  if (!two) return "";
  const other = shown[1 - k].byTask.get(item.task);
  return other ? line(k === last ? "planned" : "measured", seconds(other.end - other.start) + " on " +
    D.procs[procOf(1 - k, other)].name + " from " + seconds(other.start)) : "";
}
function procOf(k, item) { return shown[k].step.ran[item.i * 5 + 1]; }
function describe(hit) {
  if (hit.memory !== undefined)
    return "<b>" + text(D.memories[hit.memory]) + "</b> at " + seconds(Math.max(hit.t, 0)) + "<table>" +
      shown.map((s, k) => line(role(k) || "in use", bytes(usedAt(s.used[hit.memory], hit.t)))).join("") + "</table>";
  const x = hit.item, time = line("time", seconds(x.end - x.start) + ": " + seconds(x.start) + " to " + seconds(x.end));
  if (x.task !== undefined)
    return "<b>" + text(taskName(x.task)) + "</b> " + (two ? "<span class=dim>" + role(hit.lane.k) + "</span>" : "") + "<table>" +
      line("codelet", D.codelets[D.codelet[x.task]] || "none") + line("phase", PHASES[D.phase[x.task]]) +
      line("worker", hit.row.label) + time + beside(x, hit.lane.k) +
      (x.synthetic ? line("synthetic", "no kernel; held its worker for the predicted time") : "") +
      (shown[hit.lane.k].step.chain.includes(x.i) ? line("critical", "on the critical chain") : "") + "</table>";
  return "<b>" + text(datumName(x.datum)) + "</b> " + (two ? "<span class=dim>" + role(hit.lane.k) + "</span>" : "") + "<table>" +
    line("bytes", bytes(x.bytes)) + line("from", D.memories[x.from]) + line("to", D.memories[x.to]) + time +
    (x.end > x.start ? line("rate", bytes(x.bytes / (x.end - x.start)) + "/s") : "") + line("why", WHY[x.why]) + "</table>";
}
function usedAt(used, t) {
  let value = 0;
  for (const u of used) { if (u.start > t) break; value = u.bytes; }
  return value;
}

// ---- moving about
function setView(from, to) {
  const least = length * 1e-7, span = Math.min(Math.max(to - from, least), length);
  from = Math.min(Math.max(from, 0), length - span);
  view = { from, to: from + span };
  requestDraw();
}
let asked = false;
function requestDraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}
function zoom(factor, at) {
  const t = at === undefined ? (view.from + view.to) / 2 : tOf(at);
  setView(t - (t - view.from) * factor, t + (view.to - t) * factor);
}
canvas.addEventListener("mousemove", e => {
  const box = canvas.getBoundingClientRect(), mx = e.clientX - box.left, my = e.clientY - box.top;
  if (drag) {
    const dt = (drag.x - e.clientX) / (width - LEFT - PAD) * (drag.to - drag.from);
    $("scroll").scrollTop = drag.top + drag.y - e.clientY;
    setView(drag.from + dt, drag.to + dt);
    return;
  }
  const hit = itemAt(mx, my), tip = $("tip"), item = hit && hit.item || null;
  if (item !== hover) { hover = item; requestDraw(); }
  tip.style.display = hit ? "block" : "none";
  if (!hit) return;
  tip.innerHTML = describe(hit);
  tip.style.left = Math.max(4, Math.min(e.clientX + 16, window.innerWidth - tip.offsetWidth - 10)) + "px";
  tip.style.top = Math.max(4, Math.min(e.clientY + 18, window.innerHeight - tip.offsetHeight - 10)) + "px";
});
canvas.addEventListener("mouseleave", () => { hover = null; $("tip").style.display = "none"; requestDraw(); });
canvas.addEventListener("mousedown", e => {
  drag = { x: e.clientX, y: e.clientY, from: view.from, to: view.to, top: $("scroll").scrollTop };
  $("tip").style.display = "none";
});
window.addEventListener("mouseup", () => { drag = null; });
canvas.addEventListener("dblclick", e => zoom(.4, e.clientX - canvas.getBoundingClientRect().left));
canvas.addEventListener("wheel", e => {
  const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY), span = view.to - view.from;
  if (e.ctrlKey || e.altKey) {
    e.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * .006), e.clientX - canvas.getBoundingClientRect().left);
  } else if (sideways || e.shiftKey) {
    e.preventDefault();
    const dt = (sideways ? e.deltaX : e.deltaY) / (width - LEFT - PAD) * span;
    setView(view.from + dt, view.to + dt);
  }
}, { passive: false });
$("scroll").addEventListener("scroll", requestDraw);
window.addEventListener("resize", resize);
window.addEventListener("keydown", e => {
  if (e.target.tagName === "INPUT" || e.target.tagName === "SELECT") return;
  const span = view.to - view.from;
  if (e.key === "+" || e.key === "=") zoom(.6);
  else if (e.key === "-") zoom(1 / .6);
  else if (e.key === "0") setView(0, length);
  else if (e.key === "ArrowRight") setView(view.from + span * .15, view.to + span * .15);
  else if (e.key === "ArrowLeft") setView(view.from - span * .15, view.to - span * .15);
});
$("in").onclick = () => zoom(.6);
$("out").onclick = () => zoom(1 / .6);
$("fit").onclick = () => setView(0, length);
$("chain").onchange = requestDraw;
$("find").oninput = e => { query = e.target.value.trim().toLowerCase(); requestDraw(); };
if (two) $("by").add(new Option("end against plan"));
$("by").value = byPhase ? "phase" : "codelet";
$("by").onchange = e => { byPhase = e.target.value === "phase"; byDelay = e.target.value.includes("plan"); legend(); requestDraw(); };
$("step").onchange = e => choose(+e.target.value);

// ---- around the chart
function sums(s) {
  const busy = D.procs.map(() => 0), tasks = D.procs.map(() => 0), links = new Map(), data = new Map();
  let moved = 0, synthetic = 0;
  s.procs.forEach((lane, p) => lane.forEach(x => { busy[p] += x.end - x.start; tasks[p]++; synthetic += x.synthetic; }));
  for (const [key, items] of s.links) {
    const l = { count: items.length, bytes: 0, time: 0 };
    for (const x of items) {
      l.bytes += x.bytes;
      l.time += x.end - x.start;
      data.set(x.datum, (data.get(x.datum) || 0) + x.bytes);
    }
    links.set(key, l);
    moved += l.bytes;
  }
  const peak = s.used.map(u => u.reduce((m, x) => Math.max(m, x.bytes), 0));
  const work = busy.reduce((a, b) => a + b, 0);
  return { busy, tasks, links, data, moved, synthetic, peak, work, length: s.step.length };
}
const cell = x => "<td>" + x + "</td>";
function table(title, heads, lines, wide) {
  return lines.length ? "<div" + (wide ? " class=wide" : "") + "><h2>" + title + "</h2><table><tr>" + heads.map(h => "<th>" + h + "</th>").join("") + "</tr>" +
    lines.map(l => "<tr>" + l.map(cell).join("") + "</tr>").join("") + "</table></div>" : "";
}
function tables() {
  const all = shown.map(sums), run = all[last], plan = two ? all[0] : null;
  const pair = (heads) => plan ? heads : heads.filter(h => !h.startsWith("planned"));
  const with_ = (value, planned) => plan ? [value, planned()] : [value];
  const zero = { count: 0, bytes: 0, time: 0 };
  const cards = [[seconds(run.length), (two ? "measured makespan" : "makespan") + (plan && plan.length ? ", " + (run.length / plan.length).toFixed(3) + " \u00d7 planned" : "")]];
  if (plan) cards.push([seconds(plan.length), "planned makespan"]);
  if (D.bound) cards.push([seconds(D.bound), "lower bound, ratio " + ((plan || run).length / D.bound).toFixed(3)]);
  cards.push([percent(run.work / (D.procs.length * run.length || 1)), "mean busy" + (plan ? ", planned " + percent(plan.work / (D.procs.length * plan.length || 1)) : "")]);
  cards.push([bytes(run.moved), "moved in " + [...run.links.values()].reduce((n, l) => n + l.count, 0) + " transfers"]);
  if (run.synthetic) cards.push([run.synthetic + " of " + shown[last].byIndex.length, "tasks ran synthetically (no kernel)"]);
  $("cards").innerHTML = cards.map(c => "<div class=card><b>" + c[0] + "</b><span>" + c[1] + "</span></div>").join("");
  const meter = x => "<span class=meter><i style='width:" + Math.min(100, 100 * x).toFixed(1) + "%'></i></span>" + percent(x);
  let html = table("Workers", pair(["worker", "kind", "tasks", "busy", "busy time", "planned busy", "idle time", "planned idle"]), D.procs.map((p, i) =>
    [text(p.name), text(p.kind), run.tasks[i], meter(run.busy[i] / run.length || 0), ...with_(seconds(run.busy[i]), () => seconds(plan.busy[i])),
      ...with_(seconds(run.length - run.busy[i]), () => seconds(plan.length - plan.busy[i]))]), true);
  const keys = [...new Set(all.flatMap(s => [...s.links.keys()]))].sort((a, b) => a - b);
  html += table("Links", pair(["from", "to", "transfers", "bytes", "planned bytes", "time in transfer"]), keys.map(k => {
    const l = run.links.get(k) || zero;
    return [text(D.memories[Math.floor(k / D.memories.length)]), text(D.memories[k % D.memories.length]), l.count,
      ...with_(bytes(l.bytes), () => bytes((plan.links.get(k) || zero).bytes)), seconds(l.time)];
  }));
  const largest = [...run.data].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 10);
  html += table("Data moved most", pair(["datum", "bytes", "planned bytes"]), largest.map(([d, b]) =>
    [text(datumName(d)), ...with_(bytes(b), () => bytes(plan.data.get(d) || 0))]));
  html += table("Memories", pair(["memory", "peak", "planned peak"]), D.memories.map((m, i) =>
    [text(m), ...with_(bytes(run.peak[i]), () => bytes(plan.peak[i]))]));
  $("tables").innerHTML = html;
  legend();
}
function delayLegend() {
  const most = MOST_DELAY * length;
  return "<span>run ends <span class=dim>earlier by " + seconds(most) + "</span></span>" +
    DELAY.map(c => "<span><i style='background:" + c + "'></i></span>").join("") + "<span class=dim>later by " + seconds(most) + "</span>";
}
function legend() {
  if (byDelay) { $("legend").innerHTML = delayLegend(); return; }
  const share = new Map();
  for (const lane of shown[last].procs) for (const x of lane) {
    const key = byPhase ? D.phase[x.task] : D.codelet[x.task];
    share.set(key, (share.get(key) || 0) + x.end - x.start);
  }
  const total = [...share.values()].reduce((a, b) => a + b, 0) || 1;
  $("legend").innerHTML = [...share].sort((a, b) => b[1] - a[1]).slice(0, 24).map(([key, time]) =>
    "<span><i style='background:" + (byPhase ? PHASE_FILL[key] : FILL[key % FILL.length]) + "'></i>" +
    text((byPhase ? PHASES[key] : D.codelets[key]) || "task") + " <span class=dim>" + percent(time / total) + "</span></span>").join("") +
    (shown.some(s => s.links.size) ? "<span><i style='background:" + TRANSFER + "'></i>transfer</span>" : "") +
    (D.bound ? "<span style='color:#aa3377'>&#9479; lower bound</span>" : "");
}

document.title = D.title;
$("title").textContent = D.title;
$("origin").textContent = two ? "run: " + D.traces[last].origin + "; plan: " + D.traces[0].origin : D.traces[0].origin;
if (D.remarks) {
  $("remarks").style.display = "block";
  $("remarks").lastElementChild.textContent = D.remarks;
}
const steps = D.traces[last].steps;
$("steps").style.display = steps.length > 1 ? "" : "none";
steps.forEach((s, i) => $("step").add(new Option(s.index + 1, i)));
$("step").value = steps.length - 1;
choose(steps.length - 1);
