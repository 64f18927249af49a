// Plots.js: dots and lines on a canvas, with marks on both axes, under a pointer and the keyboard.

// ---- The note under the pointer ---------------------------------------------------------

function showTip(x, y, content) {
  const tip = $("tip");
  put(tip, ...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 12) : y + 18) + "px";
}
const hideTip = () => ($("tip").hidden = true);

// ---- Axes -------------------------------------------------------------------------------

function logMarks(low, high) {
  const marks = [], decades = Math.log10(high / low);
  const steps = decades > 5 ? [1] : decades > 1.2 ? [1, 2, 5] : decades > 0.5 ? [1, 1.5, 2, 3, 4, 5, 6, 8] : null;
  if (!steps) return linearMarks(low, high);
  for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10)
    for (const step of steps) if (step * decade >= low && step * decade <= high) marks.push(step * decade);
  return marks;
}
function linearMarks(low, high) {
  const raw = (high - low) / 5, size = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((each) => each * size >= raw) * size;
  const marks = [];
  for (let mark = Math.ceil(low / step) * step; mark <= high + step * 1e-9; mark += step) marks.push(+mark.toPrecision(12));
  return marks;
}

// ---- A plot -----------------------------------------------------------------------------

const plots = [];

/** {title, height, x, y, dots, lines, tip(i), pick(i)}; an axis is {title, log, low, high, text(value)}; dots are {x, y, color, size, low, high, shape, place}, lines
    {points, color, dash, label}. */
