// Heat.js: a map over M and N for each K, of a ratio or of the roofline's share.

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const mix = (from, to, part) => from.map((value, i) => Math.round(value + (to[i] - value) * part));

/** The colours of a ratio around 1, or of a share from 0 to 1. */
function shade(value, isRatio) {
  const neutral = rgb(color("neutral")), blue = rgb(color("blue")), orange = rgb(color("orange"));
  const part = isRatio ? Math.min(1, Math.abs(Math.log(value)) / Math.log(1.3)) : Math.max(0, Math.min(1, value));
  const mixed = mix(neutral, isRatio && value < 1 ? orange : blue, part);
  const light = (0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2]) / 255;
  return [`rgb(${mixed})`, light > 0.52 ? "#14171a" : "#ffffff"];
}

function drawScale(isRatio) {
  const steps = isRatio ? [0.77, 0.85, 0.93, 1, 1.08, 1.18, 1.3] : [0.1, 0.3, 0.5, 0.7, 0.9];
  const boxes = steps.map((value) => {
    const box = el("i");
    box.style.background = shade(value, isRatio)[0];
    return box;
  });
  put("scale", isRatio ? "rival faster, 0.77 or less" : "10 %", el("span", {}, boxes), isRatio ? "Hone faster, 1.30 or more" : "90 % of the roofline");
}

/** Arrow keys go from cell to cell. */
function walkCells(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const cell = event.target.closest("td");
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") return event.preventDefault(), cell.click();
  if (!steps) return;
  event.preventDefault();
  const rows = [...cell.closest("tbody").rows];
  for (let row = rows.indexOf(cell.parentNode), column = cell.cellIndex;;) {
    row += steps[0];
    column += steps[1];
    const next = rows[row]?.cells[column];
    if (!next || next.tagName === "TH") return;
    if (next.tabIndex >= 0 || next.hasAttribute("tabindex")) return next.focus();
  }
}

/** `list` has {problem, value, ...}; `pick` gets one of it. */
function drawMaps(host, list, isRatio, pick) {
  const P = D.problems, colors = new Map();
  const groups = [...groupBy(list, (each) => P.k[each.problem] + "," + P.batch[each.problem])].sort((a, b) => {
    const [ka, ba] = a[0].split(","), [kb, bb] = b[0].split(",");
    return ka - kb || ba - bb;
  });
  const shadeOf = (value) => {
    const key = value.toFixed(2);
    if (!colors.has(key)) colors.set(key, shade(+key, isRatio));
    return colors.get(key);
  };
  const text = (value) => isRatio ? value.toFixed(2) : Math.round(100 * value);
  put(host, groups.map(([key, cells]) => {
    const [k, batch] = key.split(","), column = (name) => sorted(distinct(cells.map((each) => P[name][each.problem])));
    const ms = column("m"), ns = column("n"), places = new Map();
    for (const each of cells) {
      const place = P.m[each.problem] + "," + P.n[each.problem], old = places.get(place);
      if (!old || each.value < old.value) places.set(place, each);
    }
    let first = true;
    const body = ms.map((m) => el("tr", {}, el("th", { scope: "row" }, String(m)), ns.map((n) => {
      const each = places.get(m + "," + n);
      if (!each) return el("td");
      const cell = el("td", { tabindex: first ? 0 : -1, "aria-label": `M ${m}, N ${n}, K ${k}: ${text(each.value)}` }, String(text(each.value)));
      first = false;
      [cell.style.background, cell.style.color] = shadeOf(each.value);
      cell.onpointerenter = (event) => showTip(event.clientX, event.clientY, each.tip());
      cell.onpointerleave = hideTip;
      cell.onclick = () => {
        host.querySelector(".on")?.classList.remove("on");
        cell.classList.add("on");
        pick(each);
      };
      return cell;
    })));
    return el("div", { class: "map", onkeydown: walkCells }, el("h3", {}, `K = ${k}` + (batch > 1 ? `, batch ${batch}` : "")),
      el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "M \\ N"), ns.map((n) => el("th", { scope: "col" }, String(n))))), el("tbody", {}, body)));
  }));
}
