"use strict";
// D: { title, bound, tasks, phase, codelet, codelets, data, procs, memories, traces } as html.c writes it;
// traces are drawn in their order: the plan above the run.
const $ = id => document.getElementById(id);
const PHASES = ["other", "forward", "backward", "update", "communication"];
const PHASE_FILL = ["#cfd6dd", "#77aadd", "#ee8866", "#44bb99", "#ffaabb"];
const FILL = ["#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#99ddff", "#bbcc33", "#cfd6dd"];
const WHY = ["demand", "prefetch", "relay", "write-back", "reload"];
const TRANSFER = "#c9a9d6";
const LEFT = 196, AXIS = 34, PAD = 14; // of the chart, pixels
const two = D.traces.length > 1, last = D.traces.length - 1;
const role = k => two ? (k === last ? "run" : "plan") : "";

// ---- words
function scaled(x, step, units, first) {
  let i = first;
  for (; i + 1 < units.length && Math.abs(x) >= step * 0.99995; i++) x /= step;
  for (; i > 0 && Math.abs(x) < 0.99995; i--) x *= step;
  return +x.toPrecision(4) + " " + units[i];
}
const seconds = s => s === 0 ? "0 s" : scaled(s, 1000, ["ns", "\u00b5s", "ms", "s"], 3);
const bytes = b => b < 1 ? +b.toPrecision(4) + " B" : scaled(b, 1024, ["B", "KiB", "MiB", "GiB", "TiB"], 0);
const percent = x => (100 * x).toFixed(1) + " %";
const taskName = i => D.tasks[i] || "@" + i;
const datumName = i => D.data[i] || "@" + i;
const text = s => String(s).replace(/[&<>"]/g, c => "&#" + c.charCodeAt(0) + ";");

// ---- one step of each trace, as lanes of items sorted by start
function lanesOf(step) {
  const procs = D.procs.map(() => []), links = new Map();
  for (let i = 0; i < step.ran.length; i += 5)
    procs[step.ran[i + 1]].push({ i: i / 5, task: step.ran[i], start: step.ran[i + 2], end: step.ran[i + 3],
      synthetic: step.ran[i + 4] });
  for (let i = 0; i < step.moved.length; i += 7) {
    const key = step.moved[i + 1] * D.memories.length + step.moved[i + 2];
    if (!links.has(key)) links.set(key, []);
    links.get(key).push({ datum: step.moved[i], from: step.moved[i + 1], to: step.moved[i + 2],
      bytes: step.moved[i + 3], start: step.moved[i + 4], end: step.moved[i + 5], why: step.moved[i + 6] });
  }
  const used = D.memories.map(() => []);
  for (let i = 0; i < step.used.length; i += 3)
    used[step.used[i]].push({ start: step.used[i + 1], bytes: step.used[i + 2] });
  for (const items of links.values()) stack(items);
  const byIndex = [];
  for (const lane of procs) for (const item of lane) byIndex[item.i] = item;
  return { step, procs, links, used, byIndex, byTask: new Map(byIndex.map(x => [x.task, x])) };
}
// transfers of one link that overlap lie side by side, in at most 4 rows
function stack(items) {
  const free = [];
  for (const x of items) {
    let row = free.findIndex(end => end <= x.start);
    if (row < 0) row = free.length < 4 ? free.length : 0;
    free[row] = x.end;
    x.row = row;
  }
  items.rows = free.length;
}

// ---- state
let shown = [], rows = [], length = 0, view = { from: 0, to: 1 }, hover = null, query = "";
let byPhase = new Set(D.phase).size > 1, byDelay = false, height = 0, drag = null;
// how much later than planned a task of the run ends, of the length of the chart: nine steps from early to late
const DELAY = ["#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b"];
const MOST_DELAY = .1; // the last step begins at 3/4 of it
function delayFill(x, k) {
  const plan = shown[1 - k].byTask.get(x.task);
  if (!plan || k !== last) return "#e3e7eb";
  return DELAY[4 + Math.max(-4, Math.min(4, Math.round((x.end - plan.end) / length / MOST_DELAY * 4)))];
}
function fill(task) { return byPhase ? PHASE_FILL[D.phase[task]] : FILL[D.codelet[task] % FILL.length]; }
function choose(stepIndex) {
  shown = D.traces.map((t, k) => lanesOf(k === last ? t.steps[stepIndex] : t.steps[t.steps.length - 1]));
  length = Math.max(...shown.map(s => s.step.length)) || 1;
  rows = [];
  let y = AXIS + 4;
  const add = (type, label, lanes, h) => {
    rows.push({ type, label, y, h: h * lanes.length, lanes: lanes.map((l, j) => ({ ...l, y: y + j * h, h: h - 3 })) });
    y += h * lanes.length + 9;
  };
  const tall = D.procs.length <= 12 ? 26 : 18;
  D.procs.forEach((p, i) => add("proc", p.name, shown.map((s, k) => ({ k, items: s.procs[i] })), tall));
  const keys = [...new Set(shown.flatMap(s => [...s.links.keys()]))].sort((a, b) => a - b);
  for (const key of keys) {
    const from = D.memories[Math.floor(key / D.memories.length)], to = D.memories[key % D.memories.length];
    add("link", from + " \u2192 " + to, shown.map((s, k) => ({ k, items: s.links.get(key) || [] })), 20);
  }
  D.memories.forEach((m, i) => {
    if (shown.some(s => s.used[i].some(u => u.bytes > 0))) add("memory", m, [{ k: 0, index: i }], 58);
  });
  height = y + 4;
  $("space").style.height = "0";
  view = { from: 0, to: length };
  resize();
  tables();
}

// ---- drawing
const canvas = $("chart"), ctx = canvas.getContext("2d");
let width = 0, tallest = 0;
function resize() {
  const dpr = window.devicePixelRatio || 1;
  width = $("scroll").clientWidth;
  tallest = Math.min(height, Math.round(window.innerHeight * 0.74) - 2);
  $("space").style.height = height - tallest + "px";
  width = $("scroll").clientWidth;
  canvas.style.width = width + "px";
  canvas.style.height = tallest + "px";
  canvas.width = Math.round(width * dpr);
  canvas.height = Math.round(tallest * dpr);
  ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
  draw();
}
const xOf = t => LEFT + (t - view.from) / (view.to - view.from) * (width - LEFT - PAD);
const tOf = x => view.from + (x - LEFT) / (width - LEFT - PAD) * (view.to - view.from);
function firstVisible(items) { // of items sorted by start; a few may overlap, so step back a little
  let low = 0, high = items.length;
  while (low < high) {
    const m = (low + high) >> 1;
    if (items[m].end < view.from) low = m + 1; else high = m;
  }
  return Math.max(0, low - 8);
}
function axisStep(span, n) {
  const p = Math.pow(10, Math.floor(Math.log10(span / n)));
  for (const f of [1, 2, 5, 10]) if (p * f * n >= span) return p * f;
  return p * 10;
}
function drawAxis() {
  const span = view.to - view.from;
  const [unit, scale] = length < 1e-6 ? ["ns", 1e9] : length < 1e-3 ? ["\u00b5s", 1e6] : length < 1 ? ["ms", 1e3] : ["s", 1];
  const step = axisStep(span * scale, Math.max(3, (width - LEFT) / 110));
  ctx.fillStyle = "#fff";
  ctx.fillRect(0, 0, width, AXIS);
  ctx.fillStyle = "#1b1f24";
  ctx.textAlign = "center";
  for (let i = Math.ceil(view.from * scale / step - 1e-9); i * step <= view.to * scale * (1 + 1e-12); i++) {
    const x = xOf(i * step / scale);
    ctx.fillText(+(i * step).toPrecision(10), x, 20);
    ctx.fillRect(x, AXIS - 6, 1, 6);
  }
  ctx.textAlign = "right";
  ctx.fillText("time, " + unit, LEFT - 12, 20);
  ctx.fillRect(LEFT, AXIS, width - LEFT - PAD, 1);
  return { step: step / scale };
}
function drawGrid(step) {
  ctx.fillStyle = "#e7ebef";
  for (let i = Math.ceil(view.from / step - 1e-9); i * step <= view.to * (1 + 1e-12); i++)
    ctx.fillRect(xOf(i * step), AXIS, 1, tallest);
  if (D.bound && D.bound <= view.to && D.bound >= view.from) {
    ctx.strokeStyle = "#aa3377";
    ctx.setLineDash([5, 4]);
    ctx.beginPath();
    ctx.moveTo(xOf(D.bound) + .5, AXIS);
    ctx.lineTo(xOf(D.bound) + .5, tallest);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}
const found = x => !query || (x.task !== undefined ? taskName(x.task) : datumName(x.datum)).toLowerCase().includes(query);
function drawItems(lane, y, h, colour) {
  const items = lane.items, n = items.rows || 1, box = h / n;
  let pixel = -1;
  for (let i = firstVisible(items); i < items.length && items[i].start <= view.to; i++) {
    const item = items[i], x0 = Math.max(xOf(item.start), LEFT), x1 = Math.min(xOf(item.end), width - PAD);
    if (x1 < LEFT || x1 < x0) continue;
    if (x1 - x0 < 1) { // many in a pixel: the first is drawn
      if (Math.floor(x1) === pixel && n === 1 && !query) continue;
      pixel = Math.floor(x1);
    }
    const top = y + (item.row || 0) * box, w = Math.max(x1 - x0, 1);
    ctx.globalAlpha = found(item) ? 1 : .18;
    ctx.fillStyle = colour(item);
    ctx.fillRect(x0, top, w, box - (n > 1 ? 1 : 0));
    if (w > 4 && box > 8) {
      if (item.synthetic) hatch(x0, top, w, box);
      ctx.strokeStyle = "#57606a";
      ctx.lineWidth = .7;
      ctx.strokeRect(x0 + .35, top + .35, w - .7, box - (n > 1 ? 1 : 0) - .7);
    }
    if (w > 24 && box > 12) label(item.task !== undefined ? taskName(item.task) : datumName(item.datum), x0, top, w, box);
  }
  ctx.globalAlpha = 1;
}
// layers share how their names begin: of a name too long for its box the end is shown
function label(name, x, y, w, h) {
  const fits = t => ctx.measureText(t).width <= w - 5;
  let t = name, end = name;
  while (!fits(t) && /[./]/.test(end)) t = "\u2026" + (end = end.replace(/^[^./]*[./]/, ""));
  let keep = Math.min(end.length, Math.floor(w / 4));
  while (keep > 1 && !fits(t)) t = end.slice(0, --keep) + "\u2026";
  if (keep < 2) return;
  ctx.fillStyle = "#111";
  ctx.textAlign = "center";
  ctx.fillText(t, x + w / 2, y + h / 2 + 4);
}
function hatch(x, y, w, h) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  ctx.strokeStyle = "rgba(27, 31, 36, .28)";
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let d = -h; d < w; d += 7) { ctx.moveTo(x + d, y + h); ctx.lineTo(x + d + h, y); }
  ctx.stroke();
  ctx.restore();
}
function drawMemory(row, y) {
  const i = row.lanes[0].index, h = row.lanes[0].h;
  const peak = Math.max(...shown.map(s => s.used[i].reduce((m, u) => Math.max(m, u.bytes), 0))) || 1;
  shown.forEach((s, k) => {
    let value = 0, started = false;
    ctx.beginPath();
    const at = (t, b) => {
      const x = Math.min(Math.max(xOf(t), LEFT), width - PAD);
      if (!started) ctx.moveTo(x, y + h - b / peak * (h - 14));
      started = true;
      ctx.lineTo(x, y + h - b / peak * (h - 14));
    };
    for (const u of s.used[i]) {
      if (u.start > view.to) break;
      if (u.start < view.from) { value = u.bytes; continue; }
      at(u.start, value);
      at(u.start, u.bytes);
      value = u.bytes;
    }
    at(Math.min(s.step.length, view.to), value);
    ctx.strokeStyle = k === last ? "#225588" : "#bb5533";
    ctx.lineWidth = 1.4;
    ctx.setLineDash(k === last ? [] : [5, 3]);
    ctx.stroke();
    ctx.setLineDash([]);
    if (k === last && started) {
      ctx.lineTo(Math.min(Math.max(xOf(Math.min(s.step.length, view.to)), LEFT), width - PAD), y + h);
      ctx.lineTo(LEFT, y + h);
      ctx.fillStyle = "rgba(119, 170, 221, .22)";
      ctx.fill();
    }
  });
  ctx.fillStyle = "#57606a";
  ctx.textAlign = "right";
  ctx.fillText("peak " + bytes(peak), LEFT - 12, y + 32);
  ctx.fillRect(LEFT, y + h, width - LEFT - PAD, .7);
}
// the chain as a bar along the bottom of its boxes; lines between processors while they are few
function drawChain(k, scroll) {
  const s = shown[k], laneOf = new Map(), seen = x => x.end >= view.from && x.start <= view.to;
  for (const row of rows) if (row.type === "proc")
    for (const lane of row.lanes) if (lane.k === k) laneOf.set(row.label, lane);
  const chain = s.step.chain.map(i => s.byIndex[i]), few = chain.filter(seen).length <= 120;
  let before = null;
  ctx.fillStyle = ctx.strokeStyle = "#1b1f24";
  for (const x of chain) {
    const lane = laneOf.get(D.procs[s.step.ran[x.i * 5 + 1]].name), y = lane.y - scroll;
    if (seen(x)) {
      const a = Math.max(xOf(x.start), LEFT), b = Math.min(xOf(x.end), width - PAD);
      ctx.fillRect(a, y + lane.h - 3.5, Math.max(b - a, 1), 3.5);
      ctx.lineWidth = 1.6;
      if (b - a > 26) ctx.strokeRect(a + .8, y + .8, b - a - 1.6, lane.h - 1.6);
      if (few && before && before.y !== y && before.x >= LEFT && xOf(x.start) >= LEFT) {
        ctx.lineWidth = 1.2;
        ctx.beginPath();
        ctx.moveTo(before.x, before.y + before.h / 2);
        ctx.lineTo(xOf(x.start), y + lane.h / 2);
        ctx.stroke();
      }
    }
    before = { x: xOf(x.end), y, h: lane.h };
  }
}
function draw() {
  const scroll = $("scroll").scrollTop;
  ctx.font = "12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
  ctx.fillStyle = "#fff";
  ctx.fillRect(0, 0, width, tallest);
  for (const row of rows) {
    if (row.type === "memory") continue;
    ctx.fillStyle = "#f4f6f8";
    for (const lane of row.lanes) ctx.fillRect(LEFT, lane.y - scroll, width - LEFT - PAD, lane.h);
  }
  drawGrid(axisStep(view.to - view.from, Math.max(3, (width - LEFT) / 110)));
  for (const row of rows) {
    const y = row.y - scroll;
    if (y > tallest || y + row.h < AXIS) continue;
    if (row.type === "memory") drawMemory(row, y);
    for (const lane of row.lanes)
      if (row.type === "proc") drawItems(lane, lane.y - scroll, lane.h, x => byDelay ? delayFill(x, lane.k) : fill(x.task));
      else if (row.type === "link") drawItems(lane, lane.y - scroll, lane.h, () => TRANSFER);
    ctx.fillStyle = "#1b1f24";
    ctx.textAlign = "left";
    ctx.font = "600 12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
    ctx.fillText(row.label, 12, y + 15, LEFT - 58);
    ctx.font = "12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
    ctx.textAlign = "right";
    ctx.fillStyle = "#57606a";
    if (row.type !== "memory") for (const lane of row.lanes)
      ctx.fillText(role(lane.k), LEFT - 12, lane.y - scroll + lane.h / 2 + 4);
  }
  if ($("chain").checked) drawChain(last, scroll);
  if (hover) for (const row of rows) for (const lane of row.lanes) for (const x of lane.items || [])
    if (hover.task !== undefined ? x.task === hover.task : x.datum !== undefined && x.datum === hover.datum) {
      const a = Math.max(xOf(x.start), LEFT), b = Math.min(xOf(x.end), width - PAD);
      ctx.strokeStyle = "#cc3311";
      ctx.lineWidth = 2.4;
      if (b >= LEFT && a <= width - PAD) ctx.strokeRect(a, lane.y - scroll, Math.max(b - a, 2), lane.h);
    }
  drawAxis();
}
