'use strict';
// The comparison as pictures: standings, performance profile, box plots.
const $ = id => document.getElementById(id);
const order = D.methods.map((_, m) => m).sort((a, b) => D.methods[b].solved - D.methods[a].solved
  || rank(D.methods[a].best, D.methods[b].best) || a - b);
const place = [];
order.forEach((m, i) => { place[m] = i; });
const drawn = new Set(order.slice(0, 8)); // in colour
const hue = [];
order.forEach((m, i) => { hue[m] = (212 + 137.508 * i) % 360; });

function rank(a, b) { // unknown last
  return a === b ? 0 : a === null ? 1 : b === null ? -1 : a - b;
}
const colour = m => `hsl(${hue[m].toFixed(0)} 65% var(--light))`;
function node(tag, attributes, text) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  return e;
}
function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}
function number(x, digits) {
  return x === null || x === undefined ? '' : String(Number(x.toPrecision(digits || 4)));
}
function seconds(x) {
  if (x === null) return '';
  const a = Math.abs(x);
  return a === 0 || a >= 1 ? number(x) + ' s' : a >= 1e-3 ? number(x * 1e3) + ' ms' : number(x * 1e6) + ' \u00b5s';
}

// ---- a note beside the pointer
function tip(e, lines) {
  const t = $('tip');
  t.replaceChildren(...lines.map((l, i) => element(i ? 'div' : 'b', l)));
  t.style.display = 'block';
  t.style.left = Math.min(e.clientX + 14, innerWidth - t.offsetWidth - 8) + 'px';
  t.style.top = Math.min(e.clientY + 14, innerHeight - t.offsetHeight - 8) + 'px';
}
function tell(e, lines) {
  e.addEventListener('mousemove', event => tip(event, lines()));
  e.addEventListener('mouseleave', () => { $('tip').style.display = 'none'; });
}

// ---- standings
const columns = [
  ['name', 'heuristic', m => m.name], ['solved', 'solved', m => m.solved],
  ['bound', 'mean ratio to bound', m => number(m.bound)], ['best', 'to best', m => number(m.best)],
  ['worst', 'worst', m => number(m.worst)], ['wins', 'wins', m => m.wins], ['ties', 'ties', m => m.ties],
  ['time', 'time in all', m => seconds(m.time)]];
let by = 'best';
function summary() {
  const head = element('tr'), body = element('tbody'), top = element('thead');
  const down = by === 'solved' || by === 'wins' || by === 'ties';
  const rows = D.methods.map((_, m) => m).sort((a, b) => {
    const x = D.methods[a][by], y = D.methods[b][by];
    return (by === 'name' ? x.localeCompare(y) : down ? y - x : by === 'best' ? place[a] - place[b] : rank(x, y)) || place[a] - place[b];
  });
  for (const [key, title] of columns) {
    const th = element('th', title, key === by ? 'by' : '');
    th.dataset.key = key;
    th.onclick = () => { by = key; summary(); };
    head.append(th);
  }
  for (const m of rows) {
    const tr = element('tr');
    columns.forEach(([key, , text], i) => {
      const td = element('td');
      if (!i) {
        const s = element('i', undefined, 'swatch');
        s.style.borderColor = drawn.has(m) ? colour(m) : 'var(--pale)';
        td.append(s);
      }
      td.append(String(text(D.methods[m])));
      tr.append(td);
    });
    tr.onclick = () => { if (!drawn.delete(m)) drawn.add(m); draw(); };
    body.append(tr);
  }
  top.append(head);
  $('summary').replaceChildren(top, body);
}

// ---- axes
function steps(low, high, most) { // 1, 2 or 5 times a power of ten
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(k => k * power >= raw * (1 - 1e-9));
  const marks = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + step * 1e-6; x += step) marks.push(Number(x.toPrecision(12)));
  return marks;
}
function logMarks(high) { // of factors, from 1 on
  if (high <= 2.5) return steps(1, high, 8);
  const marks = [];
  for (let p = 1; p <= high; p *= 10) for (const k of high < 20 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 2, 5]) if (k * p <= high * (1 + 1e-9)) marks.push(k * p);
  return marks;
}

