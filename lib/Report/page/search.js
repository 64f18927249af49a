// Search.js: the sections of searches, tables, two runs and the method; then the start.

let chooseProblem = () => {};

// ---- Searches ---------------------------------------------------------------------------

/** The fastest time so far, by the number of trials. */
function bestSoFar(trials) {
  const points = [];
  let best = Infinity;
  trials.forEach((trial, i) => {
    if (D.trials.us[trial] > 0 && D.trials.status[trial] === 0) best = Math.min(best, D.trials.us[trial]);
    if (best < Infinity) points.push([i + 1, best]);
  });
  return points;
}

function trialTip(trial) {
  const T = D.trials, ok = T.status[trial] === 0;
  return [el("b", {}, ok ? `${us(T.us[trial])}, ${GRADES[T.grade[trial]]}` : statusOf(trial)), el("code", {}, scheduleOf(T.schedule[trial])),
    ok ? "" : el("div", {}, D.reasons[T.reason[trial]].slice(0, 300))];
}

/** Every problem's candidates, as parts of the fastest time. */
function drawAll() {
  const dots = [], list = [], curves = [];
  D.keys.trials.forEach((trials, key) => {
    const points = bestSoFar(trials);
    if (!points.length) return;
    const best = points[points.length - 1][1];
    curves.push(points.map(([x, value]) => [x, best / value]));
    trials.forEach((trial, i) => {
      if (D.trials.status[trial] || !(D.trials.us[trial] > 0)) return;
      dots.push({ x: i + 1, y: best / D.trials.us[trial], name: D.keys.chosen[key] === trial ? "orange" : "blue" });
      list.push([key, trial]);
    });
  });
  const most = Math.max(...curves.map((curve) => curve[curve.length - 1][0])), line = [];
  for (let x = 1; x <= most; x = Math.max(x + 1, Math.round(x * 1.05))) {
    const values = curves.map((curve) => (curve[Math.min(x, curve[curve.length - 1][0]) - curve[0][0]] || curve[0])[1]);
    line.push([x, median(values)]);
  }
  search.show({ title: "All searches", dots, tip: (i) => [el("b", {}, problemName(D.keys.problem[list[i][0]])), ...trialTip(list[i][1])], pick: (i) => (chooseProblem(list[i][0]), showTrial(...list[i])),
    key: [["blue", "a candidate"], ["orange", "chosen"], ["text", "fastest so far, median over problems"]], lines: [{ points: line, width: 2 }],
    x: { title: "number of the trial", log: most > 100, low: 1, text: short }, y: { title: "fastest time over this time", low: 0, high: 1, exactLow: true, text: (value) => digits(value, 1) } });
  $("trial").hidden = true;
}

function drawOne(key) {
  const trials = D.keys.trials[key], T = D.trials, points = bestSoFar(trials), steps = [];
  const times = trials.map((trial) => T.us[trial]).filter((value) => value > 0), floor = Math.min(...times, Infinity);
  points.forEach(([x, value], i) => {
    if (i) steps.push([x, points[i - 1][1]]);
    steps.push([x, value]);
  });
  const roofline = D.keys.roofline[key], isLog = Math.max(...times, 0) > 2 * floor, low = roofline > floor / 3 ? Math.min(roofline, floor) : floor;
  const dots = trials.map((trial, i) => T.status[trial] || !(T.us[trial] > 0) ? { x: i + 1, y: Number.isFinite(floor) ? low : 1, name: "grey", shape: "cross" }
    : { x: i + 1, y: T.us[trial], low: T.p10[trial], high: T.p90[trial], size: D.keys.chosen[key] === trial ? 5.5 : 3.2,
      name: D.keys.chosen[key] === trial ? "orange" : T.grade[trial] ? "blue" : "grey" });
  const lines = [{ points: steps, label: "" }];
  if (roofline > floor / 3) lines.push({ points: [[0.5, roofline], [trials.length + 1, roofline]], dash: [5, 4], name: "soft", label: "roofline" });
  search.show({ title: "Search of " + problemName(D.keys.problem[key]), dots, lines, tip: (i) => trialTip(trials[i]), pick: (i) => showTrial(key, trials[i]),
    key: [["orange", "chosen"], ["blue", "timed in turns"], ["grey", "short time; a cross failed"], ["text", "fastest so far"]],
    x: { title: "number of the trial", text: (value) => Number.isInteger(value) ? String(value) : "", low: 1 }, y: { title: "µs", log: isLog, low: roofline > floor / 3 ? roofline * 0.97 : undefined, text: (value) => String(+value.toPrecision(4)) } });
  if (D.keys.chosen[key] >= 0) showTrial(key, D.keys.chosen[key]);
  else $("trial").hidden = true;
}