class Plot {
  constructor(place) {
    const host = $(place);
    this.canvas = el("canvas", { tabindex: 0, role: "img" });
    this.canvas.plot = this;
    this.key = el("div", { class: "key" });
    put(host, el("div", { class: "plot" }, this.key, this.canvas));
    this.on = -1;
    const move = (event) => this.under(event.offsetX, event.offsetY);
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerdown", move);
    this.canvas.addEventListener("pointerleave", () => this.mark(-1));
    this.canvas.addEventListener("blur", () => this.mark(-1));
    this.canvas.addEventListener("click", () => this.on >= 0 && this.spec.pick?.(this.on));
    this.canvas.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.draw()).observe(host);
    // A hundred thousand dots are drawn when they come into sight.
    new IntersectionObserver((entries) => {
      this.isNear = entries[entries.length - 1].isIntersecting;
      if (this.isLate) this.draw();
    }, { rootMargin: "300px" }).observe(host);
    plots.push(this);
  }

  show(spec) {
    this.spec = spec;
    this.on = -1;
    this.canvas.setAttribute("aria-label", `${spec.title}: ${spec.dots.length} dots. Arrow keys go from dot to dot, Enter selects one.`);
    put(this.key, ...(spec.key || []).map(([name, text]) => {
      const dot = el("i");
      dot.style.background = `var(--${name})`;
      return el("span", {}, dot, text);
    }));
    for (const [axis, of] of [[spec.x, "x"], [spec.y, "y"]]) {
      let low = axis.low ?? Infinity, high = axis.high ?? -Infinity;
      for (const dot of spec.dots) {
        low = Math.min(low, of === "y" && dot.low > 0 ? dot.low : dot[of]);
        high = Math.max(high, of === "y" && dot.high > 0 ? dot.high : dot[of]);
      }
      if (!(low < high)) [low, high] = axis.log ? [low / 2, low * 2] : [low - 1, low + 1];
      const pad = axis.log ? Math.pow(high / low, 0.04) : (high - low) * 0.04;
      axis.from = axis.exactLow ? low : axis.log ? low / pad : low - pad;
      axis.to = axis.log ? high * pad : high + pad;
    }
    this.order = null;
    this.draw();
  }

  px(value) { return this.place(this.spec.x, value, this.left, this.width - this.right); }
  py(value) { return this.place(this.spec.y, value, this.height - this.bottom, this.top); }
  place(axis, value, from, to) {
    const scale = axis.log ? Math.log : (each) => each;
    return from + (to - from) * (scale(value) - scale(axis.from)) / (scale(axis.to) - scale(axis.from));
  }

  measure() {
    this.width = this.canvas.parentNode.clientWidth;
    this.height = this.spec.height || (this.width < 560 ? 280 : 380);
    [this.left, this.right, this.top, this.bottom] = [52, 12, 24, 42];
    this.canvas.style.height = this.height + "px";
  }

  draw() {
    if (!this.spec) return;
    this.grid = this.picture = null;
    this.measure();
    this.isLate = !this.isNear;
    if (this.isLate) return;
    const { spec, canvas } = this, ratio = devicePixelRatio || 1;
    canvas.width = this.width * ratio;
    canvas.height = this.height * ratio;
    const c = (this.c = canvas.getContext("2d"));
    c.scale(ratio, ratio);
    c.font = "12px system-ui, sans-serif";
    this.drawAxes();
    c.save();
    c.beginPath();
    c.rect(this.left, this.top - 6, this.width - this.left - this.right + 6, this.height - this.top - this.bottom + 12);
    c.clip();
    for (const line of spec.under || []) this.drawLine(line);
    this.drawDots();
    for (const line of spec.lines || []) this.drawLine(line);
    c.restore();
    this.drawRing();
  }

  /** The mark around a dot is drawn on a picture of the rest. */
  drawRing() {
    const { c, canvas } = this;
    if (!c) return;
    if (this.picture) {
      c.save();
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.clearRect(0, 0, canvas.width, canvas.height);
      c.drawImage(this.picture, 0, 0);
      c.restore();
    }
    if (this.on < 0) return;
    if (!this.picture) {
      this.picture = el("canvas", { width: canvas.width, height: canvas.height });
      this.picture.getContext("2d").drawImage(canvas, 0, 0);
    }
    this.ring(this.on);
  }

  drawAxes() {
    const { c, spec } = this, soft = color("soft");
    const marks = (axis) => (axis.log ? logMarks : linearMarks)(axis.from, axis.to);
    c.lineWidth = 1;
    c.textBaseline = "middle";
    c.textAlign = "right";
    let last = Infinity;
    for (const mark of marks(spec.y)) {
      const y = this.py(mark);
      c.strokeStyle = color("line");
      c.beginPath();
      c.moveTo(this.left, y);
      c.lineTo(this.width - this.right, y);
      c.stroke();
      if (last - y < 15) continue;
      c.fillStyle = soft;
      c.fillText(spec.y.text(mark), this.left - 7, y);
      last = y;
    }
    c.textAlign = "center";
    c.fillStyle = soft;
    last = -Infinity;
    for (const mark of marks(spec.x)) {
      const x = this.px(mark), text = spec.x.text(mark), half = c.measureText(text).width / 2;
      if (x - half < last + 10 || x + half > this.width) continue;
      c.fillText(text, x, this.height - this.bottom + 14);
      last = x + half;
    }
    c.fillText(spec.x.title, (this.left + this.width - this.right) / 2, this.height - 9);
    c.textAlign = "left";
    c.fillText(spec.y.title, 2, 8);
  }

  drawLine({ points, name = "text", dash = [], label, width = 1.5, fill }) {
    const { c } = this;
    c.strokeStyle = c.fillStyle = color(name);
    c.lineWidth = width;
    c.setLineDash(dash);
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(this.px(x), this.py(y)) : c.moveTo(this.px(x), this.py(y))));
    if (fill) {
      c.globalAlpha = 0.14;
      c.fill();
      c.globalAlpha = 1;
    } else c.stroke();
    c.setLineDash([]);
    if (!label) return;
    const [x, y] = points[points.length - 1], end = Math.min(this.px(x), this.width - this.right) - 4;
    c.textAlign = "right";
    c.textBaseline = "bottom";
    const base = Math.max(this.py(y) - 3, this.top + 8);
    c.strokeStyle = color("page");
    c.lineWidth = 4;
    c.strokeText(label, end, base);
    c.fillText(label, end, base);
  }

  drawDots() {
    const { c, spec } = this, colors = {}, many = spec.dots.length > 4000;
    c.globalAlpha = many ? 0.35 : spec.dots.length > 400 ? 0.7 : 0.9;
    spec.dots.forEach((dot) => {
      const x = this.px(dot.x), y = this.py(dot.y), size = dot.size || (many ? 1.5 : 3.2);
      c.fillStyle = c.strokeStyle = colors[dot.name] ||= color(dot.name);
      if (dot.low > 0 && !many) {
        c.lineWidth = 1;
        c.beginPath();
        c.moveTo(x, this.py(dot.low));
        c.lineTo(x, this.py(dot.high));
        c.stroke();
      }
      if (dot.shape === "cross") {
        c.lineWidth = 1.2;
        c.beginPath();
        c.moveTo(x - 3, y - 3), c.lineTo(x + 3, y + 3), c.moveTo(x - 3, y + 3), c.lineTo(x + 3, y - 3);
        c.stroke();
      } else if (many) c.fillRect(x - size, y - size, 2 * size, 2 * size);
      else {
        c.beginPath();
        c.arc(x, y, size, 0, 7);
        c.fill();
      }
    });
    c.globalAlpha = 1;
  }

  /** The dots of each square of 16 pixels. */
  fillGrid() {
    this.grid = new Map();
    this.spec.dots.forEach((dot, i) => {
      const cell = (this.px(dot.x) >> 4) * 4096 + (this.py(dot.y) >> 4);
      this.grid.has(cell) ? this.grid.get(cell).push(i) : this.grid.set(cell, [i]);
    });
  }

  ring(i) {
    const { c } = this, dot = this.spec.dots[i];
    c.strokeStyle = color("text");
    c.lineWidth = 2;
    c.beginPath();
    c.arc(this.px(dot.x), this.py(dot.y), 6.5, 0, 7);
    c.stroke();
  }

  /** The place of a dot in the window. */
  center(i) {
    const box = this.canvas.getBoundingClientRect(), dot = this.spec.dots[i];
    return { x: box.left + this.px(dot.x), y: box.top + this.py(dot.y) };
  }

  under(x, y) {
    if (!this.grid) this.fillGrid();
    let best = -1, distance = 14 * 14;
    for (let dx = -1; dx <= 1; ++dx)
      for (let dy = -1; dy <= 1; ++dy)
        for (const i of this.grid.get(((x >> 4) + dx) * 4096 + (y >> 4) + dy) || []) {
          const dot = this.spec.dots[i], far = (this.px(dot.x) - x) ** 2 + (this.py(dot.y) - y) ** 2;
          if (far < distance) [best, distance] = [i, far];
        }
    this.mark(best);
  }

  mark(i) {
    if (i < 0) hideTip();
    if (i === this.on) return;
    this.on = i;
    this.drawRing();
    if (i < 0) return;
    const { x, y } = this.center(i);
    showTip(x, y, this.spec.tip(i));
    // A schedule's text comes later the first time.
    if (!scheduleTexts) readSchedules().then(() => this.on === i && showTip(x, y, this.spec.tip(i)));
  }

  press(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 10, ArrowDown: -10, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Escape") return this.mark(-1);
    if ((event.key === "Enter" || event.key === " ") && this.on >= 0) {
      event.preventDefault();
      return this.spec.pick?.(this.on);
    }
    if (!step || !this.spec.dots.length) return;
    event.preventDefault();
    this.order ||= range(this.spec.dots.length).sort((a, b) => this.spec.dots[a].x - this.spec.dots[b].x);
    const now = this.on < 0 ? (step < 0 && step > -Infinity ? this.order.length : -1) : this.order.indexOf(this.on);
    this.mark(this.order[Math.max(0, Math.min(this.order.length - 1, now + step))]);
  }
}