// ---- performance profile
const best = D.instances.map(i => i.best);
const solvable = D.instances.map((_, i) => i).filter(i => best[i] !== null);
function ratios(m) { // ascending; what is not solved is not there
  const r = [];
  for (const i of solvable) {
    const v = D.instances[i].value[m];
    if (v !== null) r.push(v === best[i] ? 1 : v / best[i]);
  }
  return r.sort((a, b) => a - b);
}
const profile = D.methods.map((_, m) => ratios(m));
const farthest = Math.max(1.01, ...profile.map(r => r.length ? r[r.length - 1] : 1));
let reach = Math.min(farthest, 2);
function drawProfile() {
  const W = 1160, H = 420, L = 46, R = 190, T = 10, B = 40, n = solvable.length;
  const svg = node('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'performance profile' });
  const x = t => L + Math.log(t) / Math.log(reach) * (W - L - R), y = p => H - B - p * (H - T - B);
  for (const p of [0, .25, .5, .75, 1]) {
    svg.append(node('line', { class: 'grid', x1: L, x2: W - R, y1: y(p), y2: y(p) }),
      node('text', { class: 'dim', x: L - 8, y: y(p) + 4, 'text-anchor': 'end' }, `${p * 100}%`));
  }
  for (const t of logMarks(reach)) {
    svg.append(node('line', { class: 'grid', x1: x(t), x2: x(t), y1: T, y2: H - B }),
      node('text', { class: 'dim', x: x(t), y: H - B + 17, 'text-anchor': 'middle' }, number(t)));
  }
  svg.append(node('text', { class: 'dim', x: (L + W - R) / 2, y: H - 4, 'text-anchor': 'middle' }, 'makespan at most this times the best'));
  const labels = [];
  for (const m of [...order].reverse().sort((a, b) => drawn.has(a) - drawn.has(b))) {
    let d = '', share = 0, at = 0;
    const r = profile[m];
    while (at < r.length && r[at] <= 1) at++;
    share = n ? at / n : 0;
    d = `M${x(1)} ${y(share).toFixed(2)}`;
    for (; at < r.length && r[at] <= reach; at++) d += `H${x(r[at]).toFixed(2)}V${y(share = (at + 1) / n).toFixed(2)}`;
    d += `H${W - R}`;
    const path = node('path', { class: drawn.has(m) ? 'step' : 'step pale', d, 'data-method': D.methods[m].name });
    if (drawn.has(m)) {
      path.style.stroke = colour(m);
      labels.push({ m, y: y(share), at: y(share) });
    }
    tell(path, () => [D.methods[m].name, `best, or as good, on ${number(100 * r.filter(q => q <= 1 + 1e-9).length / n, 3)}%`,
      `within ${number(reach)} of the best on ${number(100 * share, 3)}%`]);
    path.addEventListener('click', () => { if (!drawn.delete(m)) drawn.add(m); draw(); });
    svg.append(path);
  }
  labels.sort((a, b) => a.y - b.y || place[a.m] - place[b.m]);
  labels.forEach((l, i) => { if (i) l.at = Math.max(l.at, labels[i - 1].at + 15); });
  for (let i = labels.length - 1, floor = H - B; i >= 0; i--, floor -= 15) labels[i].at = Math.min(labels[i].at, floor);
  for (const l of labels) {
    const text = node('text', { x: W - R + 22, y: l.at + 4 }, D.methods[l.m].name.length > 24 ? D.methods[l.m].name.slice(0, 23) + '\u2026' : D.methods[l.m].name);
    text.style.fill = colour(l.m);
    svg.append(node('path', { class: 'grid', fill: 'none', d: `M${W - R} ${l.y}L${W - R + 18} ${l.at}` }), text);
  }
  $('profile').replaceChildren(svg);
}
function reaches() {
  const choice = [1.05, 1.2, 2, 5].filter(t => t < farthest * .999);
  choice.push(farthest);
  reach = choice.find(t => t >= Math.min(2, farthest) * .999);
  for (const t of choice) {
    const o = element('option', t === farthest ? `up to ${number(t, 3)}, the worst` : `up to ${t}`);
    o.value = t;
    o.selected = t === reach;
    $('reach').append(o);
  }
  $('reach').onchange = e => { reach = Number(e.target.value); drawProfile(); };
}

// ---- box plots
const bounded = D.instances.some(i => i.bound > 0);
function spread(m) {
  return D.instances.map((x, i) => [x.value[m] === null || (bounded ? !(x.bound > 0) : x.best === null) ? null
    : x.value[m] / (bounded ? x.bound : x.best), i]).filter(v => v[0] !== null).sort((a, b) => a[0] - b[0]);
}
function quantile(v, q) {
  const at = (v.length - 1) * q, low = Math.floor(at);
  return v[low][0] + (at - low) * (v[Math.min(low + 1, v.length - 1)][0] - v[low][0]);
}
function drawBoxes() {
  const sets = order.map(m => [m, spread(m)]).filter(([, v]) => v.length);
  const W = 1160, L = 190, R = 30, row = 24, T = 8, B = 36, H = T + B + row * sets.length;
  const svg = node('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'box plots' });
  const high = Math.max(1.01, ...sets.map(([, v]) => v[v.length - 1][0]));
  const x = t => L + Math.log(t) / Math.log(high) * (W - L - R);
  for (const t of logMarks(high)) {
    svg.append(node('line', { class: 'grid', x1: x(t), x2: x(t), y1: T, y2: H - B }),
      node('text', { class: 'dim', x: x(t), y: H - B + 17, 'text-anchor': 'middle' }, number(t)));
  }
  sets.forEach(([m, v], k) => {
    const y = T + row * k + row / 2, q1 = quantile(v, .25), q2 = quantile(v, .5), q3 = quantile(v, .75), far = 1.5 * (q3 - q1);
    const inside = v.filter(r => r[0] >= q1 - far && r[0] <= q3 + far), low = inside[0][0], top = inside[inside.length - 1][0];
    const c = drawn.has(m) ? colour(m) : 'var(--pale)', g = node('g', { class: 'box', 'data-method': D.methods[m].name });
    const name = D.methods[m].name;
    g.append(node('text', { x: L - 10, y: y + 4, 'text-anchor': 'end' }, name.length > 26 ? name.slice(0, 25) + '\u2026' : name),
      node('line', { x1: x(low), x2: x(top), y1: y, y2: y, style: `stroke: ${c}; stroke-width: 1.5` }),
      node('rect', { x: x(q1), y: y - 7, width: Math.max(1, x(q3) - x(q1)), height: 14, rx: 2, style: `fill: ${c}; fill-opacity: .35; stroke: ${c}` }),
      node('line', { x1: x(q2), x2: x(q2), y1: y - 7, y2: y + 7, style: 'stroke: var(--ink); stroke-width: 2' }));
    for (const r of v) if (r[0] < low || r[0] > top) {
      const dot = node('circle', { cx: x(r[0]), cy: y, r: 2.4, style: `fill: ${c}` });
      tell(dot, () => [name, D.instances[r[1]].graph, number(r[0])]);
      g.append(dot);
    }
    const area = node('rect', { x: L, y: y - 9, width: W - L - R, height: 18, fill: 'transparent' });
    tell(area, () => [name, `${v.length} instances`, `median ${number(q2)}, middle half ${number(q1)} \u2013 ${number(q3)}`,
      `from ${number(v[0][0])} to ${number(v[v.length - 1][0])}`]);
    g.prepend(area);
    svg.append(g);
  });
  $('boxes-title').textContent = bounded ? 'Makespan over the lower bound' : 'Makespan over the best';
  $('boxes').replaceChildren(svg);
}