function showTrial(key, trial) {
  Promise.all([readSchedules(), (kernelsNow ||= unpack("kernels").then((texts) => (kernelTexts = texts)))]).then(() => {
    const T = D.trials, problem = D.keys.problem[key], ok = T.status[trial] === 0;
    $("trial").hidden = false;
    put("trial", el("strong", {}, problemName(problem)), ` on ${chipName(D.keys.chip[key])}, trial ${D.keys.trials[key].indexOf(trial) + 1} of ${D.keys.trials[key].length}`, facts([
      ["result", ok ? `${us(T.us[trial])} (${us(T.p10[trial])} to ${us(T.p90[trial])}, ${T.samples[trial]} samples), ${GRADES[T.grade[trial]]}` : statusOf(trial)],
      ["speed", ok ? `${speed(D.problems.flops[problem], T.us[trial])}, ${percent(D.keys.roofline[key] / T.us[trial])} of the roofline` : ""],
      ["reason", D.reasons[T.reason[trial]]], ["schedule", el("code", {}, scheduleOf(T.schedule[trial]))], ["proposed by", D.policies[T.policy[trial]]],
      ["registers", T.registers[trial] ? String(T.registers[trial]) : ""], ["problem", el("code", {}, D.problems.key[problem])], ["toolchain", D.toolchains[T.tools[trial]]]]), kernelPart(key, trial));
  });
}

function drawSearches() {
  if (!D.keys.problem.length) return;
  $("search").hidden = false;
  search = new Plot("search-plot");
  const label = (key) => problemName(D.keys.problem[key]) + (D.chips.length > 1 || D.files.length > 1 ? `, ${chipName(D.keys.chip[key])}, ${nameOfFile(D.keys.file[key])}` : "");
  const order = range(D.keys.problem.length), places = new Map(order.map((key) => [label(key), key]));
  let now = -1;
  const input = el("input", { id: "problem", list: "names", placeholder: "all problems", autocomplete: "off", onchange: () => chooseProblem(places.get(input.value) ?? -1) });
  const step = (by) => chooseProblem((now + by + order.length + 1) % (order.length + 1) < order.length ? (now + by + order.length + 1) % (order.length + 1) : -1);
  put("search-controls", el("label", { class: "wide" }, "Problem", input), el("datalist", { id: "names" }, [...places.keys()].slice(0, MAX_LINES).map((name) => el("option", { value: name }))),
    el("button", { type: "button", id: "before", onclick: () => step(-1) }, "Previous"), el("button", { type: "button", id: "next", onclick: () => step(1) }, "Next"), el("button", { type: "button", id: "all", onclick: () => chooseProblem(-1) }, "All"));
  $("search-controls").onsubmit = (event) => event.preventDefault();
  chooseProblem = (key) => {
    now = key;
    input.value = key < 0 ? "" : label(key);
    $("search-note").textContent = key < 0 ? "A dot for each candidate that ran; its schedule is under the pointer, and a click opens its problem. Times of trials and of finals are not comparable to the percent."
      : "A dot for each candidate. The bar of a dot is from the 10th to the 90th percentile.";
    key < 0 ? drawAll() : drawOne(key);
    if (!$("tables").hidden && tab === "Trials") drawTable("Trials");
  };
  currentKey = () => (now < 0 ? 0 : now);
  chooseProblem(-1);
}

// ---- Tables -----------------------------------------------------------------------------

let tab, currentKey = () => 0, chosenNow;

