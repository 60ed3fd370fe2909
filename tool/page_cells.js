// ---- every cell, and its Gantt chart
function shade(r) { // 1 is green, 2 and more red
  const t = Math.min(1, Math.log2(Math.max(1, r)));
  return `hsl(${(130 - 130 * t).toFixed(0)} 60% ${(74 - 6 * t).toFixed(0)}%)`;
}
let chosen = null;
function matrix() {
  const top = element('thead'), head = element('tr'), body = element('tbody');
  head.append(element('th', 'graph'), element('th', 'tasks'), element('th', 'lower bound'), element('th', 'best'));
  for (const m of order) head.append(element('th', D.methods[m].name, 'method'));
  top.append(head);
  const many = key => D.instances.some(x => x[key] !== D.instances[0][key]);
  const platforms = many('platform'), links = many('link');
  D.instances.forEach((x, i) => {
    const tr = element('tr');
    const name = x.graph + (platforms ? `, ${x.platform}` : '') + (links ? `, ${x.link}` : '');
    const first = element('td', name);
    first.title = `${x.graph} on ${x.platform}, ${x.link}`;
    tr.append(first, element('td', number(x.tasks, 12)), element('td', seconds(x.bound)), element('td', seconds(x.best)));
    for (const m of order) {
      const v = x.value[m], r = v === null ? null : v === x.best ? 1 : v / x.best;
      const td = element('td', r === null ? '\u2013' : r.toFixed(3), r === null ? 'cell none' : 'cell');
      if (r !== null) td.style.background = shade(r);
      td.onclick = () => choose(i, m, td);
      td.dataset.cell = `${i} ${m}`;
      tell(td, () => [`${D.methods[m].name} on ${x.graph}`, v === null ? 'no schedule' : seconds(v)]
        .concat(v !== null && x.bound > 0 ? [`${number(v / x.bound)} times the lower bound (${x.by})`] : [])
        .concat(x.note[m] ? [x.note[m]] : []));
      tr.append(td);
    }
    body.append(tr);
  });
  $('matrix').replaceChildren(top, body);
}
function choose(i, m, td) {
  if (chosen) chosen.classList.remove('chosen');
  chosen = td;
  td.classList.add('chosen');
  gantt(i, m);
}
function gantt(i, m) {
  const x = D.instances[i], g = x.gantt[m];
  $('gantt-title').textContent = `${D.methods[m].name} on ${x.graph}, ${x.platform}, ${x.link}`;
  if (!g) {
    $('gantt').replaceChildren(element('p', x.value[m] === null ? `There is no schedule. ${x.note[m] || ''}`
      : 'This schedule is not in the page: there are too many, or the results came from files.', 'dim'));
    return;
  }
  const procs = x.names ? x.names.processor : [], used = new Set(), tasks = g.ran.length / 3;
  for (let k = 0; k < tasks; k++) used.add(g.ran[3 * k]);
  const lanes = procs.length <= 64 ? procs.map((_, q) => q) : [...used].sort((a, b) => a - b);
  const lane = new Map(lanes.map((q, k) => [q, k]));
  const W = 1160, L = 110, R = 20, row = lanes.length > 24 ? 16 : 26, T = 6, B = 36, H = T + B + row * lanes.length;
  const svg = node('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'Gantt chart' });
  const X = t => L + t * (W - L - R), end = g.makespan;
  for (const t of steps(0, end || 1, 10)) if (end) {
    svg.append(node('line', { class: 'grid', x1: X(t / end), x2: X(t / end), y1: T, y2: H - B }),
      node('text', { class: 'dim', x: X(t / end), y: H - B + 17, 'text-anchor': 'middle' }, seconds(t)));
  }
  lanes.forEach((q, k) => svg.append(node('text', { x: L - 10, y: T + row * k + row / 2 + 4, 'text-anchor': 'end' }, procs[q])));
  for (let k = 0; k < tasks; k++) {
    const q = g.ran[3 * k], from = g.ran[3 * k + 1] / D.parts, length = g.ran[3 * k + 2] / D.parts;
    const name = x.names && x.names.task[k] || `@${k}`, width = length * (W - L - R);
    const r = node('rect', { class: 'task', x: X(from).toFixed(2), y: T + row * lane.get(q) + 2, width: Math.max(.5, width).toFixed(2), height: row - 4,
      rx: width > 6 ? 2 : 0, fill: `hsl(${(k * 137.508 % 360).toFixed(0)} 45% var(--light))` });
    tell(r, () => [name, procs[q], `${seconds(from * end)} to ${seconds((from + length) * end)}`]);
    svg.append(r);
    if (width > 8 * name.length + 4 && row > 20)
      svg.append(node('text', { x: X(from) + width / 2, y: T + row * lane.get(q) + row / 2 + 4, 'text-anchor': 'middle',
        style: 'fill: var(--paper); pointer-events: none' }, name));
  }
  if (x.bound > 0 && x.bound <= end) svg.append(node('line', { x1: X(x.bound / end), x2: X(x.bound / end), y1: T, y2: H - B,
    style: 'stroke: var(--ink); stroke-dasharray: 5 4' }), node('text', { x: X(x.bound / end), y: H - 4, 'text-anchor': 'middle' }, 'lower bound'));
  $('gantt').replaceChildren(svg);
}

// ---- the page
function draw() {
  summary();
  drawProfile();
  drawBoxes();
}
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
document.title = `tgsched compare: ${D.title}`;
$('title').textContent = D.instances.length === 1 ? D.instances[0].graph : `${D.title}${D.instances.length > 1 ? ' and others' : ''}`;
$('what').textContent = `${plural(D.methods.length, 'heuristic')} on ${plural(D.instances.length, 'instance')}`
  + (D.instances.length ? `; ${[...new Set(D.instances.map(x => x.platform))].slice(0, 4).join('; ')}` : '');
reaches();
draw();
matrix();
{
  const first = D.instances.findIndex(x => x.best !== null);
  const m = first < 0 ? undefined : order.find(k => D.instances[first].value[k] === D.instances[first].best);
  if (m !== undefined) choose(first, m, document.querySelector(`[data-cell="${first} ${m}"]`));
}
