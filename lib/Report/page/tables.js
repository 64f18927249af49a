// Tables.js: tables that sort by a column and keep the rows that a filter admits.

const OPERATORS = { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "=": (a, b) => a === b };

/** A test of rows for a filter's text: words, and conditions on columns. */
function admits(text, columns) {
  const tests = text.trim().split(/\s+/).filter(Boolean).map((word) => {
    const [, name, operator, number] = word.match(/^([\w%]+)(<=|>=|<|>|=)([\d.]+)$/) || [];
    const column = name && columns.find((each) => each.name.toLowerCase().replace(/\s/g, "").startsWith(name.toLowerCase()));
    if (column) return (row) => OPERATORS[operator](Number(column.value(row)), Number(number));
    const low = word.toLowerCase();
    return (row) => columns.some((each) => String(each.text ? each.text(each.value(row), row) : each.value(row)).toLowerCase().includes(low));
  });
  return (row) => tests.every((test) => test(row));
}

/** Columns are {name, value(row), text(value, row), kind: "num" | "name" | "long"}. */
function makeTable(host, columns, rows, { pick, sort = -1, label = "Rows", first = 100 } = {}) {
  const STEP = 500;
  let direction = 1, shown = first, kept = rows;
  const filter = el("input", { type: "search", "aria-label": "Filter", placeholder: "Filter", oninput: () => ((shown = first), fill()) });
  const count = el("span", { class: "count", role: "status" }), body = el("tbody"), more = el("button", { type: "button", class: "more", onclick: () => ((shown += STEP), fill()) });
  const heads = columns.map((column, i) => el("th", { scope: "col", class: column.kind },
    el("button", { type: "button", onclick: () => {
      direction = sort === i ? -direction : column.kind === "num" ? -1 : 1;
      sort = i;
      fill();
    } }, column.name)));

  function fill() {
    kept = rows.filter(admits(filter.value, columns));
    if (sort >= 0) {
      const values = new Map(kept.map((row) => [row, columns[sort].value(row)]));
      const order = (a, b) => typeof a === "number" && typeof b === "number" ? (a || 0) - (b || 0) : String(a).localeCompare(String(b), "en", { numeric: true });
      kept.sort((a, b) => direction * order(values.get(a), values.get(b)));
    }
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== sort ? "none" : direction > 0 ? "ascending" : "descending"));
    put(body, kept.slice(0, shown).map((row) => {
      const cells = columns.map((column) => {
        const value = column.value(row);
        return el("td", { class: column.kind }, column.text ? column.text(value, row) : String(value));
      });
      return el("tr", pick ? { tabindex: 0, onclick: () => pick(row), onkeydown: (event) => event.key === "Enter" && pick(row) } : {}, cells);
    }));
    count.textContent = kept.length === rows.length ? `${whole(rows.length)} rows` : `${whole(kept.length)} of ${whole(rows.length)} rows`;
    more.hidden = kept.length <= shown;
    more.textContent = `Show more (${whole(kept.length - shown)} left)`;
  }

  put(host, el("div", { class: "controls" }, rows.length > 8 ? filter : null, count),
    el("div", { class: "scroll" }, el("table", { class: "rows", "aria-label": label }, el("thead", {}, el("tr", {}, heads)), body)), more);
  fill();
}
