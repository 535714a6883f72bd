// The page: draws the part of the schedule that is in the window, and follows keys and mouse.

const data = JSON.parse(document.getElementById('data').textContent);
const models = data.views.map(view => new Model(view));
const $ = id => document.getElementById(id);
const ROW = 44, LEFT = 62, TALLEST = 8e6;
const state = { model: models[0], cursor: 0, shown: new Int32Array(), hits: [], words: '', object: -1, hidden: new Set(), foreign: true };

function make(tag, className, text, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
const colour = lane => `var(--w${lane % 6})`;
const counted = (count, one, many = one + 's') => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

// Places on the page. A schedule may be longer than an element can be high: then it is scrolled in greater steps.
const place = {
  lanes: [], left: new Map(), width: 0, factor: 1, height: 0,
  measure() {
    this.lanes = state.model.workers.filter(worker => !state.hidden.has(worker.number));
    const room = $('grid').clientWidth - LEFT - 6;
    this.width = Math.max(130, Math.min(360, Math.floor(room / Math.max(1, this.lanes.length))));
    this.left = new Map(this.lanes.map((worker, column) => [worker.number, LEFT + column * this.width]));
    this.height = state.shown.length * ROW + 10;
    this.factor = Math.max(1, this.height / TALLEST);
    $('space').style.height = Math.ceil(this.height / this.factor) + 'px';
    $('space').style.width = LEFT + this.lanes.length * this.width + 6 + 'px';
  },
  window() { return $('grid').clientHeight - $('heads').offsetHeight; },
  // The first pixel that is shown, of all rows; and where that is in the element.
  top() { return $('grid').scrollTop * this.farthest() ; },
  farthest() {
    if (this.factor === 1) return 1;
    const window = this.window(), height = $('space').offsetHeight;
    return (this.height - window) / Math.max(1, height - window);
  },
  show(row) {
    const top = this.top(), window = this.window(), y = row * ROW, farthest = this.farthest();
    if (y < top + ROW / 2) $('grid').scrollTop = Math.max(0, y - ROW) / farthest;
    else if (y + 1.5 * ROW > top + window) $('grid').scrollTop = (y + 2 * ROW - window) / farthest;
    const x = this.left.get(state.model.lane[state.cursor]);
    if (x === undefined) return;
    const { scrollLeft, clientWidth } = $('grid');
    if (x - LEFT < scrollLeft) $('grid').scrollLeft = x - LEFT;
    else if (x + this.width > scrollLeft + clientWidth) $('grid').scrollLeft = x + this.width - clientWidth;
  },
};
const rowOf = step => {
  const row = below(state.shown, step);
  return state.shown[row] === step ? row : -1;
};

// ---- the schedule

function drawHeads() {
  const row = make('div', '', undefined, { role: 'row', 'aria-rowindex': 1 });
  const first = make('div', 'faint', 'step', { role: 'columnheader', 'aria-colindex': 1 });
  first.style.width = LEFT + 'px';
  row.append(first);
  place.lanes.forEach((worker, column) => {
    const head = make('div', '', undefined, { role: 'columnheader', 'aria-colindex': column + 2, title: worker.title });
    head.style.width = place.width + 'px';
    const name = make('strong', '', worker.by ? `${worker.name} \`${worker.by}\`` : worker.name);
    name.style.color = colour(worker.number);
    head.append(name, make('small', '', worker.spawned ? 'spawned ' + worker.spawned : worker.number ? worker.title : "the test's thread"));
    row.append(head);
  });
  $('heads').replaceChildren(row);
  $('grid').setAttribute('aria-rowcount', state.shown.length + 1);
  $('grid').setAttribute('aria-colcount', place.lanes.length + 1);
}

function drawRow(row, top, left) {
  const { model } = state, step = state.shown[row], bits = model.bits[step], lane = model.lane[step];
  const element = make('div', 'row', undefined, { role: 'row', id: 'step-' + step, 'aria-rowindex': row + 2 });
  element.style.top = top + 'px';
  element.dataset.step = step;
  if (step === state.cursor) {
    element.classList.add('cursor');
    element.setAttribute('aria-selected', 'true');
  }
  const isCertain = step === model.certain, number = bits & NOTE ? '·' : (isCertain ? '◆ ' : '') + model.numbers[step];
  const head = make('div', 'number', number, { role: 'rowheader', 'aria-colindex': 1 });
  head.style.left = left + 'px';
  element.append(head);
  const before = row ? state.shown[row - 1] : -1, gap = model.hiddenBetween(before, step);
  if (gap.steps > 0) {
    const preemptions = gap.preemptions ? ', ' + counted(gap.preemptions, 'preemption') : '';
    element.append(make('div', 'gap', `⋮ ${counted(gap.steps, 'step')} hidden${preemptions}`));
  } else if (bits & PREEMPTION && place.left.has(model.lane[before])) {
    const from = place.lanes.findIndex(worker => worker.number === model.lane[before]);
    const label = make('div', 'preempted', 'preempted', { role: 'gridcell', 'aria-colindex': from + 2 });
    label.style.left = place.left.get(model.lane[before]) + 22 + 'px';
    label.title = `${model.name(before)} could have gone on`;
    element.append(label);
  }
  const box = make('div', 'box', undefined, { role: 'gridcell', title: `${model.said(step)}\n${model.at(step)}` });
  box.setAttribute('aria-colindex', place.lanes.findIndex(worker => worker.number === lane) + 2);
  box.style.left = place.left.get(lane) + 'px';
  box.style.width = place.width - 14 + 'px';
  box.style.borderColor = step === model.failing ? '' : colour(lane);
  if (bits & NOTE) box.classList.add('note');
  if (bits & FOREIGN) box.classList.add('foreign');
  if (step === model.failing) box.classList.add('failing');
  if (isCertain) element.classList.add('certain');
  if (state.words && state.hits[below(state.hits, step)] === step) box.classList.add('found');
  const marks = [];
  if (bits & EARLY) marks.push('early');
  for (const { from, why } of model.before(step)) if (why === OVERWRITES) marks.push('◀ overwrites ' + model.numbers[from]);
  if (isCertain) marks.unshift('◆ certain from here');
  if (step === model.failing) marks.unshift(data.mark);
  marks.push(model.at(step, true));
  if (model.crateOf(step)) marks.push('in ' + model.crateOf(step));
  for (const { text } of model.printed(step).slice(0, 1)) marks.push('» ' + text);
  box.append(make('span', '', model.said(step)), make('small', '', marks.filter(Boolean).join(' · ')));
  element.append(box);
  return element;
}

// A line with a head, as SVG.
function arrow(svg, kind, path, x, y, angle, label = '', labelX = 0, labelY = 0, anchor = 'start') {
  const node = (tag, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    svg.append(made);
    return made;
  };
  node('path', { class: kind, d: path });
  node('path', { class: 'head ' + kind, d: 'M0 0L-7 -4L-7 4Z', transform: `translate(${x} ${y}) rotate(${angle})` });
  if (label) node('text', { class: kind, x: labelX, y: labelY, 'text-anchor': anchor }).textContent = label;
}

function drawArrows(first, last, top, scrolled, window, end) {
  const { model } = state;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('width', LEFT + place.lanes.length * place.width);
  svg.setAttribute('height', 10);
  svg.style.top = scrolled + 'px';
  const y = row => row * ROW - top;
  for (let row = Math.max(1, first); row <= last; row++) {
    const step = state.shown[row], before = state.shown[row - 1];
    if (step !== before + 1 || !(model.bits[step] & SWITCH)) continue;
    const from = place.left.get(model.lane[before]) + 12, to = place.left.get(model.lane[step]), right = to > from;
    const end = right ? to : to + place.width - 14, level = y(row) + 22;
    const kind = model.bits[step] & PREEMPTION ? 'preemption' : 'switch';
    arrow(svg, kind, `M${from} ${y(row) - 5}V${level - 6}Q${from} ${level} ${from + (right ? 6 : -6)} ${level}H${end}`, end, level, right ? 0 : 180);
  }
  const edges = [...model.before(state.cursor), ...model.after(state.cursor).slice(0, 12)];
  edges.forEach(({ from, to, why }, nth) => {
    const [one, other] = [rowOf(from), rowOf(to)];
    if (one < 0 || other < 0) return;
    const right = step => place.left.get(model.lane[step]) + place.width - 14;
    const [x1, y1, x2, y2] = [right(from), y(one) + 28, right(to), y(other) + 14];
    const bend = Math.max(x1, x2) + 10 + (nth % 3) * 6;
    const middle = (Math.max(6, y1) + Math.min(window - 6, y2)) / 2, isRace = why === OVERWRITES;
    arrow(svg, isRace ? 'edge race' : 'edge', `M${x1} ${y1}C${bend} ${y1} ${bend} ${y1} ${bend} ${y1 + 10}V${y2 - 10}C${bend} ${y2} ${bend} ${y2} ${x2 + 6} ${y2}`,
      x2, y2, 180, SHORT[why], bend - 3, middle, bend + 90 > end ? 'end' : 'start');
  });
  $('arrows').replaceChildren(svg);
}

// What the page has is read before anything is written: to read in between costs a layout.
let isDue = false, told = -1;
function draw() {
  isDue = false;
  const { shown } = state, { scrollTop: scrolled, scrollLeft, clientWidth } = $('grid');
  const top = place.top(), window = place.window(), first = Math.max(0, Math.floor(top / ROW) - 2);
  const last = Math.min(shown.length - 1, Math.ceil((top + window) / ROW) + 2);
  const rows = place.lanes.map(worker => {
    const lane = make('div', 'lane');
    lane.style.left = place.left.get(worker.number) + 10 + 'px';
    lane.style.background = colour(worker.number);
    return lane;
  });
  const cursor = rowOf(state.cursor);
  if (cursor >= 0 && cursor < first) rows.push(drawRow(cursor, cursor * ROW - top + scrolled, scrollLeft));
  for (let row = first; row <= last; row++) rows.push(drawRow(row, row * ROW - top + scrolled, scrollLeft));
  if (cursor > last) rows.push(drawRow(cursor, Math.min(cursor * ROW - top + scrolled, TALLEST), scrollLeft));
  $('rows').replaceChildren(...rows);
  if (cursor >= 0) $('grid').setAttribute('aria-activedescendant', 'step-' + state.cursor);
  drawArrows(first, last, top, scrolled, window, scrollLeft + clientWidth);
  if (told === state.cursor) return;
  told = state.cursor;
  drawStep();
  drawSource();
}
function drawSoon() {
  if (!isDue) requestAnimationFrame(draw);
  isDue = true;
}

// All shown steps in a few pixels: lanes, preemptions, the failure.
function drawOverview() {
  const canvas = $('overview'), { model, shown } = state, style = getComputedStyle(document.documentElement);
  const height = canvas.height = Math.max(1, $('grid').clientHeight), context = canvas.getContext('2d');
  const fill = (name, x, y, width, tall) => {
    context.fillStyle = style.getPropertyValue(name);
    context.fillRect(x, y, width, tall);
  };
  const lanes = new Map(place.lanes.map((worker, column) => [worker.number, column]));
  const tall = Math.max(1, height / shown.length), wide = Math.max(2, 14 / lanes.size), each = Math.max(1, Math.floor(shown.length / height / 4));
  for (let row = 0; row < shown.length; row += each) {
    const lane = model.lane[shown[row]];
    fill(`--w${lane % 6}`, 1 + lanes.get(lane) * 14 / lanes.size, row * height / shown.length, wide, tall);
  }
  if (model.preemptions_.length < height) for (const step of model.preemptions_) {
    fill('--bad', 0, below(shown, step) * height / shown.length, 6, 2);
  }
  if (model.certain !== null) fill('--text', 0, below(shown, model.certain) * height / shown.length, 16, 2);
  fill('--bad', 0, below(shown, model.failing) * height / shown.length, 16, 3);
}

// ---- beside it

function link(step, text) {
  const button = make('button', 'link', text, { type: 'button' });
  button.onclick = () => go(step);
  return button;
}

function drawStep() {
  const { model, cursor } = state, box = $('step'), list = make('ul');
  const title = model.bits[cursor] & NOTE ? `During step ${model.numbers[cursor]}` : `Step ${model.numbers[cursor]} of ${model.steps}`;
  $('step-title').textContent = title;
  const text = make('div', 'text mono'), name = make('strong', '', model.name(cursor));
  name.style.color = colour(model.lane[cursor]);
  text.append(name, ' ' + model.said(cursor));
  const item = (...parts) => {
    const line = make('li');
    line.append(...parts);
    list.append(line);
  };
  const told = step => `step ${model.numbers[step]}: ${model.name(step)} ${model.said(step)}`;
  if (cursor === model.certain) item(`◆ ${model.certainty}`);
  if (model.bits[cursor] & PREEMPTION) item(`after a preemption: ${model.name(cursor - 1)} could have gone on`);
  for (const { from, why } of model.before(cursor)) item(`↑ ${WHY[why][0]} `, link(from, told(from)));
  const after = model.after(cursor);
  for (const { to, why } of after.slice(0, 8)) item(`↓ ${WHY[why][1]} `, link(to, told(to)));
  if (after.length > 8) item(`↓ and ${counted(after.length - 8, 'more step')}`);
  const printed = model.printed(cursor);
  for (const { who, text } of printed.slice(-8)) item(make('span', 'mono', `» ${text}`), ` printed by ${who}`);
  if (printed.length > 8) item(`» after ${counted(printed.length - 8, 'more line')}`);
  const object = model.object[cursor];
  if (object >= 0) {
    const [name, kind] = model.about.get(object), steps = model.byObject.of(object), at = below(steps, cursor);
    const parts = [`${kind === name ? '' : kind + ' '}\`${name}\`: step ${at + 1} of ${steps.length} on it `];
    if (at > 0) parts.push(link(steps[at - 1], 'before'), ' ');
    if (at + 1 < steps.length) parts.push(link(steps[at + 1], 'next'));
    item(...parts);
  }
  const own = model.byLane.of(model.lane[cursor]), nth = below(own, cursor), along = [];
  if (nth > 0) along.push(link(own[nth - 1], 'before'), ' ');
  if (nth + 1 < own.length) along.push(link(own[nth + 1], 'next'));
  item(`${model.name(cursor)}: step ${nth + 1} of ${own.length} of it `, ...along);
  box.replaceChildren(text, list);
}

function drawSource() {
  const { model, cursor } = state, at = model.place[cursor], box = $('source');
  $('source-title').textContent = at < 0 ? 'Source' : `Source · ${model.at(cursor)}`;
  const file = at < 0 ? '' : model.file(at), known = data.source[file];
  if (!known) {
    box.replaceChildren(make('p', 'faint', at < 0 ? 'This step has no place in the source.' : 'The text is not known.'));
    return;
  }
  const here = model.sites[at][1], lines = make('div', 'lines', undefined, { tabindex: 0, role: 'group', 'aria-label': file });
  const near = known.filter(([number]) => Math.abs(number - here) <= 12);
  // The indentation that all of them have says nothing.
  const indent = Math.min(...near.filter(([, text]) => text.trim()).map(([, text]) => text.search(/\S/)));
  let marked;
  for (const [number, text] of near) {
    const line = make('div', number === here ? 'line here' : 'line');
    const tags = make('span', 'tags');
    line.append(make('span', 'no', number), text.slice(indent), tags);
    const steps = model.stepsOn(file, number), at = below(steps, cursor);
    const first = Math.max(0, Math.min(at - 1, steps.length - 3));
    if (first > 0) tags.append(make('span', 'faint', ` ${first} before `));
    for (const step of steps.slice(first, first + 3)) {
      const tag = make('button', 'tag', `${model.numbers[step]} ${model.name(step)}`, { type: 'button', title: model.said(step), tabindex: -1 });
      tag.style.color = colour(model.lane[step]);
      if (step === cursor) tag.setAttribute('aria-current', 'true');
      tag.onclick = () => go(step);
      tags.append(tag);
    }
    if (first + 3 < steps.length) tags.append(make('span', 'faint', ` ${steps.length - first - 3} after`));
    if (number === here) marked = line;
    lines.append(line);
  }
  box.replaceChildren(lines);
  if (marked) lines.scrollTop = marked.offsetTop - lines.offsetTop - lines.clientHeight / 2;
}

function drawEnd() {
  const { model } = state, parts = [];
  if (model.waits) parts.push(make('pre', '', model.waits.trimEnd(), { tabindex: 0 }));
  for (const worker of model.workers) {
    const line = make('div', 'mono'), name = make('strong', '', worker.name);
    name.style.color = colour(worker.number);
    line.append(name, ` ${worker.end}`);
    if (worker.last != null) line.append(' · ', link(worker.last, `step ${model.numbers[worker.last]}: ${model.said(worker.last)}`));
    parts.push(line);
  }
  $('end').replaceChildren(...parts);
}

// ---- what is done

// Moves the cursor to a step, shown or not: a filter that hides it ends.
function go(step) {
  if (step === undefined || step < 0 || step >= state.model.count) return;
  state.cursor = step;
  if (rowOf(step) < 0) return clear();
  place.show(rowOf(step));
  drawSoon();
}
// So many rows from the cursor.
function move(rows) {
  const row = Math.max(0, Math.min(state.shown.length - 1, below(state.shown, state.cursor) + rows));
  if (state.shown.length) go(state.shown[row]);
}
// The next of a sorted list, or the one before.
function goAlong(list, isBack) {
  const at = isBack ? below(list, state.cursor) - 1 : below(list, state.cursor + 1);
  if (list[at] !== undefined) go(list[at]);
}
function goToHit(isBack) {
  if (!state.hits.length) return;
  const at = isBack ? below(state.hits, state.cursor) - 1 : below(state.hits, state.cursor + 1);
  go(state.hits[(at + state.hits.length) % state.hits.length]);
  tellHits();
}
function tellHits() {
  const at = below(state.hits, state.cursor), isOn = state.hits[at] === state.cursor;
  $('hits').textContent = !state.words ? '' : !state.hits.length ? 'not found'
    : isOn ? `${at + 1} of ${state.hits.length.toLocaleString('en')}` : counted(state.hits.length, 'step');
}
function search(words) {
  state.words = words.trim();
  state.hits = state.words ? state.model.search(state.words, state.shown) : [];
  tellHits();
  drawSoon();
}
function clear() {
  Object.assign(state, { object: -1, hidden: new Set(), foreign: true });
  fillFilters();
  filter();
}
// Shows what the filters let through; the cursor goes to the next step that is shown.
function filter() {
  const { model } = state;
  state.shown = model.filter(state);
  const hidden = model.count - state.shown.length;
  $('clear').hidden = !hidden;
  $('shown').textContent = hidden ? `${counted(state.shown.length, 'row')} shown, ${hidden.toLocaleString('en')} hidden` : '';
  place.measure();
  drawHeads();
  search($('search').value);
  const row = Math.min(below(state.shown, state.cursor), state.shown.length - 1);
  if (row >= 0) go(state.shown[row]); else drawSoon();
  drawOverview();
}
function fillFilters() {
  const { model } = state, select = $('object');
  const counts = model.objects.map(([number, name, kind]) => [number, name, kind, model.byObject.of(number).length]);
  select.replaceChildren(make('option', '', 'all', { value: -1 }), ...counts.map(([number, name, kind, count]) =>
    make('option', '', `${name}${name.startsWith(kind) ? '' : ' · ' + kind} (${count})`, { value: number })));
  select.value = state.object;
  $('workers').replaceChildren(...model.workers.map(worker => {
    const label = make('label'), box = make('input', '', undefined, { type: 'checkbox', value: worker.number });
    box.checked = !state.hidden.has(worker.number);
    box.onchange = () => {
      if (box.checked) state.hidden.delete(worker.number); else state.hidden.add(worker.number);
      filter();
    };
    label.append(box, ` ${worker.name} (${model.byLane.of(worker.number).length})`);
    return label;
  }));
  $('foreign-label').hidden = !model.foreign;
  $('foreign-label').lastChild.textContent = ` ${counted(model.foreign, 'step')} in dependencies`;
  $('foreign').checked = state.foreign;
}
function view(model) {
  Object.assign(state, { model, cursor: model.failing, object: -1, hidden: new Set() });
  told = -1;
  // Two screens of an executor's steps hide what a test does.
  state.foreign = model.foreign < 40 || 2 * model.foreign < model.count;
  $('length').textContent = [counted(model.steps, 'step'), counted(model.switches, 'switch', 'switches'), counted(model.preemptions, 'preemption')].join(', ');
  $('views').querySelectorAll('button').forEach((button, at) => button.setAttribute('aria-pressed', models[at] === model));
  drawCertainty();
  fillFilters();
  filter();
  drawEnd();
}
// The sentence about it, which leads to the step.
function drawCertainty() {
  const { model } = state, line = $('certain');
  line.hidden = !model.certainty;
  line.replaceChildren(...model.certain === null ? [model.certainty ?? ''] : [link(model.certain, `◆ ${model.certainty}`)]);
}
function onlyObject() {
  const object = state.model.object[state.cursor];
  state.object = state.object >= 0 ? -1 : object;
  $('object').value = state.object;
  filter();
}

const KEYS = {
  ArrowRight: () => move(1), ArrowDown: () => move(1), ArrowLeft: () => move(-1), ArrowUp: () => move(-1),
  PageDown: () => move(Math.floor(place.window() / ROW) - 1), PageUp: () => move(1 - Math.floor(place.window() / ROW)),
  Home: () => move(-state.shown.length), End: () => move(state.shown.length),
  Escape: () => { $('search').value = ''; clear(); $('grid').focus(); },
};
const LETTERS = {
  j: () => move(1), k: () => move(-1), f: () => go(state.model.failing), c: () => go(state.model.certain ?? -1),
  p: () => goAlong(state.model.preemptions_), P: () => goAlong(state.model.preemptions_, true),
  w: () => goAlong(state.model.byLane.of(state.model.lane[state.cursor])),
  W: () => goAlong(state.model.byLane.of(state.model.lane[state.cursor]), true),
  b: () => go(state.model.before(state.cursor)[0]?.from), o: onlyObject,
  n: () => goToHit(false), N: () => goToHit(true),
  t: () => view(models[(models.indexOf(state.model) + 1) % models.length]),
  '/': () => { $('search').focus(); $('search').select(); }, '?': () => $('help').showModal(),
};
addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
  const target = event.target, isField = target.matches('input, select, summary');
  const scrolls = target.matches('.lines, #end pre, #printed, #message');
  if (target === $('search') && event.key === 'Enter') {
    event.preventDefault();
    return goToHit(event.shiftKey);
  }
  if (event.key !== 'Escape' && (isField || scrolls && event.key.length > 1)) return;
  const act = KEYS[event.key] ?? ($('letters').checked || '/?'.includes(event.key) ? LETTERS[event.key] : undefined);
  if (!act) return;
  event.preventDefault();
  act();
});
$('grid').addEventListener('scroll', drawSoon, { passive: true });
$('rows').addEventListener('click', event => {
  const row = event.target.closest('.row');
  if (row) go(+row.dataset.step);
});
$('overview').addEventListener('click', event => move(Math.floor(event.offsetY / $('overview').clientHeight * state.shown.length) - below(state.shown, state.cursor)));
$('search').addEventListener('input', event => search(event.target.value));
$('object').addEventListener('change', event => { state.object = +event.target.value; filter(); });
$('foreign').addEventListener('change', event => { state.foreign = event.target.checked; filter(); });
$('clear').addEventListener('click', () => { clear(); $('grid').focus(); });
$('help-button').addEventListener('click', () => $('help').showModal());
addEventListener('resize', () => { place.measure(); drawHeads(); drawSoon(); drawOverview(); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawOverview);

$('label').textContent = data.label;
$('test').textContent = data.test;
$('message').textContent = data.message;
$('facts').textContent = [data.id, ...data.facts.map(([name, value]) => `${name} ${value}`)].join(' · ');
if (data.printed) {
  $('printed-card').hidden = false;
  $('printed').textContent = data.printed;
}
if (models.length > 1) {
  $('views').hidden = false;
  $('views').append(...models.map(model => {
    const button = make('button', '', `${model.title} · ${model.steps.toLocaleString('en')}`, { type: 'button', 'aria-keyshortcuts': 't' });
    button.onclick = () => view(model);
    return button;
  }));
}
for (const command of data.commands) {
  const line = make('div', 'command'), copy = make('button', '', 'Copy', { type: 'button', 'aria-label': `Copy: ${command}` });
  copy.onclick = () => navigator.clipboard?.writeText(command).then(() => { copy.textContent = 'Copied'; });
  line.append(make('code', '', command, { tabindex: 0 }), copy);
  $('commands').append(line);
}
view(models[0]);
$('grid').focus({ preventScroll: true });
