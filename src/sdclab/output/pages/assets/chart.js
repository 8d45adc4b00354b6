// Risk-utility maps to explore: axes, methods and groups to choose, the front of what is not marked, a point's numbers.
"use strict";

for (const figure of document.querySelectorAll(".chart")) {
  const part = (selector) => figure.querySelector(selector);
  const data = JSON.parse(part("script").textContent);
  data.points = data.points.map(([method, group, parameters, marks, values, spreads]) => ({ method, group, parameters, marks, values, spreads }));
  const boxes = [...figure.querySelectorAll(".legend input")];
  const shapes = [...figure.querySelectorAll(".legend path")];
  const choice = { x: part("select.x"), y: part("select.y"), group: part("select.group") };
  const given = { x: choice.x.value, y: choice.y.value };
  const plot = part(".plot"), svg = part(".plot svg"), toggle = part(".legend button");
  const LEFT = 46, RIGHT = 12, TOP = 12, BOTTOM = 44, REACH = 24; // pixels; the last is how near a pointer must come
  let places = []; // what is drawn: a point's index, where it is, its element
  let told = null; // the index of the point whose numbers are shown

  // --- what is chosen ------------------------------------------------------------------------------------------------

  const group = () => (choice.group ? choice.group.selectedIndex : 0);
  const axis = (name) => data.numbers.findIndex((number) => number.name === choice[name].value);
  const inGroup = () => data.points.filter((point) => point.group === group());

  function regroup() { // what no point of the group has cannot be chosen
    const points = inGroup();
    boxes.forEach((box, i) => { box.closest("li").hidden = !points.some((point) => point.method === i); });
    for (const name of ["x", "y"]) {
      for (const option of choice[name].options) {
        const i = data.numbers.findIndex((number) => number.name === option.value);
        option.disabled = !points.some((point) => point.values[i] !== null);
      }
      const open = [...choice[name].options].filter((option) => !option.disabled).map((option) => option.value);
      if (!open.includes(choice[name].value)) choice[name].value = open.includes(given[name]) ? given[name] : open[0];
    }
  }

  function front(points, x, y) { // as in chart.py: no other is as good in both and better in one
    const [across, up] = [x, y].map((i) => {
      const sign = data.numbers[i].better === "more" ? -1 : 1;
      return (point) => sign * point.values[i];
    });
    const found = [];
    for (const point of [...points].sort((a, b) => across(a) - across(b) || up(a) - up(b))) {
      const last = found[found.length - 1];
      const same = last && across(point) === across(last) && up(point) === up(last);
      if (!last || same || up(point) < up(last)) found.push(point);
    }
    return found;
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  function element(name, attributes, ...content) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }

  function extent(values) { // as in plane.py
    if (!values.length) values = [0, 1];
    let low = Math.min(...values);
    const high = Math.max(...values);
    if (low >= 0 && low <= high / 2) low = 0;
    const margin = 0.06 * (high - low) || 1;
    return [low === 0 ? 0 : low - margin, high + margin];
  }

  function ticks([low, high], room) { // a few round numbers, as many as there is room for
    const rough = (high - low) / Math.max(2, Math.min(7, room));
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
    const made = [];
    for (let i = Math.ceil(low / step); i <= Math.floor(high / step); i += 1) made.push(i * step);
    return made;
  }

  const short = (value) => String(Number(value.toPrecision(5)));

  function frame(width, height, across, up, ends, names) {
    const made = element("g", { class: "axes", "aria-hidden": "true" });
    for (const tick of ticks(ends.x, width / 70)) {
      made.append(element("line", { x1: across(tick), x2: across(tick), y1: TOP, y2: height - BOTTOM, class: "grid" }));
      made.append(element("text", { x: across(tick), y: height - BOTTOM + 16, "text-anchor": "middle" }, short(tick)));
    }
    for (const tick of ticks(ends.y, height / 50)) {
      made.append(element("line", { x1: LEFT, x2: width - RIGHT, y1: up(tick), y2: up(tick), class: "grid" }));
      made.append(element("text", { x: LEFT - 6, y: up(tick) + 4, "text-anchor": "end" }, short(tick)));
    }
    const middle = (LEFT + width - RIGHT) / 2, half = (TOP + height - BOTTOM) / 2;
    made.append(element("text", { x: middle, y: height - 8, "text-anchor": "middle" }, `${names.x} →`));
    made.append(element("text", { transform: `translate(12 ${half}) rotate(-90)`, "text-anchor": "middle" }, `${names.y} →`));
    return made;
  }

  function bars(point, x, y, across, up, ends) { // one standard deviation, cut off where the number or the map ends
    const made = [];
    const reach = (i, shown) => [-1, 1].map((sign) => {
      const [low, high] = data.numbers[i].ends;
      const end = point.values[i] + sign * point.spreads[i];
      return Math.min(Math.max(end, low ?? -Infinity, shown[0]), high ?? Infinity, shown[1]);
    });
    if (point.spreads[x]) {
      const [from, to] = reach(x, ends.x).map(across), at = up(point.values[y]);
      made.push(element("line", { x1: from, x2: to, y1: at, y2: at, class: "bar" }));
    }
    if (point.spreads[y]) {
      const [from, to] = reach(y, ends.y).map(up), at = across(point.values[x]);
      made.push(element("line", { x1: at, x2: at, y1: from, y2: to, class: "bar" }));
    }
    return made;
  }

  function draw() {
    const x = axis("x"), y = axis("y");
    const here = inGroup();
    const shown = here.filter((point) => boxes[point.method].checked && point.values[x] !== null && point.values[y] !== null);
    const width = Math.max(260, Math.round(plot.clientWidth)), height = Math.round(Math.min(520, Math.max(320, 0.7 * width)));
    const ends = { x: extent(shown.map((point) => point.values[x])), y: extent(shown.map((point) => point.values[y])) };
    const share = (value, [low, high]) => (value - low) / (high - low);
    const across = (value) => LEFT + (width - LEFT - RIGHT) * share(value, ends.x);
    const up = (value) => height - BOTTOM - (height - TOP - BOTTOM) * share(value, ends.y);
    const names = { x: data.numbers[x].label, y: data.numbers[y].label };
    const free = shown.filter((point) => !point.marks);
    const ordered = data.numbers[x].better && data.numbers[y].better;
    const best = ordered ? front(free, x, y) : [];
    const kept = svg.contains(document.activeElement);

    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `${names.y} against ${names.x}: ${shown.length} points; the arrow keys go from one to the next.`);
    svg.replaceChildren(frame(width, height, across, up, ends, names));
    for (const point of shown) svg.append(...bars(point, x, y, across, up, ends));
    const corners = best.map((point) => `${across(point.values[x])},${up(point.values[y])}`);
    svg.append(element("polyline", { points: corners.join(" "), class: "front" }));
    places = shown.map((point) => {
      const at = [across(point.values[x]), up(point.values[y])];
      const mark = shapes[point.method].cloneNode();
      mark.classList.toggle("hollow", point.marks !== "");
      const about = [title(point), ...[x, y].map((i) => `${data.numbers[i].label} ${value(point, i)}`), point.marks, best.includes(point) ? "on the front" : ""];
      const made = element("g", { class: "dot", transform: `translate(${at[0]} ${at[1]})`, tabindex: -1, role: "img", "aria-label": about.filter(Boolean).join("; ") },
        element("circle", { r: 9, class: "area" }), mark);
      svg.append(made);
      return { i: data.points.indexOf(point), at, element: made };
    });
    say(here, shown, best, ordered);
    for (const [name, i] of [["x", x], ["y", y]]) part(`.about.${name}`).textContent = `${name}: ${data.numbers[i].sentence}`;
    const still = places.find((place) => place.i === told);
    tell(still ? still.i : null);
    if (kept && still) still.element.focus();
  }

  function say(here, shown, best, ordered) {
    const marked = shown.filter((point) => point.marks).length;
    const about = data.groups[group()];
    const words = [`${about}${about && ": "}${shown.length} of ${here.length} points are shown, ${marked} of them marked.`];
    words.push(ordered ? `On the front: ${best.length}.` : "No front is drawn: of one of these numbers neither less nor more is better.");
    part(".shown").textContent = words.join(" ");
    toggle.textContent = boxes.some((box) => box.checked) ? "hide all" : "show all";
  }

  // --- what a point tells --------------------------------------------------------------------------------------------

  const title = (point) => [data.methods[point.method], point.parameters].filter(Boolean).join(" ");

  function value(point, i) {
    const spread = point.spreads[i];
    return short(point.values[i]) + (spread ? ` ± ${Number(spread.toPrecision(2))}` : "");
  }

  function html(name, text, ...content) {
    const made = document.createElement(name);
    made.append(text, ...content);
    return made;
  }

  function tell(i) { // all numbers of a point, those on the axes first
    told = i;
    places.forEach((place, at) => {
      place.element.classList.toggle("told", place.i === i);
      place.element.setAttribute("tabindex", (i === null ? at === 0 : place.i === i) ? 0 : -1); // one stop for Tab
    });
    if (i === null) return part(".numbers").replaceChildren(hint);
    const point = data.points[i], order = [axis("x"), axis("y")];
    data.numbers.forEach((_, at) => { if (!order.includes(at)) order.push(at); });
    const known = [...new Set(order)].filter((at) => point.values[at] !== null);
    const lines = known.map((at) => html("div", html("dt", value(point, at)), html("dd", data.numbers[at].sentence)));
    const about = [point.marks && `Marked: ${point.marks}.`, data.groups[point.group]].filter(Boolean);
    part(".numbers").replaceChildren(html("strong", title(point)), ...about.map((line) => html("p", line)), html("dl", "", ...lines));
  }

  function nearest(event) {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    const far = ({ at }) => Math.hypot(box.left + at[0] * scale - event.clientX, box.top + at[1] * scale - event.clientY);
    const found = places.reduce((best, place) => (best && far(best) <= far(place) ? best : place), null);
    return found && far(found) <= REACH ? found : null;
  }

  function step(key) { // left and right along x, up and down along y
    const along = key === "ArrowLeft" || key === "ArrowRight" ? 0 : 1;
    const by = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    const ordered = [...places].sort((a, b) => a.at[along] - b.at[along] || a.at[1 - along] - b.at[1 - along] || a.i - b.i);
    return ordered[ordered.findIndex((place) => place.i === told) + by];
  }

  const hint = part(".numbers").firstElementChild;
  svg.addEventListener("pointermove", (event) => { const place = nearest(event); if (place && place.i !== told) tell(place.i); });
  svg.addEventListener("pointerdown", (event) => { const place = nearest(event); if (place) tell(place.i); });
  svg.addEventListener("focusin", (event) => {
    const place = places.find((each) => each.element === event.target);
    if (place) tell(place.i);
  });
  svg.addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const next = step(event.key);
    if (next) next.element.focus();
  });

  // --- start ---------------------------------------------------------------------------------------------------------

  for (const name of ["x", "y"]) choice[name].addEventListener("change", draw);
  if (choice.group) choice.group.addEventListener("change", () => { told = null; regroup(); draw(); });
  boxes.forEach((box) => box.addEventListener("change", draw));
  toggle.addEventListener("click", () => {
    const any = boxes.some((box) => box.checked);
    boxes.forEach((box) => { box.checked = !any; });
    draw();
  });
  for (const hidden of figure.querySelectorAll("[hidden]")) hidden.hidden = false;
  regroup();
  draw();
  let drawn = plot.clientWidth;
  new ResizeObserver(() => { // the height follows from the width
    if (plot.clientWidth !== drawn) draw();
    drawn = plot.clientWidth;
  }).observe(plot);
}
