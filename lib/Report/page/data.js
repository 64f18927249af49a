// Data.js: the data of a report, and the small functions that all of the page uses.
"use strict";

let D, scheduleTexts, kernelTexts;

// ---- Elements ---------------------------------------------------------------------------

const $ = (id) => document.getElementById(id);

/** Makes an element. Texts become text nodes, never markup. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined));
  return node;
}

const put = (place, ...children) => (typeof place === "string" ? $(place) : place).replaceChildren(...children.flat(Infinity).filter((each) => each !== null && each !== undefined));
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function select(label, choices, value, change) {
  const box = el("select", { onchange: () => change(box.value) },
    choices.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
  return el("label", {}, label, box);
}

// ---- Numbers ----------------------------------------------------------------------------

const digits = (value, count) => value.toLocaleString("en", { minimumFractionDigits: count, maximumFractionDigits: count });
const whole = (value) => value.toLocaleString("en");
const us = (value) => !(value > 0) ? "–" : value >= 1e5 ? digits(value / 1e3, 1) + " ms" : digits(value, value < 10 ? 3 : value < 100 ? 2 : 1) + " µs";
const percent = (part, count = 0) => Number.isFinite(part) && part > 0 ? digits(100 * part, count) + " %" : "–";
const ratioText = (value) => value > 0 ? digits(value, 3) : "–";
const SUFFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
function short(value) {
  for (const [size, letter] of SUFFIXES) if (value >= size) return +(value / size).toPrecision(3) + letter;
  return String(+value.toPrecision(3));
}
/** Operations in so many microseconds, as a speed. */
const speed = (flops, us) => short(flops / us * 1e6).replace(/[A-Za-z]?$/, " $&") + "FLOP/s";
const day = (seconds) => seconds ? new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "–";

const sum = (values) => values.reduce((a, b) => a + b, 0);
const mean = (values) => values.length ? sum(values) / values.length : NaN;
const geomean = (values) => Math.exp(mean(values.map(Math.log)));
/** A quantile of sorted values. */
function at(sorted, part) {
  if (!sorted.length) return NaN;
  const place = part * (sorted.length - 1), low = Math.floor(place);
  return sorted[low] + (place - low) * (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]);
}
const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => at(sorted(values), 0.5);
const distinct = (values) => [...new Set(values)];
function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    groups.has(key) ? groups.get(key).push(value) : groups.set(key, [value]);
  }
  return groups;
}
const range = (count) => Array.from({ length: count }, (_, i) => i);

// ---- Packed data ------------------------------------------------------------------------

async function unpack(id) {
  const text = atob($(id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Schedules are unpacked when the first one is shown. */
let scheduleReading;
function readSchedules() {
  return (scheduleReading ||= unpack("schedules").then((texts) => (scheduleTexts = texts)));
}
const scheduleOf = (number) => (scheduleTexts ? scheduleTexts[number] : (readSchedules(), "…"));

// ---- Measurements -----------------------------------------------------------------------

const problemName = (problem) => D.problems.name[problem];
const layoutOf = (problem) => D.layouts[D.problems.layout[problem]];
const typeOf = (problem) => D.types[D.problems.type[problem]];
const chipName = (chip) => D.chips[chip].name;
const nameOfFile = (file) => D.files[file].name;
const statusOf = (trial) => D.statuses[D.trials.status[trial]];
const GRADES = ["trial", "finalist", "chosen"];

/** The chosen kernels: of databases, and of rows of a benchmark. */
function chosenKernels() {
  const found = [];
  D.keys.problem.forEach((problem, key) => {
    const trial = D.keys.chosen[key];
    if (trial < 0) return;
    found.push({ kind: "key", key, trial, problem, chip: D.keys.chip[key], file: D.keys.file[key], us: D.trials.us[trial],
      p10: D.trials.p10[trial], p90: D.trials.p90[trial], roofline: D.keys.roofline[key], schedule: D.trials.schedule[trial] });
  });
  const seen = new Set();
  D.rows.problem.forEach((problem, row) => {
    const R = D.rows, id = [R.file[row], R.set[row], problem, R.mode[row]].join();
    if (R.protocol[row] !== "device" || R.status[row] !== "ok" || !(R.us[row] > 0) || seen.has(id)) return;
    seen.add(id);
    found.push({ kind: "row", row, problem, chip: R.chip[row], file: R.file[row], us: R.us[row], p10: R.p10[row], p90: R.p90[row],
      roofline: R.roofline[row], schedule: R.schedule[row] });
  });
  return found;
}

/** Rows of one comparison: {file, set, type, protocol, mode, rival, layout}; the layout "better" is that of each side. */
function comparisons(filter) {
  const R = D.rows, P = D.problems;
  const chosen = range(R.problem.length).filter((i) => R.protocol[i] !== "search" && groupOf(i) === filter.group &&
    (filter.layout === "better" || layoutOf(R.problem[i]) === filter.layout));
  const groups = groupBy(chosen, (i) => [P.m, P.n, P.k, P.batch].map((column) => column[R.problem[i]]).join("x"));
  const result = [];
  for (const rows of groups.values()) {
    const least = (column) => rows.reduce((best, i) => column[i] > 0 && (best < 0 || column[i] < column[best]) ? i : best, -1);
    const ours = least(R.us.map((value, i) => R.status[i] === "ok" ? value : 0)), theirs = least(R.theirs);
    if (ours < 0 || theirs < 0) continue;
    const ratio = ours === theirs ? R.ratio[ours] : R.theirs[theirs] / R.us[ours];
    // Of two rows the intervals are joined as independent errors.
    const halves = [ours, theirs].map((i) => R.ratio[i] > 0 ? Math.log(R.high[i] / R.ratio[i]) : 0);
    const factor = Math.exp(Math.hypot(...halves));
    const [low, high] = ours === theirs ? [R.low[ours], R.high[ours]] : [ratio / factor, ratio * factor];
    if (ratio > 0) result.push({ row: ours, theirs, problem: R.problem[ours], ratio, low, high, us: R.us[ours], theirUs: R.theirs[theirs], roofline: R.roofline[ours] });
  }
  return result;
}

/** The rows that are compared with each other; a number, so that it is quick. */
let groupNumbers, groupNames;
function groupOf(row) {
  if (!groupNumbers) {
    const R = D.rows, places = new Map();
    groupNames = [];
    groupNumbers = R.problem.map((problem, i) => {
      const parts = [R.file[i], R.set[i], D.types[D.problems.type[problem]], R.protocol[i], R.mode[i], R.rival[i]], text = parts.join("\n");
      if (!places.has(text)) places.set(text, groupNames.push(parts) - 1);
      return places.get(text);
    });
  }
  return groupNumbers[row];
}

/** Won and lost: one is outside of the interval. */
function tally(list) {
  const ratios = list.map((each) => each.ratio);
  return { count: list.length, geomean: geomean(ratios), mean: mean(ratios), won: list.filter((each) => each.low > 1).length,
    lost: list.filter((each) => each.high < 1 && each.high > 0).length, worst: Math.min(...ratios), best: Math.max(...ratios) };
}