function drawTable(name) {
  tab = name;
  for (const button of $("tabs").children) button.setAttribute("aria-selected", button.textContent === name);
  const P = D.problems, R = D.rows, T = D.trials, num = "num";
  const extents = ["m", "n", "k"].map((each) => ({ name: each.toUpperCase(), value: (row) => P[each][row.problem], kind: num }));
  const schedule = (of) => ({ name: "schedule", value: (row) => scheduleOf(of(row)), kind: "long" });
  withSchedules(() => {
    if (name === "Kernels")
      makeTable("table", [...extents, { name: "layout", value: (row) => layoutOf(row.problem) }, { name: "types", value: (row) => typeOf(row.problem), kind: "name" }, { name: "chip", value: (row) => chipName(row.chip) },
        { name: "time", value: (row) => row.us, text: us, kind: num }, { name: "TFLOP/s", value: (row) => P.flops[row.problem] / row.us * 1e-6, text: (value) => digits(value, 1), kind: num },
        { name: "roofline %", value: (row) => 100 * row.roofline / row.us, text: (value) => (value > 0 ? digits(value, 0) : "–"), kind: num }, schedule((row) => row.schedule)],
      chosenNow, { label: name, pick: (row) => row.kind === "key" && (chooseProblem(row.key), $("search").scrollIntoView()) });
    else if (name === "Comparisons")
      makeTable("table", [...extents, { name: "layout", value: (row) => layoutOf(row.problem) }, { name: "rival", value: (row) => R.rival[row.row], kind: "name" }, { name: "protocol", value: (row) => R.protocol[row.row], kind: "name" },
        { name: "launch", value: (row) => R.mode[row.row] }, { name: "time", value: (row) => R.us[row.row], text: us, kind: num }, { name: "theirs", value: (row) => R.theirs[row.row], text: us, kind: num },
        { name: "ratio", value: (row) => R.ratio[row.row], text: ratioText, kind: num }, { name: "low", value: (row) => R.low[row.row], text: ratioText, kind: num }, { name: "high", value: (row) => R.high[row.row], text: ratioText, kind: num },
        { name: "status", value: (row) => R.status[row.row] }, schedule((row) => R.schedule[row.row])], R.problem.map((problem, row) => ({ row, problem })), { label: name });
    else {
      const key = currentKey();
      makeTable("table", [{ name: "trial", value: (row) => row.number, kind: num }, { name: "time", value: (row) => T.us[row.trial], text: us, kind: num }, { name: "status", value: (row) => statusOf(row.trial), kind: "name" },
        { name: "grade", value: (row) => GRADES[T.grade[row.trial]] }, { name: "policy", value: (row) => D.policies[T.policy[row.trial]], kind: "name" }, { name: "reason", value: (row) => D.reasons[T.reason[row.trial]].slice(0, 200) },
        schedule((row) => T.schedule[row.trial])], D.keys.trials[key].map((trial, i) => ({ trial, number: i + 1 })), { label: "Trials of " + problemName(D.keys.problem[key]), pick: (row) => (showTrial(key, row.trial), $("trial").scrollIntoView({ block: "center" })) });
    }
  });
}

function drawTables() {
  const names = ["Kernels", D.rows.problem.length ? "Comparisons" : "", D.keys.problem.length ? "Trials" : ""].filter(Boolean);
  put("tabs", names.map((name) => el("button", { type: "button", role: "tab", onclick: () => drawTable(name) }, name)));
  drawTable("Kernels");
}

// ---- Two runs ---------------------------------------------------------------------------

function drawRuns() {
  const runs = [...groupBy(chosenNow, (each) => [nameOfFile(each.file), chipName(each.chip), each.kind === "key" ? D.keys.origin[each.key] : D.rows.mode[each.row] === "on" ? "" : "without programmatic launch", each.kind === "row" ? D.rows.set[each.row] : ""].filter(Boolean).join(", "))];
  if (runs.length < 2) return put("runs-note", "Two files, or two modes of launch in a file, can be compared here: hone report before.db after.db -o report.html");
  let [a, b] = [0, 1];
  const update = () => {
    const choices = runs.map(([name], i) => [String(i), name]);
    put("runs", select("First", choices, String(a), (value) => ((a = +value), update())), select("Second", choices, String(b), (value) => ((b = +value), update())));
    const first = new Map(runs[a][1].map((each) => [each.problem, each])), list = [];
    for (const each of runs[b][1]) {
      const other = first.get(each.problem);
      if (other) list.push({ problem: each.problem, first: other, second: each, ratio: other.us / each.us, same: other.schedule === each.schedule });
    }
    const ratios = list.map((each) => each.ratio);
    $("runs-note").textContent = list.length ? `${whole(list.length)} problems are in both. The first's time over the second's: geometric mean ${digits(geomean(ratios), 3)}, from ${ratioText(Math.min(...ratios))} to ${ratioText(Math.max(...ratios))}; the same schedule in ${whole(list.filter((each) => each.same).length)}. Times of two runs have no common turns.`
      : "No problem is in both.";
    $("runs-plot").hidden = $("runs-table").hidden = !list.length;
    if (!list.length) return;
    runsPlot ||= new Plot("runs-plot");
    const dots = list.map((each) => ({ x: D.problems.flops[each.problem], y: each.ratio, name: each.same ? "grey" : "blue" })), xs = dots.map((dot) => dot.x);
    runsPlot.show({ title: "Two runs", dots, height: 280, key: [["blue", "another schedule"], ["grey", "the same schedule"]],
      tip: (i) => [el("b", {}, problemName(list[i].problem)), `${us(list[i].first.us)} and ${us(list[i].second.us)}; ratio ${ratioText(list[i].ratio)}`],
      x: { title: "operations (2MNK)", log: true, text: short }, y: { title: "ratio; above 1 the second is faster", log: true, low: 0.95, high: 1.05, text: (value) => String(+value.toPrecision(3)) },
      under: [{ points: [[Math.min(...xs) / 9, 1], [Math.max(...xs) * 9, 1]], dash: [5, 4] }] });
    withSchedules(() => makeTable("runs-table", [{ name: "problem", value: (each) => problemName(each.problem), kind: "name" }, { name: "first", value: (each) => each.first.us, text: us, kind: "num" },
      { name: "second", value: (each) => each.second.us, text: us, kind: "num" }, { name: "ratio", value: (each) => each.ratio, text: ratioText, kind: "num" }, { name: "schedules", value: (each) => (each.same ? "the same" : "differ") },
      { name: "second's schedule", value: (each) => scheduleOf(each.second.schedule), kind: "long" }], list, { sort: 3, label: "Two runs" }));
  };
  update();
}

