// Sections.js: the sections of the page, from the data to their charts and tables.

const MAX_LINES = 2000;
let work, roof, search, runsPlot, kernelsNow;

// ---- Parts that several sections have ---------------------------------------------------

const quoted = (text) => "'" + text.replace(/'/g, "'\\''") + "'";

/** Terms and values. */
const facts = (pairs) => el("dl", {}, pairs.filter((pair) => pair[1] !== "" && pair[1] !== undefined).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

async function showKernel(key) {
  kernelTexts ||= await unpack("kernels");
  $("kernel-name").textContent = problemName(D.keys.problem[key]) + " on " + chipName(D.keys.chip[key]);
  $("kernel-text").textContent = kernelTexts[key];
  $("kernel").showModal();
}

/** A button for kernel IR that is in the page; else the command that prints it. */
function kernelPart(key, trial) {
  const problem = D.keys.problem[key], isChosen = D.keys.chosen[key] === trial;
  if (isChosen && kernelTexts?.[key] !== undefined)
    return el("p", {}, el("button", { type: "button", class: "ir", onclick: () => showKernel(key) }, "Kernel IR"));
  const command = `hone db kernel ${quoted(nameOfFile(D.keys.file[key]))} --arch=${quoted(chipName(D.keys.chip[key]))} --problem=${quoted(D.problems.key[problem])} --schedule=${quoted(scheduleOf(D.trials.schedule[trial]))}`;
  return [el("p", { class: "note" }, "Its kernel IR is printed by"), el("pre", {}, command)];
}

const withSchedules = (draw) => readSchedules().then(draw);

// ---- Summary ----------------------------------------------------------------------------

function groupsOfRows() {
  const R = D.rows, groups = new Map();
  R.problem.forEach((problem, i) => R.protocol[i] !== "search" && R.rival[i] !== "none" && groups.set(groupOf(i), true));
  return [...groups.keys()].map((group) => {
    const [file, set, type, protocol, mode, rival] = groupNames[group];
    return { group, file, set, type, protocol, mode, rival, layout: "better" };
  });
}

function drawSummary(chosen, groups) {
  const tiles = [], words = [];
  const tile = (value, text) => tiles.push(el("div", { class: "tile" }, el("b", {}, value), el("span", {}, text)));
  const tallies = groups.map((filter) => ({ ...filter, ...tally(comparisons(filter)) })).filter((each) => each.count);
  if (tallies.length) {
    const order = (each) => (each.protocol === "device" ? 1e6 : 0) + (each.rival === "cublaslt-auto" ? 1e5 : 0) + (each.mode === "on" ? 1e4 : 0) + each.count;
    const top = tallies.reduce((best, each) => (order(each) > order(best) ? each : best));
    const noise = top.count - top.won - top.lost;
    words.push(`Against ${top.rival} (${top.protocol}, ${top.type}), Hone's geometric mean is ${digits(top.geomean, 3)} over ${whole(top.count)} shapes: ${whole(top.won)} faster, ${whole(noise)} within noise, ${whole(top.lost)} slower.`);
    tile(digits(top.geomean, 3), `geometric mean against ${top.rival}`);
    tile(percent((top.won + noise) / top.count), "faster or within noise");
    tile(ratioText(top.worst), "worst ratio");
  }
  const keys = chosen.filter((each) => each.kind === "key");
  if (D.keys.problem.length) {
    const shares = keys.filter((each) => each.roofline > 0).map((each) => each.roofline / each.us);
    words.push(`${whole(D.trials.us.length)} candidates of ${whole(D.keys.problem.length)} problems` + (shares.length ? `; the chosen kernels reach ${percent(median(shares))} of the roofline in the median.` : "."));
    tile(whole(D.keys.problem.length), "problems searched");
    tile(whole(D.trials.us.length), "candidates tried");
    if (shares.length) tile(percent(median(shares)), "of the roofline, median");
  }
  put("lede", words.join(" "));
  put("tiles", tiles);
  if (tallies.length)
    makeTable("summary", [
      { name: "rival", value: (each) => each.rival, kind: "name" }, { name: "protocol", value: (each) => each.protocol, kind: "name" },
      { name: "programmatic launch", value: (each) => each.mode }, { name: "types", value: (each) => each.type, kind: "name" },
      { name: "set", value: (each) => each.set || nameOfFile(each.file), kind: "name" }, { name: "shapes", value: (each) => each.count, kind: "num" },
      { name: "geomean", value: (each) => each.geomean, text: ratioText, kind: "num" }, { name: "mean", value: (each) => each.mean, text: ratioText, kind: "num" },
      { name: "faster", value: (each) => each.won, kind: "num" }, { name: "within noise", value: (each) => each.count - each.won - each.lost, kind: "num" },
      { name: "slower", value: (each) => each.lost, kind: "num" }, { name: "worst", value: (each) => each.worst, text: ratioText, kind: "num" },
    ], tallies, { label: "Comparisons", first: 12, pick: (each) => (chooseGroup(each.group), $("shapes").scrollIntoView()) });
  const origins = distinct(D.keys.origin).filter((each) => each !== "measured");
  if (origins.length) {
    $("warning").hidden = false;
    $("warning").textContent = `Some times were not measured: they are ${origins.join(" and ")}, and no build uses them.`;
  }
}

// ---- By shape, and by work --------------------------------------------------------------

let heatState = {}, chooseGroup = () => {};

/** The choices of what a map shows: a comparison, or a file's share of the roofline. */
function drawShapes(chosen, groups) {
  const shares = [...groupBy(chosen.filter((each) => each.roofline > 0), (each) => [each.file, each.chip].join())];
  const labelOf = ({ file, set, type, protocol, mode, rival }) => [rival, protocol, mode === "off" ? "without programmatic launch" : "", type, set || (D.files.length > 1 ? nameOfFile(file) : "")].filter(Boolean).join(", ");
  const choices = [...groups.map((each) => [String(each.group), labelOf(each)]),
    ...shares.map(([key, list]) => ["roof " + key, `share of the roofline, ${chipName(list[0].chip)}, ${nameOfFile(list[0].file)}`])];
  if (!choices.length) return;
  const preferred = groups.find((each) => each.rival === "cublaslt-auto" && each.protocol === "device" && each.mode === "on") || groups[0];
  heatState.what = preferred ? String(preferred.group) : choices[0][0];
  heatState.layout = "better";
  $("shapes").hidden = false;
  const update = () => {
    const isRatio = !heatState.what.startsWith("roof "), group = groups.find((each) => String(each.group) === heatState.what);
    const of = isRatio ? null : shares.find(([key]) => "roof " + key === heatState.what)[1];
    const layouts = distinct(isRatio ? range(D.rows.problem.length).filter((i) => groupOf(i) === group.group).map((i) => layoutOf(D.rows.problem[i])) : of.map((each) => layoutOf(each.problem)));
    const kinds = isRatio && layouts.length > 1 ? ["better", ...layouts] : layouts;
    if (!kinds.includes(heatState.layout)) heatState.layout = kinds[0];
    const types = isRatio ? [] : distinct(of.map((each) => typeOf(each.problem)));
    if (!types.includes(heatState.type)) heatState.type = types[0];
    put("heat-controls", select("Shown", choices, heatState.what, (value) => ((heatState.what = value), update())),
      select("Layout", kinds.map((each) => [each, each === "better" ? "each side's better one" : each]), heatState.layout, (value) => ((heatState.layout = value), update())),
      types.length > 1 ? select("Types", types.map((each) => [each, each]), heatState.type, (value) => ((heatState.type = value), update())) : null);
    const list = isRatio ? comparisons({ ...group, layout: heatState.layout }).map((each) => ({ ...each, value: each.ratio }))
      : of.filter((each) => layoutOf(each.problem) === heatState.layout && typeOf(each.problem) === heatState.type).map((each) => ({ ...each, value: each.roofline / each.us }));
    for (const each of list) each.tip = () => tipOf(each, isRatio, group);
    $("heat-note").textContent = isRatio ? `Rival's time over Hone's: ${group.rival}. A cell opens its details.` : "The roofline's time over the time of the chosen kernel, in percent. A cell opens its details.";
    drawScale(isRatio);
    drawMaps($("maps"), list, isRatio, (each) => showCell(each, isRatio, group));
    $("cell").hidden = true;
    drawWork(isRatio ? list : [], group);
  };
  chooseGroup = (group) => ((heatState.what = String(group)), update());
  redraws.push(update);
  update();
}

function tipOf(each, isRatio, group) {
  const lines = [el("b", {}, problemName(each.problem)), `${us(each.us)}, ${percent(each.roofline / each.us)} of the roofline`];
  if (isRatio) lines.push(el("br"), `${group.rival}: ${us(each.theirUs)}; ratio ${ratioText(each.ratio)} (${ratioText(each.low)} to ${ratioText(each.high)})`);
  return lines;
}

function showCell(each, isRatio, group) {
  withSchedules(() => {
    const R = D.rows, schedule = isRatio ? R.schedule[each.row] : each.schedule;
    const key = D.keys.problem.findIndex((problem) => problem === each.problem);
    $("cell").hidden = false;
    put("cell", el("strong", {}, problemName(each.problem)), facts([
      ["Hone", `${us(each.us)} (${us(isRatio ? R.p10[each.row] : each.p10)} to ${us(isRatio ? R.p90[each.row] : each.p90)}), ${speed(D.problems.flops[each.problem], each.us)}`],
      ["share of the roofline", percent(each.roofline / each.us)],
      ...(isRatio ? [[group.rival, us(each.theirUs)], ["ratio", `${ratioText(each.ratio)}, 95 % interval ${ratioText(each.low)} to ${ratioText(each.high)}, ${R.rounds[each.row]} rounds`],
        ["remark", R.remark[each.theirs]], ["layout", layoutOf(each.problem) + (each.row !== each.theirs ? `; rival's is ${layoutOf(R.problem[each.theirs])}` : "")]] : []),
      ["schedule", el("code", {}, scheduleOf(schedule))]]),
      key >= 0 ? el("p", {}, el("button", { type: "button", onclick: () => (chooseProblem(key), $("search").scrollIntoView()) }, "Its search")) : null,
      each.kind === "key" ? kernelPart(each.key, each.trial) : null);
  });
}

function drawWork(list, group) {
  $("work").hidden = !list.length;
  if (!list.length) return;
  work ||= new Plot("work-plot");
  const dots = list.map((each) => ({ x: D.problems.flops[each.problem], y: each.ratio, low: each.low, high: each.high,
    name: each.low > 1 ? "blue" : each.high < 1 && each.high > 0 ? "orange" : "grey" }));
  const ends = [Math.min(...dots.map((dot) => dot.x)) / 9, Math.max(...dots.map((dot) => dot.x)) * 9];
  work.show({ title: "Ratio against work", dots, tip: (i) => tipOf(list[i], true, group), pick: (i) => (showCell(list[i], true, group), $("cell").scrollIntoView({ block: "center" })),
    key: [["blue", "Hone faster"], ["grey", "within noise"], ["orange", "rival faster"]],
    x: { title: "operations (2MNK)", log: true, text: short }, y: { title: "ratio", log: true, text: (value) => String(+value.toPrecision(3)), low: 0.95, high: 1.05 },
    under: [{ points: ends.map((x) => [x, 1]), dash: [5, 4], label: "" }] });
}

// ---- Roofline ---------------------------------------------------------------------------

function drawRoofline(chosen) {
  const list = chosen.filter((each) => D.problems.flops[each.problem] > 0 && D.problems.bytes[each.problem] > 0);
  if (!list.length) return;
  $("roof").hidden = false;
  const names = ["blue", "orange", "grey"], chips = distinct(list.map((each) => each.chip));
  const dots = list.map((each) => ({ x: D.problems.flops[each.problem] / D.problems.bytes[each.problem], y: D.problems.flops[each.problem] / each.us * 1e6, name: names[chips.indexOf(each.chip) % 3] }));
  const low = Math.min(...dots.map((dot) => dot.x)), high = Math.max(...dots.map((dot) => dot.x)) * 1.3, lines = [];
  for (const chip of chips) {
    const { bandwidth, peaks } = D.chips[chip];
    const types = distinct(list.filter((each) => each.chip === chip).map((each) => D.problems.type[each.problem])).filter((type) => peaks[type]);
    for (const [peak, of] of groupBy(types, (type) => peaks[type]))
      lines.push({ points: [low / 2, peak / bandwidth, high].filter((x, i) => i !== 1 || (x > low / 2 && x < high)).map((x) => [x, Math.min(peak, x * bandwidth)]),
        name: names[chips.indexOf(chip) % 3], label: `${chipName(chip)}, ${D.types[of[0]].split(":")[0]}: ${speed(peak, 1e6)}` });
  }
  const tops = lines.flatMap((line) => line.points.map((point) => point[1]));
  roof = new Plot("roof-plot");
  roof.show({ title: "Roofline", dots, lines, key: chips.length > 1 ? chips.map((chip, i) => [names[i % 3], chipName(chip)]) : [],
    tip: (i) => [...tipOf(list[i], false), el("br"), el("code", {}, scheduleOf(list[i].schedule))],
    pick: (i) => list[i].kind === "key" ? (chooseProblem(list[i].key), $("search").scrollIntoView()) : null,
    x: { title: "operations a byte", log: true, text: short, high: high }, y: { title: "FLOP/s", log: true, text: short, high: Math.max(0, ...tops) * 1.2 || undefined } });
}
