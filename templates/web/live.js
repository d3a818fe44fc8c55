// Keeps the page of a run up to date from its events, and draws its figures. What stands in the
// page is set as text, never as HTML.
"use strict";
(() => {
  const root = document.getElementById("live");
  const $ = (id) => document.getElementById(id);
  const MEASURES = [
    ["ops_per_s", "ops/s", 1],
    ["bytes_per_s", "Throughput, MB/s", 1e-6],
    ["p99_ns", "Response time, p99, ms", 1e-6],
    ["watts", "Power, watts", 1],
    ["celsius", "Temperature, °C", 1],
  ];
  const RECENT = 600, WHOLE = 1200;
  const LIGHT = ["#0b5cad", "#b3430a", "#1f6b3a", "#7a2e9e", "#8a6100", "#0e6f78", "#a3205c", "#4a5563"];
  const DARK = ["#82bcff", "#ffab7a", "#8fd6a8", "#d7a8f5", "#f0cf6b", "#7fd9e2", "#ff9ec4", "#bcc6d1"];
  const DASHES = [[], [7, 4], [2, 3]], STYLES = ["", "dashed", "dotted"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let feed = { lines: [], recent: [], whole: [] };
  let range = "recent", plots = new Map(), heard = Date.now(), finished = false;

  const text = (element, value) => {
    if (element && element.textContent !== value) element.textContent = value;
  };
  const grouped = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
  const shown = (v) => {
    if (v === null || v === undefined) return "–";
    if (Number.isInteger(v) || Math.abs(v) >= 1000) return grouped(v);
    return v.toFixed(Math.abs(v) < 1 ? 3 : 2);
  };
  const latency = (ns) => {
    if (ns === null) return "not measured";
    const [value, unit] = ns < 1e3 ? [ns, "ns"] : ns < 1e6 ? [ns / 1e3, "µs"]
      : ns < 1e9 ? [ns / 1e6, "ms"] : [ns / 1e9, "s"];
    return `${value.toPrecision(3)} ${unit}`;
  };
  const duration = (ns) => {
    let s = Math.ceil(ns / 1e9);
    const parts = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]].flatMap(([of, unit]) => {
      const n = Math.floor(s / of);
      s -= n * of;
      return n ? [`${n} ${unit}`] : [];
    });
    return parts.slice(0, 2).join(" ") || "0 s";
  };
  const moment = (ns) => new Date(ns / 1e6).toISOString().slice(0, 19).replace("T", " ");

  function rows(body, all, numbers) {
    while (body.rows.length > all.length) body.deleteRow(-1);
    all.forEach((cells, i) => {
      const row = body.rows[i] || body.insertRow();
      while (row.cells.length > cells.length) row.deleteCell(-1);
      cells.forEach((value, j) => {
        const cell = row.cells[j] || row.insertCell();
        cell.className = j >= numbers ? "n" : "";
        cell.removeAttribute("colspan");
        text(cell, value);
      });
    });
  }

  function list(element, all) {
    while (element.children.length > all.length) element.lastChild.remove();
    all.forEach((value, i) => {
      text(element.children[i] || element.appendChild(document.createElement("li")), value);
    });
  }

  function numbers() {
    const { points } = feed;
    const state = $("state");
    text(state, feed.state);
    state.className = `state ${feed.state}`;
    const running = feed.state === "running";
    text($("left"), !running ? "" : feed.left_ns === null ? "time left unknown"
      : `${duration(feed.left_ns)} left`);
    if (feed.percent !== null) $("percent").value = feed.percent;
    else $("percent").removeAttribute("value");
    if (!running && feed.points.done >= feed.points.all) $("percent").value = 100;
    text($("points"), `${points.done} of ${points.all} points`
      + (points.failed ? `, ${points.failed} failed` : "")
      + (points.spared ? `, ${points.spared} not needed` : ""));
    text($("phase"), feed.phase);
    text($("doing"), feed.doing);
    text($("share"), feed.share === null ? "" : `${Math.floor(feed.share * 100)} %`);
    text($("ended"), feed.ended || (feed.state === "cut" ? "The run's process is gone." : ""));
    const now = feed.now.map((r) => [r.subject, r.stream, r.class, grouped(r.ops_per_s),
      r.bytes_per_s > 0 ? (r.bytes_per_s / 1e6).toFixed(1) : "–", latency(r.p99_ns),
      latency(r.point_p99_ns)]);
    rows($("now"), now.length ? now : [["No window is being measured."]], 3);
    rows($("gauges"), feed.gauges.map((g) => [g.subject || "host", `${g.meter}, ${g.name}`,
      shown(g.value)]), 2);
    list($("next"), feed.next);
    rows($("log"), feed.log.slice().reverse().map((l) => [moment(l.unix_ns), l.text]), 9);
  }

  // The lines of a measure, with a value or null for each row.
  function series(measure, factor) {
    const rows = feed[range];
    const own = feed.lines.flatMap((line, i) => (line.measure === measure ? [i] : []));
    const at = new Map(own.map((line, i) => [line, i]));
    const values = own.map(() => new Array(rows.length).fill(null));
    rows.forEach((row, j) => row.v.forEach(([line, value]) => {
      if (at.has(line)) values[at.get(line)][j] = value * factor;
    }));
    const began = feed.began_unix_ns / 1e9;
    const kept = own.map((_, i) => i).filter((i) => values[i].some((v) => v !== null));
    return {
      names: kept.map((i) => feed.lines[own[i]].name),
      data: [rows.map((row) => began + row.t / 1000), ...kept.map((i) => values[i])],
    };
  }

  const look = (i) => {
    const colours = dark.matches ? DARK : LIGHT;
    return [colours[i % colours.length], Math.floor(i / colours.length) % DASHES.length];
  };

  function figure(measure, title) {
    const element = document.createElement("figure");
    element.className = "plot";
    const caption = element.appendChild(document.createElement("figcaption"));
    caption.textContent = title;
    const canvas = element.appendChild(document.createElement("div"));
    canvas.className = "canvas";
    canvas.setAttribute("role", "img");
    const table = element.appendChild(document.createElement("table"));
    table.className = "numbers";
    const name = table.createCaption();
    name.className = "unseen";
    name.textContent = `${title}: values of the figure`;
    const head = table.createTHead().insertRow();
    ["Line", "last", "mean", "largest"].forEach((label, i) => {
      const cell = head.appendChild(document.createElement("th"));
      cell.scope = "col";
      cell.textContent = label;
      if (i) cell.className = "n";
    });
    const body = table.createTBody();
    const before = [...$("plots").children].find((other) =>
      MEASURES.findIndex((m) => m[0] === other.dataset.measure)
        > MEASURES.findIndex((m) => m[0] === measure));
    element.dataset.measure = measure;
    $("plots").insertBefore(element, before || null);
    return { element, canvas, body, drawn: null, names: "" };
  }

  function axes() {
    const style = getComputedStyle(document.body);
    const [ink, line] = [style.getPropertyValue("--soft"), style.getPropertyValue("--line")];
    const own = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 },
      font: "12px system-ui, sans-serif" };
    const short = (u, all) => all.map((v) => (Math.abs(v) >= 1e6 ? `${v / 1e6} M`
      : Math.abs(v) >= 1e4 ? `${v / 1e3} k` : String(+v.toPrecision(6))));
    const time = (u, all) => all.map((s) => new Date(s * 1e3).toISOString().slice(11, 19));
    return [{ ...own, space: 80, values: time }, { ...own, size: 58, values: short }];
  }

  function draw(measure, title, factor) {
    const { names, data } = series(measure, factor);
    let plot = plots.get(measure);
    if (!names.length) {
      if (plot) plot.element.hidden = true;
      return;
    }
    if (!plot) plots.set(measure, plot = figure(measure, title));
    plot.element.hidden = false;
    const width = Math.floor(plot.element.clientWidth);
    const made = `${names.join("\n")}\n${dark.matches}`;
    if (!plot.drawn || plot.made !== made) {
      if (plot.drawn) plot.drawn.destroy();
      const lines = names.map((name, i) => {
        const [stroke, dash] = look(i);
        return { label: name, stroke, dash: DASHES[dash], width: 2, points: { show: false } };
      });
      const options = { width, height: 220, series: [{}, ...lines], axes: axes(),
        legend: { show: false }, cursor: { drag: { x: false, y: false } },
        scales: { y: { range: (u, low, high) => [0, high > 0 ? high * 1.08 : 1] } } };
      plot.drawn = new uPlot(options, data, plot.canvas);
      plot.made = made;
    } else {
      if (plot.drawn.width !== width) plot.drawn.setSize({ width, height: 220 });
      plot.drawn.setData(data);
    }
    const values = names.map((name, i) => {
      const all = data[i + 1].filter((v) => v !== null);
      const mean = all.reduce((sum, v) => sum + v, 0) / all.length;
      return [name, shown(all[all.length - 1]), shown(mean), shown(Math.max(...all))];
    });
    rows(plot.body, values, 1);
    [...plot.body.rows].forEach((row, i) => {
      const [colour, dash] = look(i);
      const known = row.cells[0].querySelector("span");
      const swatch = known || document.createElement("span");
      swatch.className = `swatch ${STYLES[dash]}`;
      swatch.style.borderTopColor = colour;
      if (!known) row.cells[0].prepend(swatch);
    });
    const last = values.map(([name, value]) => `${name} ${value}`).join("; ");
    plot.canvas.setAttribute("aria-label", `${title} over time. Last values: ${last}`);
  }

  function figures() {
    $("figures").hidden = !feed.lines.length;
    MEASURES.forEach(([measure, title, factor]) => draw(measure, title, factor));
  }

  function take(data) {
    const { recent, whole, whole_new, ...rest } = data;
    feed = { ...feed, ...rest };
    return { recent: recent || [], whole, whole_new };
  }

  function show() {
    numbers();
    figures();
    root.dataset.written = feed.written_unix_ns;
    if (feed.state !== "running") {
      finished = true;
      events.close();
    }
  }

  const events = new EventSource(root.dataset.events);
  events.addEventListener("all", (event) => {
    const { recent, whole } = take(JSON.parse(event.data));
    [feed.recent, feed.whole, heard] = [recent, whole, Date.now()];
    show();
  });
  events.addEventListener("second", (event) => {
    const { recent, whole, whole_new } = take(JSON.parse(event.data));
    feed.recent = feed.recent.concat(recent).slice(-RECENT);
    feed.whole = whole || feed.whole.concat(whole_new).slice(-WHOLE);
    heard = Date.now();
    show();
  });
  setInterval(() => {
    const silent = !finished && Date.now() - heard > 5000;
    text($("link"), silent ? "Nothing was heard for five seconds; trying again." : "");
  }, 1000);
  document.querySelectorAll("input[name=range]").forEach((input) => {
    input.addEventListener("change", () => {
      range = input.value;
      figures();
    });
  });
  addEventListener("resize", figures);
  dark.addEventListener("change", figures);
})();
