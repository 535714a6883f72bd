'use strict';
// The data of one schedule, and questions about it. Nothing here knows of the page.

const NOTE = 1, SWITCH = 2, PREEMPTION = 4, FOREIGN = 8, WAITS = 16, EARLY = 32;

// Why a step comes after another, told from the later one and from the earlier one.
const WHY = [
  ['reads what was written in', 'is read in'],
  ['takes the lock that was given up in', 'is followed by a lock in'],
  ['begins, spawned in', 'has its first step in'],
  ['has waited for the end in', 'ends a join in'],
  ['goes on after', 'lets go on'],
  ['receives what was sent in', 'is received in'],
  ['overwrites, without having seen it,', 'is overwritten unseen in'],
  ['finds what was left by', 'is met in'],
  ['finds the lock taken in', 'is in the way of'],
];
const SHORT = ['reads', 'lock', 'spawn', 'join', 'wakes', 'message', 'overwrites', 'then', 'taken'];
const OVERWRITES = 6;

// Lists of steps by a key: places in one array, so that 100,000 steps make no 100,000 lists.
class Index {
  constructor(size, keys) {
    this.start = new Int32Array(size + 1);
    for (const key of keys) if (key >= 0) this.start[key + 1]++;
    for (let key = 0; key < size; key++) this.start[key + 1] += this.start[key];
    this.steps = new Int32Array(this.start[size]);
    const next = this.start.slice();
    keys.forEach((key, step) => { if (key >= 0) this.steps[next[key]++] = step; });
  }
  of(key) { return this.steps.subarray(this.start[key], this.start[key + 1]); }
}

// How many entries of a sorted list are less than this.
function below(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

class Model {
  constructor(view) {
    Object.assign(this, view);
    this.count = view.lane.length;
    this.numbers = new Int32Array(this.count);
    for (let step = 0, number = 0; step < this.count; step++) {
      this.numbers[step] = number += view.bits[step] & NOTE ? 0 : 1;
    }
    const edges = view.edges.length / 3, from = new Int32Array(edges), to = new Int32Array(edges);
    for (let edge = 0; edge < edges; edge++) {
      from[edge] = view.edges[3 * edge];
      to[edge] = view.edges[3 * edge + 1];
    }
    this.from = new Index(this.count, from);
    this.to = new Index(this.count, to);
    this.byObject = new Index(1 + view.objects.reduce((most, [number]) => Math.max(most, number), 0), view.object);
    this.byLane = new Index(view.workers.reduce((most, worker) => Math.max(most, worker.number + 1), 1), view.lane);
    // Columns of one line are one place in the source pane.
    const lines = new Map();
    this.lineOf = view.sites.map(([file, line]) => {
      const key = file + ':' + line;
      if (!lines.has(key)) lines.set(key, lines.size);
      return lines.get(key);
    });
    this.lines = lines;
    this.files = new Map(view.sites.map(([file]) => [view.texts[file], file]));
    this.about = new Map(view.objects.map(([number, name, kind]) => [number, [name, kind]]));
    this.byLine = new Index(lines.size, view.place.map(place => place < 0 ? -1 : this.lineOf[place]));
    this.preemptions_ = this.pick(step => view.bits[step] & PREEMPTION);
    this.foreign = this.pick(step => view.bits[step] & FOREIGN).length;
    // The lines that were printed during a step.
    this.printedIn = new Map();
    for (const [step, who, text] of view.prints) {
      if (!this.printedIn.has(step)) this.printedIn.set(step, []);
      this.printedIn.get(step).push({ who, text });
    }
    this.named = new Map(view.workers.map(worker => [worker.number, worker]));
  }
  printed(step) { return this.printedIn.get(step) ?? []; }
  pick(is) {
    const picked = [];
    for (let step = 0; step < this.count; step++) if (is(step)) picked.push(step);
    return Int32Array.from(picked);
  }
  name(step) { return this.named.get(this.lane[step])?.name ?? 'w' + this.lane[step]; }
  said(step) { return this.texts[this.text[step]]; }
  file(place) { return this.texts[this.sites[place][0]]; }
  at(step, isShort) {
    if (this.place[step] < 0) return '';
    const file = this.file(this.place[step]);
    return (isShort ? file.split('/').pop() : file) + ':' + this.sites[this.place[step]][1];
  }
  crateOf(step) { return this.crate.length && this.crate[step] >= 0 ? this.texts[this.crate[step]] : ''; }
  edge(number) { return { from: this.edges[3 * number], to: this.edges[3 * number + 1], why: this.edges[3 * number + 2] }; }
  before(step) { return Array.from(this.to.of(step), edge => this.edge(edge)); }
  after(step) { return Array.from(this.from.of(step), edge => this.edge(edge)); }
  stepsOn(file, line) {
    const key = this.lines.get(this.files.get(file) + ':' + line);
    return key === undefined ? [] : this.byLine.of(key);
  }
  // The steps that are shown: on this object, of these workers, in the user's code.
  filter({ object, hidden, foreign }) {
    const steps = object < 0 ? null : this.byObject.of(object), shown = [];
    for (let at = 0, count = steps ? steps.length : this.count; at < count; at++) {
      const step = steps ? steps[at] : at;
      if (hidden.has(this.lane[step])) continue;
      if (!foreign && this.bits[step] & FOREIGN && step !== this.failing && !(this.bits[step] & WAITS)) continue;
      shown.push(step);
    }
    return Int32Array.from(shown);
  }
  // The shown steps with this in their text, place or worker.
  search(words, shown) {
    const wanted = words.toLowerCase(), is = text => text.toLowerCase().includes(wanted);
    const texts = this.texts.map(is), places = this.sites.map(([file, line]) => is(this.texts[file] + ':' + line));
    const lanes = new Set(this.workers.filter(worker => worker.name.toLowerCase() === wanted).map(worker => worker.number));
    return shown.filter(step => texts[this.text[step]] || lanes.has(this.lane[step])
      || this.place[step] >= 0 && places[this.place[step]] || String(this.numbers[step]) === wanted);
  }
  // What is between a shown step and the shown step before it.
  hiddenBetween(before, step) {
    const preempted = below(this.preemptions_, step + 1) - below(this.preemptions_, before + 1);
    return { steps: step - before - 1, preemptions: preempted };
  }
}