// ---- The method -------------------------------------------------------------------------

function drawMethod() {
  const T = D.trials, R = D.rows, parts = [];
  D.files.forEach((file, number) => {
    const trials = range(D.keys.problem.length).filter((key) => D.keys.file[key] === number).flatMap((key) => D.keys.trials[key]);
    const rows = range(R.problem.length).filter((row) => R.file[row] === number);
    const ran = trials.filter((trial) => T.us[trial] > 0), timed = rows.filter((row) => R.us[row] > 0);
    const spreads = [...ran.filter((trial) => T.grade[trial] > 0).map((trial) => (T.p90[trial] - T.p10[trial]) / T.us[trial]), ...timed.map((row) => (R.p90[row] - R.p10[row]) / R.us[row])];
    const clocks = sorted(ran.map((trial) => T.mhz[trial]).filter((value) => value > 0));
    const failed = [...groupBy(trials.filter((trial) => T.status[trial]), statusOf)].map(([name, all]) => `${whole(all.length)} ${name}`).join(", ");
    const list = (values) => distinct(values).slice(0, 6).join("; ");
    parts.push(el("h3", {}, file.name), facts([
      ["contents", file.kind === "database" ? `a database: ${whole(file.rows)} candidates` : `rows of hone bench gemm: ${whole(file.rows)}`],
      ["machines", list([...rows.map((row) => R.device[row]), ...range(D.keys.problem.length).filter((key) => D.keys.file[key] === number).map((key) => chipName(D.keys.chip[key]))])],
      ["driver and versions", list(trials.map((trial) => D.toolchains[T.tools[trial]]))], ["measured", file.first ? `${day(file.first)} to ${day(file.last)}` : ""],
      ["origin", list(range(D.keys.problem.length).filter((key) => D.keys.file[key] === number).map((key) => D.keys.origin[key]))],
      ["spread in finals", spreads.length ? `10th to 90th percentile: ${percent(median(spreads), 1)} of the median time` : ""],
      ["clock", clocks.length ? `${at(clocks, 0.1).toFixed(0)} to ${at(clocks, 0.9).toFixed(0)} MHz` : ""], ["failed candidates", failed], ["protocols", list(rows.map((row) => R.protocol[row]))], ["rounds", rows.length ? String(median(rows.map((row) => R.rounds[row]))) : ""]]));
  });
  put("method", parts, el("p", { class: "note" }, "A trial is short and alone; finalists take turns, in an order drawn anew for each round. A comparison's interval is a 95 % interval of the ratios of its rounds. The chip's published rates give the roofline."),
    el("p", { class: "note" }, `Written by hone ${D.hone}, LLVM ${D.llvm}, on ${day(D.made)}.`));
}

// ---- The start --------------------------------------------------------------------------

const redraws = [];

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = name === "dark" ? "Light" : "Dark";
  redraws.forEach((draw) => draw());
  plots.forEach((plot) => plot.draw());
}

async function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  $("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  $("kernel-close").onclick = () => $("kernel").close();
  D = await unpack("data");
  chosenNow = chosenKernels();
  const groups = groupsOfRows();
  drawSummary(chosenNow, groups);
  drawShapes(chosenNow, groups);
  await new Promise((go) => setTimeout(go)); // the page is shown
  drawRoofline(chosenNow);
  drawSearches();
  drawTables();
  drawRuns();
  drawMethod();
  put(document.querySelector("header nav"), [...document.querySelectorAll("section:not([hidden])")].map((each) => el("a", { href: "#" + each.id }, each.dataset.title)));
  document.documentElement.dataset.ready = "yes";
}
addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
start().catch((error) => {
  $("lede").textContent = "This browser cannot read the page's data: " + error.message + ". Use a browser of 2023 or later.";
});
